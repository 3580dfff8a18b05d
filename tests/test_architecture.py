"""ARCHITECTURE.md: its walk stays short, and its picture shows what the walk names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
WALK = TEXT[TEXT.index("## The packet"):TEXT.index("## A new operator")]
MOST_CLASSES = 20


def test_the_walk_of_a_packet_names_few_classes() -> None:
    classes = set(re.findall(r"/(\w+)\.java\)", WALK))
    assert 0 < len(classes) <= MOST_CLASSES, sorted(classes)


def test_the_picture_names_classes_that_the_walk_names() -> None:
    picture = TEXT[TEXT.index("```mermaid"):]
    picture = picture[:picture.index("```", 3)]
    drawn = set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w+\b|\bOutlet\b|\bInbox\b", picture))
    assert drawn
    assert drawn <= set(re.findall(r"/(\w+)\.java\)", WALK))


FACADES = {"io.despina.gateway.Gateway", "io.despina.spark.frame.Frames"}
MAIN_CLASSES = {"io.despina.gateway.GatewayMain", "io.despina.control.process.ResourceMain"}


WIDTH = 130
"""Of a line. TidyTest has those of jvm/src, and ruff passes over lines that end with a remark to a tool."""
TREES = ("connectors", "benchmarks", "examples", "python", "tests", "tools")


def test_no_line_is_wider_than_others_may_be() -> None:
    files = [ROOT / "build.gradle", *(file for tree in TREES for kind in ("java", "py")
                                      for file in (ROOT / tree).rglob(f"*.{kind}"))]
    wide = [f"{file.relative_to(ROOT)}:{number}" for file in files
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if len(line) > WIDTH]
    assert wide == []


def _java_names(tree: ast.Module) -> Iterator[str]:
    """The classes of ours that a module's code names; its docstrings may name any."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found = re.search(r"\bio\.despina\.[a-z.]*[A-Z]\w*", ast.unparse(node))
            if found:
                yield found.group()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield from re.findall(r"\bio\.despina\.[a-z.]*[A-Z]\w*", node.value)


def test_python_names_the_facades_and_the_main_classes_alone() -> None:
    """A class that Python names is renamed at the peril of a run: no compiler sees it."""
    named = {(str(file.relative_to(ROOT)), name) for file in sorted((ROOT / "python/src").rglob("*.py"))
             for name in _java_names(ast.parse(file.read_text(encoding="utf-8"))) if not name.startswith("io.despina.api.")}
    assert {name for _, name in named} == FACADES | MAIN_CLASSES, sorted(named)
