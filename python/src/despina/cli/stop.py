"""``despina stop``: ends a job that runs in another process, or in a service."""

from __future__ import annotations

import json
from pathlib import Path

import click

from despina.cli import options
from despina.cli.savepoint import directed, tell
from despina.cli.service import SERVICE, told
from despina.errors import RefusedError


@click.command("stop")
@click.argument("job", type=click.Path(path_type=Path), metavar="JOB")
@click.option("--mode", type=click.Choice(["drain", "flush", "now"]), help="How; as its --on-stop says if not given.")
@click.option("--savepoint", "folder", metavar="DIR",
              help="Write a savepoint of its end to DIR, which is empty or not there yet. Windows stay open in it.")
@click.option("--limit", "limit_s", callback=options.span("s"), metavar="TIME",
              help="What a service's job has not worked off by then is dropped. Default: 10s.")
@SERVICE
@options.DRIVER
@options.JSON
def command(job: Path, mode: str | None, folder: str | None, limit_s: float | None, service: str | None, driver: str,
            as_json: bool) -> int:
    """Stop a running job, as Ctrl-C does where it runs.

    JOB is what `despina run GRAPH --job-file FILE` has written, or the name of a job of a service. With --savepoint the command
    returns when that is there; a service's job is stopped in the background.
    """
    if service or not job.exists():
        return _of_service(str(job), mode, folder, limit_s, service, as_json)
    if limit_s is not None:
        raise RefusedError("option", "--limit is for a job of a service", "a job file's own is --drain-ms of its run")
    found = directed(job, mode or "usual", folder, driver)
    if folder is not None:
        tell(found, folder, as_json)
    elif as_json:
        print(json.dumps({"diagnostics": []}))
    return 0


ENDED_ALONE = ("done", "failed", "lost", "incomplete")
"""What a job is that nobody had to stop."""


def _of_service(name: str, mode: str | None, folder: str | None, limit_s: float | None, service: str | None,
                as_json: bool) -> int:
    from despina.options import read_text
    from despina.service.contexts import client, is_meant
    if not is_meant(service):
        read_text(name, "job")      # says that it is not there, and what is near
    if folder is not None:
        raise RefusedError("option", "--savepoint is for a job with a job file", "the service keeps the job's state")
    found = client(service).stop(name, mode or "drain", limit_s)
    told(found, as_json, f"has ended already, {found['state']}" if found["state"] in ENDED_ALONE else "is stopped")
    return 0
