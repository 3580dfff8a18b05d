"""Ctrl-C at a good moment: never in the middle of a call to the engine, whose answer would be lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

EXIT_CODE = 130
"""Of a command that was interrupted."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_deferring = False


def ignore() -> dict[int, Any]:
    """Ignores signals from now on, since what is left to do ends by itself; does nothing outside the main thread.

    :return: what was done about them before
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}


@contextmanager
def ignored() -> Iterator[None]:
    """Ignores signals within the block."""
    before = ignore()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def restored() -> Iterator[None]:
    """What the block does about signals holds within the block."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                if handler is not None:         # one that Python did not set
                    signal.signal(number, handler)


@contextmanager
def deferred() -> Iterator[Sequence[int]]:
    """Holds signals that Python handles until the block is done; the second one of a kind goes through at once.

    Only the main thread gets signals: elsewhere, and inside another such block, this does nothing.

    :return: the signals that are held; they may come within the block
    """
    global _deferring
    if _deferring or threading.current_thread() is not threading.main_thread():
        yield ()
        return
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    held: list[int] = []

    over = False

    def hold(number: int, frame: FrameType | None) -> None:
        if over or number in held:
            handlers[number](number, frame)
        else:
            held.append(number)

    # A signal may come between any two of these lines, and what it raises must leave neither the flag nor a hold behind.
    try:
        _deferring = True
        for number in handlers:
            signal.signal(number, hold)
        yield held
    finally:
        _deferring = False
        over = True
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if held:
        handlers[held[0]](held[0], None)
