"""What peers' functions count, and how many rows that makes within a window."""

from __future__ import annotations

import importlib.util
import pickle
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from experiments import python_on_spark, python_peers
from harness import spending
from harness.experiment import Plan, Run
from harness.graphs import GRAPHS
from harness.processes import Processes, RunError
from harness.spending import Moment

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

    ours = runpy.run_path(str(GRAPHS / "measured_functions.py"))
    a, b = numpy.array([2.0, 1.0, 5.0]), numpy.array([1.0, 2.0, 5.0])
    assert [*map(functions.by_row, a, b)] == [*map(ours["by_row"], a, b)]
    assert functions.by_array(a, b).tolist() == ours["by_array"](a, b).tolist() == [35.6, 2.0, 5.0]
    kept, state = None, SimpleNamespace(n=None, total=None)
    for value in (3.0, 4.0, 8.0):
        kept, mean = functions.mean(kept, value)
        assert mean == ours["Mean"]().process(7, SimpleNamespace(a=value), state)
    assert (kept, mean) == ((3, 15.0), 5.0)


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


def test_processor_time_is_that_of_all_processes() -> None:
    found = spending.figures(Moment(10.0, {1: 5.0, 2: 1.0, 3: 9.0}, 0), Moment(14.0, {1: 6.0, 2: 3.0, 4: 0.5}, 7_000_000), 2e6)
    assert found.values == {"per_s": 500_000, "cpu_s_per_million": 1.75, "resident_mb": 7.0}


def test_the_last_whole_line_tells_when_a_meter_has_written(tmp_path: Path) -> None:
    meter = tmp_path / "1"
    meter.write_text("")
    assert python_peers.last_line(meter) == 0
    meter.write_text("10.5 100\n14.25 200\n19")
    assert python_peers.last_line(meter) == 14.25


def test_the_first_micro_batch_is_timed_from_the_start_of_its_query() -> None:
    assert python_on_spark.first_s("10.5 0\n14.25 4000\n15 8000\n16") == 3.75


@pytest.mark.parametrize(("usual", "told", "rows"), [(7, "-", 7), (7, "20", 20)])
def test_a_job_may_be_told_how_many_rows_a_micro_batch_has(functions: ModuleType, monkeypatch: pytest.MonkeyPatch, usual: int,
                                                           told: str, rows: int) -> None:
    monkeypatch.setattr(functions.sys, "argv", ["job", "by row", "1", "-", told])
    assert functions.batch_rows(usual) == rows


@pytest.mark.parametrize(("job", "said"), [
    ("import functions\nfunctions.METER.add(functions.ROWS)", "ended with exit code 0 while it was measured"),
    ("raise SystemExit(0)", "has called no function")])
def test_a_peer_that_has_ended_gives_no_figure(job: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").symlink_to(SCRIPTS / "functions.py")
    (tmp_path / "job.py").write_text(job)
    monkeypatch.setattr(python_peers, "SCRIPTS", tmp_path)
    folder = tmp_path / "run"
    folder.mkdir()
    processes = Processes(tmp_path / "running", folder)
    try:
        with pytest.raises(RunError, match=said):
            python_peers.peer("made up", "job.py")(
                Run({"of": "by row", "keys": 10}, Plan([], warm_up_s=0.1, seconds=0.5), folder, tmp_path, processes))
    finally:
        processes.stop()


def test_each_peer_does_what_it_can() -> None:
    does = {subject.name: [point["of"] for point in python_peers.WORKS if subject.at(point)]
            for subject in python_peers.EXPERIMENT.subjects}
    everything = ["by row", "by array", "mean by key", "one at a time"]
    rows = ["by row", "mean by key", "one at a time"]
    assert does == {"despina": everything, "pyflink, process": everything, "spark": everything,
                    "pyflink, thread": rows, "bytewax": rows, "despina on spark, function": ["mean by key"],
                    "despina on spark, fold": ["mean by key"]}


def test_what_cannot_be_installed_is_tried_once_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    def ran(command: list[str], **_: object) -> SimpleNamespace:
        calls.append(command)
        return SimpleNamespace(returncode=1, stdout="ensurepip is not available", stderr="")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("subprocess.run", ran)
    for _ in range(2):
        with pytest.raises(RunError, match=r"skipped: nothing==0 cannot be installed for .*: ensurepip is not available"):
            python_peers.python(("nothing==0",))
    assert len(calls) == 1


def test_ages_are_those_of_the_window(functions: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions.time, "time", lambda: 100.25)
    for moment, due in ((9.0, 100.0), (10.5, 100.24), (11.0, 100.125), (12.0, 99.0)):
        monkeypatch.setattr(functions.time, "monotonic", lambda moment=moment: moment)
        assert functions.aged(due, 2.0, 1.0) == 35.6
    (meter,) = tmp_path.iterdir()
    found = sorted(python_peers.ages_within(meter, 9.0, 11.0))
    assert found == [10.0, 125.0]
    assert python_peers._percentiles(found) == {"p50_ms": 10.0, "p99_ms": 125.0}
    assert python_peers._percentiles([]) == {}
