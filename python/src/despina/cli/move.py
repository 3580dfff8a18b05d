"""``despina move``: lets an operator of a job that runs in another process go on in other resources."""

from __future__ import annotations

from pathlib import Path

import click

from despina.cli import options
from despina.cli.control import Whom, tell
from despina.cli.service import SERVICE


@click.command("move")
@click.argument("job", type=click.Path(path_type=Path), metavar="JOB")
@click.argument("operator", metavar="OPERATOR")
@click.argument("resources", nargs=-1, required=True, metavar="RESOURCE...")
@SERVICE
@options.DRIVER
@options.JSON
def command(job: Path, operator: str, resources: tuple[str, ...], service: str | None, driver: str, as_json: bool) -> int:
    """Let OPERATOR of a running job go on in other resources of its deployment: its instances go to them in turn.

    The job, which must keep its state, goes on from its last epoch as its next attempt, so all of it pauses for a moment.
    An attempt after that, as when something is lost, begins there too. When the command that runs the job is started again, its
    deployment file says anew where operators are.

    JOB is what `despina run GRAPH --job-file FILE` has written, or the name of a job of a service.
    """
    return tell(Whom(job, driver, service), ("move", operator, " ".join(resources)), as_json)
