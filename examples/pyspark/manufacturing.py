"""The manufacturing job in the executors of a Spark cluster; its alarms are a streaming DataFrame, and become Parquet.

Run it by ``python manufacturing.py [FOLDER]``, or by ``spark-submit --master 'local[2]' manufacturing.py [FOLDER]``. The graph
and the query need a slot each: ``local[1]`` has too few.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import despina
from despina import share

ONE_RESOURCE = {"format": 1, "resources": {"engine": {"start": "executor"}}}
"""The graph takes one executor. Without a deployment it takes all of them, and the query below would wait for a free one."""


def main(folder: Path) -> None:
    """Fills ``FOLDER/alarms``, and shows what is in it."""
    # The source below is one in Python. Spark's workers would run whatever `python3` is, not this one with its packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.appName("manufacturing").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    # A graph makes the input, too: readings of a machine whose valves become slower.
    folder.mkdir(parents=True, exist_ok=True)
    readings = str((folder / "readings.txt").absolute())
    made = despina.load(share.path("graphs/manufacturing_input.graph.json"))
    made.run(on=spark, parameters={"output": readings, "rows": 20_000}, deployment=ONE_RESOURCE).wait()

    # The engine runs in an executor and follows its own clock. `serve` keeps the rows of a sink on its disk until they were read.
    graph = despina.load(share.path("graphs/manufacturing.graph.json"))
    with graph.run(on=spark, parameters={"input": readings}, deployment=ONE_RESOURCE, spool="delays") as job:
        despina.register_source(spark, "despina_job")
        delays = spark.readStream.format("despina_job").options(**despina.job_options(job)).load()

        # From here on it is Structured Streaming: a query has its checkpoint, its trigger and its sink.
        query = (delays.where("alarm").writeStream.format("parquet").option("path", str(folder / "alarms"))
                 .option("checkpointLocation", str(folder / "checkpoint")).start())
        while query.isActive and not job.poll(1).ended:     # a job has ended when its last row was taken
            pass
        query.processAllAvailable()                         # raises what has ended the query, if something has
        query.stop()

    alarms = spark.read.parquet(str(folder / "alarms"))
    alarms.groupBy("pair").agg(F.count("*").alias("alarms"), F.max("delay_us").alias("longest_us")).orderBy("pair").show()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/manufacturing"))
