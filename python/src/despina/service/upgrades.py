"""Upgrades: a job goes on with another graph under its name, and the one before comes back if that fails soon.

The new graph is a run of its own. What its record says of the upgrade is where it has come to, and each step is on the disk
before it is taken::

    drains       the run before drains into a savepoint; it is the job until that is there
    starts       the new run is the job: it starts from the savepoint, and is watched
    over         it has run long enough
    comes_back   it has failed, and the run before is started again, from where it ended
    withdrawn    it is of no account any more

Only ``starts`` must be on the disk. A service that finds the step before one of the others comes to the same end, so a full disk
leaves no job between two runs.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from despina.service.served import ServedJob
from despina.service.submission import SAVEPOINT

MANIFEST = "manifest.json"
PATIENT_S = 30.0
"""How long at most one wait for a run takes, before it is asked whether the service ends."""
AGAIN_S = 5.0
"""After how long a step is tried again for which the disk had no room."""


@dataclass(frozen=True)
class Wish:
    """What is asked of an upgrade.

    :ivar drop: operators of the run before whose state may be lost
    :ivar rename: by the id of an operator there: its id in the new graph
    :ivar watch_s: for how long the new run must run before the one before is of no account
    :ivar limit_s: how long the run before may drain
    """

    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    watch_s: float = 30.0
    limit_s: float = 60.0

    def of(self, before: ServedJob) -> dict[str, Any]:
        """As the record of the new run has it."""
        return {"from_run": before.record.run, "phase": "drains", "drop": list(self.drop), "rename": dict(self.rename),
                "watch_s": self.watch_s, "limit_s": self.limit_s}


@dataclass(frozen=True)
class Fate:
    """What becomes of an operator.

    :ivar change: ``kept``, ``changed``, ``new`` or ``gone``
    :ivar state: what becomes of its state: ``kept``, ``renamed``, ``new``, ``dropped`` or ``refused``; empty if it has none
    """

    operator: str
    change: str
    state: str = ""
    words: str = ""


def fates(before: str, after: str, states: Sequence[Mapping[str, Any]], rename: Mapping[str, str]) -> Iterator[Fate]:
    """What becomes of the operators of one graph under another: those of the new one in its order, then those that are gone.

    :param states: what the engine says of them
    """
    old, new = (json.loads(text).get("operators") or {} for text in (before, after))
    told = {str(each["operator"]): each for each in states}
    earlier = {now: then for then, now in rename.items()}
    for operator, fields in new.items():
        then = earlier.get(operator, operator)
        change = "new" if then not in old else "kept" if old[then] == fields else "changed"
        yield _fate(operator, change, told.pop(then, None) or told.pop(operator, None))
    for operator in old:
        if operator not in new and operator not in rename:
            yield _fate(operator, "gone", told.pop(operator, None))
    for operator, each in told.items():
        yield _fate(operator, "gone", each)


def _fate(operator: str, change: str, state: Mapping[str, Any] | None) -> Fate:
    return Fate(operator, change) if state is None else Fate(operator, change, str(state["fate"]), str(state["words"]))


def _because(job: ServedJob) -> str:
    return f": {job.record.reason}" if job.record.reason else ""


def _stays_lost(job: ServedJob) -> bool:
    """Whether it was lost, and is of those that are not started again for that: nor is another in its place."""
    return job.record.real == "lost" and job.record.restart == "never"


def _forget_savepoint(job: ServedJob) -> None:
    shutil.rmtree(job.run.folder / SAVEPOINT, ignore_errors=True)


class Runs(Protocol):
    """What upgrades need of the jobs."""

    def closed(self) -> bool:
        """Whether the service ends."""
        ...

    def taken_over(self, after: ServedJob, step: Callable[[], bool]) -> bool:
        """Makes a step that changes which run is the job, while nobody asks for another; whether it was made. It is not if the
        service ends, or the name has a later run than that of the upgrade.
        """
        ...


class Upgrades:
    """A thread for each that is under way."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def begin(self, before: ServedJob, after: ServedJob, who: str = "") -> None:
        """Carries one out, from the step that the new run's record has."""
        before.give_way(after)
        threading.Thread(target=self._keep, args=[before, after, who], name=f"despina-upgrade-{after.record.name}",
                         daemon=True).start()

    def _keep(self, before: ServedJob, after: ServedJob, who: str) -> None:
        if after.record.phase == "drains":
            why = self._drain(before, after) or self._begin(before, after, who)
            if why:
                self._runs.taken_over(after, lambda: self._withdraw(before, after, why))
                return
        if after.record.phase == "starts":
            self._watch(before, after)
        elif after.record.phase == "comes_back":
            self._come_back(before, after, after.record.reason)

    def _drain(self, before: ServedJob, after: ServedJob) -> str | None:
        """The run before ends.

        :return: why the new one does not take over; None if it does
        """
        wish, run = after.record.upgrade or {}, before.record.run
        limit_s = float(wish["limit_s"])
        keeps = before.record.restart == "resume" and after.record.restart == "resume"
        before.drain(limit_s, f"it is upgraded to run {after.record.run}", str(after.run.folder / SAVEPOINT) if keeps else "")
        while not before.until(lambda: before.record.ended or before.refused is not None, limit_s + PATIENT_S):
            if self._runs.closed():     # else it ends some day, for it was told to, and somebody must go on then
                return None
        if self._runs.closed():
            return None
        if before.refused is not None:
            return f"run {run} could not be drained: {before.refused}"
        if before.record.wanted != "running":
            return f"run {run} was stopped"
        if before.record.real == "done":
            return f"run {run} is done: nothing is left of its input"
        if keeps and not (after.run.folder / SAVEPOINT / MANIFEST).exists():
            return f"run {run} is {before.record.real}, without a savepoint{_because(before)}"
        return None

    def _begin(self, before: ServedJob, after: ServedJob, who: str) -> str:
        """The new run takes over.

        :return: why not; empty if it does, or the service ends
        """
        try:
            if self._runs.taken_over(after, lambda: self._start(before, after, who)) or self._runs.closed():
                return ""
        except OSError as error:
            return f"the service's folder cannot be written: {error.strerror or error}"
        return f"run {before.record.run} was stopped"

    def _start(self, before: ServedJob, after: ServedJob, who: str) -> bool:
        if before.record.wanted != "running":
            return False
        after.step("starts")
        before.leave(f"run {after.record.run} has taken over")
        after.begin(f"upgraded from run {before.record.run}", who=who)
        return True

    def _watch(self, before: ServedJob, after: ServedJob) -> None:
        """The new run must run for a while."""
        watch_s = float((after.record.upgrade or {})["watch_s"])
        while not after.until(lambda: after.record.ended or after.record.real in ("running", "restarting"), PATIENT_S):
            if self._runs.closed():
                return
        ended = after.until(lambda: after.record.ended, watch_s)
        if self._runs.closed() or after.record.by_service:
            return
        real = after.record.real
        fails = real in ("failed", "lost", "incomplete") or (not ended and real != "running")
        if fails and after.record.wanted == "running" and not _stays_lost(after):
            self._come_back(before, after, f"it is {real}{_because(after)}")
            return
        self._over(before, after)

    def _over(self, before: ServedJob, after: ServedJob) -> None:
        after.step("over")
        after.tell("info", f"the upgrade from run {before.record.run} is over")
        _forget_savepoint(after)        # its state has it

    def _come_back(self, before: ServedJob, after: ServedJob, why: str) -> None:
        if not after.record.ended:
            after.cut(f"run {before.record.run} comes back: {why}")
        while not after.until(lambda: after.record.ended, PATIENT_S):
            if self._runs.closed():     # no two graphs run at a time
                return
        while not self._runs.closed():
            try:
                if not self._runs.taken_over(after, lambda: self._step_back(before, after, why)) and not self._runs.closed():
                    self._over(before, after)       # somebody has had it stopped or started, or has submitted another
                return
            except OSError as error:
                after.tell("error", f"run {before.record.run} cannot come back yet: {error.strerror or error}")
                after.until(lambda: False, AGAIN_S)

    def _step_back(self, before: ServedJob, after: ServedJob, why: str) -> bool:
        if after.record.wanted != "running" or not after.record.ended:
            return False
        after.step("comes_back")
        after.tell("error", f"run {before.record.run} comes back: {why}")
        self._back(before, after, why)
        return True

    def _back(self, before: ServedJob, after: ServedJob, why: str) -> None:
        """The run before is the job again, and goes on from where it ended, if that has not come to pass already.

        :raise OSError: it could not be written
        """
        if before.record.wanted != "running":
            before.begin(f"run {after.record.run} has failed, and this comes back: {why}")
        after.step("withdrawn")
        _forget_savepoint(after)

    def _withdraw(self, before: ServedJob, after: ServedJob, why: str) -> bool:
        """The new run has not begun. That before goes on, if it is wanted."""
        record = before.record
        if record.ended and record.wanted == "running" and record.real != "done" and not _stays_lost(before):
            before.begin(f"the upgrade to run {after.record.run} failed, and this goes on: {why}")
        _forget_savepoint(after)
        after.withdraw(why)     # behind the rest: until then the run before has not ended to those who watch
        return True

    def settle(self, jobs: Sequence[ServedJob]) -> None:
        """After a loss of the service: the last run of a name and the one before it are what their steps say. Nothing runs
        yet.
        """
        after = jobs[-1]
        phase = after.record.phase
        before = next((job for job in jobs if job.record.run == (after.record.upgrade or {}).get("from_run")), None)
        if before is None:
            return
        if phase == "drains":
            after.withdraw(f"the service was lost while run {before.record.run} drained")
            _forget_savepoint(after)
        elif phase == "starts" and before.record.wanted == "running":
            before.leave(f"run {after.record.run} has taken over")

    def go_on(self, jobs: Sequence[ServedJob]) -> None:
        """After :meth:`settle`, and after those that are wanted were started: what is under way goes on."""
        after = jobs[-1]
        before = next((job for job in jobs if job.record.run == (after.record.upgrade or {}).get("from_run")), None)
        if before is None:
            return
        if after.record.phase == "comes_back":
            with contextlib.suppress(OSError):      # the thread tries again
                self._back(before, after, after.record.reason)
        if after.record.phase in ("starts", "comes_back"):
            self.begin(before, after)

