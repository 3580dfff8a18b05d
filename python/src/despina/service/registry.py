"""What runs there are: of every name those that are kept, in order, which of them is the job, and which must go."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from despina.service.refusals import ConflictError, MissingError
from despina.service.served import ServedJob
from despina.service.store import UNDER_WAY, Isolation, Record, Store
from despina.service.submission import Submission

KEPT_RUNS = 20
KEPT_DAYS = 30
DAY_MS = 86_400_000
SHARED = "the process that jobs share"
"""Where a job would be named whose processes take memory; no name of a job."""


class Registry:
    """The runs by name. Whoever decides by what is here, and adds or hides a run for it, holds the lock meanwhile."""

    def __init__(self, store: Store, kept_runs: int = KEPT_RUNS, memory_bytes: int | None = None) -> None:
        """:param kept_runs: of each name
        :param memory_bytes: what the processes of all jobs may take together; None for no bound
        """
        self.lock = threading.Lock()
        self.memory_bytes = memory_bytes
        self._store = store
        self._kept_runs = kept_runs
        self._runs: dict[str, list[ServedJob]] = {}     # by name, in the order of their numbers; guarded by the lock

    # --- of any thread ---

    def all(self) -> list[ServedJob]:
        """The last run of every name."""
        with self.lock:
            return [last(jobs) for _, jobs in sorted(self._runs.items()) if jobs]

    def every(self) -> list[ServedJob]:
        """All runs."""
        with self.lock:
            return [job for jobs in self._runs.values() for job in jobs]

    def runs(self, name: str) -> list[ServedJob]:
        """The runs of a name that are kept, the newest last.

        :raise MissingError: there is none
        """
        with self.lock:
            self.newest(name)
            return list(self._runs[name])

    def one(self, name: str, run: int | None = None) -> ServedJob:
        """A run of that name, the last if no number is given.

        :raise MissingError: there is none
        """
        with self.lock:
            if run is None:
                return self.newest(name)
            for job in self._runs.get(name, []):
                if job.record.run == run:
                    return job
            raise self.missing(name, run)

    def memory_taken(self) -> int:
        """What the processes of jobs that have not ended may take."""
        with self.lock:
            return sum(self._holding().values())

    # --- under the lock ---

    def of(self, name: str) -> Sequence[ServedJob]:
        """The runs of a name, the newest last; none if there is no such name."""
        return self._runs.get(name, [])

    def add(self, name: str, *jobs: ServedJob) -> None:
        """Adds runs behind those of that name."""
        self._runs.setdefault(name, []).extend(jobs)

    def newest(self, name: str) -> ServedJob:
        """The run that is the job.

        :raise MissingError: there is none
        """
        jobs = self._runs.get(name)
        if not jobs:
            raise self.missing(name, None)
        return last(jobs)

    def missing(self, name: str, run: int | None) -> MissingError:
        """That there is none."""
        names = [known for known, jobs in self._runs.items() if jobs]
        if run is not None and name in names:
            return MissingError("run", f"the job {name} has no run {run}",
                                f"its runs: {', '.join(str(job.record.run) for job in self._runs[name])}")
        close = get_close_matches(name, names, 1)
        return MissingError("job", f"there is no job {name!r}", f"did you mean {close[0]}?" if close else "see despina list")

    def by_key(self, submission: Submission) -> ServedJob | None:
        """The run that the same submission has made before.

        :raise ConflictError: the key is of another submission
        """
        if not submission.key:
            return None
        for jobs in self._runs.values():
            for job in jobs:
                if job.record.key == submission.key:
                    if job.record.digest != submission.digest:
                        raise ConflictError("idempotency_key", f"the key {submission.key!r} is of another submission, that of "
                                            f"the job {job.record.name}", "take a new key for each submission")
                    return job
        return None

    def refuse_upgraded(self, name: str) -> None:
        """Refuses what cannot be done to a job that is being upgraded.

        :raise ConflictError: it is
        """
        jobs = self.of(name)
        if jobs and jobs[-1].record.phase in UNDER_WAY:
            raise ConflictError("job_state", f"the job {name} is being upgraded to run {jobs[-1].record.run}",
                                f"despina status {name} says when that is over")

    def refuse_too_large(self, name: str, needed: int, isolation: Isolation) -> None:
        """Refuses a job for whose processes there is no room beside those of other names.

        :param needed: bytes that they may take
        :param isolation: of a job that shares a process, the room of that is taken once
        :raise ConflictError: it does not fit
        """
        if self.memory_bytes is None:
            return
        others = self._holding(but=name)
        if isolation == "shared":
            needed = max(0, needed - others.get(SHARED, 0))
        free = self.memory_bytes - sum(others.values())
        if needed > free:
            taken = ", ".join(f"{job} {_mb(size)}" for job, size in others.items())
            raise ConflictError("memory", f"the job {name} may take {_mb(needed)}, and {_mb(max(0, free))} of "
                                f"{_mb(self.memory_bytes)} are free{f'; taken: {taken}' if taken else ''}",
                                "stop another, give its resources less memory_bytes, or serve with more --memory-bytes")

    def _holding(self, but: str = "") -> dict[str, int]:
        """What the processes of each job that has not ended may take; of one that is upgraded, what either of its runs may. Jobs
        that share a process have that together.

        :param but: the name of a job that is left out
        """
        found: dict[str, int] = {}
        for name, jobs in self._runs.items():
            holding = _holding([job.record for job in jobs])
            if holding and name != but:
                whose = SHARED if jobs[-1].record.isolation == "shared" else name
                found[whose] = max(found.get(whose, 0), *(record.memory_bytes for record in holding))
        return found

    def hide_old(self, name: str) -> list[Path]:
        """Takes away runs that are too many or too old. The last one of a name stays. What cannot be removed is told by that one
        and tried again at the next submission, which does not fail of it.

        :return: folders to clear without the lock, for states may be large
        """
        jobs = self._runs[name]
        oldest_ms = time.time_ns() // 1_000_000 - KEPT_DAYS * DAY_MS
        gone = []
        stays = {last(jobs).record.run, jobs[-1].record.run, (jobs[-1].record.upgrade or {}).get("from_run")}
        for job in list(jobs):
            record = job.record
            many = len(self._runs[name]) > self._kept_runs
            if record.ended and record.run not in stays and (many or record.changed_at_ms < oldest_ms):
                try:
                    gone.append(self.hide(job))
                except OSError as error:
                    jobs[-1].tell("warning", f"run {record.run} cannot be removed: {error.strerror or error}")
        return gone

    def hide(self, job: ServedJob) -> Path:
        """Takes a run that has ended away.

        :return: its folder, to clear without the lock
        :raise OSError: it stays
        """
        job.join(5.0)
        gone = self._store.hide(job.run)
        self._runs[job.record.name] = [other for other in self._runs[job.record.name] if other is not job]
        return gone


def last(jobs: Sequence[ServedJob]) -> ServedJob:
    """Of the runs of a name the one that is the job: the last that has taken over."""
    return next((job for job in reversed(jobs) if job.record.counts), jobs[-1])


def _holding(records: Sequence[Record]) -> list[Record]:
    """Of the runs of a name those that may have processes: one that has not ended; while it is upgraded, both."""
    upgrade = (records[-1].upgrade or {}) if records and records[-1].phase in UNDER_WAY else {}
    either = (records[-1].run, upgrade["from_run"]) if upgrade else ()
    return [record for record in records if record.run in either or (not record.ended and record.counts)]


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
