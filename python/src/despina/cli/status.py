"""``despina status``: how a job of a service stands."""

from __future__ import annotations

from typing import Any

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, clock, table, told
from despina.errors import visible


@click.command("status")
@NAME
@RUN
@SERVICE
@options.JSON
def command(name: str, run: int | None, service: str | None, as_json: bool) -> int:
    """Show how the job NAME stands: its state, and what each operator has taken and given."""
    from despina.service.contexts import client
    job = client(service).job(name, run)
    told(job, as_json)
    if not as_json:
        _show(job)
    return 0


def _show(job: dict[str, Any]) -> None:
    wanted = "" if job["wanted"] == "running" else ", to be stopped"
    print(f"since {clock(job['changed_at_ms'])}, started {job['starts']} times{wanted}, restart {job['restart']}")
    status = job.get("status") or {}
    rows = [["OPERATOR", "IN", "OUT", "ERRORS", "LATE", "DROPPED"]]
    for operator, counters in (status.get("operators") or {}).items():
        rows.append([operator, *(f"{counters[name]:,}" for name in ("packets_in", "packets_out", "errors", "late", "dropped"))])
    if len(rows) > 1:
        table(rows)
    for link, counters in (status.get("links") or {}).items():
        if counters["paused"]:
            print(visible(f"paused: {link}"))
    if (error := job.get("error")) and error.get("hint"):
        print(visible(f"hint: {error['hint']}"))
