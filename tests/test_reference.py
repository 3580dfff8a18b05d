"""The examples of docs/reference.md: one for each operator, and each passes check within a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from despina import Graph, RunOptions
from despina.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
TYPES = json.loads((ROOT / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))["$defs"]
OPERATORS = sorted(name.removeprefix("operator.") for name in TYPES if name.startswith("operator."))
EXAMPLES = dict(re.findall(r"^### (\w+)$(?:(?!^###).)*?^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
COLUMNS = re.findall(r"^`(ts TIMESTAMP, .*)`,$", PAGE, re.MULTILINE)[0]


def test_each_operator_has_an_example() -> None:
    assert sorted(EXAMPLES) == OPERATORS


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("name", OPERATORS)
def test_the_example_passes_check_without_a_word(name: str, engine: Engine) -> None:
    entry = json.loads(f"{{{EXAMPLES[name]}}}")
    assert [operator["type"] for operator in entry.values()] == [name]
    graph = Graph.from_dict(within(entry, TYPES[f"operator.{name}"]))
    assert graph.check(RunOptions(jars=["acme.jar"]), engine=engine).diagnostics == ()


def test_a_heading_stands_once_and_the_contents_lead_to_headings() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    assert len(headings) == len(set(headings))
    anchors = {heading.lower().replace(" ", "-").replace(",", "") for heading in headings}
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) <= anchors


def within(entry: dict[str, Any], ports: dict[str, Any]) -> dict[str, Any]:
    """A graph of the example, a source for each of its inputs, and a sink for each output that wants a link."""
    name = next(iter(entry))
    source = {"type": "file_source", "path": "in.jsonl", "format": "json", "schema": COLUMNS,
              "event_time": {"column": "ts", "order_by": ["id"]}}
    inputs = {f"source_{port}": port for port in ports["x-inputs"]}
    declared = entry[name].get(ports.get("x-ports-of"), {})
    outputs = {f"sink_{port}": port for port in [*declared, *ports["x-outputs"]] if port != "errors"}
    return {
        "format": 1, "name": "example",
        "operators": {**entry, **dict.fromkeys(inputs, source), **{sink: {"type": "discard_sink"} for sink in outputs}},
        "links": [{"from": source, "to": f"{name}.{port}"} for source, port in inputs.items()]
        + [{"from": f"{name}.{port}", "to": sink} for sink, port in outputs.items()],
    }
