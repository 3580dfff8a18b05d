"""The routes for whoever watches: the live stream, how a run went, what it is made of, what happened, and the service itself."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Query, Request
from fastapi.responses import StreamingResponse

from despina.service import history, models, series
from despina.service.coordinator import Coordinator
from despina.service.jobs import Jobs
from despina.service.live import Live
from despina.service.log import ANSWER_BYTES, Log
from despina.service.tails import Tails

AFTER = "The place behind the last event that the viewer has, the `id` of its message; empty for the newest."
STEP = "Seconds between two values: 1 of the last ten minutes, 10 of six hours, 60 of seven days."
SERIES = "job/…, operator/ID/…, link/NAME/… or resource/NAME/…; may be repeated. Those of the job if there is none."
PORT = "An input port; the first if there is none."
TAILS = 8
"""How many of these wait at one time for a job that does not answer."""
_stream: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


Last = Annotated[bool, Query(description="The newest lines that one answer has, where `after` names no place.")]


def lines_of(log: Log, after: str, last: bool) -> models.Lines:
    """Lines of a log as they are answered.

    :raise RefusedError: ``after`` is no place
    """
    lines, place = log.read(log.end(ANSWER_BYTES // 2) if last and not after else after)
    return models.Lines(lines=[models.Line(**line) for line in lines], next=place)


class Watched(Protocol):
    """What these routes use, looked up at each request."""

    jobs: Jobs
    coordinator: Coordinator
    live: Live


def add(app: FastAPI, prefix: str, parts: Watched, options: dict[str, Any],
        holds: Callable[[Request], Callable[[], bool]]) -> None:
    """Adds them.

    :param prefix: of the path
    :param options: of each route: who may call it, and what it may answer
    :param holds: of a request, whether its token still counts
    """
    options = {**options, "tags": ["watch"]}
    _live(app, prefix, parts, options, holds)
    _of_job(app, f"{prefix}/jobs/{{name}}", parts, options)
    _tail(app, f"{prefix}/jobs/{{name}}", parts, options)
    _of_service(app, prefix, parts, options)


def _live(app: FastAPI, prefix: str, parts: Watched, options: dict[str, Any],
          holds: Callable[[Request], Callable[[], bool]]) -> None:
    answers = {**options, "responses": {**options["responses"], **_stream}}

    @app.get(f"{prefix}/live", response_class=StreamingResponse, **answers)
    async def live(request: Request, job: str = "", after: Annotated[str, Query(max_length=40, description=AFTER)] = ""
                   ) -> StreamingResponse:
        """Server-sent events, each second: `jobs` has all jobs in short, `job` the one that is asked for as a whole, `events`
        what happened since the message before.
        """
        return parts.live.follow(job, after, holds(request))


def _of_job(app: FastAPI, path: str, parts: Watched, options: dict[str, Any]) -> None:
    @app.get(f"{path}/history", **options)
    def past(name: str, step: Annotated[Literal["1", "10", "60"], Query(description=STEP)] = "1",
             series: Annotated[list[str] | None, Query(description=SERIES)] = None, after_ms: int = 0,
             run: int | None = None) -> models.History:
        """Values of a run over time, in order; null where nothing is known."""
        times, values = history.read(parts.jobs.one(name, run), int(step), series or [], after_ms, time.time_ns() // 1_000_000)
        return models.History(step_s=int(step), at_ms=times, values=values)

    @app.get(f"{path}/graph", **options)
    def graph(name: str, run: int | None = None) -> models.Graph:
        """What a run was submitted as, and its plan."""
        job = parts.jobs.one(name, run)
        return models.Graph(graph=job.run.graph, deployment=job.run.deployment, plan=parts.jobs.checks.plan(job))


def _tail(app: FastAPI, path: str, parts: Watched, options: dict[str, Any]) -> None:
    tails, limiter = Tails(), CapacityLimiter(TAILS)

    @app.get(f"{path}/tail/{{operator}}", **options)
    async def tail(name: str, operator: str, port: Annotated[str, Query(max_length=200, description=PORT)] = "", after: int = 0,
                   run: int | None = None) -> models.Tail:
        """Some of the rows that come to an operator of a running job, at most fifty a second: from the first question on, until
        nobody has asked for some seconds. No packet waits for it.
        """
        rows, place = await to_thread.run_sync(lambda: tails.read(parts.jobs.one(name, run), operator, port, after),
                                               limiter=limiter)
        return models.Tail(rows=rows, next=place)


def _of_service(app: FastAPI, prefix: str, parts: Watched, options: dict[str, Any]) -> None:
    @app.get(f"{prefix}/series", **options)
    def declared() -> list[models.Series]:
        """What is recorded of jobs, operators, links and resources."""
        return [models.Series(of=kind, what=each.what, unit=each.unit, doc=each.doc)
                for kind, known in series.DECLARED.items() for each in known]

    @app.get(f"{prefix}/events", **options)
    def events(after: Annotated[str, Query(max_length=40)] = "", last: Last = False) -> models.Lines:
        """Starts, stops, removals and what operators were told, with who asked for them, and what became of jobs; from a place
        on.
        """
        return lines_of(parts.jobs.events.log, after, last)

    @app.get(f"{prefix}/service", **options)
    def service() -> models.Service:
        """The service's own processes, and the room on its disk."""
        pids = {"service": os.getpid()}
        if not parts.coordinator.missing():
            pids["coordinator"] = int(parts.coordinator.engine().version()["pid"])
        disk = shutil.disk_usage(parts.jobs.folder)
        found = {name: (pid, series.used_by(series.PROCESSES / str(pid))) for name, pid in pids.items()}
        return models.Service(
            processes=[models.Process(name=name, pid=pid, cpu_s=use[0], resident_bytes=int(use[1]))
                       for name, (pid, use) in found.items() if use is not None],
            threads=threading.active_count(), viewers=parts.live.viewers, disk_bytes=disk.total, disk_free_bytes=disk.free,
            memory_bytes=parts.jobs.registry.memory_bytes, memory_taken_bytes=parts.jobs.registry.memory_taken(),
            missing=parts.coordinator.missing())
