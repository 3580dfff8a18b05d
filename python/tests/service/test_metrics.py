"""What ``/metrics`` gives."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain

from despina.service import metrics
from despina.service.metrics import Snapshot, page
from despina.service.store import Record
from support.processes import until
from support.service import Service

COUNTERS = {"packets_in": 5, "packets_out": 4, "errors": 1, "late": 2, "dropped": 3, "held": 0, "open_windows": 0,
            "state_bytes": 4096, "watermark_us": 1_700_000_000_500_000, "busy_ms": [1500, 500], "paused_ms": [0, 250],
            "latency_p50_ms": 1.5, "latency_p99_ms": 20.0, "latency_max_ms": 21.0, "behind_records": 12, "behind_bytes": 0}
LINK = {"packets": 5, "bytes": 50, "bytes_on_wire": 20, "queued_bytes": 7, "capacity_bytes": 65536, "fill": 0.25, "senders": 2,
        "paused": True, "paused_ms": 1500}


def status(operators: int = 1) -> dict[str, Any]:
    return {"graph": 'a "graph"\\\n', "state": "running", "elapsed_s": 2.5, "attempt": 2, "restarts": 1,
            "undelivered": 0, "held": 0, "epoch": {"complete": 9, "age_s": 0.5, "took_ms": 20, "bytes": 1000, "dropped": 0},
            "operators": {f"o{n}": COUNTERS for n in range(operators)} | {"f": {**COUNTERS, "counters": {"odd": 7}}},
            "links": {f"o{n}->p": LINK for n in range(operators)}, "collected": {"rows": {"rows": 3, "waiting_bytes": 30}},
            "resources": {"hot_1": {"pid": 7, "cpu_s": 2.5, "memory_bytes": 1000}, "late": {"pid": 8}}}


def look(found: dict[str, Any] | None, **record: Any) -> Snapshot:
    about = Record("hot", 1, "g.json", **{"real": "running", "starts": 3, **record})
    job = SimpleNamespace(record=about, state=about.real, status=lambda at_most_s: found)
    return Snapshot([cast(Any, job)], "")


def text(snapshot: Snapshot, accept: str = "") -> str:
    return page(snapshot, accept, "")[0].decode()


def value(families: Any, name: str, **labels: str) -> float:
    found = [sample.value for family in families for sample in family.samples
             if sample.name == name and labels.items() <= sample.labels.items()]
    assert len(found) == 1, (name, labels, found)
    return float(found[0])


def test_a_job_that_was_lost_has_no_processes() -> None:
    assert "despina_resource_resident_bytes{" in text(look(status()))
    assert "despina_resource_resident_bytes{" not in text(look(status(), real="lost"))


def test_each_counter_is_there_in_base_units_with_its_labels() -> None:
    families = list(plain(text(look(status()))))
    assert value(families, "despina_operator_packets_in_total", operator="o0", despina_job="hot", graph='a "graph"\\\n') == 5
    assert value(families, "despina_operator_state_bytes", operator="o0") == 4096
    assert value(families, "despina_operator_watermark_seconds", operator="o0") == 1_700_000_000.5
    assert value(families, "despina_link_paused_seconds_total", link="o0->p") == 1.5
    assert value(families, "despina_link_paused", link="o0->p") == 1
    assert value(families, "despina_link_fill_ratio", link="o0->p") == 0.25
    assert value(families, "despina_operator_tasks", operator="o0") == 2
    assert value(families, "despina_operator_busy_seconds_total", operator="o0") == 2
    assert value(families, "despina_operator_paused_seconds_total", operator="o0") == 0.25
    assert value(families, "despina_operator_latency_p99_seconds", operator="o0") == 0.02
    assert value(families, "despina_operator_behind_records", operator="o0") == 12
    assert value(families, "despina_epoch_duration_seconds") == 0.02
    assert value(families, "despina_operator_function_count_total", operator="f", counter="odd") == 7
    assert value(families, "despina_collected_waiting_bytes", operator="rows") == 30
    assert value(families, "despina_job_starts") == 3
    assert value(families, "despina_job_state", state="running") == 1
    assert sum(sample.value for family in families if family.name == "despina_job_state" for sample in family.samples) == 1
    declared = {each.name for group, _, _ in metrics.GROUPS for each in group}
    assert declared <= {family.name for family in families}


@pytest.mark.parametrize(("accept", "parse"), [("", plain), ("application/openmetrics-text;version=1.0.0", openmetrics)])
def test_the_text_says_what_the_librarys_says(accept: str, parse: Any) -> None:
    snapshot = look(status(2))
    registry = CollectorRegistry()
    registry.register(snapshot)
    encode, kind = choose_encoder(accept)
    ours, headers = page(snapshot, accept, "")
    assert headers["content-type"] == kind
    assert list(parse(ours.decode())) == list(parse(encode(registry).decode()))


def test_labels_have_no_run_no_instance_and_no_process() -> None:
    names = {label for family in plain(text(look(status()))) for sample in family.samples for label in sample.labels}
    assert names == {"despina_job", "graph", "operator", "link", "resource", "state", "counter", "version"}


def test_a_job_that_has_not_started_yet_has_its_state_alone() -> None:
    families = list(plain(text(look(None, real="submitted"))))
    assert value(families, "despina_job_state", state="submitted") == 1
    assert not [sample for family in families if family.name == "despina_operator_packets_in" for sample in family.samples]


def test_processes_are_told_as_far_as_they_are_known_and_while_they_run() -> None:
    families = list(plain(text(look(status()))))
    assert value(families, "despina_resource_cpu_seconds_total") == 2.5
    assert value(families, "despina_resource_resident_bytes", resource="hot_1") == 1000
    assert "despina_resource_resident_bytes{" not in text(look({**status(), "state": "done"}, real="done"))


def test_openmetrics_is_given_to_whoever_asks_for_it() -> None:
    accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"
    body, headers = page(look(status()), accept, "")
    assert headers["content-type"].startswith("application/openmetrics-text")
    families: Any = openmetrics(body.decode())      # type: ignore[no-untyped-call]
    assert value(list(families), "despina_operator_errors_total", operator="o0") == 1


def test_a_large_page_is_packed_for_whoever_takes_that() -> None:
    snapshot = look(status(200))
    packed, headers = page(snapshot, "", "gzip, deflate")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed).decode() == text(snapshot)
    assert len(packed) < len(text(snapshot)) / 5


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Debian's package prometheus judges the names")
def test_promtool_has_nothing_to_say() -> None:
    found = subprocess.run(["promtool", "check", "metrics"], input=text(look(status())), text=True, capture_output=True,
                           check=False)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


def test_a_scrape_wants_a_token_and_says_whether_jobs_can_run(service: Service) -> None:
    service.submit()
    assert service.client.get("/metrics").status_code == 401
    headers = {"authorization": f"Bearer {service.secrets['view']}"}
    answer = service.client.get("/metrics", headers=headers)
    families = list(plain(answer.text))
    assert value(families, "despina_job_state", despina_job="numbers", state="running") == 1
    assert value(families, "despina_service_ready") == 1
    service.coordinator.close()
    assert value(list(plain(service.client.get("/metrics", headers=headers).text)), "despina_service_ready") == 0


def test_the_command_tells_the_processes_of_a_job_that_runs(service: Service, url: str,
                                                            despina: Callable[..., tuple[int, str, str]]) -> None:
    service.submit()
    service.engine.named().counters = {"resources": {"numbers_1": {"pid": 7, "cpu_s": 2.5, "memory_bytes": 1_000_000}}}
    until(lambda: (service.jobs.one("numbers").status(0.0) or {})["resources"], "process")
    assert "process: numbers_1, 7, -, 1 MB\n" in despina("status", "numbers", "--service", url)[1]
    service.engine.become("done")
    service.until("numbers", "done")
    assert "process:" not in despina("status", "numbers", "--service", url)[1]
