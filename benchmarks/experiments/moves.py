"""What a move of keys stops, and whether rows stay right while a job grows and shrinks."""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from despina.job import Job
from harness import engine, graphs, java, owners
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError, free_ports

MOVE, GROW = "a million keys move", "2, 4 and 1 instances"
THREADS, RESOURCES = "two threads", "two resources"
BUCKETS = 256
WAIT = Metric("wait_ms", "longest wait of a row whose bucket moves, ms")
LATER = Metric("later_ms", "others' p99 with the move, less that before, ms")
TOOK = Metric("took_ms", "ms to the answer of `move`")
SILENT = Metric("silent_ms", "longest time without a row while keys move, ms")
JOIN = Metric("join_silent_ms", "longest time without a row while a resource joins, ms")
WRONG = Metric("wrong", "rows lost or doubled")
LOOK_S = 10.0
"""What percentiles of a running job are of."""
POLL_S = 0.5
WATCH_S = 0.05
JOINS_WITHIN_S = 60.0
MILLION = 1_000_000
RATE_PER_S = 20_000
FILL_PER_S = 400_000
KEY_BYTES = 24
MEMORY_BYTES = 1 << 30
HERE = "127.0.0.1"


def _counts(**fields: Any) -> graphs.Json:
    return {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0L", "next": "n + 1"}}, "accept": ["order"],
            "select": ["k", "next.n AS n"], **fields}


def _watched(running: Job, seconds: float) -> dict[str, dict[str, Any]]:
    """The operators at the end of that time. Who asks seldom is told no latency of the last ten seconds."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        time.sleep(POLL_S)
        operators = running.poll().operators
    return {name: dict(counted) for name, counted in operators.items()}


def _moving(keys: int) -> graphs.Json:
    """Counts of twice as many keys in two of three instances, and rows of what moves apart from the others."""
    half = f"CAST(pmod(hash(k), {BUCKETS}) AS INT) < {BUCKETS // 2}"
    steps = [{"for_ms": int(2 * keys / FILL_PER_S * 1000) + 1000, "rate_per_s": FILL_PER_S},
             {"for_ms": 3_600_000, "rate_per_s": RATE_PER_S}]
    key = f"lpad(CAST(pmod(id, {2 * keys}L) AS STRING), {KEY_BYTES}, '0') AS k"
    return {"format": 1, "name": "moves", "settings": {"buckets": BUCKETS}, "operators": {
        "source": {"type": "generator_source", "rows": {"type": "select", "select": [key]},
                   "shape": {"type": "step", "steps": steps}},
        "counts": _counts(parallelism=2, most_instances=3),
        "moving": {"type": "filter", "where": half}, "staying": {"type": "filter", "where": f"NOT ({half})"},
        "moved": {"type": "discard_sink"}, "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "moving"}, {"from": "counts", "to": "staying"},
                  {"from": "moving", "to": "moved"}, {"from": "staying", "to": "sink"}]}


def _apart(on: str) -> graphs.Json:
    """The third instance is where the first is, or in a resource of its own."""
    if on == THREADS:
        return {"format": 1, "resources": {"near": {"cores": 2, "memory_bytes": MEMORY_BYTES}}, "place": {"*": ["near"]}}
    return {"format": 1, "resources": {name: {"cores": 1, "memory_bytes": MEMORY_BYTES} for name in ("near", "far")},
            "place": {"counts": ["near", "near", "far"], "*": ["near"]}}


def move(run: Run) -> Measured:
    """All buckets of an instance go to one that had none, beside packets at a rate."""
    keys = run.point["keys"]
    with session() as started, job(_moving(keys), started, deployment=_apart(run.point["on"])) as running:
        until(running, "running")
        while sum(int(running.poll().operators[sink]["packets_in"]) for sink in ("moved", "sink")) < 2 * keys:
            time.sleep(POLL_S)
        before = _watched(running, run.warm_up_s + LOOK_S)
        kept = int(owners.told(running, "counts")[0]["state_bytes"])
        began = time.monotonic()
        running.move("counts", dict.fromkeys(range(BUCKETS // 2), 2))
        took = time.monotonic() - began
        after = _watched(running, LOOK_S / 2)
    return Measured({WAIT.name: after["moved"]["latency_max_ms"], TOOK.name: 1e3 * took,
                     LATER.name: after["sink"]["latency_p99_ms"] - before["sink"]["latency_p99_ms"]},
                    {"before": before, "after": after, "kept_bytes": kept})


class _Watch(threading.Thread):
    """Looks on whether rows come."""

    def __init__(self, running: Job) -> None:
        super().__init__(daemon=True)
        self._running = running
        self._ended = threading.Event()
        self._came: list[float] = []

    def run(self) -> None:
        """Until it is ended."""
        last = -1
        while not self._ended.wait(WATCH_S):
            counted = self._running.counters.operators.get("sink", {}).get("packets_in", 0)
            if counted != last:             # a new attempt counts from 0
                self._came.append(time.monotonic())
                last = counted

    def end(self) -> None:
        """What was seen stays."""
        self._ended.set()
        self.join()

    def silent_ms(self, begin: float, end: float) -> float:
        """The longest time between two looks that saw more rows, of those in between."""
        came = [begin, *(at for at in self._came if begin < at < end), end]
        return 1e3 * max(b - a for a, b in pairwise(came))


def _growing(port: int) -> graphs.Json:
    """A resource, and one that joins later; as far as the planner is told, the first has no room for the counts."""
    return {"format": 1, "resources": {"near": {"cores": 1, "machine": {"cpus": 0.01}},
                                       "far": {"start": "join", "host": HERE, "control_port": port, "machine": {"cpus": 1}}},
            "place": {"source": ["near"], "sink": ["near"]},
            "placing": {"type": "measured", "rates": {"source": RATE_PER_S}, "late": ["far"]}}


def grow(run: Run) -> Measured:
    """Two instances become four, a resource joins, and one instance gets all; then every row is looked at."""
    keys, out, secret = run.point["keys"], run.folder / "out", run.folder / "secret"
    secret.write_text(secrets.token_hex())
    secret.chmod(0o600)
    (port,) = free_ports(1)
    graph = {"format": 1, "name": "grows", "settings": {"buckets": BUCKETS}, "operators": {
        "source": {"type": "generator_source", "rate_per_s": RATE_PER_S,
                   "rows": {"type": "select", "select": [f"pmod(id, {keys}L) AS k"]}},
        "counts": _counts(parallelism=2, most_instances=4), "sink": {"type": "file_sink", "format": "csv", "path": str(out)}},
        "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "sink"}]}
    with session() as started, job(graph, started, deployment=_growing(port), state=run.folder / "state", epoch_ms=500,
                                   secret_file=secret) as running:
        until(running, "running")
        watch = _Watch(running)
        watch.start()
        time.sleep(run.warm_up_s)
        times = [time.monotonic()]
        for step in (lambda: running.move("counts", {bucket: bucket % 4 for bucket in range(BUCKETS)}),
                     lambda: _join(run, running, port, secret),
                     lambda: running.move("counts", dict.fromkeys(range(BUCKETS), 0))):
            step()
            time.sleep(run.seconds)
            times.append(time.monotonic())
        hosts = running.counters.operators["counts"]["resources"]
        if "far" not in hosts:
            raise RunError(f"no instance went to the resource that joined: {hosts}")
        watch.end()
        running.stop("drain")
        running.wait(JOINS_WITHIN_S)
    silent = [watch.silent_ms(begin, end) for begin, end in pairwise(times)]
    return Measured({SILENT.name: max(silent[0], silent[2]), JOIN.name: silent[1], WRONG.name: float(wrong(out, keys))},
                    {"silent_ms": silent, "hosts": hosts})


def _join(run: Run, running: Job, port: int, secret: Path) -> None:
    """Starts the resource, and waits until the job goes on with it."""
    run.processes.start("far", [sys.executable, "-m", "despina", "resource", "--name", "far", "--join", f"{HERE}:{port}",
                                "--secret-file", str(secret)], engine.environment())
    deadline = time.monotonic() + JOINS_WITHIN_S
    while (status := running.counters).attempt < 2 or status.state != "running":
        if time.monotonic() > deadline or status.ended:
            raise RunError(f"the job did not go on with a resource that joined: {status}")
        time.sleep(WATCH_S)


def wrong(out: Path, keys: int) -> int:
    """How many counts are missing or there twice. Keys come in turn, so how many rows there are says how far each was counted."""
    found: dict[int, list[int]] = defaultdict(list)
    for file in out.glob("part-*"):
        for line in file.read_text().splitlines():
            key, _, count = line.partition(",")
            found[int(key)].append(int(count))
    rows = sum(map(len, found.values()))
    if not rows:
        raise RunError("no row was written")
    differ = 0
    for k in range(keys):
        wanted = set(range(1, (rows - k + keys - 1) // keys + 1))
        differ += len(wanted ^ set(found[k])) + len(found[k]) - len(set(found[k]))
    return differ


def _at(keys: int, on: str) -> Point:
    return {"keys": keys, "on": on}


FEW = _at(10_000, RESOURCES)
"""Of what grows: each count is written and looked at."""


def _stop(on: str) -> tuple[Claim, ...]:
    at = _at(MILLION, on)
    return (Claim(f"{on}: the longest wait of a row whose bucket moves, ms",
                  lambda result: result.estimate(WAIT.name, MOVE, at), at_most=500),
            Claim(f"{on}: others' p99, how much later, ms", lambda result: result.estimate(LATER.name, MOVE, at), at_most=2))


EXPERIMENT = Experiment(
    name="moves",
    doc=f"""Counts of two million keys of {KEY_BYTES} bytes in two instances, {RATE_PER_S:,} packets/s: a million of them move to
    an instance that had none, in the same resource or another; latency is from due times. And counts of 10,000 keys at the same
    rate in a job that keeps its state: its two instances become four, a second resource joins, so that it goes on with
    instances there, and then one instance gets all. Each row that it wrote is looked at.""",
    subjects=(Subject(MOVE, move, at=lambda point: point != FEW,
                      seconds=lambda point, plan: 8 + 2 * point["keys"] / FILL_PER_S + plan.warm_up_s + 1.5 * LOOK_S),
              Subject(GROW, grow, at=lambda point: point == FEW,
                      seconds=lambda point, plan: 10 + plan.warm_up_s + 3 * plan.seconds)),
    metrics=(WAIT, LATER, TOOK, SILENT, JOIN, WRONG),
    full=Plan([_at(MILLION, THREADS), _at(MILLION, RESOURCES), FEW], repeats=3, warm_up_s=3, seconds=4),
    long=Plan([_at(MILLION, THREADS), _at(MILLION, RESOURCES), FEW], warm_up_s=10, seconds=8),
    quick=Plan([_at(100_000, THREADS)], repeats=1, warm_up_s=1, seconds=1),
    claims=(*_stop(THREADS), *_stop(RESOURCES),
            Claim("2, 4 and 1 instances, a resource that joins: rows lost or doubled",
                  lambda result: result.estimate(WRONG.name, GROW, FEW), at_most=0)),
    needs=(java.java_needed,),
    remarks="""Three rounds; the long plan has five.""",
)
