"""``despina start``: a job of a service again."""

from __future__ import annotations

import click

from despina.cli import options
from despina.cli.service import NAME, SERVICE, client_of, told


@click.command("start")
@NAME
@click.option("--from-start", is_flag=True, help="Begin anew, whatever its state has.")
@SERVICE
@options.JSON
def command(name: str, from_start: bool, service: str | None, as_json: bool) -> int:
    """Start the job NAME again, which was stopped, has failed or was lost. It goes on from its state."""
    told(client_of(name, service).start(name, from_start), as_json, "started")
    return 0
