"""The façade in Spark's JVM: all that the translation asks of it beside Spark itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def facade(spark: SparkSession) -> Any:
    """The class ``io.despina.spark.frame.Frames``: texts and Java's frames go in, Java's frames come out."""
    jvm = spark._jvm
    assert jvm is not None
    return jvm.io.despina.spark.frame.Frames
