"""NEPTUNE's Fig 6: more nodes, more throughput."""

from __future__ import annotations

from harness import engine, graphs, hosts, java, joined
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Point, Published, Run, Subject
from harness.joined import Park
from harness.result import Result
from harness.stats import Estimate

NODES = (2, 4, 8, 16)
RATE = "50mbit"
"""What two cores carry for all of them: at twice that, 16 nodes had 0.60 of the rate of two, and no idle processor."""
PACKET_BYTES = 50
PER_NODE = Metric("per_s_per_node", "packets/s per node")
MBIT_PER_NODE = Metric("mbit_per_node", "Mbit/s sent per node")


def ring(nodes: int) -> graphs.Json:
    """A two-stage chain per node: its source there, its sink at the next node."""
    operators: graphs.Json = {}
    for k in range(nodes):
        operators[f"source_{k}"] = {"type": "generator_source",
                                    "rows": {"type": "packets", "packet_bytes": PACKET_BYTES, "content": "random"}}
        operators[f"sink_{k}"] = {"type": "discard_sink", "verify": "sampled"}
    links = [{"from": f"source_{k}", "to": f"sink_{k}", "fuse": False} for k in range(nodes)]
    return {"format": 1, "name": "ring", "operators": operators, "links": links}


def shaped(run: Run) -> Measured:
    """Each node a namespace with a link of its own, all links alike."""
    nodes = run.point["nodes"]
    place = {f"source_{k}": [f"host_{k}"] for k in range(nodes)}
    place |= {f"sink_{k}": [f"host_{(k + 1) % nodes}"] for k in range(nodes)}
    report = joined.run(run, Park(nodes, RATE), ring(nodes), place)
    packets = sum(report["operators"][f"source_{k}"]["packets_out"] for k in range(nodes))
    per_s = packets / run.seconds
    cpu = sum(resource["cpu_s"] for resource in report["resources"].values())
    return Measured({"per_s": per_s, PER_NODE.name: per_s / nodes,
                     MBIT_PER_NODE.name: joined.wire_mbit_per_s(report, run.seconds) / nodes,
                     "cpu_s_per_million": 1e6 * cpu / packets}, report)


def _at(nodes: int) -> Point:
    return {"nodes": nodes}


def _linear(result: Result) -> Estimate | None:
    """The throughput of the most nodes, of what so many times the fewest would be."""
    return result.ratio(PER_NODE.name, "despina", "despina", _at(NODES[-1]), _at(NODES[0]))


EXPERIMENT = Experiment(
    name="nodes",
    doc=f"""2 to 16 nodes, each a resource in a network namespace of its own that may send {RATE[:-4]} Mbit/s; each has a
    source of 50-byte packets whose sink is at the next node, so there are two at least. All nodes share this machine's cores,
    so links are slow enough that links, and not processors, are the limit, as they were in NEPTUNE's cluster.""",
    subjects=(Subject("despina", shaped, seconds=lambda point, plan: 4 + 0.8 * point["nodes"] + plan.warm_up_s + plan.seconds),),
    metrics=(engine.PER_S, PER_NODE, MBIT_PER_NODE, engine.CPU),
    full=Plan([_at(nodes) for nodes in NODES], warm_up_s=4, seconds=6),
    quick=Plan([_at(2), _at(4)], repeats=1, warm_up_s=2, seconds=3),
    published=(Published("001 NEPTUNE, Fig 6", "linear in the number of nodes", None,
                         f"of the throughput per node at {NODES[0]} nodes, at {NODES[-1]}",
                         lambda result: found.value if (found := _linear(result)) else None),),
    claims=(Claim(f"throughput per node at {NODES[-1]} nodes, of that at {NODES[0]}", _linear, at_least=0.9),),
    needs=(java.java_needed, hosts.needed),
)
