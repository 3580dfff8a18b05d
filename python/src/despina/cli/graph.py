"""``despina graph``: graphs that a service keeps, each save a revision, and jobs that are made of them."""

from __future__ import annotations

import click

from despina.cli import options, saved, submit
from despina.cli.service import NAME, SERVICE, told
from despina.errors import RefusedError
from despina.service.store import Isolation, Restart


@click.group("graph")
def command() -> None:
    """Save, find and submit graphs that a service keeps. Each save is a revision: who, when, why."""


saved.add(command, "graph")


@command.command("submit")
@NAME
@saved.REVISION
@click.option("--name", "job", metavar="JOB", default="", help="The job's name. Default: the name that stands in the graph.")
@click.option("--deployment", metavar="NAME[@N]", default="",
              help="A deployment that the service keeps: where each operator runs.")
@options.SET
@submit.LABEL
@submit.RESTART
@submit.ISOLATION
@submit.SPOOL
@submit.KEY
@SERVICE
@options.JSON
def submitted(name: str, revision: int | None, job: str, deployment: str, settings: tuple[str, ...], labels: tuple[str, ...],
              restart: Restart, isolation: Isolation, spool: tuple[str, ...], key: str | None, service: str | None,
              as_json: bool) -> int:
    """Have the graph NAME run from now on, as `despina submit` has a file.

    What it reads by relative paths is of the folder where you type.
    """
    from despina.service.contexts import client
    from despina.service.remote_specs import Wanted
    from despina.service.remote_specs import submit as ask
    where, of_deployment = _named(deployment)
    found = ask(client(service), name, Wanted(revision, job, where, of_deployment, options.parameters(settings),
                                              options.parameters(labels, "--label"), restart, isolation, spool), key or "")
    told(found, as_json, f"submitted from revision {found['saved']['revision']}")
    return 0


def _named(deployment: str) -> tuple[str, int | None]:
    """A name, and the revision that may stand behind it.

    :raise RefusedError: no number stands there
    """
    name, sign, number = deployment.partition("@")
    if sign and not (number.isdecimal() and int(number)):
        raise RefusedError("option", f"--deployment {deployment!r} is not NAME or NAME@N", "for example two_hosts@3")
    return name, int(number) if sign else None
