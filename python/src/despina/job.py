"""A running job: its counters while it runs, its end, its report, and the rows it collected."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from despina import leftovers, notebook
from despina.engine import Engine, Told, error_of
from despina.errors import DespinaError, Diagnostic, JobError, Place, RefusedError, StartError
from despina.interrupts import deferred
from despina.options import StopMode
from despina.rates import Rates
from despina.rows import Rows

if TYPE_CHECKING:
    from despina.backends.split.part import SparkPart
    from despina.inputs import Feeder
    from despina.job_view import JobView

State = Literal["deploying", "running", "draining", "restarting", "done", "failed", "stopped", "incomplete"]
ENDED = frozenset({"done", "failed", "stopped", "incomplete"})
Taker = Literal["waits", "takes", "leaves"]
"""How a program goes on with the rows of a sink; see ``Gateway.done``."""
WAIT_SLICE_MS = 500
"""How long one call to the coordinator waits: what Ctrl-C may have to wait for under JPype."""
SAMPLE_BYTES = 1 << 16
"""How much of a sink's rows is kept where not all are."""


@dataclass(frozen=True)
class Status:
    """How a job stands.

    Counters grow, and are reset only at the end of ``warm_up_s``. ``elapsed_s`` is of the job's clock: two statuses give a
    rate. When the job has ended, ``undelivered`` is the number of packets that were dropped in flight, and ``held`` that of
    packets whose rows had not left their operators when it was stopped: in open windows, or waiting for a watermark.
    ``operators`` says the same of each, and has in its ``counters`` what a Python function counts itself. ``left_behind``
    lists the files with rows that file sinks did not commit, in this job or an earlier one at the same place. While the job
    deploys, ``phase`` says what it waits for, and ``awaited`` has each resource that has not joined, and the command that
    starts it on its machine. ``skipped`` has, for each operator that skips bad records, the first one and its error. A job
    that keeps its state goes on by itself after a loss, as its next ``attempt``: it is ``restarting`` until that runs.
    ``restarts`` counts them, and ``last_restart`` has why the last one came and what its time went to; ``spares`` is how many
    processes stand by for the next loss. ``epoch`` is of such a job, and empty for others: the number of its last
    ``complete`` epoch, its ``age_s``, how long that took from its beginning until it was kept (``took_ms``) and its
    ``bytes``; how many were ``dropped``, how many ``dropped_in_row``, and ``why``, or what epochs wait for; whether the state
    is ``stale``; the epoch that it was ``restored_from``, 0 for none.
    """

    state: State
    elapsed_s: float = 0.0
    first_packet_s: float | None = None
    operators: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    resources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    collected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    undelivered: int = 0
    held: int = 0
    left_behind: tuple[str, ...] = ()
    awaited: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    phase: str = ""
    attempt: int = 1
    restarts: int = 0
    last_restart: Mapping[str, Any] | None = None
    epoch: Mapping[str, Any] = field(default_factory=dict)
    spares: int = 0

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state in ENDED

    @property
    def standing(self) -> str:
        """Its state, and what it waits for while it deploys; why, if it restarts."""
        if self.state == "restarting" and self.last_restart is not None:
            why = str(self.last_restart["why"]["message"]).partition("\n")[0]
            return f"restarting, {self.phase + ', ' if self.phase else ''}because {why}"
        return f"{self.state}: {self.phase}" if self.phase else self.state

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Status:
        """Reads what ``Gateway.status`` answers."""
        return cls(found["state"], float(found.get("elapsed_s") or 0.0), found.get("first_packet_s"),
                   found.get("operators") or {}, found.get("links") or {}, found.get("resources") or {},
                   found.get("collected") or {}, found.get("error"), int(found.get("undelivered") or 0),
                   int(found.get("held") or 0), tuple(found.get("left_behind") or ()), found.get("awaited") or {},
                   found.get("skipped") or {}, str(found.get("phase") or ""), int(found.get("attempt") or 1),
                   int(found.get("restarts") or 0), found.get("last_restart"), found.get("epoch") or {},
                   int(found.get("spares") or 0))

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {max(counters.get('packets_in', 0), counters.get('packets_out', 0)):,}"
                           for name, counters in self.operators.items())
        return f"Status({self.standing}, {self.elapsed_s:.1f} s{'; ' if counts else ''}{counts})"


@dataclass(frozen=True)
class Savepoint:
    """A savepoint that was written: where, of which epoch, and how many bytes its files have."""

    folder: str
    epoch: int
    bytes: int


class Job:
    """A job on the engine. As a context manager it stops when the block ends, and at once if an exception ends the block. It then
    raises its failure, unless another call has raised it.

    The engine holds at most 64 MB of rows for each ``collect_sink`` and then pauses the job. With a ``state`` folder of this
    machine it holds 1 GiB on disk for each instance that the program has not fetched. :meth:`wait`, :meth:`poll` and
    :meth:`rows` fetch the rows and keep them; without ``keep_rows`` they keep only the first ones. :meth:`batches` and
    :meth:`take` hand out the rows and keep none: read a job without end with these.

    In a notebook, :meth:`wait` shows the operators' counters and rates below the cell, and :meth:`view` the live graph.

    :ivar ended_at_once: whether a second Ctrl-C has ended it
    :ivar part: the part of the graph that Spark runs, and that ends with the job; None if the engine runs all
    :ivar lines: where the user wrote what a JSON pointer means, if that is not where the engine's text has it
    """

    part: SparkPart | None = None
    lines: Callable[[str], Place] | None = None
    ended_at_once: bool = False

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
        self._kept: set[str] = set()            # sinks whose rows the engine keeps until it hears that they are not wanted again
        self._given: dict[str, int] = {}        # rows that take has handed out
        self._takers: dict[str, Taker] = {}
        self._pump_lock = threading.Lock()
        self._failure_told = False
        self.form: Callable[[], Mapping[str, Any] | None] = lambda: None
        """What :meth:`view` draws: the texts of the ``graph`` and its ``deployment``, and the ``plan``; None if not known."""

    @property
    def counters(self) -> Status:
        """The counters now. A resource that does not answer within a second contributes its last ones."""
        status = Status.from_dict(self._engine.status(self.id))
        self._rates.add(status)
        return status

    @property
    def attempt(self) -> int:
        """The number of its latest start: it grows when the job goes on after a loss."""
        return self._seen().attempt

    @property
    def restarts(self) -> int:
        """How often this call's job went on after a loss."""
        return self._seen().restarts

    def _seen(self) -> Status:
        return Status.from_dict(self._engine.wait(self.id, 0))

    def poll(self, timeout_s: float = 0.0) -> Status:
        """The status when the job has ended or the time has passed. Fetches collected rows and prints console lines."""
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

    def wait(self, timeout_s: float | None = None, watch: Callable[[Status], None] | None = None,
             interrupted: Callable[[], None] | None = None) -> Status:
        """Waits until the job ends, at most ``timeout_s``.

        Ctrl-C stops the job as its ``on_stop`` says, and then raises KeyboardInterrupt, whose cause is the job's error if it
        failed. A second Ctrl-C ends the job at once.

        :param watch: called with each status, about twice a second, and with the last one
        :param interrupted: called once the job has been asked to stop by a first Ctrl-C

        :raise JobError: the job failed; an :class:`IncompleteError` if it could not drain in its time
        """
        deadline = math.inf if timeout_s is None else time.monotonic() + timeout_s
        interrupts = 0
        begun = False
        while True:
            try:
                if not begun:
                    self._done_with_all("waits")
                    watch = watch or notebook.watch(self.name)
                    begun = True
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
                self.ended_at_once = interrupts > 1
                self.stop("now" if self.ended_at_once else None)
                if interrupted is not None and interrupts == 1:
                    interrupted()
        self._join_part()
        failure = self._failure(status)
        if interrupts:
            raise KeyboardInterrupt from failure
        if failure is not None:
            raise failure
        return status

    def _failure(self, status: Status) -> DespinaError | None:
        """Why it failed, for whoever raises it; None if it has not."""
        if status.state not in ("failed", "incomplete"):
            failed = None if self.part is None else self.part.failure
            self._failure_told = self._failure_told or failed is not None
            return failed
        self._failure_told = True
        failure = error_of(status.error or {"rule": "job", "message": f"the job {self.name} failed"}, JobError)
        if self.lines is not None and failure.place is not None and failure.operator:
            failure.place = self.lines(f"/operators/{failure.operator}")
        hints = [failure.hint]
        for cause in (feeder.failure for feeder in self._feeders if feeder.failure is not None):
            if failure.rule == "input":
                failure.__cause__ = cause
                hints.append(getattr(cause, "hint", ""))
        if status.left_behind:
            hints.append(leftovers.told(status.left_behind))
        failure.hint = "; ".join(filter(None, hints))
        return failure

    def savepoint(self, folder: str | Path) -> Savepoint:
        """Writes a savepoint, which has all that a graph needs to go on from there: ``graph.run(state=…, from_=folder)``. The job
        goes on.

        :param folder: one that is empty or not there, or an address of a file system that Hadoop knows
        :raise RefusedError: the job keeps no state, another savepoint of it is being written, or this one cannot be
        """
        self._engine.savepoint(self.id, str(folder), "")
        return self._written()

    def _written(self) -> Savepoint:
        while not (found := self._engine.await_savepoint(self.id, WAIT_SLICE_MS))["done"]:
            self._await()       # a job that ends with it lasts until its rows are fetched
        return Savepoint(str(found["folder"]), int(found["epoch"]), int(found["bytes"]))

    def stop(self, mode: StopMode | None = None, *, flush: bool = False, savepoint: str | Path | None = None) -> None:
        """Asks the job to end; :meth:`wait` waits for the end. Sinks commit what they have.

        :param mode: ``drain`` processes the packets in flight. ``flush`` ends the job as the end of the input does: open windows
            fire too, and what waits for a watermark leaves. ``now`` drops all of them. As the run's ``on_stop`` says if not given
        :param flush: the same as the mode ``flush``
        :param savepoint: the folder of a savepoint of its end, which is written when the call returns. The job drains
        """
        if flush and mode not in (None, "flush"):
            raise RefusedError("stop_mode", f"stop({mode!r}, flush=True) says two things", "one of them")
        mode = "flush" if flush else mode
        if mode not in (None, "drain", "flush", "now"):
            raise RefusedError("stop_mode", f"unknown way to stop: {mode!r}", "drain, flush or now")
        if mode == "flush" and self.part is not None and self.part.keeps_state:
            from despina.backends.split import checkpoints
            checkpoints.refuse_flush()
        if savepoint is not None:       # a refusal leaves all of the job running
            self._engine.savepoint(self.id, str(savepoint), mode or "usual")
        if self.part is not None:
            self.part.stop()
        if savepoint is None:
            self._engine.stop(self.id, mode or "")
        else:
            self._written()

    def _join_part(self) -> None:
        if self.part is not None:
            self.part.join()

    def end_input(self, operator: str) -> None:
        """Nothing more is written to that ``spark_source``: it sends what has been committed, and its stream ends.

        :raise JobError: the job has no such source
        """
        self._engine.end_feed(self.id, operator)

    def fed(self, operator: str) -> int:
        """How many of the rows that ``inputs`` gives to that source are in. Where the job keeps its state in a folder of this
        machine they are in for ever: a program that is run again need not give them again.

        :raise JobError: the job has no such source
        """
        while True:
            with deferred():
                rows = self._engine.fed(self.id, operator, False, WAIT_SLICE_MS)
            if rows >= 0 or self._seen().ended:
                return max(0, rows)

    @property
    def address(self) -> dict[str, Any]:
        """What a job file says, from which programs of other processes find the job: host, port, the job's id, and the secret or
        where it is. The coordinator listens there from the first look on.
        """
        return self._engine.address(self.id)

    @contextmanager
    def file(self, path: str | Path) -> Iterator[Path]:
        """A job file, :attr:`address` as JSON, for its owner's eyes only, until the block ends."""
        target, partial = Path(path), Path(f"{path}.partial")
        text = json.dumps(self.address, indent=2) + "\n"
        try:
            partial.unlink(missing_ok=True)
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
                out.write(text)
            partial.replace(target)
        except OSError as error:
            raise RefusedError("job_file", f"the job file cannot be written: {error.strerror}",
                               place=Place(str(target))) from None
        try:
            yield target
        finally:
            with suppress(OSError):
                if target.read_text(encoding="utf-8") == text:      # else it is another job's
                    target.unlink()

    def report(self) -> dict[str, Any]:
        """The report of ``despina run --report``; a running job reports its counters so far.

        ``latency_ms`` counts every packet of a frame with the age of the oldest one. A ``discard_sink`` that verifies also has
        ``packet_latency_ms``, measured from each packet's own due time. Where Spark runs a part, ``on_spark`` has the rows of
        its sinks, of batches, and ``restarts_on_spark`` how often the query of each was started again, of streams with a state.
        """
        found = self._engine.report(self.id)
        return found if self.part is None else {**found, **self.part.report()}

    def view(self) -> JobView:
        """The job in a notebook, as the page of a service shows it: its live graph, rates, and plots of the last ten minutes. It
        follows the job until that ends.

        :raise StartError: anywidget is not installed
        """
        try:
            from despina.job_view import JobView
        except ImportError as error:
            raise StartError("package_missing", f"{error.name} is not installed", "pip install 'despina[notebook]'") from None
        return JobView(self)

    def control(self, command: str, operator: str | None = None, argument: str | Mapping[str, Any] = "") -> tuple[Told, ...]:
        """Tells operators what to do while the job runs; returns when all of their instances have answered.

        :param command: ``hold`` and ``go`` (sources), ``flush``, ``fire`` (windows), ``reload`` (tables of files, and
            Python functions), ``set_schedule``, ``status`` (see :attr:`despina.engine.Told.status`), ``sync``, ``tail``
        :param operator: its id; without one all that know the command. The mark of ``sync`` passes through all
        :param argument: ``"close"`` for ``fire``; a schedule for ``set_schedule``, as the graph writes it
        :return: what each instance says
        :raise RefusedError: nothing was done: there is no such command or operator, or it does not know the command
        """
        given = argument if isinstance(argument, str) else json.dumps(argument)
        return self._engine.control(self.id, command, operator or "", given)

    def reload(self, operator: str | None = None) -> tuple[Told, ...]:
        """Has Python functions, and tables of files, read anew while the job runs.

        New processes open a function, and take over between two batches when those of all instances have. If one cannot, the
        function stays as it was, and ``ok`` of the answers is false; ``answer`` says why.

        :param operator: its id; without one all that can
        :return: what each instance says
        :raise RefusedError: nothing was done: there is no such operator, or it reads nothing
        """
        return self.control("reload", operator)

    def move(self, operator: str, *to: str | Mapping[int, int]) -> tuple[Told, ...]:
        """Lets an operator go on in other resources, or buckets of its keys in other instances.

        ``job.move("per_device", "right")`` names resources of the deployment: the job begins its next attempt, in which they host
        the operator's instances in turn; docs/deployment.md. ``job.move("per_device", {7: 2})`` says which bucket goes to which
        instance: the job goes on meanwhile; docs/control.md.

        :return: what becomes of each instance. Resources: before the next attempt begins; buckets: when they have moved
        :raise RefusedError: nothing was done: there is no such operator, resource, bucket or instance, or it cannot go there
        """
        buckets = {str(bucket): instance for each in to if not isinstance(each, str) for bucket, instance in each.items()}
        resources = " ".join(each for each in to if isinstance(each, str))
        return self.control("move", operator, buckets or resources)

    def set_schedule(self, operator: str, schedule: Mapping[str, Any]) -> None:
        """Gives an operator another ``schedule`` while it runs, as the graph writes it."""
        self.control("set_schedule", operator, schedule)

    def rows(self, sink: str | None = None) -> Rows:
        """Waits for the end and gives all rows of a ``collect_sink`` that :meth:`take` has not handed out.

        :param sink: the sink's id; optional if the graph has one ``collect_sink``
        """
        self.wait()
        name = self._sink(sink)
        return self._joined(name, self._streams[name])

    def take(self, sink: str | None = None) -> Rows:
        """The rows since the last take, without waiting. Each row is handed out once, and :meth:`rows` does not give it again. If
        Ctrl-C interrupts a take, the next one gives its rows. An empty take does not mean that the job has ended:
        :meth:`batches` ends with the job.

        In a job with a ``state`` folder of this machine, a take says that the program is done with the rows of the one before,
        and the job lasts until it is done with the last. If the program dies before it says so, the next run with that state
        gives them again; see :meth:`place`.

        :raise JobError: the job failed and has handed out all its rows
        """
        return self._take(sink)[0]

    def place(self, sink: str | None = None) -> str:
        """Where the rows end that :meth:`take` and :meth:`batches` have handed out, for ``batches(after=…)`` of a later run. A
        program that writes it together with what it made of the rows has each row once, whatever is killed.

        :param sink: the sink's id; optional if the graph has one ``collect_sink``
        :raise RefusedError: the job has no ``state`` folder of this machine, or gives rows before their epoch is complete
        """
        name = self._sink(sink, self._seen().collected)
        return self._engine.place(self.id, name, self._given.get(name, 0))

    def batches(self, sink: str | None = None, timeout_s: float | None = None, after: str | None = None) -> Iterator[Rows]:
        """The rows as they come, like :meth:`take`, until the job has ended and has handed out all of them.

        >>> for rows in job.batches():                              # doctest: +SKIP
        ...     model.predict(rows.to_pandas())

        Leaving the loop does not stop the job. The next loop, :meth:`take` or :meth:`rows` gives the rows that it collects from
        then on.

        :param sink: the sink's id; optional if the graph has one ``collect_sink``
        :param timeout_s: after this time without a row, the loop gets a batch without rows
        :param after: a :meth:`place` of an earlier run with the same ``state``: the rows that follow it
        :raise JobError: the job failed; raised after all rows that it collected
        :raise RefusedError: the place is not of this state, rows behind it are gone, or rows have been fetched before
        """
        if after is not None:
            with deferred():
                self._engine.begin(self.id, self._sink(sink, self._seen().collected), after)
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
        given = 0
        try:
            with deferred():
                status = self._await()
                name = self._sink(sink)
                self._done_with(name, "takes")
                with self._pump_lock:
                    streams, self._streams[name] = self._streams[name], []
                    rows = self._joined(name, streams)
                    self._columns[name] = rows.none()
                    given = len(rows)
                    self._given[name] = self._given.get(name, 0) + given
                if not len(rows) and (failure := self._failure(status)) is not None:
                    raise failure
                return rows, status.ended
        except BaseException:
            if streams:     # of an interrupt: nobody has got them
                with self._pump_lock:
                    self._streams[name][:0] = streams
                    self._given[name] = self._given.get(name, 0) - given
            raise

    def _done_with(self, sink: str, how: Taker) -> None:
        """The program is done with the rows of a sink that were handed out, if the engine keeps them until it hears that."""
        if sink in self._kept:
            self._engine.done(self.id, sink, self._given.get(sink, 0), how)
            self._takers[sink] = how

    def _done_with_all(self, how: Taker) -> None:
        """The same of all sinks that the program takes batches of, and does so no longer."""
        with deferred():
            for sink in [name for name, before in self._takers.items() if before == "takes"]:
                self._done_with(sink, how)

    def _joined(self, sink: str, streams: Sequence[bytes]) -> Rows:
        return Rows.from_streams(streams) if streams else self._columns[sink]

    def _sink(self, name: str | None, known: Iterable[str] | None = None) -> str:
        sinks = sorted(self._streams if known is None else known)
        if name is None and len(sinks) == 1:
            return sinks[0]
        if name is None or name not in sinks:
            what = "no sink is given" if name is None else f"no collect_sink {name!r}"
            raise RefusedError("sink", f"{what} in {self.name}",
                               f"its collect sinks: {', '.join(sinks)}" if sinks else "it has no collect_sink with rows yet")
        return name

    def _pump(self, status: Status) -> None:
        deadline = time.monotonic() + WAIT_SLICE_MS / 1000
        with self._pump_lock:
            for sink, counts in status.collected.items():
                streams = self._streams.setdefault(sink, [])
                if counts.get("kept"):
                    self._kept.add(sink)
                while stream := self._engine.collected(self.id, sink):
                    if self._keep_rows or sum(map(len, streams)) < SAMPLE_BYTES:
                        streams.append(stream)
                    if not self._keep_rows and counts.get("kept"):
                        self._engine.done(self.id, sink, -1, "waits")
                    if not status.ended and time.monotonic() > deadline:
                        break       # a source without end fills it as fast as we take
            if lines := self._engine.printed(self.id)[0]:
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            status = self._await()  # takes over what an end that nobody watched has left
            if not status.ended:
                if kind is None:
                    self._leave()
                self.stop(None if kind is None else "now")
                while not (status := self._await(WAIT_SLICE_MS / 1000)).ended:
                    pass
            self._join_part()
        except (KeyboardInterrupt, SystemExit):
            self.stop("now")
            raise
        if kind is None and not self._failure_told and (failure := self._failure(status)) is not None:
            raise failure

    def _leave(self) -> None:
        """What a program that takes batches has not taken is for the next run of the job."""
        leaves = [name for name, how in self._takers.items() if how == "takes"]
        self._done_with_all("leaves")
        with self._pump_lock:
            for sink in leaves:
                self._streams[sink].clear()

    def __repr__(self) -> str:
        status = self.counters
        return f"Job({self.name!r}, {status.state}, {status.elapsed_s:.1f} s)"

    def _repr_html_(self) -> str:
        status = self.counters
        return notebook.page(self.name, status, self._rates)
