"""``despina submit``: a graph for a service, which runs it from now on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from despina.cli import options
from despina.cli.service import SERVICE, told
from despina.service.store import Isolation, Restart

if TYPE_CHECKING:
    from despina.service.bundles import Bundle
    from despina.service.client import Client

NAME = click.option("--name", metavar="NAME", help="The job's name, one of those that have not ended. Default: the graph's.")
LABEL = click.option("--label", "labels", metavar="NAME=VALUE", multiple=True, help="A label, to find it by; may be repeated.")
RESTART = click.option("--restart", type=click.Choice(get_args(Restart)), default="resume", show_default=True,
                       help="When the service was lost: resume goes on from the job's last epoch, from_start begins anew, never "
                            "leaves it.")
ISOLATION = click.option("--isolation", type=click.Choice(get_args(Isolation)), default="own", show_default=True,
                         help="own has processes of its own; shared has one together with all jobs that are shared, for small "
                              "machines: what ends that process ends it for all of them.")
SPOOL = click.option("--spool", metavar="SINK", multiple=True,
                     help="Keep the rows that reach SINK on the service's disk, for programs of its machine that read them, as "
                          "Spark; the job lasts until they are read. May be repeated.")
KEY = click.option("--key", metavar="KEY", help="With the same key, the same submission is not run twice. Default: a new one.")


@click.command("submit")
@options.GRAPH
@options.SET
@options.DEPLOYMENT
@NAME
@LABEL
@RESTART
@ISOLATION
@SPOOL
@KEY
@SERVICE
@options.JSON
def command(graph: Path, settings: tuple[str, ...], deployment: Path | None, name: str | None, labels: tuple[str, ...],
            restart: Restart, isolation: Isolation, spool: tuple[str, ...], key: str | None, service: str | None,
            as_json: bool) -> int:
    """Submit GRAPH to a service. It checks the graph, keeps it, and runs it until it ends or is stopped.

    Files that the graph reads by relative paths, and modules of its Python functions beside it, go with it: 64 MB at most. Other
    files are those of the service's machine.
    """
    from despina.service.contexts import client
    from despina.service.submission import came_later
    sent = {**body(graph, settings, deployment, name, labels, restart), **came_later(isolation, spool)}
    asked = client(service)
    found = asked.submit(sent, key or "", bundle(graph, sent, asked))
    told(found, as_json, "submitted")
    return 0


def body(graph: Path, settings: tuple[str, ...], deployment: Path | None, name: str | None, labels: tuple[str, ...],
         restart: str) -> dict[str, Any]:
    """What is sent, with the files that parts of the graph are in.

    :raise RefusedError: a file cannot be read
    """
    from despina import parts
    from despina.options import read_text
    found: dict[str, Any] = {"graph": parts.sequence(read_text(graph, "graph"), str(graph)), "file": str(graph),
                             "restart": restart, "parameters": options.parameters(settings),
                             "labels": options.parameters(labels, "--label")}
    if deployment is not None:
        found["deployment"] = read_text(deployment, "deployment")
    if name is not None:
        found["name"] = name
    return found


def bundle(graph: Path, sent: Mapping[str, Any], service: Client) -> Bundle:
    """The files that go with it, as far as the graph is in order."""
    from despina.service.bundles import beside
    return beside(service.whole(sent["graph"], sent["file"]), graph, sent["parameters"], Path.cwd())
