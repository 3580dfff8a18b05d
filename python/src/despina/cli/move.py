"""``despina move``: lets an operator of a running job go on in other resources, or its keys in other instances."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from despina.cli import options
from despina.cli.control import Whom, tell
from despina.cli.service import SERVICE


@click.command("move")
@click.argument("job", type=click.Path(path_type=Path), metavar="JOB")
@click.argument("operator", metavar="OPERATOR")
@click.argument("to", nargs=-1, required=True, metavar="RESOURCE... | BUCKET=INSTANCE...")
@SERVICE
@options.DRIVER
@options.JSON
def command(job: Path, operator: str, to: tuple[str, ...], service: str | None, driver: str, as_json: bool) -> int:
    """Let OPERATOR of a running job go on in other resources of its deployment: its instances go to them in turn.

    The job, which must keep its state, goes on from its last epoch as its next attempt, so all of it pauses for a moment.
    An attempt after that, as when something is lost, begins there too. When the command that runs the job is started again, its
    deployment file says anew where operators are.

    With BUCKET=INSTANCE, as in `7=2`, buckets of the operator's keys go to other instances of it, with what is kept for them.
    The job goes on; `despina control JOB status OPERATOR` shows which instance has which.

    JOB is what `despina run GRAPH --job-file FILE` has written, or the name of a job of a service.
    """
    return tell(Whom(job, driver, service), ("move", operator, _argument(to)), as_json)


def _argument(to: tuple[str, ...]) -> str:
    if all(re.fullmatch(r"\d+=\d+", each) for each in to):
        return json.dumps({bucket: int(instance) for bucket, instance in (each.split("=") for each in to)})
    return " ".join(to)
