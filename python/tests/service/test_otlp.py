"""What a collector of OpenTelemetry gets."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otlp")
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from despina.errors import RefusedError
from despina.service import otlp
from despina.service.metrics import Snapshot
from despina.service.otlp import Otlp
from support.processes import until
from support.service import Service

COUNTERS = {"packets_in": 7, "packets_out": 5, "errors": 1, "busy_ms": [1500]}
KINDS: dict[str, Any] = {"/v1/metrics": ExportMetricsServiceRequest, "/v1/logs": ExportLogsServiceRequest,
                         "/v1/traces": ExportTraceServiceRequest}


class Collector:
    """Takes what is sent, unless it is sick."""

    def __init__(self) -> None:
        self.taken: dict[str, list[Any]] = {path: [] for path in KINDS}
        self.status = 200
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                if collector.status == 200:
                    collector.taken[self.path].append(KINDS[self.path].FromString(body))
                self.send_response(collector.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def metrics(self) -> dict[str, Any]:
        """Those of the last request, by name."""
        return {metric.name: metric for resource in self.taken["/v1/metrics"][-1].resource_metrics
                for scope in resource.scope_metrics for metric in scope.metrics}

    def logs(self) -> list[Any]:
        return [record for request in self.taken["/v1/logs"] for resource in request.resource_logs
                for scope in resource.scope_logs for record in scope.log_records]

    def spans(self) -> list[Any]:
        return [span for request in self.taken["/v1/traces"] for resource in request.resource_spans
                for scope in resource.scope_spans for span in scope.spans]


def attributes(told: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in told.attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def told() -> list[str]:
    """What the service says of its collector."""
    return []


@pytest.fixture
def sends(service: Service, collector: Collector, told: list[str]) -> Otlp:
    made = Otlp(collector.url, "/srv", lambda: Snapshot(service.jobs.all(), ""), service.jobs.all, told.append)
    service.jobs.events.listener = made.happened
    return made


def test_metrics_have_their_names_labels_units_and_the_start_of_counters(service: Service, collector: Collector,
                                                                         sends: Otlp) -> None:
    service.submit()
    service.engine.named().counters = {"graph": "g", "operators": {"a": COUNTERS}}
    until(lambda: (service.jobs.one("numbers").status(0.0) or {})["operators"], "counters")
    assert sends.send()
    found = collector.metrics()
    point, = found["despina_operator_packets_in"].sum.data_points
    assert (point.as_double, attributes(point)) == (7.0, {"despina_job": "numbers", "graph": "g", "operator": "a"})
    assert found["despina_operator_packets_in"].sum.is_monotonic
    assert 0 < point.start_time_unix_nano < point.time_unix_nano
    assert found["despina_operator_busy_seconds"].unit == "s"
    assert found["despina_operator_busy_seconds"].sum.data_points[0].as_double == 1.5
    states = {attributes(each)["state"]: each.as_double for each in found["despina_job_state"].gauge.data_points}
    assert states["running"] == 1.0
    assert sends.send()
    assert collector.metrics()["despina_operator_packets_in"].sum.data_points[0].start_time_unix_nano \
        == point.start_time_unix_nano, "else each look were a restart"
    resource = attributes(collector.taken["/v1/metrics"][-1].resource_metrics[0].resource)
    assert (resource["service.name"], resource["service.instance.id"].endswith(":/srv")) == ("despina", True)


def test_a_job_that_was_started_again_counts_from_another_time(service: Service, collector: Collector, sends: Otlp) -> None:
    def begun() -> int:
        assert sends.send()
        return int(collector.metrics()["despina_operator_packets_in"].sum.data_points[0].start_time_unix_nano)
    service.submit()
    service.engine.named().counters = {"operators": {"a": COUNTERS}, "attempt": 1}
    until(lambda: (service.jobs.one("numbers").status(0.0) or {})["operators"], "counters")
    first = begun()
    service.engine.named().counters = {"operators": {"a": COUNTERS}, "attempt": 2, "elapsed_s": 0.0}
    until(lambda: (service.jobs.one("numbers").status(0.0) or {})["attempt"] == 2, "attempt")
    assert begun() > first


def test_what_happens_is_a_log_and_each_attempt_a_span(service: Service, collector: Collector, sends: Otlp) -> None:
    service.submit()
    service.engine.become("restarting")
    service.until("numbers", "restarting")
    service.engine.become("running")
    service.until("numbers", "running")
    service.engine.become("failed", rule="job", message="no more")
    service.until("numbers", "failed")
    sends.close()
    logs = [(each.severity_text, each.body.string_value, attributes(each)) for each in collector.logs()]
    about = {"despina.job": "numbers", "despina.run": 1}
    assert logs[0] == ("info", "submitted", {**about, "despina.who": "admin2"})
    assert [level for level, _, _ in logs] == ["info", "info", "warning", "info", "error"]
    assert logs[-1] == ("error", "failed: no more", about)
    assert collector.logs()[-1].event_name == "despina.failed"
    first, second = collector.spans()
    assert (first.name, attributes(first)["despina.attempt"], attributes(first)["despina.state"]) == (
        "attempt of numbers", 1, "restarting")
    assert (attributes(second)["despina.attempt"], second.status.code, second.status.message) == (2, 2, "failed: no more")
    assert first.start_time_unix_nano < first.end_time_unix_nano <= second.start_time_unix_nano < second.end_time_unix_nano


def test_a_save_is_a_log_and_no_span(service: Service, collector: Collector, sends: Otlp) -> None:
    service.ask("PUT", "/graphs/hot", {"text": "{}", "comment": "first"})
    sends.close()
    log, = collector.logs()
    assert attributes(log) == {"despina.kind": "graph", "despina.name": "hot", "despina.revision": 1, "despina.who": "admin2"}
    assert collector.spans() == []


def test_a_collector_that_is_away_is_told_once_and_so_is_its_return(service: Service, collector: Collector, sends: Otlp,
                                                                    told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp, "EVERY_S", 0.01)
    collector.status = 400
    sends.begin()
    until(lambda: told, "word of it")
    collector.status = 200
    until(lambda: len(told) == 2, "word of its return")
    sends.close()
    assert told == ["the collector of --otlp takes no metrics", "the collector of --otlp takes metrics again"]


def test_a_look_that_fails_is_told_and_not_the_last(collector: Collector, told: list[str],
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp, "EVERY_S", 0.01)
    looks: list[int] = []

    def snapshot() -> Snapshot:
        looks.append(1)
        if len(looks) < 3:
            raise ValueError("odd")
        return Snapshot([], "")
    sends = Otlp(collector.url, "/srv", snapshot, list, told.append)
    sends.begin()
    until(lambda: len(told) == 2, "metrics after all")
    sends.close()
    assert told == ["the collector of --otlp takes no metrics: ValueError: odd", "the collector of --otlp takes metrics again"]


def test_the_end_of_the_service_ends_the_spans_of_what_runs(service: Service, collector: Collector, sends: Otlp) -> None:
    service.submit()
    service.until("numbers", "running")
    sends.close()
    span, = collector.spans()
    assert (attributes(span)["despina.attempt"], attributes(span)["despina.state"]) == (1, "service_ended")


@pytest.mark.parametrize("url", ["127.0.0.1:4318", "ftp://a", "http://", "http://user:secret@a", "http://a?x=1"])
def test_what_is_no_address_is_refused(service: Service, url: str) -> None:
    with pytest.raises(RefusedError, match="no address of a collector") as raised:
        Otlp(url, "/srv", lambda: Snapshot([], ""), list)
    assert "secret" not in str(raised.value)
