"""When a command that was lost is started again, without processes; and one real one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from despina.backoff import Backoff
from despina.cli import supervise
from despina.cli.supervise import LOST, Supervisor


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


class Fake:
    def __init__(self, code: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.code = code
        self.told: list[int] = []
        self._meanwhile = meanwhile

    def wait(self) -> int:
        self._meanwhile()
        return self.code

    def send_signal(self, number: int) -> None:
        self.told.append(number)


def ends(*codes: int) -> tuple[int, int, float]:
    """The exit code, how often it was started, and for how long was waited between."""
    clock = Clock()
    left = list(codes)
    code = Supervisor(lambda: Fake(left.pop(0)), clock, clock.sleep).run()
    return code, len(codes) - len(left), round(clock.slept, 6)


@pytest.mark.parametrize("code", [0, 1, 2, 5, 130])
def test_what_ends_by_itself_is_not_started_again(code: int) -> None:
    assert ends(code, 0) == (code, 1, 0)


def test_what_was_lost_is_started_again_at_once_and_then_later_and_later() -> None:
    assert ends(-9, 0) == (0, 2, 0)
    assert ends(-9, -9, LOST, -15, 0) == (0, 5, 1 + 2 + 4)


def test_what_cannot_start_is_tried_three_times() -> None:
    assert ends(3, 3, 3, 0) == (3, 3, 1)
    assert ends(3, 3, -9, 3, 3, 3) == (3, 6, 1 + 2 + 4 + 8)


def test_delays_double_up_to_half_a_minute_and_are_forgotten_after_ten_quiet_minutes() -> None:
    backoff = Backoff()
    assert [backoff.delay_s(1000.0) for _ in range(9)] == [0, 1, 2, 4, 8, 16, 30, 30, 30]
    assert backoff.delay_s(1599.0) == 30
    assert backoff.delay_s(1599.0 + 600.0) == 0
    assert backoff.delay_s(1599.0 + 601.0) == 1


def test_a_signal_goes_to_the_command_which_is_then_over() -> None:
    supervisor = Supervisor(lambda: first)
    first = Fake(-15, lambda: supervisor.tell(signal.SIGTERM))
    assert supervisor.run() == 128 + 15
    assert first.told == [signal.SIGTERM]


def test_a_signal_while_the_command_is_started_reaches_it() -> None:
    started: list[Fake] = []

    def begin() -> Fake:
        if started:
            supervisor.tell(signal.SIGTERM)
        started.append(Fake(-9 if not started else -15))
        return started[-1]

    clock = Clock()
    supervisor = Supervisor(begin, clock, clock.sleep)
    assert supervisor.run() == 128 + 15
    assert [each.told for each in started] == [[], [signal.SIGTERM]]


def test_a_signal_between_two_starts_ends_it() -> None:
    clock = Clock()
    codes = [-9, -9, 0]

    def sleep(seconds: float) -> None:
        supervisor.tell(signal.SIGTERM)
        clock.sleep(seconds)

    supervisor = Supervisor(lambda: Fake(codes.pop(0)), clock, sleep)
    assert supervisor.run() == 128 + signal.SIGTERM
    assert codes == [0]


def test_the_command_is_started_without_the_option() -> None:
    given = ["run", "g.json", "--restart", "always", "--state", "s", "--restart=always"]
    assert supervise.without_restart(given) == ["run", "g.json", "--state", "s"]


def test_each_start_is_the_same_command_and_knows_when_the_first_was(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [3, -9, 0]
    commands: list[list[str]] = []
    times: list[int] = []

    def start(arguments: list[str], begun_ms: int) -> Fake:
        commands.append(list(arguments))
        times.append(begun_ms)
        return Fake(codes.pop(0))

    monkeypatch.setattr(supervise, "start", start)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    before = time.time_ns() // 1_000_000
    given = ["run", "g.json", "--from", "savepoint", "--rename", "a=b", "--state", "s"]
    assert supervise.run(given) == 0
    assert commands == [given] * 3
    assert times == [times[0]] * 3
    assert times[0] >= before


def test_a_command_knows_whether_it_is_supervised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(supervise.SUPERVISED, raising=False)
    assert supervise.since_ms() is None
    monkeypatch.setenv(supervise.SUPERVISED, f"1700000000123 {os.getppid()}")
    assert supervise.since_ms() == 1_700_000_000_123


def test_what_a_supervised_command_starts_is_not_supervised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(supervise.SUPERVISED, f"1700000000123 {os.getppid()}")
    asks = [sys.executable, "-c", "from despina.cli import supervise; print(supervise.since_ms())"]
    assert subprocess.run(asks, capture_output=True, text=True, check=True).stdout == "None\n"


def test_the_command_ends_with_its_supervisor() -> None:
    waits = ("from despina.cli import supervise; child = supervise.start(['run', '/dev/stdin'], 1); "
             "print(child.pid, flush=True); child.wait()")
    stops = subprocess.Popen([sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert stops.stdout is not None
    child = int(stops.stdout.readline())
    stops.kill()
    stops.wait()
    deadline = time.monotonic() + 20
    while _is_alive(child):
        assert time.monotonic() < deadline, "it outlives its supervisor"
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
