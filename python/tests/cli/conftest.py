"""The command in this process, with and without a real engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from despina import cli, engine
from despina.engine import Engine

Despina = Callable[..., tuple[int, str, str]]


@pytest.fixture
def despina(capsys: pytest.CaptureFixture[str]) -> Despina:
    """The command in this process: exit code, standard output, standard error."""
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = cli.invoke([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err
    return call


@pytest.fixture
def with_engine(despina: Despina, real_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Despina:
    """The same with the session's engine, so that a test needs no JVM of its own."""
    monkeypatch.setattr(engine, "start", lambda driver="py4j", **options: real_engine)
    monkeypatch.setattr(engine, "stop", lambda: False)
    monkeypatch.setattr(engine, "checking", lambda: nullcontext(real_engine))
    return despina
