"""NEXMark's queries on Spark SQL, as batches and as streams: a process with two threads for tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.experiment import Point
from peers.contract import Trial, Variant
from peers.nexmark import peer
from peers.nexmark.events import AVRO

FLAGS = ("-Xms6g", "-Xmx6g", "-XX:+UseParallelGC")
SETTINGS = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC"}
REMARK = "a batch, which has all events before it begins; two tasks at once; of made events only the columns that the query reads"
STREAMED = "streamed"
AS_IT_IS = ("q0", "q1", "q2", "q3", "q7", "q8", "q11", "q14", "q20", "q22")
"""The batch's text is a stream's too. Others have one of their own; or none, as q4, whose second aggregate has no windows."""
BATCH_EVENTS = 1_000_000
STREAM = "micro-batches of 1,000,000 events, files as one, append mode; all that is there is worked off (available-now)"
MAINS = {"batch": "io.despina.compare.spark.Queries", STREAMED: "io.despina.compare.spark.Streams"}


def variants(point: Point) -> Sequence[Variant]:
    """A batch, and a stream where Structured Streaming has the query. Of a query by the wall clock there is neither, nor over
    Avro, whose reader is a package that does not come with Spark.
    """
    if point["from"] == AVRO:
        return []
    forms = peer.forms("spark", point["query"])
    settings = {"texts": peer.texts("spark"), **SETTINGS}
    made = [Variant("batch", settings, "a batch", REMARK)] if forms else []
    if point["query"] in AS_IT_IS or f"{point['query']}_{STREAMED}" in forms:
        made.append(Variant(STREAMED, {**settings, "batch_events": BATCH_EVENTS}, "exactly once within the query", STREAM))
    return made


def start(trial: Trial, java: str, flags: Sequence[str], class_path: str) -> None:
    """The process that runs the query."""
    settings = trial.write_settings(peer.settings("spark", peer.form("spark", trial), trial.point))
    given = {**SETTINGS, "spark.app.name": "compare", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
             "spark.driver.bindAddress": "127.0.0.1", "spark.local.dir": str(trial.folder),
             "spark.sql.warehouse.dir": str(Path(trial.folder) / "warehouse")}
    trial.processes.start("query", [java, *FLAGS, *flags, *(f"-D{name}={value}" for name, value in given.items()), "-cp",
                                    class_path, MAINS[trial.variant.name], str(settings)], {"SPARK_LOCAL_IP": "127.0.0.1"})
