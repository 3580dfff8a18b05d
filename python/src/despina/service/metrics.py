"""What ``/metrics`` gives: the counters of one look at every job, each declared here once.

Counters are those of the job's present start: one that begins again begins at 0, as Prometheus expects, and
``despina_job_starts`` tells. Nothing is told per instance, key or run, which would make series without end.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from despina.service.served import ServedJob
from despina.service.store import ENDED, Real
from despina.version import VERSION

PACK_FROM_BYTES = 4096
AGE_S = 1.5
"""How old the counters of a job may be: whoever records how it goes asks each second, so that a scrape need not."""
JOB = ("despina_job", "graph")
STATES: tuple[str, ...] = get_args(Real)


@dataclass(frozen=True)
class Declared:
    """A metric: what a value of the status is called outside.

    :ivar name: without ``_total``, which a counter gets
    :ivar key: in the status
    :ivar unit: the status's value times this is in the base unit of the name
    :ivar of: what of the value is told: a list has one for each task
    """

    name: str
    kind: Literal["counter", "gauge"]
    doc: str
    key: str
    unit: float = 1.0
    of: Literal["value", "sum", "count"] = "value"


OPERATORS = (
    Declared("despina_operator_packets_in", "counter", "Packets that an operator has taken in.", "packets_in"),
    Declared("despina_operator_packets_out", "counter", "Packets that an operator has given out.", "packets_out"),
    Declared("despina_operator_errors", "counter", "Bad records that were skipped or went to port errors.", "errors"),
    Declared("despina_operator_late", "counter", "Packets that came after their window or time had been closed.", "late"),
    Declared("despina_operator_dropped", "counter", "Packets written to a port that nothing is linked to.", "dropped"),
    Declared("despina_operator_state_bytes", "gauge", "Memory that an operator's state takes.", "state_bytes"),
    Declared("despina_operator_watermark_seconds", "gauge", "How far event time has come there, since 1970.", "watermark_us",
             1e-6),
    Declared("despina_operator_tasks", "gauge", "How many tasks an operator has.", "busy_ms", of="count"),
    Declared("despina_operator_busy_seconds", "counter", "For how long its tasks have run, all together.", "busy_ms", 0.001,
             "sum"),
    Declared("despina_operator_paused_seconds", "counter", "For how long they have waited for room in a link, all together.",
             "paused_ms", 0.001, "sum"),
    Declared("despina_operator_latency_p50_seconds", "gauge",
             "Within which time half of the packets of the last ten seconds came to a sink.", "latency_p50_ms", 0.001),
    Declared("despina_operator_latency_p99_seconds", "gauge", "The same of 99 % of them.", "latency_p99_ms", 0.001),
    Declared("despina_operator_latency_max_seconds", "gauge", "The same of all of them.", "latency_max_ms", 0.001),
    Declared("despina_operator_behind_records", "gauge", "Records that wait for a source at the server that it reads from.",
             "behind_records"),
    Declared("despina_operator_behind_bytes", "gauge", "Bytes that have come to a source and that it has not sent on.",
             "behind_bytes"),
)
LINKS = (
    Declared("despina_link_packets", "counter", "Packets that have passed a link.", "packets"),
    Declared("despina_link_bytes", "counter", "Their bytes before compression, between processes and tasks.", "bytes"),
    Declared("despina_link_wire_bytes", "counter", "Bytes that travelled between processes, as they were compressed.",
             "bytes_on_wire"),
    Declared("despina_link_queued_bytes", "gauge", "Bytes that wait in the queues of a link.", "queued_bytes"),
    Declared("despina_link_capacity_bytes", "gauge", "Bytes at which all of these queues would be full.", "capacity_bytes"),
    Declared("despina_link_fill_ratio", "gauge", "How full its fullest queue is, 0 to 1.", "fill"),
    Declared("despina_link_senders", "gauge", "How many tasks send along a link.", "senders"),
    Declared("despina_link_paused", "gauge", "1 while a sender waits for the receiver.", "paused"),
    Declared("despina_link_paused_seconds", "counter", "For how long its senders have waited, all together.", "paused_ms", 0.001),
)
RESOURCES = (
    Declared("despina_resource_cpu_seconds", "counter", "Processor time of a process.", "cpu_s"),
    Declared("despina_resource_resident_bytes", "gauge", "Memory of a process.", "memory_bytes"),
)
SINKS = (
    Declared("despina_collected_rows", "counter", "Rows that have reached a collect_sink.", "rows"),
    Declared("despina_collected_waiting_bytes", "gauge", "Rows of it that nobody has taken yet.", "waiting_bytes"),
)
EPOCHS = (
    Declared("despina_epoch_complete", "gauge", "The number of the last complete epoch.", "complete"),
    Declared("despina_epoch_age_seconds", "gauge", "How old that is.", "age_s"),
    Declared("despina_epoch_duration_seconds", "gauge", "How long it took from its beginning until it was kept.", "took_ms",
             0.001),
    Declared("despina_epoch_state_bytes", "gauge", "Bytes of the state that it has.", "bytes"),
    Declared("despina_epoch_dropped", "counter", "Epochs that could not be completed.", "dropped"),
)
JOBS = (
    Declared("despina_job_elapsed_seconds", "gauge", "For how long it runs since its present start.", "elapsed_s"),
    Declared("despina_job_attempt", "gauge", "The number of its attempt, which grows when it goes on after a loss.", "attempt"),
    Declared("despina_job_restarts", "counter", "How often it went on by itself after the loss of a process.", "restarts"),
    Declared("despina_job_undelivered_packets", "gauge", "Packets in flight that a stop has dropped.", "undelivered"),
    Declared("despina_job_held_packets", "gauge", "Packets in operators whose rows had not left when it was stopped.", "held"),
)
GROUPS: tuple[tuple[Sequence[Declared], str, Callable[[Mapping[str, Any]], Mapping[str, Mapping[str, Any]]]], ...] = (
    (JOBS, "", lambda status: {"": status}),
    (EPOCHS, "", lambda status: {"": status["epoch"]} if status.get("epoch") else {}),
    (OPERATORS, "operator", lambda status: status.get("operators") or {}),
    (LINKS, "link", lambda status: status.get("links") or {}),
    (SINKS, "operator", lambda status: status.get("collected") or {}),
    (RESOURCES, "resource", lambda status: status.get("resources") or {}),
)
"""What is declared, the label of its parts, and where these are in the status."""


class Snapshot(Collector):
    """One look at all jobs."""

    def __init__(self, jobs: Sequence[ServedJob], missing: str) -> None:
        """Asks each job how it stands.

        :param missing: why no job can run; empty if one can
        """
        self._missing = missing
        self._jobs = [(job.record.with_changes(real=job.state), _of(job)) for job in jobs]

    def describe(self) -> Iterable[Metric]:
        """Nothing: it would be another look."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """All metrics."""
        yield from self._of_service()
        for declared, label, parts in GROUPS:
            labels = (*JOB, label) if label else JOB
            found = [(self._labels(record, status, name if label else None), part) for record, status in self._jobs
                     for name, part in parts(status).items()]
            for each in declared:
                yield _family(each, labels, found)
        yield from self._of_functions()

    def lines(self, openmetrics: bool) -> Iterator[str]:
        """The text of all of them, as the library's encoders write it. These make an object of each sample and escape its labels
        anew; here those of a part are written once, and most samples are a line and nothing else.
        """
        yield from _lines(self._of_service(), openmetrics)
        jobs = [_inside(dict(zip(JOB, self._labels(record, status), strict=True))) for record, status in self._jobs]
        for declared, label, parts in GROUPS:
            found = [(f'{{{job},{label}="{name.translate(_ESCAPED)}"}}' if label else f"{{{job}}}", part)
                     for job, (_, status) in zip(jobs, self._jobs, strict=True) for name, part in parts(status).items()]
            for each in declared:
                yield _texts(each, found, openmetrics)
        yield from _lines(self._of_functions(), openmetrics)
        if openmetrics:
            yield "# EOF\n"

    def _of_service(self) -> Iterator[Metric]:
        yield InfoMetricFamily("despina_build", "The version of Despina.", {"version": VERSION})
        yield GaugeMetricFamily("despina_service_ready", "Whether jobs can run.", float(not self._missing))
        yield from self._of_records()

    def _labels(self, record: Any, status: Mapping[str, Any], part: str | None = None) -> list[str]:
        return [record.name, str(status.get("graph") or ""), *([] if part is None else [part])]

    def _of_records(self) -> Iterator[Metric]:
        state = GaugeMetricFamily("despina_job_state", "1 for the state that a job is in.", labels=[*JOB, "state"])
        wanted = GaugeMetricFamily("despina_job_wanted", "1 if a job is wanted running.", labels=JOB)
        starts = GaugeMetricFamily("despina_job_starts", "How often a run was started, by a user or after a loss.", labels=JOB)
        for record, status in self._jobs:
            labels = self._labels(record, status)
            for each in STATES:
                state.add_metric([*labels, each], float(record.real == each))
            wanted.add_metric(labels, float(record.wanted == "running"))
            starts.add_metric(labels, record.starts)
        yield from (state, wanted, starts)

    def _of_functions(self) -> Iterator[Metric]:
        own = CounterMetricFamily("despina_operator_function_count", "What a Python function counts itself.",
                                  labels=[*JOB, "operator", "counter"])
        for record, status in self._jobs:
            for operator, counters in (status.get("operators") or {}).items():
                for name, count in (counters.get("counters") or {}).items():
                    own.add_metric([*self._labels(record, status, operator), name], count)
        yield own


def _of(job: ServedJob) -> Mapping[str, Any]:
    """Its status. That of a job that was lost is from before, when it had processes."""
    status = job.status(AGE_S) or {}
    return {**status, "resources": {}} if job.record.ended or status.get("state") in ENDED else status


def _family(declared: Declared, labels: Sequence[str], found: Sequence[tuple[list[str], Mapping[str, Any]]]) -> Metric:
    made = CounterMetricFamily if declared.kind == "counter" else GaugeMetricFamily
    family = made(declared.name, declared.doc, labels=labels)
    for values, part in found:
        value = part.get(declared.key)
        if value is not None:
            family.add_metric(values, _told(declared, value) * declared.unit)
    return family


def _told(declared: Declared, value: Any) -> float:
    return float(value if declared.of == "value" else sum(value) if declared.of == "sum" else len(value))


def _texts(declared: Declared, found: Sequence[tuple[str, Mapping[str, Any]]], openmetrics: bool) -> str:
    """The lines of one metric."""
    total = declared.name + ("_total" if declared.kind == "counter" else "")
    key, is_plain = declared.key, declared.of == "value" and declared.unit == 1.0
    told = [_head(declared.name if openmetrics else total, declared.doc, declared.kind)]
    for block, part in found:
        value = part.get(key)
        if value is None:
            continue
        if not is_plain or type(value) is not int:
            number = _told(declared, value) * declared.unit
            value = int(number) if number == number // 1 else number
        told.append(f"{total}{block} {value}\n")
    return "".join(told)


def _lines(metrics: Iterable[Metric], openmetrics: bool) -> Iterator[str]:
    """The same of metrics that are few."""
    for metric in metrics:
        kind, ending = metric.type, {"counter": "_total", "info": "_info"}.get(metric.type, "")
        yield _head(metric.name if openmetrics else metric.name + ending, metric.documentation,
                    "gauge" if kind == "info" and not openmetrics else kind)
        for sample in metric.samples:
            value = sample.value
            yield f"{sample.name}{_block(sample.labels)} {int(value) if value == value // 1 else value}\n"


def _head(name: str, doc: str, kind: str) -> str:
    return f"# HELP {name} {doc}\n# TYPE {name} {kind}\n"


_ESCAPED = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r'\"'})


def _block(labels: Mapping[str, str]) -> str:
    return f"{{{_inside(labels)}}}" if labels else ""


def _inside(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in labels.items())


def page(snapshot: Snapshot, accept: str, accepted_encoding: str) -> tuple[bytes, dict[str, str]]:
    """The text of a scrape, in the form that the client takes, and the headers that say so."""
    _, kind = choose_encoder(accept)
    body = "".join(snapshot.lines("openmetrics" in kind)).encode()
    headers = {"content-type": kind, "vary": "Accept-Encoding"}
    if len(body) >= PACK_FROM_BYTES and "gzip" in accepted_encoding:
        body = gzip.compress(body, 1)
        headers["content-encoding"] = "gzip"
    return body, headers
