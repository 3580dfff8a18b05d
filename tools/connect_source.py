"""How many rows a second Spark's Python data source reads from a running job, over Spark Connect, into an aggregation.

    .venv/bin/python tools/connect_source.py --seconds 30

The job and Spark share this machine; rows have 50 bytes. The first seconds are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import despina

if TYPE_CHECKING:
    from pyspark.sql.connect.streaming import StreamingQuery

WARM_UP_S = 15
GRAPH = {
    "format": 1, "name": "fifty_bytes",
    "operators": {
        "source": {"type": "generator_source",
                   "rows": {"type": "select", "select": ["id", "id % 1000 AS k", "repeat('x', 22) AS text"]}},
        "rows": {"type": "discard_sink"}},
    "links": [{"from": "source", "to": "rows"}],
}


def main() -> None:
    """Prints a line for each micro-batch's rate and one for all after warming up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph, file = folder / "g.json", folder / "job.json"
        graph.write_text(json.dumps(GRAPH))
        job = subprocess.Popen([sys.executable, "-m", "despina", "run", graph, "--spool", "rows", "--job-file", file, "--quiet",
                                "--drain-ms", "1"], stderr=subprocess.DEVNULL)
        try:
            while not file.exists():
                time.sleep(0.1)
            print(f"{rate(file, folder, seconds):,.0f} rows/s")
        finally:
            job.terminate()
            job.wait()


def rate(file: Path, folder: Path, seconds: float) -> float:
    """Rows that micro-batches had in that time, after warming up, for each second."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)     # for Spark's workers
    spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "2").getOrCreate()
    despina.register_source(spark)
    rows = spark.readStream.format("despina").options(**despina.job_options(file)).load()
    query = rows.groupBy("k").count().writeStream.outputMode("complete").format("noop").option(
        "checkpointLocation", str(folder / "checkpoint")).start()
    while not query.lastProgress:       # the first batch has all that came while Spark started
        time.sleep(0.1)
    time.sleep(WARM_UP_S)
    began, before = time.monotonic(), rows_of(query)
    time.sleep(seconds)
    rate = (rows_of(query) - before) / (time.monotonic() - began)
    query.stop()
    return rate


def rows_of(query: StreamingQuery) -> int:
    """How many rows its batches have had."""
    offset = query.lastProgress["sources"][0]["endOffset"]
    return sum(offset["rows"] if isinstance(offset, dict) else json.loads(offset)["rows"])


if __name__ == "__main__":
    main()
