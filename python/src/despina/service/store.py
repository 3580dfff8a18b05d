"""The service's folder: what jobs there are, what is wanted of each, and what it is.

::

    DIR/
      service.json                 {"layout": 1}
      files/DIGEST  staging/       what comes with graphs
      graphs/  deployments/        what is kept to be submitted, see :mod:`despina.service.specs`
      events.N.jsonl               who had what done, and what became of jobs
      lock                         held by the service that runs; who it is stands in it
      jobs/NAME/RUN/               a submission: RUN counts from 1 for each NAME
        job.json                   the record: what is wanted, what is, since when and why
        graph.json  deployment.json  parameters.json     as they were submitted, the graph without parts
        places.json                of such a graph, where each of its operators was in what was submitted
        report.json  log.N.jsonl  errors.N.jsonl         as they come
        records/OPERATOR.N.jsonl   the last bad ones of each
        history/                   how it went, in rings
        savepoint/                 of an upgrade, until it is over
        state/                     of the job, from which it goes on
        files/                     what relative paths of the graph are of

A run appears as a whole: its folder is made under a hidden name and renamed. A record is replaced as a whole. Both are on the
disk when the call returns, so whatever is killed, the folder says what was wanted. Only the holder of the lock writes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, get_args

from despina.errors import Place, RefusedError, StartError
from despina.service import durable
from despina.service.durable import PRIVATE, PRIVATE_FILE

LAYOUT = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
NAME_HINT = "letters, digits, _, . and -, at most 64, the first a letter or a digit"

Wanted = Literal["running", "stopped"]
Real = Literal["submitted", "deploying", "running", "draining", "restarting", "done", "failed", "stopped", "incomplete", "lost"]
Restart = Literal["resume", "from_start", "never"]
Isolation = Literal["own", "shared"]
UNDER_WAY = ("drains", "starts", "comes_back")
"""Phases of an upgrade that is not over."""
ENDED: frozenset[Real] = frozenset({"done", "failed", "stopped", "incomplete", "lost"})
RESTARTS: tuple[Restart, ...] = get_args(Restart)


@dataclass(frozen=True)
class Record:
    """A run as the folder has it.

    :ivar wanted: what a user asked for last
    :ivar real: what it is, as far as was known when the record was written
    :ivar reason: why it is that, in words; empty for nothing worth saying
    :ivar restart: what becomes of it when the service or its coordinator was lost
    :ivar inputs: sources that programs give rows
    :ivar spool: sinks whose rows are kept for programs that read them
    :ivar key: of the submission, so that a submission that comes twice is one
    :ivar digest: of what was submitted with that key
    :ivar submitted_at_ms: wall clock, as all times
    :ivar changed_at_ms: when ``real`` became what it is
    :ivar starts: how often it was started, by a user or after a loss
    :ivar by_service: whether it was stopped only because the service ended, or for an upgrade
    :ivar memory_bytes: what its processes here may take, all together
    :ivar saved: of which revision of which graph and deployment it is, if they were saved before
    :ivar isolation: whether it has its processes alone, or one process with all jobs that are shared
    :ivar upgrade: of a run that takes over from another, what was asked for and how far that is, as
        :mod:`despina.service.upgrades` has it
    """

    name: str
    run: int
    graph: str
    wanted: Wanted = "running"
    real: Real = "submitted"
    reason: str = ""
    restart: Restart = "resume"
    labels: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    key: str = ""
    digest: str = ""
    submitted_at_ms: int = 0
    changed_at_ms: int = 0
    starts: int = 0
    by_service: bool = False
    error: Mapping[str, Any] | None = None
    upgrade: Mapping[str, Any] | None = None
    memory_bytes: int = 0
    saved: Mapping[str, Any] | None = None
    isolation: Isolation = "own"
    spool: Sequence[str] = ()

    @property
    def phase(self) -> str:
        """How far its upgrade is; empty if it is none."""
        return str((self.upgrade or {}).get("phase", ""))

    @property
    def counts(self) -> bool:
        """Whether it is the job, if it is the last of its name: it has taken over, and not failed at that."""
        return self.phase not in ("drains", "comes_back", "withdrawn")

    @property
    def ended(self) -> bool:
        """Whether no process of it is meant to live."""
        return self.real in ENDED

    def with_changes(self, **changes: Any) -> Self:
        """The same with other fields."""
        return replace(self, **changes)

    @classmethod
    def parse(cls, text: str, place: Path) -> Record:
        """Reads a record.

        :raise RefusedError: it is of another layout, or damaged
        """
        try:
            found = json.loads(text)
            layout = found.pop("layout")
            if layout == LAYOUT:
                return cls(**found)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RefusedError("record", f"this is no record of a run: {error}", "restore the file from a backup, or move its "
                               "folder away", Place(str(place))) from None
        raise _other_layout(layout, place)


def _other_layout(layout: Any, place: Path) -> RefusedError:
    return RefusedError("layout", f"layout={layout!r}, and this Despina reads layout {LAYOUT}",
                        "use the Despina that wrote the folder, or another folder", Place(str(place)))


class Run:
    """The folder of one run. One thread at a time writes its record."""

    def __init__(self, folder: Path, record: Record) -> None:
        self.folder = folder
        self._record = record

    @property
    def record(self) -> Record:
        """As it was written last."""
        return self._record

    def write(self, record: Record) -> None:
        """Replaces the record, which is on the disk when this returns.

        :raise OSError: the disk is full, say: the record is as it was, here and there
        """
        durable.replace_file(self.folder / "job.json", _text_of(record))
        self._record = record

    def keep(self, record: Record) -> None:
        """The same; where the disk takes nothing, it is had in memory alone, until the next that is written."""
        with contextlib.suppress(OSError):
            self.write(record)
        self._record = record

    @property
    def graph(self) -> str:
        """The graph's text, as it was submitted, but with the operators of its parts in the place of each use."""
        return (self.folder / "graph.json").read_text(encoding="utf-8")

    @property
    def deployment(self) -> str | None:
        """The deployment's text; None if it was submitted without."""
        file = self.folder / "deployment.json"
        return file.read_text(encoding="utf-8") if file.exists() else None

    @property
    def parameters(self) -> dict[str, str]:
        """Its parameters."""
        found: dict[str, str] = json.loads((self.folder / "parameters.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def places(self) -> Mapping[str, Mapping[str, Any]]:
        """By JSON pointer into :attr:`graph`, where that is in what was submitted; nothing if it is the same text."""
        try:
            found: dict[str, dict[str, Any]] = json.loads((self.folder / "places.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}       # it says where something is, and nothing else
        return found

    @property
    def files(self) -> Path:
        """What relative paths of the graph are of."""
        return self.folder / "files"

    @property
    def state(self) -> Path:
        """Where the job keeps its state."""
        return self.folder / "state"

    def keep_report(self, report: Mapping[str, Any]) -> None:
        """Replaces the report."""
        durable.replace_file(self.folder / "report.json", json.dumps(report, indent=2) + "\n")

    def report(self) -> dict[str, Any] | None:
        """The report of its last end; None before."""
        try:
            found: dict[str, Any] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return found


@dataclass(frozen=True)
class Texts:
    """What is submitted with a run, as it is kept.

    :ivar places: of a graph whose parts were written out: by JSON pointer, where that is in what was sent
    """

    graph: str
    deployment: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class Store:
    """All runs of a folder. Opened by one service at a time; thread-safe but for two calls that are about one job."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._lock = lock
        self._jobs = folder / "jobs"

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Takes the folder, and makes it where it is missing.

        :raise StartError: another service has it, or it cannot be written
        :raise RefusedError: it is of another layout
        """
        try:
            (folder / "jobs").mkdir(parents=True, exist_ok=True, mode=PRIVATE)
            folder.chmod(PRIVATE)
            lock = _locked(folder)
        except OSError as error:
            raise StartError("folder", f"the folder cannot be used: {error.strerror}", "name another: --folder DIR",
                             Place(str(folder))) from None
        marker = folder / "service.json"
        if not marker.exists():
            durable.replace_file(marker, json.dumps({"layout": LAYOUT}) + "\n")
        try:
            layout = json.loads(marker.read_text(encoding="utf-8"))["layout"]
        except (ValueError, KeyError, TypeError):
            layout = None
        if layout != LAYOUT:
            os.close(lock)
            raise _other_layout(layout, marker)
        return cls(folder, lock)

    def sign(self, url: str) -> None:
        """Writes down who has the folder, for another service that wants it."""
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"the service at {url}, process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def runs(self) -> list[Run]:
        """All runs, by name and number. What a death has left half made or half removed is removed.

        :raise RefusedError: a record cannot be read
        """
        found = []
        for job in sorted(path for path in self._jobs.iterdir() if path.is_dir()):
            for folder in sorted(job.iterdir(), key=lambda path: (len(path.name), path.name)):
                if folder.name.startswith("."):
                    shutil.rmtree(folder, ignore_errors=True)
                elif folder.name.isdecimal():
                    place = folder / "job.json"
                    found.append(Run(folder, Record.parse(place.read_text(encoding="utf-8"), place)))
        return found

    def create(self, record: Record, texts: Texts, files: Path) -> Run:
        """Makes a run, which is on the disk as a whole when this returns.

        :param files: the folder of what comes with the graph, which is moved into the run's
        :raise OSError: the disk is full, say: there is no run then
        """
        job = self._jobs / record.name
        job.mkdir(exist_ok=True, mode=PRIVATE)
        making, folder = job / f".{record.run}.making", job / str(record.run)
        shutil.rmtree(making, ignore_errors=True)
        try:
            making.mkdir(mode=PRIVATE)
            (making / "state").mkdir(mode=PRIVATE)
            for path in (*files.rglob("*"), files):
                durable.sync(path)
            files.rename(making / "files")
            durable.write_new(making / "graph.json", texts.graph)
            if texts.deployment is not None:
                durable.write_new(making / "deployment.json", texts.deployment)
            durable.write_new(making / "parameters.json", json.dumps(dict(texts.parameters)))
            if texts.places:
                durable.write_new(making / "places.json", json.dumps(texts.places))
            durable.write_new(making / "job.json", _text_of(record))
            durable.sync(making)
            making.rename(folder)
            durable.sync(job)
            durable.sync(self._jobs)
        except OSError:
            with contextlib.suppress(OSError):      # what was refused must not be there when the service comes back
                folder.rename(making)
            shutil.rmtree(making, ignore_errors=True)
            raise
        return Run(folder, record)

    def hide(self, run: Run) -> Path:
        """Removes a run from its place, at once, with all that is in its folder.

        :return: where that is until :meth:`clear`
        :raise OSError: it stays where it is
        """
        gone = run.folder.with_name(f".{run.folder.name}.removed")
        if gone.exists():
            shutil.rmtree(gone)
        run.folder.rename(gone)
        with contextlib.suppress(OSError):      # after a loss of power it may be there again, whole
            durable.sync(gone.parent)
        return gone

    def clear(self, gone: Path) -> None:
        """Removes what :meth:`hide` has hidden. What cannot be removed goes when the folder is opened again."""
        shutil.rmtree(gone, ignore_errors=True)

    def close(self) -> None:
        """Lets the folder go."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _locked(folder: Path) -> int:
    """The lock's descriptor.

    :raise StartError: another service has it
    """
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(lock, 1000).decode(errors="replace").strip()
        os.close(lock)
        if not isinstance(error, BlockingIOError):
            raise
        raise StartError("folder_in_use", f"{holder or 'another service'} has the folder",
                         "end that service, or name another folder: --folder DIR", Place(str(folder))) from None
    return lock


def _text_of(record: Record) -> str:
    known_later = {"upgrade": None, "saved": None, "isolation": "own", "spool": ()}     # not to older services
    fields = {name: value for name, value in asdict(record).items() if name not in known_later or value != known_later[name]}
    return json.dumps({"layout": LAYOUT, **fields}, indent=2) + "\n"


def by_name(runs: list[Run]) -> Iterator[tuple[str, list[Run]]]:
    """The runs of each name, in order."""
    names = dict.fromkeys(run.record.name for run in runs)
    for name in names:
        yield name, [run for run in runs if run.record.name == name]
