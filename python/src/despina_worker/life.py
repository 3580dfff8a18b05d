"""The life line of a worker: it ends with the engine, whatever the user's code does meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

LEFT_ALONE = 0
GRACE_S = 1.0
"""So long the user's code may take to close."""
_leaving = threading.Event()


class LeftError(BaseException):
    """Raised in the user's code, which waits for something, when nobody wants its rows any more. Not an ``Exception``, so that no
    ``except Exception`` of the user's takes it for an error of his own.
    """


def watch() -> None:
    """Ends this process when standard input ends: also when the engine was killed."""
    threading.Thread(target=_watch, name="despina-life", daemon=True).start()


def _watch() -> None:
    # not through sys.stdin, whose lock this thread would hold while the interpreter closes it
    while os.read(sys.stdin.fileno(), 1 << 10):
        pass
    _leaving.set()
    main = threading.main_thread().ident
    if main is not None and signal.getsignal(signal.SIGUSR2) is _leave:
        signal.pthread_kill(main, signal.SIGUSR2)
    time.sleep(GRACE_S)
    os._exit(LEFT_ALONE)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    raise LeftError


@contextmanager
def interrupted() -> Iterator[None]:
    """In the block, of the main thread, the user's code is interrupted when the engine has left."""
    signal.signal(signal.SIGUSR2, _leave)
    try:
        if _leaving.is_set():
            raise LeftError
        yield
    finally:
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
