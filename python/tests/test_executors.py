"""What of the executors is decided in Python, without a Spark."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from despina import engine, installed
from despina.backends import executors
from despina.backends.executors.session import OWN_OPTIONS, executor_options
from despina.backends.spark import launch
from despina.drivers.jvm import COLLECTOR
from despina.engine import Engine
from despina.errors import GraphError, RefusedError
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


def test_a_graph_is_checked_before_a_spark_starts_for_it(scripted: Callable[..., tuple[Engine, Any]],
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext
    checker, driver = scripted(check=[{"diagnostics": [{"rule": "links", "severity": "error", "message": "nothing is linked"}]}])
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr(engine, "checking", lambda: nullcontext(checker))
    monkeypatch.setattr(executors, "session", lambda *_: pytest.fail("started"))
    with pytest.raises(GraphError, match="nothing is linked"):
        GRAPH.run(on="executors", master="local-cluster[1,1,1024]", inputs={"source": [{"n": 1}]})
    assert json.loads(driver.asked[0][3])["inputs"] == ["source"]


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


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Those that Spark is started with, at that master."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setattr("despina.archive.options", lambda java, jars: ["-Dkept=/a folder/x"])
    started: dict[str, str] = {}
    module = sys.modules["despina.backends.executors.session"]      # of whose name the package has a function
    monkeypatch.setattr(module, "started", lambda master, conf: started.update(conf))

    def of(master: str, **conf: str) -> dict[str, str]:
        started.clear()
        executors.session(master, {name.replace("_", "."): value for name, value in conf.items()})
        return dict(started)

    return of


def test_executors_of_this_machine_start_as_our_own_jvms(settings: Callable[..., dict[str, str]], tmp_path: Path) -> None:
    found = settings("local-cluster[2,1,1024]")
    own = os.pathsep.join(installed.class_path())
    assert (found["spark.driver.extraClassPath"], found["spark.executor.extraClassPath"]) == (own, own)
    for options in (found["spark.driver.defaultJavaOptions"], found["spark.executor.defaultJavaOptions"]):
        assert {"-Dkept=/a folder/x", f"-Dlog4j2.configurationFile={launch.LOGGING.as_uri()}"} <= set(shlex.split(options))
    kept = settings("local-cluster[2,1,1024]", spark_executor_extraClassPath="mine.jar")
    assert kept["spark.executor.extraClassPath"] == "mine.jar"
    assert "spark.driver.extraClassPath" not in kept, "no class path of the user's is replaced"
    away = settings("spark://far:7077")
    assert "-Dkept" not in away["spark.executor.defaultJavaOptions"] + away["spark.driver.defaultJavaOptions"]
    assert not any("extraClassPath" in name for name in away)
    (tmp_path / "log4j2.properties").touch()
    assert "log4j2" not in settings("local[2]")["spark.driver.defaultJavaOptions"], "the site says what is logged"


def test_a_folder_where_one_happens_to_be_is_no_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_CONF_DIR", "SPARK_HOME", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    Path(tmp_path, "conf").mkdir()
    Path(tmp_path, "conf", "spark-defaults.conf").write_text(f"{OWN_OPTIONS} -XX:+UseZGC\n")
    monkeypatch.chdir(tmp_path)
    assert COLLECTOR in executor_options({})
