"""Why the service does not do what it is asked for, where that is no fault of the graph. How HTTP tells it, the routes say."""

from __future__ import annotations

from despina.errors import RefusedError


class MissingError(RefusedError):
    """There is no such job or run, or nothing that was saved under that name."""


class ConflictError(RefusedError):
    """It cannot be done to what is there as it is now."""


class StaleError(RefusedError):
    """Somebody has saved another revision since."""


class UnstatedError(RefusedError):
    """Which revision is meant to be replaced must be said."""
