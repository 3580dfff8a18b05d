"""How a run went: each series at every second of the last ten minutes, every ten of six hours, every minute of a week.

Three files of fixed size, which begin again at their start when they are full::

    NAME/RUN/history/1.ring  10.ring  60.ring
      header    one line of JSON, padded: {"layout", "step_s", "rows", "series"}
      rows      int64 milliseconds since 1970, 0 for none; then a float32 for each series, NaN where nothing is known

A row is written in one piece at the place that its time gives, so a death cuts one row at most, and a clock that was set back
writes over the old rows. A series more makes another file, with the rows of the one before, which takes its place. The files are
not forced to the disk: who loses power loses the last seconds of a plot.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakKeyDictionary

from despina.errors import RefusedError
from despina.service.log import Log
from despina.service.series import Counters, Look, Values, between, names, series_of
from despina.service.served import ServedJob
from despina.service.store import Record

LAYOUT = 1
STEPS: Mapping[int, int] = {1: 600, 10: 2160, 60: 10080}
"""Rows of each file, by the seconds between them."""
PERIODS = (10, 60)
"""Seconds of which one row is made."""
MOST_SERIES = 1000
"""Of a run. Those of the job come first, so a graph that has more lacks those of its last links: a file has 42 MB at most."""
MOST_HEAD_BYTES = 1 << 20
MOST_ASKED = 64
LEAST_S = 0.5
"""Between two looks: a clock that is being set may wake the recorder twice in a second."""
KNOWN_S = 3.0
"""For how long the last rates are told of a job whose status is not heard any more."""
_HEAD_BYTES = 8
_BLOCK_BYTES = 1 << 20
"""What is read at one time: a week of a large graph has 40 MB, and several may ask for it."""


class Ring:
    """One of the files. One thread writes; any reads."""

    def __init__(self, path: Path, step_s: int) -> None:
        self._path = path
        self._step_ms = step_s * 1000
        self._rows = STEPS[step_s]

    def write(self, series: Sequence[str], at_ms: int, values: Mapping[str, float]) -> None:
        """Writes a row; makes the file where there is none of these series. Rows of one with the first of them stay.

        :raise OSError: the disk is full, or the run was removed
        """
        head = _head({"layout": LAYOUT, "step_s": self._step_ms // 1000, "rows": self._rows, "series": list(series)})
        row = struct.pack(f"<q{_padded(len(series))}f", at_ms, *(values.get(name, math.nan) for name in series),
                          *([math.nan] * (_padded(len(series)) - len(series))))
        if not self._begins_with(head):
            self._make(head, list(series))
        with self._path.open("r+b", buffering=0) as file:
            os.pwrite(file.fileno(), row, len(head) + at_ms // self._step_ms % self._rows * len(row))

    def _begins_with(self, head: bytes) -> bool:
        try:
            with self._path.open("rb", buffering=0) as file:
                return os.pread(file.fileno(), len(head), 0) == head
        except FileNotFoundError:
            return False

    def _make(self, head: bytes, series: list[str]) -> None:
        partial = self._path.with_suffix(".partial")
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as made:
            made.write(head)
            with contextlib.suppress(FileNotFoundError), self._path.open("rb") as old:
                known = self._known(old)
                if known is not None and known == series[:len(known)]:
                    stride, more = _row_bytes(len(series)), b"\0\0\xc0\x7f" * (_padded(len(series)) - _padded(len(known)))
                    for number, row in _rows(old, _row_bytes(len(known))):
                        made.seek(len(head) + number * stride)
                        made.write(row + more)
        partial.replace(self._path)

    def read(self, series: Sequence[str], after_ms: int, until_ms: int) -> tuple[list[int], dict[str, list[float | None]]]:
        """The rows behind a time, in order, and the values of these series; None where nothing is known."""
        oldest = max(after_ms, until_ms - self._rows * self._step_ms)
        try:
            with self._path.open("rb") as file:
                known = self._known(file)
                if known is None:
                    return [], {name: [] for name in series}
                places = {name: known.index(name) for name in series if name in known}
                kept = sorted(((at, [told[place] for place in places.values()])
                               for at, told in _told(file, len(known)) if oldest < at <= until_ms), key=lambda each: each[0])
        except FileNotFoundError:
            return [], {name: [] for name in series}
        return [at for at, _ in kept], {
            name: [None if math.isnan(values[number]) else round(values[number], 6) for _, values in kept]
            for number, name in enumerate(places)}

    def series(self) -> list[str]:
        """What it has."""
        try:
            with self._path.open("rb") as file:
                return self._known(file) or []
        except FileNotFoundError:
            return []

    def _known(self, file: BinaryIO) -> list[str] | None:
        """The series of a file, whose rows come next; None if it is none of these."""
        size = int.from_bytes(file.read(_HEAD_BYTES), "little")
        try:
            found = json.loads(file.read(min(size, MOST_HEAD_BYTES)))
            wanted = {"layout": LAYOUT, "step_s": self._step_ms // 1000, "rows": self._rows}
            return list(found["series"]) if {name: found[name] for name in wanted} == wanted else None
        except (ValueError, KeyError, TypeError):
            return None


def _padded(series: int) -> int:
    return series + series % 2


def _row_bytes(series: int) -> int:
    return 8 + 4 * _padded(series)


def _head(content: Mapping[str, Any]) -> bytes:
    """Its size, and the line, padded so that rows begin at a multiple of eight."""
    line = json.dumps(content).encode() + b"\n"
    line += b" " * (-len(line) % 8)
    return len(line).to_bytes(_HEAD_BYTES, "little") + line


def _rows(file: BinaryIO, stride: int) -> Iterator[tuple[int, bytes]]:
    """The rows that were written, each with its place among all."""
    number = 0
    while block := file.read(stride * max(1, _BLOCK_BYTES // stride)):
        for begin in range(0, len(block) - stride + 1, stride):
            row = block[begin:begin + stride]
            if any(row[:8]):
                yield number, row
            number += 1


def _told(file: BinaryIO, series: int) -> Iterator[tuple[int, memoryview[float]]]:
    """The time of each row, and its values."""
    for _, row in _rows(file, _row_bytes(series)):
        yield int.from_bytes(row[:8], "little"), memoryview(row)[8:].cast("f")


class Period:
    """What has come since the last row of a file."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, int]] = {}
        self._worst: Values = {}

    def add(self, values: Values) -> None:
        """The values of one second."""
        for name, value in values.items():
            if series_of(name).worst:
                self._worst[name] = max(value, self._worst.get(name, value))
            else:
                total, count = self._sums.get(name, (0.0, 0))
                self._sums[name] = total + value, count + 1

    def values(self) -> Values:
        """Those of the period so far."""
        return {**{name: total / count for name, (total, count) in self._sums.items()}, **self._worst}


@dataclass
class _Course:
    """What is remembered of a job that runs."""

    look: Look
    series: list[str] = field(default_factory=list)
    values: Values = field(default_factory=dict)
    periods: dict[int, tuple[int, Period]] = field(default_factory=dict)

    def know(self, status: Counters) -> None:
        """What the files have stays in its order; what is new, as a process that joins, is added."""
        if len(self.series) < MOST_SERIES:
            known = set(self.series)
            self.series = [*self.series, *(name for name in names(status) if name not in known)][:MOST_SERIES]

    def recorded(self) -> Values:
        """The values of the last second that the files have a place for."""
        return {name: self.values[name] for name in self.series if name in self.values}


class Recorder:
    """Looks at every job that runs, once a second, and writes what it finds. A service without such jobs costs nothing."""

    def __init__(self, running: Callable[[], Iterable[ServedJob]], clock: Callable[[], float] = time.monotonic,
                 wall: Callable[[], float] = time.time) -> None:
        """:param running: the jobs that may run"""
        self._running = running
        self._clock = clock
        self._wall = wall
        self._lock = threading.Lock()
        self._courses: dict[ServedJob, _Course] = {}        # guarded by the lock
        self._left: WeakKeyDictionary[ServedJob, dict[int, tuple[int, Period]]] = WeakKeyDictionary()   # of the recorder's thread
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="despina-history", daemon=True)

    def begin(self) -> None:
        """Starts its thread."""
        self._thread.start()

    def close(self) -> None:
        """Ends it."""
        self._closed.set()
        if self._thread.ident is not None:
            self._thread.join(5.0)
        with self._lock:
            left = dict(self._courses)
            self._courses = {}
        for job, course in left.items():
            self._leave(job, course)

    def _keep(self) -> None:
        while not self._closed.wait(1.0 - self._wall() % 1.0):
            try:
                self.look()
            except Exception:       # a fault of one look must not be the end of all plots
                traceback.print_exc()

    def look(self) -> None:
        """Looks at all jobs that run, and forgets those that do not."""
        found = {job: self._one(job) for job in self._running() if job.engine_job() is not None}
        with self._lock:
            gone = {job: course for job, course in self._courses.items() if found.get(job) is None}
            self._courses = {job: course for job, course in found.items() if course is not None}
        for job, course in gone.items():
            self._leave(job, course)

    def values(self, job: ServedJob) -> Values:
        """Those of a job's last second; nothing if it does not run."""
        with self._lock:
            course = self._courses.get(job)
            return {} if course is None else course.values

    def _one(self, job: ServedJob) -> _Course | None:
        with self._lock:
            course = self._courses.get(job)
        if course is not None and self._clock() - course.look.clock_s < LEAST_S:
            return course
        status = job.status(0.0)        # one that another has asked for is older, and its rates would be wrong by that
        if status is None:
            return None
        look = Look(self._wall(), self._clock(), status)
        if course is None:
            folder = job.run.folder / "history"
            return _Course(look, Ring(folder / "1.ring", 1).series(), periods=self._left.pop(job, {}) or _cut_off(folder))
        if look.status is not course.look.status:
            values = between(course.look, look)
            course.know(status)
            course.look, course.values = look, values
            with contextlib.suppress(OSError):      # a plot with a gap, for a full disk, is no reason to end anything
                self._write(job.run.folder / "history", course)
        elif look.clock_s - course.look.clock_s > KNOWN_S:
            course.values = {}
        return course

    def _write(self, folder: Path, course: _Course) -> None:
        if not course.values or not folder.parent.exists():
            return
        folder.mkdir(mode=0o700, exist_ok=True)
        at_ms, values = int(course.look.at_s * 1000), course.recorded()
        Ring(folder / "1.ring", 1).write(course.series, at_ms, values)
        for step_s in PERIODS:
            number = at_ms // (step_s * 1000)
            since, period = course.periods.setdefault(step_s, (number, Period()))
            if since != number:
                self._write_period(folder, course, step_s)
                period = Period()
                course.periods[step_s] = number, period
            period.add(values)

    def _write_period(self, folder: Path, course: _Course, step_s: int) -> None:
        """A row, whose time is the end of the period that it is of."""
        since, period = course.periods[step_s]
        Ring(folder / f"{step_s}.ring", step_s).write(course.series, (since + 1) * step_s * 1000, period.values())

    def _leave(self, job: ServedJob, course: _Course) -> None:
        """The job does not run any more. What its last periods have is written; a later start within them goes on with them."""
        folder = job.run.folder / "history"
        if not folder.exists():
            return
        with contextlib.suppress(OSError):
            for step_s in course.periods:
                self._write_period(folder, course, step_s)
        if course.periods:
            self._left[job] = course.periods


def _cut_off(folder: Path) -> dict[int, tuple[int, Period]]:
    """The last periods of a run that was recorded by a service before this one, which may have been killed: their seconds."""
    ring = Ring(folder / "1.ring", 1)
    series = ring.series()
    try:
        written_ms = int((folder / "1.ring").stat().st_mtime * 1000)
    except FileNotFoundError:
        return {}
    times, values = ring.read(series, written_ms - 60_000, written_ms + 1000)
    periods = {}
    for step_s in PERIODS if times else ():
        number, period = times[-1] // (step_s * 1000), Period()
        for row, at_ms in enumerate(times):
            if at_ms // (step_s * 1000) == number:
                period.add({name: value for name in series if (value := values[name][row]) is not None})
        periods[step_s] = number, period
    return periods


def read(job: ServedJob, step_s: int, asked: Sequence[str], after_ms: int, until_ms: int
         ) -> tuple[list[int], dict[str, list[float | None]]]:
    """The history of a run.

    :param asked: names of series; those of the job itself if there is none
    :raise RefusedError: it has no such series
    """
    ring = Ring(job.run.folder / "history" / f"{step_s}.ring", step_s)
    known = ring.series() or Ring(job.run.folder / "history" / "1.ring", 1).series()
    wanted = list(asked) or [name for name in known if name.startswith("job/")]
    if len(wanted) > MOST_ASKED:
        raise RefusedError("series", f"{len(wanted)} series are asked for, and {MOST_ASKED} are the most",
                           "ask again for the rest")
    missing = [name for name in wanted if known and name not in known]
    if missing:
        raise RefusedError("series", f"series={missing[0]!r} is none of this run", "one of: " + ", ".join(known[:12]) + ", …")
    return ring.read(wanted, after_ms, until_ms)


@dataclass(frozen=True)
class Told:
    """Something that has happened.

    :ivar what: ``start``, ``stop``, ``control``, ``save``, ``remove``, or the state that a job has come to
    :ivar about: of what it is, as ``job`` and ``run``, and ``who`` asked for it; empty for what came by itself
    """

    at_ns: int
    level: str
    what: str
    text: str
    about: Mapping[str, Any]


class Events:
    """Who had what done or saved, and what became of jobs: ``events.N.jsonl`` in the service's folder."""

    def __init__(self, folder: Path) -> None:
        self.log = Log(folder, "events")
        self.listener: Callable[[Told], None] = lambda event: None
        """Told of each, by the thread to which it happens: it must not wait."""

    def add(self, what: str, record: Record, text: str, who: str = "") -> None:
        """Writes one. A disk that is full must not end a job.

        :param what: ``start``, ``stop``, ``control``, ``remove``, or the state that a job has come to
        :param record: the job's, as it is then
        :param who: the name of the token; empty for what came by itself
        """
        self.told(what, text, who, job=record.name, run=record.run)

    def told(self, what: str, text: str, who: str, **about: Any) -> None:
        """Writes one that is of no job.

        :param about: what it is of
        """
        level = "error" if what in ("failed", "lost") else "warning" if what in ("restarting", "incomplete") else "info"
        with contextlib.suppress(OSError):
            self.log.add(level, "service", text, what=what, who=who, **about)
        self.listener(Told(time.time_ns(), level, what, text, {**about, "who": who}))
