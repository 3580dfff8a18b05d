"""Spark's job of experiment ``python_peers``: a batch without end, and for state by key a stream of micro-batches."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import functions
from pyspark.sql import Row, SparkSession
from pyspark.sql.functions import col, pandas_udf, pmod, udf, unix_micros

ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
BATCH_ROWS = 200_000


class Mean:
    """A stateful processor, by its methods."""

    def init(self, handle: Any) -> None:
        """Before all rows."""
        self.kept = handle.getValueState("kept", "n BIGINT, total DOUBLE")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803 (Spark's)
        """Rows of a key."""
        kept = self.kept.get()
        for row in rows:
            kept, mean = functions.mean(kept, row.a)
            yield Row(mean=mean)
        self.kept.update(kept)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: N802, N803
        """There are none."""
        return iter(())

    def close(self) -> None:
        """Nothing is open."""


def main() -> None:
    """Until it is killed."""
    work, keys, _ = functions.words()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
             .config("spark.executorEnv.PYTHONPATH", str(Path(functions.__file__).parent))
             .config("spark.sql.shuffle.partitions", "1").config("spark.sql.streaming.stateStore.providerClass", ROCKS_DB)
             .getOrCreate())
    if work == "mean by key":
        stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", functions.batch_rows(BATCH_ROWS)).load()
        key, a = pmod(col("value") * 2_654_435_761, keys).alias("key"), (col("value") % 101).cast("double").alias("a")
        rows = stream.select(key, a)
        means = rows.groupBy("key").transformWithState(Mean(), "mean DOUBLE", "Append", "None")
        means.writeStream.format("noop").option("checkpointLocation", tempfile.mkdtemp()).start().awaitTermination()
        return
    if work == functions.ONE_BY_ONE:
        paced = spark.readStream.format("rate").option("rowsPerSecond", functions.RATE_PER_S).load()
        aged = udf(functions.aged, "double", useArrow=True)
        made = paced.select(aged((unix_micros("timestamp") / 1e6), (col("value") % 101).cast("double"),
                                 (col("value") % 97).cast("double")).alias("f"))
        made.writeStream.format("noop").option("checkpointLocation", tempfile.mkdtemp()).start().awaitTermination()
        return
    rows = spark.range(0, 1 << 50, 1, 1).select((col("id") % 101).cast("double").alias("a"),
                                                (col("id") % 97).cast("double").alias("b"))
    if work == "by row":
        called = udf(functions.by_row, "double", useArrow=True)
    else:
        import pandas

        def series(a: pandas.Series, b: pandas.Series) -> pandas.Series:
            return pandas.Series(functions.by_array(a, b))
        series.__annotations__ = dict.fromkeys(("a", "b", "return"), pandas.Series)     # Spark reads types, and those are texts
        called = pandas_udf(series, "double")
    rows.select(called("a", "b").alias("f")).write.format("noop").mode("overwrite").save()


main()
