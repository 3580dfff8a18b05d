"""Functions on DataFrames, without a graph: the rows are those of the operator."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyspark.errors import PySparkException

import despina
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BEGIN = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture
def readings(spark: SparkSession) -> DataFrame:
    return spark.range(40).selectExpr("id", "concat('d', id % 3) AS device", "CAST(id AS DOUBLE) / 4 AS celsius",
                                      "timestamp_seconds(unix_seconds(TIMESTAMP'2026-11-29 00:00:00Z') + id) AS at")


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    return sorted(frame.toArrow().to_pylist(), key=lambda row: str(row.get("id", row)).zfill(9))


@despina.function(adds="fahrenheit DOUBLE, next TIMESTAMP")
def fahrenheit(celsius: float, at: datetime) -> tuple[float, datetime]:
    return celsius * 9 / 5 + 32, at + timedelta(hours=1)


def test_columns_join_the_rows_whatever_the_zone_of_the_session(readings: DataFrame) -> None:
    other = readings.sparkSession.newSession()
    other.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    of_other = other.range(40).selectExpr("id", "CAST(id AS DOUBLE) / 4 AS celsius",
                                          "timestamp_seconds(unix_seconds(TIMESTAMP'2026-11-29 00:00:00Z') + id) AS at")
    for frame in (readings.drop("device"), of_other):
        found = rows(fahrenheit.on(frame))
        assert [row["fahrenheit"] for row in found] == [k / 4 * 9 / 5 + 32 for k in range(40)]
        assert [row["next"] for row in found] == [BEGIN + timedelta(hours=1, seconds=k) for k in range(40)]
        assert [row["at"] for row in found] == [BEGIN + timedelta(seconds=k) for k in range(40)]


def test_fields_of_the_call_stand_before_those_of_the_decorator(readings: DataFrame) -> None:
    class Scaled:
        def open(self, context: Any) -> None:
            self.by = float(context.options["by"])

        def process(self, celsius: np.ndarray[Any, Any]) -> Any:
            return celsius * self.by

    scaled = despina.function(adds="v DOUBLE", options={"by": "2"})(Scaled)
    assert [row["v"] for row in rows(scaled.on(readings))] == [k / 4 * 2 for k in range(40)]
    assert [row["v"] for row in rows(scaled.on(readings, options={"by": "3"}))] == [k / 4 * 3 for k in range(40)]


class Totals:
    def process(self, key: Any, rows: Any, state: Any) -> None:
        for row in rows:
            state.n = (state.n or 0) + 1
            state.ids = [*(state.ids or []), row.id][-3:]

    def end(self, key: Any, state: Any) -> Any:
        return key, state.n, state.ids


totals = despina.function(schema="device STRING, n BIGINT, ids ARRAY<BIGINT>", group_by=["device"],
                          state="n BIGINT, ids ARRAY<BIGINT>", clock="event", event_time="at")(Totals)


def test_state_is_kept_by_key_and_in_event_order(readings: DataFrame) -> None:
    found = sorted(totals.on(readings.repartition(5)).toArrow().to_pylist(), key=lambda row: row["device"])
    assert found == [{"device": f"d{k}", "n": len(range(k, 40, 3)), "ids": list(range(k, 40, 3))[-3:]} for k in range(3)]


def test_fields_are_those_of_a_graph_one_text_for_a_list_and_options_of_texts(readings: DataFrame) -> None:
    class Marked:
        def open(self, context: Any) -> None:
            self.mark = "/".join(context.options[name] for name in ("limit", "flag"))

        def process(self, key: Any, row: Any, state: Any) -> str:
            state.n = (state.n or 0) + 1
            return f"{key} {state.n} {self.mark}"

    marked = despina.function(adds="mark STRING", group_by="device", state="n BIGINT", clock="event", columns="id",
                              options={"limit": 2, "flag": True})(Marked)
    found = rows(marked.on(readings, event_time="at", order_by="id"))
    assert [row["mark"] for row in found] == [f"d{k % 3} {k // 3 + 1} 2/true" for k in range(40)]


def test_what_cannot_be_called_is_refused_before_it_runs(readings: DataFrame) -> None:
    @despina.function(adds="v DOUBLE")
    def misspelt(celcius: float) -> float:
        return celcius

    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: misspelt.on(readings), "wants `celcius`, which is no column of its input: id, device, celsius, at"),
        (lambda: fahrenheit.on(readings, on_error={"type": "dead_letter"}), "bad records leave by port `errors`"),
        (lambda: fahrenheit.on(readings, pure=False), "Spark may call a function again with the same rows"),
        (lambda: fahrenheit.on(readings, adds="AT TIMESTAMP"), "the frame has a column `AT`, which `adds` would hide"),
        (lambda: fahrenheit.on(readings, schema="a DOUBLE"), "a function has either `adds` or `schema`"),
        (lambda: totals.on(readings, group_by=[]), "`state` without `group_by`"),
        (lambda: totals.on(readings, clock="processing"), "takes the rows of a key in event order on Spark"),
        (lambda: totals.on(readings, event_time="tat"), "the frame has no column `tat`"),
        (lambda: totals.on(readings.sparkSession.readStream.format("rate").load()), "a stream has its watermark from a graph")]
    for call, words in calls:
        with pytest.raises(RefusedError, match=re.escape(words)):
            call()


def test_a_row_that_raises_fails_the_query_or_is_left_out(readings: DataFrame) -> None:
    @despina.function(adds="v BIGINT")
    def inverse(id: int) -> int:
        return 10 // (id % 5)

    with pytest.raises(PySparkException, match="ZeroDivisionError"):
        inverse.on(readings).collect()
    assert [row["id"] for row in rows(inverse.on(readings, on_error={"type": "skip"}))] == [k for k in range(40) if k % 5]
