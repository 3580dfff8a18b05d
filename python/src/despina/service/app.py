"""The REST interface: routes, who may call them, and our diagnostics as their answers.

What they do is :mod:`despina.service.jobs`'s.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, FastAPI, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from despina.errors import DespinaError, Diagnostic, RefusedError, StartError
from despina.service import flows, metrics, models, pages, spec_routes, views
from despina.service.answers import IdempotencyKey, diagnostic_of, job_of
from despina.service.bundles import AbsentError
from despina.service.coordinator import Coordinator
from despina.service.guard import Limits
from despina.service.jobs import Jobs
from despina.service.live import FullError, Live
from despina.service.refusals import ConflictError, MissingError, StaleError, UnstatedError
from despina.service.rows import PlaceError
from despina.service.submission import Submission
from despina.service.tokens import Role, Token, Tokens
from despina.service.trials import Trials
from despina.service.upgrades import Wish
from despina.service.views import Last, lines_of
from despina.version import VERSION

API = "/api/v1"
SCHEMA = "application/schema+json"
CONTROLS = 8
"""How many wait at one time for the answers of operators, which may take minutes. Other requests do not wait for them."""
RETRY_S = 2
"""When a client may try again what needs a coordinator that is starting."""

BYTES = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string",
                                                                                               "format": "binary"}}}}}
BAD = "Of this one its last bad records, a thousand or so, with reason, record, attempt and the operator's place in the graph."

STATUSES: dict[type[DespinaError], int] = {MissingError: 404, ConflictError: 409, PlaceError: 409, StaleError: 412,
                                          UnstatedError: 428}
"""What is answered to what else than a graph is refused; 422 for the rest."""

_bearer = HTTPBearer(auto_error=False, description="A token of `despina token add`.")
_problems: dict[int | str, dict[str, Any]] = {code: {"model": models.Problem} for code in (401, 403, 404, 409, 422, 503, 507)}


class DeniedError(RefusedError):
    """Nobody, or somebody who may not."""

    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__("token", message, hint)
        self.status = status


@dataclass
class Parts:
    """What the routes use, looked up at each request."""

    jobs: Jobs
    coordinator: Coordinator
    tokens: Tokens
    live: Live
    busy: Callable[[], Sequence[str]] = tuple
    """Why the service is not ready, beside what the coordinator says."""
    limits: Limits = field(default_factory=Limits)
    trials: Trials = field(default_factory=Trials)


def make(parts: Parts) -> FastAPI:
    """The application."""
    app = FastAPI(title="Despina", version=VERSION, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None,
                  description="Jobs that outlive the terminal. Every error is an answer with `diagnostics`.")
    may = {role: Depends(_needs(parts, role)) for role in ("view", "operate", "admin")}
    pages.add(app)
    _health(app, parts)
    _scraped(app, parts, [may["view"]])
    _looks(app, parts, [may["view"]])
    _beside(app, parts, [may["view"]])
    views.add(app, API, parts, {"dependencies": [may["view"]], "responses": _problems}, lambda request: _holds(parts, request))
    _orders(app, parts, may["operate"])
    _tests(app, parts, may["operate"])
    _upgrades(app, parts, may["operate"])
    spec_routes.add(app, API, parts, {"responses": _problems}, may)
    flows.add(app, API, lambda: parts.jobs, {"responses": _problems}, may)
    _removals(app, parts, may["admin"])
    app.add_exception_handler(DespinaError, _failed)
    app.add_exception_handler(OSError, _unwritten)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_route)
    return app


def _needs(parts: Parts, role: Role) -> Callable[..., Token]:
    def allowed(given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> Token:
        token = None if given is None else parts.tokens.of(given.credentials)
        if token is None:
            raise DeniedError(401, "no token" if given is None else "the token is not known, or was taken back",
                              "send Authorization: Bearer TOKEN; despina token add NAME --role ROLE makes one")
        if not token.may(role):
            raise _forbidden(token, role)
        return token
    return allowed


def _forbidden(token: Token, role: Role) -> DeniedError:
    return DeniedError(403, f"the token {token.name} may {token.role}, and this wants {role}",
                       f"a token of that role: despina token add NAME --role {role}")


def may_send(tokens: Tokens, text: str, method: str, path: str) -> bool:
    """Whether a token may send a body there, which is not read else: who only looks has graphs checked and formatted, and sends
    nothing more.

    :raise DeniedError: it is known, and may not
    """
    token = tokens.of(text)
    if token is not None and not token.may("operate") and path not in (f"{API}/check", f"{API}/format"):
        raise _forbidden(token, "operate")
    return token is not None


def _holds(parts: Parts, request: Request) -> Callable[[], bool]:
    """Whether the token of a request that has been let in still counts."""
    text = request.headers["authorization"].partition(" ")[2].strip()

    def holds() -> bool:
        token = parts.tokens.of(text)
        return token is not None and token.may("view")
    return holds


def _health(app: FastAPI, parts: Parts) -> None:
    @app.get("/health/live", tags=["health"])
    async def live() -> models.Live:
        """Whether the process answers."""
        return models.Live()

    @app.get("/health/ready", tags=["health"], responses={503: {"model": models.Ready}})
    async def ready(response: Response) -> models.Ready:
        """Whether jobs can run, and why not."""
        reasons = [why for why in (parts.coordinator.missing(), *parts.busy()) if why]
        response.status_code = 503 if reasons else 200
        return models.Ready(ready=not reasons, reasons=reasons)


def _scraped(app: FastAPI, parts: Parts, may: list[Any]) -> None:
    @app.get("/metrics", response_class=Response, responses={**_problems, 200: {"content": {"text/plain": {}}}},
             dependencies=may, tags=["look"])
    def scrape(accept: Annotated[str, Header()] = "", accept_encoding: Annotated[str, Header()] = "") -> Response:
        """Counters of all jobs, for Prometheus: its text or OpenMetrics, as the client takes it."""
        text, headers = metrics.page(metrics.Snapshot(parts.jobs.all(), parts.coordinator.missing()), accept, accept_encoding)
        return Response(text, headers=headers)


def _looks(app: FastAPI, parts: Parts, may: list[Any]) -> None:
    options: dict[str, Any] = {"dependencies": may, "responses": _problems, "tags": ["look"]}

    @app.get(f"{API}/version", **options)
    def version() -> models.Version:
        """The versions."""
        if parts.coordinator.missing():
            return models.Version(despina=VERSION, java=None)
        return models.Version(despina=VERSION, java=str(parts.coordinator.engine().version()["java"]))

    @app.post(f"{API}/check", **options)
    def check(body: models.Check) -> models.Checked:
        """Checks a graph; nothing is refused, everything is told. Reads no data."""
        found = parts.jobs.checks.check(Submission(body.graph, body.file, deployment=body.deployment, parameters=body.parameters,
                                            inputs=tuple(body.inputs)))
        return models.Checked(ok=found.ok, diagnostics=[diagnostic_of(each) for each in found.diagnostics], plan=found.plan,
                              inputs=_encoded(found.inputs), defaults=_encoded(found.defaults), guarantee=found.guarantee,
                              whole=parts.jobs.checks.without_parts(body.graph, body.file))

    @app.get(f"{API}/jobs", **options)
    def jobs(label: Annotated[list[str] | None, Query(description="name=value; may be repeated")] = None) -> models.JobList:
        """The last run of every name, with its status."""
        wanted = [_label(text) for text in label or []]
        return models.JobList(jobs=[job_of(job) for job in parts.jobs.all()
                                    if all(job.record.labels.get(name) == value for name, value in wanted)])

    @app.get(f"{API}/jobs/{{name}}", **options)
    def job(name: str, run: int | None = None) -> models.Job:
        """One run of a name, the last if no number is given."""
        found = parts.jobs.one(name, run)
        return job_of(found).model_copy(update={"values": parts.jobs.recorder.values(found) or None})

    @app.get(f"{API}/jobs/{{name}}/runs", **options)
    def runs(name: str) -> models.JobList:
        """The runs of a name that are kept."""
        return models.JobList(jobs=[job_of(each) for each in parts.jobs.runs(name)])

    @app.get(f"{API}/jobs/{{name}}/log", **options)
    def log(name: str, after: str = "", last: Last = False, run: int | None = None) -> models.Lines:
        """Lines of its log, from a place on."""
        return lines_of(parts.jobs.one(name, run).log, after, last)

    @app.get(f"{API}/jobs/{{name}}/errors", **options)
    def errors(name: str, after: str = "", last: Last = False, run: int | None = None,
               operator: Annotated[str, Query(max_length=200, description=BAD)] = "") -> models.Lines:
        """Why it and attempts of it failed, and the first record that each operator skipped; or the bad records of one."""
        job = parts.jobs.one(name, run)
        return lines_of(job.bad.log(operator) if operator else job.errors, after, last)

    @app.get(f"{API}/jobs/{{name}}/report", **options)
    def report(name: str, run: int | None = None) -> dict[str, Any]:
        """Its report: of this moment while it runs, else of its last end."""
        found = parts.jobs.one(name, run)
        there = found.engine_job()
        kept = found.run.report() if there is None else there[0].report(there[1])
        if kept is None:
            raise MissingError("report", f"the job {name} has no report yet", "it is there as soon as the job runs")
        return kept


def _beside(app: FastAPI, parts: Parts, may: list[Any]) -> None:
    options: dict[str, Any] = {"dependencies": may, "responses": _problems, "tags": ["look"]}

    @app.post(f"{API}/format", **options)
    def formatted(body: models.Unformatted) -> models.Formatted:
        """The canonical form of a graph's text, as `despina fmt` writes it. What does not parse is refused."""
        return models.Formatted(graph=parts.jobs.checks.formatted(body.graph, body.file))

    @app.get(f"{API}/schema", response_class=Response, **{**options, "responses": {**_problems, 200: {"content": {SCHEMA: {}}}}})
    def schema(accept_encoding: Annotated[str, Header()] = "") -> Response:
        """The JSON Schema of graphs."""
        text = parts.jobs.checks.schema().encode()
        if "gzip" not in accept_encoding:
            return Response(text, media_type=SCHEMA)
        return Response(gzip.compress(text), media_type=SCHEMA, headers={"content-encoding": "gzip"})

    @app.get(f"{API}/limits", **options)
    def limits() -> models.Limits:
        """What requests may take."""
        return models.Limits(**asdict(parts.limits))


def _orders(app: FastAPI, parts: Parts, may: Any) -> None:
    options: dict[str, Any] = {"dependencies": [may], "responses": _problems, "tags": ["operate"]}
    controls = CapacityLimiter(CONTROLS)

    @app.post(f"{API}/jobs", status_code=202, **options)
    def submit(body: models.Submission, response: Response,
               idempotency_key: IdempotencyKey = None,
               token: Token = may) -> models.Job:
        """Has a graph run from now on. It is on the disk when this answers; `state` of the job says how far it is."""
        found, repeated = parts.jobs.submit(Submission(
            body.graph, body.file, body.name or "", body.deployment, body.parameters, body.labels, body.restart,
            idempotency_key or "", body.files, tuple(body.inputs), tuple(body.spool), token.name, isolation=body.isolation))
        response.headers["location"] = f"{API}/jobs/{found.record.name}?run={found.record.run}"
        response.status_code = 200 if repeated else 202
        return job_of(found)

    @app.put(f"{API}/files/{{digest}}", status_code=204, openapi_extra=BYTES, **options)
    async def keep(digest: str, request: Request) -> Response:
        """Keeps a file that a submission names by its SHA-256, in hexadecimal digits."""
        await run_in_threadpool(parts.jobs.bundles.keep, digest, await request.body())
        return Response(status_code=204)

    @app.post(f"{API}/jobs/{{name}}/start", status_code=202, **options)
    def start(name: str, body: models.Start | None = None, token: Token = may) -> models.Job:
        """Starts the last run of a name again, from where its state is."""
        return job_of(parts.jobs.start(name, body is not None and body.from_start, token.name))

    @app.post(f"{API}/jobs/{{name}}/stop", status_code=202, **options)
    def stop(name: str, body: models.Stop | None = None, run: int | None = None, token: Token = may) -> models.Job:
        """Has a job stopped; its `state` says when it is. One that has ended stays as it is. A run that is not the last of its
        name is refused.
        """
        wish = body or models.Stop()
        return job_of(parts.jobs.stop(name, wish.mode, wish.limit_s, run, token.name))

    @app.post(f"{API}/jobs/{{name}}/control", **options)
    async def control(name: str, body: models.Control, run: int | None = None, token: Token = may) -> models.Answers:
        """Tells operators of a running job what to do, and answers when all of their instances have."""
        told = await to_thread.run_sync(partial(parts.jobs.control, name, body.command, body.operator, body.argument, run,
                                                token.name), limiter=controls)
        return models.Answers(answers=[models.Told(**asdict(one)) for one in told])


def _tests(app: FastAPI, parts: Parts, may: Any) -> None:
    @app.post(f"{API}/test", dependencies=[may], responses=_problems, tags=["operate"])
    def test(body: models.Tests) -> models.Tested:
        """Runs the tests behind a graph's text, as `despina test` does, in a process of its own. 503 while others run."""
        found = parts.trials.of(Submission(body.graph, body.file, files=body.files), parts.jobs.checks, parts.jobs.bundles)
        ok = not found.diagnostics and all(case["ok"] for case in found.cases)
        return models.Tested.model_validate({"ok": ok, "cases": found.cases, "diagnostics": found.diagnostics})


def _upgrades(app: FastAPI, parts: Parts, may: Any) -> None:
    options: dict[str, Any] = {"responses": _problems, "tags": ["operate"]}

    def asked(name: str, body: models.Upgrade, key: str | None, token: Token) -> tuple[Submission, Wish]:
        return (Submission(body.graph, body.file, name, body.deployment, body.parameters, body.labels, key=key or "",
                           files=body.files, inputs=tuple(body.inputs), spool=tuple(body.spool), who=token.name),
                Wish(tuple(body.drop), body.rename, body.watch_s, body.limit_s))

    @app.post(f"{API}/jobs/{{name}}/upgrade", status_code=202, **options)
    def upgrade(name: str, body: models.Upgrade, response: Response,
                idempotency_key: IdempotencyKey = None,
                token: Token = may) -> models.Job:
        """Has a running job go on with another graph: the run before drains into a savepoint, the new one, which this answers,
        starts from it. `upgrade` of the new run says how far that is.
        """
        found, repeated = parts.jobs.upgrade(*asked(name, body, idempotency_key, token))
        response.headers["location"] = f"{API}/jobs/{name}?run={found.record.run}"
        response.status_code = 200 if repeated else 202
        return job_of(found)

    @app.post(f"{API}/jobs/{{name}}/dry_run", **options)
    def dry_run(name: str, body: models.Upgrade, token: Token = may) -> models.DryRun:
        """What an upgrade would make of each operator and its state; changes nothing."""
        source, fates = parts.jobs.dry_run(*asked(name, body, None, token))
        return models.DryRun(from_state=source, operators=[models.Fate(**asdict(each)) for each in fates])


def _removals(app: FastAPI, parts: Parts, may: Any) -> None:
    @app.delete(f"{API}/jobs/{{name}}", status_code=204, responses=_problems, tags=["admin"])
    def remove(name: str, run: int | None = None, token: Token = may) -> Response:
        """Removes a run, or all of a name, with reports, logs, states and files."""
        parts.jobs.remove(name, run, token.name)
        return Response(status_code=204)


def _encoded(streams: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(stream).decode() for name, stream in streams.items()}


def _label(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise RefusedError("label", f"label={text!r} is not name=value")
    return name, value


def _problem(status: int, diagnostics: Sequence[Diagnostic], **headers: str) -> JSONResponse:
    return JSONResponse({"diagnostics": [each.as_dict() for each in diagnostics]}, status, headers)


def _failed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, DespinaError)
    if isinstance(error, DeniedError):
        headers = {"www-authenticate": "Bearer"} if error.status == 401 else {}
        return _problem(error.status, error.diagnostics, **headers)
    if isinstance(error, StartError | FullError):
        return _problem(503, error.diagnostics, **{"retry-after": str(RETRY_S)})
    if isinstance(error, AbsentError):
        return JSONResponse({"diagnostics": error.as_dicts(), "files": error.digests}, 404)
    return _problem(next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 422), error.diagnostics)


def _unwritten(request: Request, error: Exception) -> JSONResponse:
    """The disk took nothing: what was asked for has not been done. Or it is not there any more."""
    assert isinstance(error, OSError)
    if isinstance(error, FileNotFoundError):
        return _problem(404, [Diagnostic("run", "what was asked for was removed meanwhile", hint="see despina list")])
    return _problem(507, [Diagnostic("disk", f"the service's folder cannot be written: {error.strerror or error}",
                                     hint="make room on its disk, and ask again")])


def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _problem(422, [Diagnostic("request", str(found["msg"]), pointer="/" + "/".join(map(str, found["loc"][1:])))
                          for found in error.errors()])


def _no_route(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, [Diagnostic("route", f"{request.method} {request.url.path}: {error.detail}",
                                                   hint="GET /api/openapi.json lists what there is")],
                    **dict(error.headers or {}))
