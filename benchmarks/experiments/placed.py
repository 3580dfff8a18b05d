"""Whether plans run in the order that was computed, and whether a planner's move is seen in the rate."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from despina.graph import Graph
from despina.placing import Known
from harness import engine, graphs, hosts, java, joined
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Run, Subject
from harness.joined import Park
from harness.processes import RunError
from harness.result import Result

LINK_MBIT = 30
PACKET_BYTES = 1024
NESTED = {"light": 1, "heavy": 32}
"""Hashes of hashes that each of both steps makes of a packet."""
PLANS = {"together": (0, 0, 0, 0), "cut behind the source": (0, 1, 1, 1), "cut between the steps": (0, 0, 1, 1)}
"""The hosts of source, first step, second step and sink."""
CHAIN = ("source", "first", "second", "sink")
PLANNER = "the planner"
DOUBLES: Point = {"work": "that doubles"}
COMPUTED = Metric("computed_per_s", "packets/s at most, computed")
BEFORE = Metric("before_share", "of the doubled rate, before the move")
AFTER = Metric("after_share", "of the doubled rate, after it")
SHARE, TOLD_SHARE = 0.6, 0.45
"""What the work takes of a thread before it doubles, and at the rate that the planner is told when the job starts."""
WORTH = 0.3
"""Of a thread: so much nothing wins before the doubling, and more behind it."""
LOOK_MS = 3000
"""Two looks in a row must agree, so that one of the first, while code is compiled, moves nothing."""
MOVES_WITHIN_S = 60.0
CALIBRATED_S = 3.0
POLL_S = 0.2
STEADY_S = 2.0


def _hashed(text: str, times: int) -> str:
    return text if not times else f"sha2({_hashed(text, times - 1)}, 256)"


def _graph(work: str, **source: Any) -> graphs.Json:
    """A wide packet becomes a hash, of which another is made."""
    nested = NESTED[work]
    packets = {"type": "packets", "packet_bytes": PACKET_BYTES, "content": "random"}
    operators = {
        "source": {"type": "generator_source", "rows": packets, **source},
        "first": {"type": "project", "select": ["sequence", f"{_hashed('payload', nested)} AS proof"]},
        "second": {"type": "project", "select": ["sequence", f"{_hashed('proof', nested)} AS proof"]},
        "sink": {"type": "discard_sink"}}
    return {"format": 1, "name": "placed", "operators": operators,
            "links": [{"from": a, "to": b, "fuse": False} for a, b in pairwise(CHAIN)]}


def _costs(run: Run, work: str) -> Path:
    """The report of a run of all in one thread, made once."""
    kept = run.lab / f"{work}.json"
    if not kept.is_file():
        report = engine.run(engine.Command(_graph(work), graphs.deployment({"*": ["only"]}, cores=1), warm_up_s=CALIBRATED_S,
                                           duration_s=2 * CALIBRATED_S), run.folder)
        kept.write_text(json.dumps(report))
    return kept


def _place(plan: str) -> dict[str, list[str]]:
    return {name: [f"host_{host}"] for name, host in zip(CHAIN, PLANS[plan], strict=True)}


def _computed(run: Run, work: str, plan: str) -> float:
    """At which rate the greatest share of a thread or the link would be all of it."""
    rate = 1000.0
    deployment = {"format": 1, "resources": {f"host_{k}": {"machine": {"cpus": 1}} for k in range(2)}, "place": _place(plan),
                  "network": [{"between": ["host_0", "host_1"], "mbit_per_s": LINK_MBIT}]}
    with session() as started:
        proposal = Graph.from_dict(_graph(work)).place(deployment, Known({"source": rate}, _costs(run, work)), engine=started)
    return rate / proposal.greatest


def _planned(plan: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        work = run.point["work"]
        computed = _computed(run, work, plan)
        report = joined.run(run, Park(2, f"{LINK_MBIT}mbit", bound=True), _graph(work), _place(plan))
        return Measured({engine.PER_S.name: report["operators"]["sink"]["packets_in"] / report["measured_s"],
                         COMPUTED.name: computed}, report)
    return measured


def doubles(run: Run) -> Measured:
    """Work that has room in one thread doubles, and the planner, which looks now and then, moves a part of it to another one."""
    costs = _costs(run, "heavy")
    report = json.loads(costs.read_text())
    bears = report["operators"]["sink"]["packets_in"] / report["measured_s"]
    rate = SHARE * bears
    doubled_s = run.warm_up_s + run.seconds
    shape = {"type": "step", "steps": [{"for_ms": int(1000 * doubled_s), "rate_per_s": rate},
                                       {"for_ms": 3_600_000, "rate_per_s": 2 * rate}]}
    graph = _graph("heavy", shape=shape)
    graph["settings"] = {"balance": {"type": "load", "worth": WORTH}}
    deployment = {"format": 1, "resources": {name: {"cores": 1, "machine": {"cpus": 1}} for name in ("near", "far")},
                  "placing": {"type": "measured", "rates": {"source": TOLD_SHARE * bears}, "from": str(costs), "look_ms": LOOK_MS,
                              "moves": True}}
    with session() as started, job(graph, started, deployment=deployment, state=run.folder / "state") as running:
        until(running, "running")
        seen: list[tuple[float, int, int]] = []         # seconds, attempt, packets of the attempt
        began, moved_s = time.monotonic(), 0.0
        while not moved_s or time.monotonic() - began < moved_s + run.seconds + STEADY_S:
            status = running.poll(POLL_S)
            seen.append((time.monotonic() - began, status.attempt, int(status.operators["sink"]["packets_in"])))
            if not moved_s and status.attempt > 1 and status.state == "running":
                moved_s = seen[-1][0]
                if moved_s < doubled_s:
                    raise RunError(f"the planner moved after {moved_s:.1f} s, before the work doubled")
            if status.ended or (not moved_s and seen[-1][0] > MOVES_WITHIN_S):
                raise RunError(f"the planner moved nothing within {MOVES_WITHIN_S:g} s: {status}")
            time.sleep(POLL_S)
        if not str((status.last_restart or {}).get("why", {}).get("message", "")).startswith("the greatest share"):
            raise RunError(f"the job went on for another reason than a move: {status.last_restart}")
        place = {name: running.counters.operators[name]["resources"] for name in CHAIN}
    return Measured({BEFORE.name: rates_of(seen, 1) / (2 * rate), AFTER.name: rates_of(seen, seen[-1][1]) / (2 * rate)},
                    {"seen": seen, "moved_s": moved_s, "place": place, "doubled_s": doubled_s})


def rates_of(seen: list[tuple[float, int, int]], attempt: int) -> float:
    """Packets per second in the last two seconds of an attempt.

    :raise RunError: it was not looked at twice
    """
    of = [(at, count) for at, number, count in seen if number == attempt]
    last = [each for each in of if each[0] >= of[-1][0] - STEADY_S] if of else []
    if len(last) < 2:
        raise RunError(f"attempt {attempt} was seen {len(last)} times")
    return (last[-1][1] - last[0][1]) / (last[-1][0] - last[0][0])


def _at(work: str) -> Point:
    return {"work": work}


def out_of_order(result: Result) -> float | None:
    """Of all pairs of plans of one work, how many have another order as they ran than as computed."""
    wrong, pairs = 0, 0
    for work in NESTED:
        found = [(computed, per_s) for plan in PLANS if (computed := result.median(COMPUTED.name, plan, _at(work))) is not None
                 and (per_s := result.median(engine.PER_S.name, plan, _at(work))) is not None]
        for k, one in enumerate(found):
            for other in found[:k]:
                pairs += 1
                wrong += (one[0] < other[0]) != (one[1] < other[1])
    return float(wrong) if pairs else None


EXPERIMENT = Experiment(
    name="placed",
    doc=f"""Packets of {PACKET_BYTES:,} bytes of which a step makes a hash, and a second step another of it: light work (a hash
    each) and heavy ({NESTED["heavy"]}). Each runs by three plans on two hosts: namespaces with a link of {LINK_MBIT} Mbit/s, and
    a processor and a worker thread for each. Beside what runs is what `despina place` computes of it, from the report of a run in
    one thread. And heavy work on two threads of this machine that doubles while it runs, with `"placing": "measured"`: how much
    of the rate arrives before the planner, which looks each {LOOK_MS / 1000:g} s, has moved a part of it, and after that.""",
    subjects=(*(Subject(plan, _planned(plan), at=lambda point: point != DOUBLES, comparable=False,
                        seconds=lambda point, plan: 12 + plan.warm_up_s + plan.seconds) for plan in PLANS),
              Subject(PLANNER, doubles, at=lambda point: point == DOUBLES, comparable=False,
                      seconds=lambda point, plan: 17 + plan.warm_up_s + 2 * plan.seconds)),
    metrics=(engine.PER_S, COMPUTED, BEFORE, AFTER),
    full=Plan([_at("light"), _at("heavy"), DOUBLES], repeats=2, warm_up_s=3, seconds=4),
    long=Plan([_at("light"), _at("heavy"), DOUBLES], warm_up_s=5, seconds=8),
    quick=Plan([DOUBLES], repeats=1, warm_up_s=3, seconds=4),
    claims=(Claim("pairs of plans that ran in another order than computed", out_of_order, at_most=0),
            Claim("work that doubles: of the doubled rate, after the planner's move",
                  lambda result: result.estimate(AFTER.name, PLANNER, DOUBLES), at_least=0.98)),
    needs=(java.java_needed, engine.taskset_needed, engine.two_processors_needed, hosts.needed),
    remarks="""Two rounds; the long plan has five.""",
)
