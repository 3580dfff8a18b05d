"""The example of a user's own connector, built by its own script against the engine's jar alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from despina.drivers.jvm import OPTIONS_VARIABLE
from e2e.conftest import Start
from support.java import java_tools
from support.processes import ROOT

EXAMPLE = ROOT / "examples" / "connector"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, copied and built."""
    folder = tmp_path_factory.mktemp("example") / "connector"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("build", "alarms"))
    path = os.pathsep.join([str(Path(sys.executable).parent), str(java_tools()), os.environ["PATH"]])
    subprocess.run([folder / "build.sh"], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True)
    return folder


@pytest.fixture(autouse=True)
def installed(example: Path) -> Iterator[None]:
    """Its jar is found, as if it were beside the engine's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(OPTIONS_VARIABLE, f"{os.environ[OPTIONS_VARIABLE]} -Ddespina.connectors={example / 'build'}")
        yield


def alarms(folder: Path) -> dict[str, list[float]]:
    return {file.name: [json.loads(line)["celsius"] for line in file.read_text().splitlines()]
            for file in folder.glob("*.log")}


def test_it_reads_and_writes_and_is_tried(example: Path, start: Start, tmp_path: Path) -> None:
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    tried = start("check", "hot.graph.json", "--connect").end()
    assert tried.code == 1
    assert "readings: ok, folder readings" in tried.out
    assert "`settings`: there is no folder alarms (at /operators/alarms/settings, operator alarms)" in tried.err
    ended = start("run", "hot.graph.json", "--state", "state").end()
    assert ended.code == 0, ended.err
    assert alarms(tmp_path / "alarms") == {"oven.log": [85.5], "press.log": [90.0]}
    assert "oven.log@62" in ended.err
    assert "`press/2` is no name of a file" in ended.err


def test_a_connector_that_is_not_there_is_told(start: Start, example: Path, tmp_path: Path) -> None:
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "hot.graph.json").read_text()
    (tmp_path / "hot.graph.json").write_text(text.replace('"connector": "lines"', '"connector": "other"'))
    ended = start("run", "hot.graph.json").end()
    assert ended.code == 1
    assert "there is no despina-other.jar in " in ended.err
    assert "copy it there" in ended.err
