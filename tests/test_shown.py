"""The JSON that the manuals show: whole graphs pass check without a word, and operators are what the schema allows. The pages of
the reference and "coming from" have tests of their own, which run theirs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from despina import Graph, RunOptions
from despina.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = json.loads((ROOT / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))
VALIDATOR = validator_for(SCHEMA)(SCHEMA)
"""One for all: `jsonschema.validate` looks at the whole schema each time, which takes it a second."""
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "coming-from.md")]


def blocks() -> dict[str, Any]:
    """By page and line. An operator is shown without the braces around it."""
    found = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^ *```json\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
            body = block[1].strip()
            line = text.count("\n", 0, block.start()) + 1
            found[f"{page.name}:{line}"] = json.loads(body if body.startswith("{") else f"{{{body}}}")
    return found


BLOCKS = blocks()
GRAPHS = {place: block for place, block in BLOCKS.items() if "operators" in block}
OPERATORS = {place: block for place, block in BLOCKS.items()
             if all(isinstance(each, dict) and "type" in each for each in block.values())}


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


def test_there_are_some_of_both() -> None:
    assert len(GRAPHS) >= 3
    assert len(OPERATORS) >= 6


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("place", GRAPHS)
def test_a_graph_passes_check_without_a_word(place: str, engine: Engine) -> None:
    needed = {name: name for name, said in GRAPHS[place].get("parameters", {}).items() if "default" not in said}
    assert Graph.from_dict(GRAPHS[place]).check(RunOptions(needed, jars=["acme.jar"]), engine=engine).diagnostics == ()


@pytest.mark.parametrize("place", OPERATORS)
def test_an_operator_is_one_of_the_schema(place: str) -> None:
    graph = {"format": 1, "name": "shown", "operators": OPERATORS[place], "links": []}
    VALIDATOR.validate(graph)
