"""``despina control``: tells operators of a job that runs in another process."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from despina.cli import options
from despina.cli.savepoint import job_text
from despina.errors import visible


@click.command("control")
@options.JOB_FILE
@click.argument("command", metavar="COMMAND")
@click.argument("operator", required=False, default="")
@click.argument("argument", required=False, default="")
@options.DRIVER
@options.JSON
def command(job_file: Path, command: str, operator: str, argument: str, driver: str, as_json: bool) -> int:
    """Tell OPERATOR of a running job COMMAND; without OPERATOR all that know it.

    `hold`: a source takes and makes no more packets. `go`: one that is held goes on. `flush`: rows that are gathered leave, and
    caches are emptied. `fire`: open windows give the rows that they have; with ARGUMENT `close` they end. `reload`: a lookup with
    reload_ms reads its files anew, and a Python function is imported and opened anew. `set_schedule`: ARGUMENT is a schedule, as
    the graph writes it.

    JOB_FILE is what `despina run GRAPH --job-file FILE` has written.
    """
    return tell(job_file, (command, operator, argument), driver, as_json)


def tell(job_file: Path, words: tuple[str, str, str], driver: str, as_json: bool) -> int:
    """Tells a running job, and prints what its operators answer.

    :param words: the command, the operator (empty for all that know it), and the argument (empty without one)
    :return: the exit code
    """
    from despina import engine
    told = engine.start(driver, coordinates_only=True).control_at(job_text(job_file), *words)
    if as_json:
        print(json.dumps({"answers": [asdict(one) for one in told], "diagnostics": []}))
    else:
        for one in told:
            print(visible(f"{one.operator}[{one.instance}]: {'' if one.ok else 'not done: '}{one.answer or 'done'}"))
    return 0 if all(one.ok for one in told) else 1
