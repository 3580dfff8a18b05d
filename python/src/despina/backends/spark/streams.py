"""Event time on Spark's streams: the graph's watermarks as Spark's, one event-time column in each frame.

Spark knows the event-time column by a mark in its metadata, which expressions lose or copy. After each operator the mark is where
the graph's plan has the event time, and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Frames
    from despina.backends.spark.plan import EventTime, Operator

MARK = "spark.watermarkDelayMs"
"""Spark's own, of ``EventTimeWatermark``."""
MORE_MS = 1
"""Spark drops what is as old as the watermark, the engine only what is older. So Spark's watermark is a little behind."""


def timed(operator: Operator, outputs: Frames) -> Frames:
    """The operator's outputs with their event time as Spark knows it; a source's has the graph's watermark."""
    return {port: frame if port not in operator.outputs else _at(operator, port, frame) for port, frame in outputs.items()}


def _at(operator: Operator, port: str, frame: DataFrame) -> DataFrame:
    time = operator.outputs[port].event_time
    if time is not None and port == "out" and operator.assigns_event_time:
        return frame.withWatermark(quoted(time.column), f"{_delay(time)} milliseconds")
    return marked(frame, time)


def _delay(time: EventTime) -> int:
    return time.max_delay_ms + MORE_MS


def marked(frame: DataFrame, time: EventTime | None) -> DataFrame:
    """The same rows, with the mark on the column of the event time alone."""
    return _marked(frame, time.column, _delay(time)) if time is not None else _marked(frame, None, 0)


def without_mark(frame: DataFrame, kept: str) -> DataFrame:
    """The same rows, without the mark of any column but that one."""
    return _marked(frame, kept, None)


def is_marked(frame: DataFrame) -> bool:
    """Whether the frame has a watermark already."""
    return any(MARK in field.metadata for field in frame.schema.fields)


def _marked(frame: DataFrame, wanted: str | None, delay: int | None) -> DataFrame:
    from pyspark.sql.functions import col

    columns = []
    changed = False
    for field in frame.schema.fields:
        column = col(quoted(field.name))
        is_time = field.name == wanted
        if is_time and delay is not None and MARK not in field.metadata:
            column = column.alias(field.name, metadata={**field.metadata, MARK: delay})
            changed = True
        elif not is_time and MARK in field.metadata:
            column = column.alias(field.name, metadata={k: v for k, v in field.metadata.items() if k != MARK})
            changed = True
        columns.append(column)
    return frame.select(*columns) if changed else frame
