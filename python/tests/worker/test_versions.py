"""Which modules are others than where a graph was submitted."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pyarrow.lib
import pytest

from despina_worker import versions
from despina_worker.versions import differences, version


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    file = tmp_path / "tried_here.py"
    file.write_text("K = 3\n")
    made = ModuleType("tried_here")
    made.__file__ = str(file)
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_a_module_that_is_the_same_is_not_told(module: ModuleType) -> None:
    here = version("tried_here", Path(str(module.__file__)))
    assert here is not None
    assert differences({"tried_here": here}) == []


def test_one_that_differs_is_told_with_both(module: ModuleType) -> None:
    assert differences({"tried_here": "1.2, sha256 0123456789abcdef"}) == [
        f"module `tried_here` is not that of the program which submitted the graph: here {module.__file__} is "
        f"{version('tried_here', Path(str(module.__file__)))}, there it is 1.2, sha256 0123456789abcdef"]


@pytest.mark.parametrize(("here", "there", "told"), [
    ("1.2, sha256 0a", "sha256 0a", False), ("sha256 0a", "1.2, sha256 0a", False), ("1.2", "1.2, sha256 0a", False),
    ("1.2, sha256 0a", "sha256 0b", True), ("1.2, sha256 0a", "1.3, sha256 0a", True), ("1.2", "1.3", True),
    ("1.2", "sha256 0a", True)])
def test_one_that_is_installed_in_one_place_only_differs_by_its_text(module: ModuleType, monkeypatch: pytest.MonkeyPatch,
                                                                    here: str, there: str, told: bool) -> None:
    monkeypatch.setattr(versions, "version", lambda name, file: here)
    assert bool(differences({"tried_here": there})) == told


def test_of_one_that_is_not_imported_or_has_no_file_nothing_is_told() -> None:
    assert differences({"no_such_module": "1.2", "sys": "sha256 0123456789abcdef"}) == []


def test_of_one_that_is_compiled_the_version_alone_counts(tmp_path: Path) -> None:
    (tmp_path / "tried_here.so").write_bytes(b"\0")
    assert version("tried_here", tmp_path / "tried_here.so") is None
    assert version("pyarrow.lib", Path(pyarrow.lib.__file__)) == pyarrow.__version__


def test_a_file_that_is_gone_has_none(tmp_path: Path) -> None:
    assert version("tried_here", tmp_path / "gone.py") is None
