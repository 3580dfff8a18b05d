"""What an epoch a second costs a job that keeps its state."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

WITHOUT, WITH = "without a state", "an epoch a second"
FLAT_OUT, PACED = "flat out", "paced"
RELAY, WINDOWS, FOLD = "relay of 50 B", "windows of 1,000 keys", "fold of 1,000,000 keys"
DEPLOYED = {RELAY: graphs.RELAY_APART}


def _fold(keys: int, window: graphs.Json | None, rate_per_s: int | None) -> graphs.Json:
    """Counts by key, made by a source in a task of its own."""
    source: graphs.Json = {"type": "generator_source", "rows": {"type": "select", "select": [
        "timestamp_micros(1700000000000000 + id) AS ts", f"pmod(id * 2654435761, {keys}) AS k", "id AS n"]}}
    counts: graphs.Json = {"type": "aggregate", "group_by": ["k"], "select": ["k", "count(*) AS c", "max(n) AS n"]}
    if window:
        source["event_time"] = {"column": "ts"}
        counts["window"] = window
    else:
        counts["emit"] = "each"
    if rate_per_s:
        source["rate_per_s"] = rate_per_s
    return {"format": 1, "name": "epochs", "operators": {"source": source, "fold": counts, "sink": {"type": "discard_sink"}},
            "links": [{"from": "source", "to": "fold", "fuse": False}, {"from": "fold", "to": "sink", "fuse": False}]}


def _graph(point: Point) -> graphs.Json:
    rate = point["rate_per_s"] or None
    if point["job"] == RELAY:
        return graphs.relay(50, rate_per_s=rate)
    if point["job"] == WINDOWS:
        return _fold(1_000, {"type": "tumbling", "size_ms": 1_000}, rate)
    return _fold(1_000_000, None, rate)


def _subject(*, keeps: bool) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        options = ("--state", str(run.folder / "state")) if keeps else ()
        report = engine.timed(run, _graph(run.point), DEPLOYED.get(run.point["job"]), options=options)
        epoch = report.get("epoch") or {}
        found = engine.measured(report, "sink" if run.point["job"] == RELAY else "fold")
        return Measured({**found.values, "epochs": float(epoch.get("complete", 0)), "dropped": float(epoch.get("dropped", 0))},
                        found.raw)
    return measured


def _point(job: str, rate_per_s: int = 0) -> Point:
    """0 for as fast as it goes."""
    return {"job": job, "rate_per_s": rate_per_s}


def _kept(job: str, rate_per_s: int = 0) -> Claim:
    return Claim(f"{job}: throughput of that without", lambda result: result.ratio("per_s", WITH, WITHOUT,
                                                                                  _point(job, rate_per_s)), at_least=0.98)


EXPERIMENT = Experiment(
    name="epochs",
    doc="""Jobs with and without a state that is written once a second: NEPTUNE's relay, counts in windows of a second by a
    thousand keys, and a running count of a million keys, flat out and at rates that the job bears.""",
    subjects=(Subject(WITHOUT, _subject(keeps=False)), Subject(WITH, _subject(keeps=True))),
    metrics=(engine.PER_S, engine.CPU, engine.P50, engine.P99),
    baseline=WITHOUT,
    full=Plan([_point(RELAY), _point(WINDOWS), _point(FOLD), _point(FOLD, 200_000), _point(WINDOWS, 20_000)],
              warm_up_s=25, seconds=20),      # the first epochs are slow: see docs/design/027
    quick=Plan([_point(WINDOWS)], repeats=1, warm_up_s=3, seconds=5),
    claims=(_kept(RELAY), _kept(WINDOWS), _kept(FOLD, 200_000)),
    needs=(java.compiler_needed,),
)
