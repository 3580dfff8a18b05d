"""A Spark ML model that is trained on windows of the engine, and scores them live.

Run it by ``python model.py [FOLDER]``, or by ``spark-submit --master 'local[2]' model.py [FOLDER]``. Spark ML needs numpy.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from pyspark.ml import Pipeline
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import despina
import readings

PAST = (date(2026, 11, 1), date(2026, 11, 2))
TODAY = date(2026, 11, 3)
GRAPH = str(Path(__file__).with_name("power.graph.json"))


def main(folder: Path) -> None:
    """Fills ``FOLDER/scores``, and shows the machines that need a new bearing."""
    spark = SparkSession.builder.appName("model").getOrCreate()
    spark.sql(f"ADD JAR '{despina.spark_jar()}'")       # for format("despina") below

    # Windows of the past, from the engine, and beside them what the maintenance book says: was the bearing hot?
    for day in PAST:
        readings.write(folder / "past", day)
    with despina.load(GRAPH).run(parameters={"input": str((folder / "past").absolute())}) as job:
        windows = job.rows().to_spark(spark)
    book = spark.createDataFrame([entry for day in PAST for entry in readings.book(day)],
                                 "minute TIMESTAMP, machine STRING, label DOUBLE")
    labelled = windows.join(book, ["minute", "machine"])

    # The model is a plain pipeline of Spark ML. It may be saved, and loaded by another application.
    features = VectorAssembler(inputCols=["mean", "swing"], outputCol="features")
    model = Pipeline(stages=[features, DecisionTreeClassifier(maxDepth=3)]).fit(labelled)

    # The same graph over today's readings, this time as a streaming DataFrame: what the model sees live is made by the very code
    # that made what it was trained on. This file has an end; on a graph without one, leave the trigger out.
    today = readings.write(folder / "today", TODAY).absolute()
    live = spark.readStream.format("despina").options(**{"graph": GRAPH, "output": "minutes", "parameter.input": today}).load()
    scores = model.transform(live).select("minute", "machine", F.col("prediction").cast("boolean").alias("is_hot"))
    query = (scores.writeStream.format("parquet").option("path", str(folder / "scores"))
             .option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start())
    query.awaitTermination()

    spark.read.parquet(str(folder / "scores")).where("is_hot").groupBy("machine").count().orderBy("machine").show()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/model"))
