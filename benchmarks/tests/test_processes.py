"""What a killed harness leaves is ended by the next start; harmless processes stand for the engines."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from harness.processes import FOLDER_PREFIX, MARK, Processes, ProcessId, RunError, clean_up, marked, supervised

SLEEPER = ["sleep", "600"]
HARNESS = """
import signal, sys
from pathlib import Path
from harness.processes import Processes
processes = Processes(Path(sys.argv[1]), Path(sys.argv[2]))
processes.start("daemon", [sys.executable, "-c", {daemon!r}])
print(processes.mark, flush=True)
signal.pause()
"""
DEAF = "import signal; signal.signal(15, signal.SIG_IGN); print(1, flush=True); signal.pause()"
DAEMON = """
import signal, socket, subprocess
held = socket.create_server(("127.0.0.1", 0))
worker = subprocess.Popen(["sleep", "600"], start_new_session=True)
open("port", "w").write(f"{held.getsockname()[1]} {worker.pid}\\n")
signal.pause()
"""


@pytest.fixture
def processes(tmp_path: Path) -> Processes:
    (tmp_path / "run").mkdir()
    return Processes(tmp_path / "running", tmp_path / "run")


def test_stop_ends_what_was_started_and_what_that_started(processes: Processes) -> None:
    child = processes.start("shell", ["sh", "-c", "sleep 600 & sleep 600"])
    while len(processes.members()) < 3:
        assert child.poll() is None
    processes.stop()
    assert marked(processes.mark) == []


def test_stop_kills_who_does_not_go_when_asked(processes: Processes) -> None:
    processes.start("deaf", [sys.executable, "-c", DEAF])
    while "1" not in processes.last_words("deaf"):
        assert processes.fallen() is None
    processes.stop(grace_s=0.1)
    assert marked(processes.mark) == []


def test_stop_leaves_no_entry_and_touches_nobody_else(processes: Processes, tmp_path: Path) -> None:
    stranger = subprocess.Popen(SLEEPER)
    try:
        processes.start("mine", SLEEPER)
        processes.stop()
        assert list((tmp_path / "running").iterdir()) == []
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_killed_harness_leaves_no_process_and_no_port_after_the_next_start(tmp_path: Path) -> None:
    registry, folder = tmp_path / "running", tmp_path / f"{FOLDER_PREFIX}run"
    folder.mkdir()
    paths = os.pathsep.join(sys.path)
    harness = subprocess.Popen([sys.executable, "-c", HARNESS.format(daemon=DAEMON), str(registry), str(folder)],
                               stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths})
    assert harness.stdout is not None
    mark = harness.stdout.readline().strip()
    while not ((folder / "port").is_file() and (folder / "port").read_text().endswith("\n")):
        assert harness.poll() is None
    port, worker = map(int, (folder / "port").read_text().split())
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    assert worker in [process.pid for process in marked(mark)]

    told = list(clean_up(registry))

    assert len(told) == 2
    assert any("daemon" in line for line in told)
    assert marked(mark) == []
    assert list(registry.iterdir()) == []
    assert not folder.exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_clean_up_leaves_a_harness_that_lives_alone(processes: Processes, tmp_path: Path) -> None:
    processes.start("mine", SLEEPER)
    assert list(clean_up(tmp_path / "running")) == []
    assert len(processes.members()) == 1
    processes.stop()


def test_clean_up_does_not_end_another_process_with_a_number_used_again(tmp_path: Path) -> None:
    bystander = subprocess.Popen(SLEEPER)
    try:
        it = ProcessId.of(bystander.pid)
        assert it is not None
        (tmp_path / "gone.json").write_text(json.dumps(
            {"harness": [bystander.pid, it.started - 1], "folder": "", "processes": [[it.pid, it.started - 1, "old"]]}))
        assert list(clean_up(tmp_path)) == []
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_call_that_fails_says_its_last_words(processes: Processes) -> None:
    with pytest.raises(RunError, match=r"(?s)client ended with exit code 3.*no such topology"):
        processes.call("client", ["sh", "-c", "echo no such topology; exit 3"], 30)
    processes.stop()


def test_what_is_started_in_a_supervised_block_is_ended_with_it_also_when_it_fails(tmp_path: Path) -> None:
    children: list[subprocess.Popen[bytes]] = []
    with pytest.raises(KeyboardInterrupt), supervised(tmp_path / "running", tmp_path):
        children.append(subprocess.Popen(SLEEPER, start_new_session=True))
        raise KeyboardInterrupt
    assert children[0].wait(10) != 0
    assert list((tmp_path / "running").iterdir()) == []


def test_marking_is_for_the_block_alone(processes: Processes) -> None:
    with processes.marking():
        child = subprocess.Popen(SLEEPER)
    other = subprocess.Popen(SLEEPER)
    try:
        assert MARK not in os.environ
        assert [process.pid for process in processes.members()] == [child.pid]
    finally:
        other.kill()
        other.wait()
        child.kill()
        child.wait()
        processes.stop()
