"""The snippets of docs/coming-from.md: each passes check within a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from despina import Graph
from despina.engine import Engine
from support.examples import TYPES, within

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "coming-from.md").read_text(encoding="utf-8")
SNIPPETS = {name: entry for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
            for name, entry in json.loads(f"{{{text}}}").items()}


def test_there_is_a_snippet_for_each_fence() -> None:
    assert len(SNIPPETS) == PAGE.count("```json\n") > 10


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
@pytest.mark.parametrize("name", SNIPPETS)
def test_the_snippet_passes_check_without_a_word(name: str, engine: Engine) -> None:
    entry = SNIPPETS[name]
    graph = Graph.from_dict(within({name: entry}, TYPES[f"operator.{entry['type']}"]))
    assert graph.check(engine=engine).diagnostics == ()
