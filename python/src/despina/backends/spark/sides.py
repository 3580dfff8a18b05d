"""The rows of all inputs of an operator in one frame, for the engine's own operator to take them apart again."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from despina.backends.spark.times import event_time
from despina.backends.spark.views import listed, queried, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call

GROUP, TIME = "_despina_group", "_despina_time"
_INPUT = "_despina_input_"


def united(call: Call, keys: Sequence[Sequence[str]], group: Callable[[str], str]) -> DataFrame:
    """The group, the event time with its stream's watermark, and for each input the whole row, NULL but for one of them.

    ``keys`` by input port; ``group`` makes the group of a struct of them, both as SQL.
    """
    sides = [_side(call, port, group(f"struct({listed(keys[index]) or '0'})"), index)
             for index, port in enumerate(call.operator.inputs)]
    rows = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), sides)
    return rows.select(GROUP, TIME, *(f"{_INPUT}{index}" for index in range(len(sides))))


def _side(call: Call, port: str, group: str, index: int) -> DataFrame:
    time = quoted(event_time(call.operator, port).column)
    columns = [f"{group} AS {GROUP}", f"{time} AS {TIME}", f"struct(*) AS {_INPUT}{index}"]
    return queried(f"SELECT {', '.join(columns)} FROM {quoted(port)}", {port: call.inputs[port]}, call.spark)
