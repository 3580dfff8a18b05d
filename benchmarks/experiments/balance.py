"""What buckets of keys that move by themselves are worth, and what it costs to look whether a move is due."""

from __future__ import annotations

import time
from collections.abc import Callable

from despina.job import Status
from harness import engine, graphs, java, owners
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.result import Result

WITHOUT, WITH = "buckets stay", "`balance` is on"
SKEWED, EVEN = "skewed", "even"
THREADS, RESOURCES = "two threads", "two resources"
INSTANCES, BUCKETS = 4, 256
KEYS_OF_EACH = 64
"""Of each instance, where keys are chosen: a bucket has one, as a rule."""
MOVED = Metric("moved_buckets", "buckets that have moved")
LONG_S = 600
"""Of even load, in the long plan."""
HASHES = 6
PROOF = f"{HASHES * 'sha2('}CAST(next.n AS STRING){HASHES * ', 256)'} AS proof"
"""So much work that what the source does for a packet is little beside it."""


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
              "select": ["k", "next.n AS n", PROOF], "parallelism": INSTANCES}
    return {"format": 1, "name": "balance", "settings": {"buckets": BUCKETS, "balance": balance},
            "operators": {"source": {"type": "generator_source", "rows": {"type": "select", "select": [f"{chosen} AS k"]}},
                          "counts": counts, "sink": {"type": "discard_sink", "parallelism": INSTANCES}},
            "links": [{"from": "source", "to": "counts"}, {"from": "counts", "to": "sink"}]}


def _deployment(on: str) -> graphs.Json:
    """Of the four instances two are on each processor."""
    if on == THREADS:
        return {"format": 1, "resources": {"only": {"cores": 2}}, "place": {"*": ["only"]}}
    return {"format": 1, "resources": {"near": {"cores": 1}, "far": {"cores": 1}},
            "place": {"source": ["near"], "*": ["near", "far"]}}


def _seconds(point: Point, plan: Plan) -> float:
    return 3 + plan.warm_up_s + float(point.get("seconds", plan.seconds))


def _subject(balance: graphs.Json) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        graph = _counted(balance, run.point["load"])
        with session() as started, job(graph, started, deployment=_deployment(run.point["on"])) as running:
            until(running, "running")
            first = owners.by_bucket(running, "counts")
            time.sleep(run.warm_up_s)
            settled, before = owners.by_bucket(running, "counts"), running.poll()
            time.sleep(run.point.get("seconds", run.seconds))
            after, last = running.poll(), owners.by_bucket(running, "counts")
        packets = _arrived(after) - _arrived(before)
        return Measured({engine.PER_S.name: packets / (after.elapsed_s - before.elapsed_s),
                         engine.CPU.name: 1e6 * (_cpu_s(after) - _cpu_s(before)) / packets,
                         MOVED.name: float(owners.moved(first, last))},
                        {"settled": settled, "last": last})
    return measured


def _arrived(status: Status) -> int:
    return int(status.operators["sink"]["packets_in"])


def _cpu_s(status: Status) -> float:
    return sum(float(resource["cpu_s"]) for resource in status.resources.values())


def _at(load: str, on: str) -> Point:
    return {"load": load, "on": on}


TEN_MINUTES: Point = {**_at(EVEN, THREADS), "seconds": LONG_S}


def _worth(on: str) -> Claim:
    return Claim(f"{on}, one with 0.75 of the work: throughput with `balance`, of that without",
                 lambda result: result.ratio(engine.PER_S.name, WITH, WITHOUT, _at(SKEWED, on)), at_least=1.35)


def _most_moved(point: Point) -> Callable[[Result], float | None]:
    return lambda result: max(result.values(MOVED.name, WITH, point), default=None)


NEVER, LOAD = {"type": "never"}, {"type": "load", "every_ms": 1000}
POINTS = (_at(SKEWED, THREADS), _at(SKEWED, RESOURCES), _at(EVEN, THREADS))
EXPERIMENT = Experiment(
    name="balance",
    doc=f"""Four instances of an operator that hashes a text {HASHES} times for each packet, on two processors: two worker threads
    of one resource, or two resources of one thread each. Keys are skewed so that one of the two has 0.75 of the work, or even;
    buckets stay, or `balance` looks each second. What is counted begins when buckets have moved.""",
    subjects=(Subject(WITHOUT, _subject(NEVER), seconds=_seconds, at=lambda point: point != TEN_MINUTES),
              Subject(WITH, _subject(LOAD), seconds=_seconds)),
    metrics=(engine.PER_S, engine.CPU, MOVED),
    baseline=WITHOUT,
    full=Plan(POINTS, repeats=3, warm_up_s=11, seconds=5),
    long=Plan([*POINTS, TEN_MINUTES], warm_up_s=11, seconds=10, shown_only=lambda point: point == TEN_MINUTES),
    quick=Plan([_at(SKEWED, THREADS)], repeats=1, warm_up_s=8, seconds=3),
    claims=(
        _worth(THREADS),
        _worth(RESOURCES),
        Claim("even load: throughput with `balance`, of that without",
              lambda result: result.ratio(engine.PER_S.name, WITH, WITHOUT, _at(EVEN, THREADS)), at_least=0.99),
        Claim("even load: processor time per packet with `balance`, of that without",
              lambda result: result.ratio(engine.CPU.name, WITH, WITHOUT, _at(EVEN, THREADS)), at_most=1.01),
        Claim("even load: buckets that have moved", _most_moved(_at(EVEN, THREADS)), at_most=0),
        Claim("even load for ten minutes: buckets that have moved", _most_moved(TEN_MINUTES), at_most=0),
    ),
    needs=(java.java_needed,),
    remarks="""Three rounds. The long plan has five, and three times ten minutes of even load: once by
    `despina bench run balance --long --only seconds=600 --only load=even --rounds 1`.""",
)
