"""Spark sessions for graphs: started by us, or the user's own with our jar made visible; and the gateway in their JVM."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from despina import installed
from despina.backends.spark import launch
from despina.backends.spark.facade import GATEWAY, facade, ours
from despina.errors import DespinaWarning, RefusedError, StartError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.plan import Plan


OURS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}
"""Settings of each session that we start."""
HERE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Settings of a Spark on this machine alone."""
DRIVER_OPTIONS = "spark.driver.defaultJavaOptions"


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
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    jars = [str(installed.our_jar()), *(path for path in installed.users_path() if path.endswith(".jar"))]
    settings = {"spark.master": master, "spark.app.name": "despina", **OURS, "spark.jars": ",".join(jars),
                DRIVER_OPTIONS: launch.own_logging(), **conf}
    try:
        if SparkContext._active_spark_context is None:
            launch.launch(SparkConf().setAll(list(settings.items())))
        return SparkSession.builder.config(map=settings).getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise StartError(
            "spark_start",
            f"Spark does not start: {error}",
            hint="see the output of its Java above; despina doctor shows which Java that is",
        ) from error


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
    told = str(facade(session).settings(session._jsparkSession)).split("\0")
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
    java = facade(spark)
    return {name: Frame(java.inSession(spark._jsparkSession, frame._jdf), spark) for name, frame in frames.items()}


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


def is_connect(session: object) -> bool:
    """Whether it is a session of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def refuse_connect(spark: SparkSession, why: str, hint: str) -> None:
    """Refuses a session whose driver is out of reach.

    :param why: what would have to be there
    :raise RefusedError: it is one of Spark Connect
    """
    if is_connect(spark):
        raise RefusedError("spark_connect", f"this is a session of Spark Connect: its driver runs elsewhere, and {why}", hint)


def gateway_class(spark: SparkSession) -> Any:
    """The façade's class in Spark's JVM; a session that was started without our jar gets it.

    :raise RefusedError: it is a session of Spark Connect
    :raise StartError: it cannot be loaded there
    """
    from py4j.java_gateway import JavaClass

    refuse_connect(spark, "DataFrames of a graph must be made in it",
                   "run the script by spark-submit, or name a master; or run the graph on the engine: the session reads the rows "
                   "of a running job after despina.register_source(spark). A decorated function takes a frame of such a session "
                   "without a graph: `function.on(frame)`")
    if not isinstance(ours(spark, GATEWAY), JavaClass):
        spark.sql(f"ADD JAR '{installed.our_jar()}'")
        if not isinstance(ours(spark, GATEWAY), JavaClass):
            raise StartError(
                "spark_jar",
                "this Spark session cannot load despina's jar",
                hint=f"start it with spark.jars={installed.our_jar()}",
            )
    return ours(spark, GATEWAY)


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
