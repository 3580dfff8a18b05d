"""Trailing windows and as-of joins over many events, and over a tenth of them: time must grow about as the input does.

    .venv/bin/python tools/scale.py --engine 1000000 --spark 100000

Prints seconds per size. Exits 1 if ten times the events took more than ``LIMIT`` times as long.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from despina.backends.spark import session
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TIMES = 10
RUNS = 3
LIMIT = 20.0
"""Quadratic work would take 100 times as long; starting costs make near-linear work take less than ten times."""
KEYS = 50


def source(events: int, every_us: int, shift_us: int) -> dict[str, Any]:
    """Events of ``KEYS`` keys, a little out of order."""
    moment = f"timestamp_micros(1700000000000000 + id * {every_us} + pmod(id * 7919, 900) + {shift_us}) AS ts"
    return {
        "type": "generator_source", "count": events, "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 1},
        "rows": {"type": "select", "select": ["id", moment, f"pmod(id * 31, {KEYS}) AS k", "pmod(id * 7919, 101) AS x"]},
    }


def graph(name: str, operators: dict[str, Any], links: list[tuple[str, str]], sums: list[str]) -> Graph:
    """A graph whose rows are summed up, so that no column of them is left out as unused, as Spark would for a count."""
    ends = {"totals": {"type": "aggregate", "select": ["count(*) AS count", *sums]}, "sink": {"type": "collect_sink"}}
    return Graph.from_dict({
        "format": 1, "name": name, "operators": {**operators, **ends},
        "links": [{"from": a, "to": b} for a, b in [*links, ("totals", "sink")]],
    })


def trailing(events: int) -> Graph:
    """A row per event over the second before it: some 20 events of its key at 1,000 events a second."""
    window = {"type": "aggregate", "group_by": ["k"], "window": {"type": "trailing", "size_ms": 1000},
              "select": ["id", "count(*) AS n", "avg(x) AS mean", "max(x) AS most"]}
    operators = {"source": source(events, 1000, 0), "window": window}
    return graph("trailing", operators, [("source", "window"), ("window", "totals")],
                 ["sum(n) AS n", "sum(mean) AS mean", "sum(most) AS most"])


def asof(events: int) -> Graph:
    """Half of the events left, half right."""
    pairs = {"type": "join", "how": "left", "on": "left.k = right.k", "as_of": {},
             "select": ["left.id AS id", "right.id AS other", "left.x - right.x AS change"]}
    sources = {"left": source(events // 2, 2000, 0), "right": source(events // 2, 2000, 700)}
    return graph("as_of", {**sources, "pairs": pairs}, [("left", "pairs.left"), ("right", "pairs.right"), ("pairs", "totals")],
                 ["count(other) AS found", "sum(change) AS change"])


FORMS: dict[str, tuple[Callable[[int], Graph], int]] = {"trailing": (trailing, 1), "as_of": (asof, 2)}
"""By name: the graph, and by what its rows are fewer than its events."""


def engine_seconds(engine: Engine, made: Graph, rows: int) -> float:
    """Seconds from start to end of the job."""
    began = time.monotonic()
    with made.run(engine=engine) as job:
        totals = job.rows().to_pylist()
    check(made, totals, rows)
    return time.monotonic() - began


def spark_seconds(spark: SparkSession, made: Graph, rows: int) -> float:
    """Seconds from the graph's text to all rows counted."""
    began = time.monotonic()
    check(made, made.to_spark(spark)["sink"].toArrow().to_pylist(), rows)
    return time.monotonic() - began


def check(made: Graph, totals: list[dict[str, Any]], rows: int) -> None:
    """Time for the wrong rows says nothing."""
    if totals[0]["count"] != rows:
        raise SystemExit(f"{made.name}: {totals}, expected {rows} rows")


def measure(name: str, events: int, seconds: Callable[[Graph, int], float]) -> bool:
    """Runs each form at both sizes, one run of each to warm up; the best of ``RUNS`` counts, as the machine is seldom idle."""
    fine = True
    for form, (made, part) in FORMS.items():
        few = events // TIMES
        times = [[seconds(made(n), n // part) for n in (few, events)] for _ in range(RUNS + 1)]
        small, large = (min(run[k] for run in times[1:]) for k in (0, 1))
        fine &= large <= LIMIT * small
        print(f"{form:9} on {name:6} {few:>9,} events {small:6.2f} s   {events:>9,} events {large:6.2f} s   "
              f"{large / small:5.1f} times", flush=True)
    return fine


def main() -> int:
    """Measures both sides."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", type=int, default=1_000_000, help="events on the engine; 0 leaves it out")
    parser.add_argument("--spark", type=int, default=100_000, help="events on Spark; 0 leaves it out")
    sizes = parser.parse_args()
    fine = True
    if sizes.engine:
        engine = Engine(Py4jDriver(), "py4j")
        try:
            fine &= measure("engine", sizes.engine, lambda made, rows: engine_seconds(engine, made, rows))
        finally:
            engine.close()
    if sizes.spark:
        spark = session.start("local[2]", {"spark.sql.shuffle.partitions": "4"})
        try:
            fine &= measure("spark", sizes.spark, lambda made, rows: spark_seconds(spark, made, rows))
        finally:
            spark.stop()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
