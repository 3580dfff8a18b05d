"""What viewers follow: one stream of server-sent events for each, a message a second.

All viewers of a second share its texts, each of which is made when the first of them asks: without a viewer nothing is made. One
that is slow gets fewer messages, and what waits for it is one message.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from despina.errors import Diagnostic, RefusedError
from despina.service.history import Recorder
from despina.service.jobs import Jobs
from despina.service.log import place_of
from despina.service.models import Job
from despina.service.served import ServedJob

MOST_VIEWERS = 64
EVERY_S = 1.0
THREADS = 4
"""That make messages. Requests have others, so that they are answered also while all viewers wait for a coordinator."""


class FullError(RefusedError):
    """There are as many viewers as there may be."""


class Live:
    """The streams of all viewers."""

    def __init__(self, jobs: Jobs, told: Callable[[ServedJob], Job], wall: Callable[[], float] = time.time) -> None:
        """:param told: a job as the interface answers it"""
        self._jobs = jobs
        self._told = told
        self._wall = wall
        self._lock = threading.Lock()
        self._second = -1       # guarded by the lock, as the next
        self._texts: dict[str, str] = {}
        self._threads = CapacityLimiter(THREADS)
        self._viewers = 0       # of the event loop's thread
        self._closed = False

    def close(self) -> None:
        """Every stream ends within a second."""
        self._closed = True

    @property
    def viewers(self) -> int:
        """How many there are."""
        return self._viewers

    def follow(self, job: str, after: str, may: Callable[[], bool]) -> StreamingResponse:
        """The answer to one viewer more.

        :param job: the name of a job that is told as a whole; empty for none
        :param after: the place behind the last event that the viewer has; empty for the newest
        :param may: whether its token still counts
        :raise FullError: there are too many
        :raise RefusedError: ``after`` is no place
        """
        place_of(after)
        if self._viewers >= MOST_VIEWERS:
            raise FullError("viewers", f"{self._viewers} viewers follow this service, the most that may", "close one, or wait")
        self._viewers += 1
        return _Viewing(self._stream(job, after, may), self._leave)

    def _leave(self) -> None:
        self._viewers -= 1

    async def _stream(self, job: str, after: str, may: Callable[[], bool]) -> AsyncIterator[bytes]:
        place = after or await to_thread.run_sync(self._jobs.events.log.end, limiter=self._threads)
        while not self._closed and await to_thread.run_sync(may, limiter=self._threads):
            begun = self._wall()
            text, place = await to_thread.run_sync(self._messages, job, place, limiter=self._threads)
            yield text.encode()
            await asyncio.sleep(max(0.05, EVERY_S - begun % EVERY_S))

    def _messages(self, job: str, place: str) -> tuple[str, str]:
        events, behind = self._jobs.events.log.read(place)
        text = self._text("", self._of_all) + (self._text(job, lambda: self._of_one(job)) if job else "")
        if events:
            text += f"event: events\nid: {behind}\ndata: {json.dumps(events)}\n\n"
        return text, behind

    def _text(self, key: str, made: Callable[[], dict[str, Any]]) -> str:
        second = int(self._wall() / EVERY_S)
        with self._lock:
            if second != self._second:
                self._second = second
                self._texts.clear()
            if key not in self._texts:
                self._texts[key] = f"event: {'job' if key else 'jobs'}\ndata: {json.dumps(made())}\n\n"
            return self._texts[key]

    def _of_all(self) -> dict[str, Any]:
        return {"at_ms": int(self._wall() * 1000), "missing": self._jobs.missing(),
                "jobs": [summary(each, self._jobs.recorder) for each in self._jobs.all()]}

    def _of_one(self, name: str) -> dict[str, Any]:
        try:
            job = self._jobs.one(name)
        except RefusedError as error:
            return {"problem": Diagnostic(error.rule, error.message, hint=error.hint).as_dict()}
        return {"at_ms": int(self._wall() * 1000), "job": self._told(job).model_dump(),
                "values": {series: rounded(value) for series, value in self._jobs.recorder.values(job).items()},
                "log": job.log.end(), "errors": job.errors.end()}


class _Viewing(StreamingResponse):
    """A stream that is left however it ends, also before its first message."""

    def __init__(self, content: AsyncIterator[bytes], left: Callable[[], None]) -> None:
        super().__init__(content, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._left()


def summary(job: ServedJob, recorder: Recorder) -> dict[str, Any]:
    """A line of the list of jobs."""
    record, values = job.record, recorder.values(job)
    return {"name": record.name, "run": record.run, "labels": dict(record.labels), "state": job.state, "wanted": record.wanted,
            "reason": record.reason, "changed_at_ms": record.changed_at_ms, "errors": job.count("errors"),
            "values": {name.removeprefix("job/"): rounded(value) for name, value in values.items() if name.startswith("job/")}}


def rounded(value: float) -> float:
    """With as many digits as anybody reads, so that a message is short."""
    return value if not value or not math.isfinite(value) else round(value, max(0, 5 - math.floor(math.log10(abs(value)))))
