"""``despina errors``: what went wrong in a job of a service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, client_of, show_lines
from despina.errors import RefusedError, visible


@click.command("errors")
@NAME
@RUN
@click.option("--operator", default="", metavar="ID", help="The last bad records of this operator, a thousand or so.")
@SERVICE
@options.JSON
def command(name: str, run: int | None, operator: str, service: str | None, as_json: bool) -> int:
    """Print why the job NAME failed, the first record that each of its operators skipped, and how many were bad."""
    asked = client_of(name, service)
    lines = asked.lines("errors", name, run, operator=operator)
    if as_json:
        print(json.dumps({"errors": list(lines), "diagnostics": []}))
        return 0
    count = show_lines(lines, as_json=False)
    if not count or not operator:
        job = asked.job(name, run)
        _refuse_unknown(job, operator)
        count += 0 if operator else _counts(job)
    if not count:
        print("no errors")
    return 0


def _refuse_unknown(job: Mapping[str, Any], operator: str) -> None:
    """Refuses an operator that the job has not, as far as it is known which it has.

    :raise RefusedError: it has none of that id
    """
    known = list((job.get("status") or {}).get("operators") or {})
    if operator and known and operator not in known:
        close = get_close_matches(operator, known, 1)
        raise RefusedError("operator", f"no operator `{operator}` in {job['name']}",
                           f"did you mean `{close[0]}`?" if close else f"it has: {', '.join(known)}")


def _counts(job: Mapping[str, Any]) -> int:
    """A line for each operator that met bad records; how many these are."""
    bad = {operator: counters["errors"] for operator, counters in ((job.get("status") or {}).get("operators") or {}).items()
           if counters["errors"]}
    for operator, errors in bad.items():
        print(visible(f"{operator}: {errors:,} bad records; despina errors {job['name']} --operator {operator} prints the last"))
    return len(bad)
