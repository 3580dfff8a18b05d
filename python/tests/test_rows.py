from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from despina.errors import RefusedError
from despina.rows import Rows

SCHEMA = pyarrow.schema([("n", pyarrow.int64()), ("word", pyarrow.string())])


def stream(rows: list[dict[str, Any]]) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, SCHEMA) as writer:
        writer.write_table(pyarrow.Table.from_pylist(rows, SCHEMA))
    return bytes(sink.getvalue())


ROW = st.fixed_dictionaries({"n": st.none() | st.integers(-(2**63), 2**63 - 1), "word": st.none() | st.text(max_size=5)})


@given(st.lists(st.lists(ROW, max_size=4), min_size=1, max_size=4))
def test_streams_join_in_order(pieces: list[list[dict[str, Any]]]) -> None:
    rows = Rows.from_streams([stream(piece) for piece in pieces])
    wanted = [row for piece in pieces for row in piece]
    assert rows.to_pylist() == wanted
    assert list(rows) == wanted
    assert len(rows) == len(wanted)


def test_rows_become_pandas_polars_and_arrow() -> None:
    rows = Rows.from_streams([stream([{"n": 1, "word": "a"}, {"n": 2, "word": None}])])
    assert rows.to_pandas()["n"].tolist() == [1, 2]
    assert rows.to_polars().rows() == [(1, "a"), (2, None)]
    assert pyarrow.table(rows).schema == SCHEMA
    assert rows.column_names == ["n", "word"]


def test_no_rows_keep_their_schema() -> None:
    rows = Rows.from_streams([stream([])])
    assert repr(rows) == "n  word\n[0 rows × 2 columns]"
    assert rows.schema == SCHEMA


def test_a_plain_shell_shows_the_first_rows_as_a_table() -> None:
    rows = Rows.from_streams([stream([{"n": 10 * i, "word": None if i else "a\nb" * 30} for i in range(12)])])
    lines = repr(rows).splitlines()
    assert lines[0] == " n  word"
    assert lines[1] == f" 0  {('a b' * 30)[:39]}…"
    assert lines[10:] == ["90  NULL", "…", "[12 rows × 2 columns]"]


def test_rows_are_taken_by_number() -> None:
    rows = Rows.from_streams([stream([{"n": i, "word": str(i)}]) for i in range(5)])
    assert (rows[0], rows[-1]) == ({"n": 0, "word": "0"}, {"n": 4, "word": "4"})
    assert [row["n"] for row in rows[1:3]] == [1, 2]
    assert [row["n"] for row in rows[::-2]] == [4, 2, 0]
    assert len(rows[3:1]) == 0
    with pytest.raises(IndexError, match="row 5 of 5"):
        rows[5]


def test_rows_become_a_csv_file(tmp_path: Path) -> None:
    Rows.from_streams([stream([{"n": 1, "word": 'a "b"'}, {"n": None, "word": ""}])]).to_csv(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == '"n","word"\n1,"a ""b"""\n,""\n'
    nested = Rows(pyarrow.table({"ids": [[1, 2]]}))
    with pytest.raises(RefusedError, match="no form for column ids"):
        nested.to_csv(tmp_path / "nested.csv")


def test_a_notebook_shows_the_first_rows_escaped() -> None:
    shown = Rows.from_streams([stream([{"n": 1000 * i, "word": "<b>"} for i in range(30)])])._repr_html_()
    assert "the first 20 of 30 rows" in shown
    assert "&lt;b&gt;" in shown
    assert ">19000</td>" in shown
    assert ">20000</td>" not in shown


def test_a_notebook_shows_values_as_they_are() -> None:
    shown = Rows(pyarrow.table({"big": [123456789.125, None], "year": [2026, 2027], "word": ["", None]}))._repr_html_()
    assert '<th style="text-align:right;white-space:nowrap">big</th>' in shown
    assert [cell.partition("<")[0] for cell in shown.split('">')][5:] == ["123456789.125", "2026", "", "NULL", "2027", "NULL"]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RefusedError, match="polars is not installed"):
        Rows.from_streams([stream([])]).to_polars()
