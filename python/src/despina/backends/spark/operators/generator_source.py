"""A generator; in batch it is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames

AT_ONCE = 1_000_000
"""The most rows in a micro-batch of a generator that is as fast as it can."""


def translate(call: Call) -> Frames:
    """``rows`` of type ``select`` over ``id`` and ``seed``."""
    fields = call.operator.fields
    seed = fields.get("seed", 1)
    ids = _stream(call) if call.is_streaming else call.spark.range(fields["count"])
    return {"out": ids.selectExpr("id", f"{seed}L AS seed").selectExpr(*fields["rows"]["select"])}


def _stream(call: Call) -> DataFrame:
    fields = call.operator.fields
    count, rate = fields.get("count"), fields.get("rate_per_s")
    if rate is not None:
        made = call.spark.readStream.format("rate").option("rowsPerSecond", int(rate))
    else:
        made = call.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", max(1, min(count or AT_ONCE, AT_ONCE)))
    ids = made.load().selectExpr("value AS id")
    return ids if count is None else ids.where(f"id < {count}")
