"""Functions of one process in a row: each is called with what the one before it has given, and all answers go back together."""

from __future__ import annotations

import json
import mmap
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

import pyarrow as pa

from despina_worker.frames import Connection, Frame, Kind
from despina_worker.functions import PART_BYTES, Function, Result, Spec

MARK = "\x1f"
"""Before and behind the place of a function in the row, at the beginning of a line that it has printed."""
LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""With their ends, as the engine reads them: Python's own ends are more."""


class Behind(NamedTuple):
    """A function behind another, the most rows and bytes that it is called with, and what it has counted while it was opened."""

    function: Function
    rows: int
    size: int
    counts: dict[str, int]


Opening = Callable[[], tuple[Sequence[Behind], str | None]]
"""Opens functions, in order, up to one that cannot be, and says why not; None if all are open."""


class _Made(NamedTuple):
    """What a function made of so many rows that the one before it had given, and what those behind it made of that."""

    rows: int
    result: Result
    counts: dict[str, int]
    worked_ns: int
    behind: list[_Made]


Columns = Mapping[str, pa.Array]


class Row:
    """The functions of a process. ``leading``: what is said of the first; ``opening``: opens the others. ``place``: a
    file of one byte, which says at any time which of them is called.
    """

    def __init__(self, connection: Connection, leading: Spec, opening: Opening | None = None, place: str | None = None
                 ) -> None:
        self._connection = connection
        self._leading = leading
        self._opening = opening
        self._file = place
        self._behind: Sequence[Behind] = ()
        self._counts: list[dict[str, int]] = [{}]
        """Of each function, the first too, what it has counted and not told."""
        self._place: _Place | None = None
        self._crossed = pa.schema([])
        self._batch: pa.RecordBatch | None = None
        """The one that has come, with all columns that have crossed; None for timers."""
        self._alone = False

    def opened(self, function: Any, methods: Sequence[str] = ()) -> None:
        """Opens the others when the first, ``function``, is open, and tells which columns cross: those of the first, and what
        others read of the same packets.
        """
        own = self._leading.counters.take()
        self._behind, lacking = self._opening() if self._opening is not None else ((), None)
        self._counts = [own, *(dict(each.counts) for each in self._behind)]
        self._place = _Place(self._file) if self._behind else None
        names = list(function.columns)
        stays = self._leading.adds
        for each in self._behind:
            if stays:
                names += [name for name in each.function.columns if name in self._leading.inputs.names and name not in names]
            stays = stays and each.function.spec.adds
        self._crossed = pa.schema([self._leading.inputs.field(name) for name in names])
        said: dict[str, Any] = {"columns": names, "methods": [*methods]}
        if self._opening is not None:
            said |= {"behind": len(self._behind), "lacking": lacking}
        self._connection.send(Kind.OPENED, 0, json.dumps(said).encode())

    def receive(self) -> Frame | None:
        """The next frame for the first function."""
        frame = self._connection.receive()
        if frame is not None and frame.kind == Kind.ALONE:
            self._alone = True
            frame = self._connection.receive()
        return frame

    def read(self, function: Any, payload: pa.Buffer) -> pa.RecordBatch:
        """A batch of the first function that has come."""
        if not self._behind:
            return pa.ipc.read_record_batch(payload, function.input_schema)
        self._batch = pa.ipc.read_record_batch(payload, self._crossed)
        return _given(dict(zip(self._crossed.names, self._batch.columns, strict=True)), self._batch.num_rows, function)

    def answer(self, number: int, result: Result, before: Callable[[], None] | None = None) -> None:
        """Calls the others with what the first has made of the batch of that number, and sends all answers.

        :param before: sends what stands before the answer of the first
        """
        counts = self._counted(0, self._leading)
        made: list[_Made] = []
        if self._behind and not self._alone and result.batch.num_rows:
            batch = self._batch
            kept = {} if batch is None else dict(zip(batch.schema.names, batch.columns, strict=True))
            made = self._made(0, _kept(kept, result), result.batch, self._leading.adds)
        self._batch, self._alone = None, False
        worked_ns = self._connection.worked_ns()
        for each in made:
            self._send(number, each)
        if before is not None:
            before()
        answer(self._connection, number, result, counts, worked_ns)

    def _counted(self, at: int, spec: Spec) -> dict[str, int]:
        """What the function at that place has counted: the one that was called last."""
        counts = spec.counters.take()
        if self._counts[at]:
            opened, self._counts[at] = self._counts[at], {}
            counts = {name: counts.get(name, 0) + opened.get(name, 0) for name in {**opened, **counts}}
        return counts

    def _made(self, at: int, before: Columns, batch: pa.RecordBatch, adds: bool) -> list[_Made]:
        """What the function at that place behind the first, and those behind it, make of a batch.

        ``before``: the columns of its packets, which have the same rows if it ``adds``.
        """
        rows = batch.num_rows
        if at == len(self._behind) or rows == 0:
            return []
        one = self._behind[at]
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        if adds:
            columns = {**before, **columns}
        size = batch.nbytes
        step = min(one.rows, rows if size <= one.size else max(1, rows * one.size // size))
        made = []
        for first in range(0, rows, step):
            count = min(step, rows - first)
            part = columns if count == rows else {name: each.slice(first, count) for name, each in columns.items()}
            made.append(self._one(at, part, count))
        return made

    def _one(self, at: int, columns: Columns, rows: int) -> _Made:
        one = self._behind[at].function
        if self._place is not None:
            self._place.at(at + 1)
        began = time.perf_counter_ns()
        try:
            result = one.call(_given(columns, rows, one))
        finally:
            if self._place is not None:
                self._place.at(0)
        worked = time.perf_counter_ns() - began
        return _Made(rows, result, self._counted(at + 1, one.spec), worked,
                     self._made(at + 1, _kept(columns, result), result.batch, one.spec.adds))

    def _send(self, number: int, made: _Made) -> None:
        """Before the answer that it is made of."""
        self._connection.queue(Kind.AHEAD, number, made.rows.to_bytes(4, "little"))
        for each in made.behind:
            self._send(number, each)
        answer(self._connection, number, made.result, made.counts, made.worked_ns, waits=True)

    def close(self) -> None:
        """There are no more rows."""
        for each in self._behind:
            each.function.close()


def _kept(columns: Columns, result: Result) -> Columns:
    """The columns of the packets for which there is a row."""
    if not result.errors:
        return columns
    records = result.records or [None] * len(result.errors)
    gone = {row for (row, _), record in zip(result.errors, records, strict=True) if record is None}
    rows = max((len(each) for each in columns.values()), default=0)
    kept = pa.array([k for k in range(rows) if k not in gone], pa.int64())
    return {name: each.take(kept) for name, each in columns.items()}


def _given(columns: Columns, rows: int, function: Any) -> pa.RecordBatch:
    """The columns that a function reads; without any it has its rows all the same."""
    if not function.columns:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
    return pa.RecordBatch.from_arrays([columns[name] for name in function.columns], schema=function.input_schema)


def answer(connection: Connection, number: int, result: Result, counts: dict[str, int], worked_ns: int, waits: bool = False
           ) -> None:
    """Sends the rows, in parts if they are many, after what was counted and the reasons of those that are none.

    :param waits: the end of it may wait for what is sent next
    """
    if counts:
        connection.queue(Kind.COUNTED, number, json.dumps(counts).encode())
    if result.errors:
        errors = [(*error, record) for error, record in zip(result.errors, result.records, strict=True)] if result.records \
            else result.errors
        connection.queue(Kind.ERRORS, number, json.dumps(errors).encode())
    batch = result.batch
    rows = batch.num_rows
    step = rows if batch.nbytes <= PART_BYTES else max(1, rows * PART_BYTES // batch.nbytes)
    at = 0
    while rows - at > step:
        connection.send(Kind.PART, number, memoryview(batch.slice(at, step).serialize()))
        at += step
    last = memoryview(batch.slice(at).serialize() if at else batch.serialize())
    (connection.queue if waits else connection.send)(Kind.ANSWER, number, last, worked_ns)


class _Place:
    """Says which function is called: to what it prints, and in a file that the engine reads when it has not answered in time."""

    def __init__(self, file: str | None) -> None:
        self._printing = _Printing.begin()
        self._byte: mmap.mmap | None = None
        if file is not None:
            with open(file, "r+b") as opened:  # noqa: PTH123 (a path as text will do)
                self._byte = mmap.mmap(opened.fileno(), 1)

    def at(self, place: int) -> None:
        """The function at that place in the row is called; the first is at 0."""
        self._printing.at(place)
        if self._byte is not None:
            self._byte[0] = place


class _Printing:
    """Takes the place of standard output and error, and marks what functions behind the first print."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._mark = ""
        self._begins = True

    @classmethod
    def begin(cls) -> _Printing:
        """Both are one: the engine reads them as one."""
        if not isinstance(sys.stdout, cls):
            sys.stdout = sys.stderr = cls(sys.stdout)
        return sys.stdout

    def at(self, place: int) -> None:
        """The function at that place in the row is called; the first is at 0."""
        self._mark = f"{MARK}{place}{MARK}" if place else ""

    def write(self, text: str) -> int:
        """As of a file."""
        if self._mark and text:
            lines = LINES.findall(text)
            self._text.write("".join((self._mark if k or self._begins else "") + line for k, line in enumerate(lines)))
        else:
            self._text.write(text)
        self._begins = text.endswith(("\n", "\r")) if text else self._begins
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """All else is that of the file."""
        return getattr(self._text, name)


Serving = Callable[[Connection, Spec, Any, Row], int]
"""Runs one function, and what stands behind it, until the engine leaves."""
