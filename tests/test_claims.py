"""Two runs that share files: each test runs once, and pytest knows of each which one comes next."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from support import claims

FILES = ("a.py::one", "a.py::two", "b.py::one", "c.py::one", "c.py::two", "d.py::one", "a.py::three")


class Run:
    """A run of pytest: its tests, and what it was told to run, with what comes next."""

    def __init__(self) -> None:
        self.ran = list[tuple[str, str]]()
        config = SimpleNamespace(option=SimpleNamespace(collectonly=False),
                                 hook=SimpleNamespace(pytest_runtest_protocol=self._protocol))
        self.session = cast(pytest.Session, SimpleNamespace(
            testsfailed=0, shouldfail=False, shouldstop=False, config=config,
            items=[SimpleNamespace(nodeid=name, config=config) for name in FILES]))
        self.meanwhile: Run | None = None

    def _protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        self.ran.append((item.nodeid, nextitem.nodeid if nextitem else ""))
        if self.meanwhile is not None:
            beside, self.meanwhile = self.meanwhile, None
            assert claims.run(beside.session)


def test_each_file_is_one_runs_and_its_tests_know_who_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(claims.FOLDER, str(tmp_path))
    first, second, late = Run(), Run(), Run()
    first.meanwhile = second
    assert claims.run(first.session)
    assert first.ran == [("a.py::one", "a.py::two"), ("a.py::two", "a.py::three"), ("a.py::three", "")]
    assert second.ran == [("b.py::one", "c.py::one"), ("c.py::one", "c.py::two"), ("c.py::two", "d.py::one"), ("d.py::one", "")]
    assert claims.run(late.session)
    assert late.ran == []


def test_without_others_pytest_runs_all_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(claims.FOLDER, raising=False)
    assert claims.run(Run().session) is None
