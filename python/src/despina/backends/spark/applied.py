"""A function of the user's on a DataFrame, without a graph. It needs PySpark alone, and no JVM of this process's: so sessions of
Spark Connect take it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from despina.backends.spark.operators.python import applied
from despina.backends.spark.plan import EventTime, Operator, Port
from despina.backends.spark.python_calls import Wanted
from despina.backends.spark.user_functions import UserFunction
from despina.errors import RefusedError
from despina.function_texts import loaded
from despina.functions import cells, of_graph
from despina.testing.file import meant
from despina.values import caller
from despina_worker import errors, functions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.functions import Function


def on(function: Function, frame: DataFrame, fields: Mapping[str, Any]) -> DataFrame:
    """See :meth:`despina.functions.Function.on`."""
    from pyspark.sql.types import StructType

    said = of_graph({**function.fields, **fields})
    _check(said, frame)
    written = StructType.fromDDL(said["adds"] if "adds" in said else said["schema"])
    if "adds" in said:
        _check_new(written.names, frame)
    schema = StructType([*frame.schema.fields, *written.fields]) if "adds" in said else written
    operator = _operator(function, said, frame)
    wanted = Wanted.of(operator, _user(function, operator), frame.schema, schema)
    if "state" not in said:
        _check_call(function, wanted)
    return applied(operator, frame, wanted, schema)


def _check_new(names: Sequence[str], frame: DataFrame) -> None:
    known = {name.lower() for name in frame.columns}
    for name in names:
        if name.lower() in known:
            raise RefusedError("duplicate_column", f"the frame has a column `{name}`, which `adds` would hide",
                               "give the new one another name", caller())


def _operator(function: Function, said: dict[str, Any], frame: DataFrame) -> Operator:
    """What the operator would be in the plan of a graph."""
    names = [each if each in frame.columns else f"key_{k}" for k, each in enumerate(said.get("group_by", []), 1)]
    time = EventTime(said["event_time"], tuple(said.get("order_by", ()))) if "event_time" in said else None
    return Operator(function._id(), "python", caller(), said.get("on_error", {}).get("type", "fail"),
                    {**said, "key_names": names}, {"in": Port("in", "", True, time)}, {})


def _user(function: Function, operator: Operator) -> UserFunction:
    user = function.despina_function
    is_cell = cells.is_cell(user)
    name = cells.name(user) if is_cell else f"{user.__module__}:{user.__qualname__}"
    return UserFunction(operator.id, name, operator.fields.get("options", {}), operator.on_error != "fail",
                        [] if is_cell else [str(folder) for folder in loaded([name])],
                        cells.code([name])[name] if is_cell else None)


def _check(said: Mapping[str, Any], frame: DataFrame) -> None:
    def refused(rule: str, problem: str, hint: str) -> RefusedError:
        return RefusedError(rule, problem, hint, caller())

    if ("adds" in said) == ("schema" in said):
        raise refused("function", "a function has either `adds` or `schema`", 'for example adds="score DOUBLE"')
    if not said.get("pure", True):
        raise refused("no_spark_form", "Spark may call a function again with the same rows, and this one must not be",
                      "leave out pure=False if it may")
    if said.get("on_error", {}).get("type") == "dead_letter":
        raise refused("no_spark_form", "bad records leave by port `errors`, and this is one frame",
                      'a graph has both; or leave them out: on_error={"type": "skip"}')
    if "state" not in said:
        return
    if frame.isStreaming:
        raise refused("no_spark_form", "a stream has its watermark from a graph, and a function with `state` waits for that",
                      "put it in a graph: graph.to_spark(spark, streaming=True); or give it a frame at rest")
    if not said.get("group_by"):
        raise refused("exclusive", "`state` without `group_by`: it is kept by key",
                      'say which columns are its key: group_by=["device"]')
    if said.get("clock") != "event" or "event_time" not in said:
        raise refused("event_time", "a function with `state` takes the rows of a key in event order on Spark",
                      'say clock="event", and which column has the time: event_time="ts"')
    for name in (said["event_time"], *said.get("order_by", ())):
        if name not in frame.columns:
            raise refused("unknown_column", f"the frame has no column `{name}`",
                          meant(name, frame.columns) or f"it has {', '.join(frame.columns)}")


def _check_call(function: Function, wanted: Wanted) -> None:
    """Whether a plain function can be called with these columns. A class is made where it is called."""
    if isinstance(function.despina_function, type):
        return
    try:
        functions.Function(wanted.spec(), function.despina_function)
    except errors.RefusedError as error:
        raise RefusedError("function", str(error), place=caller()) from error
