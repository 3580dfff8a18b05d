"""The Python of Spark's workers, which is not the driver's by itself: Spark starts ``python3``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARIABLE = "PYSPARK_PYTHON"
SETTING = "spark.pyspark.python"


def refuse_bare_python(spark: SparkSession) -> None:
    """On one machine, a Python that cannot do is told before its workers fail.

    :raise RefusedError: it has no pyarrow
    """
    context = getattr(spark, "_sc", None)       # not over Spark Connect
    if context is not None:
        _refuse(context.pythonExec, context.master)


def of_executors(spark: SparkSession) -> tuple[str, list[str]]:
    """The command of the Python that runs functions in tasks of Spark's JVM, and the names of the zips that the application has
    sent along for imports. It is that of Spark's own workers, unless the application names another.

    :raise RefusedError: on one machine, it has no pyarrow
    """
    context = spark.sparkContext
    command = context.getConf().get(SETTING) or context.pythonExec
    _refuse(command, context.master)
    return command, list(context._python_includes or ())


def _refuse(command: str, master: str) -> None:
    if not master.startswith("local") or command.startswith("."):       # that is seen from an executor's folder
        return
    found = shutil.which(command)
    if found is None or (found != sys.executable and subprocess.run(
            [found, "-c", "import pyarrow"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode):
        raise RefusedError("python", f"Spark's workers run {found or command}, which has no pyarrow",
                           f"set {VARIABLE}={sys.executable} before the session starts")


@contextmanager
def ours(master: str) -> Iterator[None]:
    """A Spark on this machine that is started in the block has this process's Python, unless another one was named."""
    if VARIABLE in os.environ or not master.startswith("local"):
        yield
        return
    os.environ[VARIABLE] = sys.executable
    try:
        yield
    finally:
        del os.environ[VARIABLE]


@contextmanager
def of_our_pandas() -> Iterator[None]:
    """PySpark warns of a pandas that is newer than those it knows, whether or not the user has any use for one."""
    with warnings.catch_warnings():
        keep_quiet_of_pandas()
        yield


def keep_quiet_of_pandas() -> None:
    """The same for as long as this process runs: what PySpark makes of a newer pandas is not its user's to mend."""
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    warnings.filterwarnings("ignore", "The copy keyword is deprecated", DeprecationWarning, r"pyspark\.")
