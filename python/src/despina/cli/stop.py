"""``despina stop``: ends a job that runs in another process."""

from __future__ import annotations

import json
from pathlib import Path

import click

from despina.cli import options
from despina.cli.savepoint import directed, tell


@click.command("stop")
@options.JOB_FILE
@click.option("--mode", type=click.Choice(["drain", "flush", "now"]), help="How; as its --on-stop says if not given.")
@click.option("--savepoint", "folder", metavar="DIR",
              help="Write a savepoint of its end to DIR, which is empty or not there yet. Windows stay open in it.")
@options.DRIVER
@options.JSON
def command(job_file: Path, mode: str | None, folder: str | None, driver: str, as_json: bool) -> int:
    """Stop a running job, as Ctrl-C does where it runs.

    JOB_FILE is what `despina run GRAPH --job-file FILE` has written. With --savepoint the command returns when that is there.
    """
    found = directed(job_file, mode or "usual", folder, driver)
    if folder is not None:
        tell(found, folder, as_json)
    elif as_json:
        print(json.dumps({"diagnostics": []}))
    return 0
