"""The comparison's parsing, figures and order of runs, on made-up output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compare import figures, memory, probe, report, sampling
from compare.engine import Kit, Trial, UnavailableError, Variant
from compare.processes import Processes, RunError
from compare.session import Session, Wanted, prepare
from compare.works import PACED, RELAY, WORKS, Work
from despina.cli import invoke
from harness import Measured, Plan, Point, Result
from harness.load import Load, Watch
from harness.result import Repeat

SS = """\
ESTAB 0 0 127.0.0.1:5701 127.0.0.1:40000 users:(("java",pid=11,fd=9)) \
skmem:(r100,rb131072,t20,tb2626560,f5,w20,o0,bl0,d0) cubic bytes_sent:1000 bytes_acked:900 bytes_received:5 segs_out:3
ESTAB 0 0 127.0.0.1:40000 127.0.0.1:5701 users:(("java",pid=12,fd=7)) \
skmem:(r1,rb131072,t2,tb2626560,f1,w2,o0,bl0,d0) cubic bytes_sent:30 bytes_received:900
ESTAB 0 0 127.0.0.1:22 127.0.0.1:9 users:(("sshd",pid=99,fd=3)) skmem:(r7,rb1,t7,tb1) cubic bytes_sent:555
"""
TOLD = {"pid": 11, "begin_ns": 1_000_000_000, "end_ns": 3_000_000_000, "count": 4_000_000, "total": 9_000_000,
        "per_second": [2_000_000, 2_000_000], "reordered": 3, "missing": 1, "damaged": 0,
        "latency_ms": {"count": 10, "p50": 0.5, "p95": 0.8, "p99": 1.5, "p999": 2.0, "max": 9.0}}
COSTS = sampling.Costs(2.0, {11: 1.0, 12: 0.5}, 416_000_000, [10_000_000, 20_000_000])


def trial(folder: Path, point: Point, work: str = "rates") -> Trial:
    return Trial(work, point, Variant("default"), folder, Processes(folder / "running", folder), 0.0, 1.0)


def test_sockets_of_our_processes_are_added_up_and_no_others() -> None:
    assert sampling.parse_sockets(SS, [11, 12]) == sampling.Sockets(1030, 129)
    assert sampling.parse_sockets(SS, [12]) == sampling.Sockets(30, 4)
    assert sampling.parse_sockets("", [11]) == sampling.Sockets(0, 0)


def test_figures_of_what_a_meter_told_and_the_kernel_counted(tmp_path: Path) -> None:
    asked = trial(tmp_path, {"packet_bytes": 50, "rate_per_s": 4_000_000})
    found = probe.measured(asked, TOLD, COSTS, {11: ["sink", "source"], 12: ["relay"]})
    assert found.values == pytest.approx({
        "per_s": 2_000_000, "cpu_s_per_million": 0.375, "mbit_per_s": 1664, "wire_bytes_per_packet": 104, "resident_mb": 20,
        "p50_ms": 0.5, "p95_ms": 0.8, "p99_ms": 1.5, "p999_ms": 2.0, "max_ms": 9.0, "reordered": 3, "missing": 1,
        "share_of_rate": 0.5})
    assert found.raw["costs"]["cpu_s"] == {"sink+source": 1.0, "relay": 0.5}


@pytest.mark.parametrize(("told", "reason"), [({**TOLD, "damaged": 2}, "damaged"), ({**TOLD, "count": 0}, "no packet")])
def test_output_that_is_wrong_gives_no_figure(tmp_path: Path, told: dict[str, Any], reason: str) -> None:
    with pytest.raises(RunError, match=reason):
        probe.measured(trial(tmp_path, {"packet_bytes": 50}), told, COSTS, {})


def test_processes_announce_their_roles_by_files(tmp_path: Path) -> None:
    for name in ("source.11.pid", "sink.11.pid", "relay.12.pid", "nimbus.pid", "window"):
        (tmp_path / name).touch()
    assert probe.operator_pids(tmp_path) == {12: ["relay"], 11: ["sink", "source"]}


def test_a_job_that_fails_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "failed").write_text("no class Xyz")
    with pytest.raises(RunError, match="no class Xyz"):
        probe.wait_for_file(trial(tmp_path, {}), "never")


def test_settings_reach_java_in_the_order_point_variant_rest(tmp_path: Path) -> None:
    asked = Trial("relay", {"packet_bytes": 50, "a": 1}, Variant("tuned", {"a": 2, "b": 3}), tmp_path,
                  Processes(tmp_path / "running", tmp_path), 0, 0)
    file = asked.write_settings({"b": 4})
    assert file.read_text().splitlines() == ["work=relay", "packet_bytes=50", "a=2", "b=4"]


class Quiet(Watch):
    """A machine of our own."""

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.load = Load(0.0, 0.0)


class Made:
    """An engine whose figures are given; the n-th run of a variant takes the n-th."""

    least_warm_up_s = 0.0
    start_s = 0.0

    def __init__(self, name: str, figures: Sequence[float | None], variants: Sequence[str] = ("default",)) -> None:
        self.name = name
        self._figures = list(figures)
        self._variants = variants
        self.order: list[str] = []

    def prepare(self, kit: Kit) -> None:
        if not self._figures:
            raise UnavailableError("not to be had")

    def describe(self) -> dict[str, Any]:
        return {"version": "1", "jdk": "17"}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        return [Variant(name, {"speed": name}) for name in self._variants]

    def start(self, trial: Trial) -> None:
        self.order.append("start")

    def submit(self, trial: Trial) -> None:
        self.order.append("submit")

    def sample(self, trial: Trial) -> Measured:
        self.order.append("sample")
        figure = self._figures.pop(0)
        if figure is None:
            raise RunError(f"it fell over; logs are in {trial.folder}")
        return Measured({"per_s": figure, "cpu_s_per_million": 1 / figure})

    def stop(self, trial: Trial) -> None:
        self.order.append("stop")


def session(tmp_path: Path, *engines: Made, resume: bool = False, most_runs: int | None = None, repeats: int = 3) -> Session:
    plan = Plan([{"packet_bytes": 50}], repeats=repeats, warm_up_s=0, seconds=1)
    wanted = Wanted(RELAY, plan, "part", tmp_path, resume, most_runs)
    return Session(wanted, engines, Kit(tmp_path / "cache", tmp_path), {}, Quiet)


def test_engines_take_turns_and_medians_are_kept(tmp_path: Path) -> None:
    result = session(tmp_path, Made("despina", [10, 30, 20]), Made("storm", [2, 3, 1])).run()
    assert [repeat.subject for repeat in result.repeats] == ["despina default", "storm default", "storm default",
                                                             "despina default", "despina default", "storm default"]
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 20
    ratio = result.ratio("per_s", "despina default", "storm default", {"packet_bytes": 50})
    assert ratio is not None
    assert ratio.value == 10


def test_each_run_goes_through_the_whole_life(tmp_path: Path) -> None:
    engine = Made("storm", [1, 2])
    session(tmp_path, engine, repeats=2).run()
    assert engine.order == ["start", "submit", "sample", "stop"] * 2


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    first = session(tmp_path, Made("despina", [1, 2, 3]), most_runs=2).run()
    again = session(tmp_path, Made("despina", [7]), resume=True).run()
    assert [repeat.values["per_s"] for repeat in first.repeats] == [1, 2]
    assert [repeat.values["per_s"] for repeat in again.repeats] == [1, 2, 7]


def test_what_fails_is_told_with_its_logs_kept_and_the_others_go_on(tmp_path: Path) -> None:
    made = session(tmp_path, Made("despina", [5]), Made("storm", [None]), repeats=1)
    result = made.run()
    report.write(RELAY, made.experiment, result, tmp_path)
    page = (tmp_path / "compare_relay.md").read_text()
    assert "storm default (packet_bytes 50) failed: it fell over" in page
    assert str(tmp_path / "failed" / "storm_default") in page
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 5


def test_a_peer_that_cannot_be_had_is_skipped_with_the_reason(tmp_path: Path) -> None:
    heard: list[str] = []
    there, gone = Made("despina", [1]), Made("storm", [])
    ready, missing = prepare([there, gone], Kit(tmp_path, tmp_path, tell=heard.append))
    assert ready == [there]
    assert missing == {"storm": "not to be had"}
    assert heard == ["storm: skipped: not to be had"]


def test_the_table_says_what_each_row_is(tmp_path: Path) -> None:
    result = session(tmp_path, Made("storm", [1, 2], ["default", "tuned"]), repeats=1).run()
    assert [row[0] for row in report.rows(result).rows] == ["storm default", "storm tuned"]
    assert report.settings(result) == ['- storm default: settings speed "default"', '- storm tuned: settings speed "tuned"']


def test_figures_are_drawn_as_png_and_svg(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    made = session(tmp_path, Made("despina", [1, 2, 3]), Made("storm", [1, 1, 1]))
    written = report.write(RELAY, made.experiment, made.run(), tmp_path)
    assert {path.suffix for path in written} == {".json", ".md", ".png", ".svg"}
    assert all(path.stat().st_size for path in written)


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_every_figure_is_drawn(work: Work, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    raw = {"found": {"costs": {"resident_bytes": [1, 2], "socket_memory_bytes": [1, 2]}}}
    repeats = [Repeat(name, dict(point), k, 0, {metric.name: k + 1.0 for metric in work.metrics}, raw=raw)
               for name in ("despina default", "storm tuned") for point in work.full.points for k in range(3)]
    result = Result({"mode": "full", "subjects": ["despina default", "storm tuned"]}, repeats)
    written = figures.save(work, result, tmp_path)
    assert len(written) == 2 * len(figures.FIGURES[work.name])
    assert all(path.stat().st_size > 1000 for path in written)


def test_t_tests_are_of_processor_time_and_memory_at_each_number_of_jobs() -> None:
    def repeats(name: str, cpu: Sequence[float]) -> list[Repeat]:
        return [Repeat(name, {"jobs": 32}, k, 0, {"per_s": 1.0, "cpu_percent": c}) for k, c in enumerate(cpu)]

    result = Result({"mode": "full"}, [*repeats("despina default", [100, 101, 102]), *repeats("storm tuned", [180, 182, 181])])
    pytest.importorskip("statsmodels")
    table = report.t_tests(WORKS["manufacturing"], result)
    assert [row[:5] for row in table.rows] == [["storm tuned", "32", "CPU, % of one core", "101", "181"]]
    assert table.rows[0][5] == "< 0.0001"
    assert report.p_value([1, 2, 3], [1, 2, 3]) == "1.0000"


def test_live_bytes_are_those_of_the_last_line() -> None:
    said = "   1:  10  4096  [B (java.base@17)]\nTotal            10          4096\n"
    assert memory.parse_total(said) == 4096
    with pytest.raises(RunError):
        memory.parse_total("no such process")


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_works_compare_what_they_measure(work: Work) -> None:
    assert work.compared in {metric.name for metric in work.metrics}
    assert work.full.repeats >= 3
    assert {frozenset(point) for point in work.quick.points} <= {frozenset(point) for point in work.full.points}


def test_rates_name_their_rate() -> None:
    assert all(point["rate_per_s"] > 0 for point in PACED.full.points)


@pytest.mark.parametrize(("words", "said"), [(["nothing"], "no work 'nothing'"),
                                             (["relay", "--with", "kafka"], "no peer 'kafka'"),
                                             (["relay", "--only", "packet_bytes=7"], "no such points")])
def test_what_is_not_there_is_refused(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["bench", "compare", *words, "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_json_of_a_run_reads_back(tmp_path: Path) -> None:
    session(tmp_path, Made("despina", [1, 2, 3])).run()
    saved = json.loads((tmp_path / "compare_relay.json").read_text())
    assert saved["engines"] == {"despina": {"version": "1", "jdk": "17"}}
    assert [repeat["values"]["per_s"] for repeat in saved["repeats"]] == [1, 2, 3]
