"""Tukey's HSD of the compression experiment, on made-up numbers."""

from __future__ import annotations

import importlib

import pytest

from harness.result import Repeat, Result

pytest.importorskip("statsmodels", reason="statsmodels is of the extra `bench`")
compression = importlib.import_module("experiments.compression")
POINT = {"data": "random", "link": "1gbit"}


def result(**modes: list[float]) -> Result:
    return Result({"mode": "full"}, [Repeat(mode, POINT, k, 0, {"per_s": value}) for mode, values in modes.items()
                                     for k, value in enumerate(values)])


def test_what_differs_by_far_more_than_it_scatters_is_told_from_what_does_not() -> None:
    found = result(never=[100, 101, 99, 100], always=[50, 51, 49, 50], entropy=[100, 99, 101, 100.5],
                   adaptive=[100, 100, 101, 99])
    assert compression.against_never(found, POINT, "always") < 1e-4
    assert compression.against_never(found, POINT, "adaptive") > 0.5
    assert len(compression.tukey(found, POINT)) == 6


def test_one_repeat_proves_nothing() -> None:
    assert compression.tukey(result(never=[1], always=[2], entropy=[3], adaptive=[4]), POINT) == {}


def test_the_table_has_a_row_per_mode() -> None:
    found = result(never=[100, 101], always=[50, 51], entropy=[100, 99], adaptive=[100, 100])
    assert [row[0] for row in compression.table(found).rows] == [f"random, 1gbit, {mode}" for mode in compression.MODES]
