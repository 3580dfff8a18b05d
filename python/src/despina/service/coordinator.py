"""The one coordinator of the service: a JVM that moves no packet. It is started, watched, and started again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from despina import drivers
from despina.backoff import Backoff
from despina.engine import Engine
from despina.errors import DespinaError, StartError

LOOK_S = 0.5
WAIT_S = 60.0
"""How long a job waits for a coordinator that is starting."""


def started(spare: int = 0, heard: Callable[[str], None] = lambda line: None) -> Engine:
    """A coordinator's JVM.

    :param spare: how many processes it keeps ready that no job has yet
    :param heard: called with each line that it and processes of jobs write for people; must return at once
    """
    engine = Engine(drivers.start("py4j", coordinates_only=True, heard=heard), "service")
    try:
        if spare:
            engine.keep_ready(spare)
    except DespinaError:
        engine.close()      # another is started in its place
        raise
    return engine


class Coordinator:
    """Owns the engine: a thread of its own starts it, looks whether it lives, and starts another when it does not."""

    def __init__(self, start: Callable[[], Engine] = started, tell: Callable[[str], None] = lambda words: None,
                 clock: Callable[[], float] = time.monotonic, before: Callable[[], None] = lambda: None) -> None:
        """:param tell: called with what happens to it, in words
        :param before: called before each start, and may wait
        """
        self._before = before
        self._start = start
        self._tell = tell
        self._clock = clock
        self._changed = threading.Condition()
        self._engine: Engine | None = None      # written by the thread, read by any, under the condition
        self._why = "the coordinator is starting"
        self._closed = False
        self._thread = threading.Thread(target=self._keep, name="despina-coordinator", daemon=True)

    def begin(self) -> None:
        """Starts it in the background."""
        self._thread.start()

    def missing(self) -> str:
        """Why no job can run at this moment; empty if one can."""
        with self._changed:
            return "" if self._engine is not None and self._engine.alive() else self._why

    def engine(self, wait_s: float = WAIT_S) -> Engine:
        """The engine that lives, as soon as there is one.

        :raise StartError: there is none within that time, or the service ends
        """
        with self._changed:
            self._changed.wait_for(self._there, wait_s)
            if self._engine is None or not self._there() or self._closed:
                raise StartError("coordinator", self._why, "try again; `despina doctor` shows what it needs")
            return self._engine

    def _there(self) -> bool:
        return self._closed or (self._engine is not None and self._engine.alive())

    def _keep(self) -> None:
        backoff = Backoff()
        while not self._closed:
            try:
                self._before()
                engine = self._start()
            except DespinaError as error:
                self._lost(f"the coordinator does not start: {error.message}", backoff)
                continue
            with self._changed:
                if self._closed:
                    engine.close()
                    return
                self._engine = engine
                self._changed.notify_all()
            while not self._closed and engine.alive():
                self._sleep(LOOK_S)
            if not self._closed:
                with self._changed:
                    self._engine = None
                engine.close()
                self._lost("the coordinator was lost, and is started again", backoff)

    def _lost(self, why: str, backoff: Backoff) -> None:
        with self._changed:
            self._why = why
        self._tell(why)
        self._sleep(backoff.delay_s(self._clock()))

    def _sleep(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def close(self) -> None:
        """Ends it, and with it every job that still runs."""
        with self._changed:
            self._closed = True
            self._why = "the service ends"
            engine, self._engine = self._engine, None
            self._changed.notify_all()
        if engine is not None:
            engine.close()
        if self._thread.ident is not None:
            self._thread.join(WAIT_S)
