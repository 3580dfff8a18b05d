"""A running job: its counters while it runs, its end, its report, and the rows it collected."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from despina import leftovers, notebook
from despina.engine import Engine, error_of
from despina.errors import DespinaError, Diagnostic, JobError, RefusedError
from despina.interrupts import deferred
from despina.rates import Rates
from despina.rows import Rows

if TYPE_CHECKING:
    from despina.inputs import Feeder

State = Literal["deploying", "running", "draining", "done", "failed", "stopped", "incomplete"]
StopMode = Literal["drain", "flush", "now"]
ENDED = frozenset({"done", "failed", "stopped", "incomplete"})
WAIT_SLICE_MS = 500
"""How long one call to the coordinator waits: what Ctrl-C may have to wait for under JPype."""
SAMPLE_BYTES = 1 << 16
"""How much of a sink's rows is kept where not all are."""


@dataclass(frozen=True)
class Status:
    """How a job stands.

    Counters only grow, but at the end of ``warm_up_s``; ``elapsed_s`` is of the job's clock, so rates come from two of these.
    Of a job that has ended: ``undelivered`` packets were in flight and dropped, and ``left_behind`` are files with rows that file
    sinks did not commit, by this job or an earlier one at the same place. Of a job that is deploying:
    ``awaited`` are the resources that have not joined, each with the command that starts it on its machine. ``skipped`` has, for
    each operator that skips bad records, the first one and what is wrong with it.
    """

    state: State
    elapsed_s: float = 0.0
    first_packet_s: float | None = None
    operators: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    resources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    collected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    undelivered: int = 0
    left_behind: tuple[str, ...] = ()
    awaited: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state in ENDED

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Status:
        """Reads what ``Gateway.status`` answers."""
        return cls(found["state"], float(found.get("elapsed_s") or 0.0), found.get("first_packet_s"),
                   found.get("operators") or {}, found.get("links") or {}, found.get("resources") or {},
                   found.get("collected") or {}, found.get("error"), int(found.get("undelivered") or 0),
                   tuple(found.get("left_behind") or ()), found.get("awaited") or {},
                   found.get("skipped") or {})

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {max(counters.get('packets_in', 0), counters.get('packets_out', 0)):,}"
                           for name, counters in self.operators.items())
        return f"Status({self.state}, {self.elapsed_s:.1f} s{'; ' if counts else ''}{counts})"


class Job:
    """A job on the engine. As a context manager it is stopped when the block is left, at once if by an exception. A
    failure that nothing has raised yet is raised there.

    The engine holds at most 64 MB of rows for each ``collect_sink`` and then pauses the job. :meth:`wait`, :meth:`poll` and
    :meth:`rows` take them over and keep them, without ``keep_rows`` only the first ones; :meth:`batches` and :meth:`take` hand
    them over and keep none, so they are what a job without end is read with.

    Waited for in a notebook, it shows its operators' counters and rates below the cell.
    """

    def __init__(self, engine: Engine, identifier: str, name: str, warnings: tuple[Diagnostic, ...] = (),
                 keep_rows: bool = True, feeders: Sequence[Feeder] = (), pipes: frozenset[str] = frozenset()) -> None:
        self._engine = engine
        self.id = identifier
        self.name = name
        self.warnings = warnings
        self.pipes = pipes
        self._keep_rows = keep_rows
        self._feeders = tuple(feeders)
        self._rates = Rates()
        self._streams: dict[str, list[bytes]] = {}
        self._columns: dict[str, Rows] = {}     # no rows of each sink that was taken from
        self._pump_lock = threading.Lock()
        self._failure_told = False

    @property
    def counters(self) -> Status:
        """The counters now; those of a resource that does not answer within a second as they were."""
        status = Status.from_dict(self._engine.status(self.id))
        self._rates.add(status)
        return status

    def poll(self, timeout_s: float = 0.0) -> Status:
        """Its status as soon as it ended or that time has passed; takes over collected rows and prints console lines."""
        status = self._await(timeout_s)
        if not status.ended:
            with deferred():
                status = self.counters
                if status.ended:    # just now
                    self._pump(status)
        return status

    def _await(self, timeout_s: float = 0.0) -> Status:
        """The same, with counters that may be old: to ask for them costs a busy machine more than packets like."""
        deadline = time.monotonic() + timeout_s
        while True:
            left_ms = max(0, round((deadline - time.monotonic()) * 1000))
            with deferred():
                status = Status.from_dict(self._engine.wait(self.id, min(left_ms, WAIT_SLICE_MS)))
                self._pump(status)
            if status.ended or left_ms <= WAIT_SLICE_MS:
                return status

    def wait(self, timeout_s: float | None = None, watch: Callable[[Status], None] | None = None) -> Status:
        """Waits for the end, or for that time.

        Ctrl-C drains the job and then raises KeyboardInterrupt, whose cause is the job's error if it failed; a second Ctrl-C ends
        it at once.

        :param watch: is given each status on the way, some two a second, the last one included

        :raise JobError: the job failed; an :class:`IncompleteError` if it was to drain and its time did not suffice
        """
        deadline = math.inf if timeout_s is None else time.monotonic() + timeout_s
        interrupts = 0
        watch = watch or notebook.watch(self.name)
        while True:
            try:
                left_s = max(0.0, deadline - time.monotonic())
                look = self.poll if watch is not None or left_s <= WAIT_SLICE_MS / 1000 else self._await
                status = look(min(left_s, WAIT_SLICE_MS / 1000))
                if watch is not None:
                    watch(status)
                if status.ended:
                    break
                if time.monotonic() >= deadline:
                    return status
            except KeyboardInterrupt:
                interrupts += 1
                deadline = math.inf     # its end is what is waited for now
                self.stop("drain" if interrupts == 1 else "now")
        failure = self._failure(status)
        if interrupts:
            raise KeyboardInterrupt from failure
        if failure is not None:
            raise failure
        return status

    def _failure(self, status: Status) -> DespinaError | None:
        """Why it failed, for whoever raises it; None if it has not."""
        if status.state not in ("failed", "incomplete"):
            return None
        self._failure_told = True
        failure = error_of(status.error or {"rule": "job", "message": f"the job {self.name} failed"}, JobError)
        hints = [failure.hint]
        for cause in (feeder.failure for feeder in self._feeders if feeder.failure is not None):
            if failure.rule == "input":
                failure.__cause__ = cause
                hints.append(getattr(cause, "hint", ""))
        if status.left_behind:
            hints.append(leftovers.told(status.left_behind))
        failure.hint = "; ".join(filter(None, hints))
        return failure

    def stop(self, mode: StopMode = "drain") -> None:
        """Asks it to end; :meth:`wait` sees the end.

        :param mode: ``drain`` works off what is in flight, ``flush`` also fires open windows, ``now`` drops it. Sinks commit what
            has come to them.
        """
        if mode not in ("drain", "flush", "now"):
            raise RefusedError("stop_mode", f"unknown way to stop: {mode!r}", "drain, flush or now")
        self._engine.stop(self.id, mode)

    def report(self) -> dict[str, Any]:
        """The report of ``despina run --report``; of a running job as it stands.

        ``latency_ms`` takes the age of a frame's oldest packet for all of the frame's packets. A ``discard_sink`` that verifies
        has ``packet_latency_ms`` too: each packet's, by its own due time.
        """
        return self._engine.report(self.id)

    def set_schedule(self, operator: str, schedule: Mapping[str, Any]) -> None:
        """Gives an operator another ``schedule`` while it runs, as the graph writes it."""
        self._engine.set_schedule(self.id, operator, schedule)

    def rows(self, sink: str | None = None) -> Rows:
        """Waits for the end; all the rows that a ``collect_sink`` got and :meth:`take` has not handed over.

        :param sink: its id; may be left out where there is one
        """
        self.wait()
        name = self._sink(sink)
        return self._joined(name, self._streams[name])

    def take(self, sink: str | None = None) -> Rows:
        """The rows since the last take, without waiting; they are given once, and :meth:`rows` gives them no more. Where Ctrl-C
        comes in between, the next take gives them. No rows do not mean that none follow: :meth:`batches` knows the end.

        :raise JobError: the job failed, and has given all its rows
        """
        return self._take(sink)[0]

    def batches(self, sink: str | None = None, timeout_s: float | None = None) -> Iterator[Rows]:
        """The rows as they come, as :meth:`take` gives them, until the job has ended and all of them were given.

        >>> for rows in job.batches():                              # doctest: +SKIP
        ...     model.predict(rows.to_pandas())

        Whoever leaves the loop leaves the job running: what it goes on to collect is for the next loop, or :meth:`take`, or
        :meth:`rows`.

        :param sink: the id of a ``collect_sink``; may be left out where there is one
        :param timeout_s: where no row has come for so long, a batch without rows is given, so that the loop may look around
        :raise JobError: the job failed; raised when all that it collected has been given
        """
        while True:
            deadline = math.inf if timeout_s is None else time.monotonic() + timeout_s
            while True:
                rows, ended = self._take(sink)
                left_s = deadline - time.monotonic()
                if len(rows) or ended or left_s <= 0:
                    break
                self._await_rows(self._sink(sink), left_s)
            if ended and not len(rows):
                return
            yield rows

    def _await_rows(self, sink: str, left_s: float) -> None:
        """Until that sink has rows, the job has ended, or the time is up; Ctrl-C comes through soon."""
        with deferred():
            self._engine.await_rows(self.id, sink, max(1, round(min(left_s * 1000, WAIT_SLICE_MS))))

    def _take(self, sink: str | None) -> tuple[Rows, bool]:
        """The rows since the last take, and whether none follow."""
        streams: list[bytes] = []
        try:
            with deferred():
                status = self._await()
                name = self._sink(sink)
                with self._pump_lock:
                    streams, self._streams[name] = self._streams[name], []
                    rows = self._joined(name, streams)
                    self._columns[name] = rows.none()
                if not len(rows) and (failure := self._failure(status)) is not None:
                    raise failure
                return rows, status.ended
        except BaseException:
            if streams:     # of an interrupt: nobody has got them
                with self._pump_lock:
                    self._streams[name][:0] = streams
            raise

    def _joined(self, sink: str, streams: Sequence[bytes]) -> Rows:
        return Rows.from_streams(streams) if streams else self._columns[sink]

    def _sink(self, name: str | None) -> str:
        sinks = sorted(self._streams)
        if name is None and len(sinks) == 1:
            return sinks[0]
        if name not in self._streams:
            what = "no sink is given" if name is None else f"no collect_sink {name!r}"
            raise RefusedError("sink", f"{what} in {self.name}",
                               f"its collect sinks: {', '.join(sinks)}" if sinks else "it has no collect_sink with rows yet")
        return name

    def _pump(self, status: Status) -> None:
        deadline = time.monotonic() + WAIT_SLICE_MS / 1000
        with self._pump_lock:
            for sink in status.collected:
                streams = self._streams.setdefault(sink, [])
                while stream := self._engine.collected(self.id, sink):
                    if self._keep_rows or sum(map(len, streams)) < SAMPLE_BYTES:
                        streams.append(stream)
                    if not status.ended and time.monotonic() > deadline:
                        break       # a source without end fills it as fast as we take
            if lines := self._engine.console(self.id):
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            status = self._await()  # takes over what an end that nobody watched has left
            if not status.ended:
                self.stop("drain" if kind is None else "now")
                while not (status := self._await(WAIT_SLICE_MS / 1000)).ended:
                    pass
        except (KeyboardInterrupt, SystemExit):
            self.stop("now")
            raise
        if kind is None and not self._failure_told and (failure := self._failure(status)) is not None:
            raise failure

    def __repr__(self) -> str:
        status = self.counters
        return f"Job({self.name!r}, {status.state}, {status.elapsed_s:.1f} s)"

    def _repr_html_(self) -> str:
        status = self.counters
        return notebook.page(self.name, status, self._rates)
