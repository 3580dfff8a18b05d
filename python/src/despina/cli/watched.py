"""``despina run --service``: a graph on a service, watched from here."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from despina.cli import submit, tell, view
from despina.errors import DespinaError, IncompleteError, RefusedError

USED = ("graph", "settings", "deployment", "report", "as_json", "quiet", "service", "spool")
"""What `despina run` may be told with a service."""
LOOK_S = 0.5


def run(context: click.Context, service: str, started_at_ms: int) -> int:
    """Submits and watches. Ctrl-C leaves the job running.

    :return: the exit code, as that of `despina run`
    """
    from despina.service.client import ENDED, failure
    from despina.service.contexts import client
    from despina.service.submission import came_later
    given: dict[str, Any] = context.params
    _refuse_others(context)
    asked = client(service)
    sent = {**submit.body(given["graph"], given["settings"], given["deployment"], None, (), "resume"),
            **came_later("own", given["spool"])}
    found = asked.submit(sent, bundle=submit.bundle(given["graph"], sent, asked))
    name, run_number = found["name"], found["run"]
    progress = view.choose(sys.stderr, given["quiet"] or given["as_json"], started_at_ms)
    try:
        with progress:
            while found["state"] not in ENDED:
                _show(progress, found)
                time.sleep(LOOK_S)
                found = asked.job(name, run_number)
    except KeyboardInterrupt:
        print(f"the job {name} goes on; despina logs -f {name} follows it, despina stop {name} stops it", file=sys.stderr)
        raise
    error = failure(found) if found["state"] in ("failed", "lost", "incomplete") else None
    _end(found, asked.report(name, run_number) if _has_report(found) else {}, given, progress, error)
    if found["state"] == "incomplete":
        return IncompleteError.exit_code
    return 0 if error is None else error.exit_code


def _has_report(found: dict[str, Any]) -> bool:
    return bool(found["status"]) and found["state"] != "lost"


def _show(progress: view.View, found: dict[str, Any]) -> None:
    from despina.job import Status
    if found["status"]:
        progress.update(Status.from_dict(found["status"]))


def _end(found: dict[str, Any], report: dict[str, Any], given: dict[str, Any], progress: view.View,
         error: DespinaError | None) -> None:
    path: Path | None = given["report"]
    if path is not None and str(path) != "-":
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if given["as_json"]:
        print(json.dumps({**report, "diagnostics": [] if error is None else error.as_dicts()}))
        return
    if path is not None and str(path) == "-":
        print(json.dumps(report, indent=2))
    if error is not None:
        tell(error)
    elif found["status"]:
        from despina.job import Status
        progress.summary(Status.from_dict(found["status"]))


def _refuse_others(context: click.Context) -> None:
    """Options that a service decides itself, or that are of this machine."""
    unused = [parameter.opts[0] for parameter in context.command.params if parameter.name not in USED
              and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE]
    if unused:
        raise RefusedError("option", f"not used with --service: {', '.join(unused)}",
                           "the service keeps the job's state, starts it again and says where it runs")
