import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from despina.interrupts import deferred, ignored, restored

SOURCE = str(Path(__file__).parents[1] / "src")


def interrupt(number: signal.Signals = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), deferred():
        interrupt()
        reached.append("the end")
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_ignored_where_nothing_is_left_to_end() -> None:
    with ignored():
        interrupt()
        interrupt(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_goes_through() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), deferred():
        interrupt()
        reached.append(1)
        interrupt()
        reached.append(2)
    assert reached == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_inner_blocks_leave_it_to_the_outer_one() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), deferred():
        with deferred():
            interrupt()
        reached.append("outer")
    assert reached == ["outer"]


def test_the_users_own_handler_is_called_afterwards() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with deferred():
            interrupt(signal.SIGTERM)
            assert seen == []
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_without_an_interrupt_nothing_happens_in_any_thread() -> None:
    def in_thread() -> None:
        with deferred():
            passed.append(True)
    passed: list[bool] = []
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    with deferred():
        passed.append(True)
    assert passed == [True, True]


def test_an_error_in_the_block_stays_the_error() -> None:
    with pytest.raises(ValueError, match="mine"), deferred():
        raise ValueError("mine")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_while_handlers_are_set_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(number: int, handler: object) -> None:
        set_handler(number, handler)
        raise KeyboardInterrupt

    set_handler: Callable[..., object] = signal.signal
    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", interrupted)
        with pytest.raises(KeyboardInterrupt), deferred():
            pytest.fail("the handlers were not all set")
    reached = []
    with pytest.raises(KeyboardInterrupt), deferred():
        interrupt()
        reached.append("the end")
    assert reached == ["the end"]


def test_what_a_block_does_about_signals_ends_with_it() -> None:
    with restored():
        signal.signal(signal.SIGINT, lambda *_: None)
        interrupt()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def run_interrupted(folder: Path, before: str) -> subprocess.CompletedProcess[str]:
    """Runs ``despina version`` in a Python of its own that runs that code first."""
    (folder / "sitecustomize.py").write_text(before)
    return subprocess.run([sys.executable, "-m", "despina", "version"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), SOURCE])})


def test_an_interrupt_while_modules_are_read_ends_without_a_stack_trace(tmp_path: Path) -> None:
    ended = run_interrupted(tmp_path, "import builtins, signal; read = builtins.__import__\n"
                            "def hit(name, *more, **named):\n"
                            "    return signal.raise_signal(2) if name == 'click' else read(name, *more, **named)\n"
                            "builtins.__import__ = hit")
    assert (ended.returncode, ended.stderr) == (130, "")


def test_an_interrupt_within_exec_leaves_the_exit_code(tmp_path: Path) -> None:
    ended = run_interrupted(tmp_path, "import despina.cli, signal\n"
                            "despina.cli.command.main = lambda *_, **__: exec('signal.raise_signal(2)')")
    assert (ended.returncode, ended.stderr) == (130, "")
