"""The first rows, shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from despina.backends.spark.views import kept, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator


SHOWN_ROWS = 1000
_ISO = r"""regexp_replace(date_format({}, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"), r'(\.000)?000$', '')"""
"""Of a time without a zone, with as many digits of a second as it has, in groups of three."""
_UTC = "TIMESTAMP_NTZ '1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, CAST(unix_micros({}) / 1000000BD AS DECIMAL(18, 6)))"
PRINTED = {"timestamp": f"{_ISO.format(_UTC)} || 'Z'", "timestamp_ntz": _ISO}


def write(operator: Operator, frame: DataFrame, graph: GraphText) -> int:
    """Shows some and counts all."""
    with kept(frame):
        _printed(frame).show(SHOWN_ROWS, truncate=False)
        return int(frame.count())


def _printed(frame: DataFrame) -> DataFrame:
    """The frame with its times as the engine prints them: in UTC and ISO 8601, where Spark takes the session's zone."""
    if not any(kind in PRINTED for _, kind in frame.dtypes):
        return frame
    return frame.selectExpr(*(f"{PRINTED[kind].format(quoted(name))} AS {quoted(name)}" if kind in PRINTED else quoted(name)
                              for name, kind in frame.dtypes))
