"""What is submitted, and what of it the gateway is told: a run's processes are children of its own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from despina.errors import RefusedError
from despina.options import RunOptions
from despina.service.store import NAME, NAME_HINT, Isolation, Restart, Run

SAVEPOINT = "savepoint"
"""The folder of a run with what it goes on from, until an upgrade is over."""
SHARED = "shared"
"""The resource of all jobs that share one; the names of others have a number behind them."""
PLAIN = re.compile(r"[a-z][a-z0-9_]*")
"""A name of a job that a resource may have, too."""


@dataclass(frozen=True)
class Submission:
    """A graph that is to run.

    :ivar file: its name, for diagnostics
    :ivar name: of the job; the graph's if not given
    :ivar key: one of the client's choice: with it, a submission that comes twice is one
    :ivar inputs: sources that programs give rows
    :ivar spool: sinks whose rows are kept for programs that read them
    :ivar files: digests of the files that come with it, by their paths below the job's folder
    :ivar who: submits it
    :ivar told: the digest of what was sent, where this has more
    :ivar places: of a graph whose parts were written out: by JSON pointer, where that is in what was sent
    :ivar saved: of which revision of which graph and deployment it is, if they were saved before
    :ivar isolation: whether it has its processes alone, or one process with all jobs that are shared
    """

    text: str
    file: str = "graph"
    name: str = ""
    deployment: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    restart: Restart = "resume"
    key: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    spool: tuple[str, ...] = ()
    who: str = ""
    told: str = ""
    saved: Mapping[str, Any] | None = None
    places: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    isolation: Isolation = "own"

    @property
    def digest(self) -> str:
        """Of all that makes it another one."""
        if self.told:
            return self.told
        content = [self.text, self.name, self.deployment, dict(self.parameters), dict(self.labels), self.restart,
                   dict(self.files), list(self.inputs), *([self.isolation] if self.isolation != "own" else []),
                   *([list(self.spool)] if self.spool else [])]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def filled(submission: Submission, before: Run) -> Submission:
    """A submission of an upgrade, with what it does not say as it was before."""
    record = before.record
    deployment = before.deployment if submission.deployment is None else submission.deployment
    return replace(submission, told=submission.digest, deployment=deployment,
                   parameters=submission.parameters or before.parameters, labels=submission.labels or record.labels,
                   inputs=submission.inputs or tuple(record.inputs), spool=submission.spool or tuple(record.spool),
                   restart=record.restart, isolation=record.isolation)


def words(run: Run) -> dict[str, Any]:
    """The options of a run, in the gateway's words: its processes are children of its own, or it shares one with others."""
    record = run.record
    prefix = SHARED if record.isolation == "shared" else resource_prefix(record.name, record.run)
    found = given(isolated(run.deployment, prefix), run.parameters, run.files)
    return {**found, **flows(record.inputs, record.spool)}


def flows(inputs: Sequence[str], spool: Sequence[str]) -> dict[str, list[str]]:
    """What rows come from programs, and go to them, in the gateway's words."""
    return {word: list(operators) for word, operators in (("inputs", inputs), ("serve", spool)) if operators}


def going_on(run: Run, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a start, with those of one that goes on from another run's savepoint: that is for the first start alone, as
    the engine finds out by its time.
    """
    wish, savepoint = run.record.upgrade, run.folder / SAVEPOINT
    if not wish or "state" not in asked or asked.get("from_start") or wish["phase"] == "over" or not savepoint.exists():
        return dict(asked)
    return {**asked, "from": str(savepoint), "supervised_since_ms": run.record.submitted_at_ms,
            **{name: wish[name] for name in ("drop", "rename") if wish[name]}}


def given(deployment: str | None, parameters: Mapping[str, str], directory: Path) -> dict[str, Any]:
    """The options of a check, in the gateway's words."""
    found = RunOptions(parameters=dict(parameters)).for_gateway()
    if deployment is not None:
        found |= {"deployment_text": deployment, "deployment_file": "deployment"}
    return {**found, "directory": str(directory)}


def resource_prefix(name: str, run: int) -> str:
    """What the names of a run's resources begin with: another one for each run."""
    if not PLAIN.fullmatch(name) or "__" in name:
        slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        name = f"j{hashlib.sha256(name.encode()).hexdigest()[:8]}_{slug}"
    return f"{name}_{run}"


def isolated(deployment: str | None, prefix: str) -> str:
    """The deployment of a run, whose children have names that no other run has: resources of equal names are shared."""
    if deployment is None:
        return json.dumps({"format": 1, "resources": {prefix: {"start": "child"}}})
    content = json.loads(deployment)
    renamed = {name: f"{prefix}__{name}" if spec.get("start", "child") == "child" else name
               for name, spec in content["resources"].items()}
    content["resources"] = {renamed[name]: spec for name, spec in content["resources"].items()}
    content["place"] = {operator: [_renamed(name, renamed) for name in names]
                        for operator, names in (content.get("place") or {}).items()}
    if not content["place"]:
        del content["place"]
    for way in content.get("network") or ():
        way["between"] = [_renamed(name, renamed) for name in way["between"]]
    if measured_on := (content.get("placing") or {}).get("measured_on"):
        content["placing"]["measured_on"] = _renamed(measured_on, renamed)
    return json.dumps(content)


def _renamed(name: str, renamed: Mapping[str, str]) -> str:
    """The name, perhaps of one of several alike: ``worker-1``."""
    base, dash, number = name.rpartition("-")
    return f"{renamed.get(base, base)}{dash}{number}" if dash else renamed.get(name, name)


def as_written(plan: Mapping[str, Any], text: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """A plan whose fields name parameters where the graph's text does, in place of their values. A field that does not stand in
    the text, but was made of such a value, is left out.

    :param parameters: those that were given, whose values not everybody may read
    """
    written = json.loads(text).get("operators") or {}
    operators = [{**operator, "fields": _named(operator.get("fields") or {}, written.get(operator["id"]) or {}, parameters)}
                 for operator in plan.get("operators") or ()]
    return {**plan, **({"operators": operators} if operators else {})}


def _named(fields: Mapping[str, Any], written: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    named = {name for name, value in written.items() if "${" in json.dumps(value)}
    used = [value for name, value in parameters.items() if f"${{{name}}}" in json.dumps(written)]
    return {name: written[name] if name in named else value for name, value in fields.items()
            if name in written or not used or _is_plain(value, used)}


def _is_plain(value: Any, used: Sequence[str]) -> bool:
    """Whether a value that does not stand in the text is none of these and made of none: a text may be made of a part of one."""
    return (value is None or isinstance(value, int | float)) and json.dumps(value) not in used


def refuse_elsewhere(deployment: str | None) -> None:
    """The service runs what the engine runs on machines; Spark is not its own.

    :raise RefusedError: a part of the job would run in Spark
    """
    try:
        content = json.loads(deployment or "{}")
        resources, place = dict(content.get("resources") or {}), dict(content.get("place") or {})
    except (ValueError, AttributeError, TypeError):
        return      # which check tells, with its place
    for name, spec in resources.items():
        if isinstance(spec, dict) and spec.get("start") == "executor":
            raise RefusedError("deployment", f"the resource {name} is an executor of Spark, which a service does not have",
                               "let it be a child, or run it by `despina run --on executors`")
    for operator, names in place.items():
        if "spark" in names and "spark" not in resources:
            raise RefusedError("deployment", f"the operator {operator} is placed on Spark, which a service does not have",
                               "run a split graph by `despina run`")


def came_later(isolation: Isolation, spool: Sequence[str] = ()) -> dict[str, Any]:
    """What a client sends of these: nothing of the default, so that an older service takes it too."""
    return {**({} if isolation == "own" else {"isolation": isolation}), **({"spool": list(spool)} if spool else {})}


def refuse_shared(submission: Submission) -> None:
    """Jobs that share a process have it as it is: places, sizes, classes and an interpreter of their own are for a job alone.

    :raise RefusedError: it has a deployment, and shares the process of others
    """
    if submission.isolation == "shared" and submission.deployment is not None:
        raise RefusedError("isolation", "a job that shares the process of others has no deployment, and no classes of its own",
                           "leave the deployment out, or leave the job its own processes: isolation own")


def name_of(text: str) -> str:
    """The name of a job of that graph: the graph's, with _ for what a name cannot have."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", str(json.loads(text)["name"]))[:64]
    refuse_name(name)
    return name


def refuse_name(name: str) -> None:
    """Refuses what is no name of a job.

    :raise RefusedError: it is none
    """
    if not NAME.fullmatch(name):
        raise RefusedError("job_name", f"name={name!r} is no name of a job", NAME_HINT)

