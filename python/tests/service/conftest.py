"""Services in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.service import Service


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts services on the test's folder, one after the other; ends what is left."""
    started: list[Service] = []

    def start(**options: Any) -> Service:
        started.append(Service(tmp_path / "home", **options))
        return started[-1]
    yield start
    for service in started:
        service.close()


@pytest.fixture
def service(serve: Callable[..., Service]) -> Service:
    return serve()
