"""The routes of what is saved: graphs, and deployments beside them, each save a revision; and of jobs that are made of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any, Protocol

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Header, Query, Response

from despina.errors import RefusedError
from despina.service import models
from despina.service.answers import IdempotencyKey, job_of
from despina.service.differences import Difference, difference
from despina.service.jobs import Jobs
from despina.service.saves import KINDS, Kind, Save
from despina.service.specs import ANY, Revision, Specs
from despina.service.submission import Submission
from despina.service.tokens import Token

OVER = "Which revision this replaces, as `ETag` has it, or *: needed where there is one. 412 if another is the newest by now."
FIND = "Words that are all in the name, the comment or the text, in whatever case."
BEFORE = "The one before `after` if it is not given."
AFTER = "The newest if it is not given."
AT_ONCE = 1
"""How many differences are made at one time, and how many searches. Each may take seconds; no other request waits for them."""
_TAGS = re.compile(r'\s*(?:\*|"[0-9]{1,9}"(?:\s*,\s*"[0-9]{1,9}")*)\s*')


class Saving(Protocol):
    """What these routes use, looked up at each request."""

    jobs: Jobs


def add(app: FastAPI, prefix: str, parts: Saving, options: dict[str, Any], may: Mapping[str, Any]) -> None:
    """Adds them.

    :param prefix: of the path
    :param options: of each route: what it may answer
    :param may: by role, what lets a token in
    """
    for kind in KINDS:
        path = f"{prefix}/{kind}s"
        _read(app, path, parts, kind, {**options, "dependencies": [may["view"]], "tags": ["saved"]})
        _compare(app, path, parts, kind, {**options, "tags": ["saved"]}, may)
        _write(app, path, parts, kind, {**options, "tags": ["saved"]}, may)
    _submit(app, f"{prefix}/graphs", parts, {**options, "tags": ["saved"]}, may["operate"])


def _read(app: FastAPI, path: str, parts: Saving, kind: Kind, options: dict[str, Any]) -> None:
    def specs() -> Specs:
        return parts.jobs.specs[kind]
    searching = CapacityLimiter(AT_ONCE)

    @app.get(path, operation_id=f"find_{kind}s", **options)
    async def find(find: Annotated[str, Query(max_length=200, description=FIND)] = "") -> models.Found:
        """Of each name the newest revision."""
        found = await to_thread.run_sync(specs().find, find, limiter=searching)
        return models.Found(saves=[_save(each) for each in found.saves], unread=found.unread)

    @app.get(f"{path}/{{name}}", operation_id=f"read_{kind}", **options)
    def one(name: str, response: Response, revision: int | None = None) -> models.Revision:
        """A revision with its text, the newest if no number is given."""
        return _told(specs().one(name, revision), response)

    @app.get(f"{path}/{{name}}/revisions", operation_id=f"{kind}_revisions", **options)
    def revisions(name: str) -> models.Saves:
        """The revisions of a name that are kept, the newest last."""
        return models.Saves(saves=[_save(each) for each in specs().history(name)])


def _compare(app: FastAPI, path: str, parts: Saving, kind: Kind, options: dict[str, Any], may: Mapping[str, Any]) -> None:
    comparing = CapacityLimiter(AT_ONCE)

    @app.get(f"{path}/{{name}}/difference", operation_id=f"{kind}_difference", dependencies=[may["view"]], **options)
    async def changed(name: str, before: Annotated[int | None, Query(ge=1, description=BEFORE)] = None,
                      after: Annotated[int | None, Query(ge=1, description=AFTER)] = None) -> models.Difference:
        """What has changed from one revision to another."""
        return await to_thread.run_sync(_difference, parts.jobs.specs[kind], name, before, after, limiter=comparing)

    @app.post(f"{path}/{{name}}/difference", operation_id=f"{kind}_draft_difference", dependencies=[may["operate"]], **options)
    async def drafted(name: str, body: models.Draft) -> models.Difference:
        """What has changed from a revision to a text that is not saved."""
        return await to_thread.run_sync(_drafted, parts.jobs.specs[kind], name, body, limiter=comparing)


def _drafted(specs: Specs, name: str, body: models.Draft) -> models.Difference:
    old = specs.one(name, body.before)
    new = Revision(Save(name, 0, 0, "", ""), body.text)
    return _compared(old, new, difference(specs.kind, old, new))


def _difference(specs: Specs, name: str, before: int | None, after: int | None) -> models.Difference:
    new = specs.one(name, after)
    if before is None:
        known = [number for number in specs.numbers(name) if number < new.save.revision]
        if not known:
            raise RefusedError("revision", f"there is no revision of the {specs.kind} {name} before {new.save.revision}",
                               "name two: before and after")
        before = known[-1]
    old = specs.one(name, before)
    return _compared(old, new, difference(specs.kind, old, new))


def _compared(old: Revision, new: Revision, found: Difference) -> models.Difference:
    return models.Difference(before=_save(old.save), after=_save(new.save), text=found.text,
                             operators=[models.Fate(**asdict(each)) for each in found.operators])


def _write(app: FastAPI, path: str, parts: Saving, kind: Kind, options: dict[str, Any], may: Mapping[str, Any]) -> None:
    stale = {code: {"model": models.Problem} for code in (412, 428)}

    @app.put(f"{path}/{{name}}", status_code=201, operation_id=f"save_{kind}",
             **{**options, "responses": {**options["responses"], **stale, 200: {"model": models.Save}}})
    def save(name: str, body: models.Spec, response: Response,
             if_match: Annotated[str | None, Header(max_length=1000, description=OVER)] = None,
             token: Token = may["operate"]) -> models.Save:
        """Makes a revision. 200 if its text is that of the newest: there is none more then."""
        made, is_new = parts.jobs.specs[kind].save(name, body.text, token.name, body.comment, _over(if_match))
        if is_new:
            told = f"revision {made.save.revision} of the {kind} {name}{f': {body.comment}' if body.comment else ''}"
            parts.jobs.events.told("save", told, token.name, kind=kind, name=name, revision=made.save.revision)
        response.status_code = 201 if is_new else 200
        response.headers["etag"] = f'"{made.save.revision}"'
        return _save(made.save)

    @app.delete(f"{path}/{{name}}", status_code=204, operation_id=f"remove_{kind}", **options)
    def remove(name: str, token: Token = may["admin"]) -> Response:
        """Removes all revisions of a name."""
        parts.jobs.specs[kind].remove(name)
        parts.jobs.events.told("remove", f"the {kind} {name} was removed", token.name, kind=kind, name=name)
        return Response(status_code=204)


def _submit(app: FastAPI, path: str, parts: Saving, options: dict[str, Any], may: Any) -> None:
    @app.post(f"{path}/{{name}}/submit", status_code=202, operation_id="submit_graph", **options)
    def submit(name: str, body: models.OfSaved, response: Response,
               idempotency_key: IdempotencyKey = None,
               token: Token = may) -> models.Job:
        """Has a graph that was saved run from now on, perhaps with a deployment that was."""
        asked = Submission("", key=idempotency_key or "", told=_digest(name, body), who=token.name)
        known = parts.jobs.known(asked)     # its graph may be gone by now, and must not be looked for
        found, repeated = (known, True) if known is not None else parts.jobs.submit(_submission(parts.jobs, name, body, asked))
        response.headers["location"] = f"{path.removesuffix('/graphs')}/jobs/{found.record.name}?run={found.record.run}"
        response.status_code = 200 if repeated else 202
        return job_of(found)


def _digest(name: str, body: models.OfSaved) -> str:
    """By which a submission is the same, though another revision was saved since."""
    defaults = {"isolation": "own", "spool": []}
    came_later = {field for field, value in defaults.items() if getattr(body, field) == value}     # keys of before stay the same
    return hashlib.sha256(json.dumps([name, body.model_dump(exclude=came_later)], sort_keys=True).encode()).hexdigest()


def _submission(jobs: Jobs, name: str, body: models.OfSaved, asked: Submission) -> Submission:
    """What was asked for, with the texts that are saved.

    :raise MissingError: one of them is not
    """
    graph = jobs.specs["graph"].one(name, body.revision)
    deployment = None if body.deployment is None else jobs.specs["deployment"].one(body.deployment, body.deployment_revision)
    saved = {"graph": name, "revision": graph.save.revision}
    if deployment is not None:
        saved |= {"deployment": deployment.save.name, "deployment_revision": deployment.save.revision}
    return replace(
        asked, text=graph.text, file=f"{name}@{graph.save.revision}", name=body.job or "",
        deployment=None if deployment is None else deployment.text, parameters=body.parameters, labels=body.labels,
        restart=body.restart, isolation=body.isolation, files=body.files, inputs=tuple(body.inputs),
        spool=tuple(body.spool), saved=saved)


def _over(if_match: str | None) -> frozenset[int] | None:
    """The revisions that a header names.

    :raise RefusedError: it names something else
    """
    if if_match is None:
        return None
    if not _TAGS.fullmatch(if_match):
        raise RefusedError("if_match", f"If-Match: {if_match!r} names no revision", 'as ETag has it: "3"; or *')
    return ANY if "*" in if_match else frozenset(map(int, re.findall("[0-9]+", if_match)))


def _save(save: Save) -> models.Save:
    return models.Save(**asdict(save))


def _told(found: Revision, response: Response) -> models.Revision:
    response.headers["etag"] = f'"{found.save.revision}"'
    return models.Revision(**asdict(found.save), text=found.text)
