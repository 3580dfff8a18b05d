"""The thread of a run: starts it, watches it, starts it again after a loss, and writes down what it has become."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from despina import function_texts
from despina.backoff import Backoff
from despina.engine import Engine
from despina.errors import DespinaError, GraphError, JobError, RefusedError, StartError
from despina.options import StopMode
from despina.service.again import LOST_RULES, Again, lost_with
from despina.service.coordinator import Coordinator
from despina.service.handover import Handover
from despina.service.standing import Standing
from despina.service.store import ENDED, Real, Run
from despina.service.submission import going_on

WAIT_SLICE_MS = 250
"""How long one call to the engine waits for the end: how late a stop is passed on at most."""


class Keeper:
    """Keeps one run, from its start to its end. :meth:`keep` is the body of its thread."""

    def __init__(self, standing: Standing, handover: Handover, coordinator: Coordinator,
                 words: Callable[[Run], dict[str, Any]]) -> None:
        """:param words: the options of its run, in the gateway's words"""
        self._standing = standing
        self._journal = standing.journal
        self._handover = handover
        self._coordinator = coordinator
        self._words = words

    def keep(self) -> None:
        """Returns when the run has ended, or the service ends."""
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
                    if not self._standing.closing:
                        self._over(error)
                    return
            except Exception as error:      # a fault of ours must not leave a job that seems to run
                self._forget()
                self._over(JobError("internal", f"{type(error).__name__}: {error}"))
                raise

    def _delay_s(self, error: DespinaError, again: Again) -> float | None:
        """After how long it is started again; None for never."""
        standing = self._standing
        record = standing.record
        if error.rule == "state_in_use" and record.starts > 1:
            delay_s = again.freed_s(standing.clock())
            if delay_s is not None and not standing.closing:
                standing.change("restarting", error.message.partition("\n")[0], starts=record.starts - 1)
            return delay_s
        again.ran()
        with standing.changed:
            waits = standing.record.real == "submitted"     # for its first start
            if error.rule not in LOST_RULES or standing.closing or standing.wish is not None or (
                    record.restart == "never" and not waits):
                return None
            if not waits:
                standing.change("restarting", error.message.partition("\n")[0])
                self._journal.tell("warning", f"lost: {error.message}; it is started again ({record.restart})")
            return again.backoff.delay_s(standing.clock())

    def _pause(self, seconds: float) -> bool:
        """Waits; whether it was to end meanwhile."""
        standing = self._standing
        with standing.changed:
            return standing.changed.wait_for(lambda: standing.closing or standing.wish is not None, seconds)

    def _forget(self) -> None:
        """It is not watched any more, so what an engine that lives still has of it must not run on."""
        standing = self._standing
        with standing.changed:
            engine, identifier = standing.engine, standing.id
            standing.engine, standing.id = None, ""
        if engine is not None and identifier and engine.alive():
            with contextlib.suppress(DespinaError):
                engine.stop(identifier, "now")

    def _attempt(self, engine: Engine) -> None:
        """From its start to its end.

        :raise DespinaError: it was refused, or the coordinator was lost
        """
        standing = self._standing
        with standing.changed:
            if standing.closing:
                return
            if standing.wish is not None:      # before it was started
                standing.end("stopped", "it was stopped before it ran")
                return
            began_ms = standing.record.changed_at_ms
            standing.change("deploying", "", starts=standing.record.starts + 1)
        try:
            asked = {**self._asked(), "started_at_ms": began_ms}
            identifier, warnings, _ = engine.run(standing.run.graph, standing.record.graph, asked)
        except RefusedError as error:
            if error.rule == "state_ended":
                standing.end("done", error.message)
                return
            raise
        for warning in warnings:
            self._journal.tell("warning", str(warning), "engine")
        with standing.changed:
            standing.engine, standing.id, standing.from_start, standing.before = engine, identifier, False, None
            self._handover.begin()
            standing.changed.notify_all()
        self._journal.begin()
        self._watch(engine, identifier)

    def _asked(self) -> dict[str, Any]:
        """The options of this start."""
        run = self._standing.run
        words = self._words(run)
        if run.record.restart == "resume":
            words["state"] = str(run.state)
            if self._standing.from_start:
                words["from_start"] = True
        return function_texts.added(going_on(run, words), run.graph, str(run.folder / "graph.json"), [run.files])

    def _watch(self, engine: Engine, identifier: str) -> None:
        standing = self._standing
        while not standing.closing:
            try:
                self._pass_on(engine, identifier)
                found = engine.wait(identifier, WAIT_SLICE_MS)
                lines, sinks, bad = engine.printed(identifier)
            except StartError as error:
                if error.rule != "engine_call" or not engine.alive():
                    raise
                with standing.changed:     # it lives, and did not answer this once; a stop would not make it answer sooner
                    standing.changed.wait_for(lambda: standing.closing, 1.0)
                continue
            for line, sink in zip(lines, sinks, strict=True):
                self._journal.tell("info", line, "console", operator=sink)
            self._journal.spoiled(bad)
            state = cast(Real, found["state"])
            with standing.changed:
                if standing.status is None or state in ENDED:
                    standing.status = found
            if state in ENDED:
                self._finish(engine, identifier, found)
                return
            if state != standing.record.real:
                standing.change(state, _why(found) if state == "restarting" else "")
            self._journal.restarted(found)

    def _pass_on(self, engine: Engine, identifier: str) -> None:
        """Tells the engine of a stop, and of its end when its time is up."""
        standing = self._standing
        with standing.changed:
            stop = standing.wish
            if stop is None:
                return
            mode: StopMode = "now" if standing.clock() >= stop.until else stop.mode
            if stop.told in (mode, "now"):
                return
            stop.told = mode
        if not stop.savepoint or mode != stop.mode:
            engine.stop(identifier, mode)
            return
        try:
            engine.savepoint(identifier, stop.savepoint, mode)
        except RefusedError as error:       # it runs on
            with standing.changed:
                standing.wish, standing.refused = None, error.message
                standing.changed.notify_all()

    def _finish(self, engine: Engine, identifier: str, found: Mapping[str, Any]) -> None:
        standing = self._standing
        with contextlib.suppress(OSError, DespinaError):      # it has ended, as it is, with or without a report
            standing.run.keep_report(engine.report(identifier))
        self._journal.ended(found)
        error = found.get("error")
        with standing.changed:
            standing.before = engine, identifier
            standing.engine, standing.id = None, ""
            standing.end(cast(Real, found["state"]), str(error["message"]) if error else "", error)

    def _over(self, error: DespinaError) -> None:
        """It will not run any more: it was refused, or lost and not started again."""
        standing = self._standing
        if error.rule == "state_in_use" and standing.wish is not None:
            standing.end("stopped", "it was stopped while it waited for its state")
            return
        told = error.diagnostics[0].as_dict()
        if isinstance(error, GraphError):
            for diagnostic in error.diagnostics:
                self._journal.failed(diagnostic.as_dict())
        else:
            self._journal.failed(told)
        is_lost = error.rule in LOST_RULES
        if is_lost and standing.record.real == "submitted":
            standing.end("stopped", "it was stopped before it ran")
            return
        reason = f"while it was being stopped: {error.message}" if is_lost and standing.wish is not None else error.message
        standing.end("lost" if is_lost else "failed", reason, told)


def _why(found: Mapping[str, Any]) -> str:
    """Why a job restarts."""
    last = found.get("last_restart") or {}
    return str((last.get("why") or {}).get("message") or "").partition("\n")[0]
