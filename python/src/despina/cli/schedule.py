"""``despina schedule``: sets when an operator of a job that runs in another process does its work."""

from __future__ import annotations

from pathlib import Path

import click

from despina.cli import options
from despina.cli.control import Whom, tell
from despina.cli.service import SERVICE


@click.command("schedule")
@click.argument("job", type=click.Path(path_type=Path), metavar="JOB")
@click.argument("operator", metavar="OPERATOR")
@click.argument("schedule", metavar="SCHEDULE")
@SERVICE
@options.DRIVER
@options.JSON
def command(job: Path, operator: str, schedule: str, service: str | None, driver: str, as_json: bool) -> int:
    """Give OPERATOR of a running job another schedule: SCHEDULE is one as the graph writes it.

    As `{"type": "periodic", "every_ms": 100}`. An operator that is fused behind another has none of its own.

    JOB is what `despina run GRAPH --job-file FILE` has written, or the name of a job of a service.
    """
    return tell(Whom(job, driver, service), ("set_schedule", operator, schedule), as_json)
