"""``despina errors``: what went wrong in a job of a service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, show_lines
from despina.errors import visible


@click.command("errors")
@NAME
@RUN
@click.option("--operator", default="", metavar="ID", help="The last bad records of this operator, a thousand or so.")
@SERVICE
@options.JSON
def command(name: str, run: int | None, operator: str, service: str | None, as_json: bool) -> int:
    """Print why the job NAME failed, the first record that each of its operators skipped, and how many were bad."""
    from despina.service.contexts import client
    asked = client(service)
    lines = asked.lines("errors", name, run, operator=operator)
    if as_json:
        print(json.dumps({"errors": list(lines), "diagnostics": []}))
        return 0
    count = show_lines(lines, as_json=False)
    if not operator:
        count += _counts(asked.job(name, run))
    if not count:
        print("no errors")
    return 0


def _counts(job: Mapping[str, Any]) -> int:
    """A line for each operator that met bad records; how many these are."""
    bad = {operator: counters["errors"] for operator, counters in ((job.get("status") or {}).get("operators") or {}).items()
           if counters["errors"]}
    for operator, errors in bad.items():
        print(visible(f"{operator}: {errors:,} bad records; despina errors {job['name']} --operator {operator} prints the last"))
    return len(bad)
