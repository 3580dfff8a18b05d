"""Random graphs by seed: the engine and Spark give the same rows. Variables of the environment ask for more, or for others;
``make every`` has more than ``make test``.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.engine import Engine
from support.random_graphs import chains, expressions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = int(os.environ.get("DESPINA_RANDOM_FIRST", "0"))
EVERY = bool(os.environ.get("DESPINA_EVERY_CASE"))
CHAINS = int(os.environ.get("DESPINA_RANDOM_CHAINS", "60" if EVERY else "25"))
EXPRESSIONS = int(os.environ.get("DESPINA_RANDOM_EXPRESSIONS", "5000" if EVERY else "500"))
TOGETHER = 500 if EVERY else 250
"""Expressions of one graph file; files are by turns in ANSI mode and not in it."""
CHAINS_TOGETHER = 25

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


def compare(content: dict[str, Any], engine: Engine, spark: SparkSession) -> None:
    """Fails with the seeds whose rows differ, and what they are on both sides."""
    graph = despina.Graph.from_dict(content)
    with graph.run(engine=engine) as job:
        table = job.rows("rows")
        job.wait()
    ours = Counter((row["graph"], row["row"]) for row in table.to_pylist())
    # in one task: each takes in the expressions of the whole query
    sparks = Counter((row["graph"], row["row"]) for row in graph.to_spark(spark)["rows"].coalesce(1).toArrow().to_pylist())
    assert ours
    differ: dict[int, list[str]] = {}
    for who, rows in (("engine", ours - sparks), ("Spark", sparks - ours)):
        for seed, row in rows:
            differ.setdefault(seed, []).append(f"{who}: {row}")
    assert not differ, "\n".join(f"graph {seed}\n  " + "\n  ".join(rows[:4]) for seed, rows in list(differ.items())[:10])


@by_py4j
@pytest.mark.parametrize("first", range(FIRST, FIRST + EXPRESSIONS, TOGETHER))
def test_expressions(first: int, engine: Engine, spark: SparkSession) -> None:
    ansi = first // TOGETHER % 2 == 0
    compare(expressions(range(first, min(first + TOGETHER, FIRST + EXPRESSIONS)), ansi), engine, spark)


@by_py4j
@pytest.mark.parametrize("first", range(FIRST, FIRST + CHAINS, CHAINS_TOGETHER))
def test_chains(first: int, engine: Engine, spark: SparkSession) -> None:
    seeds = range(first, min(first + CHAINS_TOGETHER, FIRST + CHAINS))
    compare(chains(seeds, 0.6, ansi=first // CHAINS_TOGETHER % 2 == 0), engine, spark)
