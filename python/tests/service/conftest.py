"""Services in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from despina import cli
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


@pytest.fixture
def url(service: Service) -> Iterator[str]:
    with service.listening() as address:
        yield address


@pytest.fixture
def despina(service: Service, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
            monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """The command in this process, with a home of its own and no context."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("DESPINA_SERVICE", "DESPINA_TOKEN", "DESPINA_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESPINA_TOKEN", service.secrets["admin"])

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = cli.invoke([str(argument) for argument in arguments])
        return code, *capsys.readouterr()
    return call
