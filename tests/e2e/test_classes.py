"""A graph without expressions does not pay for Catalyst: no process of it loads a class of Spark."""

from __future__ import annotations

import re
import time

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from support.graphs import TWO, Fields, chain, relay, rows
from support.memory import jcmd
from support.processes import over, until

ALONE = True
"""What others run loads what these look for."""


def spark_classes(pid: int) -> set[str]:
    """Classes of Spark and of Scala that are loaded there."""
    return set(re.findall(r"(?:org\.apache\.spark|scala)\.[\w.$]+", jcmd(pid, "VM.class_hierarchy")))


@pytest.mark.parametrize("deployment", [None, TWO], ids=["one process", "two resources"])
def test_a_relay_loads_no_class_of_spark(engine: Engine, deployment: Fields | None) -> None:
    with Graph.from_dict(relay(rate_per_s=10_000)).start(engine, RunOptions(deployment=deployment)) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packet", ended=over(job))
        for pid in {int(engine.version()["pid"]), *(int(r["pid"]) for r in job.counters.resources.values())}:
            assert spark_classes(pid) == set()


def test_the_same_look_finds_them_where_there_is_an_expression(engine: Engine) -> None:
    new = f"id + {time.time_ns()} AS n"        # nobody has kept its code
    graph = chain(("source", rows(None, new, rate_per_s=1000)), ("sink", {"type": "discard_sink"}))
    with Graph.from_dict(graph).start(engine, RunOptions()) as job:
        until(lambda: job.poll().operators["sink"]["packets_in"] > 0, "packet", ended=over(job))
        assert any("catalyst" in name for name in spark_classes(int(engine.version()["pid"])))
