"""All jobs of the service: submitted, started, stopped, removed; and reconciled with what is wanted when the service starts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from despina import function_texts, parts
from despina.engine import Checked, Told
from despina.errors import GraphError, RefusedError, StartError
from despina.options import StopMode
from despina.service.bundles import Bundles
from despina.service.coordinator import Coordinator
from despina.service.history import Events, Recorder
from despina.service.rules import Rules
from despina.service.served import ServedJob
from despina.service.store import ENDED, Record, Store, Texts, by_name
from despina.service.submission import Submission, as_written, filled, given, isolated, name_of, refuse_elsewhere, words
from despina.service.upgrades import Fate, Upgrades, Wish, fates

UNDER_WAY = ("drains", "starts", "comes_back")
"""Phases of an upgrade that is not over."""
KEPT_RUNS = 20
KEPT_DAYS = 30
DAY_MS = 86_400_000
READY_S = 15.0
"""How long a request waits for a coordinator that is starting."""
CODE = (".py", ".pyc", ".pyo", ".so", ".pyd", ".pth", ".zip", ".egg", ".whl", ".jar", ".class")
"""Endings of files that Python or Java may run."""
CHECK_OPTIONS = ("directory", "parameters", "deployment_text", "deployment_file", "state", "python")


class MissingError(RefusedError):
    """There is no such job or run."""


class ConflictError(RefusedError):
    """It cannot be done to a job as it is now."""


class Jobs:
    """Owns every job, whoever comes and goes. Thread-safe."""

    def __init__(self, store: Store, coordinator: Coordinator, rules: Rules | None = None, kept_runs: int = KEPT_RUNS,
                 memory_bytes: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Owns the folder's jobs from :meth:`reconcile` on.

        :param rules: what graphs may name; nothing outside of their folders if not given
        :param memory_bytes: what the processes of all jobs may take together; None for no bound
        """
        self._store = store
        self._rules = rules or Rules()
        self.bundles = Bundles(store.folder / "files", store.folder / "staging")
        self._coordinator = coordinator
        self._kept_runs = kept_runs
        self.memory_bytes = memory_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._runs: dict[str, list[ServedJob]] = {}     # by name, in the order of their numbers; guarded by the lock
        self._closed = False
        self.upgrades = Upgrades(self)
        self.events = Events(store.folder)
        self.recorder = Recorder(self.all, clock)

    # --- at the start and the end of the service ---

    def reconcile(self) -> None:
        """Compares what is wanted with what is: nothing, for the processes of a service end with it. A job that was wanted
        running goes on as its ``restart`` says; another that had not ended is lost.

        :raise RefusedError: a record cannot be read
        """
        for name, runs in by_name(self._store.runs()):
            jobs = [ServedJob(run, self._coordinator, words, self._clock, self.events.add) for run in runs]
            self._runs[name] = jobs
            self.upgrades.settle(jobs)
            for job in jobs:
                self._settle(job, job is _last(jobs))
            self.upgrades.go_on(jobs)
            for old in self._hide_old(name):
                self._store.clear(old)

    def _settle(self, job: ServedJob, newest: bool) -> None:
        record = job.record
        was_active = record.real not in ENDED
        may_go_on = newest and record.wanted == "running" and (record.restart != "never" or record.real == "submitted")
        if may_go_on and (was_active or record.by_service):
            job.begin(f"the service is back, and goes on ({record.restart})" if record.starts else "submitted")
        elif was_active:
            reason = "the service was lost while it " + ("was being stopped" if record.wanted == "stopped" else "ran")
            job.lose(reason)

    def close(self, limit_s: float) -> None:
        """Stops all jobs, so that the next service goes on with them; what has not ended by then is dropped."""
        with self._lock:
            self._closed = True
            running = [job for jobs in self._runs.values() for job in jobs if job.active]
        for job in running:
            job.stop("drain", limit_s, by_service=True)
        until = self._clock() + limit_s + 2.0
        for job in running:
            if not job.join(max(0.0, until - self._clock())):
                job.abandon()
        self._coordinator.close()
        self.recorder.close()
        for job in running:
            job.join(5.0)
        self._store.close()

    # --- requests ---

    def check(self, submission: Submission, folder: Path | None = None) -> Checked:
        """What ``check`` says of it, and what it names that it may not.

        :param folder: with the files that come with it
        :raise StartError: there is no coordinator
        """
        return self._checked(submission, self._plain(submission), folder)

    def _checked(self, submission: Submission, plain: Submission, folder: Path | None) -> Checked:
        found = self._coordinator.engine(READY_S).check(submission.text, submission.file, self._options(plain, folder))
        if not found.ok:
            return found
        broken = self._rules.broken(plain.text, plain.file, plain.parameters, plain.deployment, folder)
        return replace(found, diagnostics=(*found.diagnostics, *broken), plan=None if broken else found.plan)

    def _options(self, plain: Submission, folder: Path | None) -> dict[str, Any]:
        asked = given(plain.deployment or isolated(None, "job"), plain.parameters, folder or self._store.folder)
        allowed = {name: value for name, value in asked.items() if name in CHECK_OPTIONS}
        here = str(self._store.folder / "service.json")     # no module lies beside that
        if plain.inputs:
            allowed["inputs"] = list(plain.inputs)
        return function_texts.added(allowed, plain.text, here, [folder] if folder else [])

    def dry_run(self, submission: Submission, wish: Wish) -> tuple[str, list[Fate]]:
        """What would become of a job's operators and of their states under another graph.

        :return: the epoch that was looked at, in words, empty for none; and the operators
        :raise GraphError: the graph is refused, or a state cannot go on
        :raise MissingError: there is no such job
        """
        before = self.one(submission.name)
        with self.bundles.staged(submission.files) as folder:
            submission = filled(submission, before.run)
            source, found, _ = self._fates(submission, self._plain(submission), wish, folder, before)
            return source, found

    def _fates(self, submission: Submission, plain: Submission, wish: Wish, folder: Path,
               before: ServedJob) -> tuple[str, list[Fate], int]:
        checked = self._checked(submission, plain, folder)
        if not checked.ok:
            raise GraphError(checked.diagnostics)
        source, states = "", []
        if before.record.restart == submission.restart == "resume":
            try:
                told, found = self._coordinator.engine(READY_S).dry_run(
                    submission.text, submission.file, self._options(plain, folder),
                    {"from": str(before.run.state), "drop": list(wish.drop), "rename": dict(wish.rename)})
            except RefusedError as error:
                if error.rule != "state" or ((before.status() or {}).get("epoch") or {}).get("complete"):
                    raise
                told, found = (), None      # it has no epoch yet
            if any(each.severity == "error" for each in told):
                raise GraphError(told)
            source, states = (found["from"], found["operators"]) if found else ("", [])
        return source, list(fates(before.run.graph, plain.text, states, wish.rename)), checked.children_bytes

    def upgrade(self, submission: Submission, wish: Wish) -> tuple[ServedJob, bool]:
        """Has a job go on with another graph. Returns when that is on the disk; the new run's record says how far it is.

        :param submission: what it does not say is as before; its name is that of the job
        :return: the new run, and whether it is there since an earlier call with the same key
        :raise GraphError: it is refused, or a state cannot go on
        :raise ConflictError: the job does not run, or is being upgraded
        :raise OSError: it could not be written: nothing has changed
        """
        if (known := self._by_key(submission)) is not None:
            return known, True
        before = self.one(submission.name)
        submission = filled(submission, before.run)
        refuse_elsewhere(submission.deployment)
        self._refuse_code(submission.files)
        with self.bundles.staged(submission.files) as folder:
            plain = self._plain(submission)
            _, _, needed = self._fates(submission, plain, wish, folder, before)
            with self._lock:
                self._refuse_closed()
                if (known := self._by_key_locked(submission)) is not None:
                    return known, True
                self._refuse_upgraded(submission.name)
                if self._newest(submission.name) is not before or before.record.real != "running":
                    raise ConflictError("job_state", f"the job {submission.name} is {before.record.real}",
                                        f"what runs can be upgraded; first: despina start {submission.name}")
                self._refuse_too_large(submission.name, needed)
                job = self._create(plain, folder, needed, wish.of(before))
                self.events.add("upgrade", job.record, f"from run {before.record.run}", submission.who)
                gone = self._hide_old(submission.name)
        self.upgrades.begin(before, job, submission.who)
        for old in gone:
            self._store.clear(old)
        return job, False

    def _refuse_upgraded(self, name: str) -> None:
        jobs = self._runs.get(name)
        if jobs and jobs[-1].record.phase in UNDER_WAY:
            raise ConflictError("job_state", f"the job {name} is being upgraded to run {jobs[-1].record.run}",
                                f"despina status {name} says when that is over")

    def closed(self) -> bool:
        """Whether the service ends."""
        return self._closed

    def taken_over(self, after: ServedJob, step: Callable[[], bool]) -> bool:
        """Makes a step that changes which run is the job, while nobody asks for another; whether it was made. It is not if the
        service ends, or the name has a later run than that of the upgrade.
        """
        with self._lock:
            return not self._closed and self._runs.get(after.record.name, [])[-1:] == [after] and step()

    def submit(self, submission: Submission) -> tuple[ServedJob, bool]:
        """Has a graph run from now on, whatever happens to the service.

        :return: the job, and whether it is there since an earlier call with the same key
        :raise GraphError: it is refused
        :raise ConflictError: its name is that of a job that has not ended, or its key is of another submission
        :raise OSError: it could not be written: it is not submitted
        """
        if (before := self._by_key(submission)) is not None:
            return before, True
        submission = replace(submission, told=submission.digest)
        refuse_elsewhere(submission.deployment)
        self._refuse_code(submission.files)
        with self.bundles.staged(submission.files) as folder:
            plain = self._plain(submission)
            checked = self._checked(submission, plain, folder)
            if not checked.ok:
                raise GraphError(checked.diagnostics)
            return self._submitted(plain, folder, checked.children_bytes)

    def _plain(self, submission: Submission) -> Submission:
        """What a job keeps of it: the graph without parts."""
        whole = self.without_parts(submission.text, submission.file)
        return submission if whole is None else replace(submission, text=whole)

    def without_parts(self, text: str, file: str) -> str | None:
        """The graph with the operators of its parts in the place of each use, as a job keeps it; None if it has no parts."""
        if not parts.has_any(text):
            return None
        try:
            found = self._coordinator.engine(READY_S).without_parts(text, file)
        except GraphError:
            return None     # check says it
        return None if found is None else found[0]

    def _refuse_code(self, files: Mapping[str, str]) -> None:
        for path in files:
            if path.lower().endswith(CODE) and not (path.endswith(".py") and self._rules.allows_module(path)) \
                    and "*" not in self._rules.python:
                raise RefusedError("allowed", f"the code {path} may not run here",
                                   "despina serve --allow-python MODULE allows it")

    def _submitted(self, submission: Submission, folder: Path, needed: int) -> tuple[ServedJob, bool]:
        name = submission.name or name_of(submission.text)
        with self._lock:
            self._refuse_closed()
            if (before := self._by_key_locked(submission)) is not None:
                return before, True
            jobs = self._runs.get(name)
            if jobs and not _last(jobs).record.ended:
                raise ConflictError("job_name", f"a job {name} is {_last(jobs).record.real}",
                                    f"stop it, or submit under another name: --name {name}2")
            if jobs and jobs[-1].record.phase in ("drains", "comes_back"):
                self._refuse_upgraded(name)
            self._refuse_too_large(name, needed)
            job = self._create(replace(submission, name=name), folder, needed)
            job.begin("submitted", who=submission.who)
            gone = self._hide_old(name)
        for old in gone:
            self._store.clear(old)
        return job, False

    @property
    def memory_taken(self) -> int:
        """What the processes of jobs that have not ended may take."""
        with self._lock:
            return sum(self._holding().values())

    def _holding(self) -> dict[str, int]:
        """What the processes of each job that has not ended may take; of one that is upgraded, what either of its runs may."""
        found = {}
        for name, jobs in self._runs.items():
            upgrade = (jobs[-1].record.upgrade or {}) if jobs and jobs[-1].record.phase in UNDER_WAY else {}
            either = [job.record.memory_bytes for job in jobs if upgrade and job.record.run in (jobs[-1].record.run,
                                                                                                upgrade["from_run"])]
            runs = [job.record.memory_bytes for job in jobs if not job.record.ended and job.record.counts]
            if runs or either:
                found[name] = max(sum(runs), *either, 0)
        return found

    def _refuse_too_large(self, name: str, needed: int) -> None:
        if self.memory_bytes is None:
            return
        others = {job: taken for job, taken in self._holding().items() if job != name}
        free = self.memory_bytes - sum(others.values())
        if needed > free:
            taken = ", ".join(f"{job} {_mb(size)}" for job, size in others.items())
            raise ConflictError("memory", f"the job {name} may take {_mb(needed)}, and {_mb(max(0, free))} of "
                                f"{_mb(self.memory_bytes)} are free{f'; taken: {taken}' if taken else ''}",
                                "stop another, give its resources less memory_bytes, or serve with more --memory-bytes")

    def _create(self, submission: Submission, folder: Path, memory_bytes: int,
                upgrade: Mapping[str, Any] | None = None) -> ServedJob:
        name = submission.name
        jobs = self._runs.setdefault(name, [])
        record = Record(name, max((job.record.run for job in jobs), default=0) + 1, submission.file,
                        restart=submission.restart, labels=dict(submission.labels), inputs=list(submission.inputs),
                        key=submission.key, digest=submission.digest, submitted_at_ms=time.time_ns() // 1_000_000,
                        memory_bytes=memory_bytes, upgrade=upgrade)
        run = self._store.create(record, Texts(submission.text, submission.deployment, submission.parameters), folder)
        job = ServedJob(run, self._coordinator, words, self._clock, self.events.add)
        jobs.append(job)
        return job

    def start(self, name: str, from_start: bool = False, who: str = "") -> ServedJob:
        """Starts the last run of a name again, from where its state is.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it runs, or it is done and is not to begin anew
        """
        with self._lock:
            self._refuse_closed()
            job = self._newest(name)
            record = job.record
            if record.counts and self._runs[name][-1].record.phase in ("drains", "comes_back"):
                self._refuse_upgraded(name)
            if not record.ended:
                raise ConflictError("job_state", f"the job {name} is {record.real} already")
            if record.real == "done" and record.restart == "resume" and not from_start:
                raise ConflictError("job_state", f"the job {name} is done: nothing is left of its input",
                                    f"begin anew: despina start {name} --from-start")
            self._refuse_too_large(name, record.memory_bytes)
            job.begin("started", from_start, who)
        return job

    def stop(self, name: str, mode: StopMode = "drain", limit_s: float = 10.0, run: int | None = None,
             who: str = "") -> ServedJob:
        """Has a job stopped; returns at once. One that has ended stays as it is.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it is not the last run of that name
        """
        job = self.one(name, run)
        newest = self.one(name)
        if job is not newest:
            raise ConflictError("run", f"run {run} of the job {name} has ended, and its last is {newest.record.run}",
                                f"stop that: despina stop {name}")
        if not job.record.ended:
            job.stop(mode, limit_s, who=who)
        return job

    def control(self, name: str, command: str, operator: str = "", argument: str = "", run: int | None = None,
                who: str = "") -> tuple[Told, ...]:
        """Tells operators of a running job what to do; returns when all of their instances have answered.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it does not run
        :raise RefusedError: nothing was done: there is no such command or operator, or it does not know the command
        """
        job = self.one(name, run)
        told = job.control(command, operator, argument, who)
        if told is None:
            raise ConflictError("job_state", f"the job {name} is {job.record.real}", "a job that runs can be told something")
        return told

    def remove(self, name: str, run: int | None = None, who: str = "") -> None:
        """Removes a run, or all of a name, with all that is in their folders: reports, logs, states, files.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it has not ended
        """
        with self._lock:
            jobs = self._runs.get(name, [])
            found = [job for job in jobs if run is None or job.record.run == run]
            if not found:
                raise self._missing(name, run)
            for job in found:
                if not job.record.ended:
                    raise ConflictError("job_state", f"the job {name} is {job.record.real}", f"first: despina stop {name}")
            if run is not None:
                self._refuse_upgraded(name)
            gone = []
            for job in found:
                gone.append(self._hide(job))
                self.events.add("remove", job.record, "removed", who)
        for folder in gone:
            self._store.clear(folder)

    def missing(self) -> str:
        """Why no job can run at this moment; empty if one can."""
        return self._coordinator.missing()

    @property
    def folder(self) -> Path:
        """The service's."""
        return self._store.folder

    def plan(self, job: ServedJob) -> dict[str, Any] | None:
        """The plan of a run as check gives it, with schemas; None if it cannot be made now. It has no value of a parameter,
        which may be one that not everybody is to read.
        """
        record, run = job.record, job.run
        try:
            found = self.check(Submission(run.graph, record.graph, deployment=run.deployment, parameters=run.parameters,
                                          inputs=tuple(record.inputs)), run.files).plan
        except StartError:
            return None
        return found and as_written(found, run.graph)

    def all(self) -> list[ServedJob]:
        """The last run of every name."""
        with self._lock:
            return [_last(jobs) for _, jobs in sorted(self._runs.items()) if jobs]

    def runs(self, name: str) -> list[ServedJob]:
        """The runs of a name that are kept, the newest last.

        :raise MissingError: there is none
        """
        with self._lock:
            self._newest(name)
            return list(self._runs[name])

    def one(self, name: str, run: int | None = None) -> ServedJob:
        """A run of that name, the last if no number is given.

        :raise MissingError: there is none
        """
        with self._lock:
            if run is None:
                return self._newest(name)
            for job in self._runs.get(name, []):
                if job.record.run == run:
                    return job
            raise self._missing(name, run)

    # --- under the lock ---

    def _newest(self, name: str) -> ServedJob:
        jobs = self._runs.get(name)
        if not jobs:
            raise self._missing(name, None)
        return _last(jobs)

    def _missing(self, name: str, run: int | None) -> MissingError:
        names = [known for known, jobs in self._runs.items() if jobs]
        if run is not None and name in names:
            return MissingError("run", f"the job {name} has no run {run}",
                                f"its runs: {', '.join(str(job.record.run) for job in self._runs[name])}")
        from difflib import get_close_matches
        close = get_close_matches(name, names, 1)
        return MissingError("job", f"there is no job {name!r}", f"did you mean {close[0]}?" if close else "see despina list")

    def _by_key(self, submission: Submission) -> ServedJob | None:
        with self._lock:
            return self._by_key_locked(submission)

    def _by_key_locked(self, submission: Submission) -> ServedJob | None:
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

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ConflictError("service_ends", "the service ends", "try again when it is back")

    def _hide_old(self, name: str) -> list[Path]:
        """Takes away runs that are too many or too old. The last one of a name stays. What cannot be removed is told by that one
        and tried again at the next submission, which does not fail of it.

        :return: folders to clear without the lock, for states may be large
        """
        jobs = self._runs[name]
        oldest_ms = time.time_ns() // 1_000_000 - KEPT_DAYS * DAY_MS
        gone = []
        stays = {_last(jobs).record.run, jobs[-1].record.run, (jobs[-1].record.upgrade or {}).get("from_run")}
        for job in list(jobs):
            record = job.record
            many = len(self._runs[name]) > self._kept_runs
            if record.ended and record.run not in stays and (many or record.changed_at_ms < oldest_ms):
                try:
                    gone.append(self._hide(job))
                except OSError as error:
                    jobs[-1].tell("warning", f"run {record.run} cannot be removed: {error.strerror or error}")
        return gone

    def _hide(self, job: ServedJob) -> Path:
        job.join(5.0)
        gone = self._store.hide(job.run)
        self._runs[job.record.name] = [other for other in self._runs[job.record.name] if other is not job]
        return gone


def _last(jobs: Sequence[ServedJob]) -> ServedJob:
    """Of the runs of a name the one that is the job: the last that has taken over."""
    return next((job for job in reversed(jobs) if job.record.counts), jobs[-1])


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
