"""The coordinator that a service starts."""

from __future__ import annotations

from typing import Any

import pytest

from despina import drivers
from despina.service.coordinator import started


class Driver:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def call(self, method: str, *arguments: Any) -> str:
        self.calls.append((method, *arguments))
        return "{}"


@pytest.mark.parametrize(("spare", "calls"), [(2, [("keepReady", 2)]), (0, [])])
def test_it_is_told_how_many_processes_to_keep_ready(monkeypatch: pytest.MonkeyPatch, spare: int, calls: list[Any]) -> None:
    driver = Driver()
    monkeypatch.setattr(drivers, "start", lambda name, coordinates_only: driver)
    assert started(spare).name == "service"
    assert driver.calls == calls
