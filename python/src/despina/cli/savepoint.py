"""``despina savepoint``: the state of a running job, in a folder of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from despina.cli import options
from despina.errors import RefusedError, visible
from despina.options import read_text
from despina.state import address


@click.command("savepoint")
@options.JOB_FILE
@click.argument("folder", metavar="DIR")
@options.DRIVER
@options.JSON
def command(job_file: Path, folder: str, driver: str, as_json: bool) -> int:
    """Write a savepoint of a running job to DIR, which is empty or not there yet. The job goes on.

    JOB_FILE is what `despina run GRAPH --job-file FILE` has written. A savepoint needs nothing else and may be moved. `despina
    run GRAPH --state STATE --from DIR` goes on from it, also with another parallelism or a changed graph.
    """
    tell(directed(job_file, "", folder, driver), folder, as_json)
    return 0


def directed(job_file: Path, stop: str, folder: str | None, driver: str) -> dict[str, Any]:
    """Stops the job of that file, or has a savepoint of it written.

    :param stop: a mode, ``usual``, or empty to let it go on
    :raise RefusedError: it cannot be, or the job is not reached
    """
    from despina import engine
    text = job_text(job_file)
    return engine.start(driver, coordinates_only=True).direct(text, stop, "" if folder is None else address(folder))


def job_text(job_file: Path) -> str:
    """What a job file says.

    :raise RefusedError: it is none
    """
    text = read_text(job_file, "job")
    try:
        json.loads(text)
    except ValueError:
        raise RefusedError("job_file", f"{job_file} is no job file", "despina run GRAPH --job-file FILE writes one") from None
    return text


def tell(found: dict[str, Any], folder: str, as_json: bool) -> None:
    """Prints what was written."""
    if as_json:
        print(json.dumps({**found, "folder": folder, "diagnostics": []}))
    else:
        print(visible(f"{folder}: epoch {found['epoch']:,}, {found['bytes']:,} bytes"))
