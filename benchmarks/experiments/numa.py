"""UPM-CEP's Fig 13: a query for each NUMA node, with and without regard to nodes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache

from despina.graph import Graph
from despina.machine import Machine, Node
from despina.placing import Known, Proposal
from harness import engine, graphs, java
from harness.api import session
from harness.experiment import Experiment, Figure, Measured, Metric, Plan, Point, Published, Run, Subject
from harness.plots import Lines, lines
from harness.result import Result

NODES, CORES = 16, 18
"""Of the Bullion S16 in UPM-CEP's figures 1 and 2: its nodes are two by two close to each other."""
PAPER, HERE = "computed", "measured"
ADDRESS = "CAST(pmod(id * 2654435761, 10000) AS INT)"
RATE = 10e6
"""Events per second and query, for the computation: about what one query does here."""
DISTANCE = Metric("distance", "mean distance of a byte")
AWARE, UNAWARE = "by node", "without regard to nodes"


def bullion(used: int) -> Machine:
    """The machine, of which this process may use so many nodes."""
    nodes = tuple(Node(k, f"{k * CORES}-{(k + 1) * CORES - 1}", 256 << 30,
                       tuple(10 if other == k else 15 if other // 2 == k // 2 else 40 for other in range(NODES)))
                  for k in range(NODES))
    return Machine(f"0-{NODES * CORES - 1}", f"0-{used * CORES - 1}", None, nodes)


def queries(count: int) -> graphs.Json:
    """HiBench's fixed window so many times."""
    one = json.loads((graphs.GRAPHS / "fixed_window.graph.json").read_text().replace("${ip}", ADDRESS))
    return {"format": 1, "name": "queries",
            "operators": {f"{name}_{k}": each for k in range(count) for name, each in one["operators"].items()},
            "links": [{**link, "from": f"{link['from']}_{k}", "to": f"{link['to']}_{k}"}
                      for k in range(count) for link in one["links"]]}


def _by_turns(count: int, names: list[str]) -> dict[str, list[str]]:
    """The source of each query in one node, its window in the next."""
    places = {}
    for k in range(count):
        places[f"connections_{k}"] = [names[2 * k % len(names)]]
        places[f"per_ip_{k}"] = places[f"sink_{k}"] = [names[(2 * k + 1) % len(names)]]
    return places


def _bytes_and_distance(proposal: Proposal, machine: Machine) -> tuple[float, float]:
    """Of what goes from node to node: bytes, and bytes times distance."""
    def node(name: str) -> int:
        return int(name.removeprefix("node"))
    return (sum(way.bytes_per_s for way in proposal.ways),
            sum(way.bytes_per_s * machine.nodes[node(way.source)].distances[node(way.to)] for way in proposal.ways))


@cache
def _computed(count: int, aware: bool) -> Measured:
    """The mean distance that a byte goes from the source of its query to the window; the same each time."""
    if count == 1:
        return Measured({DISTANCE.name: 10.0})
    machine = bullion(count)
    deployment = machine.deployment()
    known = Known({f"connections_{k}": RATE for k in range(count)})
    graph = Graph.from_dict(queries(count))
    turns = {**deployment, "place": _by_turns(count, list(deployment["resources"]))}
    with session() as started:
        apart = graph.place(turns, known, engine=started)
        chosen = graph.place(deployment, known, engine=started) if aware else apart
    whole, _ = _bytes_and_distance(apart, machine)
    away, far = _bytes_and_distance(chosen, machine)
    return Measured({DISTANCE.name: (far + 10 * (whole - away)) / whole}, {"place": dict(chosen.place)})


def _here(run: Run, count: int, aware: bool) -> Measured:
    """Each query is in a process of its own, which is bound to a processor of this machine, or goes where the system puts it."""
    cpus = sorted(os.sched_getaffinity(0))[:count]
    resources = {f"node{k}": {"cores": 1, **({"cpus": str(cpu)} if aware else {})} for k, cpu in enumerate(cpus)}
    place = {f"{name}_{k}": [f"node{k}"] for k in range(count) for name in ("connections", "per_ip", "sink")}
    report = engine.timed(run, queries(count), {"format": 1, "resources": resources, "place": place})
    events = sum(report["operators"][f"per_ip_{k}"]["packets_in"] for k in range(count))
    cpu_s = sum(resource["cpu_s"] for resource in report["resources"].values())
    return Measured({"per_s": events / run.seconds, engine.CPU.name: 1e6 * cpu_s / events}, report)


def _subject(name: str) -> Subject:
    def measure(run: Run) -> Measured:
        count = run.point["nodes"]
        return _computed(count, name == AWARE) if run.point["of"] == PAPER else _here(run, count, name == AWARE)
    return Subject(name, measure, seconds=lambda point, plan: 2 if point["of"] == PAPER else 4 + plan.warm_up_s + plan.seconds)


def _at(of: str, nodes: int) -> Point:
    return {"of": of, "nodes": nodes}


def _shorter(result: Result) -> float | None:
    """What is left of a byte's distance on eight nodes."""
    found = result.ratio(DISTANCE.name, AWARE, UNAWARE, _at(PAPER, 8))
    return found.value if found else None


def _more(nodes: int) -> Callable[[Result], float | None]:
    """Events per second of bound processes beyond those of free ones, in per cent."""
    def gain(result: Result) -> float | None:
        found = result.ratio("per_s", AWARE, UNAWARE, _at(HERE, nodes))
        return 100 * (found.value - 1) if found else None
    return gain


EXPERIMENT = Experiment(
    name="numa",
    doc=f"""HiBench's fixed window once for each node of memory. Computed for the machine of UPM-CEP's figures 1 and 2
    ({NODES} nodes, distances 10, 15 and 40): the mean distance that a byte goes when `despina place` knows the distances, and
    when operators are dealt out in turn. Measured as UPM-CEP did, each query in a process of its own, with a processor of
    this machine as a node: processes that are bound to theirs, and processes that run where the system puts them.""",
    subjects=(_subject(UNAWARE), _subject(AWARE)),
    metrics=(DISTANCE, engine.PER_S, engine.CPU),
    baseline=UNAWARE,
    full=Plan([*(_at(PAPER, nodes) for nodes in (1, 2, 4, 8)), _at(HERE, 1), _at(HERE, 2)], warm_up_s=4, seconds=5),
    quick=Plan([_at(PAPER, 4), _at(HERE, 2)], repeats=1, warm_up_s=2, seconds=2),
    published=(
        Published("003 UPM-CEP, Fig 13", "26 % more events with regard to nodes, 8 nodes", None,
                  "of the distance of a byte, computed for 8 nodes", _shorter),
        Published("003 UPM-CEP, Fig 13", "18 % more, 1 node", 18, "% more events, 1 processor in place of a node", _more(1)),
        Published("003 UPM-CEP, Fig 13", "18 to 26 % more, 2 to 8 nodes", None, "% more events, 2 processors in place of nodes",
                  _more(2)),
    ),
    figures=(Figure("distance", lines(
        Lines("nodes", DISTANCE, where={"of": PAPER}, title="16 nodes, computed"),
        Lines("nodes", engine.PER_S, where={"of": HERE}, scale=1e-6, y_label="M events/s", title="processors of this machine")),
        (11, 4.4)),),
    needs=(java.java_needed, engine.taskset_needed, engine.two_processors_needed),
    remarks="""On a machine with one node of memory, as ours, nothing that is measured has a way to far memory in it: what binding
    wins or loses is that of processors that share all. The gain of nodes is computed alone.""",
)
