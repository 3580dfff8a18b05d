"""A job that the service owns: what may be asked of one run, by any thread. A thread of its own carries it out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from despina.engine import Engine, Told
from despina.options import StopMode
from despina.service.coordinator import Coordinator
from despina.service.handover import Handover
from despina.service.keeper import Keeper
from despina.service.standing import Happened, Standing, Stop
from despina.service.store import UNDER_WAY, Real, Record, Run

STATUS_S = 0.25
"""How old a status may be that several viewers share."""
STOPPED_BY_SERVICE = "the service ended"


class ServedJob:
    """One run. Methods are of any thread; what is written to its folder is written under its lock."""

    def __init__(self, run: Run, coordinator: Coordinator, words: Callable[[Run], dict[str, Any]],
                 clock: Callable[[], float] = time.monotonic, happened: Happened = lambda what, record, text, who: None) -> None:
        """:param words: the options of its run, in the gateway's words
        :param happened: told of what is asked of it, and of what becomes of it, in order
        """
        self.run = run
        self._standing = Standing(run, clock, happened)
        self._changed = self._standing.changed
        journal = self._standing.journal
        self.log, self.errors, self.bad, self.tell = journal.log, journal.errors, journal.bad, journal.tell
        self.rows = Handover(self._standing)
        self._keeper = Keeper(self._standing, self.rows, coordinator, words)
        self._clock = clock
        self._thread: threading.Thread | None = None        # guarded by the condition
        self._after: ServedJob | None = None

    @property
    def record(self) -> Record:
        """As it was written last."""
        return self.run.record

    @property
    def state(self) -> Real:
        """What it is to whoever watches the job: a run that has ended for an upgrade that is not over is no end of the job."""
        record = self.record
        if not record.ended or record.real == "done" or record.wanted != "running":
            return record.real
        phases = (record.phase, self._after.record.phase if self._after is not None else "")
        return "restarting" if any(phase in UNDER_WAY for phase in phases) else record.real

    @property
    def active(self) -> bool:
        """Whether its thread runs."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    @property
    def refused(self) -> str | None:
        """Why the engine does not end it with a savepoint, after :meth:`drain`."""
        return self._standing.refused

    def engine_job(self) -> tuple[Engine, str] | None:
        """The engine and the id that it has there; None while it does not run."""
        return self._standing.there()

    def address(self) -> dict[str, Any] | None:
        """Where programs reach it, and what lets them in, as the gateway answers it; None while it does not run."""
        there = self._standing.there()
        return None if there is None else there[0].address(there[1])

    def status(self, at_most_s: float = STATUS_S) -> dict[str, Any] | None:
        """As the gateway answers it; the last one of a job that has ended; None before any.

        :param at_most_s: how old it may be
        """
        return self._standing.look(at_most_s)

    def count(self, counter: str) -> int:
        """What all operators have counted, as it was asked for last."""
        return sum(each.get(counter) or 0 for each in ((self._standing.status or {}).get("operators") or {}).values())

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
        standing = self._standing
        with self._changed:
            standing.change("submitted", "", wanted="running", by_service=False, error=None)
            standing.wish, standing.closing, standing.from_start = None, False, from_start
            self._thread = threading.Thread(target=self._keeper.keep, name=f"despina-job-{self.record.name}", daemon=True)
            self.tell("info", f"{why}, run {self.record.run}")
            standing.happened("start", f"{why}, from the beginning" if from_start else why, who)
            self._thread.start()

    def stop(self, mode: StopMode, limit_s: float, by_service: bool = False, who: str = "") -> None:
        """Has it stopped, and returns at once.

        :param limit_s: what it has not worked off by then is dropped
        :param who: asked for it
        :raise OSError: that it is wanted stopped could not be written: it runs on
        """
        with self._changed:
            if not by_service and self.record.wanted != "stopped":
                self._standing.write(self.record.with_changes(wanted="stopped"))
            before = self._standing.wish
            if before is None or mode == "now" or (before.by_service and not by_service):
                self._standing.wish = Stop(mode, self._clock() + limit_s, by_service and (before is None or before.by_service),
                                           why=STOPPED_BY_SERVICE if by_service else "")
            text = f"stop: {mode}, within {limit_s:g} s" + (f", because {STOPPED_BY_SERVICE}" if by_service else "")
            self.tell("info", text)
            self._standing.happened("stop", text, who)
            self._changed.notify_all()

    def give_way(self, after: ServedJob) -> None:
        """That run takes its place, if all goes well."""
        self._after = after

    def drain(self, limit_s: float, why: str, savepoint: str) -> None:
        """Has it end for an upgrade: it stays wanted running. Returns at once.

        :param savepoint: the folder of one of its end; empty for none
        """
        with self._changed:
            self._standing.refused = None
            if self._standing.wish is None:
                self._standing.wish = Stop("drain", self._clock() + limit_s, True, why=why, savepoint=savepoint)
            self.tell("info", f"stop: drain, within {limit_s:g} s, because {why}")
            self._changed.notify_all()

    def cut(self, why: str) -> None:
        """Has it end at once, for another run that takes its place: it stays wanted running. A stop that a user asked for goes
        before. Returns at once.
        """
        with self._changed:
            if self._standing.wish is None:
                self._standing.wish = Stop("now", self._clock(), True, why=why)
            self.tell("info", f"stop: now, because {why}")
            self._changed.notify_all()

    def until(self, reached: Callable[[], bool], timeout_s: float) -> bool:
        """Waits, within limits, until something is true of it; whether it is, or the service ends."""
        with self._changed:
            self._changed.wait_for(lambda: reached() or self._standing.closing, timeout_s)
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
            self._standing.happened("failed", f"failed: {why}")
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
        there = self._standing.there()
        if self.record.ended or there is None:
            return None
        engine, identifier = there
        told = engine.control(identifier, command, operator, argument)
        text = (f"{command}{f' {operator}' if operator else ''}: "
                f"{'done' if all(one.ok for one in told) else 'not done by all'}")
        self.tell("info", text)
        self._standing.happened("control", text, who)
        return told

    def join(self, timeout_s: float) -> bool:
        """Waits for the end of its thread; whether it has ended."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return not self.active

    def lose(self, reason: str) -> None:
        """It ran, and nothing of it is left."""
        self._standing.change("lost", reason)
        self.tell("error", f"lost: {reason}")

    def abandon(self) -> None:
        """The service ends, and the coordinator with it: nothing is written any more, and the next service reconciles."""
        with self._changed:
            self._standing.closing = True
            self._changed.notify_all()
