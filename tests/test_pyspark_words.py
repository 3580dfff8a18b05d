"""Columns and schemas of PySpark's in a graph that Python builds, and rows of a job as a DataFrame."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

import despina
from despina import operators as op
from despina.errors import RefusedError
from despina.pyspark_words import ddl, sql

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

INSTANT = datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
COLUMNS: list[tuple[Callable[[], Column], str]] = [
    (lambda: F.col("mf01") > 14963, "mf01 > 14963"),
    (lambda: (F.col("a") - (F.col("b") - 1)) / 2, "(a - (b - 1)) / 2"),
    (lambda: (F.col("a") > 1) & ~(F.col("s") == "x") | F.col("d").isNull(), "((a > 1) AND (NOT (s = 'x'))) OR isNull(d)"),
    (lambda: -F.col("a") % 3, "(-a) % 3"),
    (lambda: 1 - F.lit(-5), "1 - (-5)"),
    (lambda: F.col("a").isin(1, 2), "a IN (1, 2)"),
    (lambda: F.col("s").like("a%"), "like(s, 'a%')"),
    (lambda: F.col("d").cast("decimal(10,2)").alias("money"), "CAST(d AS DECIMAL(10,2)) AS money"),
    (lambda: F.col("s").try_cast("int").alias("odd name"), "TRY_CAST(s AS INT) AS `odd name`"),
    (lambda: F.when(F.col("a") > 1, "big").when(F.col("a") == 1, None).otherwise(F.lit("small")),
     "CASE WHEN a > 1 THEN 'big' WHEN a = 1 THEN NULL ELSE 'small' END"),
    (lambda: F.round(F.avg(F.col("d") * 2), 1).alias("mean"), "round(avg(d * 2), 1) AS mean"),
    (lambda: F.count_distinct("a"), "count(DISTINCT a)"),
    (lambda: F.count("*"), "count(*)"),
    (lambda: F.filter("xs", lambda x: x > 1), "filter(xs, {x} -> {x} > 1)"),
    (lambda: F.struct(F.col("a").alias("q"), "b"), "struct(a AS q, b)"),
    (lambda: F.col("st").x + F.col("xs")[0] + F.col("m")["k"], "(st['x'] + xs[0]) + m['k']"),
    (lambda: F.col("st.x"), "st.x"),
    (lambda: F.expr("a + 1") * 2, "(a + 1) * 2"),
    (lambda: F.col("current_date") + F.col("`a.b`"), "`current_date` + `a.b`"),
    (lambda: F.timestamp_diff("SECOND", "ts", "ts"), "timestampdiff(SECOND, ts, ts)"),
    (lambda: F.array(F.lit(2**40), F.lit(5)), "array(1099511627776L, 5)"),
    (lambda: F.lit(1.5) + F.lit(1e-7), "1.5D + (1e-07D)"),
    (lambda: F.lit(decimal.Decimal("1.50")), "1.50BD"),
    (lambda: F.lit("it's 5\\%"), "'it\\'s 5\\\\%'"),
    (lambda: F.lit(b"\x01\xff"), "X'01ff'"),
    (lambda: F.lit(datetime.date(2026, 1, 2)), "DATE '2026-01-02'"),
    (lambda: F.col("ts") > F.lit(INSTANT), "ts > (TIMESTAMP '2026-01-02T03:04:05.000006Z')"),
    (lambda: F.lit(datetime.timedelta(days=-1, microseconds=5)), "INTERVAL '-0 23:59:59.999995' DAY TO SECOND"),
]


@pytest.fixture(scope="module")
def row(spark: SparkSession) -> DataFrame:
    """With a column of each name that the Columns above have."""
    return spark.sql("""SELECT 1 AS mf01, 1 AS a, 2L AS b, 's' AS s, 1.5D AS d, array(1, 2) AS xs, map('k', 1) AS m,
        named_struct('x', 1) AS st, TIMESTAMP '2026-01-01' AS ts, 1 AS `current_date`, 2 AS `a.b`""")


@pytest.mark.parametrize(("make", "text"), COLUMNS, ids=[text for _, text in COLUMNS])
def test_the_text_of_a_column_means_the_same_to_spark(row: DataFrame, make: Callable[[], Column], text: str) -> None:
    column = make()
    found = sql(column, "where")
    assert found.replace(f"x_{found.partition('x_')[2].partition(' ')[0]}", "{x}") == text

    def plan(frame: DataFrame) -> Any:
        return frame._jdf.queryExecution().analyzed()

    assert plan(row.select(column)).sameResult(plan(row.selectExpr(found)))


REFUSED: list[tuple[Callable[[DataFrame], Column], str, str]] = [
    (lambda row: row["a"] > 1, "where has a, a column of a DataFrame", 'F.col("a") names the column'),
    (lambda row: F.udf(lambda x: x, "int")("a"), "a function of Python or of Java", "functions of Spark SQL"),
    (lambda row: F.col("a").desc(), "`a DESC NULLS LAST`", "name the column alone"),
    (lambda row: F.col("st").withField("y", F.lit(1)), "SQL text cannot say", "write SQL text"),
]


@pytest.mark.parametrize(("make", "message", "hint"), REFUSED)
def test_what_sql_cannot_say_is_refused_at_the_users_line(row: DataFrame, make: Callable[[DataFrame], Column], message: str,
                                                          hint: str) -> None:
    kept = op.Filter("kept", where=make(row))
    with pytest.raises(RefusedError) as refused:
        despina.Graph.build("g", kept)
    assert "operator 'kept': where has " in refused.value.message
    assert message in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.place is not None
    assert refused.value.place.file.endswith("test_pyspark_words.py")


def test_a_column_of_spark_connect_is_refused() -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    from pyspark.sql.connect.functions import col
    with pytest.raises(RefusedError, match="where is a Column of Spark Connect"):
        despina.Graph.build("g", op.Filter("kept", where=col("a") > 1))


def test_a_schema_is_ddl_that_spark_reads_back() -> None:
    schema = t.StructType([
        t.StructField("id", t.LongType(), nullable=False), t.StructField("odd name", t.DecimalType(10, 2)),
        t.StructField("true", t.TimestampNTZType()), t.StructField("days", t.DayTimeIntervalType()),
        t.StructField("parts", t.ArrayType(t.StructType([t.StructField("x", t.StringType(), nullable=False)]))),
        t.StructField("by_name", t.MapType(t.StringType(), t.ArrayType(t.DoubleType())))])
    assert ddl(schema) == ("id BIGINT NOT NULL, `odd name` DECIMAL(10,2), `true` TIMESTAMP_NTZ, "
                           "days INTERVAL DAY TO SECOND, parts ARRAY<STRUCT<x: STRING NOT NULL>>, "
                           "by_name MAP<STRING, ARRAY<DOUBLE>>")


def test_a_list_of_fields_is_a_schema_too() -> None:
    fields = [t.StructField("id", t.LongType(), nullable=False), t.StructField("name", t.StringType())]
    graph = despina.Graph.build("g", op.FileSource("s", path="x", format="csv", schema=fields))
    assert graph.to_dict()["operators"]["s"]["schema"] == "id BIGINT NOT NULL, name STRING"


def test_a_function_of_python_is_refused() -> None:
    kept = op.Filter("kept", where=lambda row: row.a > 1)
    with pytest.raises(RefusedError, match="where is a function of Python") as refused:
        despina.Graph.build("g", kept)
    assert "write SQL text" in refused.value.hint


def test_ddl_means_the_same_to_spark(spark: SparkSession) -> None:
    schema = spark.sql("SELECT 1L AS id, array(named_struct('x', 'y', 'n', 1.5D)) AS parts, map('k', DATE '2026-01-01') AS m, "
                       "TIMESTAMP '2026-01-01' AS ts, INTERVAL '1' DAY AS days, X'00' AS bytes").schema
    read = t.StructType.fromDDL(ddl(schema))
    assert [(field.name, field.dataType.simpleString(), field.nullable) for field in read] == [
        (field.name, field.dataType.simpleString(), field.nullable) for field in schema]


def test_a_graph_of_columns_runs_and_its_rows_are_a_frame(spark: SparkSession) -> None:
    schema = t.StructType([t.StructField("machine", t.StringType()), t.StructField("celsius", t.DoubleType()),
                           t.StructField("at", t.TimestampType(), nullable=False), t.StructField("wall", t.TimestampNTZType())])
    readings = op.FileSource("readings", path="none.csv", format="csv", schema=schema, event_time=op.EventTime(column="at"))
    hottest = op.Aggregate("hottest", group_by=F.col("machine"), select=[
        "machine", F.max("celsius").alias("peak"), F.max("at").alias("last"), F.max("wall").alias("wall")])
    readings >> op.Filter("hot", where=F.col("celsius") > 30) >> hottest >> op.CollectSink("rows")
    naive = datetime.datetime(2026, 1, 2)
    given = [("a", 31.0, INSTANT, naive), ("a", 33.5, INSTANT, naive), ("b", 12.0, INSTANT, naive)]
    with despina.Graph.build("hot", readings).run(inputs={"readings": given}) as job:
        rows = job.rows()
    frame = rows.to_spark(spark)
    assert frame.schema.simpleString() == "struct<machine:string,peak:double,last:timestamp,wall:timestamp_ntz>"
    assert frame.toArrow().to_pylist() == rows.to_pylist() == [{"machine": "a", "peak": 33.5, "last": INSTANT, "wall": naive}]
