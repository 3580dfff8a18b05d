"""The command as its user starts it, an engine of the suite's own, and the word that nothing of either is left behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from despina import cli
from despina import engine as engines
from despina.backends.spark import session
from despina.drivers import COORDINATES_ONLY
from despina.drivers.jvm import OPTIONS_VARIABLE
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from support import claims, spark_archive
from support.java import MAPPED, RESOURCE_OPTIONS
from support.kafka import Broker
from support.memory import QUICK, TOUCHED
from support.mqtt import Mosquitto
from support.nats import Nats
from support.processes import Command, Ended, alive, children, commands, until
from support.python_workers import folders, workers
from support.redis_servers import Redis

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Start = Callable[..., Command]
Call = Callable[..., Ended]

# JVMs that see little data: Java's better compiler would take a third of the suite's processor time.
for name in (OPTIONS_VARIABLE, RESOURCE_OPTIONS):
    os.environ.setdefault(name, " ".join([*COORDINATES_ONLY, MAPPED]))


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Runs share the files, where they are told to."""
    return claims.run(session)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``despina`` with arguments; at the end of the test no process of it may live."""
    yield from commands(tmp_path)


def coordinator(environment: dict[str, str]) -> Iterator[Py4jDriver]:
    """For a fixture: a coordinator's JVM; its children must end with it."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environment.items():
            patched.setenv(name, value)
        started = Py4jDriver(["-Xmx512m"])
    pid = started.pid
    seen: set[int] = set()
    try:
        yield started
        seen.update(children(pid))
    finally:
        started.close()
    until(lambda: not any(map(alive, [pid, *seen])), "end of the engine and its resources")


@pytest.fixture(scope="session")
def shared() -> Iterator[Py4jDriver]:
    """The coordinator's JVM of most modules: what one has loaded and compiled, the next does not.

    A resource without a job stays for half a minute, and the next module may take it. That none stays longer is asked once.
    """
    with contextmanager(coordinator)(QUICK) as started:
        yield started
        until(lambda: not children(started.pid), "end of the resources that no job uses")


@pytest.fixture(scope="module")
def driver(request: pytest.FixtureRequest) -> Iterator[Py4jDriver]:
    """The coordinator's JVM of all; of one module alone where that says ``ALONE = True`` or, see there, ``TOUCHED = True``."""
    touched = getattr(request.module, "TOUCHED", False)
    if touched or getattr(request.module, "ALONE", False):
        yield from coordinator(TOUCHED if touched else QUICK)
    else:
        yield request.getfixturevalue("shared")


@pytest.fixture(scope="module")
def engine(driver: Py4jDriver) -> Engine:
    """The engine of the module."""
    return Engine(driver, "py4j")


@pytest.fixture
def clean(driver: Py4jDriver) -> Iterator[int]:
    """The engine's JVM, below which nothing is left of Python functions."""
    yield driver.pid
    until(lambda: not workers(driver.pid), "end of the functions' processes")
    until(lambda: not folders(driver.pid), "end of their folder")


@pytest.fixture
def call(engine: Engine, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs ``despina`` with arguments, from its start to its end, in this process and on the engine of the module.

    Three JVMs in place of none are the largest part of a command that has little to do: a process of its own is for tests of what
    a process does.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engines, "start", lambda driver="py4j", **options: engine)
    monkeypatch.setattr(engines, "stop", lambda: False)

    def run(*arguments: str | Path) -> Ended:
        capfd.readouterr()
        code = cli.invoke([str(argument) for argument in arguments])
        return Ended(code, *capfd.readouterr())
    return run


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A name that no other test has."""
    return "".join(letter if letter.isalnum() else "_" for letter in request.node.name)


@pytest.fixture
def stream(topic: str) -> str:
    """The same for servers that call a topic a stream."""
    return topic


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that all tests share; each has topics of its own."""
    with Broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


@pytest.fixture(scope="session")
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A broker of MQTT that all tests share; each has topics of its own."""
    with Mosquitto(tmp_path_factory.mktemp("mosquitto")) as broker:
        yield broker


@pytest.fixture(scope="session")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """A server of NATS that all tests share; each has streams of its own."""
    with Nats(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A server of Redis that all tests share; each has streams of its own."""
    with Redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The Spark of all modules that read or write rows with it; a process has one."""
    started = session.start("local[2]", {**spark_archive.PLAIN, "spark.log.level": "OFF",
                                         "spark.sql.streaming.realTimeMode.allowlistCheck": "false"})
    yield started
    started.stop()
