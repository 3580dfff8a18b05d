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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ[archive.SWITCH] = "off"      # no test leaves a process behind that makes one
QUICK = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
"""Options of JVMs that see little data: the compiler that makes fast code of what runs often costs more than it saves.

With that compiler alone the code cache would have 48 MB, which 40,000 random expressions fill.
"""


@pytest.fixture(scope="session", params=["py4j", "jpype"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine behind each driver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OPTIONS_VARIABLE, QUICK)
        driver = drivers.start(request.param)
    with closing(Engine(driver, request.param)) as started:
        yield started


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local Spark with our jar on its class path."""
    # small data: what plans anew at run time and what compiles code costs more than it saves
    started = session.start("local[2]", {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false",
                                         "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
                                         "spark.driver.extraJavaOptions": QUICK})
    yield started
    started.stop()
