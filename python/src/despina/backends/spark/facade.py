"""The façade in Spark's JVM: all that the translation asks of it beside Spark itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GATEWAY = "io.despina.gateway.Gateway"
_FRAMES = "io.despina.spark.frame.Frames"
_found: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""By the JVM: the JVM looks through all of its jars for each name that is none of a class, and a package's is none."""


def facade(spark: SparkSession) -> Any:
    """The class ``io.despina.spark.frame.Frames``: texts and Java's frames go in, Java's frames come out."""
    return ours(spark, _FRAMES)


def ours(spark: SparkSession, name: str) -> Any:
    """A class of ours in Spark's JVM; no ``JavaClass`` if it is not there."""
    from py4j.java_gateway import JavaClass

    jvm = spark._jvm
    assert jvm is not None
    classes = _found.setdefault(jvm, {})
    if name not in classes:
        found = getattr(jvm, name)      # in one piece, so that it does not look for packages
        if not isinstance(found, JavaClass):
            return found
        classes[name] = found
    return classes[name]


def elements(found: Any) -> list[Any]:
    """Those of a list of Java's. A loop over it would end by an exception, for which PySpark looks for a dozen classes."""
    return [found[place] for place in range(len(found))]
