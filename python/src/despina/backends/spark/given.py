"""DataFrames that take the place of what a source would read: ``graph.to_spark(spark, inputs={"readings": frame})``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from despina.backends.spark.facade import facade
from despina.backends.spark.form import Form
from despina.backends.spark.session import is_connect
from despina.backends.spark.streams import is_marked
from despina.backends.spark.views import quoted
from despina.columns import refused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField

    from despina.backends.spark.form import Call, Frames
    from despina.engine import Checked


def check(inputs: Mapping[str, DataFrame], checked: Checked, spark: SparkSession, form: Form) -> None:
    """Holds the frames' columns against those of the sources, as rows that are given to the engine.

    :param checked: has the columns of the sources
    :raise RefusedError: one is no DataFrame of this Spark, or of the other form, or its columns do not fit
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.types import to_arrow_schema

    for source, frame in inputs.items():
        if not isinstance(frame, DataFrame):
            library = type(frame).__module__.partition(".")[0].replace("builtins", "")
            raise refused(f"the rows for {source} are a {f'{library} {type(frame).__name__}'.strip()}, and to_spark needs a "
                          "DataFrame of Spark", "spark.createDataFrame(rows) makes one")
        if is_connect(frame.sparkSession) or frame.sparkSession.sparkContext is not spark.sparkContext:
            raise refused(f"the DataFrame for {source} was made by another SparkSession than the one given to to_spark")
        _check_form(source, frame, form)
        zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
        checked.columns(source).fit(to_arrow_schema(frame.schema, timezone=zone), f"{source}: ")


def _check_form(source: str, frame: DataFrame, form: Form) -> None:
    if frame.isStreaming and form is Form.BATCH:
        raise refused(f"the DataFrame for {source} is a stream", "add streaming=True to to_spark")
    if form is Form.STREAMING and not frame.isStreaming:
        raise refused(f"the DataFrame for {source} is no stream", "spark.readStream makes one; or leave streaming=True out")
    if form is Form.STREAMING and is_marked(frame):
        raise refused(f"the DataFrame for {source} has a watermark already, and the graph sets its own",
                      "leave withWatermark out: the source's `event_time` says how late a row may be")


def _in_session(spark: SparkSession, frame: DataFrame) -> DataFrame:
    """The caller's frame as one of the graph's session, whose views and SQL it must share."""
    from pyspark.sql import DataFrame as Frame

    return Frame(facade(spark).inSession(spark._jsparkSession, frame._jdf), spark)


def translate(call: Call, frame: DataFrame) -> Frames:
    """The source's ports: the frame with the source's columns, in its order and types. No row is bad, but a job fails at a value
    that the column's type cannot hold, as the engine does.
    """
    from pyspark.sql.types import StructType

    operator, frame = call.operator, _in_session(call.spark, frame)
    wanted = StructType.fromDDL(operator.outputs["out"].schema)
    own = {field.name.lower(): field for field in frame.schema.fields}
    kept = [test for field in wanted if field.name.lower() in own for test in _tests(own[field.name.lower()], field, operator.id)]
    if kept:
        frame = frame.where(" AND ".join(kept))
    frame = frame.selectExpr(*(_column(own.get(field.name.lower()), field, operator.outputs["out"].defaults) for field in wanted))
    bad = frame.where("false").selectExpr("'' AS reason", f"'{operator.id}' AS operator", "'' AS record")
    return {"out": frame, "errors": bad}


def _type(field: StructField) -> str:
    return str(field.dataType.simpleString())


def _column(own: StructField | None, wanted: StructField, defaults: Mapping[str, str]) -> str:
    name = quoted(wanted.name)
    if own is None:
        return f"CAST({defaults[wanted.name]} AS {_type(wanted)}) AS {name}"
    return f"{name} AS {name}" if _type(own) == _type(wanted) else f"try_cast({name} AS {_type(wanted)}) AS {name}"


def _tests(own: StructField, wanted: StructField, operator: str) -> list[str]:
    """Conditions that fail the job where a value is missing, or would not be the same in the column's type."""
    name = quoted(own.name)
    tests = []
    if own.nullable and not wanted.nullable:
        complaint = f"column {own.name} is NOT NULL, and a row has no value for it"
        tests.append(f"if({name} IS NULL, {_fails(operator, complaint)}, true)")
    if _type(own) != _type(wanted):
        there_and_back = f"try_cast(try_cast({name} AS {_type(wanted)}) AS {_type(own)})"
        complaint = f"column {own.name} is {_type(wanted).upper()}, and a row has a value that it cannot hold"
        tests.append(f"if({there_and_back} <=> {name}, true, {_fails(operator, complaint)})")
    return tests


def _fails(operator: str, why: str) -> str:
    text = f"operator {operator}: {why}".replace("\\", "\\\\").replace("'", "\\'")
    return f"raise_error('{text}')"
