from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert repr(Rows.from_streams([stream([])])) == "Rows(0 rows; n int64, word string)"


def test_a_notebook_shows_the_first_rows_escaped() -> None:
    shown = Rows.from_streams([stream([{"n": 1000 * i, "word": "<b>"} for i in range(30)])])._repr_html_()
    assert "the first 20 of 30 rows" in shown
    assert "&lt;b&gt;" in shown
    assert "19,000" in shown
    assert "20,000" not in shown


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from despina.errors import RefusedError
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RefusedError, match="polars is not installed"):
        Rows.from_streams([stream([])]).to_polars()
