"""The same suite over every driver: what Python may rely on of the gateway."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

from despina import operators as op
from despina.drivers import DRIVERS
from despina.engine import Engine
from despina.errors import DespinaError, GraphError, JobError, RefusedError
from despina.graph import SERVICE, Graph, RunOptions
from support.every import EVERY


def numbers(count: int | None = 1000, sink: str = "collect_sink", **source: Any) -> Graph:
    """Numbers into a sink."""
    fields: dict[str, Any] = {"type": "generator_source", "rows": {"type": "select", "select": ["id AS n", "id * 2 AS twice"]}}
    if count is not None:
        fields["count"] = count
    return Graph(json.dumps({"format": 1, "name": "numbers", "operators": {"source": fields | source, "sink": {"type": sink}},
                             "links": [{"from": "source", "to": "sink"}]}), "numbers.json")


def packets(**source: Any) -> Graph:
    """Relay packets, without expressions, without end."""
    rows = op.GeneratorSource("source", rows=op.PacketsRows(packet_bytes=50), **source)
    rows.to(op.Relay("relay"), fuse=False) >> op.DiscardSink("sink", verify="all")
    return Graph.build("packets", rows)


@pytest.fixture
def relay(any_engine: Engine) -> Iterator[Any]:
    with packets(rate_per_s=10_000).start(any_engine, RunOptions()) as job:
        while job.poll(0.05).state == "deploying":
            pass
        yield job


def test_version_names_engine_and_java(any_engine: Engine) -> None:
    found = any_engine.version()
    assert found["despina"]
    assert int(found["java"].split(".")[0]) >= 17


def test_check_of_a_good_graph_gives_a_plan(any_engine: Engine) -> None:
    checked = numbers().check(engine=any_engine)
    assert checked.plan is not None
    assert [operator["id"] for operator in checked.plan["operators"]] == ["source", "sink"]


def test_check_tells_everything_at_once_with_places(any_engine: Engine) -> None:
    text = ('{\n  "format": 1, "name": "bad",\n  "operators": {\n    "a": {"type": "relya"},\n'
            '    "b": {"type": "filter"}\n  },\n  "links": []\n}')
    with pytest.raises(GraphError) as raised:
        Graph(text, "bad.json").check(engine=any_engine)
    errors = [d for d in raised.value.diagnostics if d.severity == "error"]
    assert {(d.place.file, d.place.line) for d in errors} >= {("bad.json", 4), ("bad.json", 5)}
    assert any("relay" in d.hint for d in errors)


def test_text_survives_the_way_in_and_out(any_engine: Engine) -> None:
    doc = "Grüße, 東京 😀 \" \\ \t \u0000 ${x}".replace("\u0000", "")
    text = json.dumps({"format": 1, "name": "words", "doc": doc, "operators": {
        "s": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": ["'é😀' AS word"]}},
        "k": {"type": "collect_sink"}}, "links": [{"from": "s", "to": "k"}]}, ensure_ascii=False)
    graph = Graph(text, "words.json")
    assert json.loads(graph.canonical(any_engine)) == json.loads(text)
    with graph.start(any_engine, RunOptions()) as job:
        assert job.rows().to_pylist() == [{"word": "é😀"}]


def test_canonical_form_is_a_fixed_point(any_engine: Engine, repository: Path) -> None:
    for file in sorted((repository / "graphs").glob("*.graph.json")):
        once = Graph(file.read_text(), file.name).canonical(any_engine)
        assert Graph(once, file.name).canonical(any_engine) == once


def test_rows_come_back_typed_and_complete(any_engine: Engine) -> None:
    with numbers(100_000).start(any_engine, RunOptions()) as job:
        rows = job.rows("sink").to_arrow()
    assert rows.num_rows == 100_000
    assert [str(field.type) for field in rows.schema] == ["int64", "int64"]
    assert sorted(rows["n"].to_pylist()) == list(range(100_000))


def test_no_rows_still_have_columns(any_engine: Engine) -> None:
    with numbers(0).start(any_engine, RunOptions()) as job:
        assert job.rows().column_names == ["n", "twice"]


def readings(to: Callable[[Any], Any] = lambda source: source >> op.CollectSink("sink"), **source: Any) -> Graph:
    """Readings that Python gives, into a sink."""
    made = op.FileSource("readings", path="none.csv", format="csv", schema="ts TIMESTAMP, device STRING, n BIGINT", **source)
    to(made)
    return Graph.build("readings", made)


def reading(n: int, **more: Any) -> dict[str, Any]:
    return {"ts": dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=n), "device": f"d{n % 3}", "n": n} | more


@pytest.mark.parametrize("given", [
    lambda rows: rows, iter, pyarrow.Table.from_pylist, pandas.DataFrame, polars.DataFrame,
    lambda rows: pyarrow.Table.from_pylist(rows).to_reader(100), lambda rows: (tuple(row.values()) for row in rows),
    lambda rows: [rows[:10], polars.DataFrame(rows[10:])],
], ids=["dicts", "iterator", "arrow", "pandas", "polars", "reader", "tuples", "batches"])
def test_rows_that_python_gives_are_the_sources(any_engine: Engine, given: Callable[[Any], Any]) -> None:
    rows = [reading(n) for n in range(1000)]
    with readings().start(any_engine, RunOptions(), inputs={"readings": given(rows)}) as job:
        assert job.rows().to_pylist() == rows


def test_rows_of_one_job_go_into_the_next(any_engine: Engine) -> None:
    with numbers(500).start(any_engine, RunOptions()) as first:
        rows = first.rows()
    with numbers(3).start(any_engine, RunOptions(), inputs={"source": rows}) as second:
        assert second.rows().to_pylist() == rows.to_pylist()


def test_given_rows_have_the_sources_event_time(any_engine: Engine) -> None:
    def windows(source: Any) -> None:
        sums = op.Aggregate("sums", window=op.TumblingWindow(size_ms=1000), select=["window.start AS second", "sum(n) AS n"])
        source >> sums >> op.CollectSink("sink")
        sums.late >> op.DiscardSink("late")

    graph = readings(windows, event_time=op.EventTime(column="ts", max_delay_ms=500))
    with graph.start(any_engine, RunOptions(), inputs={"readings": [reading(0), reading(9), reading(2), reading(9)]}) as job:
        assert [row["n"] for row in job.rows()] == [0, 18]
    assert job.counters.operators["sums"]["late"] == 1


# 64 MB go through the driver, by py4j as text; who is held back is the same
@pytest.mark.parametrize("any_engine", [*DRIVERS, SERVICE] if EVERY else ["jpype"], indirect=True)
def test_a_slow_sink_holds_the_iterable_back(any_engine: Engine) -> None:
    asked = 0

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal asked
        while True:
            asked += 1
            yield reading(asked, device="x" * 1000)

    with readings().start(any_engine, RunOptions(), inputs={"readings": endless()}) as job:
        before = -1
        while job.counters.collected["sink"]["waiting_bytes"] < 60e6 or asked != before:
            before = asked
            any_engine.wait(job.id, 500)
        assert asked < 150_000
        job.stop("now")
        assert job.wait().state == "stopped"


def test_a_stopped_job_asks_an_iterable_no_more(any_engine: Engine) -> None:
    closed = threading.Event()

    def endless() -> Iterator[dict[str, Any]]:
        try:
            for n in itertools.count():
                yield reading(n)
        finally:
            closed.set()

    with readings().start(any_engine, RunOptions(), inputs={"readings": endless()}) as job:
        seen = [row["n"] for row in next(job.batches())]
        job.stop()
        seen += [row["n"] for row in job.rows()]
    assert job.counters.state == "stopped"
    assert closed.wait(30)
    assert seen == list(range(job.counters.operators["readings"]["packets_out"]))


def test_what_an_iterable_raises_fails_the_job_as_its_cause(any_engine: Engine) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield reading(1)
        raise OSError("the sensor is gone")

    with pytest.raises(JobError) as raised, readings().start(any_engine, RunOptions(), inputs={"readings": rows()}) as job:
        job.wait()
    assert raised.value.message == "the rows for operator readings: OSError: the sensor is gone"
    assert isinstance(raised.value.__cause__, OSError)


def test_a_row_that_does_not_fit_fails_the_job_with_a_hint(any_engine: Engine) -> None:
    given = {"readings": [reading(1), reading(2, ts="2024-01-01")]}
    with pytest.raises(JobError) as raised, readings().start(any_engine, RunOptions(), inputs=given) as job:
        job.wait()
    assert raised.value.message.endswith("column ts is TIMESTAMP, which cannot hold '2024-01-01'")
    assert raised.value.hint.startswith("datetime.fromisoformat")


def test_a_row_without_a_column_fails_the_job(any_engine: Engine) -> None:
    given = {"readings": [reading(1), {"ts": None, "n": 2}]}
    with pytest.raises(JobError, match="the rows have no column device"), readings().start(
            any_engine, RunOptions(), inputs=given) as job:
        job.wait()


def test_inputs_are_refused_before_anything_runs(any_engine: Engine) -> None:
    with pytest.raises(GraphError, match=r"no operator `redings` to give rows to[^$]*did you mean `readings`"):
        readings().start(any_engine, RunOptions(), inputs={"redings": []})
    with pytest.raises(GraphError, match="needs parallelism 1: the rows given to it come in one order"):
        readings(parallelism=2).start(any_engine, RunOptions(), inputs={"readings": []})
    with pytest.raises(RefusedError, match="the source has no column m") as raised:
        numbers().start(any_engine, RunOptions(), inputs={"source": pyarrow.table({"m": [1]})})
    assert raised.value.place is not None
    assert raised.value.place.file.endswith("test_contract.py")


def test_rows_come_batch_by_batch_while_they_are_given(any_engine: Engine) -> None:
    answered = queue.SimpleQueue[int]()

    def rows() -> Iterator[dict[str, Any]]:
        for n in range(8):
            yield reading(n)
            assert answered.get(timeout=30) == n      # the next one only when the one before has come out

    with readings().start(any_engine, RunOptions(), inputs={"readings": rows()}) as job:
        seen = []
        for batch in job.batches():
            for row in batch:
                seen.append(row["n"])
                answered.put(row["n"])
    assert seen == list(range(8))


def test_batches_end_with_everything_handed_over(any_engine: Engine) -> None:
    for _ in range(5):
        with numbers(20_000).start(any_engine, RunOptions()) as job:
            assert sum(map(len, job.batches())) == 20_000


def test_counters_add_up_at_the_end(any_engine: Engine) -> None:
    with packets(count=5000).start(any_engine, RunOptions()) as job:
        status = job.wait()
    assert status.state == "done"
    assert status.operators["sink"]["packets_in"] == 5000
    assert {counters["packets"] for counters in status.links.values()} == {5000}


def test_what_goes_to_an_unlinked_port_is_counted(any_engine: Engine) -> None:
    source = op.GeneratorSource("source", rows=op.SelectRows(select=["id AS n"]), count=1000)
    source >> op.Filter("kept", where="n < 300") >> op.DiscardSink("sink")
    with Graph.build("dropping", source).start(any_engine, RunOptions()) as job:
        status = job.wait()
    assert (status.operators["kept"]["packets_out"], status.operators["kept"]["dropped"]) == (300, 700)
    assert job.report()["operators"]["kept"]["dropped"] == 700


def test_report_has_the_fields_of_the_format_page(any_engine: Engine) -> None:
    with packets(count=5000).start(any_engine, RunOptions()) as job:
        job.wait()
        report = job.report()
    assert set(report) >= {"graph", "on", "elapsed_s", "first_packet_s", "measured_s", "operators", "links", "latency_ms",
                           "resources"}
    assert set(report["operators"]["relay"]) >= {"packets_in", "packets_out", "errors", "late", "dropped"}
    assert set(report["links"]["source->relay"]) >= {
        "packets", "bytes", "bytes_on_wire", "segments", "flushes_full", "flushes_timer", "flushes_early",
        "compressed_segments", "paused_ms"}
    assert set(report["latency_ms"]["sink"]) >= {"p50", "p95", "p99", "p999", "max"}


@pytest.mark.parametrize("mode", ["drain", "now"])
def test_stop_ends_an_endless_job(relay: Any, mode: str) -> None:
    relay.stop(mode)
    assert relay.wait(timeout_s=20).state == "stopped"


def test_drain_loses_nothing(any_engine: Engine) -> None:
    with packets().start(any_engine, RunOptions()) as job:
        while not job.counters.operators.get("sink", {}).get("packets_in"):
            job.poll(0.05)
        job.stop()
        operators = job.wait().operators
    assert operators["source"]["packets_out"] == operators["sink"]["packets_in"] > 0


@pytest.mark.refused("service", "not used with a service: duration_s")
def test_duration_ends_the_sources(any_engine: Engine) -> None:
    with packets(rate_per_s=1000).start(any_engine, RunOptions(duration_s=0.2)) as job:
        status = job.wait()
    assert status.state == "done"
    assert status.operators["sink"]["packets_in"] == status.operators["source"]["packets_out"]


def test_a_schedule_can_be_changed_while_it_runs(relay: Any) -> None:
    relay.set_schedule("relay", {"type": "periodic", "every_ms": 5})
    with pytest.raises(DespinaError):
        relay.set_schedule("nobody", {"type": "data"})
    with pytest.raises(DespinaError, match="fused"):
        relay.set_schedule("sink", {"type": "data"})


def test_a_source_that_is_held_makes_nothing_until_it_may_go(relay: Any) -> None:
    def made() -> int:
        before = relay.counters.elapsed_s
        while (status := relay.poll(0.05)).elapsed_s == before:     # viewers of a service share a status for a moment
            pass
        return int(status.operators["source"]["packets_out"])

    while not made():
        pass
    assert [(one.operator, one.instance, one.ok) for one in relay.control("hold")] == [("source", 0, True)]
    before = -1
    while made() > before:      # what was on its way
        before = made()
    assert made() == before
    relay.control("go", "source")
    while made() == before:
        pass


def test_open_windows_give_their_rows_when_told_and_go_on(any_engine: Engine) -> None:
    def windows(source: Any) -> None:
        sums = op.Aggregate("sums", window=op.TumblingWindow(size_ms=60_000), select=["count(*) AS n", "sum(n) AS sum"])
        source >> sums >> op.CollectSink("sink")

    told = threading.Event()

    def rows() -> Iterator[dict[str, Any]]:
        yield from (reading(n) for n in range(10))
        told.wait(60)
        yield reading(10)

    graph = readings(windows, event_time=op.EventTime(column="ts", max_delay_ms=500), accept=["late"])
    with graph.start(any_engine, RunOptions(), inputs={"readings": rows()}) as job:
        while job.poll(0.05).operators.get("sums", {}).get("packets_in", 0) < 10:
            pass
        assert [one.operator for one in job.control("fire")] == ["sums"]
        assert next(job.batches()).to_pylist() == [{"n": 10, "sum": 45}]
        of_sums = job.poll().operators["sums"]
        came_to = dt.datetime.fromtimestamp(of_sums["watermark_us"] / 1e6, dt.UTC)
        assert came_to == reading(9)["ts"] - dt.timedelta(milliseconds=500)
        assert of_sums["state_bytes"] > 0
        assert "watermark_us" not in job.counters.operators["readings"]
        with pytest.raises(RefusedError, match="does not know"):
            job.control("fire", "readings")
        answer, = job.control("fire", "sums", "soon")
        assert not answer.ok
        assert "soon" in answer.answer
        told.set()
        assert job.rows().to_pylist() == [{"n": 11, "sum": 55}]


def test_what_nobody_knows_is_refused_before_anything_is_done(relay: Any) -> None:
    for command, operator, words in (("fyre", "sink", "did you mean `fire`"), ("fire", "rely", "did you mean `relay`"),
                                     ("fire", "relay", "it knows flush, move, set_schedule, status, sync"),
                                     ("reload", None, "no operator of packets")):
        with pytest.raises(RefusedError, match=words):
            relay.control(command, operator)


def test_console_lines_arrive(any_engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    with numbers(3, "console_sink").start(any_engine, RunOptions()) as job:
        job.wait()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[-3:]] == [["0", "|", "0"], ["1", "|", "2"], ["2", "|", "4"]]


@pytest.mark.refused("service", "a job numbers is ")     # a name is one job's
def test_several_jobs_run_at_once(any_engine: Engine) -> None:
    jobs = [numbers(2000).start(any_engine, RunOptions()) for _ in range(3)]
    assert [len(job.rows()) for job in jobs] == [2000] * 3


def test_the_gateway_answers_several_threads(any_engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: any_engine.version()["java"], range(40)))
    assert len(set(answers)) == 1


def test_parameters_are_filled_in_and_missed(any_engine: Engine) -> None:
    graph = numbers()
    text = graph.text.replace('"name": "numbers"', '"name": "numbers", "parameters": {"n": {}}').replace("1000", '"${n}"')
    graph = Graph(text, graph.file)
    with graph.start(any_engine, RunOptions({"n": 7})) as job:
        assert len(job.rows()) == 7
    with pytest.raises(GraphError, match="n"):
        graph.start(any_engine, RunOptions())


def test_a_failing_expression_fails_the_job_by_name(any_engine: Engine) -> None:
    source = op.GeneratorSource("source", rows=op.SelectRows(select=["id AS n"]), count=10)
    source >> op.Project("divided", select=["1 / (n - 5) AS q"]) >> op.CollectSink("sink")
    with pytest.raises(JobError) as raised, Graph.build("g", source).start(any_engine, RunOptions()) as job:
        job.wait()
    assert "divided" in str(raised.value)


def test_an_unknown_job_is_an_error_not_a_crash(any_engine: Engine) -> None:
    with pytest.raises(DespinaError):
        any_engine.status("no-such-job")
    assert any_engine.collected("no-such-job", "sink") == b""


def test_unknown_options_are_refused(any_engine: Engine) -> None:
    with pytest.raises(DespinaError, match="colour"):
        any_engine.run("{}", "g", {"colour": "blue"})
