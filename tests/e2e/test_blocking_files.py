"""Files that do not answer hold up their own job alone; what would never answer is refused."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Job
from e2e.conftest import Call
from support.graphs import TWO, Fields, chain, csv_source, relay, rows, write
from support.processes import until

CORES = os.cpu_count() or 1
"""As many as a resource has workers."""


class Lease:
    """While it is held, whoever opens the file waits, as for a server that does not answer."""

    def __init__(self, path: Path) -> None:
        path.touch()
        self._file = os.open(path, os.O_RDWR)
        fcntl.fcntl(self._file, fcntl.F_SETLEASE, fcntl.F_WRLCK)

    @property
    def awaited(self) -> bool:
        """Whether somebody waits."""
        return fcntl.fcntl(self._file, fcntl.F_GETLEASE) != fcntl.F_WRLCK

    def end(self) -> None:
        os.close(self._file)


@contextmanager
def leased(paths: list[Path]) -> Iterator[list[Lease]]:
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)    # so the system says that somebody waits
    try:
        with ExitStack() as ends:
            leases = []
            for path in paths:
                try:
                    leases.append(Lease(path))
                except OSError as e:
                    pytest.skip(f"no leases on this file system: {e}")
                ends.callback(leases[-1].end)
            yield leases
    finally:
        signal.signal(signal.SIGIO, before)


def start(engine: Engine, graph: Fields, deployment: Fields | None) -> Job:
    return Graph.from_dict(graph).start(engine, RunOptions(deployment=deployment))


def writing(folder: Path, count: int | None) -> Fields:
    sink = {"type": "file_sink", "path": str(folder), "format": "json", "parallelism": CORES}
    return chain(("source", rows(count, "id", rate_per_s=1000)), ("sink", sink), name="writing")


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
def test_files_that_do_not_open_hold_up_their_own_job_alone(engine: Engine, tmp_path: Path, deployment: Fields | None) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with leased([folder / f".part-{k:05}.writing-sink.lock" for k in range(CORES)]) as leases:
        with start(engine, writing(folder, None), deployment) as stuck:
            until(lambda: all(lease.awaited for lease in leases), "openings")
            with start(engine, relay(100), deployment) as other:
                assert other.wait(timeout_s=60).state == "done"
            assert not stuck.poll().ended
            stuck.stop("now")
            assert stuck.wait(timeout_s=60).state == "stopped"
        assert all(lease.awaited for lease in leases)
    # what the openings have come to in the end is nobody's any more
    with start(engine, writing(folder, 10), deployment) as after:
        assert after.wait(timeout_s=60).state == "done"


@pytest.mark.parametrize("place", [None, TWO], ids=["one process", "two resources"])
def test_a_pipe_is_refused_in_words(call: Call, tmp_path: Path, place: Fields | None) -> None:
    os.mkfifo(tmp_path / "pipe")
    deployed = [] if place is None else ["--deployment", write(tmp_path / "d.json", place)]
    words = f"{tmp_path / 'pipe'} is a pipe, a device or a socket, and a "
    reads = chain(("source", csv_source("pipe")), ("sink", {"type": "discard_sink"}))
    ended = call("run", write(tmp_path / "reads.json", reads), *deployed)
    assert ended.code == 1
    assert words + "file_source reads only regular files" in ended.err
    sink = {"type": "file_sink", "path": "pipe", "single_file": True, "format": "json", "if_exists": "replace"}
    ended = call("run", write(tmp_path / "writes.json", chain(("source", rows(10, "id")), ("sink", sink))), *deployed)
    assert ended.code == 1
    assert words + "file_sink writes only regular files" in ended.err
    assert (tmp_path / "pipe").is_fifo()
