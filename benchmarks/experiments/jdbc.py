"""Rows into and out of a PostgreSQL, beside what one would write by hand over the same driver."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from harness import engine, java, postgres
from harness.experiment import Claim, Experiment, Measured, Plan, Run, Subject
from harness.processes import RunError

APPEND, UPSERT, READ = {"of": "append"}, {"of": "upsert"}, {"of": "read"}
BARE, OURS, KEPT = "by hand", "despina", "despina, exactly once"
KEYS = 100_000
ORIGIN_ROWS = {"append": 0, "upsert": 0, "read": 15_000_000}
COLUMNS = "id BIGINT{key}, ts TIMESTAMPTZ, device TEXT, celsius DOUBLE PRECISION"
ROW = ["timestamp_micros(1700000000000000 + id * 1000) AS ts", "concat('device-', CAST(id % 1000 AS STRING)) AS device",
       "CAST(id % 977 AS DOUBLE) / 7 AS celsius"]
SPOOL_BYTES = 32 << 20
"""So that what waits in the log does not count for much."""
DRAIN_MS = 90_000
"""For what waits there, and leaves when the sources have stopped."""
MODES = {"append": "append", "upsert": "upsert", "read": "cursor"}


@contextmanager
def _server(run: Run) -> Iterator[postgres.Server]:
    with postgres.Server.running(run.lab / "postgres") as server:
        server.statement(f"CREATE TABLE readings ({COLUMNS.format(key='')}); "
                         f"CREATE TABLE latest ({COLUMNS.format(key=' PRIMARY KEY')});")
        if rows := ORIGIN_ROWS[run.point["of"]]:
            server.statement(f"CREATE TABLE origin ({COLUMNS.format(key='')}); INSERT INTO origin SELECT id, "
                             "to_timestamp(1.7e9 + id / 1e3), 'device-' || id % 1000, (id % 977) / 7.0 FROM "
                             f"generate_series(0, {rows - 1}) id; ANALYZE origin")
        yield server


def bare(run: Run) -> Measured:
    """The loop by hand."""
    jars = [str(postgres.driver_jar())]
    classes = java.compiled(run.lab, "bare_jdbc", jars)
    with _server(run) as server:
        done = subprocess.run(java.command(classes, "BareJdbc", MODES[run.point["of"]], server.url(), run.warm_up_s, run.seconds,
                                           KEYS, class_path=jars), capture_output=True, text=True, check=False,
                              timeout=run.warm_up_s + run.seconds + engine.SLACK_S)
    if done.returncode:
        raise RunError(f"the loop by hand ended with {done.returncode}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return Measured({engine.PER_S.name: found["per_s"]}, found)


def _connection(server: postgres.Server) -> dict[str, Any]:
    return {"url": server.url(), "driver": postgres.DRIVER, "user": "postgres"}


def _graph(run: Run, server: postgres.Server) -> dict[str, Any]:
    of = run.point["of"]
    source: dict[str, Any] = {"type": "generator_source", "rows": {"type": "select", "select": [
        f"id % {KEYS} AS id" if of == "upsert" else "id", *ROW]}}
    sink: dict[str, Any] = {"type": "jdbc_sink", **_connection(server), "table": "readings", "spool_bytes": SPOOL_BYTES}
    if of == "upsert":
        sink |= {"table": "latest", "mode": "upsert", "keys": ["id"]}
    if of == "read":
        source = {"type": "jdbc_source", **_connection(server), "table": "origin",
                  "schema": "id BIGINT, ts TIMESTAMP, device STRING, celsius DOUBLE"}
        sink = {"type": "discard_sink"}
    return {"format": 1, "name": f"jdbc_{of}", "operators": {"source": source, "sink": sink},
            "links": [{"from": "source", "to": "sink"}]}


def _in_a_graph(keeps: bool) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        options = ["--jar", str(postgres.driver_jar()), "--drain-ms", str(DRAIN_MS),
                   *(["--state", str(run.folder / "state")] if keeps else [])]
        with _server(run) as server:
            if run.point["of"] == "read":       # it ends by itself
                report = engine.run(engine.Command(_graph(run, server), warm_up_s=run.warm_up_s, options=options,
                                                   limit_s=engine.SLACK_S), run.folder)
            else:
                report = engine.timed(run, _graph(run, server), options=options)
        found = engine.measured(report)
        # what is stored when the job has ended, and how long that took
        stored = report["operators"]["sink"]["packets_in"] / report["measured_s"]
        return Measured({**found.values, engine.PER_S.name: stored}, report)
    return measured


def _claim(point: dict[str, str], text: str, subject: str = OURS) -> Claim:
    return Claim(text, lambda result: result.ratio("per_s", subject, BARE, point), at_least=0.8)


EXPERIMENT = Experiment(
    name="jdbc",
    doc="""A PostgreSQL on this machine, with fsync, new for each repeat; rows of a whole number, a time, a text and a double. By
    hand, in one thread over the same driver: COPY of csv text, 50,000 rows to a transaction; batches of 1,000 upserts over
    100,000 keys, which the driver makes into statements of many rows; a cursor of 1,000 rows. The graph appends, upserts or
    reads the same rows; exactly once is with a state folder and an epoch each second.""",
    subjects=(Subject(BARE, bare, 4), Subject(OURS, _in_a_graph(False), 5),
              Subject(KEPT, _in_a_graph(True), 5, at=lambda point: point["of"] != "read")),
    metrics=(engine.PER_S, engine.CPU),
    baseline=BARE,
    full=Plan([APPEND, UPSERT, READ], warm_up_s=4, seconds=6),
    quick=Plan([APPEND], repeats=1, warm_up_s=1.5, seconds=1.5),
    claims=(_claim(APPEND, "append: rows/s, of COPY by hand"),
            _claim(APPEND, "append exactly once: rows/s, of COPY by hand", KEPT),
            _claim(UPSERT, "upsert: rows/s, of batches by hand"),
            _claim(UPSERT, "upsert exactly once: rows/s, of batches by hand", KEPT),
            _claim(READ, "source: rows/s, of a cursor by hand")),
    needs=(java.compiler_needed, postgres.needed),
)
