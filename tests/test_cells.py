"""Functions of the program itself, as of a notebook's cells: their code goes to the processes that run them."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina import operators as op
from despina.engine import Engine
from despina.errors import GraphError, JobError, RefusedError
from despina.functions import Function, cells
from despina.graph import Graph
from support.every import by_either
from support.graphs import TWO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OFFSET = 1000


def shifted(by: int) -> Function:
    """One within a function, which holds on to ``by``, and through ``helper`` to what its module has."""
    def helper(id: int) -> int:
        return id + by + OFFSET

    @despina.function(adds="shifted BIGINT")
    def shift(id: int) -> int:
        return helper(id)
    return shift


def counting() -> Function:
    class Counting:
        def process(self, key: Any, row: Any, state: Any) -> int:
            state.n = (state.n or 0) + 1
            return int(state.n)
    return despina.function(group_by=["id % 2"], state="n BIGINT", adds="n BIGINT")(Counting)


def graph(*functions: Function) -> Graph:
    stream: Any = op.GeneratorSource("source", count=6, rows=op.SelectRows(select=["id"]))
    for function in functions:
        stream = stream >> function
    return Graph.build("cells", stream >> op.CollectSink("rows"))


def rows(made: Graph, engine: Engine, **options: Any) -> list[tuple[Any, ...]]:
    with made.run(engine=engine, **options) as job:
        job.wait()
        return [tuple(row.values()) for row in job.rows("rows").to_pylist()]


def test_it_holds_on_to_what_it_had(engine: Engine) -> None:
    made = graph(shifted(1), counting())
    deployment = TWO if engine.name == "py4j" else None       # the code takes the same road from either
    assert rows(made, engine, deployment=deployment) == [(k, k + 1 + OFFSET, k // 2 + 1) for k in range(6)]


@by_either
def test_a_lambda_and_one_that_calls_another(engine: Engine) -> None:
    called = shifted(2)
    made = graph(despina.function(adds="one BIGINT")(lambda id: called(id) + 1))
    assert rows(made, engine) == [(k, k + 3 + OFFSET) for k in range(6)]


@by_either
def test_a_graph_keeps_the_function_that_it_was_made_of(engine: Engine) -> None:
    first, second = graph(shifted(3)), graph(shifted(4))
    assert [rows(made, engine)[0] for made in (first, second, first)] == [(0, 3 + OFFSET), (0, 4 + OFFSET), (0, 3 + OFFSET)]


@by_either
def test_equal_rows_on_spark(spark: SparkSession, engine: Engine) -> None:
    made = graph(shifted(5))
    assert sorted(tuple(row) for row in made.to_spark(spark)["rows"].collect()) == rows(made, engine)


@by_either
def test_ends_of_the_program(engine: Engine, tmp_path: Path) -> None:
    """A source and a sink within a function, each with options of its own."""
    @despina.source(schema="id BIGINT")
    def numbers(context: Any) -> Any:
        yield from range(int(context.options["count"]))

    class Told:
        def open(self, context: Any) -> None:
            self.path = Path(context.options["path"])
            self.ids: list[int] = []

        def write(self, id: int) -> None:
            self.ids.append(id)

        def flush(self) -> None:
            self.path.write_text(repr(self.ids))

    source, told = numbers(count=4), despina.sink(Told)
    source >> shifted(9) >> op.CollectSink("rows")
    source >> told(path=str(tmp_path / "told"))
    made = Graph.build("ends", source)
    assert rows(made, engine) == [(k, k + 9 + OFFSET) for k in range(4)]
    assert (tmp_path / "told").read_text() == "[0, 1, 2, 3]"
    with pytest.raises(RefusedError, match=r"`__main__:numbers\w*` is of this program"):
        made.save(tmp_path / "saved.graph.json", engine)


def test_check_reads_what_the_program_has_of_it(engine: Engine) -> None:
    def other(celsius: float) -> float:
        return celsius

    with pytest.raises(GraphError, match="has the parameter `celsius`"):
        graph(despina.function(adds="x DOUBLE")(other)).check(engine=engine)


def test_what_cannot_go_to_another_process_is_told(engine: Engine) -> None:
    lock = threading.Lock()

    def locked(id: int) -> int:
        with lock:
            return id

    with pytest.raises(RefusedError, match=r"`.*locked` cannot go to another process: .*lock"):
        graph(despina.function(adds="x BIGINT")(locked)).run(engine=engine)


@by_either
def test_an_error_names_it_and_its_line(engine: Engine) -> None:
    def fails(id: int) -> int:
        return 1 // id

    with graph(despina.function(adds="x BIGINT")(fails)).run(engine=engine) as job, \
            pytest.raises(JobError, match=r"ZeroDivisionError.*fails"):
        job.wait()


def test_no_file_has_it(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"`__main__:shift\w*` is of this program") as refused:
        graph(shifted(6)).save(tmp_path / "saved.graph.json", engine)
    assert "%%writefile" in str(refused.value)
    assert not list(tmp_path.iterdir())
    text = graph(shifted(6)).text.replace("__main__:shift", "__main__:unknown")
    with pytest.raises(GraphError, match="is a function of the program that made the graph"):
        Graph(text, "graph").check(engine=engine)


def test_names_are_of_one_function_each() -> None:
    first, second = shifted(7), shifted(8)
    names = [cells.name(each.despina_function) for each in (first, second, first)]
    assert names[0] == names[2] != names[1]


SCRIPT = """
import despina
from despina import operators as op
import helping

FACTOR = 3

@despina.function(adds="y BIGINT")
def times(id):
    return helping.same(id) * FACTOR

graph = despina.Graph.build("script", op.GeneratorSource("source", count=3, rows={"type": "select", "select": ["id"]})
                            >> times >> op.CollectSink("rows"))
with graph.run() as job:
    job.wait()
    print([row["y"] for row in job.rows("rows").to_pylist()])
"""


def test_a_script_needs_neither_a_module_nor_a_guard(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "helping.py").write_text("def same(x):\n    return x\n")
    ran = subprocess.run([sys.executable, tmp_path / "script.py"], text=True, capture_output=True, check=False)
    assert ran.stdout == "[0, 3, 6]\n", ran.stderr
