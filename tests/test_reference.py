"""The examples of docs/reference.md: one for each operator, and each passes check within a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from despina import Graph, RunOptions
from despina.engine import Engine
from support.examples import TYPES, within

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
OPERATORS = sorted(name.removeprefix("operator.") for name in TYPES if name.startswith("operator."))
EXAMPLES = dict(re.findall(r"^### (\w+)$(?:(?!^###).)*?^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


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
