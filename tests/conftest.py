"""The engine behind each driver, and one Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from despina import archive, drivers
from despina.backends.spark import session
from despina.drivers.jvm import OPTIONS_VARIABLE
from despina.engine import Engine
from support import spark_archive
from support.java import QUICK, RESOURCE_OPTIONS, SMALL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ[archive.SWITCH] = "off"      # no test leaves a process behind that makes one
# of each Spark that a test starts, in this process or another
os.environ.setdefault("SPARK_SUBMIT_OPTS", spark_archive.options())
os.environ.setdefault("PYSPARK_SUBMIT_ARGS", spark_archive.arguments())


@pytest.fixture(scope="session", autouse=True)
def small() -> Iterator[None]:
    """Each engine of these tests sees little data, also one that a graph starts by itself, and so do its resources; tests of
    processes say otherwise.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, options in ((OPTIONS_VARIABLE, SMALL), (RESOURCE_OPTIONS, QUICK)):
            if name not in os.environ:
                patch.setenv(name, options)
        yield


@pytest.fixture(scope="session", params=["py4j", "jpype"])
def engine(request: pytest.FixtureRequest, small: None) -> Iterator[Engine]:
    """An engine behind each driver."""
    with closing(Engine(drivers.start(request.param), request.param)) as started:
        yield started


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local Spark with our jar on its class path."""
    started = session.start("local[2]", spark_archive.PLAIN)
    yield started
    started.stop()
