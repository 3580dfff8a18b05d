"""The coordinator that a service starts."""

from __future__ import annotations

from typing import Any

import pytest

from despina import drivers
from despina.errors import StartError
from despina.service.coordinator import started


class Driver:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.fault: StartError | None = None
        self.closed = False

    def call(self, method: str, *arguments: Any) -> str:
        self.calls.append((method, *arguments))
        if self.fault is not None:
            raise self.fault
        return "{}"

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("spare", "calls"), [(2, [("keepReady", 2)]), (0, [])])
def test_it_is_told_how_many_processes_to_keep_ready(monkeypatch: pytest.MonkeyPatch, spare: int, calls: list[Any]) -> None:
    driver = Driver()
    monkeypatch.setattr(drivers, "start", lambda name, coordinates_only, heard: driver)
    assert started(spare).name == "service"
    assert driver.calls == calls
    assert not driver.closed


def test_one_that_does_not_take_it_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    driver.fault = StartError("engine_call", "no answer")
    monkeypatch.setattr(drivers, "start", lambda name, coordinates_only, heard: driver)
    with pytest.raises(StartError, match="no answer"):
        started(1)
    assert driver.closed, "else its process stayed beside the next one"
