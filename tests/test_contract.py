"""The cases on every backend: the engine through both drivers, and Spark. The same rows, or the reason why not.

``make test`` has them on the engine in its harder form, of those that start a Python each second or third; every twentieth as
it is written, and every eighth on Spark, with those that were wrong once, of which every second runs in two processes too;
``make every`` has all. One of Python's, and with ``make every`` all of them, is stopped and goes on from its state.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import despina
from despina.backends import spark as backend
from despina.engine import Engine
from despina.errors import GraphError, JobError
from despina.options import RunOptions
from support.cases import Case, Rows, affordable, of_python, reported, restored, sized, thinned
from support.contract import check, run_on_engine, run_restored, run_sized, run_spread

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


CHILDREN = {"format": 1, "resources": {"one": {"start": "child"}, "other": {"start": "child"}}}


def on_spark(case: Case, spark: SparkSession) -> Rows:
    """The rows of each sink's DataFrame. Where a case is of a sink of the user's, it is written to before."""
    graph, parameters = despina.load(case.graph), {"folder": str(case.folder)}
    if case.folder.parent.name == "python_sink":
        backend.run(graph, spark, RunOptions(parameters))
    frames = graph.to_spark(spark, parameters)
    return {sink: frames[sink].toArrow().to_pylist() for sink in case.expected()}


@pytest.mark.parametrize("engine", ["jpype"], indirect=True)
@pytest.mark.parametrize("case", affordable(), ids=lambda case: case.name)
def test_engine(case: Case, engine: Engine) -> None:
    """With several instances of each operator, and no link fused."""
    run_spread(case, engine)


@pytest.mark.parametrize("engine", ["jpype"], indirect=True)
@pytest.mark.parametrize(("case", "rows"), sized(), ids=lambda of: of.name if isinstance(of, Case) else str(of))
def test_engine_whatever_the_batches(case: Case, rows: int, engine: Engine) -> None:
    """No row of a function depends on how many it gets at a time."""
    run_sized(case, engine, rows)


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("case", thinned(20), ids=lambda case: case.name)
def test_engine_as_written(case: Case, engine: Engine) -> None:
    run_on_engine(case, engine)


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("case", [*reported(2), *of_python()], ids=lambda case: case.name)
def test_engine_in_two_processes(case: Case, engine: Engine) -> None:
    run_spread(case, engine, CHILDREN)


@pytest.mark.parametrize("engine", ["jpype"], indirect=True)
@pytest.mark.parametrize("case", restored(), ids=lambda case: case.name)
def test_engine_restored(case: Case, engine: Engine, tmp_path: Path) -> None:
    run_restored(case, engine, tmp_path)


@pytest.mark.parametrize("case", thinned(8), ids=lambda case: case.name)
def test_spark(case: Case, spark: SparkSession) -> None:
    words = case.words()
    if "not_on_spark" in words:
        with pytest.raises(GraphError, match=re.escape(words["not_on_spark"])):
            on_spark(case, spark)
    elif "fails" in words:
        # Spark's own reasons for a failed job have no class of PySpark's.
        with pytest.raises((PySparkException, Py4JJavaError, JobError), match=re.escape(words["fails"])):
            on_spark(case, spark)
    else:
        check(case, on_spark(case, spark))
