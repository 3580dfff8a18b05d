"""One graph for last year's files and for today's stream: Spark does the backfill, the engine goes on live, into one table.

Run it by ``python backfill.py [FOLDER]``, or by ``spark-submit --master 'local[2]' backfill.py [FOLDER]``.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from pyspark.sql import SparkSession

import despina
import readings

LAST_YEAR = (date(2025, 11, 3), date(2025, 11, 4))
TODAY = date(2026, 11, 3)


def main(folder: Path) -> None:
    """Fills ``FOLDER/minutes``, and shows the alarms in it."""
    spark = SparkSession.builder.appName("backfill").getOrCreate()
    graph = despina.load(Path(__file__).with_name("power.graph.json"))
    table = str(folder / "minutes")

    # Data at rest is Spark's: the graph becomes DataFrames, one for each sink, and runs on all cores that Spark has.
    for day in LAST_YEAR:
        readings.write(folder / "last_year", day)
    minutes = graph.to_spark(spark, parameters={"input": str(folder / "last_year")})["minutes"]
    minutes.write.mode("overwrite").parquet(table)

    # A stream is the engine's: it gives a minute as soon as the minute is over. Here a generator stands for the stream; without
    # `inputs` the source would read files, and follow them as they grow.
    with graph.run(inputs={"readings": readings.of_day(TODAY)}) as job:
        for rows in job.batches():
            rows.to_spark(spark).write.mode("append").parquet(table)

    # Both gave the same columns, types and meaning, because both compile the graph's SQL with Catalyst.
    alarms = spark.read.parquet(table).where("alarm")
    alarms.groupBy(alarms.minute.cast("date").alias("day"), "machine").count().orderBy("day", "machine").show()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/backfill"))
