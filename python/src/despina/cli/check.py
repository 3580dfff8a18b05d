"""``despina check``: everything that is wrong with a graph, at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from despina.cli import options, warn
from despina.errors import visible


@click.command("check")
@options.GRAPH
@options.SET
@options.DEPLOYMENT
@options.JARS
@click.option("--for", "target", type=click.Choice(["spark", "spark-streaming"]),
              help="Also report operators without a form on Spark, as batch or streaming DataFrames.")
@options.DRIVER
@options.JSON
def command(graph: Path, settings: tuple[str, ...], deployment: Path | None, jars: tuple[Path, ...], target: str | None,
            driver: str, as_json: bool) -> int:
    """Check GRAPH and the types of its expressions. Prints the columns and event time of each stream."""
    from despina import engine
    from despina.backends import split
    from despina.graph import RunOptions, load
    loaded = load(graph)
    wanted = RunOptions(parameters=options.parameters(settings), deployment=deployment, jars=jars)
    wanted.for_gateway()     # a deployment that cannot be read is told before a JVM starts
    coordinator = engine.start(driver, coordinates_only=True)
    if split.on_spark(wanted):
        checked = split.check(loaded, wanted, coordinator)
    else:
        checked = loaded.check(wanted, for_spark=target is not None, streaming=target == "spark-streaming", engine=coordinator)
    if as_json:
        print(json.dumps({"diagnostics": [d.as_dict() for d in checked.diagnostics], "plan": checked.plan}))
        return 0
    warn(checked.diagnostics)
    for line in streams(checked.plan or {}):
        print(visible(line))
    warnings = len(checked.diagnostics)
    print(visible(f"{graph}: ok") + (f", {warnings} warning{'s' * (warnings > 1)}" if warnings else ""))
    return 0


def streams(plan: dict[str, Any]) -> list[str]:
    """A line per stream: its columns and its event time; that it has none is said where others have one."""
    ports = [(operator["id"], port) for operator in plan.get("operators", ()) for port in operator["outputs"]
             if port["name"] == "out" or port["linked"]]
    timed = any(port["event_time"] is not None for _, port in ports)
    lines = []
    for operator, port in ports:
        name = operator if port["name"] == "out" else f"{operator}.{port['name']}"
        lines.append(f"  {name}: {port['schema']}{_time(port['event_time'], timed)}")
    return lines


def _time(event_time: dict[str, Any] | None, timed: bool) -> str:
    if event_time is None:
        return "  [no event time]" if timed else ""
    delay = f", up to {event_time['max_delay_ms']} ms late" if event_time["max_delay_ms"] else ""
    order = f", then by {', '.join(event_time['order_by'])}" if event_time["order_by"] else ""
    per = f", per {', '.join(event_time['per'])}" if event_time["per"] else ""
    return f"  [event time {event_time['column']}{order}{delay}{per}]"
