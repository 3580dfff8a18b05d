"""``despina tail``: some of the rows that come to an operator of a job of a service."""

from __future__ import annotations

import json
import time

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, client_of
from despina.errors import RefusedError, visible

LOOK_S = 0.25


@click.command("tail")
@NAME
@click.argument("operator", metavar="OPERATOR[.PORT]")
@click.option("-n", "--lines", type=click.IntRange(min=1), metavar="N",
              help="End after N rows. Default: with the job, or Ctrl-C.")
@RUN
@SERVICE
@options.JSON
def command(name: str, operator: str, lines: int | None, run: int | None, service: str | None, as_json: bool) -> int:
    """Print some of the rows that come to OPERATOR of the job NAME, at most fifty a second. PORT is an input port, the first if
    it is not named. The job waits for no row that is printed.
    """
    from despina.service.client import ENDED
    asked = client_of(name, service)
    node, _, port = operator.partition(".")
    after, printed, seen = 0, 0, False
    while True:
        try:
            found = asked.tail(name, node, port, after, run)
            seen = True
        except RefusedError as error:
            starts = error.rule == "job_state" and (seen or asked.job(name, run)["state"] not in ENDED)
            if error.rule != "state" and not starts:
                raise
            found = {"rows": [], "next": 0}     # it has ended, or is being started
        after = found["next"]
        for row in found["rows"][:None if lines is None else lines - printed]:
            printed += 1
            print(json.dumps({"row": row}) if as_json else visible(row), flush=True)
        if lines is not None and printed >= lines:
            return 0
        if not found["rows"] and asked.job(name, run)["state"] in ENDED:
            return 0
        time.sleep(LOOK_S)
