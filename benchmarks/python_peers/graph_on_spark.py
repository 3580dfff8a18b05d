"""A mean by key of a graph of ours as a stream of Spark's, for experiment ``python_peers``: by a function of Python's, which
the engine's operator calls within Spark's ``transformWithState``, or by the engine's own fold, which has no function.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import functions

import despina
from despina.backends.spark import session

MODULES = Path(__file__).resolve().parents[1] / "experiments" / "graphs"
BATCH_ROWS = 20_000
LOOK_S = 0.1
COLUMNS = "ts TIMESTAMP, id BIGINT, key BIGINT, a DOUBLE"
MEANS: dict[str, dict[str, Any]] = {
    "function": {"type": "python", "function": "measured_functions:Mean", "columns": ["a"], "group_by": ["key"], "clock": "event",
                 "state": "n BIGINT, total DOUBLE", "adds": "mean DOUBLE"},
    "fold": {"type": "scan", "group_by": ["key"], "state": {"n": {"initial": "0L", "next": "n + 1"},
                                                            "total": {"initial": "0D", "next": "total + a"}},
             "select": ["ts", "id", "key", "a", "next.total / next.n AS mean"]},
}


def main() -> None:
    """Until it is killed."""
    _, keys, mode = functions.words()
    spark = session.start("local[1]", {session.STATE_STORE: session.ROCKS_DB, "spark.sql.shuffle.partitions": "1"})
    source = {"type": "file_source", "path": "in_place_of.csv", "format": "csv", "schema": COLUMNS,
              "event_time": {"column": "ts", "max_delay_ms": 0, "order_by": ["id"]}}
    graph = {"format": 1, "name": "mean_by_key",
             "operators": {"source": source, "mean": MEANS[mode], "sink": {"type": "collect_sink"}},
             "links": [{"from": "source", "to": "mean"}, {"from": "mean", "to": "sink"}]}
    given = (spark.readStream.format("rate-micro-batch").option("rowsPerBatch", functions.batch_rows(BATCH_ROWS)).load()
             .selectExpr("timestamp AS ts", "value AS id", f"pmod(value * 2654435761, {keys}) AS key",
                         "CAST(value % 101 AS DOUBLE) AS a"))
    means = despina.Graph.from_dict(graph).to_spark(spark, inputs={"source": given}, streaming=True, modules=[MODULES])["sink"]
    query = means.writeStream.format("noop").option("checkpointLocation", tempfile.mkdtemp()).start()
    tell(query)


def tell(query: Any) -> None:
    """Writes how many rows its micro-batches have had, a line for each, and one before the first."""
    told, rows = -1, 0
    with functions.meter() as meter:
        meter.write(f"{time.monotonic()} {rows}\n")
        while not query.awaitTermination(LOOK_S):
            for progress in query.recentProgress:
                if progress["batchId"] > told and progress["numInputRows"]:
                    told, rows = progress["batchId"], rows + progress["numInputRows"]
                    meter.write(f"{time.monotonic()} {rows}\n")


if __name__ == "__main__":
    main()
