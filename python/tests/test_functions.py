"""Decorated functions between the operators of a graph that is written in Python."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest

import despina
from despina import operators as op
from despina.errors import RefusedError
from despina.functions import Function, Sink, cells

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@despina.function(adds="f DOUBLE", on_error={"type": "skip"})
def by_row(celsius: float) -> float:
    """In Fahrenheit."""
    return celsius * 9 / 5 + 32


@despina.function(adds="f DOUBLE")
def by_array(celsius: np.ndarray[Any, Any]) -> Any:
    return celsius


@despina.function(schema="a INT")
def by_batch(batch: pa.RecordBatch) -> Any:
    return batch


@despina.function(schema="a INT")
def by_pandas(frame: pd.DataFrame) -> Any:
    return frame


@despina.function(schema="a INT")
def by_polars(frame: pl.DataFrame) -> Any:
    return frame


@despina.function(schema="a INT", takes="row")
def as_it_says(frame: pl.DataFrame) -> Any:
    return frame


@despina.function(adds="f DOUBLE")
class Model:
    def process(self, celsius: np.ndarray[Any, Any]) -> Any:
        return celsius


@despina.source(schema="id BIGINT", unbounded=True, event_time=op.EventTime(column="id"), options={"from": 1, "step": 2})
def numbers(context: Any) -> Any:
    yield 0,


@despina.sink
def told(id: int) -> None:
    """Says it."""


class StoredRows:
    def write(self, batch: pa.RecordBatch) -> None:
        """Nowhere."""


stored = despina.sink(on_error={"type": "skip"})(StoredRows)


@despina.sink(takes="row")
def as_that_says(batch: pa.RecordBatch) -> None:
    """Nothing."""


@pytest.mark.parametrize(("decorated", "takes"), [(told, None), (stored, "arrow"), (as_that_says, "row")])
def test_the_annotation_says_what_a_sink_takes(decorated: Sink, takes: str | None) -> None:
    assert decorated().content().get("takes") == takes


def test_ends_stand_at_the_ends() -> None:
    first = numbers(step=3)
    first >> by_row >> told
    first >> stored("kept", path="rows.db")
    numbers.operator("others", unbounded=False, options={}) >> stored
    operators = despina.Graph.build("g", first).to_dict()["operators"]
    module = told.despina_function.__module__
    assert operators["numbers"] == {"type": "python_source", "function": f"{module}:numbers", "schema": "id BIGINT",
                                    "unbounded": True, "event_time": {"column": "id"}, "options": {"from": "1", "step": "3"}}
    assert operators["told"] == {"type": "python_sink", "function": f"{module}:told"}
    assert operators["kept"] == {"type": "python_sink", "function": f"{module}:StoredRows", "takes": "arrow",
                                 "on_error": {"type": "skip"}, "options": {"path": "rows.db"}}
    assert {"others", "stored_rows"}.isdisjoint(operators)
    assert numbers().content()["options"] == {"from": "1", "step": "2"}     # each call has its own


def test_a_source_that_is_not_called_is_told() -> None:
    with pytest.raises(RefusedError, match=r"`numbers` is a source, and no operator yet") as refused:
        numbers >> told
    assert "call it: `numbers() >> …`" in str(refused.value)


def test_the_function_behind_an_end_is_there_for_tests() -> None:
    assert list(numbers.__wrapped__(None)) == [(0,)]                            # type: ignore[attr-defined]
    copied, alike = pickle.loads(cloudpickle.dumps([told, told.despina_function]))
    assert copied is alike
    assert (told.__name__, told.__doc__) == ("told", "Says it.")                # type: ignore[attr-defined]


class Named:
    operator = "of the plant"
    _id = "7"
    limit = 5

    class Inner:
        """Found by its name."""

    def process(self, celsius: float) -> float:
        return celsius


named = despina.function(adds="f DOUBLE")(Named)


def test_what_a_class_calls_its_own_hides_nothing() -> None:
    assert named.operator("x").content()["function"].endswith(":Named")
    assert named.operator().id == "named"
    assert named.limit == 5                                                     # type: ignore[attr-defined]
    assert named.Inner.__doc__ == "Found by its name."                          # type: ignore[attr-defined]


@pytest.mark.parametrize(("decorated", "takes"), [
    (by_row, None), (by_array, "numpy"), (by_batch, "arrow"), (by_pandas, "pandas"), (by_polars, "polars"), (as_it_says, "row"),
    (Model, "numpy")])
def test_the_annotation_says_what_it_takes(decorated: Function, takes: str | None) -> None:
    assert decorated.operator().content().get("takes") == takes


def test_it_is_called_as_before_and_keeps_its_name() -> None:
    assert by_row(100) == 212
    assert (by_row.__name__, by_row.__doc__) == ("by_row", "In Fahrenheit.")    # type: ignore[attr-defined]


def test_it_stands_between_operators() -> None:
    source = op.FileSource("source", path="in", format="csv", schema="celsius DOUBLE")
    source >> by_row >> by_row.operator("again", adds="g DOUBLE") >> op.DiscardSink("out")
    content = despina.Graph.build("g", source).to_dict()
    name = f"{by_row.despina_function.__module__}:by_row"
    assert content["operators"]["by_row"] == {"type": "python", "function": name, "adds": "f DOUBLE",
                                              "on_error": {"type": "skip"}}
    assert content["operators"]["again"]["adds"] == "g DOUBLE"
    assert [(link["from"], link["to"]) for link in content["links"]] == [
        ("source", "by_row"), ("by_row", "again"), ("again", "out")]


def test_what_no_other_process_can_import_is_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def inner(celsius: float) -> float:
        return celsius

    monkeypatch.setattr(by_row.despina_function, "__module__", "__main__")
    assert [cells.is_cell(each) for each in (inner, by_row.despina_function, by_array.despina_function)] == [True, True, False]
    assert cells.name(inner).startswith("__main__:inner")


def test_an_operator_of_a_class_has_an_id_in_small_letters() -> None:
    class LeftOpenA2B:
        def process(self, celsius: float) -> float:
            return celsius

    assert [despina.function(adds="x INT")(each).operator().id for each in (LeftOpenA2B, lambda celsius: celsius)] == [
        "left_open_a2_b", "lambda"]


def test_a_decorated_function_goes_to_another_process_as_itself() -> None:
    copied, alike = pickle.loads(cloudpickle.dumps([by_row, by_row.despina_function]))
    assert copied is alike
    assert copied(100.0) == 212.0
