from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from despina import archive
from despina.engine import Engine
from despina.errors import JobError

Scripted = Callable[..., tuple[Engine, Any]]
AStatus = Callable[..., dict[str, Any]]


class Dumping:
    """A driver whose JVM writes its archive as it ends."""

    def __init__(self, options: Sequence[str], asked: Any) -> None:
        self.written = Path(options[0].partition("=")[2])
        self.call, self.fetch = asked.call, asked.fetch

    def close(self) -> None:
        self.written.write_bytes(b"classes")


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(archive, "path", lambda: tmp_path / "cache" / "classes-0.jsa")
    return tmp_path / "cache"


def a_jvm(scripted: Scripted, monkeypatch: pytest.MonkeyPatch, status: dict[str, Any]) -> None:
    """A JVM whose jobs end with that status."""
    asked = scripted(run=[{"job": "j1"}], status=[status], **{"await": [status]})[1]
    monkeypatch.setattr(archive, "Py4jDriver", lambda options, timeout_s: Dumping(options, asked))


def test_an_archive_lies_under_its_name(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("done"))
    assert archive.make() == cache / "classes-0.jsa"
    assert [file.name for file in cache.iterdir()] == ["classes-0.jsa"]


def test_a_warm_up_that_fails_leaves_nothing(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    a_jvm(scripted, monkeypatch, a_status("failed", error={"rule": "memory", "message": "no memory"}))
    with pytest.raises(JobError, match="no memory"):
        archive.make()
    assert list(cache.iterdir()) == []
