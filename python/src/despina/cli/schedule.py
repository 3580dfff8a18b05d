"""``despina schedule``: sets when an operator of a job that runs in another process does its work."""

from __future__ import annotations

from pathlib import Path

import click

from despina.cli import options
from despina.cli.control import tell


@click.command("schedule")
@options.JOB_FILE
@click.argument("operator", metavar="OPERATOR")
@click.argument("schedule", metavar="SCHEDULE")
@options.DRIVER
@options.JSON
def command(job_file: Path, operator: str, schedule: str, driver: str, as_json: bool) -> int:
    """Give OPERATOR of a running job another schedule: SCHEDULE is one as the graph writes it.

    As `{"type": "periodic", "every_ms": 100}`. An operator that is fused behind another has none of its own.

    JOB_FILE is what `despina run GRAPH --job-file FILE` has written.
    """
    return tell(job_file, ("set_schedule", operator, schedule), driver, as_json)
