"""A job that the service owns: one thread starts it, watches it, starts it again after a loss, and writes down what it is."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from despina import function_texts
from despina.backoff import Backoff
from despina.engine import Engine, Told
from despina.errors import DespinaError, GraphError, JobError, RefusedError, StartError
from despina.options import StopMode
from despina.service.again import LOST_RULES, Again, lost_with
from despina.service.bad import BadRecords
from despina.service.coordinator import Coordinator
from despina.service.log import Log
from despina.service.rows import Reader, Writer, lost
from despina.service.store import ENDED, Real, Record, Run
from despina.service.submission import going_on

WAIT_SLICE_MS = 250
"""How long one call to the engine waits for the end: how late a stop is passed on at most."""
STATUS_S = 0.25
"""How old a status may be that several viewers share."""
STOPPED_BY_SERVICE = "the service ended"


Happened = Callable[[str, Record, str, str], None]
"""What happened, to which job as it is then, in words, and the name of the token that asked for it; empty if none did."""
UNTOLD: frozenset[Real] = frozenset({"submitted", "deploying"})
"""States that say no more than the start before them."""


@dataclass
class Stop:
    """A wish to end a job."""

    mode: StopMode
    until: float
    by_service: bool = False
    told: StopMode | None = None
    """What the engine was told last."""
    why: str = ""
    """In words, where it is not a user's."""
    savepoint: str = ""
    """The folder of one of its end; empty for none."""


class ServedJob:
    """One run. Methods are of any thread; what is written to its folder is written under its lock."""

    def __init__(self, run: Run, coordinator: Coordinator, words: Callable[[Run], dict[str, Any]],
                 clock: Callable[[], float] = time.monotonic, happened: Happened = lambda what, record, text, who: None) -> None:
        """:param words: the options of its run, in the gateway's words
        :param happened: told of what is asked of it, and of what becomes of it, in order
        """
        self._happened = happened
        self.run = run
        self.log = Log(run.folder, "log")
        self.errors = Log(run.folder, "errors")
        self.bad = BadRecords(run.folder)
        self._coordinator = coordinator
        self._words = words
        self._clock = clock
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None
        # the rest is guarded by the condition
        self._engine: Engine | None = None
        self._id = ""
        self._before: tuple[Engine, str] | None = None      # of a start that has ended: its last rows are still there
        self._readers: dict[str, Reader] = {}
        self._writers: dict[str, Writer] = {}
        self._stop: Stop | None = None
        self._status: dict[str, Any] | None = None
        self._status_at = -1.0
        self._closing = False
        self._from_start = False
        self._restarts = 0      # of this start, of its thread
        self.refused: str | None = None
        """Why the engine does not end it with a savepoint, after :meth:`drain`."""

    @property
    def record(self) -> Record:
        """As it was written last."""
        return self.run.record

    @property
    def active(self) -> bool:
        """Whether its thread runs."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def engine_job(self) -> tuple[Engine, str] | None:
        """The engine and the id that it has there; None while it does not run."""
        with self._changed:
            return (self._engine, self._id) if self._engine is not None and self._id else None

    def reader(self, sink: str) -> Reader | None:
        """Of the rows of a ``collect_sink``, also of a job that has ended since the coordinator was started; None if it does not
        run.
        """
        with self._changed:
            there = self.engine_job() or self._before
            if there is None or not there[0].alive():
                return None
            if sink not in self._readers:
                self._readers[sink] = Reader(*there, sink, self.record.starts)
            return self._readers[sink]

    def left(self, sink: str, after: str) -> tuple[bytes, str]:
        """The rows behind a place where :meth:`reader` gives none: nothing, but for a job that has ended with rows to take.

        :raise PlaceError: there were some, and they are lost with the coordinator
        """
        with self._changed:
            reader, status = self._readers.get(sink), self._status or {}
        if not self.record.ended:
            return b"", after
        if reader is not None:
            return reader.left(after)
        if self._status is None and self.record.starts and self.record.restart != "resume":
            raise lost(sink, after)     # it ended in an earlier life of the service, and nobody knows how far it was read
        collected = (status.get("collected") or {}).get(sink) or {}
        if collected.get("waiting_bytes") and not collected.get("kept"):
            raise lost(sink, after)
        return b"", after

    def writer(self, source: str) -> Writer | None:
        """For the rows of a source that programs give; None if the job does not run."""
        with self._changed:
            there = self.engine_job()
            if there is None:
                return None
            if source not in self._writers:
                self._writers[source] = Writer(*there, source)
            return self._writers[source]

    def begin(self, why: str, from_start: bool = False, who: str = "") -> None:
        """Starts it, and returns at once.

        :param why: for the log
        :param who: asked for it
        :raise OSError: that it is wanted could not be written: nothing has changed
        """
        with self._changed:
            ended, self._thread = self._thread, None
        if ended is not None:
            ended.join()        # its record says that it has ended, and nothing else is left for it to do
        with self._changed:
            self._change("submitted", "", wanted="running", by_service=False, error=None)
            self._stop, self._closing, self._from_start = None, False, from_start
            self._thread = threading.Thread(target=self._keep, name=f"despina-job-{self.record.name}", daemon=True)
            self.tell("info", f"{why}, run {self.record.run}")
            self._happened("start", self.record, f"{why}, from the beginning" if from_start else why, who)
            self._thread.start()

    def stop(self, mode: StopMode, limit_s: float, by_service: bool = False, who: str = "") -> None:
        """Has it stopped, and returns at once.

        :param limit_s: what it has not worked off by then is dropped
        :param who: asked for it
        :raise OSError: that it is wanted stopped could not be written: it runs on
        """
        with self._changed:
            if not by_service and self.record.wanted != "stopped":
                self._write(self.record.with_changes(wanted="stopped"))
            if self._stop is None or mode == "now" or (self._stop.by_service and not by_service):
                self._stop = Stop(mode, self._clock() + limit_s, by_service and (self._stop is None or self._stop.by_service),
                                  why=STOPPED_BY_SERVICE if by_service else "")
            text = f"stop: {mode}, within {limit_s:g} s" + (f", because {STOPPED_BY_SERVICE}" if by_service else "")
            self.tell("info", text)
            self._happened("stop", self.record, text, who)
            self._changed.notify_all()

    def drain(self, limit_s: float, why: str, savepoint: str) -> None:
        """Has it end for an upgrade: it stays wanted running. Returns at once.

        :param savepoint: the folder of one of its end; empty for none
        """
        with self._changed:
            self.refused = None
            if self._stop is None:
                self._stop = Stop("drain", self._clock() + limit_s, True, why=why, savepoint=savepoint)
            self.tell("info", f"stop: drain, within {limit_s:g} s, because {why}")
            self._changed.notify_all()

    def cut(self, why: str) -> None:
        """Has it end at once, for another run that takes its place: it stays wanted running. A stop that a user asked for goes
        before. Returns at once.
        """
        with self._changed:
            if self._stop is None:
                self._stop = Stop("now", self._clock(), True, why=why)
            self.tell("info", f"stop: now, because {why}")
            self._changed.notify_all()

    def until(self, reached: Callable[[], bool], timeout_s: float) -> bool:
        """Waits, within limits, until something is true of it; whether it is, or the service ends."""
        with self._changed:
            self._changed.wait_for(lambda: reached() or self._closing, timeout_s)
            return reached()

    def step(self, phase: str) -> None:
        """Its upgrade has come to that.

        :raise OSError: it could not be written, and is the one that must be, ``starts``: nothing has changed
        """
        with self._changed:
            record = self.record.with_changes(upgrade={**(self.record.upgrade or {}), "phase": phase})
            if phase == "starts":
                self.run.write(record)
            else:
                self.run.keep(record)

    def withdraw(self, why: str) -> None:
        """It does not take over from the run before, and has not begun."""
        with self._changed:
            self.run.keep(self.record.with_changes(upgrade={**(self.record.upgrade or {}), "phase": "withdrawn"}, real="failed",
                                                   reason=why, changed_at_ms=time.time_ns() // 1_000_000))
            self.tell("error", f"failed: {why}")
            self._happened("failed", self.record, f"failed: {why}", "")
            self._changed.notify_all()

    def leave(self, why: str) -> None:
        """Another run has taken over from it, as that one's record says."""
        with self._changed:
            real = self.record.real if self.record.ended else "stopped"
            self.run.keep(self.record.with_changes(wanted="stopped", by_service=False, real=real, reason=why))

    def control(self, command: str, operator: str, argument: str, who: str = "") -> tuple[Told, ...] | None:
        """Tells its operators what to do; returns when they have answered. None if it does not run.

        :param who: asked for it
        :raise RefusedError: nothing was done: there is no such command or operator, or it does not know the command
        """
        with self._changed:
            engine, identifier = self._engine, self._id
        if self.record.ended or engine is None or not identifier:
            return None
        told = engine.control(identifier, command, operator, argument)
        text = (f"{command}{f' {operator}' if operator else ''}: "
                f"{'done' if all(one.ok for one in told) else 'not done by all'}")
        self.tell("info", text)
        self._happened("control", self.record, text, who)
        return told

    def join(self, timeout_s: float) -> bool:
        """Waits for the end of its thread; whether it has ended."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return not self.active

    def lose(self, reason: str) -> None:
        """It ran, and nothing of it is left."""
        self._change("lost", reason)
        self.tell("error", f"lost: {reason}")

    def abandon(self) -> None:
        """The service ends, and the coordinator with it: nothing is written any more, and the next service reconciles."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def status(self, at_most_s: float = STATUS_S) -> dict[str, Any] | None:
        """As the gateway answers it; the last one of a job that has ended; None before any.

        :param at_most_s: how old it may be
        """
        with self._changed:
            if not self._id or self._engine is None or self._clock() - self._status_at < at_most_s:
                return self._status
            engine, identifier = self._engine, self._id
            self._status_at = self._clock()     # who comes meanwhile takes the one before
        with contextlib.suppress(DespinaError):
            found = engine.status(identifier)
            with self._changed:
                if self._id == identifier:
                    self._status = found
        return self._status

    def count(self, counter: str) -> int:
        """What all operators have counted, as it was asked for last."""
        return sum(each.get(counter) or 0 for each in ((self._status or {}).get("operators") or {}).values())

    def tell(self, level: str, text: str, source: str = "service") -> None:
        """Adds a line to its log. A log that cannot be written must not end the job."""
        with contextlib.suppress(OSError):
            self.log.add(level, source, text)

    # --- its thread ---

    def _keep(self) -> None:
        again = Again(Backoff())
        while True:
            engine: Engine | None = None
            try:
                engine = self._coordinator.engine()
                self._attempt(engine)
                return
            except DespinaError as raised:
                error = lost_with(engine, raised)
                self._forget()
                delay_s = self._delay_s(error, again)
                if delay_s is None or self._pause(delay_s):
                    if not self._closing:
                        self._over(error)
                    return
            except Exception as error:      # a fault of ours must not leave a job that seems to run
                self._forget()
                self._over(JobError("internal", f"{type(error).__name__}: {error}"))
                raise

    def _delay_s(self, error: DespinaError, again: Again) -> float | None:
        """After how long it is started again; None for never."""
        if error.rule == "state_in_use" and self.record.starts > 1:
            delay_s = again.freed_s(self._clock())
            if delay_s is not None and not self._closing:
                self._change("restarting", error.message.partition("\n")[0], starts=self.record.starts - 1)
            return delay_s
        again.ran()
        with self._changed:
            waits = self.record.real == "submitted"     # for its first start
            if error.rule not in LOST_RULES or self._closing or self._stop is not None or (
                    self.record.restart == "never" and not waits):
                return None
            if not waits:
                self._change("restarting", error.message.partition("\n")[0])
                self.tell("warning", f"lost: {error.message}; it is started again ({self.record.restart})")
            return again.backoff.delay_s(self._clock())

    def _pause(self, seconds: float) -> bool:
        """Waits; whether it was to end meanwhile."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closing or self._stop is not None, seconds)

    def _forget(self) -> None:
        """It is not watched any more, so what an engine that lives still has of it must not run on."""
        with self._changed:
            engine, identifier = self._engine, self._id
            self._engine, self._id = None, ""
        if engine is not None and identifier and engine.alive():
            with contextlib.suppress(DespinaError):
                engine.stop(identifier, "now")

    def _attempt(self, engine: Engine) -> None:
        """From its start to its end.

        :raise DespinaError: it was refused, or the coordinator was lost
        """
        with self._changed:
            if self._closing:
                return
            if self._stop is not None:      # before it was started
                self._end("stopped", "it was stopped before it ran")
                return
            self._change("deploying", "", starts=self.record.starts + 1)
        try:
            identifier, warnings, _ = engine.run(self.run.graph, self.record.graph, self._asked())
        except RefusedError as error:
            if error.rule == "state_ended":
                self._end("done", error.message)
                return
            raise
        for warning in warnings:
            self.tell("warning", str(warning), "engine")
        with self._changed:
            self._engine, self._id, self._from_start, self._before = engine, identifier, False, None
            self._readers.clear()
            self._writers.clear()
            self._changed.notify_all()
        self._restarts = 0
        self._watch(engine, identifier)

    def _asked(self) -> dict[str, Any]:
        """The options of this start."""
        words = self._words(self.run)
        if self.record.restart == "resume":
            words["state"] = str(self.run.state)
            if self._from_start:
                words["from_start"] = True
        file = str(self.run.folder / "graph.json")
        return function_texts.added(going_on(self.run, words), self.run.graph, file, [self.run.files])

    def _watch(self, engine: Engine, identifier: str) -> None:
        while True:
            if self._closing:
                return
            try:
                self._pass_on(engine, identifier)
                found = engine.wait(identifier, WAIT_SLICE_MS)
                lines, bad = engine.printed(identifier)
            except StartError as error:
                if error.rule != "engine_call" or not engine.alive():
                    raise
                with self._changed:     # it lives, and did not answer this once; a stop would not make it answer sooner
                    self._changed.wait_for(lambda: self._closing, 1.0)
                continue
            for line in lines:
                self.tell("info", line, "console")
            self.bad.add(bad)
            state = cast(Real, found["state"])
            with self._changed:
                if self._status is None or state in ENDED:
                    self._status = found
            if state in ENDED:
                break
            if state != self.record.real:
                self._change(state, _why(found) if state == "restarting" else "")
            self._record_restarts(found)
        self._finish(engine, identifier, found)

    def _pass_on(self, engine: Engine, identifier: str) -> None:
        """Tells the engine of a stop, and of its end when its time is up."""
        with self._changed:
            stop = self._stop
            if stop is None:
                return
            mode: StopMode = "now" if self._clock() >= stop.until else stop.mode
            if stop.told in (mode, "now"):
                return
            stop.told = mode
        if not stop.savepoint or mode != stop.mode:
            engine.stop(identifier, mode)
            return
        try:
            engine.savepoint(identifier, stop.savepoint, mode)
        except RefusedError as error:       # it runs on
            with self._changed:
                self._stop, self.refused = None, error.message
                self._changed.notify_all()

    def _finish(self, engine: Engine, identifier: str, found: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError, DespinaError):      # it has ended, as it is, with or without a report
            self.run.keep_report(engine.report(identifier))
        error = found.get("error")
        if error:
            self._record_error(error, int(found.get("attempt") or 1))
        for operator, text in (found.get("skipped") or {}).items():
            with contextlib.suppress(OSError):
                self.errors.add("warning", "engine", text, operator=operator, rule="skipped")
        with self._changed:
            self._before = engine, identifier
            self._engine, self._id = None, ""
            self._end(cast(Real, found["state"]), str(error["message"]) if error else "", error)

    def _record_restarts(self, found: Mapping[str, Any]) -> None:
        """Why an attempt ended after which it goes on by itself, once."""
        restarts, why = int(found.get("restarts") or 0), (found.get("last_restart") or {}).get("why")
        if restarts > self._restarts and why:
            self._restarts = restarts
            self._record_error(why, restarts)

    def _record_error(self, error: Mapping[str, Any], attempt: int = 0) -> None:
        with contextlib.suppress(OSError):
            self.errors.add("error", "engine", str(error.get("message")), rule=error.get("rule"), hint=error.get("hint") or "",
                            operator=error.get("operator") or "", attempt=attempt)

    def _over(self, error: DespinaError) -> None:
        """It will not run any more: it was refused, or lost and not started again."""
        if error.rule == "state_in_use" and self._stop is not None:
            self._end("stopped", "it was stopped while it waited for its state")
            return
        told = error.diagnostics[0].as_dict()
        if isinstance(error, GraphError):
            for diagnostic in error.diagnostics:
                self._record_error(diagnostic.as_dict())
        else:
            self._record_error(told)
        is_lost = error.rule in LOST_RULES
        if is_lost and self.record.real == "submitted":
            self._end("stopped", "it was stopped before it ran")
            return
        reason = f"while it was being stopped: {error.message}" if is_lost and self._stop is not None else error.message
        self._end("lost" if is_lost else "failed", reason, told)

    def _end(self, real: Real, reason: str, error: Mapping[str, Any] | None = None) -> None:
        with self._changed:
            stop = self._stop
            by_service = stop is not None and stop.by_service and real in ("stopped", "incomplete", "lost")
            why = stop.why if stop is not None and by_service else ""
            self._change(real, reason.partition("\n")[0] or why, by_service=by_service,
                         error=None if error is None else dict(error))
            self.tell("error" if real in ("failed", "lost") else "info", f"{real}{f': {reason}' if reason else ''}")
            self._changed.notify_all()

    def _change(self, real: Real, reason: str, **more: Any) -> None:
        with self._changed:
            before = self.record.real
            self._write(self.record.with_changes(real=real, reason=reason, changed_at_ms=time.time_ns() // 1_000_000, **more))
            if real != before and real not in UNTOLD:
                self._happened(real, self.record, f"{real}: {reason}" if reason else real, "")
            self._changed.notify_all()

    def _write(self, record: Record) -> None:
        """Puts it on the disk. What only says how a job stands is kept in memory where the disk takes nothing: the next change
        writes it, and a service that comes meanwhile finds the job gone and goes on with it.

        :raise OSError: it is a wish, which must not be lost
        """
        if record.wanted != self.record.wanted:
            self.run.write(record)
        else:
            self.run.keep(record)


def _why(found: Mapping[str, Any]) -> str:
    """Why a job restarts."""
    last = found.get("last_restart") or {}
    return str((last.get("why") or {}).get("message") or "").partition("\n")[0]
