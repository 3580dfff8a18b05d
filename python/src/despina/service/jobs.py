"""All jobs of the service: submitted, started, stopped, removed; and reconciled with what is wanted when the service starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from despina.engine import Told
from despina.errors import GraphError
from despina.options import StopMode
from despina.service.bundles import Bundles
from despina.service.checks import Checks
from despina.service.coordinator import Coordinator
from despina.service.history import Events, Recorder
from despina.service.refusals import ConflictError
from despina.service.registry import KEPT_RUNS, Registry, last
from despina.service.rules import Rules
from despina.service.saves import KINDS
from despina.service.served import ServedJob
from despina.service.specs import Specs
from despina.service.store import ENDED, Record, Store, Texts, by_name
from despina.service.submission import Submission, filled, name_of, refuse_elsewhere, refuse_shared, words
from despina.service.upgrades import Fate, Upgrades, Wish


class Jobs:
    """Owns every job, whoever comes and goes. Thread-safe."""

    def __init__(self, store: Store, coordinator: Coordinator, rules: Rules | None = None, kept_runs: int = KEPT_RUNS,
                 memory_bytes: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Owns the folder's jobs from :meth:`reconcile` on.

        :param rules: what graphs may name; nothing outside of their folders if not given
        :param memory_bytes: what the processes of all jobs may take together; None for no bound
        """
        self._store = store
        self.bundles = Bundles(store.folder / "files", store.folder / "staging")
        self._coordinator = coordinator
        self._clock = clock
        self.registry = Registry(store, kept_runs, memory_bytes)
        self._closed = False
        self.checks = Checks(coordinator, rules or Rules(), store.folder)
        self.upgrades = Upgrades(self)
        self.events = Events(store.folder)
        self.specs = {kind: Specs(store.folder, kind) for kind in KINDS}
        self.recorder = Recorder(self.all, clock)

    # --- at the start and the end of the service ---

    def reconcile(self) -> None:
        """Compares what is wanted with what is: nothing, for the processes of a service end with it. A job that was wanted
        running goes on as its ``restart`` says; another that had not ended is lost.

        :raise RefusedError: a record cannot be read
        """
        for name, runs in by_name(self._store.runs()):
            jobs = [ServedJob(run, self._coordinator, words, self._clock, self.events.add) for run in runs]
            self.registry.add(name, *jobs)
            self.upgrades.settle(jobs)
            for job in jobs:
                self._settle(job, job is last(jobs))
            self.upgrades.go_on(jobs)
            for old in self.registry.hide_old(name):
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
        with self.registry.lock:
            self._closed = True
        running = [job for job in self.registry.every() if job.active]
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

    def dry_run(self, submission: Submission, wish: Wish) -> tuple[str, list[Fate]]:
        """What would become of a job's operators and of their states under another graph.

        :return: the epoch that was looked at, in words, empty for none; and the operators
        :raise GraphError: the graph is refused, or a state cannot go on
        :raise MissingError: there is no such job
        """
        before = self.one(submission.name)
        with self.bundles.staged(submission.files) as folder:
            submission = filled(submission, before.run)
            source, found, _ = self.checks.fates(submission, self.checks.plain(submission), wish, folder, before)
            return source, found

    def upgrade(self, submission: Submission, wish: Wish) -> tuple[ServedJob, bool]:
        """Has a job go on with another graph. Returns when that is on the disk; the new run's record says how far it is.

        :param submission: what it does not say is as before; its name is that of the job
        :return: the new run, and whether it is there since an earlier call with the same key
        :raise GraphError: it is refused, or a state cannot go on
        :raise ConflictError: the job does not run, or is being upgraded
        :raise OSError: it could not be written: nothing has changed
        """
        if (known := self.known(submission)) is not None:
            return known, True
        before = self.one(submission.name)
        submission = filled(submission, before.run)
        refuse_elsewhere(submission.deployment)
        refuse_shared(submission)
        self.checks.refuse_code(submission.files)
        with self.bundles.staged(submission.files) as folder:
            plain = self.checks.plain(submission)
            _, _, needed = self.checks.fates(submission, plain, wish, folder, before)
            with self.registry.lock:
                self._refuse_closed()
                if (known := self.registry.by_key(submission)) is not None:
                    return known, True
                self.registry.refuse_upgraded(submission.name)
                if self.registry.newest(submission.name) is not before or before.record.real != "running":
                    raise ConflictError("job_state", f"the job {submission.name} is {before.record.real}",
                                        f"what runs can be upgraded; first: despina start {submission.name}. `despina submit` "
                                        "begins another run, without the state of this one")
                self.registry.refuse_too_large(submission.name, needed, submission.isolation)
                job = self._create(plain, folder, needed, wish.of(before))
                self.events.add("upgrade", job.record, f"from run {before.record.run}", submission.who)
                gone = self.registry.hide_old(submission.name)
        self.upgrades.begin(before, job, submission.who)
        for old in gone:
            self._store.clear(old)
        return job, False

    def closed(self) -> bool:
        """Whether the service ends."""
        return self._closed

    def taken_over(self, after: ServedJob, step: Callable[[], bool]) -> bool:
        """Makes a step that changes which run is the job, while nobody asks for another; whether it was made. It is not if the
        service ends, or the name has a later run than that of the upgrade.
        """
        with self.registry.lock:
            return not self._closed and self.registry.of(after.record.name)[-1:] == [after] and step()

    def submit(self, submission: Submission) -> tuple[ServedJob, bool]:
        """Has a graph run from now on, whatever happens to the service.

        :return: the job, and whether it is there since an earlier call with the same key
        :raise GraphError: it is refused
        :raise ConflictError: its name is that of a job that has not ended, or its key is of another submission
        :raise OSError: it could not be written: it is not submitted
        """
        if (before := self.known(submission)) is not None:
            return before, True
        submission = replace(submission, told=submission.digest)
        refuse_elsewhere(submission.deployment)
        refuse_shared(submission)
        self.checks.refuse_code(submission.files)
        with self.bundles.staged(submission.files) as folder:
            plain = self.checks.plain(submission)
            checked = self.checks.checked(submission, plain, folder)
            if not checked.ok:
                raise GraphError(checked.diagnostics)
            return self._submitted(plain, folder, checked.children_bytes)

    def _submitted(self, submission: Submission, folder: Path, needed: int) -> tuple[ServedJob, bool]:
        name = submission.name or name_of(submission.text)
        with self.registry.lock:
            self._refuse_closed()
            if (before := self.registry.by_key(submission)) is not None:
                return before, True
            jobs = self.registry.of(name)
            if jobs and not last(jobs).record.ended:
                raise ConflictError("job_name", f"a job {name} is {last(jobs).record.real}",
                                    f"stop it, or submit under another name: --name {name}2")
            if jobs and jobs[-1].record.phase in ("drains", "comes_back"):
                self.registry.refuse_upgraded(name)
            self.registry.refuse_too_large(name, needed, submission.isolation)
            job = self._create(replace(submission, name=name), folder, needed)
            job.begin("submitted", who=submission.who)
            gone = self.registry.hide_old(name)
        for old in gone:
            self._store.clear(old)
        return job, False

    def _create(self, submission: Submission, folder: Path, memory_bytes: int,
                upgrade: Mapping[str, Any] | None = None) -> ServedJob:
        name = submission.name
        record = Record(name, max((job.record.run for job in self.registry.of(name)), default=0) + 1, submission.file,
                        restart=submission.restart, labels=dict(submission.labels), inputs=list(submission.inputs),
                        key=submission.key, digest=submission.digest, submitted_at_ms=time.time_ns() // 1_000_000,
                        memory_bytes=memory_bytes, upgrade=upgrade, saved=submission.saved, isolation=submission.isolation,
                        spool=submission.spool)
        run = self._store.create(record, Texts(submission.text, submission.deployment, submission.parameters, submission.places),
                                 folder)
        job = ServedJob(run, self._coordinator, words, self._clock, self.events.add)
        self.registry.add(name, job)
        return job

    def start(self, name: str, from_start: bool = False, who: str = "") -> ServedJob:
        """Starts the last run of a name again, from where its state is.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it runs, or it is done and is not to begin anew
        """
        with self.registry.lock:
            self._refuse_closed()
            job = self.registry.newest(name)
            record = job.record
            if record.counts and self.registry.of(name)[-1].record.phase in ("drains", "comes_back"):
                self.registry.refuse_upgraded(name)
            if not record.ended:
                raise ConflictError("job_state", f"the job {name} is {record.real} already")
            if record.real == "done" and record.restart == "resume" and not from_start:
                raise ConflictError("job_state", f"the job {name} is done: nothing is left of its input",
                                    f"begin anew: despina start {name} --from-start")
            self.registry.refuse_too_large(name, record.memory_bytes, record.isolation)
            job.begin("started", from_start, who)
        return job

    def stop(self, name: str, mode: StopMode = "drain", limit_s: float = 10.0, run: int | None = None,
             who: str = "") -> ServedJob:
        """Has a job stopped; returns at once. One that has ended stays as it is.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it is not the last run of that name
        """
        found = self.one(name, run)
        with self.registry.lock:        # between the runs of an upgrade, too, it counts that nobody wants the job any more
            newest = self.registry.newest(name)
            if run is not None and found is not newest:
                raise ConflictError("run", f"run {run} of the job {name} has ended, and its last is {newest.record.run}",
                                    f"stop that: despina stop {name}")
            if newest.state not in ENDED:
                newest.stop(mode, limit_s, who=who)
            return newest

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
            raise ConflictError("job_state", f"the job {name} is {job.state}", "a job that runs can be told something")
        return told

    def remove(self, name: str, run: int | None = None, who: str = "") -> None:
        """Removes a run, or all of a name, with all that is in their folders: reports, logs, states, files.

        :param who: for the events
        :raise MissingError: there is none
        :raise ConflictError: it has not ended
        """
        with self.registry.lock:
            jobs = self.registry.of(name)
            found = [job for job in jobs if run is None or job.record.run == run]
            if not found:
                raise self.registry.missing(name, run)
            for job in found:
                if not job.record.ended:
                    raise ConflictError("job_state", f"the job {name} is {job.record.real}", f"first: despina stop {name}")
            if run is not None:
                self.registry.refuse_upgraded(name)
            gone = []
            for job in found:
                gone.append(self.registry.hide(job))
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

    def all(self) -> list[ServedJob]:
        """The last run of every name."""
        return self.registry.all()

    def runs(self, name: str) -> list[ServedJob]:
        """The runs of a name that are kept, the newest last.

        :raise MissingError: there is none
        """
        return self.registry.runs(name)

    def one(self, name: str, run: int | None = None) -> ServedJob:
        """A run of that name, the last if no number is given.

        :raise MissingError: there is none
        """
        return self.registry.one(name, run)

    def known(self, submission: Submission) -> ServedJob | None:
        """The run that the same submission has made before; None if there is none, or it has no key.

        :raise ConflictError: the key is of another submission
        """
        with self.registry.lock:
            return self.registry.by_key(submission)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ConflictError("service_ends", "the service ends", "try again when it is back")
