"""Graphs of which Spark runs a part: ``place`` says ``spark``."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina import Graph
from despina import engine as engines
from despina.backends import split
from despina.backends.spark.plan import Operator
from despina.backends.split.checkpoints import Checkpoints
from despina.errors import GraphError, JobError, Place, RefusedError
from despina.options import RunOptions
from e2e.conftest import Call, Start
from e2e.test_tls import Authority
from support import split_kills
from support.graphs import Fields, rows, write
from support.processes import until
from support.written import written_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READINGS: Fields = rows(2_000, "id", "timestamp_micros(id * 100000) AS ts", "CAST(id % 7 AS INT) AS device",
                        "(id * 37) % 101 AS celsius", event_time={"column": "ts", "order_by": ["id"]})
THERE_AND_BACK: Fields = {
    "format": 1, "name": "there_and_back",
    "parameters": {"least": {"default": "20"}, "hottest": {"default": "90"}},
    "operators": {
        "readings": READINGS,
        "warm": {"type": "filter", "where": "celsius >= ${least}"},
        "means": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 10_000},
                  "select": ["window_time AS ts", "device", "avg(celsius) AS mean", "count(*) AS n"]},
        "streak": {"type": "scan", "group_by": ["device"], "state": {"seen": {"initial": "0L", "next": "seen + n"}},
                   "select": ["ts", "device", "mean", "next.seen AS seen"], "accept": ["order", "late"]},
        "out": {"type": "collect_sink"},
        "cold": {"type": "collect_sink"},
        "hot": {"type": "filter", "where": "mean >= ${hottest} / 2"},
        "on_disk": {"type": "file_sink", "path": "${folder}", "format": "json"}},
    "links": [{"from": "readings", "to": "warm"}, {"from": "warm", "to": "means"}, {"from": "warm.rejected", "to": "cold"},
              {"from": "means", "to": "streak"}, {"from": "streak", "to": "out"},
              {"from": "means", "to": "hot"}, {"from": "hot", "to": "on_disk"}]}
THERE_AND_BACK["parameters"]["folder"] = {}


def placed(*operators: str, **more: Any) -> Fields:
    return {"format": 1, "place": {operator: ["spark"] for operator in operators}, **more}


def read(folder: Path) -> list[dict[str, Any]]:
    return written_rows(folder)


def taken(job: despina.Job, sink: str) -> list[str]:
    return sorted(json.dumps(row, default=str) for row in job.rows(sink).to_pylist())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """What the engine alone gives."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    with Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": str(folder)}) as job:
        yield {"out": taken(job, "out"), "cold": taken(job, "cold"),
               "disk": sorted(json.dumps(row, sort_keys=True) for row in read(folder))}


@pytest.mark.parametrize("resources", [None, {"near": {"start": "child"}, "far": {"start": "child"}}])
def test_rows_go_to_spark_and_back_and_are_those_of_the_engine(
        spark: SparkSession, tmp_path: Path, whole: dict[str, list[str]], resources: Fields | None) -> None:
    deployment = placed("means", "hot", "on_disk", **({"resources": resources} if resources else {}))
    folder = tmp_path / "out"
    with Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": str(folder)}, deployment=deployment) as job:
        assert job.wait(120).state == "done"
        assert taken(job, "out") == whole["out"]
        assert taken(job, "cold") == whole["cold"]
        assert job.report()["on_spark"] == {"on_disk": len(whole["disk"])}
    assert sorted(json.dumps(row, sort_keys=True) for row in read(folder)) == whole["disk"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_parts_speak_tls(spark: SparkSession, tmp_path: Path, whole: dict[str, list[str]]) -> None:
    deployment = placed("means", "hot", "on_disk", resources={"near": {"start": "child"}})
    with Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": str(tmp_path / "out")}, deployment=deployment,
                                             tls=Authority(tmp_path / "authority").machine("here", "127.0.0.1")) as job:
        assert job.address["tls"] == str(tmp_path / "authority" / "here")
        assert job.wait(120).state == "done"
        assert taken(job, "out") == whole["out"]


def test_a_source_on_spark_feeds_the_engine(spark: SparkSession, tmp_path: Path, whole: dict[str, list[str]]) -> None:
    with Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": str(tmp_path / "out")},
                                             deployment=placed("readings", "warm")) as job:
        assert job.wait(120).state == "done"
        assert (taken(job, "out"), taken(job, "cold")) == (whole["out"], whole["cold"])


def endless() -> Graph:
    """The same without an end."""
    fields = json.loads(json.dumps(THERE_AND_BACK))
    fields["operators"]["readings"].pop("count")
    fields["operators"]["readings"]["rate_per_s"] = 2_000
    return Graph.from_dict(fields)


def test_streams_run_until_the_job_is_stopped(spark: SparkSession, tmp_path: Path) -> None:
    job = endless().run(parameters={"folder": str(tmp_path / "out")}, deployment=placed("means"))
    with job:
        seen: set[int] = set()

        def all_seen() -> bool:
            seen.update(row["device"] for row in job.take("out").to_pylist())
            return seen == set(range(7))

        until(all_seen, "rows of all devices", 180)
        job.stop()
        job.wait(60)
    assert job.part is not None
    assert job.part.failure is None
    assert not spark.streams.active


def test_rows_wait_for_each_query_that_reads_them() -> None:
    """A sink on Spark is a query of its own, and each commits for itself how far it has read."""
    options = RunOptions(parameters={"folder": "out"}, deployment=placed("means", "hot", "on_disk"))
    _, parts = split._parts(Graph.from_dict(THERE_AND_BACK), options, engines.start())
    assert parts.to_spark == {"warm_to_spark": 2}
    _, parts = split._parts(Graph.from_dict(THERE_AND_BACK), replace(options, deployment=placed("means")), engines.start())
    assert parts.to_spark == {"warm_to_spark": 1}


def test_a_failure_on_spark_is_the_jobs_and_ends_it(spark: SparkSession) -> None:
    graph = Graph.from_dict({
        "format": 1, "name": "fails",
        "operators": {"readings": READINGS, "bad": {"type": "project", "select": ["1 / (id - 700) AS x"]},
                      "out": {"type": "collect_sink"}},
        "links": [{"from": "readings", "to": "bad"}, {"from": "bad", "to": "out"}]})
    job = graph.run(deployment=placed("bad"))
    with pytest.raises(JobError, match="DIVIDE_BY_ZERO") as raised:
        job.wait(60)
    assert "operator bad" in str(raised.value)
    assert job.counters.ended


def test_a_failure_on_the_engine_is_the_jobs(spark: SparkSession) -> None:
    graph = Graph.from_dict({
        "format": 1, "name": "fails",
        "operators": {"readings": READINGS, "bad": {"type": "project", "select": ["1 / (id - 700) AS x"]},
                      "out": {"type": "discard_sink"}},
        "links": [{"from": "readings", "to": "bad"}, {"from": "bad", "to": "out"}]})
    job = graph.run(deployment=placed("out"))
    with pytest.raises(JobError, match="operator bad, instance 0: Division by zero"):
        job.wait(60)


@pytest.mark.parametrize(("deployment", "told"), [
    (placed("mean"), "places `mean` on Spark, and the graph has no such operator\n  hint: did you mean means?"),
    (placed("*"), "`*` is placed on Spark"),
    ({"format": 1, "place": {"means": ["spark", "near"]}}, "`means` is placed on Spark and on a resource"),
    (placed(*THERE_AND_BACK["operators"]), "nothing is left for the engine"),
])
def test_what_cannot_be_cut_is_refused(spark: SparkSession, deployment: Fields, told: str) -> None:
    with pytest.raises(RefusedError) as raised:
        Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": "x"}, deployment=deployment)
    assert told in str(raised.value)


def test_with_a_state_both_parts_go_on_and_have_each_row_once(start: Start, spark: SparkSession, tmp_path: Path) -> None:
    """When the command that runs them is killed, then a resource, and when a query fails. `tools/soak.py --only split`: more."""
    split_kills.prepare(tmp_path, split_kills.ONE)
    command = start(*split_kills.arguments(tmp_path))
    split_kills.await_rows(tmp_path)
    split_kills.strike(tmp_path, command, split_kills.DRIVER, random.Random(1))
    graph = despina.load(tmp_path / "g.json")
    deployment, state = tmp_path / "d.json", tmp_path / "state"
    with graph.run(deployment=deployment, state=state, epoch_ms=100) as job:
        assert job.wait(0).state != "failed"
        split_kills.await_rows(tmp_path)
        os.kill(int(job.counters.resources["far"]["pid"]), signal.SIGKILL)
        until(lambda: job.restarts == 1, "next attempt")
        split_kills.await_rows(tmp_path)

        def query_begins_again() -> bool:
            spark.sparkContext.cancelAllJobs()
            return bool(job.report().get("restarts_on_spark"))

        until(query_begins_again, "query that begins again")
        shown = split_kills.await_rows(tmp_path)
        with pytest.raises(RefusedError, match="flush ends the job as the end of its input does"):
            job.stop(flush=True)
        with pytest.raises(RefusedError, match="Spark runs a part of the graph, and a savepoint would not have the checkpoints"):
            job.savepoint(tmp_path / "savepoint")
        job.stop()
        assert job.wait(60).state == "stopped"
    found = split_kills.compare(tmp_path, split_kills.Found(shown=shown))
    assert not found.wrong
    assert not spark.streams.active
    assert sorted(each.name for each in state.iterdir()) == ["registry.json", "split%20kills"], "the killed command has left more"
    assert {each.name for each in state.glob("*/queries.begun/*/*")} == {"doubled_to_engine", "on_disk"}
    dry = graph.dry_run(state, options=RunOptions(deployment=deployment))
    assert {each.operator: each.fate for each in dry.operators} == dict.fromkeys(
        ["readings", "readings_to_spark", "doubled_to_engine", "counted", "out"], "kept")


def test_a_query_that_fails_again_and_again_ends_a_job_with_a_state(spark: SparkSession, tmp_path: Path) -> None:
    graph = Graph.from_dict({
        "format": 1, "name": "fails",
        "operators": {"readings": rows(None, "id", rate_per_s=5_000),
                      "bad": {"type": "project", "select": ["1 / (id - 700) AS x"]}, "out": {"type": "discard_sink"}},
        "links": [{"from": "readings", "to": "bad"}, {"from": "bad", "to": "out"}]})
    job = graph.run(deployment=placed("bad"), state=tmp_path / "state", epoch_ms=50)
    with pytest.raises(JobError, match=r"query of `bad_to_engine` has failed 3 times in a row: (.|\n)*DIVIDE_BY_ZERO"):
        job.wait(60)


def test_a_folder_with_batches_of_another_query_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Spark would take as many batches of this one for written."""
    graph = Graph.from_dict(split_kills.graph(tmp_path))
    log = tmp_path / "rows" / "_spark_metadata"
    log.mkdir(parents=True)
    (log / "0").touch()
    with pytest.raises(RefusedError, match=r"operator on_disk: .*rows has the rows of an earlier query") as raised:
        graph.run(deployment=placed("on_disk")).wait(60)
    assert raised.value.hint == "name another folder, or remove that one"
    (log / "0").rename(log / ".0.crc")      # a query makes the folder as it starts, and this one was killed then
    sink = Operator("on_disk", "file_sink", Place(""), "fail", {"path": str(tmp_path / "rows")}, {}, {})
    Checkpoints(spark, f"file:{tmp_path}").refuse_other_rows(sink)


def test_a_checkpoint_that_somebody_has_removed_is_missed(spark: SparkSession, tmp_path: Path) -> None:
    """Its query would begin anew, where the engine goes on."""
    places = Checkpoints.beside(spark, str(tmp_path), "id")
    sink = Operator("on_disk", "file_sink", Place(""), "fail", {}, {}, {})
    places.note("on_disk")
    places.refuse_lost(sink)        # Spark had made none yet
    checkpoint = tmp_path / "queries" / "id" / "on_disk"
    checkpoint.mkdir(parents=True)
    (checkpoint / "metadata").touch()
    places.note("on_disk")
    places.refuse_lost(sink)
    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets" / ".0.crc").touch()     # not yet one
    places.note("on_disk")
    places.refuse_lost(sink)
    for part in ("offsets", "commits"):
        (checkpoint / part).mkdir(exist_ok=True)
        (checkpoint / part / "0").touch()
    places.note("on_disk")
    places.refuse_lost(sink)
    shutil.rmtree(checkpoint / "offsets")
    with pytest.raises(RefusedError, match=r"the checkpoint of its query in .*/on_disk has no `offsets` any more: the query"):
        places.refuse_lost(sink)
    shutil.rmtree(tmp_path / "queries")
    with pytest.raises(RefusedError, match=r"operator on_disk: the checkpoint of its query is not in .*, where it was") as raised:
        places.refuse_lost(sink)
    assert raised.value.hint == "bring it back from a copy; or begin anew, with --from-start"
    Checkpoints.beside(spark, str(tmp_path), "of a job that begins anew").refuse_lost(sink)
    assert not any((tmp_path / "queries.begun").iterdir())


@pytest.mark.parametrize(("options", "told"), [
    ({"state": "s3a://bucket/state"}, "rows of `warm_to_spark` wait for Spark in a log, and a state at an address has none"),
    ({"from_": 3}, "which cannot go on from 3: the checkpoints of Spark's queries are in no savepoint"),
    ({"delivery": "at_least_once"}, "and delivery=at_least_once is not for such a graph"),
    ({"on_stop": "flush"}, "flush ends the job as the end of its input does"),
    ({"drop": "warm_to_spark"}, "`warm_to_spark` carries rows between the engine and Spark"),
    ({"rename": {"old": "means_to_engine"}}, "`means_to_engine` carries rows between the engine and Spark"),
])
def test_what_is_not_for_a_part_of_a_graph_with_a_state_is_refused_before_anything_starts(
        tmp_path: Path, options: dict[str, Any], told: str) -> None:
    asked = {"state": tmp_path / "state", **options}
    with pytest.raises(RefusedError) as raised:
        endless().run(parameters={"folder": "x"}, deployment=placed("means"), **asked)
    assert told in str(raised.value)
    assert not (tmp_path / "state").exists()


def test_batches_keep_no_state(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="all sources of the graph have an end, so Spark's part is batches, and"):
        Graph.from_dict(THERE_AND_BACK).run(parameters={"folder": "x"}, deployment=placed("means"), state=tmp_path / "state")


def test_what_has_no_form_on_spark_is_refused_at_its_line(tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", {
        "format": 1, "name": "no_form",
        "operators": {"source": {"type": "generator_source", "count": 5, "rows": {"type": "packets", "packet_bytes": 50}},
                      "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "sink"}]})
    with pytest.raises(GraphError) as raised:
        despina.load(graph).run(deployment=placed("source"))
    assert [(d.place.line, d.operator) for d in raised.value.diagnostics if d.rule == "no_spark_form"] == [(5, "source")]


def test_the_engine_alone_refuses_a_deployment_with_a_part_on_spark(tmp_path: Path) -> None:
    deployment = placed("means", resources={"near": {"start": "child"}})
    with pytest.raises(GraphError, match="`means` is placed on Spark, and here the engine runs the whole graph"):
        Graph.from_dict(THERE_AND_BACK).check(despina.RunOptions(parameters={"folder": "x"}, deployment=deployment))


def test_the_command_checks_both_parts(call: Call, tmp_path: Path) -> None:
    graph, deployment = write(tmp_path / "g.json", THERE_AND_BACK), write(tmp_path / "d.json", placed("means", "hot", "on_disk"))
    more = [str(graph), "--deployment", str(deployment), "--set", f"folder={tmp_path / 'out'}"]
    checked = call("check", *more)
    assert (checked.code, "g.json: ok" in checked.out) == (0, True), checked
    assert "keeps no state" in call("check", *more, "--state", tmp_path / "state").err
