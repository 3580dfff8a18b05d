"""What the commands that ask a service have in common."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from despina.errors import RefusedError, visible

if TYPE_CHECKING:
    from despina.service.client import Client

SERVICE = click.option("--service", metavar="URL", help="The service: its address, or the name of a context. Default: "
                                                        "DESPINA_SERVICE in the environment, else the current context.")
NAME = click.argument("name")
RUN = click.option("--run", type=click.IntRange(min=1), metavar="N", help="Its run of that number. Default: the last.")


def client_of(name: str, service: str | None) -> Client:
    """A client of the service that has the job NAME.

    :raise RefusedError: no service is meant. Of a file, as the job file of a job that no service has, the hint says who takes it
    """
    from despina.service.contexts import client, is_meant
    if not is_meant(service) and Path(name).is_file():
        raise RefusedError("service", f"no service is named, and {name} is a file, not a job of one",
                           f"what takes a job file is control, move, schedule, savepoint and stop: despina control {name} status")
    return client(service)


def told(job: Mapping[str, Any], as_json: bool, words: str = "") -> None:
    """Prints a job that was asked for or changed."""
    if as_json:
        print(json.dumps({**job, "diagnostics": []}))
    else:
        reason = f": {job['reason']}" if job["reason"] else ""
        print(visible(f"{job['name']}: {words or job['state'] + reason}, run {job['run']}"))


def table(rows: Sequence[Sequence[str]]) -> None:
    """Prints columns, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print(visible("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()))


def counts(job: Mapping[str, Any]) -> tuple[int, int, int]:
    """Packets that its sources gave, that its sinks took, and bad records."""
    from despina.service.series import outer
    status = job.get("status") or {}
    operators = status.get("operators") or {}
    sources, sinks = outer(status)
    return (sum(operators[one]["packets_out"] for one in sources), sum(operators[one]["packets_in"] for one in sinks),
            sum(each["errors"] for each in operators.values()))


def age(at_ms: int) -> str:
    """How long ago that was, in its largest unit."""
    seconds = max(0, time.time() - at_ms / 1000)
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def clock(at_ms: int) -> str:
    """Local time."""
    return datetime.fromtimestamp(at_ms / 1000).astimezone().isoformat(" ", "seconds")


def show_lines(lines: Any, as_json: bool) -> int:
    """Prints lines of a log as they come, and counts them."""
    count = 0
    for line in lines:
        count += 1
        if as_json:
            print(json.dumps(line), flush=True)
        else:
            where = f" {line['operator']}:" if line.get("operator") else ""
            hint = f"\n  hint: {line['hint']}" if line.get("hint") else ""
            record = f"\n  record: {line['record']}" if line.get("record") else ""
            print(visible(f"{clock(line['at_ms'])} {line['level']}{where} {line['text']}{record}{hint}"), flush=True)
    return count
