"""The same suite over every driver: what Python may rely on of the gateway."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from despina import operators as op
from despina.engine import Engine
from despina.errors import DespinaError, GraphError, JobError
from despina.graph import Graph, RunOptions


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


def test_console_lines_arrive(any_engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    with numbers(3, "console_sink").start(any_engine, RunOptions()) as job:
        job.wait()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[-3:]] == [["0", "|", "0"], ["1", "|", "2"], ["2", "|", "4"]]


def test_several_jobs_run_at_once(any_engine: Engine) -> None:
    jobs = [numbers(2000).start(any_engine, RunOptions()) for _ in range(3)]
    assert [len(job.rows()) for job in jobs] == [2000] * 3


def test_the_gateway_answers_several_threads(any_engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: any_engine.version()["java"], range(40)))
    assert len(set(answers)) == 1


def test_parameters_are_filled_in_and_missed(any_engine: Engine) -> None:
    graph = numbers()
    graph.text = graph.text.replace('"name": "numbers"', '"name": "numbers", "parameters": {"n": {}}').replace("1000", '"${n}"')
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
