"""Decorated functions between the operators of a graph that is written in Python."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest

import despina
from despina import operators as op
from despina.functions import Function, cells

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
