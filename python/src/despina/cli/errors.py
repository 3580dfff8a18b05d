"""``despina errors``: what went wrong in a job of a service."""

from __future__ import annotations

import json

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, show_lines


@click.command("errors")
@NAME
@RUN
@SERVICE
@options.JSON
def command(name: str, run: int | None, service: str | None, as_json: bool) -> int:
    """Print why the job NAME failed, and the first record that each of its operators skipped."""
    from despina.service.contexts import client
    lines = client(service).lines("errors", name, run)
    if as_json:
        print(json.dumps({"errors": list(lines), "diagnostics": []}))
    elif not show_lines(lines, as_json=False):
        print("no errors")
    return 0
