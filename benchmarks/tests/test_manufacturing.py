"""What a manufacturing job put out is held to what it must put out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from despina.errors import JobError
from harness import engine
from harness.engine import Command
from harness.experiment import Measured, Plan
from harness.processes import Processes, RunError
from harness.sampling import Costs
from peers import manufacturing, our_jobs, probe
from peers.contract import Kit, Trial, UnavailableError, Variant
from peers.manufacturing import Input
from peers.works import MANUFACTURING

FIRST: dict[str, Any] = {"ts": "2012-02-22T16:46:28.440681Z", "pair": "06-09", "edge": 0, "delay_us": 159933, "n": 1,
                         "slope": None, "trend_now": None, "alarm": False}
SECOND: dict[str, Any] = {**FIRST, "ts": "2012-02-22T16:46:32.590877Z", "edge": 1, "delay_us": 120438, "n": 2,
                          "slope": -9516.41801977012, "trend_now": 120438.0}
OTHER = {**FIRST, "pair": "05-08"}
WANTED = Input(Path("readings.txt"), 1000, {"06-09": [FIRST, SECOND], "05-08": [OTHER]})


def written(folder: Path, rows: Sequence[dict[str, Any]], name: str = "delays-0.json") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_all_rows_in_any_order_are_right(tmp_path: Path) -> None:
    assert manufacturing.verify([written(tmp_path, [SECOND, OTHER, FIRST])], WANTED, [1000]) == 3


def test_a_job_that_was_stopped_has_put_out_the_first_rows(tmp_path: Path) -> None:
    assert manufacturing.verify([written(tmp_path, [FIRST])], WANTED, [500]) == 1


def test_a_line_that_was_cut_is_no_row(tmp_path: Path) -> None:
    file = written(tmp_path, [FIRST])
    file.write_text(file.read_text() + '{"ts": "2012')
    assert manufacturing.verify([file], WANTED, [0]) == 1


def test_parts_of_a_folder_are_read_together(tmp_path: Path) -> None:
    for name, row in (("part-0", SECOND), ("part-1", FIRST)):
        written(tmp_path, [row], name)
    assert manufacturing.verify([tmp_path], WANTED, [1000]) == 2


def test_sums_added_up_in_another_order_are_equal(tmp_path: Path) -> None:
    rows = [FIRST, {**SECOND, "slope": SECOND["slope"] * (1 + 1e-9)}]
    assert manufacturing.verify([written(tmp_path, rows)], WANTED, [1000]) == 2


@pytest.mark.parametrize(("rows", "reason"), [
    ([SECOND], "where"),                                    # the first was left out
    ([{**FIRST, "delay_us": 159934}], "where"),
    ([FIRST, {**SECOND, "slope": -9516.5}], "where"),
    ([FIRST, {**SECOND, "slope": None}], "where"),
    ([FIRST, SECOND, SECOND], "3 rows"),
    ([{**FIRST, "pair": "07-10"}], "1 rows"),
    ([], "no row"),
])
def test_what_is_wrong_is_found(tmp_path: Path, rows: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(RunError, match=reason):
        manufacturing.verify([written(tmp_path, rows)], WANTED, [0])


def test_operators_that_lag_behind_the_parser_give_no_figure(tmp_path: Path) -> None:
    many = [{**FIRST, "ts": f"2012-02-22T16:46:{second}.440681Z", "n": second} for second in range(10, 50)]
    wanted = Input(Path("readings.txt"), 1000, {"06-09": many})
    first, second = written(tmp_path, many[:20], "delays-0.json"), written(tmp_path, many[:9], "delays-1.json")
    assert manufacturing.verify([first, second], wanted, [500, 250]) == 29
    with pytest.raises(RunError, match="job 1 put out 9 rows of 06-09; the 500 readings of the window have 19"):
        manufacturing.verify([first, second], wanted, [500, 500])


def test_rates_of_jobs_add_up() -> None:
    found = probe.of_rates([100.0, 300.0], True, Costs(10.0, 10.0, {1: 4.0}, 5_000_000, 10.0, [1_000_000]), {})
    assert found.values == pytest.approx({"per_s": 400, "slowest_share": 0.5, "cpu_s_per_million": 1000, "mbit_per_s": 4,
                                          "cpu_percent": 40, "resident_mb": 1})


def test_costs_of_a_window_that_a_job_did_not_fill_are_not_divided_by_its_rate() -> None:
    found = probe.of_rates([100.0], False, Costs(10.0, 10.0, {1: 4.0}, 5_000_000, 10.0), {})
    assert found.values == {"per_s": 100, "slowest_share": 1, "cpu_percent": 40}


def told(folder: Path, job: int, **more: Any) -> None:
    content = {"begin_ns": 0, "end_ns": 1_000_000_000, "count": 100, "total": 300, "finished": False, **more}
    (folder / f"readings-{job}.json").write_text(json.dumps(content))


def sampled(folder: Path, costs: Costs, monkeypatch: pytest.MonkeyPatch) -> Measured:
    """What the meters of two jobs come to."""
    monkeypatch.setattr(probe, "window", lambda trial: (costs, {}))
    processes = Processes(folder / "running", folder)
    return probe.sample_jobs(Trial("manufacturing", {"jobs": 2}, Variant("default"), folder, processes, 0.0, 1.0), "readings", [])


def test_a_job_that_does_not_keep_its_rate_gives_no_figure(tmp_path: Path) -> None:
    trial = Trial("manufacturing", {"jobs": 2, "rate_per_s": 1000}, Variant("default"), tmp_path,
                  Processes(tmp_path / "running", tmp_path), 0.0, 1.0)
    probe.kept(trial, [995.0, 1003.0])
    with pytest.raises(RunError, match=r"950 readings/s came of 1,000 that were asked for"):
        probe.kept(trial, [1003.0, 950.0])


def test_a_job_has_ended_within_the_window_when_its_meter_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    costs = Costs(1.0, 1.2, {1: 0.6}, 1_200_000, 1.2)
    told(tmp_path, 0)
    told(tmp_path, 1)
    assert sampled(tmp_path, costs, monkeypatch).values["cpu_s_per_million"] == pytest.approx(2500)
    told(tmp_path, 1, end_ns=990_000_000, finished=True)
    assert not {"cpu_s_per_million", "mbit_per_s"} & sampled(tmp_path, costs, monkeypatch).values.keys()


@pytest.mark.parametrize(("plan", "warm_up_s"), [(MANUFACTURING.full, 10), (MANUFACTURING.short, 10), (MANUFACTURING.sweep, 10),
                                                 (MANUFACTURING.quick, MANUFACTURING.quick.warm_up_s)])
def test_readings_last_beyond_the_window_at_every_number_of_jobs(plan: Plan, warm_up_s: float) -> None:
    started_s = 1.0
    for point in plan.points:
        assert point["jobs"] * point["rows"] >= 1.9e6 * (started_s + max(warm_up_s, plan.warm_up_s) + plan.seconds)


class Job:
    """One of Despina's jobs, which counts readings whenever it is asked, until its end; asked for a third time it fails."""

    def __init__(self, readings: Sequence[int], ends_at: int = 9) -> None:
        self._readings = readings
        self._ends_at = ends_at
        self._asked = 0
        self.stopped: list[str] = []

    @property
    def counters(self) -> SimpleNamespace:
        k = self._asked
        self._asked += 1
        return SimpleNamespace(ended=k >= self._ends_at, elapsed_s=10.0 + 2 * k,
                               operators={our_jobs.COUNTED: {"packets_in": self._readings[k]}})

    def stop(self, how: str) -> None:
        self.stopped.append(how)


def windowed(running: Sequence[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Measured:
    """What the window of these jobs comes to."""
    class Still:
        def __init__(self, roles: object, seconds: float) -> None:
            assert seconds == 0

        def end(self) -> Costs:
            return Costs(2.0, 2.0, {1: 1.0}, 1_000_000, 2.0)

    monkeypatch.setattr(our_jobs, "Watch", Still)
    processes = Processes(folder / "running", folder)
    trial = Trial("manufacturing", {"jobs": len(running)}, Variant("default"), folder, processes, 0.0, 0.0)
    return our_jobs.window(trial, running, {})


@pytest.mark.parametrize(("ends_at", "throughout"), [((9, 9), True), ((9, 1), False), ((1, 1), False)])
def test_despina_s_jobs_run_throughout_unless_one_has_ended(ends_at: Sequence[int], throughout: bool, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    running = [Job([100, 300], end) for end in ends_at]
    found = windowed(running, tmp_path, monkeypatch)
    assert found.values["per_s"] == 200                # two jobs, of 200 readings in 2 s each
    assert found.raw["readings"] == [200, 200]
    assert ("cpu_s_per_million" in found.values) is throughout
    assert [each.stopped for each in running] == [["drain"] if end > 1 else [] for end in ends_at]


def test_a_job_of_despina_s_that_counts_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match=r"job 1 got 0 readings in 2\.000 s after the warm-up, and 7 before"):
        windowed([Job([1, 2]), Job([7, 7])], tmp_path, monkeypatch)


def test_a_job_without_readings_is_told_by_what_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path, 0)
    told(tmp_path, 1, begin_ns=70, end_ns=60, count=0, finished=True)
    with pytest.raises(RunError, match=r"readings-1 counted 0 readings from 70 to 60 ns \(the end of its input\), of 300 since"):
        sampled(tmp_path, Costs(1.0, 1.0, {}), monkeypatch)
    told(tmp_path, 1, count=0)
    with pytest.raises(RunError, match="the window's end"):
        sampled(tmp_path, Costs(1.0, 1.0, {}), monkeypatch)


class Maker:
    """In place of runs of the engine: writes what they write, and counts them; the last of so many fails."""

    def __init__(self, fails_at: int = 0) -> None:
        self.runs = 0
        self._fails_at = fails_at

    def run(self, command: Command, folder: Path) -> None:
        self.runs += 1
        if self.runs == self._fails_at:
            raise JobError("made_up", "the machine went down")
        output = Path(str((command.parameters or {})["output"]))
        if command.graph == manufacturing.INPUT_GRAPH:
            output.write_text("readings")
        else:
            output.mkdir()
            written(output, [FIRST], "part-0")


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Maker:
    made = Maker()
    monkeypatch.setattr(engine, "run", made.run)
    return made


def test_readings_are_made_once_and_again_where_their_delays_cannot_be_read(tmp_path: Path, maker: Maker) -> None:
    kit = Kit(tmp_path, tmp_path)
    first = manufacturing.prepared(kit, 1000)
    assert (first.file.read_text(), first.delays) == ("readings", {"06-09": [FIRST]})
    assert manufacturing.prepared(kit, 1000) == first
    assert maker.runs == 2
    for broken in ('{"06-09": [', "[]"):
        (first.file.parent / "delays.json").write_text(broken)
        assert manufacturing.prepared(kit, 1000) == first
    assert maker.runs == 6


def test_readings_of_another_graph_or_seed_are_others(tmp_path: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = Kit(tmp_path, tmp_path)
    files = [manufacturing.prepared(kit, 1000).file]
    monkeypatch.setattr(manufacturing, "SEED", 2)
    files.append(manufacturing.prepared(kit, 1000).file)
    other = tmp_path / "other.graph.json"
    other.write_text("{}")
    monkeypatch.setattr(manufacturing, "GRAPH", other)
    files.append(manufacturing.prepared(kit, 1000).file)
    assert len(set(files)) == 3
    assert maker.runs == 6


@pytest.mark.parametrize("fails_at", [1, 2])
def test_readings_that_were_made_in_part_are_not_taken(tmp_path: Path, fails_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = Kit(tmp_path, tmp_path)
    monkeypatch.setattr(engine, "run", Maker(fails_at).run)
    with pytest.raises(UnavailableError, match="the machine went down"):
        manufacturing.prepared(kit, 1000)
    monkeypatch.setattr(engine, "run", Maker().run)
    assert manufacturing.prepared(kit, 1000).delays == {"06-09": [FIRST]}
