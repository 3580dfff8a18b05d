"""``despina run --on executors`` and scripts of a user, each with a Spark of its own."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from support import spark_archive
from support.every import in_every
from support.graphs import chain, relay, rows, write
from support.java import QUICK
from support.processes import Command, until

Start = Callable[..., Command]
WITHOUT_UI = ("--conf", "spark.ui.enabled=false", "--conf", f"spark.executor.extraJavaOptions={spark_archive.options(QUICK)}")
GRACE_S = 5.0
PROGRESS = r" +\d+\.\d s  \w+|(done|stopped) after |stopping; another Ctrl-C ends the job at once$|  \w+: |$"
"""The lines of a command that says how its job goes; an empty one is behind a Ctrl-C."""


def deployment(*names: str) -> dict[str, object]:
    """Those resources, in executors."""
    return {"format": 1, "resources": {name: {"start": "executor"} for name in names}}


def is_driver(pid: int) -> bool:
    """Whether it is the JVM of Spark's driver."""
    return b"SparkSubmit" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("master", [pytest.param("local[2]", id="one", marks=in_every),
                                    pytest.param("local-cluster[2,1,1024]", id="two")])
def test_two_resources_run_in_executors_without_a_word_of_spark(start: Start, tmp_path: Path, master: str) -> None:
    graph = chain(("source", rows(100, "id AS n")), ("sink", {"type": "collect_sink"}), links={"fuse": False})
    command = start("run", write(tmp_path / "g.json", graph), "--on", "executors", "--master", master, *WITHOUT_UI,
                    "--deployment", write(tmp_path / "d.json", deployment("one", "other")), "--report", "r.json")
    ended = command.end()
    until(lambda: not command.processes(), "end of Spark")
    assert ended.code == 0, ended.err
    told = ended.err.splitlines()
    assert told[0].endswith(" s  checking the graph")
    assert "starting Spark" in ended.err
    assert [line for line in told if not re.match(PROGRESS, line)] == [], "and nothing of Spark's"
    assert ended.out.startswith("sink: 100 rows, the first 10:")
    report = json.loads((tmp_path / "r.json").read_text())
    assert list(report["resources"]) == ["one", "other"]
    assert report["links"]["source->sink"]["bytes_on_wire"] > 0


def test_a_command_that_is_stopped_before_its_job_runs_says_so(start: Start, tmp_path: Path) -> None:
    command = start("run", write(tmp_path / "g.json", relay()), "--on", "executors", "--master", "local-cluster[1,1,1024]",
                    *WITHOUT_UI)
    until(lambda: re.search(r"starting Spark\n(.* starting Spark, for .*\n)*(?!.* starting Spark).+\n", command.err()),
          "word of what is waited for behind Spark's start")
    command.signal(signal.SIGTERM)
    ended = command.end()
    until(lambda: not command.processes(), "end of Spark")
    assert ended.code == 130
    assert re.search(r"^stopped after \d+\.\d s", ended.err, re.MULTILINE)
    assert [line for line in ended.err.splitlines() if not re.match(PROGRESS, line)] == [], "no stack trace"


def test_without_a_driver_no_executor_goes_on(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", relay(rate_per_s=10_000))
    command = start("run", graph, "--on", "executors", "--master", "local-cluster[2,1,1024]", *WITHOUT_UI)
    command.says("running")
    drivers = [pid for pid in command.processes() if pid != command.pid and is_driver(pid)]
    os.kill(drivers[0], signal.SIGKILL)
    ended = command.end()
    until(lambda: not command.processes(), "end of the executors", GRACE_S)
    assert ended.code != 0
    assert "error[engine_lost]" in ended.err
    assert "Traceback" not in ended.err


@in_every
def test_dynamic_allocation_without_executors_is_refused(start: Start, tmp_path: Path) -> None:
    settings = {"enabled": "true", "shuffleTracking.enabled": "true", "minExecutors": "0", "initialExecutors": "0"}
    conf = [word for name, value in settings.items() for word in ("--conf", f"spark.dynamicAllocation.{name}={value}")]
    command = start("run", write(tmp_path / "g.json", relay()), "--on", "executors", "--master", "local-cluster[2,1,1024]",
                    *WITHOUT_UI, *conf, "--deployment", write(tmp_path / "d.json", deployment("a", "b")))
    ended = command.end()
    until(lambda: not command.processes(), "end of Spark")
    assert ended.code == 2
    assert "error[slots]: the graph needs 2 slots, one for each resource, and Spark has 0: 0 executors" in ended.err
    assert "spark.dynamicAllocation.minExecutors=0 keeps that many; set it to 2" in ended.err


def test_options_of_another_place_are_refused(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", relay())
    assert "error[option]: not used without Spark: --master" in start("run", graph, "--master", "local[2]").end().err
    assert "error[option]: not used on executors: --listen" in start("run", graph, "--on", "executors", "--listen", "x").end().err
    assert "error[master]: there is no Spark to run on" in start("run", graph, "--on", "executors").end().err


def test_resources_in_executors_are_refused_without_spark(start: Start, tmp_path: Path) -> None:
    ended = start("run", write(tmp_path / "g.json", relay()), "--deployment",
                  write(tmp_path / "d.json", deployment("one"))).end()
    assert ended.code == 2
    assert "error[deployment]: resource `one` is to run in an executor of Spark, and the graph runs without Spark" in ended.err
