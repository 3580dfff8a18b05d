"""What README.md and the pages behind it show is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from despina import engine
from despina.engine import Engine
from despina.graph import Graph, RunOptions


@pytest.fixture(scope="module")
def shown(repository: Path) -> dict[str, list[str]]:
    """The README's blocks of code, by language."""
    return blocks(repository / "README.md")


def blocks(page: Path) -> dict[str, list[str]]:
    """A page's blocks of code, by language."""
    found: dict[str, list[str]] = {}
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        found.setdefault(language, []).append(text)
    return found


def test_the_first_graph_finds_hot_seconds(
        shown: dict[str, list[str]], real_engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    with Graph(shown["json"][0], "hot.graph.json").start(real_engine, RunOptions()) as job:
        assert not job.warnings
        assert job.wait().operators["hot"]["packets_out"] > 0
    assert capsys.readouterr().out.splitlines()[0].split(" | ")[0].strip() == "second"


def test_the_same_in_python_is_the_same(
        shown: dict[str, list[str]], real_engine: Engine, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(engine, "start", lambda driver: real_engine)
    names: dict[str, object] = {}
    exec(shown["python"][0], names)
    table = capsys.readouterr().out
    assert table.split()[:4] == ["second", "machine", "mean", "peak"]
    in_python, in_json = _built(names).to_dict(), json.loads(shown["json"][0])
    for name in ("readings", "per_second", "hot"):
        assert in_python["operators"][name] == in_json["operators"][name]


def test_rows_go_in_from_python_and_come_back_in_batches(
        repository: Path, real_engine: Engine, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(engine, "start", lambda driver: real_engine)
    exec(blocks(repository / "docs" / "data.md")["python"][0], {})
    assert capsys.readouterr().out.splitlines()[0] == "{'device': 'd2', 'celsius': 31.0}"


def test_the_deployment_places_a_graph(real_engine: Engine, repository: Path) -> None:
    graph = Graph((repository / "graphs" / "manufacturing.graph.json").read_text(), "manufacturing.graph.json")
    deployment = json.loads(blocks(repository / "docs" / "deployment.md")["json"][0])
    assert graph.check(RunOptions({"input": "readings.txt"}, deployment), engine=real_engine).ok


def _built(names: dict[str, object]) -> Graph:
    from despina.operators import GeneratorSource
    readings = names["readings"]
    assert isinstance(readings, GeneratorSource)
    return Graph.build("hot", readings)
