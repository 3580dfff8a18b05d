"""A graph's session on Spark: what may change a row is as on the engine, whatever Spark was started with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import despina
from despina.backends.spark.plan import Plan
from despina.backends.spark.session import settings_session
from despina.errors import DespinaWarning

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANALYSIS = Path(__file__).resolve().parents[1] / "jvm/src/main/java/io/despina/expr/catalyst/analysis/Analysis.java"
PLAN = Plan(name="settings", ansi=False, time_zone="Europe/Berlin", buckets=256, operators=(), links=())
OTHERS = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
}
PACE = "spark.sql.autoBroadcastJoinThreshold"


@pytest.fixture
def other_spark(spark: SparkSession) -> Iterator[SparkSession]:
    """Spark as if it had been started with other settings."""
    conf = spark.sparkContext._jsc.sc().conf()
    for name, value in {**OTHERS, PACE: "7"}.items():
        conf.set(name, value)
    yield spark
    for name in (*OTHERS, PACE):
        conf.remove(name)


def test_settings_that_may_change_a_row_are_the_graphs_or_the_defaults(other_spark: SparkSession) -> None:
    fresh = other_spark._jvm.org.apache.spark.sql.internal.SQLConf()
    session = settings_session(other_spark, PLAN)
    found = {name: session.conf.get(name) for name in OTHERS}
    assert found == {**{name: fresh.getConfString(name) for name in OTHERS}, "spark.sql.session.timeZone": "Europe/Berlin"}
    assert session.conf.get("spark.sql.ansi.enabled") == "false"
    assert session.conf.get(PACE) == "7"


def test_a_graph_gives_the_same_rows(other_spark: SparkSession) -> None:
    graph = despina.Graph.from_dict({
        "format": 1, "name": "settings",
        "operators": {
            "source": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": [
                "ID AS n", "date_format(TIMESTAMP '2024-01-01 00:00:00', 'D') AS day", "\"text\" AS word",
                "'$${user.name}' AS name"]}},
            "rows": {"type": "collect_sink"},
        },
        "links": [{"from": "source", "to": "rows"}],
    })
    with pytest.warns(DespinaWarning, match=r"in a session of their own, .*: spark.sql.ansi.doubleQuotedIdentifiers, "):
        frame = graph.to_spark(other_spark.newSession())["rows"]
    rows = frame.toArrow().to_pylist()
    assert rows == [{"n": 0, "day": "1", "word": "text", "name": "${user.name}"}]


def test_what_the_engine_sets_is_set(spark: SparkSession) -> None:
    settings = re.findall(r'setConfString\("([^"]+)", (.+)\);', ANALYSIS.read_text())
    values = {"Boolean.toString(ansi)": "false", "timeZone": PLAN.time_zone}
    session = settings_session(spark, PLAN)
    assert settings
    for name, value in settings:
        assert session.conf.get(name) == values.get(value, value.strip('"')), name
