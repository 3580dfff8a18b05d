"""The demo: seeded readings, the manufacturing graph on two resources, what it found, and the same rows on Spark.

make demo                 readings made from a seed
make demo INPUT=path      your own file in the DEBS 2012 format (56 columns, TAB separated)
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = ROOT / "graphs"
PAIRS = ("05-08", "06-09", "07-10")
Row = dict[str, Any]


def despina(*words: str | Path) -> None:
    """Runs the command as a user would; ends the demo if it fails."""
    command = [sys.executable, "-m", "despina", *map(str, words)]
    code = subprocess.run(command, check=False).returncode
    if code:
        sys.exit(code)


def read_rows(folder: Path) -> list[Row]:
    """The JSON lines of a sink's folder, by pair and time."""
    rows = [json.loads(line) for part in sorted(folder.glob("part-*")) for line in part.read_text().splitlines()]
    return sorted(rows, key=lambda row: (row["pair"], row["ts"], row["delay_us"]))


def differences(ours: list[Row], theirs: list[Row]) -> list[str]:
    """What differs: doubles by more than 1e-9 of their size, everything else at all."""
    found = [] if len(ours) == len(theirs) else [f"{len(ours)} rows here, {len(theirs)} there"]
    for a, b in zip(ours, theirs, strict=False):
        found += [f"{a['pair']} {a['ts']}: {k} is {a[k]} and {b.get(k)}" for k in a if not _equal(a[k], b.get(k))]
    return found


def _equal(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def show(rows: list[Row], console: Console) -> None:
    """A table: a line per pair, then the first alarms."""
    if not rows:
        console.print("No sensor or valve changed its state in this input, so there is no delay to show.")
        return
    table = Table(title="Delays from sensor to valve")
    for heading in ("pair", "delays", "first ms", "last ms", "trend µs/h", "alarms", "first alarm"):
        table.add_column(heading, justify="left" if heading in ("pair", "first alarm") else "right")
    for pair in PAIRS:
        mine = [row for row in rows if row["pair"] == pair]
        if mine:
            alarms = [row["ts"] for row in mine if row["alarm"]]
            slope = mine[-1]["slope"]
            table.add_row(
                pair, f"{len(mine):,}", f"{mine[0]['delay_us'] / 1e3:.1f}", f"{mine[-1]['delay_us'] / 1e3:.1f}",
                "-" if slope is None else f"{slope * 3600:,.0f}", f"{len(alarms):,}", alarms[0] if alarms else "-",
            )
    console.print(table)


def plot(rows: list[Row], target: Path) -> None:
    """Delay over time, a panel per pair: each delay, the line through the last 24 hours, alarms marked."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    panels = figure.subplots(len(PAIRS), 1, sharex=True)
    for panel, pair in zip(panels, PAIRS, strict=True):
        mine = [row for row in rows if row["pair"] == pair]
        times = [datetime.fromisoformat(row["ts"]).astimezone(UTC) for row in mine]
        panel.plot(times, [row["delay_us"] / 1e3 for row in mine], ".", markersize=4, color="0.55", label="delay")
        alarms = [(t, row["delay_us"] / 1e3) for t, row in zip(times, mine, strict=True) if row["alarm"]]
        if alarms:
            panel.plot(*zip(*alarms, strict=True), "x", markersize=4, color="tab:red", label="alarm")
        trend = [math.nan if row["trend_now"] is None else row["trend_now"] / 1e3 for row in mine]
        panel.plot(times, trend, "-", linewidth=1.5, color="tab:blue", label="trend")
        panel.set_title(f"sensor and valve {pair}", loc="left", fontsize=10)
        panel.set_ylabel("delay, ms")
        panel.grid(alpha=0.3)
    panels[0].legend(loc="upper left", ncols=3, fontsize=8)
    panels[-1].set_xlabel("event time (UTC)")
    figure.savefig(target, dpi=110)


def main() -> None:
    """Runs the demo from start to end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, help="a file in the DEBS 2012 format; made from a seed if not given")
    parser.add_argument("--rows", type=int, default=200_000, help="readings to make (200000)")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "demo", help="folder for what the demo writes")
    options = parser.parse_args()
    console = Console()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)

    readings = options.input
    if readings is None:
        readings = out / "readings.txt"
        console.rule(f"1. Making {options.rows:,} readings")
        despina("run", GRAPHS / "manufacturing_input.graph.json", "--set", f"output={readings}", "--set", f"rows={options.rows}")
    else:
        console.rule(f"1. Readings from {readings}")

    console.rule("2. The manufacturing graph on two resources of the engine")
    job = ("run", GRAPHS / "manufacturing.graph.json", "--set", f"input={readings}")
    despina(
        *job, "--set", f"output={out / 'delays'}",
        "--deployment", GRAPHS / "two_resources.deploy.json", "--report", out / "report.json",
    )
    rows = read_rows(out / "delays")

    console.rule("3. What it found")
    show(rows, console)
    if rows:
        plot(rows, out / "delays.png")
        console.print(f"Delay over time, per pair: {out / 'delays.png'}")

    console.rule("4. The same graph on Spark")
    despina(*job, "--set", f"output={out / 'delays_on_spark'}", "--on", "spark")
    found = differences(rows, read_rows(out / "delays_on_spark"))
    if found:
        console.print(f"[red]The rows differ[/red] in {len(found)} places:")
        for line in found[:10]:
            console.print(f"  {line}")
        sys.exit(1)
    console.print(f"[green]Equal[/green]: {len(rows):,} rows on the engine and on Spark.")


if __name__ == "__main__":
    main()
