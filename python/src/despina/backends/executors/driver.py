"""The gateway in Spark's own JVM, with the executors as its resources: one for each application."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from despina import installed
from despina.backends.spark.session import gateway_class, refuse_connect
from despina.engine import Engine
from despina.errors import RefusedError, StartError
from despina.interrupts import deferred
from despina.version import SPARK_MINOR, VERSION

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_engines: WeakKeyDictionary[SparkContext, Engine] = WeakKeyDictionary()
_lock = threading.Lock()


def engine(spark: SparkSession) -> Engine:
    """The engine in the executors of that session's application.

    :raise RefusedError: it is no session of a driver in this process, or its Spark is of another version
    :raise StartError: our jar cannot be loaded there
    """
    _refuse_others(spark)
    context = spark.sparkContext
    with _lock:
        known = _engines.get(context)
        if known is None or not known.alive():
            known = _engines[context] = Engine(ExecutorsDriver(spark), "executors")
        return known


def _refuse_others(spark: SparkSession) -> None:
    refuse_connect(spark, "the engine's coordinator must run in it", "run the script by spark-submit, or name a master")
    kind = type(spark)
    if kind.__name__ != "SparkSession" or not kind.__module__.startswith("pyspark.sql"):
        raise RefusedError("on", f"unknown place to run: {spark!r}",
                           "local, executors, or a SparkSession; Graph.to_spark(session) gives DataFrames")
    if ".".join(spark.version.split(".")[:2]) != SPARK_MINOR:
        raise RefusedError("spark_version", f"this session is of Spark {spark.version}, and Despina {VERSION} runs on "
                           f"{SPARK_MINOR} only", f"pip install 'pyspark=={SPARK_MINOR}.*', and a cluster of that version")


class ExecutorsDriver:
    """A driver (see :mod:`despina.drivers`) whose gateway lives in Spark's own JVM, and ends with the application."""

    def __init__(self, spark: SparkSession) -> None:
        from py4j.protocol import Py4JError
        self._error: type[Exception] = Py4JError
        self._context = spark.sparkContext
        self._closed = False
        with deferred():
            self._gateway: Any = gateway_class(spark).onExecutors(str(installed.our_jar()))

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method that answers text."""
        return str(self._invoke(method, *arguments))

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls a method that answers bytes."""
        return bytes(self._invoke(method, *arguments))

    def _invoke(self, method: str, *arguments: str | int | bytes) -> Any:
        try:
            # as over py4j to a JVM of our own: an interrupted call would lose its answer
            with deferred():
                return getattr(self._gateway, method)(*arguments)
        except (self._error, OSError) as error:
            raise StartError("engine_lost", f"the driver of Spark does not answer {method}: {error}",
                             "its session has been stopped, or its JVM has ended") from error

    def alive(self) -> bool:
        """Whether it was not closed, and the session was not stopped."""
        return not self._closed and self._context._jsc is not None

    def close(self) -> None:
        """Ends every job; leaves the session as it is."""
        if not self._closed:
            self._closed = True
            with suppress(StartError):      # Spark's JVM has ended before
                self._invoke("close")
