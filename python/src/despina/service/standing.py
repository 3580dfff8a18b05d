"""How a run stands: its record, the engine's job behind it, and what is asked of it. All threads share it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from despina.engine import Engine
from despina.errors import DespinaError
from despina.options import StopMode
from despina.service.journal import Journal, placed
from despina.service.store import Real, Record, Run

Happened = Callable[[str, Record, str, str], None]
"""What happened, to which job as it is then, in words, and the name of the token that asked for it; empty if none did."""
UNTOLD: frozenset[Real] = frozenset({"submitted", "deploying"})
"""States that say no more than the start before them."""


@dataclass
class Stop:
    """A wish to end a job."""

    mode: StopMode
    until: float
    by_service: bool = False
    told: StopMode | None = None
    """What the engine was told last."""
    why: str = ""
    """In words, where it is not a user's."""
    savepoint: str = ""
    """The folder of one of its end; empty for none."""


class Standing:
    """Of one run. Its fields are read and written under ``changed``, which is notified of every change."""

    def __init__(self, run: Run, clock: Callable[[], float], happened: Happened) -> None:
        """:param happened: told of what is asked of it, and of what becomes of it, in order"""
        self.run = run
        self.clock = clock
        self.journal = Journal(run)
        self.changed = threading.Condition(threading.RLock())
        self._happened = happened
        # guarded by the condition
        self.engine: Engine | None = None
        self.id = ""
        self.before: tuple[Engine, str] | None = None      # of a start that has ended: its last rows are still there
        self.wish: Stop | None = None
        self.status: dict[str, Any] | None = None
        self.status_at = -1.0
        self.closing = False
        self.from_start = False
        self.refused: str | None = None     # why the engine does not end it with a savepoint

    @property
    def record(self) -> Record:
        """As it was written last."""
        return self.run.record

    def there(self) -> tuple[Engine, str] | None:
        """The engine and the id that it has there; None while it does not run."""
        with self.changed:
            return (self.engine, self.id) if self.engine is not None and self.id else None

    def look(self, at_most_s: float) -> dict[str, Any] | None:
        """Its status as the gateway answers it; the last one of a job that has ended; None before any.

        :param at_most_s: how old it may be
        """
        with self.changed:
            if not self.id or self.engine is None or self.clock() - self.status_at < at_most_s:
                return self.status
            engine, identifier = self.engine, self.id
            self.status_at = self.clock()     # who comes meanwhile takes the one before
        with contextlib.suppress(DespinaError):
            found = engine.status(identifier)
            with self.changed:
                if self.id == identifier:
                    self.status = found
        return self.status

    def happened(self, what: str, text: str, who: str = "") -> None:
        """Something was asked of it, or became of it."""
        self._happened(what, self.record, text, who)

    def change(self, real: Real, reason: str, **more: Any) -> None:
        """It is that now.

        :raise OSError: a wish that changes with it could not be written: nothing has changed
        """
        with self.changed:
            before = self.record.real
            self.write(self.record.with_changes(real=real, reason=reason, changed_at_ms=time.time_ns() // 1_000_000, **more))
            if real != before and real not in UNTOLD:
                self.happened(real, f"{real}: {reason}" if reason else real)
            self.changed.notify_all()

    def end(self, real: Real, reason: str, error: Mapping[str, Any] | None = None) -> None:
        """It has ended."""
        with self.changed:
            stop = self.wish
            by_service = stop is not None and stop.by_service and real in ("stopped", "incomplete", "lost")
            why = stop.why if stop is not None and by_service else ""
            self.change(real, reason.partition("\n")[0] or why, by_service=by_service,
                        error=None if error is None else placed(error, self.run.places))
            self.journal.tell("error" if real in ("failed", "lost") else "info", f"{real}{f': {reason}' if reason else ''}")
            self.changed.notify_all()

    def write(self, record: Record) -> None:
        """Puts it on the disk. What only says how a job stands is kept in memory where the disk takes nothing: the next change
        writes it, and a service that comes meanwhile finds the job gone and goes on with it.

        :raise OSError: it is a wish, which must not be lost
        """
        if record.wanted != self.record.wanted:
            self.run.write(record)
        else:
            self.run.keep(record)
