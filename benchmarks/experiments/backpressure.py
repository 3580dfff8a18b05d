"""NEPTUNE's Fig 3 and 4: a stage that sleeps more and more, and a source that follows it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from despina.job import Status
from harness import graphs, java, sampling, series
from harness.api import follow, job, pids, session, until
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Published, Run, Subject
from harness.plots import style
from harness.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

SLEEPS_MS = {7: (0, 1, 2, 3, 2, 1, 0), 3: (0, 2, 0)}
"""By the number of steps."""
PACKET_BYTES = 10_240
HOPS = {"a->b": ("one", "two"), "b->c": ("two", "three")}
"""By the link, the resources that it joins."""
SETTLED_S = 3.0
"""After so much of a step A must follow."""
WINDOW_S = 3.0
"""A rate is taken over so long."""
EDGE_S = 0.5
"""A window ends so long before the next step: C begins its steps when its first packet comes, and from 1 ms to none rates
grow fortyfold."""
EVERY_S = 0.5
MEMORY_BYTES = 64 << 20
DEVIATION = Metric("deviation", "greatest deviation of A's rate from C's")
RECOVERED = Metric("recovered", "last step's rate / first step's")
GROWTH = Metric("memory_growth", "memory, second half / first half")
RESIDENT = Metric("resident_mb", "resident MB, three JVMs")
IN_FLIGHT = Metric("fuller_hop_mb", "MB in flight in the fuller hop, at most")
LOST = Metric("lost", "packets lost")
PER_S = Metric("per_s", "C's packets/s while it does not sleep")


def graph(sleeps_ms: Sequence[int], step_ms: int, warm_up_ms: int) -> graphs.Json:
    """A, B, and C, which is fused with the sink that verifies the sequence. The first step is longer by the warm-up."""
    made = graphs.relay(PACKET_BYTES, stages=2, settings={"buffer": {"capacity_bytes": 1 << 14}, "max_packet_bytes": 1 << 20})
    operators = made["operators"]
    steps = [{"for_ms": step_ms, "sleep_ms": sleep} for sleep in sleeps_ms]
    steps[0]["for_ms"] += warm_up_ms
    operators["relay_2"]["steps"] = steps
    names = {"source": "a", "relay_1": "b", "relay_2": "c", "sink": "sink"}
    made["operators"] = {names[name]: operator for name, operator in operators.items()}
    made["links"] = [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "sink"}]
    return made


def staircase(run: Run) -> Measured:
    """Three resources, one for each of A, B and C; the plan's seconds are of all steps."""
    sleeps_ms = SLEEPS_MS[run.point["steps"]]
    step_s = run.seconds / len(sleeps_ms)
    place = {"a": ["one"], "b": ["two"], "c": ["three"], "sink": ["three"]}
    deployment = graphs.deployment(place, memory_bytes=MEMORY_BYTES)
    steps = graph(sleeps_ms, round(1000 * step_s), round(1000 * run.warm_up_s))
    with session() as engine, job(steps, engine, deployment=deployment) as running:
        until(running, "running")
        time.sleep(run.warm_up_s)
        by_resource = pids(running)
        all_three = list(by_resource.values())

        def look(status: Status) -> list[float]:
            sockets = sampling.sockets(all_three)
            assert sockets is not None      # there is an ss
            hops = [int(status.links[link].get("queued_bytes") or 0)
                    + sockets.between.get(frozenset(by_resource[end] for end in ends), 0) for link, ends in HOPS.items()]
            return [sampling.usage(all_three).resident_bytes, sockets.memory_bytes, sum(hops), max(hops)]

        found = follow(running, [("a", "packets_out"), ("c", "packets_in")], run.seconds + 1, (look, EVERY_S))
        running.stop("drain")
        running.wait()
        counted = running.report()["operators"]
    return Measured(_values(found, sleeps_ms, step_s) | {LOST.name: counted["a"]["packets_out"] - counted["sink"]["packets_in"]},
                    {"step_s": step_s, "sleeps_ms": sleeps_ms, **found})


def _values(found: dict[str, Any], sleeps_ms: Sequence[int], step_s: float) -> dict[str, float]:
    a, c = found["a"], found["c"]
    last = min(a[-1][0], c[-1][0])
    worst = 0.0
    for k in range(len(sleeps_ms)):
        begin = k * step_s + SETTLED_S
        while begin + WINDOW_S <= min((k + 1) * step_s - EDGE_S, last):
            theirs = series.rate(c, begin, begin + WINDOW_S)
            worst = max(worst, abs(series.rate(a, begin, begin + WINDOW_S) - theirs) / theirs)
            begin += EVERY_S
    awake = [series.rate(c, k * step_s + SETTLED_S, min((k + 1) * step_s - EDGE_S, last)) for k in (0, len(sleeps_ms) - 1)]
    looks = [values for _, values in found["looks"]]
    memory = [[t, resident + kernel] for t, (resident, kernel, *_) in found["looks"]]
    halves = [[bytes_ for t, bytes_ in memory if (t > memory[-1][0] / 2) == second] for second in (False, True)]
    return {
        DEVIATION.name: worst, RECOVERED.name: awake[1] / awake[0], PER_S.name: awake[0],
        GROWTH.name: max(halves[1]) / max(halves[0]), RESIDENT.name: max(looked[0] for looked in looks) / 1e6,
        IN_FLIGHT.name: max(looked[3] for looked in looks) / 1e6,
    }


def draw(result: Result, picture: Picture) -> None:
    """The rates of A and C, and the memory, over time."""
    repeat = result.middle("despina", result.points()[0], DEVIATION.name)
    if repeat is None:
        return
    raw = repeat.raw
    above, below = picture.subplots(2, 1, sharex=True)
    for name, colour, width in (("c", "#c8501e", 3.5), ("a", "#0b6fa4", 1.5)):
        rates = series.rates(raw[name], 1, EVERY_S)
        above.plot([t for t, _ in rates], [rate for _, rate in rates], color=colour, linewidth=width, label=name.upper())
    above.set_yscale("log")
    style(above, "A follows C", "", "packets/s")
    sleeps = above.twinx()
    edges = [k * raw["step_s"] for k in range(len(raw["sleeps_ms"]) + 1)]
    sleeps.stairs(raw["sleeps_ms"], edges, color="#999999", linestyle="--")
    sleeps.set_ylabel("C sleeps, ms per packet")
    sleeps.set_ylim(0, 2 * max(raw["sleeps_ms"]))
    times = [t for t, _ in raw["looks"]]
    parts = (("resident, three JVMs", "#555555"), ("kernel, their sockets", "#2e8b57"), ("packets in flight", "#8a4fa8"))
    for part, (label, colour) in enumerate(parts):
        below.plot(times, [values[part] / 1e6 for _, values in raw["looks"]], color=colour, label=label)
    below.set_yscale("symlog", linthresh=1)
    style(below, "memory", "seconds", "MB")
    above.legend(fontsize=8, frameon=False, loc="lower left")
    below.legend(fontsize=8, frameon=False)


POINT = {"steps": 7}
EXPERIMENT = Experiment(
    name="backpressure",
    doc="""A → B → C, each in a resource of its own, 10 KB packets flat out; C, fused with the sink that verifies the
    sequence, sleeps 0, 1, 2, 3, 2, 1, 0 ms per packet, a step of 10 s each; during the warm-up, if there is one, it does not
    sleep. A's rate beside C's in windows of 3 s that begin 3 s after a step or later and end half a second before the next;
    resident memory of the three JVMs and what the kernel holds for their sockets (`ss -m`); packets in queues and sockets.""",
    subjects=(Subject("despina", staircase, 5),),
    metrics=(DEVIATION, RECOVERED, GROWTH, RESIDENT, IN_FLIGHT, LOST, PER_S),
    full=Plan([POINT], warm_up_s=20, seconds=70),
    quick=Plan([{"steps": 3}], repeats=1, warm_up_s=0, seconds=21),
    published=(Published("001 NEPTUNE, Fig 3 and 4", "the source's rate follows the slowest stage's"),),
    claims=(
        Claim("greatest deviation of A's rate from C's",
              lambda result: result.estimate(DEVIATION.name, "despina", POINT), at_most=0.15),
        Claim("the last step's rate, of the first's",
              lambda result: result.estimate(RECOVERED.name, "despina", POINT), at_least=0.85),
        Claim("MB in flight in the fuller of the two hops",
              lambda result: result.estimate(IN_FLIGHT.name, "despina", POINT), at_most=2),
        Claim("resident and socket memory, most of the second half of the first half's",
              lambda result: result.estimate(GROWTH.name, "despina", POINT), at_most=1.05),
        Claim("packets lost", lambda result: result.estimate(LOST.name, "despina", POINT), at_most=0),
    ),
    figures=(Figure("staircase", draw, (9, 6.5)),),
    needs=(java.java_needed, sampling.ss_needed),
    remarks="""Behind a slow C most of what is in flight lies in the kernel: sockets send from 384 KB and receive into as much,
    and Linux doubles both. Resident memory takes one step of 20 to 40 MB when C no longer sleeps, and stays there: it is heap
    that was committed long before and is written to for the first time, since packets are then a hundred times as many. By
    native memory tracking what the JVMs have committed differs by less than 6 MB between before and after, so the bound
    holds, though the page count does not stand still. About 80 MB in each JVM are pages of the class archive, counted three times
    though all share them: without them the growth is 1.08.""",
)
