"""``despina remove``: a job of a service, with all that is kept of it."""

from __future__ import annotations

import json

import click

from despina.cli import options
from despina.cli.service import NAME, SERVICE, client_of
from despina.errors import visible


@click.command("remove")
@NAME
@click.option("--run", type=click.IntRange(min=1), metavar="N", help="Its run of that number. Default: all of them.")
@SERVICE
@options.JSON
def command(name: str, run: int | None, service: str | None, as_json: bool) -> int:
    """Remove the job NAME, which has ended: its runs with their graphs, states, logs, reports and the files in their folders."""
    client_of(name, service).remove(name, run)
    print(json.dumps({"diagnostics": []}) if as_json else visible(f"{name}: removed"))
    return 0
