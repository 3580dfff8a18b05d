"""NEPTUNE's Fig 6 with as many hosts as there: fifty jobs between all pairs of 2 to 50 hosts."""

from __future__ import annotations

from harness import engine, graphs, hosts, java, joined
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Point, Published, Run, Subject
from harness.joined import Park
from harness.plots import Lines, lines
from harness.result import Result
from harness.stats import Estimate

HOSTS = (2, 5, 10, 20, 50)
JOBS = 50
RATE = "12mbit"
"""What two cores carry for fifty of them."""
MEMORY_BYTES = 64 << 20
PACKET_BYTES = 50
PER_HOST = Metric("per_s_per_host", "packets/s per host")
WIRE = Metric("wire_mbit_per_s", "Mbit/s of all hosts")


def pairs(count: int) -> list[tuple[int, int]]:
    """From which host to which each job goes: each host sends and receives as often as any other, if they divide the jobs."""
    return [(k % count, (k + 1 + k // count % (count - 1)) % count) for k in range(JOBS)]


def between(run: Run) -> Measured:
    """Each job is a source and a sink of one graph, which no link joins to others."""
    count = run.point["hosts"]
    operators: graphs.Json = {}
    place: dict[str, list[str]] = {}
    for k, (source, sink) in enumerate(pairs(count)):
        operators[f"source_{k}"] = {"type": "generator_source",
                                    "rows": {"type": "packets", "packet_bytes": PACKET_BYTES, "content": "random"}}
        operators[f"sink_{k}"] = {"type": "discard_sink", "verify": "sampled"}
        place |= {f"source_{k}": [f"host_{source}"], f"sink_{k}": [f"host_{sink}"]}
    graph = {"format": 1, "name": "cluster", "operators": operators,
             "links": [{"from": f"source_{k}", "to": f"sink_{k}", "fuse": False} for k in range(JOBS)]}
    report = joined.run(run, Park(count, RATE, MEMORY_BYTES), graph, place)
    per_s = sum(report["operators"][f"source_{k}"]["packets_out"] for k in range(JOBS)) / run.seconds
    wire = joined.wire_mbit_per_s(report, run.seconds)
    return Measured({"per_s": per_s, PER_HOST.name: per_s / count, WIRE.name: wire}, report)


def _at(count: int) -> Point:
    return {"hosts": count}


def _linear(result: Result) -> Estimate | None:
    """The throughput of the most hosts, of what so many times the fewest would be."""
    return result.ratio(PER_HOST.name, "despina", "despina", _at(HOSTS[-1]), _at(HOSTS[0]))


EXPERIMENT = Experiment(
    name="cluster",
    doc=f"""{JOBS} jobs of a source and a sink, packets of {PACKET_BYTES} bytes, dealt over all pairs of 2 to {HOSTS[-1]}
    hosts: network namespaces with a process each, of which each may send {RATE[:-4]} Mbit/s. The jobs are parts of one graph
    that nothing joins. All hosts share this machine's cores, so their links are slow enough to be the limit.""",
    subjects=(Subject("despina", between, seconds=lambda point, plan: 6 + 2 * point["hosts"] + plan.warm_up_s + plan.seconds),),
    metrics=(engine.PER_S, PER_HOST, WIRE),
    full=Plan([_at(count) for count in HOSTS], repeats=1, warm_up_s=5, seconds=8, attempts=2),
    long=Plan([_at(count) for count in HOSTS], warm_up_s=5, seconds=8, attempts=2),
    quick=Plan([_at(5)], repeats=1, warm_up_s=2, seconds=3),
    published=(Published("001 NEPTUNE, Fig 6", "linear to 50 hosts, 50 jobs", None,
                         f"of the throughput per host at {HOSTS[0]} hosts, at {HOSTS[-1]}",
                         lambda result: found.value if (found := _linear(result)) else None),),
    claims=(Claim(f"throughput per host at {HOSTS[-1]} hosts, of that at {HOSTS[0]}", _linear, at_least=0.9),),
    figures=(Figure("hosts", lines(
        Lines("hosts", engine.PER_S, scale=1e-6, y_label="M packets/s of all jobs", title="throughput"),
        Lines("hosts", WIRE, title="bandwidth")), (11, 4.4)),),
    needs=(java.java_needed, hosts.needed),
    remarks="""One round, since the links are the limit; the long plan has five.""",
)
