from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from despina import drivers, installed
from despina.drivers.jvm import ChildJvm
from despina.drivers.py4j import GREETING, Py4jDriver
from despina.errors import StartError


def gone(pid: int) -> bool:
    """Whether no process has that id, or only its remains."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_gone(pid: int, seconds: float = 10) -> bool:
    """Waits on the process itself, not on a clock that the test made up."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        import select
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def test_close_leaves_no_process() -> None:
    driver = Py4jDriver()
    pid = driver.pid
    driver.close()
    driver.close()
    assert gone(pid)
    with pytest.raises(StartError, match="was closed"):
        driver.call("version")


def test_a_killed_engine_is_told_as_such() -> None:
    driver = Py4jDriver()
    assert driver.alive()
    os.kill(driver.pid, signal.SIGKILL)
    assert wait_gone(driver.pid)
    assert not driver.alive()
    with pytest.raises(StartError, match="killed by signal 9") as raised:
        driver.call("version")
    assert raised.value.rule == "engine_lost"
    driver.close()


@pytest.mark.parametrize("death", ["sys.exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "raise ValueError"])
def test_the_engine_dies_with_python(death: str) -> None:
    script = textwrap.dedent(f"""
        import os, signal, sys
        from despina import engine
        print(engine.start().version()["pid"], flush=True)
        {death}
    """)
    source = str(Path(__file__).parents[2] / "src")
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False,
                           env={**os.environ, "PYTHONPATH": source})
    assert wait_gone(int(child.stdout))


def test_the_token_is_not_on_the_command_line() -> None:
    driver = Py4jDriver()
    try:
        command = Path(f"/proc/{driver.pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{driver.pid}/environ").read_bytes()
        token = driver._gateway.gateway_parameters.auth_token.encode()
        assert len(token) == 64
        assert token not in command + environment
    finally:
        driver.close()


def test_a_wrong_token_is_turned_away() -> None:
    from py4j.java_gateway import GatewayParameters, JavaGateway
    driver = Py4jDriver()
    try:
        port = driver._gateway.gateway_parameters.port
        stranger = JavaGateway(gateway_parameters=GatewayParameters(address="127.0.0.1", port=port, auth_token="guess"))
        with pytest.raises(Exception, match="authenticate"):
            stranger.entry_point.version()
    finally:
        driver.close()


def test_options_that_java_refuses_are_told_in_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESPINA_JAVA_OPTIONS", "-XX:NoSuchFlag=1")
    with pytest.raises(StartError, match="NoSuchFlag") as raised:
        Py4jDriver()
    assert raised.value.rule == "java_start"


def test_a_main_class_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    child = ChildJvm("io.despina.NoSuchMain", GREETING)
    with pytest.raises(StartError, match="NoSuchMain"):
        child.hear()
    child.close()


@pytest.mark.parametrize("collector", ["-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"])
def test_a_collector_of_the_users_takes_the_place_of_ours(monkeypatch: pytest.MonkeyPatch, collector: str) -> None:
    monkeypatch.setenv("DESPINA_JAVA_OPTIONS", f"-Xmx512m {collector}")
    with closing(Py4jDriver()) as driver:
        command = Path(f"/proc/{driver.pid}/cmdline").read_text().split("\0")
    assert [word for word in command if word.endswith("GC")] == [collector]


def test_what_java_says_of_its_options_on_standard_output_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESPINA_JAVA_OPTIONS", "-XX:+UseG1GC -XX:+UseSerialGC")
    with pytest.raises(StartError) as raised:
        Py4jDriver()
    told = "ended before it was ready (exit code 1); its last output:\nError occurred during initialization of VM\n"
    assert told in raised.value.message


def test_logs_on_standard_output_go_to_our_standard_error(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DESPINA_JAVA_OPTIONS", "-Xlog:gc*")
    with closing(Py4jDriver()) as driver:
        assert json.loads(driver.call("version"))["pid"] == driver.pid
    shown = capsys.readouterr()
    assert "[gc,init] Version" in shown.err
    assert "[gc,heap,exit" in shown.err
    assert GREETING not in shown.err
    assert shown.out == ""


def test_all_that_it_writes_is_passed_on_when_it_is_up(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho warned >&2\necho early\nread token\n"
                    f"echo '{GREETING}7'\nyes 'a warning of Java' | head -n 10000\necho late\n")
    java.chmod(0o755)
    monkeypatch.setattr(installed, "find_java", lambda: installed.Java(tmp_path, 17))
    child = ChildJvm("Main", GREETING)
    child.tell("token")
    assert child.hear() == "7"
    child.close()
    lines = capsys.readouterr().err.splitlines()
    lines.remove("warned")      # two streams have no order
    assert lines == ["early", *["a warning of Java"] * 10_000, "late"]


def test_what_it_says_while_it_runs_reaches_our_standard_error(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DESPINA_JAVA_OPTIONS", "-Xlog:gc+heap+exit=info:stderr")
    driver = Py4jDriver()
    driver.call("version")
    assert capsys.readouterr().err == ""
    driver.close()
    assert "[gc,heap,exit" in capsys.readouterr().err


def test_a_jvm_that_only_coordinates_compiles_no_more_than_it_needs() -> None:
    with closing(drivers.start("py4j", coordinates_only=True)) as driver:
        pid = json.loads(driver.call("version"))["pid"]
        command = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    assert set(drivers.COORDINATES_ONLY) < set(command)
