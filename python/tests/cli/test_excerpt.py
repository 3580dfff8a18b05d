"""The line of a file below a diagnostic, for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from despina.cli.excerpt import MOST_BYTES, excerpt
from despina.errors import Place

Despina = Callable[..., tuple[int, str, str]]
Shown = Callable[..., str]


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    """The excerpt of a file of that text."""
    def call(text: str | bytes, line: int, column: int, width: int = 80) -> str:
        file = tmp_path / "g.json"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return excerpt(Place(str(file), line, column), width)
    return call


@pytest.mark.parametrize(("text", "line", "column", "lines"), [
    ("{\n  \"a\": 1\n}\n", 2, 3, "    \"a\": 1\n    ^"),
    ("\tb\r\n", 1, 2, "   b\n   ^"),                      # a tab is one cell, and a line's end none
    ("a\x1b]0;x\x07b", 1, 8, "  a\N{REPLACEMENT CHARACTER}]0;x\N{REPLACEMENT CHARACTER}b\n         ^"),
    ("\u97f3\u697de\u0301x", 1, 5, "  \u97f3\u697de\u0301x\n       ^"),      # two cells each, and none for an accent
    ("{", 1, 2, "  {\n   ^"),                              # where something is missing
    ("\ufeff{x", 1, 2, "  {x\n   ^"),
])
def test_the_caret_is_below_the_column(shown: Shown, text: str, line: int, column: int, lines: str) -> None:
    assert shown(text, line, column) == lines


@pytest.mark.parametrize("column", [1, 10, 100, 200])
def test_a_long_line_is_cut_around_the_column(shown: Shown, column: int) -> None:
    text = "." * (column - 1) + "!" + "." * (200 - column)
    line, caret = shown(text, 1, column, 40).split("\n")
    assert line[caret.index("^")] == "!"
    assert len(caret) <= len(line) <= 40


@pytest.mark.parametrize(("text", "line", "column"), [
    ("{", 0, 0), ("{", 1, 0), ("{", 7, 1), ("{", 1, 9), (b"\xff", 1, 1), (b" " * (MOST_BYTES + 1), 1, 1)])
def test_what_cannot_be_shown_is_left_out(shown: Shown, text: str | bytes, line: int, column: int) -> None:
    assert shown(text, line, column) == ""


def test_a_file_that_is_gone_is_left_out(tmp_path: Path) -> None:
    assert excerpt(Place(str(tmp_path / "gone"), 1, 1), 80) == ""
    assert excerpt(Place("In[3]", 1, 1), 80) == ""


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("command", ["check", "run", "fmt", "draw"])
def test_only_a_terminal_shows_it(with_engine: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str,
                                  terminal: bool) -> None:
    (tmp_path / "g.json").write_text('{"format": 1,\n "name" "g"}\n')
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    code, out, err = with_engine(command, tmp_path / "g.json")
    assert (code, out) == (2, "")
    assert (' "name" "g"}\n' in err) == terminal
    assert err.endswith("^\n") == terminal


def test_json_has_none(with_engine: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.json").write_text("{")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, out, err = with_engine("check", "--json", tmp_path / "g.json")
    assert (code, err) == (2, "")
    assert "^" not in out
