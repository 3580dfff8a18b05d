"""Every way to send packets over two resources: the same rows, the complete sequence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import GraphError
from despina.graph import Graph, RunOptions
from despina.job import Job
from support.graphs import TWO, Fields, chain, packets, rows
from support.java import compiled
from support.processes import over, until

COUNT = 50_000
SPREAD: Fields = {**TWO, "place": {"source": ["near", "far"], "middle": ["far", "near"], "sink": ["near"]}}
"""Instances in turn, so that some channels are remote and some are not."""
BY_ID = "public final class ById implements PartitionFunction { public int partition(Row row) { return (int) row.getLong(0); } }"


def start(engine: Engine, graph: Fields, deployment: Fields) -> Job:
    return Graph.from_dict(graph).start(engine, RunOptions(deployment=deployment))


def report(engine: Engine, graph: Fields) -> Fields:
    """Runs it over two resources to its end."""
    with start(engine, graph, TWO) as job:
        job.wait()
        return job.report()


def sequence(link: Fields | None = None, settings: Fields | None = None, content: str = "random", **middle: Any) -> Fields:
    """Packets whose sequence and payload the sink verifies, each one."""
    source = packets(COUNT)
    source["rows"]["content"] = content
    return chain(("source", source), ("middle", {"type": "relay", **middle}), ("sink", {"type": "discard_sink", "verify": "all"}),
                 links={"fuse": False, **(link or {})}, settings=settings)


def complete(found: Fields) -> Fields:
    """Asserts that every packet came, and gives the remote link's counters."""
    assert [found["operators"][name]["packets_in"] for name in ("middle", "sink")] == [COUNT, COUNT]
    remote: Fields = found["links"]["source->middle"]
    assert remote["packets"] == COUNT
    assert remote["segments"] == remote["flushes_full"] + remote["flushes_timer"] + remote["flushes_early"]
    return remote


@pytest.mark.parametrize("settings", [
    {"batch_scheduling": False}, {"object_reuse": False}, {"batch_scheduling": False, "object_reuse": False},
    {"buffer": {"capacity_bytes": 4096}}, {"queue_target_ms": 1}], ids=str)
def test_settings_change_no_row(engine: Engine, settings: Fields) -> None:
    complete(report(engine, sequence(settings=settings)))


def test_timed_buffers_leave_when_full_or_by_the_clock_only(engine: Engine) -> None:
    remote = complete(report(engine, sequence({"buffer": {"mode": "timed", "flush_after_ms": 5}})))
    assert remote["flushes_early"] <= 1      # the end of the stream
    assert remote["flushes_full"] > 0


@pytest.mark.parametrize(("compression", "content", "compresses"), [
    ({"type": "always"}, "constant", True), ({"type": "never"}, "constant", False),
    ({"type": "entropy"}, "constant", True), ({"type": "entropy"}, "random", False),
    ({"type": "entropy", "below_bits": 8.0}, "constant", True), ({"type": "adaptive"}, "random", False)], ids=str)
def test_compression_changes_no_row(engine: Engine, compression: Fields, content: str, compresses: bool) -> None:
    remote = complete(report(engine, sequence({"compression": compression}, content=content)))
    assert (remote["compressed_segments"] > 0) == compresses
    if compresses:
        assert remote["bytes_on_wire"] < remote["bytes"] / 2
    else:
        assert remote["bytes"] < remote["bytes_on_wire"] < 1.1 * remote["bytes"]


@pytest.mark.parametrize("schedule", [
    {"type": "data"}, {"type": "periodic", "every_ms": 5}, {"type": "count", "packets": 777},
    {"type": "any", "of": [{"type": "periodic", "every_ms": 50}, {"type": "count", "packets": 10_000}]}], ids=str)
def test_schedules_change_no_row(engine: Engine, schedule: Fields) -> None:
    complete(report(engine, sequence(schedule=schedule)))


def test_a_schedule_is_changed_while_the_job_runs(engine: Engine) -> None:
    graph = sequence(schedule={"type": "count", "packets": 1_000_000_000})
    graph["operators"]["source"] = packets(rate_per_s=200)      # it takes seconds until its queue is full, and is worked off
    with start(engine, graph, TWO) as job:
        until(lambda: job.poll(0.02).operators["source"]["packets_out"] > 50, "packets from the source", ended=over(job))
        assert job.counters.operators["middle"]["packets_in"] == 0
        job.set_schedule("middle", {"type": "periodic", "every_ms": 10})
        until(lambda: job.poll(0.02).operators["sink"]["packets_in"] > 50, "packets at the sink", ended=over(job))
        job.set_schedule("middle", {"type": "data"})
        before = job.counters.operators["sink"]["packets_in"]
        until(lambda: job.poll(0.02).operators["sink"]["packets_in"] > before + 50,
              "packets after the second change", ended=over(job))
        job.stop()
        ended = job.wait().operators
        assert ended["source"]["packets_out"] == ended["sink"]["packets_in"]


def spread(partition: Fields | None, middle: Fields, parallelism: int = 3) -> Fields:
    """Rows over two resources, through as many instances of ``middle``, into one sink."""
    graph = chain(("source", {**rows(3_000, "id AS n", "id % 11 AS k"), "parallelism": 2}),
                  ("middle", {**middle, "parallelism": parallelism}), ("sink", {"type": "collect_sink"}))
    if partition is not None:
        graph["links"][0]["partition"] = partition
    return graph


@pytest.mark.parametrize(("partition", "parallelism", "times"), [
    (None, 3, 1), ({"type": "round_robin"}, 3, 1), ({"type": "least_loaded"}, 3, 1), ({"type": "forward"}, 2, 1),
    ({"type": "hash", "by": ["k"]}, 3, 1), ({"type": "broadcast"}, 3, 3)], ids=str)
def test_partitions_lose_nothing_and_double_nothing(engine: Engine, partition: Fields | None, parallelism: int,
                                                    times: int) -> None:
    with start(engine, spread(partition, {"type": "filter", "where": "n % 2 = 0"}, parallelism), SPREAD) as job:
        found = Counter(row["n"] for row in job.rows().to_pylist())
    assert found == dict.fromkeys(range(0, 3_000, 2), times)


@pytest.mark.parametrize("parallelism", [2, 3])
def test_groups_meet_in_one_instance(engine: Engine, parallelism: int) -> None:
    with start(engine, spread(None, {"type": "aggregate", "group_by": ["k"], "select": ["k", "sum(n) AS s", "count(*) AS c"]},
                              parallelism), SPREAD) as job:
        found = {row["k"]: (row["s"], row["c"]) for row in job.rows().to_pylist()}
        assert job.counters.operators["middle"]["packets_out"] == 11
    assert found == {k: (sum(range(k, 3_000, 11)), len(range(k, 3_000, 11))) for k in range(11)}


def test_a_class_that_the_deployment_does_not_allow_is_refused(engine: Engine) -> None:
    graph = spread({"type": "custom", "class": "org.example.ById"}, {"type": "filter", "where": "true"})
    with pytest.raises(GraphError) as raised:
        start(engine, graph, SPREAD)
    assert [d.rule for d in raised.value.diagnostics if d.severity == "error"] == ["class_not_allowed"] * 2
    assert "allow_classes" in str(raised.value)


def test_an_allowed_class_deals_the_packets(engine: Engine, tmp_path: Path) -> None:
    classes = compiled(tmp_path / "classes", ById=BY_ID)
    sink = {"type": "file_sink", "path": str(tmp_path / "out"), "format": "text", "parallelism": 3}
    graph = chain(("source", {**rows(3_000, "id AS n", "CAST(id AS STRING) AS text"), "parallelism": 2}),
                  ("middle", {"type": "relay", "parallelism": 3}),
                  ("text", {"type": "project", "select": ["text"], "parallelism": 3}), ("sink", sink))
    graph["links"][0]["partition"] = {"type": "custom", "class": "org.example.ById"}
    allowed = {name: {"jars": [str(classes)], "allow_classes": ["org.example.*"]} for name in TWO["resources"]}
    with start(engine, graph, {**SPREAD, "resources": allowed}) as job:
        job.wait()
    for instance in range(3):
        found = [int(n) for file in (tmp_path / "out").glob(f"part-{instance:05}-*") for n in file.read_text().split()]
        assert sorted(found) == list(range(instance, 3_000, 3))
