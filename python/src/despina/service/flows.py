"""The routes for rows: out of a job's ``collect_sink``, into the sources that were submitted as its inputs, and where programs
reach the job itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from despina.errors import StartError
from despina.service import models
from despina.service.jobs import Jobs
from despina.service.refusals import ConflictError
from despina.service.rows import Writer
from despina.service.served import ServedJob
from despina.service.store import ENDED

T = TypeVar("T")
ARROW = "application/vnd.apache.arrow.stream"
NEXT = "despina-next"
STATE = "despina-state"
AFTER = "The place that the answer before gave in the header Despina-Next: the rows up to there have come. Empty for the first."
DONE = "Whether the rows up to `after` are not wanted again by a later start of the job; else that is told apart."
NUMBER = "Of this stream, from 0 on: one that has come already is not taken again."
_body = {"requestBody": {"content": {ARROW: {"schema": {"type": "string", "format": "binary"}}}}}
_stream: dict[int | str, dict[str, Any]] = {200: {"content": {ARROW: {}}}, 204: {"description": "There are none yet."}}


def add(app: FastAPI, prefix: str, jobs: Callable[[], Jobs], options: dict[str, Any], may: Mapping[str, Any]) -> None:
    """Adds them.

    :param prefix: of the path
    :param options: of each route: what it may answer
    :param may: by role, what lets a token in
    """
    operates, administers = ({**options, "dependencies": [may[role]], "tags": ["rows"]} for role in ("operate", "admin"))
    _out(app, f"{prefix}/jobs/{{name}}/rows/{{sink}}", jobs, operates)
    _in(app, f"{prefix}/jobs/{{name}}/inputs/{{source}}", jobs, operates)
    # the processes of a job know neither roles nor roots: who has its secret writes savepoints wherever they may
    _at_the_door(app, f"{prefix}/jobs/{{name}}/address", jobs, administers)


def _out(app: FastAPI, path: str, jobs: Callable[[], Jobs], options: dict[str, Any]) -> None:
    answers = {**options["responses"], **_stream}

    @app.get(path, response_class=Response, **{**options, "responses": answers})
    def rows(name: str, sink: str, after: Annotated[str, Query(max_length=4000, description=AFTER)] = "",
             done: Annotated[bool, Query(description=DONE)] = True, run: int | None = None) -> Response:
        """The rows that have reached a collect_sink behind a place, as an Arrow stream, and the place behind them. The same
        request gives the same rows again, until the next place is asked from.
        """
        job = jobs().one(name, run)
        state = job.state       # before the rows: once it has ended, nothing follows them
        reader = job.rows.reader(sink)
        stream, place = job.rows.left(sink, after) if reader is None else reader.take(after, done)
        return Response(stream, 200 if stream else 204, {NEXT: place, STATE: state}, ARROW if stream else None)

    @app.post(f"{path}/done", status_code=204, **options)
    def finished(name: str, sink: str, body: models.Done, run: int | None = None) -> Response:
        """The reader is done with the rows up to a place: they do not come again in a later start of the job."""
        reader = jobs().one(name, run).rows.reader(sink)
        if reader is not None:
            reader.done(body.place, body.how)
        return Response(status_code=204)


def _in(app: FastAPI, path: str, jobs: Callable[[], Jobs], options: dict[str, Any]) -> None:
    @app.post(path, openapi_extra=_body, **options)
    async def give(name: str, source: str, request: Request, number: Annotated[int, Query(ge=0, description=NUMBER)] = 0,
                   wait_ms: Annotated[int, Query(ge=0, le=1000)] = 0, run: int | None = None) -> models.Standing:
        """Gives a source rows, an Arrow stream or nothing, and waits for room for more."""
        content = await request.body()

        def given() -> tuple[bool, bool]:       # apart from the event loop, which must not wait for the lock of all jobs
            return _running(jobs().one(name, run), source).give(content, number, wait_ms)
        room, is_open = await run_in_threadpool(given)
        return models.Standing(room=room, open=is_open)

    @app.get(path, **options)
    def given(name: str, source: str, follow: bool = False, wait_ms: Annotated[int, Query(ge=0, le=1000)] = 0,
              run: int | None = None) -> models.Given:
        """How many rows of a source are in."""
        return models.Given(rows=_running(jobs().one(name, run), source).given(follow, wait_ms))

    @app.post(f"{path}/end", status_code=204, **options)
    def end(name: str, source: str, body: models.End, run: int | None = None) -> Response:
        """Nothing follows for a source; the job fails if there is a reason."""
        writer = jobs().one(name, run).rows.writer(source)
        if writer is not None:
            writer.end(body.failure)
        return Response(status_code=204)


def _at_the_door(app: FastAPI, path: str, jobs: Callable[[], Jobs], options: dict[str, Any]) -> None:
    @app.get(path, **options)
    def address(name: str, run: int | None = None) -> models.Address:
        """Where programs of the service's machine read rows of the sinks that were submitted as its spool, and give rows to its
        spark_source, without a way through the service.
        """
        job = jobs().one(name, run)
        return models.Address(**_there(job, job.address(), "has no address"))


def _running(job: ServedJob, source: str) -> Writer:
    return _there(job, job.rows.writer(source), "takes no rows")


def _there(job: ServedJob, found: T | None, ended: str) -> T:
    """What a job has while it runs.

    :param ended: what is to be said of one that has ended
    """
    if found is None and job.state in ENDED:
        raise ConflictError("job_state", f"the job {job.record.name} is {job.state}, and {ended}")
    if found is None:
        raise StartError("job_state", f"the job {job.record.name} does not run at this moment", "try again: it is starting")
    return found
