"""The processes of a run: started with a mark, ended by their own ids, found again after the harness was killed.

Every process gets the run's mark in its environment, and so does whatever it starts. The mark stands in the registry before the
first process does; a later start ends every process that carries the mark of a harness that has gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from despina.errors import JobError

MARK = "DESPINA_BENCH_RUN"
FOLDER_PREFIX = "despina-bench-"
"""Of the folders of runs, which are removed after a run, or by the next start."""

GRACE_S = 5.0
LOADING_S, LOADING_LOOKS = 0.005, 20
"""How far apart, and how often, a child is looked at that has no environment yet."""
POLL_S = 0.05


def cache() -> Path:
    """The user's cache folder, for what measuring makes or fetches once."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "despina" / "compare"


def registry() -> Path:
    """Where the marks of running harnesses stand."""
    return cache() / "running"


@dataclass(frozen=True)
class ProcessId:
    """A process, told from a later one with the same number by when it started (clock ticks since boot)."""

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The live process of that number, None if there is none."""
        found = _stat(pid)
        return None if found is None else cls(pid, int(found[19]))

    def alive(self) -> bool:
        """Whether it has not ended."""
        return ProcessId.of(self.pid) == self


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the command's name; None for a process that is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if fields[0] in "ZX" else fields


def alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    return _stat(pid) is not None


def children(parent: int) -> list[int]:
    """Its living children."""
    pids = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return [pid for pid in pids if (fields := _stat(pid)) is not None and int(fields[1]) == parent]


def marked(mark: str) -> list[ProcessId]:
    """All live processes that carry the mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if wanted in _environment(int(folder.name)).split(b"\0") and (it := ProcessId.of(int(folder.name))) is not None:
                found.append(it)
    return found


def _environment(pid: int) -> bytes:
    """Of a process. A child of this one that has just been started has none for a moment, until the kernel has loaded it."""
    for _ in range(LOADING_LOOKS):
        found = Path(f"/proc/{pid}/environ").read_bytes()
        fields = _stat(pid)
        if found or fields is None or int(fields[1]) != os.getpid():
            return found
        time.sleep(LOADING_S)
    return b""


class Processes:
    """What one run started; everything it started in turn is counted in."""

    def __init__(self, registry: Path, folder: Path) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        self._children: list[subprocess.Popen[bytes]] = []
        self._entry = registry / f"{self.mark}.json"
        registry.mkdir(parents=True, exist_ok=True)
        harness = ProcessId.of(os.getpid())
        assert harness is not None
        self._write({"harness": [harness.pid, harness.started], "folder": str(folder), "processes": []})

    def _write(self, entry: Mapping[str, object]) -> None:
        part = self._entry.with_suffix(".part")
        part.write_text(json.dumps(entry))
        part.replace(self._entry)

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Starts a process in a session of its own; what it writes goes to NAME.log in the run's folder."""
        with (self.folder / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder,
                                     env={**os.environ, **(environment or {}), MARK: self.mark}, start_new_session=True)
        self._children.append(child)
        if (found := ProcessId.of(child.pid)) is not None:
            entry = json.loads(self._entry.read_text())
            entry["processes"].append([found.pid, found.started, name])
            self._write(entry)
        return child

    @contextlib.contextmanager
    def marking(self) -> Iterator[None]:
        """Whatever this process starts within the block, by whatever means, is one of the run's."""
        os.environ[MARK] = self.mark
        try:
            yield
        finally:
            del os.environ[MARK]

    def call(self, name: str, command: Sequence[str], timeout_s: float, environment: Mapping[str, str] | None = None) -> None:
        """Starts a process and waits for its end.

        :raise RunError: it failed, with its last words
        """
        child = self.start(name, command, environment)
        try:
            code = child.wait(timeout_s)
        except subprocess.TimeoutExpired as late:
            raise RunError(f"{name} did not end within {timeout_s:.0f} s; {self.last_words(name)}") from late
        if code != 0:
            raise RunError(f"{name} ended with exit code {code}; {self.last_words(name)}")

    def last_words(self, name: str, lines: int = 12) -> str:
        """The end of a process's log."""
        try:
            text = (self.folder / f"{name}.log").read_text(errors="replace")
        except OSError:
            return "it said nothing"
        return "its last words:\n" + "\n".join(text.splitlines()[-lines:])

    def members(self) -> list[ProcessId]:
        """All live processes of this run."""
        return marked(self.mark)

    def fallen(self) -> subprocess.Popen[bytes] | None:
        """A process started here that ended with an error, if there is one."""
        return next((child for child in self._children if child.poll() not in (None, 0)), None)

    def stop(self, grace_s: float = GRACE_S) -> None:
        """Ends them all: asks, waits, then kills; returns when none is left."""
        end(self.members, grace_s)
        for child in self._children:
            child.wait()
        self._entry.unlink(missing_ok=True)


@contextlib.contextmanager
def supervised(registry: Path, folder: Path) -> Iterator[None]:
    """What this process starts within the block, by whatever means, is ended with it, or by the next start.

    :param folder: of a run, which the next start removes if this process was killed
    """
    processes = Processes(registry, folder)
    try:
        with processes.marking():
            yield
    finally:
        processes.stop()


class RunError(JobError):
    """A run that gave no figure, and why."""

    def __init__(self, message: str) -> None:
        super().__init__("bench_run", message)


def end(members: Callable[[], Sequence[ProcessId]], grace_s: float = GRACE_S) -> list[ProcessId]:
    """Ends what ``members()`` lists until it lists none; those that started meanwhile are in the next list.

    :return: all that it ended
    """
    ended: dict[ProcessId, None] = {}
    deadline = time.monotonic() + grace_s
    while alive := members():
        last = time.monotonic() >= deadline
        for process in alive:
            if last or process not in ended:
                ended[process] = None
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL if last else signal.SIGTERM)
        time.sleep(POLL_S)
    return list(ended)


def clean_up(registry: Path) -> Iterator[str]:
    """Ends what harnesses that have gone left behind, and says what."""
    for entry in sorted(registry.glob("*.json")):
        try:
            told = json.loads(entry.read_text())
            harness = ProcessId(*told["harness"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if harness.alive():
            continue
        names = {(pid, started): name for pid, started, name in told["processes"]}
        recorded = [ProcessId(pid, started) for pid, started in names]

        def left(mark: str = entry.stem, recorded: Sequence[ProcessId] = tuple(recorded)) -> list[ProcessId]:
            return list({*marked(mark), *(process for process in recorded if process.alive())})

        for process in end(left, 0.5):
            name = names.get((process.pid, process.started), "its child")
            yield f"ended process {process.pid} ({name}) of a harness that was killed"
        if (folder := Path(told["folder"])).name.startswith(FOLDER_PREFIX):
            shutil.rmtree(folder, ignore_errors=True)
        entry.unlink(missing_ok=True)


def free_ports(count: int) -> list[int]:
    """So many ports that nobody listens on now, all different."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
