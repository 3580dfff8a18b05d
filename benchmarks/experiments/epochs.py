"""What an epoch a second costs a job that keeps its state."""

from __future__ import annotations

import time
from collections.abc import Callable

from harness import engine, graphs, java, readings
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError
from harness.result import Result

WITHOUT, WITH, LOOKED_AT = "without a state", "an epoch a second", "an epoch a second, each looked at"
RELAY, WINDOWS, FOLD, PLANT = "relay of 50 B", "windows of 1,000 keys", "fold of 1,000,000 keys", "manufacturing"
DEPLOYED = {RELAY: graphs.RELAY_APART}
MANUFACTURING = graphs.ROOT / "graphs" / "manufacturing.graph.json"
READINGS, FEW_READINGS = 4_000_000, 200_000
"""Made up, 200 bytes each: some ten seconds' worth."""
TOOK = Metric("took_p99_ms", "barrier to manifest, ms p99")
HOPS_MS = 2 * 200
"""What a barrier may take through the two full queues of the relay."""
LOOK_EVERY_S = 0.05


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
        if run.point["job"] == PLANT:
            return _plant(run, options)
        report = engine.timed(run, _graph(run.point), DEPLOYED.get(run.point["job"]), options=options)
        epoch = report.get("epoch") or {}
        found = engine.measured(report, "sink" if run.point["job"] == RELAY else "fold")
        return Measured({**found.values, "epochs": float(epoch.get("complete", 0)), "dropped": float(epoch.get("dropped", 0))},
                        found.raw)
    return measured


def _plant(run: Run, options: tuple[str, ...]) -> Measured:
    """The manufacturing graph over a file, to its end: its rows are in the order of their time, so they cannot be repeated."""
    rows = READINGS if run.seconds >= Plan.seconds else FEW_READINGS
    parameters = {"input": str(readings.made(run, rows)), "output": str(run.folder / "delays")}
    report = engine.run(engine.Command(MANUFACTURING, parameters=parameters, options=options), run.folder)
    cpu_s = sum(resource["cpu_s"] for resource in report["resources"].values())
    return Measured({engine.PER_S.name: rows / report["measured_s"], engine.CPU.name: 1e6 * cpu_s / rows}, report)


def looked_at(run: Run) -> Measured:
    """How long each epoch took, of a job that is asked twenty times a second."""
    with session() as started, job(_graph(run.point), started, deployment=DEPLOYED.get(run.point["job"]),
                                   state=run.folder / "state") as running:
        until(running, "running")
        time.sleep(run.warm_up_s)
        took: dict[int, float] = {}
        ends = time.monotonic() + run.seconds
        while time.monotonic() < ends:
            epoch = running.poll().epoch
            took[epoch["complete"]] = epoch["took_ms"]
            time.sleep(LOOK_EVERY_S)
    if len(took) < 2:
        raise RunError(f"{len(took)} epochs were complete within {run.seconds:g} s")
    ordered = sorted(took.values())
    return Measured({TOOK.name: ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]}, {"took_ms": took})


def _point(job: str, rate_per_s: int = 0) -> Point:
    """0 for as fast as it goes."""
    return {"job": job, "rate_per_s": rate_per_s}


def _kept(job: str, rate_per_s: int = 0) -> Claim:
    return Claim(f"{job}: throughput of that without", lambda result: result.ratio("per_s", WITH, WITHOUT,
                                                                                  _point(job, rate_per_s)), at_least=0.98)


def _later(result: Result) -> float | None:
    """By how much an epoch a second raises the 99th percentile of the latency."""
    at = _point(RELAY, 20_000)
    found = [result.median(engine.P99.name, subject, at) for subject in (WITH, WITHOUT)]
    return None if found[0] is None or found[1] is None else found[0] - found[1]


def _soon(job: str, rate_per_s: int, most_ms: float) -> Claim:
    return Claim(f"{job}: barrier to manifest, ms p99", lambda result: result.estimate(TOOK.name, LOOKED_AT,
                                                                                     _point(job, rate_per_s)), at_most=most_ms)


EXPERIMENT = Experiment(
    name="epochs",
    doc="""Jobs with and without a state that is written once a second: NEPTUNE's relay, counts in windows of a second by a
    thousand keys, and a running count of a million keys, flat out and at rates that the job bears; and the manufacturing
    graph over a file, to its end. A third subject asks the job for its epochs, which costs it a little.""",
    subjects=(Subject(WITHOUT, _subject(keeps=False)), Subject(WITH, _subject(keeps=True)),
              Subject(LOOKED_AT, looked_at, at=lambda point: point["job"] != PLANT, comparable=False)),
    metrics=(engine.PER_S, engine.CPU, engine.P50, engine.P99, TOOK),
    baseline=WITHOUT,
    full=Plan([_point(RELAY), _point(WINDOWS), _point(FOLD), _point(FOLD, 200_000), _point(WINDOWS, 20_000),
               _point(RELAY, 20_000), _point(PLANT)],
              warm_up_s=25, seconds=20),      # the first epochs are slow: see docs/design/027
    quick=Plan([_point(WINDOWS)], repeats=1, warm_up_s=3, seconds=5),
    claims=(_kept(RELAY), _kept(PLANT), _kept(WINDOWS), _kept(FOLD, 200_000),
            Claim(f"{RELAY} at 20,000 rows a second: p99, ms more than without", _later, at_most=1),
            _soon(FOLD, 200_000, 150), _soon(RELAY, 0, HOPS_MS)),
    needs=(java.compiler_needed,),
)
