"""``despina list``: the jobs of a service."""

from __future__ import annotations

import json

import click

from despina.cli import options
from despina.cli.service import SERVICE, age, counts, table
from despina.cli.submit import LABEL


@click.command("list")
@LABEL
@SERVICE
@options.JSON
def command(labels: tuple[str, ...], service: str | None, as_json: bool) -> int:
    """List the jobs of a service: of each name the last run."""
    from despina.service.contexts import client
    jobs = client(service).jobs(options.parameters(labels, "--label"))
    if as_json:
        print(json.dumps({"jobs": jobs, "diagnostics": []}))
    elif not jobs:
        print("no jobs")
    else:
        rows = [["NAME", "RUN", "STATE", "SINCE", "IN", "OUT", "ERRORS", ""]]
        for job in jobs:
            rows.append([job["name"], str(job["run"]), job["state"], age(job["changed_at_ms"]),
                         *(f"{count:,}" for count in counts(job)), job["reason"]])
        table(rows)
    return 0
