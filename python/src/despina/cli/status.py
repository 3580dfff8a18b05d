"""``despina status``: how a job of a service stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from despina.cli import options
from despina.cli.service import NAME, RUN, SERVICE, client_of, clock, table, told
from despina.errors import visible
from despina.rates import rate


@click.command("status")
@NAME
@RUN
@SERVICE
@options.JSON
def command(name: str, run: int | None, service: str | None, as_json: bool) -> int:
    """Show how the job NAME stands: its state, and what each operator has taken and given."""
    job = client_of(name, service).job(name, run)
    told(job, as_json)
    if not as_json:
        _show(job)
    return 0


def share(value: float) -> str:
    """A share of the time, or of a queue."""
    return f"{value * 100:.0f} %"


def seconds(value: float) -> str:
    """A time in three digits or so."""
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:,.1f} s"


RATES: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("IN/S", "in", rate), ("OUT/S", "out", rate), ("BUSY", "busy", share), ("PAUSED", "paused", share), ("LAG", "lag", seconds),
    ("LATENCY", "latency", seconds), ("BEHIND", "behind_records", "{:,.0f}".format),
)
"""Columns of the last second, by the series that they show."""


def _rates(part: str, values: Mapping[str, float], wanted: Sequence[tuple[str, Callable[[float], str]]]) -> list[str]:
    return [shown(values[name]) if (name := f"{part}/{what}") in values else "-" for what, shown in wanted]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _show(job: dict[str, Any]) -> None:
    from despina.service.client import ENDED
    wanted = "" if job["wanted"] == "running" else ", to be stopped"
    shared = ", in the process that jobs share" if job.get("isolation") == "shared" else ""
    print(f"since {clock(job['changed_at_ms'])}, started {_times(job['starts'])}{wanted}, restart {job['restart']}{shared}")
    if saved := job.get("saved"):
        where = f", deployment {saved['deployment']}@{saved['deployment_revision']}" if saved["deployment"] else ""
        print(f"graph {saved['graph']}@{saved['revision']}{where}")
    status, values = job.get("status") or {}, job.get("values") or {}
    _starts(status)
    _counters(status, values)
    if job["state"] not in ENDED:
        _processes(status, values)
    if (error := job.get("error")) and error.get("hint"):
        print(visible(f"hint: {error['hint']}"))


def _starts(status: Mapping[str, Any]) -> None:
    """What is waited for, and what it went on after."""
    for resource, start in (status.get("awaited") or {}).items():
        print(visible(f"resource {resource} has not joined: {start}"))
    if status.get("restarts"):
        why = (status.get("last_restart") or {}).get("why") or {}
        print(visible(f"went on {_times(status['restarts'])} after a loss, the last: {why.get('message')}"))


def _counters(status: Mapping[str, Any], values: Mapping[str, float]) -> None:
    """Of operators, and of links that hold their senders up."""
    rows = [["OPERATOR", "IN", "OUT", "ERRORS", "LATE", "DROPPED", *(word for word, _, _ in RATES)]]
    for operator, counters in (status.get("operators") or {}).items():
        rows.append([operator, *(f"{counters[name]:,}" for name in ("packets_in", "packets_out", "errors", "late", "dropped")),
                     *_rates(f"operator/{operator}", values, [(what, shown) for _, what, shown in RATES])])
    if len(rows) > 1:
        table(rows)
    for link, counters in (status.get("links") or {}).items():
        if counters["paused"]:
            full, waits = _rates(f"link/{link}", values, [("fill", share), ("paused", share)])
            print(visible(f"paused: {link}, {waits} of the time, queue {full} full"))


def _processes(status: Mapping[str, Any], values: Mapping[str, float]) -> None:
    for resource, use in (status.get("resources") or {}).items():
        if "memory_bytes" in use:
            cpu, = _rates(f"resource/{resource}", values, [("cpu", "{:.2f} cores".format)])
            print(visible(f"process: {resource}, {use['pid']}, {cpu}, {use['memory_bytes'] / 1e6:,.0f} MB"))
