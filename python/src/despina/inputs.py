"""Rows from Python for the sources of a graph: ``graph.run(inputs={"readings": …})``.

A source with given rows keeps its schema, event time and place in the graph. It ignores the fields that say what to read or make
(``path``, ``rows``, ``rate_per_s``, ``replay`` …). Its parallelism is 1. Rows may be

* a table: Arrow's ``Table``, ``RecordBatch`` or ``RecordBatchReader``, a pandas or polars frame, a DataFrame of Spark's,
  :class:`~despina.rows.Rows`;
* an iterable of such tables, of lists of rows, or of rows: a row is a dict by column names, or a tuple in the schema's order.

* a function, which is called with the number of rows that are in already, and gives those that follow.

**Run again after a loss.** A job that keeps its state in a folder of this machine has the rows in a log, and goes on with them by
itself when a resource is lost. If the program itself ends, run it again: of a table or a list, which has the same rows as before,
those that are in are left out; a function is told how many they are (so does :meth:`~despina.job.Job.fed`). An iterator cannot
say whether its rows are new or come again, so it is refused where some are in.

The stream ends when the rows do. A thread reads the iterable, only as fast as the job processes the rows. If the iterable raises,
the job fails, and the exception is the cause of the job's error. A job that is stopped reads no more and closes a generator.

Columns match by name, in upper or lower case. A missing column is an error, in a table and in each dict, and so is an unknown
one. Rows may leave out a column to which the source's schema gives a default: ``"celsius DOUBLE DEFAULT 20.0"``. Values are
converted to the schema's type if nothing is lost: 3.0 becomes a BIGINT, 3.5 is refused. A time without a zone is in the graph's
time zone.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from despina.columns import Columns, as_table, is_table, refused
from despina.errors import DespinaError, RefusedError
from despina.values import caller

if TYPE_CHECKING:
    import pyarrow

    from despina.engine import Engine

CHUNK_BYTES = 1 << 20
"""Of rows that travel to the engine at once, about."""
ROWS_AHEAD = 1 << 13
"""How many rows of an iterable are taken before the engine has room for them."""
WAIT_MS = 500
"""How long one call to the engine waits for room: how late the end of the job is noticed at most."""


REASON_CHARS = 1 << 14
"""Of what an iterable raised, as the job's error has it."""


class ArrowStream(Protocol):
    """A table of any library that speaks Arrow's C stream protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Rows = ArrowStream | Iterable[Any]
Given = Rows | Callable[[int], Rows]
"""Rows for a source: a table, an iterable of tables, of lists of rows, or of rows; or a function of the number that is in."""


@dataclass(frozen=True)
class Input:
    """What a source is given, and the columns that it wants."""

    operator: str
    columns: Columns
    given: Given

    @classmethod
    def of(cls, operator: str, columns: Columns, given: Given) -> Input:
        """Holds what is known of the rows against the columns of the source, before anything runs.

        :raise RefusedError: these are no rows, or have other columns
        """
        try:
            if is_table(given):
                given = _fitting(columns, given)
            elif isinstance(given, Callable) and not isinstance(given, Iterable):   # type: ignore[arg-type]
                pass
            elif not isinstance(given, Iterable) or isinstance(given, (str, bytes, bytearray, Mapping)):
                raise refused(f"{type(given).__name__} is neither a table nor an iterable of rows", _no_rows(given))
        except RefusedError as error:
            raise RefusedError("input", f"the rows for operator {operator}: {error.message}", error.hint, caller()) from None
        return cls(operator, columns, given)

    def pieces(self, fed: Callable[[bool], int]) -> Generator[Any, None, None]:
        """What is given, piece by piece: tables, lists of rows, and rows.

        :param fed: how many rows are in; asked with True, what is given follows them
        """
        import pyarrow
        given: Any = self.given
        if callable(given) and not isinstance(given, Iterable):
            given = given(fed(True))
            if is_table(given):
                given = _fitting(self.columns, given)
        elif not isinstance(given, (pyarrow.Table, Sequence)) and (rows := fed(False)):
            raise RefusedError("input", f"the job goes on with {rows} rows of operator {self.operator} that are in, and "
                               f"{'an iterator' if isinstance(given, Iterator) else type(given).__name__} does not say whether "
                               "its rows are these or follow them",
                               f"a table or a list with all rows; or inputs={{{self.operator!r}: lambda fed: …}}, a function "
                               "that gives the rows from number `fed` on")
        if isinstance(given, pyarrow.Table):
            yield from given.to_batches(max_chunksize=ROWS_AHEAD)
        else:
            yield from given


def _fitting(columns: Columns, given: Any) -> Any:
    """A table that has the columns.

    :raise RefusedError: it has not
    """
    if not hasattr(given, "read_next_batch"):
        given = as_table(given)
    columns.fit(given.schema)
    return given


def _no_rows(given: object) -> str:
    if isinstance(given, Mapping):
        return "a list of dicts, one for each row; or pyarrow.table(…) for a dict of columns"
    collects = hasattr(given, "collect")
    return "call .collect() on it" if collects else "a table, or an iterable of tables or rows"


class Feeder:
    """Gives a source of a running job its rows: one thread takes them from the user's iterable, one brings them to the engine.

    Rows go as soon as the engine has taken those before them, all that have come meanwhile together.
    """

    def __init__(self, engine: Engine, job: str, given: Input) -> None:
        self._engine = engine
        self._job = job
        self._input = given
        self._ahead = Ahead()
        self.operator = given.operator
        self.failure: BaseException | None = None
        for target, what in ((self._read, "read"), (self._send, "send")):
            threading.Thread(target=target, name=f"despina-{what}-{given.operator}", daemon=True).start()

    def _fed_before(self, follow: bool) -> int:
        """How many rows are in: waits until the source has said so."""
        while (rows := self._engine.fed(self._job, self.operator, follow, WAIT_MS)) < 0:
            if not self._engine.feed(self._job, self.operator, b"", 0)[1]:
                raise ClosedError
        return rows

    def _read(self) -> None:
        pieces = self._input.pieces(self._fed_before)
        try:
            for piece in pieces:
                if not self._ahead.put(piece):
                    break
            self._ahead.end()
        except BaseException as error:
            self._ahead.end(error)
        finally:
            pieces.close()      # and with it a generator of the user's

    def _send(self) -> None:
        try:
            while (pieces := self._next()) is not None:
                for batch in self._input.columns.batches(pieces):
                    if not all(map(self._fed, streams(batch))):
                        return
            self._engine.end_feed(self._job, self.operator)
        except ClosedError:
            return
        except BaseException as error:
            self._fail(error)
        finally:
            self._ahead.close()

    def _next(self) -> list[Any] | None:
        """What has come, at least something; None at the end."""
        while True:
            pieces = self._ahead.take(WAIT_MS / 1000)
            if pieces or pieces is None:
                return pieces
            _, is_open = self._engine.feed(self._job, self.operator, b"", 0)
            if not is_open:
                raise ClosedError

    def _fed(self, stream: bytes) -> bool:
        """Brings it to the engine, and waits until there is room for more; whether more will be taken."""
        room, is_open = self._engine.feed(self._job, self.operator, stream, WAIT_MS)
        while is_open and not room:
            room, is_open = self._engine.feed(self._job, self.operator, b"", WAIT_MS)
        return is_open

    def _fail(self, error: BaseException) -> None:
        self.failure = error
        what = error.message if isinstance(error, DespinaError) else f"{type(error).__name__}: {error}"
        with contextlib.suppress(DespinaError):     # the engine is gone, or the job: whoever waits for the job is told
            self._engine.end_feed(self._job, self.operator, what[:REASON_CHARS])


class ClosedError(Exception):
    """The job takes no more rows."""


class Ahead:
    """What was taken from an iterable and has not been sent: at most so many rows, and one piece more."""

    def __init__(self, most: int = ROWS_AHEAD) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._pieces: deque[Any] = deque()
        self._rows = 0
        self._ended = False
        self._error: BaseException | None = None
        self._closed = False

    def put(self, piece: Any) -> bool:
        """Adds a piece when there is room; False if nobody takes any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._rows < self._most)
            if self._closed:
                return False
            self._pieces.append(piece)
            self._rows += len(piece) if hasattr(piece, "__len__") and not isinstance(piece, (Mapping, tuple)) else 1
            self._changed.notify_all()
            return True

    def end(self, error: BaseException | None = None) -> None:
        """Nothing follows; or this is raised when all before it was taken."""
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def take(self, timeout_s: float) -> list[Any] | None:
        """All that has come, as soon as something has, empty if nothing has within that time; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._pieces or self._ended, timeout_s)
            pieces = list(self._pieces)
            self._pieces.clear()
            self._rows = 0
            self._changed.notify_all()
            if pieces or not self._ended:
                return pieces
            if self._error is not None:
                raise self._error
            return None

    def close(self) -> None:
        """Nobody takes any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def streams(batch: pyarrow.RecordBatch) -> Iterator[bytes]:
    """The rows as Arrow IPC streams of bounded size, in order."""
    import pyarrow
    step = max(1, batch.num_rows * CHUNK_BYTES // max(1, batch.nbytes))
    for first in range(0, batch.num_rows, step):
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch.slice(first, step))
        yield sink.getvalue().to_pybytes()
