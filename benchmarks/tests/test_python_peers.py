"""What peers' functions count, and how many rows that makes within a window."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path
from types import ModuleType

import pytest

from experiments import python_peers

SCRIPTS = python_peers.SCRIPTS


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """As a process of a peer has them."""
    monkeypatch.setenv("DESPINA_METERS", str(tmp_path))
    spec = importlib.util.spec_from_file_location("functions", SCRIPTS / "functions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "functions", module)
    spec.loader.exec_module(module)
    return module


def test_peers_call_the_functions_that_our_graphs_call(functions: ModuleType) -> None:
    import numpy

    assert [functions.by_row(a, b) for a, b in ((2.0, 1.0), (1.0, 2.0))] == [35.6, 2.0]
    assert functions.by_array(numpy.array([2.0, 1.0]), numpy.array([1.0, 2.0])).tolist() == [35.6, 2.0]
    kept, first = functions.mean(None, 3.0)
    assert (first, functions.mean(kept, 4.0)) == (3.0, ((2, 7.0), 3.5))


def test_a_meter_tells_of_many_rows_at_once_and_travels_empty(functions: ModuleType, tmp_path: Path) -> None:
    meter = functions.Meter()
    for _ in range(2 * functions.ROWS + 5):
        meter.add(1)
    pickle.loads(pickle.dumps(meter)).add(functions.ROWS)
    (file,) = tmp_path.iterdir()
    assert [line.split()[1] for line in file.read_text().splitlines()] == ["4096", "8192", "4096"]


@pytest.mark.parametrize(("moment", "rows"), [(9.0, 0), (10.0, 100), (12.0, 150), (14.0, 200), (15.0, 300), (99.0, 300)])
def test_rows_between_two_lines_are_in_proportion(tmp_path: Path, moment: float, rows: float) -> None:
    meter = tmp_path / "1"
    meter.write_text("10 100\n14 200\n15 300\n16")
    assert python_peers.rows_until(meter, moment) == rows


def test_each_peer_does_what_it_can() -> None:
    does = {subject.name: [point["of"] for point in python_peers.WORKS if subject.at(point)]
            for subject in python_peers.EXPERIMENT.subjects}
    everything = ["by row", "by array", "mean by key"]
    assert does == {"despina": everything, "pyflink, process": everything, "spark": everything,
                    "pyflink, thread": ["by row", "mean by key"], "bytewax": ["by row", "mean by key"]}
