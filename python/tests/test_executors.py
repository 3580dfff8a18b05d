"""What of the executors is decided in Python, without a Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from despina.backends import executors
from despina.backends.executors.session import OWN_OPTIONS, executor_options
from despina.drivers.jvm import COLLECTOR
from despina.errors import RefusedError
from despina.graph import Graph

GRAPH = Graph.from_dict({"format": 1, "name": "g", "operators": {}, "links": []})


def session_of(module: str, version: str) -> Any:
    """Something that looks like a session."""
    return type("SparkSession", (), {"__module__": module, "version": version, "sparkContext": None})()


@pytest.mark.parametrize(("session", "rule", "words"), [
    (session_of("pyspark.sql.connect.session", "4.3.0"), "spark_connect", "its driver runs elsewhere"),
    (session_of("pyspark.sql.session", "4.2.1"), "spark_version", "of Spark 4.2.1, and Despina"),
    ("cluster", "on", "unknown place to run: 'cluster'"),
])
def test_a_session_that_cannot_host_a_graph_is_refused(session: Any, rule: str, words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        GRAPH.run(on=session)
    assert refused.value.rule == rule
    assert words in refused.value.message


def test_executors_without_a_spark_are_refused_with_a_master_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.raises(RefusedError) as refused:
        executors.session()
    assert refused.value.rule == "master"
    assert "--master local-cluster[2,1,1024]" in refused.value.hint


def test_a_session_at_another_master_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext
    monkeypatch.setattr(SparkContext, "_active_spark_context", type("Context", (), {"master": "local[2]"})())
    with pytest.raises(RefusedError, match=r"at master local\[2\], not yarn"):
        executors.session("yarn")


def test_executors_have_one_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert COLLECTOR in executor_options({})
    assert COLLECTOR in executor_options({OWN_OPTIONS: "-Dx=y"})
    assert COLLECTOR not in executor_options({OWN_OPTIONS: "-Dx=y -XX:+UseG1GC"})
    (tmp_path / "spark-defaults.conf").write_text(f"spark.ui.enabled false\n{OWN_OPTIONS} -XX:+UseZGC\n")
    assert COLLECTOR not in executor_options({})
    assert COLLECTOR in executor_options({OWN_OPTIONS: "-Dx=y"}), "the site's is not what executors get then"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f'--conf "{OWN_OPTIONS}=-Dx=y -Dz" pyspark-shell')
    assert COLLECTOR in executor_options({}), "nor is it then"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f'--conf "{OWN_OPTIONS}=-Dx=y -XX:+UseG1GC" pyspark-shell')
    assert COLLECTOR not in executor_options({})


def test_a_folder_where_one_happens_to_be_is_no_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_CONF_DIR", "SPARK_HOME", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    Path(tmp_path, "conf").mkdir()
    Path(tmp_path, "conf", "spark-defaults.conf").write_text(f"{OWN_OPTIONS} -XX:+UseZGC\n")
    monkeypatch.chdir(tmp_path)
    assert COLLECTOR in executor_options({})
