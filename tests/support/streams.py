"""Runs a streaming DataFrame over what there is, to the end."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Row = dict[str, Any]


@dataclass(frozen=True)
class Streamed:
    """The rows that came out, and the watermark at the end; None without one."""

    rows: list[Row]
    watermark: datetime | None


def streamed(frame: DataFrame) -> Streamed:
    """What a query gives until it has read everything."""
    name = f"streamed_{uuid.uuid4().hex}"
    query = frame.writeStream.format("memory").queryName(name).outputMode("append").trigger(availableNow=True).start()
    query.awaitTermination()
    rows: list[Row] = frame.sparkSession.table(name).toArrow().to_pylist()
    frame.sparkSession.catalog.dropTempView(name)
    told = [progress["eventTime"]["watermark"] for progress in query.recentProgress if "watermark" in progress["eventTime"]]
    return Streamed(rows, _time(told[-1]) if told else None)


def _time(text: str) -> datetime:
    """A watermark as Spark tells it; years of more than four digits are the last time that Python has."""
    return datetime.max.replace(tzinfo=UTC) if text.startswith("+") else datetime.fromisoformat(text).astimezone(UTC)
