"""One Spark with two executors for all of these tests, and the engine in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from despina.backends import executors
from despina.engine import Engine
from support import spark_archive
from support.java import QUICK
from support.processes import Command, commands

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local-cluster[2,1,1024]"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--every-case``, or DESPINA_EVERY_CASE=1, runs all contract cases; without it there is one of each operator."""
    parser.addoption("--every-case", action="store_true", default=bool(os.environ.get("DESPINA_EVERY_CASE")),
                     help="run every contract case, not one of each operator")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session whose two executors have one core each."""
    started = executors.session(MASTER, {"spark.ui.enabled": "false",
                                         "spark.executor.extraJavaOptions": spark_archive.options(QUICK)})
    yield started
    started.stop()


@pytest.fixture(scope="session")
def engine(spark: SparkSession) -> Engine:
    """The engine in its executors."""
    return executors.engine(spark)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    """Starts ``despina`` with arguments; at the end of the test no process of it may live."""
    yield from commands(tmp_path)
