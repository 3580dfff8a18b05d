"""When a job that was lost is started again, and what is a loss."""

from __future__ import annotations

from despina.backoff import Backoff
from despina.engine import Engine
from despina.errors import DespinaError, StartError

FREED_S = 30.0
"""How long the job of an engine that was lost may still hold its state: its children end within 5 s."""
FREED_LOOK_S = 1.0
LOST_RULES = frozenset({"engine_lost", "engine_closed", "coordinator"})
"""Rules of errors that mean: the coordinator is gone, and with it the job's processes."""


class Again:
    """When the next start comes."""

    def __init__(self, backoff: Backoff) -> None:
        self.backoff = backoff
        self._freed_by: float | None = None

    def freed_s(self, now: float) -> float | None:
        """Where the processes of the start before still have the state."""
        self._freed_by = self._freed_by or now + FREED_S
        return FREED_LOOK_S if now < self._freed_by else None

    def ran(self) -> None:
        """It had the state since: who has it next time is another."""
        self._freed_by = None


def lost_with(engine: Engine | None, error: DespinaError) -> DespinaError:
    """The error; a call that has failed because the engine's JVM is gone is a loss of it."""
    if error.rule == "engine_call" and engine is not None and not engine.alive():
        return StartError("engine_lost", error.message, error.hint)
    return error
