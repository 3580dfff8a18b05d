"""``serve --otlp URL``: what the service knows, sent to a collector of OpenTelemetry by its own exporter over HTTP.

Metrics are those of ``/metrics``, under the same names; what happens to jobs is told as logs, with who asked for it; and each
attempt of a job is a span, from its start to its end. A collector that is away costs nothing but what was to be told meanwhile.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Span, Status, StatusCode
from prometheus_client.core import Metric as Family

from despina.errors import RefusedError
from despina.service.history import Told
from despina.service.metrics import AGE_S, Snapshot
from despina.service.served import ServedJob
from despina.service.store import ENDED
from despina.version import VERSION

EVERY_S = 10.0
TIMEOUT_S = 5
"""How long the collector may take for one request."""
CLOSE_S = 6.0
"""How long the last requests of all kinds may take, all together."""
SEVERITIES = {"info": SeverityNumber.INFO, "warning": SeverityNumber.WARN, "error": SeverityNumber.ERROR}
UNITS = {"seconds": "s", "bytes": "By", "ratio": "1"}
SCOPE = "despina.service"


class Otlp:
    """Sends, from threads of its own, until it is closed."""

    def __init__(self, url: str, folder: str, snapshot: Callable[[], Snapshot], jobs: Callable[[], Iterable[ServedJob]],
                 tell: Callable[[str], None] = lambda words: None) -> None:
        """:param url: of the collector, as ``http://127.0.0.1:4318``
        :param folder: the service's, by which its instances are told apart
        :param tell: called when the collector does not take metrics any more, and when it does again

        :raise RefusedError: this is no address
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            told = "" if "@" in url else f" {url!r}"        # what stands before it may be a secret
            raise RefusedError("option", f"--otlp{told} is no address of a collector",
                               "for example http://127.0.0.1:4318; headers and certificates are taken from the environment, "
                               "OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_CERTIFICATE")
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)       # it tells each failure; we tell the first
        base = url.rstrip("/")
        self._snapshot = snapshot
        self._jobs = jobs
        self._tell = tell
        self._resource = Resource.create({"service.name": "despina", "service.version": VERSION,
                                          "service.instance.id": f"{socket.gethostname()}:{folder}"})
        self._metrics = OTLPMetricExporter(f"{base}/v1/metrics", timeout=TIMEOUT_S)
        self._logs = LoggerProvider(self._resource, shutdown_on_exit=False)
        self._logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{base}/v1/logs", timeout=TIMEOUT_S)))
        self._logger = self._logs.get_logger(SCOPE, VERSION)
        self._traces = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        self._traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", timeout=TIMEOUT_S)))
        self._attempts = Attempts(self._traces.get_tracer(SCOPE, VERSION).start_span)
        self._starts = Starts()
        self._taken = True
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="despina-otlp", daemon=True)

    def begin(self) -> None:
        """Starts to send metrics."""
        self._thread.start()

    def happened(self, event: Told) -> None:
        """Something has happened to a job, or was saved. Sent later, by another thread."""
        self._logger.emit(timestamp=event.at_ns, observed_timestamp=event.at_ns, severity_number=SEVERITIES[event.level],
                          severity_text=event.level, body=event.text, event_name=f"despina.{event.what}",
                          attributes={f"despina.{name}": value for name, value in event.about.items() if value != ""})
        self._attempts.happened(event)

    def send(self) -> bool:
        """Sends metrics as they are now; whether the collector has taken them."""
        at_ns = time.time_ns()
        starts = self._starts.of(self._jobs(), at_ns)
        metrics = [told for family in self._snapshot().collect() if (told := metric(family, starts, at_ns)) is not None]
        scoped = ScopeMetrics(InstrumentationScope(SCOPE, VERSION), metrics, "")
        found = self._metrics.export(MetricsData([ResourceMetrics(self._resource, [scoped], "")]))
        return found is MetricExportResult.SUCCESS

    def _keep(self) -> None:
        while not self._closed.wait(EVERY_S):
            self._try()

    def _try(self) -> None:
        why = ""
        try:
            taken = self.send()
        except Exception as error:      # of an exporter, or ours: one look that fails must not be the last
            taken, why = False, f": {type(error).__name__}: {error}"
        if taken != self._taken:
            self._taken = taken
            self._tell(f"the collector of --otlp takes {'metrics again' if taken else f'no metrics{why}'}")

    def close(self) -> None:
        """Sends what is left, for some seconds at most."""
        self._closed.set()
        until = time.monotonic() + CLOSE_S
        self._attempts.close(time.time_ns())
        ends = [threading.Thread(target=end, daemon=True) for end in (self._logs.shutdown, self._traces.shutdown, self._last)]
        for each in ends:
            each.start()
        for each in ends:
            each.join(max(0.0, until - time.monotonic()))

    def _last(self) -> None:
        if self._thread.ident is not None:
            self._thread.join()
        if self._taken:
            self._try()
        self._metrics.shutdown()


class Attempts:
    """The spans of attempts, made of what happens to jobs: one begins with a start, or when a job runs again after a loss, and
    ends when it restarts or has ended, or the service ends.
    """

    def __init__(self, start: Callable[..., Span]) -> None:
        """:param start: as ``Tracer.start_span``"""
        self._start = start
        self._lock = threading.Lock()
        self._open: dict[tuple[str, int], Span] = {}       # by job and run; guarded by the lock, as the counts
        self._counts: dict[tuple[str, int], int] = {}

    def happened(self, event: Told) -> None:
        """Something has happened to a job."""
        if "job" not in event.about:
            return
        key = str(event.about["job"]), int(event.about["run"])
        with self._lock:
            if event.what == "start":
                self._counts[key] = 0
                self._begin(key, event)
            elif event.what == "running" and key not in self._open:
                self._begin(key, event)
            elif event.what == "restarting" or event.what in ENDED:
                self._end(key, event)
                if event.what in ENDED:
                    self._counts.pop(key, None)

    def close(self, at_ns: int) -> None:
        """The service ends, and with it what still runs; nothing more is told of that."""
        with self._lock:
            for span in self._open.values():
                span.set_attribute("despina.state", "service_ended")
                span.end(at_ns)
            self._open.clear()

    def _begin(self, key: tuple[str, int], event: Told) -> None:
        name, run = key
        self._counts[key] = self._counts.get(key, 0) + 1
        self._open[key] = self._start(f"attempt of {name}", start_time=event.at_ns, attributes={
            "despina.job": name, "despina.run": run, "despina.attempt": self._counts[key],
            **({"despina.who": str(event.about["who"])} if event.about.get("who") else {})})

    def _end(self, key: tuple[str, int], event: Told) -> None:
        span = self._open.pop(key, None)
        if span is not None:
            span.set_attribute("despina.state", event.what)
            if event.what in ("failed", "lost", "restarting"):
                span.set_status(Status(StatusCode.ERROR, event.text))
            span.end(event.at_ns)


class Starts:
    """Since when the counters of each job count: a collector must know when they have begun again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int, int], int]] = {}

    def of(self, jobs: Iterable[ServedJob], at_ns: int) -> Mapping[str, int]:
        """Nanoseconds since 1970, by the names of jobs."""
        known = {}
        for job in jobs:
            record = job.record
            status = job.status(AGE_S) or {}
            key = record.run, record.starts, int(status.get("attempt") or 0)
            before = self._known.get(record.name)
            known[record.name] = before if before is not None and before[0] == key else (
                key, at_ns - int(float(status.get("elapsed_s") or 0.0) * 1e9))
        self._known = known
        return {name: since for name, (_, since) in known.items()}


def metric(family: Family, starts: Mapping[str, int], at_ns: int) -> Metric | None:
    """One of Prometheus's metrics in the form of OpenTelemetry's; None if it has no value.

    :param starts: since when a counter of each job counts
    """
    samples: Sequence[Any] = family.samples
    if not samples or family.type == "info":
        return None
    is_counter = family.type == "counter"
    points = [NumberDataPoint(dict(each.labels), starts.get(each.labels.get("despina_job", ""), at_ns) if is_counter else at_ns,
                              at_ns, each.value) for each in samples]
    data = Sum(points, AggregationTemporality.CUMULATIVE, True) if is_counter else Gauge(points)
    return Metric(family.name, family.documentation, UNITS.get(family.name.rpartition("_")[2], "1"), data)
