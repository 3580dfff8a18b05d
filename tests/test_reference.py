"""The examples of docs/reference: one for each operator, and each passes check within a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from despina import Graph, GraphError, RunOptions
from despina.backends.spark import operators as spark
from despina.engine import Engine
from support.examples import TYPES, within

ROOT = Path(__file__).resolve().parents[1]
PAGES = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md")}
MOST_WORDS = 50
MODULES = Path(__file__).parent / "support" / "modules"
OPERATORS = sorted(name.removeprefix("operator.") for name, said in TYPES.items() if "x-inputs" in said)
EXAMPLES = {name: example for page in PAGES.values() for name, example in re.findall(
    r"^## (\w+)$(?:(?!^##).)*?^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)}


def test_each_operator_has_an_example() -> None:
    assert sorted(EXAMPLES) == OPERATORS


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("name", OPERATORS)
def test_the_example_passes_check_without_a_word(name: str, engine: Engine) -> None:
    entry = json.loads(f"{{{EXAMPLES[name]}}}")
    assert [operator["type"] for operator in entry.values()] == [name]
    graph = Graph.from_dict(within(entry, TYPES[f"operator.{name}"]))
    assert graph.check(RunOptions(jars=["acme.jar"], modules=[MODULES]), engine=engine).diagnostics == ()


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("name", sorted({*OPERATORS} - {*spark.OPERATORS, *spark.SINKS}))
def test_spark_folds_what_it_has_no_function_for_or_refuses_it(name: str, engine: Engine) -> None:
    graph = Graph.from_dict(within(json.loads(f"{{{EXAMPLES[name]}}}"), TYPES[f"operator.{name}"]))
    refused, folds = set(), []
    try:
        plan = graph.check(RunOptions(jars=["acme.jar"], modules=[MODULES]), for_spark=True, engine=engine).plan or {}
        folds = [operator["is_fold"] for operator in plan["operators"] if operator["type"] == name]
    except GraphError as error:
        refused = {each.rule for each in error.diagnostics}
    assert (refused, folds) in (({"no_spark_form"}, []), (set(), [True]))


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_heading_comes_once_in_a_page(page: str) -> None:
    headings = re.findall(r"^#+ (.*)$", PAGES[page], re.MULTILINE)
    assert len(headings) == len(set(headings))


def test_parts_of_one_name_are_each_described() -> None:
    """Of a source, a sink, and a sink whose topics are no subjects; of listeners, clients, those that are both, and OPC UA."""
    assert [PAGES[page].count("\n### registry") for page in ("sources.md", "sinks.md")] == [1, 2]
    assert PAGES["sources.md"].count("\n### tls") == 4


def test_the_index_has_every_operator_and_every_page() -> None:
    links = re.findall(r"\]\(([\w#.]+)\)", PAGES["README.md"])
    assert sorted(link.partition("#")[2] for link in links if "#" in link and not link.startswith("graph.md")) == OPERATORS
    assert {link for link in links if "#" not in link} == set(PAGES) - {"README.md"}


def test_no_cell_of_a_table_is_long() -> None:
    cells = {cell for page in PAGES.values() for row in re.findall(r"^\| .* \|$", page, re.MULTILINE)
             for cell in re.split(r"(?<!\\)\|", row)}
    assert max(len(cell.split()) for cell in cells) <= MOST_WORDS
