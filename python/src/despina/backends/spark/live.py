"""Rows that a running job gets as they come, for Spark's real-time mode."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from despina.backends.spark.facade import facade
from despina.backends.spark.session import refuse_connect
from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter


def live_writer(frame: DataFrame, job_file: str | Path, **options: str) -> DataStreamWriter:
    """``frame.writeStream``, whose rows go to a ``spark_source`` of a running job one by one, as soon as Spark has them.

    >>> despina.live_writer(alarms, "job.json").trigger(realTime="5 minutes").outputMode("update").start()  # doctest: +SKIP

    Rows are not held back until an epoch is complete, so those of an epoch that Spark repeats come again.

    :param options: ``input``, ``secretFile`` and ``tls``, as ``format("despina")`` has them
    :raise RefusedError: the session has not got the engine's jar, or is one of Spark Connect
    """
    from py4j.java_gateway import JavaClass

    refuse_connect(frame.sparkSession, "rows go one by one from its machines' JVMs, which have no jar of the engine's",
                   "run the script by spark-submit, or name a master")
    java = facade(frame.sparkSession)
    if not isinstance(java, JavaClass):
        raise RefusedError("spark_jar", "this Spark session has not got the engine's jar",
                           "SparkSession.builder.config(\"spark.jars\", despina.spark_jar())")
    made = frame.writeStream
    made._jwrite = made._jwrite.foreach(java.liveWriter({"job": str(job_file), **options}))
    return made
