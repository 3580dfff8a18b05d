"""A query of Spark's part, where that is streams: one for each of its sinks, over all of its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from despina.errors import DespinaError, JobError

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from despina.job import Status

PAUSES_S = (0.0, 1.0)
"""Before a query begins again, after its first failure and its second in a row. A third one ends the job."""


class Failures:
    """How often a query has failed in a row. Decides whether it begins again, and does nothing."""

    def __init__(self) -> None:
        self.in_a_row = 0
        self._attempt = 0

    def pause_s(self, attempt: int, moved_on: bool) -> float | None:
        """It has failed.

        :param attempt: of the engine's job. Rows on their way are lost with an attempt, so that a query which was about to give
            them fails; that says nothing of the next attempt
        :param moved_on: whether it had completed a batch since it began
        :return: after which time it begins again; None for never
        """
        if moved_on or attempt != self._attempt:
            self.in_a_row = 0
        self._attempt = attempt
        self.in_a_row += 1
        return PAUSES_S[self.in_a_row - 1] if self.in_a_row <= len(PAUSES_S) else None


def _is_of_batch(report: Mapping[str, Any] | None) -> bool:
    return report is not None and "addBatch" in report["durationMs"]


class Query:
    """The query of one sink.

    :ivar sink: its id
    :ivar restarts: how often it was started again
    """

    def __init__(self, sink: str, start: Callable[[], StreamingQuery], moves: Callable[[], None]) -> None:
        """:param start: gives one that goes on where the one before has ended; raises a :class:`DespinaError`
        :param moves: told when it has completed its first batch since it began
        """
        self.sink = sink
        self.restarts = 0
        self._start = start
        self._moves = moves
        self._failures = Failures()
        self._run: StreamingQuery | None = None
        self._moved_on = False
        self._due_s: float | None = None

    def begin(self) -> None:
        """Starts it for the first time."""
        self._run = self._start()

    @property
    def failure(self) -> str | None:
        """Why it has failed, in Spark's words; None if it has not, or is about to begin again."""
        if self._run is None or self._due_s is not None or self._run.isActive:
            return None
        return str(self._run.exception() or "somebody has stopped it")

    def again(self, why: str, status: Status, now_s: float) -> None:
        """It has failed, and :meth:`look` starts it again.

        :raise JobError: it has failed too often
        """
        pause_s = self._failures.pause_s(status.attempt, self._has_moved_on())
        if pause_s is None:
            raise JobError("spark", f"the query of `{self.sink}` has failed {self._failures.in_a_row} times in a row: {why}")
        self._due_s = now_s + pause_s

    def look(self, status: Status, now_s: float) -> None:
        """Notes whether it moves on. Starts it again, if that is due and the job runs. To be called often.

        :raise JobError: it cannot be started, and that was so too often
        """
        if not self._moved_on and self._run is not None and _is_of_batch(self._run.lastProgress):
            self._moved_on = True
            self._moves()
        if self._due_s is None or now_s < self._due_s or status.state != "running":
            return
        self._due_s = None
        self.restarts += 1
        self._run, self._moved_on = None, False
        try:
            self._run = self._start()
        except DespinaError as error:
            self.again(str(error), status, now_s)

    def _has_moved_on(self) -> bool:
        """Spark keeps a hundred reports, and makes one each ten seconds where nothing comes: so :meth:`look` notes it, too."""
        return self._moved_on or (self._run is not None and any(map(_is_of_batch, self._run.recentProgress)))

    def stop(self) -> None:
        """Ends it at once."""
        if self._run is not None:
            with suppress(Exception):       # it has failed before, which has been told
                self._run.stop()
