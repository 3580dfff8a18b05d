"""A user's source: the thread that makes its rows gathers them, and another sends what is wanted."""

from __future__ import annotations

import inspect
import json
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from despina_worker import forms, life
from despina_worker.behind import Row
from despina_worker.context import Context, takes_one
from despina_worker.errors import WRONG, RefusedError, ValueRefusedError, described
from despina_worker.frames import Connection, Frame, Kind
from despina_worker.functions import Spec, opened
from despina_worker.values import Columns, row_of, types
from despina_worker.waiting import each_of, waited

MOST_ROWS = 4_096
MOST_BYTES = 1 << 20
"""Of a batch."""
MOST_CHUNKS = 2
"""So many wait until they are wanted."""
MOST_POSITION = 60_000
LONGEST_RECORD = 1_000
PLAIN = (int, str, float, bool, type(None))


@dataclass(slots=True)
class Chunk:
    """What goes together: rows, or a batch. ``errors``: what is no row, each as why and what. ``position``: that behind it, as
    the user gave it; ``marked`` if there is one. ``counts``: what the function has counted until then.
    """

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    batch: pa.RecordBatch | None = None
    errors: list[tuple[str, str]] = field(default_factory=list)
    position: Any = None
    marked: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    def is_full(self) -> bool:
        """Whether no row joins it."""
        return self.batch is not None or len(self.rows) + len(self.errors) >= MOST_ROWS

    def made(self, schema: pa.Schema) -> tuple[pa.RecordBatch, list[tuple[str, str]]]:
        """The rows as a batch, and what is no row."""
        if self.batch is not None:
            return self.batch, self.errors
        lists = list(zip(*self.rows, strict=True)) if self.rows else [() for _ in schema]
        arrays, bad = Columns(list(schema)).arrays(lists)
        errors = [*self.errors, *((why, shown(self.rows[k])) for k, why in bad.items())]
        return pa.RecordBatch.from_arrays(arrays, schema=schema), errors


def shown(value: Any) -> str:
    """A row in a message."""
    text = repr(value)
    return text if len(text) <= LONGEST_RECORD else text[:LONGEST_RECORD] + "…"


class Reader:
    """Makes chunks of what a source yields."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._names = spec.outputs.names
        self._one = len(self._names) == 1
        kind = spec.outputs.field(0).type if self._one else None
        self._nested = kind is not None and (types.is_struct(kind) or types.is_map(kind) or types.is_list(kind))

    def chunks(self, value: Any) -> Iterator[Chunk]:
        """Of a row one, of a batch as many as it needs."""
        if type(value) is tuple and len(value) == len(self._names) and not self._nested:    # what most sources yield
            return iter((Chunk([value]),))
        return self._chunks(value)

    def _chunks(self, value: Any) -> Iterator[Chunk]:
        form = _form(value)
        try:
            if form is None:
                yield Chunk([self._row(value)])
                return
            made = form.batches(_columns(value), self._spec.outputs)
        except (ValueRefusedError, pa.ArrowException) as error:
            yield Chunk(errors=[(f"`{self._spec.function}` yielded {type(value).__name__}: {error}", shown(value))])
            return
        for batch in made:
            rows = max(1, min(MOST_ROWS, batch.num_rows * MOST_BYTES // max(1, batch.nbytes)))
            yield from (Chunk(batch=batch.slice(at, rows)) for at in range(0, batch.num_rows, rows))

    def _row(self, value: Any) -> tuple[Any, ...]:
        if self._one and (self._nested or not isinstance(value, (dict, tuple, list))):
            return (value,)
        if not isinstance(value, (dict, tuple, list)) and all(hasattr(value, name) for name in self._names):
            return tuple(getattr(value, name) for name in self._names)
        return tuple(row_of(value, self._names))


def _form(value: Any) -> forms.Form | None:
    """The form of a batch; None of a row."""
    if isinstance(value, (pa.RecordBatch, pa.Table)):
        return forms.Arrow()
    module = type(value).__module__.partition(".")[0]
    if module in ("pandas", "polars") and type(value).__name__ == "DataFrame":
        return forms.FORMS[module]()
    if module == "numpy" and getattr(getattr(value, "dtype", None), "names", None):
        return forms.Numpy()
    if isinstance(value, Mapping) and value:
        if all(isinstance(each, (pa.Array, pa.ChunkedArray)) for each in value.values()):
            return forms.Arrow()
        if all(type(each).__module__.partition(".")[0] == "numpy" and getattr(each, "ndim", 0) == 1 for each in value.values()):
            return forms.Numpy()
    return None


def _columns(value: Any) -> Any:
    """An array of numpy's with named fields as a dict of arrays; others as they are."""
    names = getattr(getattr(value, "dtype", None), "names", None)
    return {name: value[name] for name in names} if names and not hasattr(value, "columns") else value


class Source:
    """One source, open."""

    def __init__(self, spec: Spec, found: Any) -> None:
        """``found``: what ``spec.function`` names.

        :raise RefusedError: it cannot be opened
        """
        self._spec = spec
        self._context = Context.of(spec.options, spec.place, spec.counters)
        self._user: Any = self._opened(found) if isinstance(found, type) else None
        self._function = found if self._user is None else getattr(self._user, "rows", None) or self._user.__iter__
        self.has_position = hasattr(self._user, "position")
        self.methods = ["position"] if self.has_position else []
        self.counters = spec.counters

    def _opened(self, made: type) -> Any:
        if not hasattr(made, "rows") and not hasattr(made, "__iter__"):
            raise RefusedError(f"class `{self._spec.function}` has neither `rows` nor `__iter__`")
        if hasattr(made, "position") != hasattr(made, "seek"):
            raise RefusedError(f"class `{self._spec.function}` has one of `position` and `seek`: a source that goes on has both")
        return opened(self._spec, made)

    def seek(self, position: Any) -> None:
        """It goes on behind that position."""
        waited(self._user.seek)(position)

    def position(self) -> Any:
        """Where it is: asked behind each row or batch, before the next is made."""
        at = self._user.position()
        return at if isinstance(at, PLAIN) else json.loads(written(at))

    def values(self) -> Iterable[Any]:
        """What it yields."""
        made = self._function(self._context) if takes_one(self._function) else self._function()
        if inspect.iscoroutine(made):
            async def awaited() -> Any:
                return await made
            made = waited(awaited)()
        if isinstance(made, AsyncIterator):
            return each_of(made)
        if not isinstance(made, Iterable):
            raise RefusedError(f"it returned {type(made).__name__}, and must give an iterator of rows")
        return made

    def close(self) -> None:
        """It is wanted no more."""
        if hasattr(self._user, "close"):
            waited(self._user.close)()


def written(position: Any) -> str:
    """A position as JSON.

    :raise RefusedError: it is none, or too long
    """
    try:
        text = json.dumps(position)
    except (TypeError, ValueError) as error:
        raise RefusedError(f"its position {shown(position)} is no JSON: {error}") from error
    if len(text) > MOST_POSITION:
        raise RefusedError(f"its position has {len(text):,} characters as JSON; {MOST_POSITION:,} are the most")
    return text


class Gathered:
    """Chunks between the thread that makes them, which waits while there are enough, and the one that sends them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._chunks: deque[Chunk] = deque()
        self._ended = False

    def add(self, chunk: Chunk) -> None:
        """Rows join those that wait, and then have one position."""
        with self._changed:
            last = self._chunks[-1] if self._chunks else None
            if last is not None and chunk.batch is None and not last.is_full():
                last.rows += chunk.rows
                last.errors += chunk.errors
                last.position, last.marked = chunk.position, chunk.marked
                for name, count in chunk.counts.items():
                    last.counts[name] = last.counts.get(name, 0) + count
                return
            while len(self._chunks) >= MOST_CHUNKS:
                self._changed.wait()
            self._chunks.append(chunk)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing is added any more."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self) -> Chunk | None:
        """The next, as soon as there is one; None at the end."""
        with self._changed:
            while not self._chunks and not self._ended:
                self._changed.wait()
            self._changed.notify_all()
            return self._chunks.popleft() if self._chunks else None


class Sending:
    """Sends a chunk for each that is wanted, in a thread of its own, and at last why there is none."""

    def __init__(self, connection: Connection, spec: Spec, gathered: Gathered) -> None:
        self._connection = connection
        self._schema = spec.outputs
        self._name = spec.function
        self._gathered = gathered
        self.failed: str | None = None
        self.counts: dict[str, int] = {}
        """What was counted behind the last chunk."""
        self._thread = threading.Thread(target=self._run, name="despina-sends", daemon=True)

    def start(self, first: Frame) -> None:
        """``first``: the frame that wants the first batch."""
        self._first: Frame | None = first
        self._thread.start()

    def join(self) -> None:
        """Waits until all is sent."""
        self._thread.join()

    def _run(self) -> None:
        frame = self._first
        try:
            while frame is not None and (chunk := self._gathered.take()) is not None:
                self._send(frame.number, chunk)
                frame = self._connection.receive()
        except OSError:
            return      # the engine has left
        except Exception as error:      # or the engine would wait for ever
            self.failed = f"`{self._name}`: {described(error)}"
        if frame is not None:
            self._connection.count(0, self.counts)
            self._connection.send(Kind.ENDED, 0, json.dumps({"why": self.failed}).encode())

    def _send(self, number: int, chunk: Chunk) -> None:
        batch, errors = chunk.made(self._schema)
        self._connection.count(number, chunk.counts)
        if errors:
            self._connection.send(Kind.ERRORS, number, json.dumps([[0, *error] for error in errors]).encode())
        if chunk.marked:
            self._connection.send(Kind.POSITION, number, written(chunk.position).encode())
        self._connection.send(Kind.ANSWER, number, memoryview(batch.serialize()))


def serve(connection: Connection, spec: Spec, found: Any, _row: Row) -> int:
    """Runs one source until it ends, or the engine leaves."""
    source = Source(spec, found)
    connection.send(Kind.OPENED, 0, json.dumps({"columns": [], "methods": source.methods}).encode())
    frame = connection.receive()
    if frame is not None and frame.kind == Kind.SEEK:
        connection.send(Kind.SETTLED, 0, json.dumps({"why": _sought(source, spec, frame)}).encode())
        frame = connection.receive()
    if frame is not None:
        gathered = Gathered()
        sending = Sending(connection, spec, gathered)
        sending.start(frame)
        try:
            with life.interrupted():
                gather(source, Reader(spec), gathered.add)
        except life.LeftError:
            return _closed(source)
        except WRONG as error:
            sending.failed = f"`{spec.function}`: {described(error)}"
        sending.counts = spec.counters.take()
        gathered.end()
        sending.join()
    _closed(source)
    with suppress(OSError):
        while connection.receive() is not None:     # it may still want batches, and would take a closed socket for a fault
            pass
    return 0


def _sought(source: Source, spec: Spec, frame: Frame) -> str | None:
    try:
        source.seek(json.loads(frame.payload.to_pybytes()))
    except WRONG as error:
        return f"`seek` of `{spec.function}`: {described(error)}"
    return None


def gather(source: Source, reader: Reader, add: Callable[[Chunk], None]) -> None:
    """Makes chunks of all that it yields. The last of a batch has the position behind it."""
    for value in source.values():
        before: Chunk | None = None
        for chunk in reader.chunks(value):
            if before is not None:
                add(before)
            before = chunk
        if before is None:
            continue
        if source.has_position:
            before.position, before.marked = source.position(), True
        before.counts = source.counters.take()
        add(before)


def _closed(source: Source) -> int:
    try:
        source.close()
    except WRONG as error:
        print(f"`close`: {described(error)}", file=sys.stderr)
    return 0
