"""NEXMark's queries on Flink SQL: a process with a local cluster of parallelism 1, set up for throughput."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.experiment import Point
from peers.contract import Trial, Variant
from peers.nexmark import peer
from peers.nexmark.events import PARQUET

FLAGS = ("-Xms6g", "-Xmx6g", "-Xmn1g", "-XX:+UseParallelGC")
"""Without the first q4 and q7 spend half of their time in full collections; with G1 q5 took 9 % more."""
SETTINGS = {
    "flink.pipeline.object-reuse": "true",
    "flink.table.exec.mini-batch.enabled": "true",
    "flink.table.exec.mini-batch.allow-latency": "2 s",
    "flink.table.exec.mini-batch.size": "50000",
    "flink.table.local-time-zone": "UTC",
    "flink.taskmanager.memory.managed.size": "1g",
}
REMARK = "mini-batches of 2 s or 50,000 rows; 6 GB heap"
MAIN = "io.despina.compare.flink.nexmark.Queries"
OPENS = ("--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
         "--add-opens=java.base/java.time=ALL-UNNAMED", "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED")


def variants(point: Point) -> Sequence[Variant]:
    """The text of Flink's own NEXMark, as far as our events have its columns; where that keeps state for ever and another text
    may cost less, that one as well, or in its place if it was plainly better. None over Parquet, whose reader wants Hadoop.
    """
    forms = [] if point["from"] == PARQUET else peer.forms("flink", point["query"])
    settings = {"texts": peer.texts("flink"), **SETTINGS}
    return [Variant(form.partition("_")[2] or "default", settings, remark=REMARK) for form in forms]


def start(trial: Trial, java_home: str, class_path: Sequence[Path]) -> None:
    """The process that runs the query."""
    settings = trial.write_settings(peer.settings("flink", peer.form("flink", trial), trial.point))
    trial.processes.start("query", [str(Path(java_home) / "bin" / "java"), *FLAGS, *OPENS, "-cp",
                                    ":".join(map(str, class_path)), MAIN, str(settings)])
