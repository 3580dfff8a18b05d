"""One Spark with two executors for all of these tests, and the engine in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from despina.backends import executors
from despina.engine import Engine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session whose two executors have one core each."""
    started = executors.session(MASTER, {"spark.ui.enabled": "false"})
    yield started
    started.stop()


@pytest.fixture(scope="session")
def engine(spark: SparkSession) -> Engine:
    """The engine in its executors."""
    return executors.engine(spark)
