"""``despina upgrade``: another graph for a job of a service."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from despina.cli import options, submit
from despina.cli.service import NAME, SERVICE, client_of, table, told
from despina.errors import JobError, visible

LOOK_S = 0.25


@click.command("upgrade")
@NAME
@options.GRAPH
@options.SET
@options.DEPLOYMENT
@submit.LABEL
@click.option("--drop", multiple=True, metavar="ID",
              help="An operator of the running graph whose state may be lost; may be repeated.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="An operator that has another id in GRAPH; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Print what would become of each operator and its state, and change nothing.")
@click.option("--watch", "watch_s", callback=options.span("s"), metavar="TIME",
              help="For how long the new graph must run; if it fails before, the old one comes back. Default: 30s.")
@click.option("--limit", "limit_s", callback=options.span("s"), metavar="TIME",
              help="How long the old graph may work off what is in flight. Default: 60s.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the end of the upgrade.")
@click.option("--key", metavar="KEY", help="With the same key, the same upgrade is not done twice. Default: a new one.")
@SERVICE
@options.JSON
def command(name: str, graph: Path, settings: tuple[str, ...], deployment: Path | None, labels: tuple[str, ...],
            drop: tuple[str, ...], rename: tuple[str, ...], dry_run: bool, watch_s: float | None, limit_s: float | None,
            no_wait: bool, key: str | None, service: str | None, as_json: bool) -> int:
    """Have the job NAME go on with GRAPH. The old graph drains into a savepoint, and the new one starts from it.

    If the new one fails within --watch, the old one comes back. What is not given stays as it was: parameters, deployment,
    labels.
    """
    sent = submit.body(graph, settings, deployment, None, labels, "resume")
    del sent["restart"]
    sent |= {"drop": list(drop), "rename": options.parameters(rename, "--rename")}
    asked = client_of(name, service)
    files = submit.bundle(graph, sent, asked)
    if dry_run:
        _show(asked.dry_run(name, sent, files), as_json)
        return 0
    sent |= {key: value for key, value in (("watch_s", watch_s), ("limit_s", limit_s)) if value is not None}
    found = asked.upgrade(name, sent, key or "", files)
    phase = ""
    while not no_wait and found["upgrade"]["phase"] not in ("over", "withdrawn"):
        if not as_json and found["upgrade"]["phase"] != phase:
            phase = found["upgrade"]["phase"]
            print(f"despina: run {found['run']}: {PHASES[phase]}", file=sys.stderr)
        time.sleep(LOOK_S)
        found = asked.job(name, found["run"])
    if found["upgrade"]["phase"] == "withdrawn":
        before = found["upgrade"]["from_run"]
        raise JobError("upgrade", f"run {found['run']} did not take over from run {before}: {found['reason']}",
                       f"despina logs {name} --run {found['run']}; run {before} is the job as before")
    told(found, as_json, "is upgraded" if found["upgrade"]["phase"] == "over" else "is being upgraded")
    return 0


PHASES = {"drains": "the old graph drains into a savepoint", "starts": "the new graph starts, and is watched",
          "comes_back": "it has failed, and the old graph comes back"}


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps({**found, "diagnostics": []}))
        return
    print(visible(f"from {found['from_state']}:" if found["from_state"] else "without a state:"))
    table([["OPERATOR", "GRAPH", "STATE", ""], *([each["operator"], each["change"], each["state"] or "-", each["words"]]
                                                for each in found["operators"])])
