"""The manufacturing job over several hosts."""

from __future__ import annotations

from harness import engine, graphs, hosts, java, joined, readings
from harness.experiment import Experiment, Figure, Measured, Plan, Point, Run, Subject
from harness.joined import Park
from harness.plots import Lines, lines

HOSTS = (1, 2, 4)
ROWS = 2_000_000
RATE = "1gbit"


def spread(run: Run) -> Measured:
    """The source on the first host; a pair of signals on each of the next ones."""
    count = run.point["hosts"]
    names = [f"host_{k}" for k in range(count)]
    place = {"readings": names[:1], "delays": names[:1]}
    for k, pair in enumerate((("sensor_05", "valve_08"), ("sensor_06", "valve_09"), ("sensor_07", "valve_10"))):
        place |= {f"{signal}_scan": [names[(k + 1) % count]] for signal in pair}
    report = joined.run(run, Park(count, RATE), graphs.ROOT / "graphs" / "manufacturing.graph.json", place,
                        {"input": str(readings.made(run, run.point["rows"])), "output": str(run.folder / "delays")}, ends=True)
    return Measured({"per_s": report["operators"]["readings"]["packets_out"] / report["measured_s"]}, report)


def _at(count: int, rows: int = ROWS) -> Point:
    return {"hosts": count, "rows": rows}


EXPERIMENT = Experiment(
    name="manufacturing_hosts",
    doc=f"""The manufacturing job (NEPTUNE's Fig 8) over {ROWS:,} readings that are made up, on 1, 2 and 4 hosts: network
    namespaces with links of {RATE[:-4]} Gbit/s that share this machine's cores, so more of them add the way between them, and
    no processor.""",
    subjects=(Subject("despina", spread, seconds=lambda point, plan: 12 + 2 * point["hosts"]),),
    metrics=(engine.PER_S,),
    full=Plan([_at(count) for count in HOSTS], warm_up_s=0, seconds=5),
    quick=Plan([_at(2, 200_000)], repeats=1, warm_up_s=0, seconds=1),
    figures=(Figure("throughput", lines(Lines("hosts", engine.PER_S, scale=1e-6, y_label="M readings/s", title="one job"))),),
    needs=(java.java_needed, hosts.needed),
)
