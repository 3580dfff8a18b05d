"""What buckets of keys that move are worth, what a move stops, and what it costs to look whether one is due."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from despina.job import Job
from harness import engine, graphs, java
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.result import Result

WITHOUT, WITH, MOVE = "buckets stay", "`balance` is on", "a million keys move"
SKEWED, EVEN, KEYS = "skewed", "even", "a million keys"
THREADS, RESOURCES = "two threads", "two resources"
INSTANCES, BUCKETS = 4, 256
KEYS_OF_EACH = 64
"""Of each instance, where keys are chosen: a bucket has one, as a rule."""
MOVED = Metric("moved_buckets", "buckets that have moved")
WAIT = Metric("wait_ms", "longest wait of a row whose bucket moves, ms")
LATER = Metric("later_ms", "others' p99 with the move, less that before, ms")
TOOK = Metric("took_ms", "ms to the answer of `move`")
LOOK_S = 10.0
"""What percentiles of a running job are of."""
POLL_S = 0.5
MILLION = 1_000_000
RATE_PER_S = 20_000
FILL_PER_S = 400_000


def _hash(key: int) -> int:
    """Spark's ``hash`` of a BIGINT from 0 on."""
    def rotated(x: int, by: int) -> int:
        return (x << by | x >> 32 - by) & 0xFFFFFFFF

    h = 42
    for word in (key & 0xFFFFFFFF, key >> 32):
        h ^= rotated(word * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
        h = (rotated(h, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= 8
    for by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ h >> by) * factor & 0xFFFFFFFF
    return h


def _instance(key: int) -> int:
    return _hash(key) % BUCKETS * INSTANCES // BUCKETS


def _keys(of: tuple[int, ...]) -> str:
    """An array of some keys that these instances have at the start, as many of each."""
    found: dict[int, list[int]] = {instance: [] for instance in of}
    key = 0
    while any(len(keys) < KEYS_OF_EACH for keys in found.values()):
        if (instance := _instance(key)) in found and len(found[instance]) < KEYS_OF_EACH:
            found[instance].append(key)
        key += 1
    return f"array({', '.join(f'{key}L' for keys in found.values() for key in keys)})"


def _counted(balance: graphs.Json, load: str) -> graphs.Json:
    """Dear counts by key in four instances: of each four packets three are for the first and the third, or two."""
    heavy, light = ((0, 2), (1, 3))
    pick = f"CAST(pmod(id DIV 4 * 40503, {2 * KEYS_OF_EACH}) AS INT)"
    share = 3 if load == SKEWED else 2
    chosen = f"if(id % 4 < {share}, {_keys(heavy)}[{pick}], {_keys(light)}[{pick}])"
    counts = {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0L", "next": "n + 1"}}, "accept": ["order"],
              "select": ["k", "next.n AS n", "sha2(CAST(next.n AS STRING), 256) AS proof"], "parallelism": INSTANCES}
    return {"format": 1, "name": "moves", "settings": {"buckets": BUCKETS, "balance": balance},
            "operators": {"source": {"type": "generator_source", "rows": {"type": "select", "select": [f"{chosen} AS k"]}},
                          "counts": counts, "sink": {"type": "discard_sink", "parallelism": INSTANCES}},
            "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "sink"}]}


def _deployment(on: str) -> graphs.Json:
    """Of the four instances two are on each processor."""
    if on == THREADS:
        return {"format": 1, "resources": {"only": {"cores": 2}}, "place": {"*": ["only"]}}
    return {"format": 1, "resources": {"near": {"cores": 1}, "far": {"cores": 1}},
            "place": {"source": ["near"], "*": ["near", "far"]}}


def _buckets(running: Job) -> list[str]:
    """Of each instance of the counts."""
    return [str(answer["buckets"]) for answer in _told(running, "counts")]


def _told(running: Job, operator: str) -> list[dict[str, Any]]:
    return [json.loads(each.answer) for each in running.control("status", operator)]


def _owners(told: list[str]) -> dict[int, int]:
    owners: dict[int, int] = {}
    for instance, ranges in enumerate(told):
        for each in filter(None, ranges.split(", ")):
            first, _, last = each.partition("-")
            owners |= dict.fromkeys(range(int(first), int(last or first) + 1), instance)
    return owners


def _subject(balance: graphs.Json) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        graph = _counted(balance, run.point["load"])
        with session() as started, job(graph, started, deployment=_deployment(run.point["on"])) as running:
            until(running, "running")
            first = _owners(_buckets(running))
            time.sleep(run.warm_up_s)
            began, before = time.monotonic(), _arrived(running)
            time.sleep(run.seconds)
            seconds, after = time.monotonic() - began, _arrived(running)
            last = _owners(_buckets(running))
        moved = sum(first[bucket] != last[bucket] for bucket in first)
        return Measured({engine.PER_S.name: (after - before) / seconds, MOVED.name: float(moved)}, {"buckets": last})
    return measured


def _arrived(running: Job) -> int:
    return int(running.poll().operators["sink"]["packets_in"])


def _watched(running: Job, seconds: float) -> dict[str, dict[str, Any]]:
    """The operators at the end of that time. Who asks seldom is told no latency of the last ten seconds."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        time.sleep(POLL_S)
        operators = running.poll().operators
    return {name: dict(counted) for name, counted in operators.items()}


def move(run: Run) -> Measured:
    """Counts of 2,000,000 keys in two instances, at a rate; then all buckets of the one go to a third, which had none."""
    half = f"CAST(pmod(hash(k), {BUCKETS}) AS INT) < {BUCKETS // 2}"
    steps = [{"for_ms": int(2 * MILLION / FILL_PER_S * 1000) + 1000, "rate_per_s": FILL_PER_S},
             {"for_ms": 3_600_000, "rate_per_s": RATE_PER_S}]
    counts = {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0L", "next": "n + 1"}}, "accept": ["order"],
              "select": ["k", "next.n AS n"], "parallelism": 2, "most_instances": 3}
    graph = {"format": 1, "name": "moves", "settings": {"buckets": BUCKETS}, "operators": {
        "source": {"type": "generator_source", "rows": {"type": "select", "select": [f"pmod(id, {2 * MILLION}L) AS k"]},
                   "shape": {"type": "step", "steps": steps}},
        "counts": counts, "moving": {"type": "filter", "where": half}, "staying": {"type": "filter", "where": f"NOT ({half})"},
        "moved": {"type": "discard_sink"}, "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "moving"}, {"from": "counts", "to": "staying"},
                  {"from": "moving", "to": "moved"}, {"from": "staying", "to": "sink"}]}
    deployment = {"format": 1, "resources": {name: {"cores": 1, "memory_bytes": 1 << 30} for name in ("near", "far")},
                  "place": {"counts": ["near", "near", "far" if run.point["on"] == RESOURCES else "near"], "*": ["near"]}}
    with session() as started, job(graph, started, deployment=deployment) as running:
        until(running, "running")
        while sum(int(running.poll().operators[sink]["packets_in"]) for sink in ("moved", "sink")) < 2 * MILLION:
            time.sleep(POLL_S)
        before = _watched(running, run.warm_up_s + LOOK_S)
        kept = int(_told(running, "counts")[0]["state_bytes"])
        began = time.monotonic()
        running.move("counts", dict.fromkeys(range(BUCKETS // 2), 2))
        took = time.monotonic() - began
        after = _watched(running, LOOK_S / 2)
    return Measured({WAIT.name: after["moved"]["latency_max_ms"], TOOK.name: 1e3 * took,
                     LATER.name: after["sink"]["latency_p99_ms"] - before["sink"]["latency_p99_ms"]},
                    {"before": before, "after": after, "kept_bytes": kept})


def _at(load: str, on: str) -> Point:
    return {"load": load, "on": on}


def _moves(point: Point) -> bool:
    return bool(point["load"] == KEYS)


def _worth(on: str) -> Claim:
    return Claim(f"{on}, one with 0.75 of the work: throughput with `balance`, of that without",
                 lambda result: result.ratio(engine.PER_S.name, WITH, WITHOUT, _at(SKEWED, on)), at_least=1.35)


def _stop(on: str) -> tuple[Claim, ...]:
    at = _at(KEYS, on)
    return (Claim(f"{on}: the longest wait of a row whose bucket moves, ms",
                  lambda result: result.estimate(WAIT.name, MOVE, at), at_most=500),
            Claim(f"{on}: others' p99, how much later, ms", lambda result: result.estimate(LATER.name, MOVE, at), at_most=2))


def _most_moved(result: Result) -> float | None:
    return result.median(MOVED.name, WITH, _at(EVEN, THREADS))


NEVER, LOAD = {"type": "never"}, {"type": "load", "every_ms": 1000}
EXPERIMENT = Experiment(
    name="moves",
    doc="""Four instances of an operator that hashes a text for each packet, on two processors: two worker threads of one
    resource, or two resources of one thread each. Keys are skewed so that one of the two has 0.75 of the work, or even; buckets
    stay, or `balance` looks each second. And two million keys in two instances, 20,000 packets/s: a million of them move to an
    instance that had none, in the same resource or another.""",
    subjects=(Subject(WITHOUT, _subject(NEVER), 4, at=lambda point: not _moves(point)),
              Subject(WITH, _subject(LOAD), 4, at=lambda point: not _moves(point)),
              Subject(MOVE, move, 25, at=_moves, comparable=False)),
    metrics=(engine.PER_S, MOVED, WAIT, LATER, TOOK),
    baseline=WITHOUT,
    full=Plan([_at(SKEWED, THREADS), _at(SKEWED, RESOURCES), _at(EVEN, THREADS), _at(KEYS, THREADS), _at(KEYS, RESOURCES)],
              warm_up_s=10, seconds=10),
    quick=Plan([_at(SKEWED, THREADS)], repeats=1, warm_up_s=7, seconds=3),
    claims=(
        _worth(THREADS),
        _worth(RESOURCES),
        Claim("even load: throughput with `balance`, of that without",
              lambda result: result.ratio(engine.PER_S.name, WITH, WITHOUT, _at(EVEN, THREADS)), at_least=0.99),
        Claim("even load: buckets that have moved", _most_moved, at_most=0),
        *_stop(THREADS),
        *_stop(RESOURCES),
    ),
    needs=(java.java_needed,),
)
