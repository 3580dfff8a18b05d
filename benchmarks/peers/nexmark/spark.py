"""NEXMark's queries on Spark SQL, as batches: a process with two threads for tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.experiment import Point
from peers.contract import Trial, Variant
from peers.nexmark import peer

FLAGS = ("-Xms6g", "-Xmx6g", "-XX:+UseParallelGC")
SETTINGS = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC"}
REMARK = "a batch, which has all events before it begins; two tasks at once; of made events only the columns that the query reads"
MAIN = "io.despina.compare.spark.Queries"


def variants(point: Point) -> Sequence[Variant]:
    """Batches; of a query by the wall clock there is no batch."""
    return [Variant("batch", {"texts": peer.texts("spark"), **SETTINGS}, "a batch", REMARK)
            for _ in peer.forms("spark", point["query"])]


def start(trial: Trial, java: str, flags: Sequence[str], class_path: str) -> None:
    """The process that runs the query."""
    settings = trial.write_settings(peer.settings("spark", peer.form("spark", trial), trial.point))
    given = {**SETTINGS, "spark.app.name": "compare", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
             "spark.driver.bindAddress": "127.0.0.1", "spark.local.dir": str(trial.folder),
             "spark.sql.warehouse.dir": str(Path(trial.folder) / "warehouse")}
    trial.processes.start("query", [java, *FLAGS, *flags, *(f"-D{name}={value}" for name, value in given.items()), "-cp",
                                    class_path, MAIN, str(settings)], {"SPARK_LOCAL_IP": "127.0.0.1"})
