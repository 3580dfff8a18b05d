"""``despina logs``: what a job of a service has said."""

from __future__ import annotations

import click

from despina.cli.service import NAME, RUN, SERVICE, client_of, show_lines


@click.command("logs")
@NAME
@click.option("-f", "--follow", is_flag=True, help="Wait for more, until the job has ended.")
@RUN
@SERVICE
@click.option("--json", "as_json", is_flag=True, help="Print each line as a JSON object.")
def command(name: str, follow: bool, run: int | None, service: str | None, as_json: bool) -> int:
    """Print the log of the job NAME: what happened to it, and what its console sinks print."""
    show_lines(client_of(name, service).lines("log", name, run, follow), as_json)
    return 0


