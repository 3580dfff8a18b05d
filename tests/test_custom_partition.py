"""A link that asks the user's own class where a packet goes: found, and in each way it may not be usable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.errors import GraphError, JobError
from support.java import compiled

PARTITION = "public final class {} implements PartitionFunction {{ {} public int partition(Row row) {{ {} }} }}"
CLASSES = {
    "Thirds": PARTITION.format("Thirds", 'int id; public void open(Columns columns) { id = columns.index("ID"); }',
                               "return (int) row.getLong(id) / 100;"),
    "Below": PARTITION.format("Below", "", "return (int) -row.getLong(0);"),
    "Failing": PARTITION.format("Failing", "", 'if (row.getLong(0) == 7) throw new IllegalStateException("seven"); return 0;'),
    "Unopened": PARTITION.format("Unopened", 'public void open(Columns columns) { columns.index("x"); }', "return 0;"),
    "Other": "public final class Other { }",
}
pytestmark = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("classes"), **CLASSES)


def graph(class_name: str) -> despina.Graph:
    """300 rows into three files, dealt by a class."""
    return despina.Graph.from_dict({
        "format": 1, "name": "dealt", "parameters": {"path": {}},
        "operators": {
            "source": {"type": "generator_source", "count": 300, "rows": {"type": "select", "select": ["id"]}},
            "sink": {"type": "file_sink", "path": "${path}", "format": "json", "parallelism": 3},
        },
        "links": [{"from": "source", "to": "sink", "partition": {"type": "custom", "class": class_name}}],
    })


def run(engine: Engine, classes: Path, class_name: str, output: Path, allowed: str = "org.example.*") -> list[list[int]]:
    """What each file got, in the order of the instances."""
    deployment = {"format": 1, "resources": {"near": {"jars": [str(classes)], "allow_classes": [allowed]}}}
    with graph(class_name).run(engine=engine, parameters={"path": str(output)}, deployment=deployment) as job:
        job.wait()
    return [[json.loads(line)["id"] for line in part.read_text().splitlines()] for part in sorted(output.glob("part-*"))]


def test_the_class_deals_the_packets(engine: Engine, classes: Path, tmp_path: Path) -> None:
    found = run(engine, classes, "org.example.Thirds", tmp_path / "out")
    assert found == [list(range(k, k + 100)) for k in (0, 100, 200)]


def test_numbers_below_0_go_to_an_instance_too(engine: Engine, classes: Path, tmp_path: Path) -> None:
    found = run(engine, classes, "org.example.Below", tmp_path / "out")
    assert found == [list(range(k, 300, 3)) for k in (0, 2, 1)]


def test_without_a_deployment_the_run_names_the_jar(engine: Engine, classes: Path, tmp_path: Path) -> None:
    with graph("org.example.Thirds").run(engine=engine, parameters={"path": str(tmp_path / "out")}, jars=[classes]) as job:
        job.wait()
    assert len(list((tmp_path / "out").glob("part-*"))) == 3


def test_a_class_that_is_not_allowed_is_refused(engine: Engine, classes: Path, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"needs class org\.example\.Thirds, which resource `near` does not allow"):
        run(engine, classes, "org.example.Thirds", tmp_path / "out", "org.other.*")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("class_name", "words"), [
    ("org.example.Missing", r"there is no class org\.example\.Missing in the jars of this resource"),
    ("org.example.Other", r"class org\.example\.Other does not implement io\.despina\.api\.PartitionFunction"),
    ("java.lang.String", r"class java\.lang\.String does not implement"),
    ("org.example.Unopened", r"Unopened: IllegalArgumentException: there is no column `x` among id \(Unop"),
    ("org.example.Failing", r"source.*org\.example\.Failing: IllegalStateException: seven \(Failing\.java:3\)"),
])
def test_a_class_that_cannot_be_used_fails_the_job(engine: Engine, classes: Path, class_name: str, words: str,
                                                   tmp_path: Path) -> None:
    with pytest.raises(JobError, match=words):
        run(engine, classes, class_name, tmp_path / "out", "*")
