"""The Python of Spark's workers, which is not the driver's by itself: Spark starts ``python3``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from despina.errors import RefusedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARIABLE = "PYSPARK_PYTHON"
MODULES = {"google.protobuf": "protobuf"}
"""What is installed by another name than it is imported."""


def refuse_bare_python(spark: SparkSession, *more: str) -> None:
    """On one machine, a Python that cannot do is told before its workers fail.

    :param more: modules that it needs beside pyarrow
    :raise RefusedError: it has none of that name
    """
    context = getattr(spark, "_sc", None)       # not over Spark Connect
    if context is None or not context.master.startswith("local"):
        return
    found = shutil.which(context.pythonExec)
    for module in ("pyarrow", *more):
        if found is None or not (_is_here(module) if found == sys.executable else _imports(found, module)):
            name = MODULES.get(module, module)
            raise RefusedError("python", f"Spark's workers run {found or context.pythonExec}, which has no {name}",
                               f"set {VARIABLE}={sys.executable} before the session starts" if _is_here(module)
                               else f"pip install {name}")


def _is_here(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:     # not even its package
        return False


def _imports(python: str, module: str) -> bool:
    return subprocess.run([python, "-c", f"import {module}"], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False).returncode == 0


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
