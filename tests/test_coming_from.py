"""The snippets of docs/coming-from.md: each passes check within a graph, and gives the rows that its readings ask for."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from despina import Graph
from despina.engine import Engine
from support.every import EVERY
from support.examples import TYPES, within

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "coming-from.md").read_text(encoding="utf-8")
SNIPPETS = {name: entry for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
            for name, entry in json.loads(f"{{{text}}}").items()}
MODULES = re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
"""Of our Python functions, each a part of a module."""
BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
READINGS: list[dict[str, Any]] = [
    {"id": number, "ts": BEGIN + timedelta(seconds=at), "device": device, "celsius": celsius, "tags": tags}
    for number, at, device, celsius, tags in [
        (1, 0, "a", 70.0, ["x", "y"]), (2, 10, "a", 80.0, []), (3, 20, "b", 40.0, ["z"]), (4, 25, "a", 96.0, None),
        (5, 70, "a", 98.0, ["x"]), (6, 75, "b", 46.0, []), (7, 80, "a", 99.0, None)]]
"""Both inputs of a join get them."""
EACH_HALF_MINUTE = [40.0, 40.0, 46.0, 46.0, 82.0, 82.0, 98.5, 98.5]
ROWS: dict[str, tuple[str, list[Any]]] = {
    "per_minute": ("mean", [40.0, 46.0, 82.0, 98.5]),
    "each_half_minute": ("mean", EACH_HALF_MINUTE),
    "sessions": ("n", [2, 5]),
    "last_ten": ("mean", [40.0, 43.0, 70.0, 75.0, 82.0, 86.0, 88.6]),
    "hottest": ("celsius", [46.0, 70.0, 80.0, 96.0, 98.0, 99.0]),
    "once": ("id", [1, 2, 3, 4, 5, 6, 7]),
    "near": ("l", [1, 2, 3, 4, 5, 6, 7]),
    "together": ("l", [1, 2, 3, 4, 4, 5, 6, 7]),
    "as_of": ("difference", [0.0] * 7),
    "placed": ("room", ["hall"] * 5 + [None] * 2),
    "overheated": ("steps", [1]),
    "streak": ("ts", [BEGIN + timedelta(seconds=80)]),
    "hops": ("most", [70.0, 80.0] + [96.0] * 5 + [98.0] + [99.0] * 6 + [40.0] * 5 + [46.0] * 6),
    "so_far": ("n", [1, 1, 2, 2, 3, 4, 5]),
    "by_ten_seconds": ("n", [1, 1, 1, 1, 1, 1, 1]),
    "look_back": ("swing", [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 10.0]),
    "by_five": ("mean", [88.6]),
    "warm": ("most", [99.0]),
    "moves": ("celsius", [40.0, 46.0, 70.0, 80.0, 96.0, 98.0, 99.0]),
    "sorted_out": ("id", [4, 5, 7]),
    "celsius_to_kelvin": ("kelvin", sorted(row["celsius"] + 273.15 for row in READINGS)),
    "current": ("mean", [40.0, 40.0, 46.0, 46.0, 70.0, 75.0, 82.0, 82.0, 98.0, 98.5, 98.5]),
    "numbered": ("n", [1, 1, 2, 2, 3, 4, 5]),
    "means": ("mean", EACH_HALF_MINUTE),
    "unique": ("id", [1, 2, 3, 4, 5, 6, 7]),
    "with_rooms": ("room", ["hall"] * 5),
    "tags": ("tag", ["x", "x", "y", "z"]),
    "in_kelvin": ("kelvin", [row["celsius"] + 273.15 for row in READINGS]),
    "in_fahrenheit": ("fahrenheit", [row["celsius"] * 9 / 5 + 32 for row in READINGS]),
    "tags_of_each": ("tag", ["x", "x", "y", "z"]),
    "warm_batches": ("id", [4, 5, 7]),
}
"""Of one column, in any order: worked out by hand from the readings."""
BY_THE_CLOCK = "lately"
"""When its readings come decides which window they are in."""

by_py4j = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the page, where we are."""
    monkeypatch.chdir(tmp_path)
    for name, part in MODULES:
        with Path(name).open("a", encoding="utf-8") as module:
            module.write(part)


def test_there_is_a_snippet_for_each_fence_and_rows_for_each() -> None:
    assert len(SNIPPETS) == PAGE.count("```json\n") > 20
    assert set(SNIPPETS) == {*ROWS, BY_THE_CLOCK}


@by_py4j
@pytest.mark.parametrize("name", SNIPPETS)
def test_the_snippet_passes_check_without_a_word(name: str, engine: Engine) -> None:
    entry = SNIPPETS[name]
    graph = Graph.from_dict(within({name: entry}, TYPES[f"operator.{entry['type']}"]))
    assert graph.check(engine=engine).diagnostics == ()


@by_py4j
@pytest.mark.parametrize("name", SNIPPETS if EVERY else list(SNIPPETS)[::2])
def test_the_snippet_gives_its_rows(name: str, engine: Engine) -> None:
    Path("devices.csv").write_text("a,hall\n", encoding="utf-8")
    content = within({name: SNIPPETS[name]}, TYPES[f"operator.{SNIPPETS[name]['type']}"])
    sink = next(link["to"] for link in content["links"] if link["from"].startswith(f"{name}."))
    content["operators"][sink] = {"type": "collect_sink"}
    inputs = {source: READINGS for source in content["operators"] if source.startswith("source_")}
    with Graph.from_dict(content).run(engine=engine, inputs=inputs) as job:
        rows = job.rows(sink).to_pylist()
    if name == BY_THE_CLOCK:
        assert sum(row["n"] for row in rows) == len(READINGS)
        return
    column, expected = ROWS[name]
    assert sorted((row[column] for row in rows), key=repr) == sorted(expected, key=repr)
