"""Spark's batches as those of a function that wants just so many rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from despina.backends.spark.operators.python import sized
from despina.functions.testing import call


@pytest.mark.parametrize(("given", "made"), [
    ([], []), ([0], []), ([1], [1]), ([3], [3]), ([4], [3, 1]),
    ([1, 1, 1, 1], [3, 1]), ([2, 0, 5, 1], [3, 3, 2]), ([9], [3] * 3)])
def test_rows_come_in_order_and_just_so_many_at_a_time(given: list[int], made: list[int]) -> None:
    numbers = iter(range(100))
    batches = [pa.record_batch({"n": pa.array([next(numbers) for _ in range(rows)], pa.int64())}) for rows in given]
    found = list(sized(iter(batches), 3))
    assert [batch.num_rows for batch in found] == made
    assert [n for batch in found for n in batch.column(0).to_pylist()] == list(range(sum(given)))


def test_a_test_calls_it_with_as_many() -> None:
    sizes: list[int] = []

    def counted(batch: pa.RecordBatch) -> pa.Array:
        sizes.append(batch.num_rows)
        return batch.column(0)

    rows = [{"n": k} for k in range(7)]
    found = call(counted, rows, takes="arrow", fixed_rows=3, adds="m BIGINT")
    assert found.rows == [{"n": k, "m": k} for k in range(7)]
    assert sizes == [3, 3, 1]
