"""A process that was forked from one with an engine: the engine stays the parent's, and the fork gets one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = str(Path(__file__).parents[2] / "src")
TIMEOUT_S = 90.0
IN_A_FORK = """
    import json, multiprocessing, sys
    from despina import engine
    from despina.errors import DespinaError

    def tried(call):
        try:
            return call()
        except DespinaError as error:
            return error.rule

    def forked(answers):
        answers.put([tried(lambda: parents.version()["pid"]), tried(lambda: parents.close()),
                     tried(lambda: engine.start(sys.argv[2]).version()["pid"])])
        engine.stop()

    parents = engine.start(sys.argv[1])
    before = parents.version()["pid"]
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=forked, args=[answers])
    process.start()
    process.join()
    assert process.exitcode == 0, process.exitcode
    print(json.dumps({"before": before, "fork": answers.get(), "after": tried(lambda: parents.version()["pid"])}))
"""
GROWS_IN_A_FORK = """
    import gc, os, sys
    from despina import engine

    engine.start("jpype").version()
    fork = os.fork()
    if fork == 0:
        grown = []
        for _ in range(40):
            grown.append(b"1" * 20_000_000)
            gc.collect()
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]))
"""
KILLED_PARENT = """
    import os, signal
    from despina import engine

    pid = engine.start("py4j").version()["pid"]
    fork = os.fork()
    if fork == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        signal.pause()
    print(pid, fork, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script), *arguments], stdout=subprocess.PIPE, text=True,
                          timeout=TIMEOUT_S, check=False, env={**os.environ, "PYTHONPATH": SOURCE})


def asked(*drivers: str) -> dict[str, Any]:
    done = run(IN_A_FORK, *drivers)
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("driver", ["py4j", "jpype"])
def test_a_fork_is_refused_its_parents_engine_and_starts_one_of_its_own(driver: str) -> None:
    found = asked(driver, "py4j")
    refused, closed, own = found["fork"]
    assert (refused, closed) == ("engine_forked", None)
    assert isinstance(own, int)
    assert own != found["before"]
    assert found["after"] == found["before"]


def test_a_jvm_that_was_forked_is_refused_in_words() -> None:
    assert asked("jpype", "jpype")["fork"][2] == "java_start"


def test_a_fork_beside_a_jvm_collects_its_garbage_and_ends() -> None:
    assert run(GROWS_IN_A_FORK).stdout == "7\n"


def test_an_engine_ends_with_the_process_that_started_it_though_a_fork_of_that_lives() -> None:
    done = run(KILLED_PARENT)
    assert done.returncode == -signal.SIGKILL
    jvm, fork = map(int, done.stdout.split())
    try:
        until(lambda: not alive(jvm))
        assert alive(fork)
    finally:
        os.kill(fork, signal.SIGKILL)
