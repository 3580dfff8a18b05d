"""A scripted coordinator that speaks the gateway's protocol, and engines over the real drivers."""

from __future__ import annotations

import itertools
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from despina import archive, drivers
from despina.drivers import DRIVERS
from despina.drivers.jvm import OPTIONS_VARIABLE
from despina.drivers.service import ServiceDriver
from despina.engine import Engine
from despina.graph import SERVICE
from despina.service.client import Client
from support.java import SMALL

settings.register_profile("despina", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("despina")

# Interrupts are tested: what a shell starts in the background has them ignored, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ[archive.SWITCH] = "off"      # no test leaves a process behind that makes one

CUT = "service over broken connections"
CUTS = (None, 900, None, 0, 4000, None)
"""Bytes of answers behind which connections break, in turn."""
DELAY_S = 0.002
NOT_SENT_AGAIN = b"/control?"
"""Commands, of which nobody knows whether they were done."""

REPOSITORY = Path(__file__).resolve().parents[2]


class ScriptedDriver:
    """Answers each method from a queue of answers, the last one again and again; keeps what it was asked.

    ``status`` without answers of its own is answered as ``await`` was last.
    """

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, list[Any]] = {name: list(queue) for name, queue in answers.items()}
        self.asked: list[tuple[str, ...]] = []
        self._awaited: Any = {}
        self.closed = False
        self.lost = False

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        return json.dumps(self._next(method, *arguments))

    def fetch(self, method: str, *arguments: str) -> bytes:
        answer = self._next(method, *arguments)
        assert isinstance(answer, bytes)
        return answer

    def alive(self) -> bool:
        return not self.closed and not self.lost

    def close(self) -> None:
        self.closed = True

    def methods(self, but: tuple[str, ...] = ("await", "console", "status", "collected")) -> list[str]:
        return [asked[0] for asked in self.asked if asked[0] not in but]

    def _next(self, method: str, *arguments: str | int | bytes) -> Any:
        self.asked.append((method, *map(str, arguments)))
        unscripted = {"console": {"lines": [], "sinks": []}, "status": self._awaited}
        queue = self.answers.get(method, [unscripted.get(method, {})])
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, BaseException):
            raise answer
        found = answer() if callable(answer) else answer
        if method == "await":
            self._awaited = found
        return found


def status(state: str, elapsed_s: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"job": "j1", "graph": "g", "state": state, "elapsed_s": elapsed_s, "first_packet_s": 0.1, "operators": {},
            "links": {}, "resources": {}, "collected": {}, **more}


@pytest.fixture
def scripted() -> Callable[..., tuple[Engine, ScriptedDriver]]:
    def make(**answers: Any) -> tuple[Engine, ScriptedDriver]:
        driver = ScriptedDriver(**answers)
        return Engine(driver, "scripted"), driver
    return make


@pytest.fixture
def a_status() -> Callable[..., dict[str, Any]]:
    return status


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session", params=[*DRIVERS, SERVICE, CUT])
def any_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The real engine, over each driver; over a service, too, whose connections are as they should be, and slow and broken."""
    if request.param == "py4j":
        yield request.getfixturevalue("real_engine")
        return
    if request.param in (SERVICE, CUT):
        yield request.getfixturevalue("served")(request.param == CUT)
        return
    with closing(small_engine(request.param)) as started:
        yield started


@pytest.fixture(scope="session")
def real_engine() -> Iterator[Engine]:
    """A real engine for all tests of the session, over py4j."""
    with closing(small_engine("py4j")) as started:
        yield started


@pytest.fixture(scope="session")
def served(real_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bool], Engine]]:
    """A service in front of the same engine, and the engine as its clients see it. Its jobs share one process of their own."""
    from support.service import Cutting, Service  # few tests ask one
    service = Service(tmp_path_factory.mktemp("service"), engine=real_engine)
    with service.listening() as url, closing(Cutting(url, itertools.cycle(CUTS), DELAY_S, NOT_SENT_AGAIN)) as proxy:
        def over(is_cut: bool) -> Engine:
            client = Client(proxy.url if is_cut else url, service.secrets["operate"], patient=True)
            return Engine(ServiceDriver(client, {"restart": "from_start", "isolation": "shared"}), SERVICE)
        yield over
    service.close()


def small_engine(driver: str) -> Engine:
    """One that sees little data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OPTIONS_VARIABLE, SMALL)
        return Engine(drivers.start(driver), driver)
