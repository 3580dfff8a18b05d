"""How much longer a graph takes to its first packet that reads from Kafka."""

from __future__ import annotations

from harness import engine, graphs, java, kafka
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject
from harness.result import Result

NONE, KAFKA = "no connector", "kafka_source"
FIRST = Metric("first_packet_s", "seconds to the first packet")
CPU = Metric("cpu_s", "CPU-s, the JVM")
TOPIC = "readings"
ROWS = 1000


def _started(run: Run, source: graphs.Json) -> Measured:
    report = engine.run(engine.Command({"format": 1, "name": "start", "operators": {
        "source": source, "sink": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "sink"}]}), run.folder)
    return Measured({FIRST.name: report["first_packet_s"],
                     CPU.name: sum(each["cpu_s"] for each in report["resources"].values())}, report)


def without(run: Run) -> Measured:
    """Rows that the graph makes itself."""
    return _started(run, {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50}, "count": ROWS})


def with_kafka(run: Run) -> Measured:
    """Records of a topic, whose broker runs."""
    filled = run.lab / "filled"
    with kafka.broker(run) as broker:
        if not filled.exists():
            broker.topic(TOPIC)
            kafka.loop(run, "fill", broker.servers, TOPIC, ROWS)
            filled.touch()
        return _started(run, {"type": "kafka_source", "bootstrap_servers": broker.servers, "topics": [TOPIC], "format": "raw",
                              "stop_at": "end"})


def _more(result: Result) -> float | None:
    kafkas, others = (result.median(FIRST.name, subject, {}) for subject in (KAFKA, NONE))
    return None if kafkas is None or others is None else kafkas - others


EXPERIMENT = Experiment(
    name="start_kafka",
    doc="""Seconds from the command to the first packet at the sink, in one JVM, and the processor time of that: of a graph
    without a connector, and of one that reads a topic of a broker that runs already, on the same cores. `despina doctor
    --archive` first makes the class archive; it is stale after each build.""",
    subjects=(Subject(NONE, without, 2), Subject(KAFKA, with_kafka, 8)),
    metrics=(FIRST, CPU),
    baseline=NONE,
    full=Plan([{}], repeats=7, warm_up_s=0, seconds=0),
    quick=Plan([{}], repeats=1, warm_up_s=0, seconds=0),
    claims=(Claim("seconds more with Kafka", _more, at_most=0.4),),
    needs=(java.compiler_needed, kafka.needed),
)
