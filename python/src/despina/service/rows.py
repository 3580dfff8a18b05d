"""Rows out of a job and into it, over requests that may be sent again: nothing is lost or doubled when a connection breaks.

The engine hands rows over once. So what it has handed over is held here until the reader has said that it has it, by the place
that it asks from next; and what a writer sends has a number.
"""

from __future__ import annotations

import threading

from despina.engine import Engine
from despina.errors import RefusedError
from despina.service.store import ENDED

WAIT_MS = 1000
"""How long one request waits for room at most."""


class PlaceError(RefusedError):
    """Rows are asked for from a place where they are not, or come with a number that is not the next."""


def lost(sink: str, after: str) -> PlaceError:
    """That rows are gone with the engine that had them."""
    return PlaceError("rows", f"the coordinator was lost, and with it what rows of {sink} there were behind after={after!r}",
                      "run the job again; what a job with restart=resume collects is kept until it is taken")


class Reader:
    """The rows of one ``collect_sink`` in one start of a job. Thread-safe; readers that share it share the rows.

    A *place* is behind a row. Where the job keeps its state it is the engine's own, which holds over starts; else it counts what
    was handed over in this start.
    """

    def __init__(self, engine: Engine, job: str, sink: str, start: int) -> None:
        self._engine = engine
        self._job = job
        self._sink = sink
        self._start = start
        self._lock = threading.Lock()
        self._fetched = b""     # handed over by the engine; its place is not known yet
        self._chunk = b""
        self._before = ""       # the place in front of the chunk
        self._behind = ""
        self._columns = b""     # a table without rows
        self._rows = 0          # handed over by the engine
        self._chunks = 0
        self._kept = False      # by the engine, as it was said last
        self._ended = False     # the job, as it was said last
        self._drained = False   # nothing was left when it had ended
        self._told = -1         # of how many rows the engine was told
        self._counts: dict[str, int] = {}       # of kept rows, by the places from the last that the reader is done with

    def take(self, after: str, done: bool) -> tuple[bytes, str]:
        """The rows behind a place, as an Arrow IPC stream: some 16 MB at most, and nothing if there are none yet.

        :param after: empty for the first that no reader has said to have. The rows before it are not held any longer
        :param done: whether the reader is done with those, which then do not come again in a later start
        :return: the stream, and the place behind it
        :raise PlaceError: there is no such place
        """
        with self._lock:
            kept = self._is_kept()
            if kept is None:
                return b"", after
            self._go_to(after, kept)
            if done and kept:
                self._take_to(after)
            if not self._chunk:
                self._fetch(kept)
            if self._chunk:
                return self._chunk, self._behind
            return (b"" if after else self._columns), self._before or after

    def left(self, after: str) -> tuple[bytes, str]:
        """What :meth:`take` gives of a job that has ended and whose engine is gone: what is held here.

        :raise PlaceError: more was there, or it cannot be told that there was not, and it is lost with the engine
        """
        with self._lock:
            if self._kept or (self._drained and after in ("", self._before)):
                return b"", after
            if self._chunk and after in ("", self._before):
                return self._chunk, self._behind
            raise lost(self._sink, after)

    def done(self, place: str, how: str) -> None:
        """The reader is done with the rows up to a place.

        :param place: empty for none of them
        :param how: it goes on: ``waits``, ``takes`` or ``leaves``
        :raise PlaceError: there is no such place
        """
        with self._lock:
            if self._is_kept():
                if place and place not in (*self._counts, self._before):
                    self._go_to(place, kept=True)
                self._done_to(place, how)

    def _take_to(self, after: str) -> None:
        """The job does not end before this reader has said that it is done with the last row."""
        if self._counts.get(after, 0) > self._told:
            self._done_to(after, "takes")

    def _done_to(self, place: str, how: str) -> None:
        rows = self._counts.get(place, 0)
        self._engine.done(self._job, self._sink, rows, how)
        self._told = rows
        self._counts = {name: count for name, count in self._counts.items() if count >= rows}

    def _is_kept(self) -> bool | None:
        """Whether the engine keeps the rows until a reader is done with them; None while the job deploys."""
        status = self._engine.wait(self._job, 0)
        sinks = status.get("collected") or {}
        if self._sink not in sinks:
            if sinks or status["state"] not in ("deploying", "restarting"):
                raise RefusedError("sink", f"the job has no collect_sink {self._sink!r}", f"it has: {', '.join(sinks) or 'none'}")
            return None
        self._ended = status["state"] in ENDED
        self._kept = bool(sinks[self._sink].get("kept"))
        return self._kept

    def _go_to(self, after: str, kept: bool) -> None:
        if self._chunk and after == self._behind:
            self._chunk, self._before = b"", self._behind
        elif after and after != self._before:
            if not kept or self._rows:
                raise PlaceError("place", f"after={after!r} is not where the rows of {self._sink} are",
                                 "another reader has taken them, or the job has begun anew: leave it out for those that are left")
            self._engine.begin(self._job, self._sink, after)
            self._before = after
            self._counts[after] = 0

    def _fetch(self, kept: bool) -> None:
        if not self._fetched:
            self._hand_over()
        if self._fetched:
            # a call that fails leaves what was fetched, for the next request
            self._behind = self._engine.place(self._job, self._sink, self._rows) if kept else f"{self._start}:{self._chunks}"
            self._chunk, self._fetched = self._fetched, b""
            if kept:
                self._counts[self._behind] = self._rows

    def _hand_over(self) -> None:
        import pyarrow
        stream = self._engine.collected(self._job, self._sink)
        self._drained = self._ended
        if not stream:
            return
        table = pyarrow.ipc.open_stream(stream).read_all()
        if not self._columns:
            out = pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(out, table.schema):
                pass
            self._columns = out.getvalue().to_pybytes()
        if table.num_rows:
            self._drained = False
            self._rows += table.num_rows
            self._chunks += 1
            self._fetched = stream


class Writer:
    """The rows of one source that a program gives, in one start of a job. Thread-safe; one program writes."""

    def __init__(self, engine: Engine, job: str, source: str) -> None:
        self._engine = engine
        self._job = job
        self._source = source
        self._lock = threading.Lock()
        self._next = 0

    def give(self, rows: bytes, number: int, wait_ms: int) -> tuple[bool, bool]:
        """Takes rows, an Arrow IPC stream or nothing, then waits for room for more.

        :param number: of this stream, from 0 on; one that has come already is not taken again
        :return: whether there is room, and whether anything more will be taken
        :raise PlaceError: the number is not the next: the job has begun another start since, or another program writes
        """
        with self._lock:
            if rows and number != self._next and number != self._next - 1:
                raise PlaceError("number", f"number={number} for {self._source}, and the next is {self._next}",
                                 "the job was started again since, or another program gives rows: run the program again")
            new = rows if number == self._next else b""
            found = self._engine.feed(self._job, self._source, new, min(wait_ms, WAIT_MS))
            if new:
                self._next += 1
            return found

    def given(self, follow: bool, wait_ms: int) -> int:
        """How many rows are in, -1 if it is not known yet."""
        with self._lock:
            return self._engine.fed(self._job, self._source, follow, min(wait_ms, WAIT_MS))

    def end(self, failure: str) -> None:
        """Nothing follows; the job fails if there is a reason."""
        with self._lock:
            self._engine.end_feed(self._job, self._source, failure)
