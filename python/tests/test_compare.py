"""The comparison's parsing, figures and order of runs, on made-up output."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compare import catalogue, command, figures, memory, probe, report, sampling, standing
from compare.engine import Kit, Trial, UnavailableError, Variant
from compare.flink import adapter
from compare.processes import Processes, RunError
from compare.session import SWEEP, Limits, Session, Wanted, prepare, run
from compare.tuning import UNTRIED, Trying, Tuning, candidates, table
from compare.works import PACED, RELAY, RESIDENT, SLOW_RATE, WORKS, Work, jobs
from despina.cli import invoke
from despina.errors import RefusedError
from harness import Measured, Plan, Point, Result, machine
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
COSTS = sampling.Costs(2.0, 2.0, {11: 1.0, 12: 0.5}, 416_000_000, 2.0, [10_000_000, 20_000_000])


def trial(folder: Path, point: Point, work: str = "rates") -> Trial:
    return Trial(work, point, Variant("default"), folder, Processes(folder / "running", folder), 0.0, 1.0)


def test_sockets_of_our_processes_are_added_up_and_no_others() -> None:
    assert sampling.parse_sockets(SS, [11, 12], 7.0) == sampling.Sockets(7.0, 1030, 129)
    assert sampling.parse_sockets(SS, [12], 7.0) == sampling.Sockets(7.0, 30, 4)
    assert sampling.parse_sockets(SS.replace(",f5,", ",f4294967290,"), [11, 12], 7.0) == sampling.Sockets(7.0, 1030, 118)
    assert sampling.parse_sockets(SS.replace("bl0", "bl50"), [12], 7.0) == sampling.Sockets(7.0, 30, 54)
    assert sampling.parse_sockets("", [11], 7.0) == sampling.Sockets(7.0, 0, 0)


def test_bytes_are_divided_by_the_time_between_the_lists_that_they_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(pids: Iterable[int]) -> sampling.Sockets:
        time.sleep(0.3)
        now = time.monotonic()
        return sampling.Sockets(now, round(1000 * now), 1)

    monkeypatch.setattr(sampling, "sockets", slowly)
    began = time.monotonic()
    watch = sampling.Watch([os.getpid()], 0.4, 0.05)
    assert time.monotonic() - began < 0.2
    time.sleep(0.4)
    costs = watch.end()
    assert costs.seconds >= 0.4
    assert costs.wire_bytes == pytest.approx(1000 * costs.wire_s, abs=2)


def test_what_was_watched_for_a_part_of_the_window_gives_no_figures_of_costs(tmp_path: Path) -> None:
    shortly = replace(COSTS, asked_s=2.3)
    assert shortly.cores is None
    assert shortly.sent_per_s is None
    assert replace(COSTS, wire_s=1.7).sent_per_s is None
    assert replace(COSTS, wire_s=2.3).sent_per_s is None
    assert replace(COSTS, wire_s=1.9).sent_per_s == pytest.approx(416_000_000 / 1.9)
    found = probe.measured(trial(tmp_path, {"packet_bytes": 50}), TOLD, shortly, {})
    assert found.values["per_s"] == 2_000_000
    assert not {"cpu_s_per_million", "mbit_per_s", "wire_bytes_per_packet"} & found.values.keys()
    assert found.raw["costs"]["asked_s"] == 2.3


def test_flags_are_told_without_the_machine_s_folders() -> None:
    words = ["java", "-Xmx2g", "-XX:SharedArchiveFile=/home/me/.cache/classes.jsa", "-cp", "/a/b.jar", "-XX:+UseParallelGC"]
    assert sampling.jvm_flags(words) == ["-Xmx2g", "-XX:SharedArchiveFile=classes.jsa", "-XX:+UseParallelGC"]


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


class Loud(Watch):
    """A machine on which others are at work."""

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.load = Load(0.0, 0.5)


def row(subject: str) -> dict[str, Any]:
    """What a repeat keeps of its row."""
    engine, _, variant = subject.rpartition(" ")
    return {"row": {"engine": engine, "variant": variant, "settings": {}, "guarantee": "none", "remark": "", "warm_up_s": 1,
                    "comparable": variant != "fused"},
            "found": {"costs": {"resident_bytes": [1, 2], "socket_memory_bytes": [1, 2]}}}


def made_up(work: Work, speeds: dict[str, float]) -> Result:
    """A full run: throughput in proportion to each row's speed, everything else inversely."""
    def values(speed: float, k: int) -> dict[str, float]:
        return {m.name: (1 + k / 100) * (speed if m.name == "per_s" else 1 / speed) for m in work.metrics}

    repeats = [Repeat(name, dict(point), k, 0, values(speed, k), raw=row(name))
               for name, speed in speeds.items() for point in work.full.points for k in range(3)]
    about = {"mode": "full", "at": "2026-01-01T00:00:00Z", "machine": {"cpu": "made up"}, "commits": ["abc"], "engines": {},
             "plan": {"repeats": 3, "warm_up_s": 1, "seconds": 15}, "subjects": list(speeds)}
    return Result(about, repeats)


class Made:
    """An engine whose figures are given; the n-th run of a variant takes the n-th."""

    least_warm_up_s = 0.0
    start_s = 0.0

    def __init__(self, name: str, figures: Sequence[float | None], variants: Sequence[str] = ("default",),
                 candidates: Sequence[str] = ()) -> None:
        self.name = name
        self._figures = list(figures)
        self._variants = variants
        self._candidates = candidates
        self.order: list[str] = []

    def prepare(self, kit: Kit) -> None:
        if not self._figures:
            raise UnavailableError("not to be had")

    def describe(self) -> dict[str, Any]:
        return {"version": "1", "jdk": "17"}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        return [Variant(name, {"speed": name}) for name in self._variants]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        return [Variant(name, {"speed": name}) for name in self._candidates]

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


def session(tmp_path: Path, *engines: Made, resume: bool = False, repeats: int = 3, mode: str = "part", seconds: float = 1,
            work: Work = RELAY, watch: type[Watch] = Quiet) -> Session:
    plan = Plan([{"packet_bytes": 50}], repeats=repeats, warm_up_s=0, seconds=seconds, attempts=2)
    variants = candidates(work) if mode == SWEEP else Tuning.load(tmp_path).rows(work)
    return Session(Wanted(work, plan, mode, tmp_path, variants, resume), engines, Kit(tmp_path / "cache", tmp_path), {}, watch)


def ran(made: Session, most_runs: int | None = None) -> Result:
    """What it measured."""
    run([made], Limits(most_runs), lambda line: None)
    return made.result


def test_engines_take_turns_and_medians_are_kept(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("despina", [10, 30, 20]), Made("storm", [2, 3, 1])))
    assert [repeat.subject for repeat in result.repeats] == ["despina default", "storm default", "storm default",
                                                             "despina default", "despina default", "storm default"]
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 20
    ratio = result.ratio("per_s", "despina default", "storm default", {"packet_bytes": 50})
    assert ratio is not None
    assert ratio.value == 10


def test_each_run_goes_through_the_whole_life(tmp_path: Path) -> None:
    engine = Made("storm", [1, 2])
    ran(session(tmp_path, engine, repeats=2))
    assert engine.order == ["start", "submit", "sample", "stop"] * 2


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    first = ran(session(tmp_path, Made("despina", [1, 2, 3])), most_runs=2)
    again = ran(session(tmp_path, Made("despina", [7]), resume=True))
    assert [repeat.values["per_s"] for repeat in first.repeats] == [1, 2]
    assert [repeat.values["per_s"] for repeat in again.repeats] == [1, 2, 7]


def test_what_fails_is_told_with_its_logs_kept_and_the_others_go_on(tmp_path: Path) -> None:
    made = session(tmp_path, Made("despina", [5]), Made("storm", [None]), repeats=1)
    result = ran(made)
    report.write(made, tmp_path, Tuning.load(tmp_path))
    page = (tmp_path / "compare_relay.md").read_text()
    assert "storm default (packet bytes 50) failed: it fell over" in page
    assert "logs are in failed/storm_default" in page
    assert str(tmp_path) not in (tmp_path / "compare_relay.json").read_text()
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 5


def test_a_peer_that_cannot_be_had_is_skipped_with_the_reason(tmp_path: Path) -> None:
    heard: list[str] = []
    there, gone = Made("despina", [1]), Made("storm", [])
    ready, missing = prepare([there, gone], Kit(tmp_path, tmp_path, tell=heard.append))
    assert ready == [there]
    assert missing == {"storm": "not to be had"}
    assert heard == ["storm: skipped: not to be had"]


def test_the_table_says_what_each_row_is(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("storm", [1, 2], ["default", "other"]), repeats=1))
    assert [row[0] for row in report.rows(RELAY, result).rows] == ["storm default", "storm other"]
    assert report.settings(result) == ['- storm default: settings speed "default"', '- storm other: settings speed "other"']


def test_figures_are_drawn_as_png_and_svg(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    made = session(tmp_path, Made("despina", [1, 2, 3]), Made("storm", [1, 1, 1]))
    ran(made)
    written = report.write(made, tmp_path, Tuning.load(tmp_path))
    assert {path.suffix for path in written} == {".json", ".md", ".png", ".svg"}
    assert all(path.stat().st_size for path in written)
    before = {path: path.read_bytes() for path in written}
    assert {path: path.read_bytes() for path in report.write(made, tmp_path, Tuning.load(tmp_path))} == before


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_every_figure_is_drawn(work: Work, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = made_up(work, {"despina default": 2.0, "storm tuned": 1.0})
    written = figures.save(work, result, tmp_path)
    assert len(written) == 2 * len(figures.FIGURES[work.name])
    assert all(path.stat().st_size > 1000 for path in written)


def test_t_tests_are_of_processor_time_and_memory_at_each_number_of_jobs() -> None:
    def repeats(name: str, cpu: Sequence[float]) -> list[Repeat]:
        return [Repeat(name, {"jobs": 32}, k, 0, {"per_s": 1.0, "cpu_percent": c}, raw=row(name)) for k, c in enumerate(cpu)]

    result = Result({"mode": "full"}, [*repeats("despina default", [100, 101, 102]), *repeats("storm tuned", [180, 182, 181])])
    pytest.importorskip("statsmodels")
    table = report.t_tests(WORKS["manufacturing"], result)
    assert [row[:5] for row in table.rows] == [["storm tuned", "32", "CPU, % of one core", "101", "181"]]
    assert table.rows[0][5] == "< 0.0001"
    assert report.p_value([1, 2, 3], [1, 2, 3], "two-sided") == "1.0000"
    assert report.p_value([1, 2, 3], [1, 2, 3], "smaller") == "0.5000"


def test_live_bytes_are_those_of_the_last_line() -> None:
    said = "   1:  10  4096  [B (java.base@17)]\nTotal            10          4096\n"
    assert memory.parse_total(said) == 4096
    with pytest.raises(RunError):
        memory.parse_total("no such process")


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_no_row_is_won_by_resident_memory_since_heaps_differ(work: Work) -> None:
    assert RESIDENT not in work.judged


def test_heaps_are_told_as_jvms_were_started() -> None:
    def started(*flags: Sequence[str]) -> Repeat:
        costs = {"jvm_flags": {str(pid): words for pid, words in enumerate(flags)}}
        return Repeat("despina default", {}, 0, 0, {}, raw={"found": {"costs": costs}})

    assert report.heaps([started(["-Xms128m", "-Xmx512m"], ["-Xms128m", "-Xmx512m"])]) == "128 MB to 512 MB"
    assert report.heaps([started(["-Xmx128m", "-XX:+UseParallelGC", "-Xms2g", "-Xmx2g"])]) == "2,048 MB"
    assert report.heaps([started(["-Xmx2147483648", "-Xms2048M"])]) == "2,048 MB"
    assert report.heaps([started(["-Xmx1g"])]) == "Java's to 1,024 MB"
    assert report.heaps([started()]) == "–"


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_works_compare_what_they_measure(work: Work) -> None:
    assert {metric.name for metric in work.judged} <= {metric.name for metric in work.metrics}
    assert work.full.repeats >= 3
    assert all(point in work.full.points for point in work.short.points)
    assert {frozenset(point) for point in work.quick.points} <= {frozenset(point) for point in work.full.points}
    assert all(point in work.full.points for point in work.sweep.points)
    assert not work.tuned_as or WORKS[work.tuned_as].sweep.points


def test_rates_name_their_rate() -> None:
    assert all(point["rate_per_s"] > 0 for point in PACED.full.points)


@pytest.mark.parametrize(("words", "said"), [(["nothing"], "no work 'nothing'"),
                                             (["relay", "--with", "kafka"], "no peer 'kafka'"),
                                             (["relay", "--only", "packet_bytes=7"], "no such points"),
                                             (["relay", "--only", "packet_byte=50"], "no point of relay has 'packet_byte'"),
                                             (["word_count", "idle", "--only", "jobs=1"], "one of packet_bytes, rate_per_s"),
                                             (["relay", "--with", "none", "--row", "kafka"], "nothing to run"),
                                             (["--short", "--quick"], "exclude one another")])
def test_what_is_not_there_is_refused(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["bench", "compare", *words, "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_json_of_a_run_reads_back(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [1, 2, 3])))
    saved = json.loads((tmp_path / "compare_relay.json").read_text())
    assert saved["engines"] == {"despina": {"version": "1", "jdk": "17"}}
    assert [repeat["values"]["per_s"] for repeat in saved["repeats"]] == [1, 2, 3]


def test_what_others_disturbed_is_made_again_as_often_as_the_plan_allows(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("despina", [1, 2]), repeats=1, watch=Loud))
    assert [(repeat.attempt, repeat.values["per_s"]) for repeat in result.repeats] == [(0, 1), (1, 2)]
    assert result.disturbed("despina default", {"packet_bytes": 50})
    assert session(tmp_path, Made("despina", []), repeats=1, resume=True).left() == []


def test_another_peer_s_rows_join_those_that_are_there(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [2, 1, 3], candidates=["a", "b"]), mode=SWEEP, repeats=1))
    ran(session(tmp_path, Made("flink", [3, 4, 5], candidates=["c", "d"]), mode=SWEEP, repeats=1, resume=True))
    tried = [("storm", "default", 2), ("storm", "a", 1), ("storm", "b", 3), ("flink", "default", 3), ("flink", "c", 4),
             ("flink", "d", 5)]
    assert [(one.engine, one.name, one.figure) for one in Tuning.load(tmp_path).tried["relay"]] == tried
    ran(session(tmp_path, Made("flink", [6, None, 7], candidates=["c", "d"]), mode=SWEEP, repeats=1))
    assert [(one.engine, one.name, one.figure) for one in Tuning.load(tmp_path).tried["relay"]] == [
        *tried[:3], ("flink", "default", 6), ("flink", "c", None), ("flink", "d", 7)]


def test_a_sweep_of_another_length_begins_anew(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [2, 1], candidates=["a"]), mode=SWEEP, repeats=1))
    ran(session(tmp_path, Made("flink", [3, 4], candidates=["c"]), mode=SWEEP, repeats=1, seconds=2))
    assert {one.engine for one in Tuning.load(tmp_path).tried["relay"]} == {"flink"}


def test_runs_with_settings_that_have_changed_are_left_out(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [7, 8], candidates=["a"]), repeats=1))
    (tmp_path / "sweep").mkdir()
    ran(session(tmp_path / "sweep", Made("storm", [1, 1, 2], candidates=["a", "b"]), mode=SWEEP, repeats=1))
    (tmp_path / "sweep" / "compare_relay_tuning.json").rename(tmp_path / "compare_relay_tuning.json")
    result = ran(session(tmp_path, Made("storm", [9], candidates=["a", "b"]), repeats=1, resume=True))
    assert [(repeat.subject, repeat.values["per_s"]) for repeat in result.repeats] == [("storm default", 7), ("storm tuned", 9)]


def test_what_failed_is_made_again_when_it_is_resumed(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [None]), repeats=1))
    assert ran(session(tmp_path, Made("despina", [4]), repeats=1, resume=True)).median(
        "per_s", "despina default", {"packet_bytes": 50}) == 4


def test_runs_of_several_commits_are_told_apart_on_the_page_and_while_it_runs(tmp_path: Path,
                                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    def at(commit: str, *engines: Made, resume: bool) -> list[str]:
        monkeypatch.setattr(machine, "commit", lambda: commit)
        heard: list[str] = []
        plan = Plan([{"packet_bytes": size} for size in (50, 1024)], repeats=1, warm_up_s=0, seconds=1, attempts=1)
        made = Session(Wanted(RELAY, plan, "part", tmp_path, Tuning().rows(RELAY), resume), engines,
                       Kit(tmp_path / "cache", tmp_path, tell=heard.append), {}, Quiet)
        run([made], Limits(2), lambda line: None)
        return heard

    assert at("old", Made("despina", [1]), Made("storm", [1]), resume=False) == []
    assert at("new", Made("despina", [1]), Made("storm", [1]), resume=True) == [
        "compare_relay.json: 1 of its runs of despina are of other commits; the page says which"]
    result = Result.load(tmp_path / "compare_relay.json")
    assert [repeat.raw["row"]["commit"] for repeat in result.repeats] == ["old", "old", "new", "new"]
    said = "despina default was measured at several commits: old at packet bytes 50; new at packet bytes 1,024."
    assert said in report.measured(RELAY, result)
    assert [row[6] for row in report.rows(RELAY, result).rows] == ["old, new", ""]


def test_runs_of_another_kind_are_not_mixed(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [1, 2, 3])))
    with pytest.raises(RefusedError, match=r"runs with seconds 1, and this is 2"):
        session(tmp_path, Made("despina", []), resume=True, seconds=2)


def test_first_points_of_all_works_come_first(tmp_path: Path) -> None:
    heard: list[str] = []
    plan = Plan([{"packet_bytes": 50}, {"packet_bytes": 1024}], repeats=2, warm_up_s=0, seconds=1)
    sessions = [Session(Wanted(work, plan, "part", tmp_path, Tuning().rows(work)), [Made("despina", [1] * 4)],
                        Kit(tmp_path / "cache", tmp_path), {}, Quiet) for work in (RELAY, PACED)]
    run(sessions, Limits(), heard.append)
    assert [line.split(": ")[0].split()[1] + line.split("bytes ")[1].split(":")[0] for line in heard[1:]] == [
        "relay50", "rates50", "relay1,024", "rates1,024"] * 2


def test_rounds_of_all_works_take_turns_and_stop_in_time(tmp_path: Path) -> None:
    first, second = Made("despina", [1, 2]), Made("despina", [1, 2])
    sessions = [session(tmp_path, first, repeats=2), session(tmp_path, second, repeats=2, work=PACED)]
    heard: list[str] = []
    run(sessions, Limits(runs=3), heard.append)
    assert [len(made.result.repeats) for made in sessions] == [2, 1]
    assert "stopped with 1 runs left" in heard[-1]
    run(sessions, Limits(until_s=0), heard.append)
    assert len(sessions[1].result.repeats) == 1
    run(sessions, Limits(), heard.append)
    assert [len(made.left()) for made in sessions] == [0, 0]


def test_the_best_of_a_sweep_becomes_the_tuned_row(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [2, 1, 3, 2], candidates=["a", "b", "c"]), mode=SWEEP, repeats=1))
    result = ran(session(tmp_path, Made("storm", [7, 8], candidates=["a", "b", "c"]), repeats=1))
    assert result.subjects == ["storm default", "storm tuned"]
    assert [repeat.raw["row"]["settings"] for repeat in result.repeats] == [{"speed": "default"}, {"speed": "b"}]


def test_where_the_default_was_best_there_is_no_tuned_row(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [4, 1, 3], candidates=["a", "b"]), mode=SWEEP, repeats=1))
    assert ran(session(tmp_path, Made("storm", [7], candidates=["a", "b"]), repeats=1)).subjects == ["storm default"]


def test_without_a_sweep_the_tuned_row_has_the_first_settings(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("storm", [7, 8], candidates=["a", "b"]), repeats=1))
    assert result.repeats[1].raw["row"]["settings"] == {"speed": "a"}
    assert "No sweep of relay is here" in report.section(RELAY, result, Tuning.load(tmp_path), [])


def test_a_sweep_counts_at_the_nearest_of_its_points() -> None:
    tried = [Trying("storm", {"packet_bytes": size}, name, {}, figure)
             for size, name, figure in ((50, "long", 3.0), (50, "short", 2.0), (10240, "long", 1.0), (10240, "short", 2.0),
                                        (10240, "broken", None))]
    tuning = Tuning({"relay": tried})
    best = {size: tuning.best(RELAY, "storm", {"packet_bytes": size}) for size in (50, 400, 1024, 10240)}
    assert {size: one.name for size, one in best.items() if one} == {50: "long", 400: "long", 1024: "short", 10240: "short"}
    assert tuning.best(RELAY, "flink", {"packet_bytes": 50}) is None
    assert [line[3] for line in table(RELAY, tried).rows] == ["**3.00**", "2.00", "1.00", "**2.00**", "failed"]


def test_after_a_sweep_in_part_no_size_takes_what_was_best_for_another() -> None:
    tuning = Tuning({"relay": [Trying("storm", {"packet_bytes": 50}, "b", {"speed": "b"}, 3.0)]})
    engine = Made("storm", [], candidates=["a", "b"])
    small, large = (tuning.rows(RELAY)(engine, {"packet_bytes": size})[1] for size in (400, 1024))
    assert (small.name, small.settings, small.remark) == ("tuned", {"speed": "b"}, "")
    assert (large.name, large.settings, large.remark) == ("tuned", {"speed": "a"}, UNTRIED)


@pytest.mark.parametrize(("tried", "settings", "remark"), [
    ([("gone", "gone", 9.0), ("b", "b", 3.0), ("a", "a", 2.0)], {"speed": "b"}, ""),
    ([("b", "as it was", 9.0), ("a", "a", 2.0)], {"speed": "a"}, ""),
    ([("gone", "gone", 9.0)], {"speed": "a"}, UNTRIED),
    ([("default", "default", 9.0)], {"speed": "a"}, UNTRIED),
])
def test_a_tuned_row_has_no_settings_but_those_that_were_tried(tried: Sequence[tuple[str, str, float]], settings: dict[str, str],
                                                               remark: str) -> None:
    tuning = Tuning({"relay": [Trying("storm", {"packet_bytes": 50}, name, {"speed": speed}, figure)
                               for name, speed, figure in tried]})
    tuned = tuning.rows(RELAY)(Made("storm", [], candidates=["a", "b"]), {"packet_bytes": 50})[1]
    assert (tuned.settings, tuned.remark) == (settings, remark)


def test_a_tuned_row_that_is_worse_than_its_default_says_so() -> None:
    relay = made_up(RELAY, {"despina default": 4, "storm default": 3, "storm tuned": 2})
    remarks = {row[0]: row[-1] for row in report.rows(RELAY, relay).rows}
    assert remarks["storm tuned"].startswith("worse than its default at packet bytes 50 and packet bytes 100 and")
    assert remarks["storm default"] == remarks["despina default"] == ""
    better = made_up(PACED, {"storm default": 1, "storm tuned": 2})
    assert report.no_better(PACED, better, "storm tuned") == []
    assert len(report.no_better(PACED, made_up(PACED, {"storm default": 2, "storm tuned": 1}), "storm tuned")) == 1


def test_storm_s_operators_look_seldom_only_where_there_are_many() -> None:
    engine = catalogue.engine("storm")
    one, many = (engine.candidates("manufacturing", jobs(count)) for count in (1, 32))
    assert [each.name for each in one] == [each.name for each in many]
    sleeps = "topology.bolt.wait.progressive.level3.sleep.millis"
    assert {sleeps in each.settings for each in one} == {False}
    assert {sleeps in each.settings for each in many} == {True}
    assert {each.settings["topology.producer.batch.size"] for each in many} == {1, 100}


@pytest.mark.parametrize(("said", "reason"), [
    ({"exceptionHistory": {"entries": [{"stacktrace": "java.io.IOException: too few buffers\n\tat A\n" + "\tat B\n" * 99},
                                       {"stacktrace": "older"}]}}, "java.io.IOException: too few buffers\n\tat A\n"),
    ({"root-exception": "as it was told before 2.0", "exceptionHistory": {"entries": []}}, "as it was told before 2.0"),
    ({}, "it does not say why")])
def test_flink_s_failure_is_told_by_its_first_lines(said: dict[str, Any], reason: str) -> None:
    told = adapter.reason(said)
    assert told.startswith(reason)
    assert len(told.splitlines()) <= adapter.REASON_LINES


def test_a_sweep_for_latency_takes_the_lowest() -> None:
    tried = [Trying("storm", {"rate_per_s": 20_000}, name, {}, figure) for name, figure in (("a", 3.0), ("b", 2.0))]
    best = Tuning({"rates": tried}).best(PACED, "storm", {"rate_per_s": 1000})
    assert best is not None
    assert best.name == "b"


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
@pytest.mark.parametrize("peer", catalogue.PEERS)
def test_a_peer_that_can_be_tuned_has_settings_to_try_under_names_of_their_own(peer: str, work: Work) -> None:
    engine = catalogue.engine(peer)
    for point in [*work.full.points, *work.sweep.points]:
        tried = engine.candidates(work.name, point)
        assert len({one.name for one in tried}) == len(tried)
        assert not tried or engine.variants(work.name, point)
        assert not tried or work.tuned_as


def test_a_row_is_held_to_the_best_peer_that_does_the_same_work() -> None:
    result = made_up(RELAY, {"despina default": 4, "storm tuned": 1, "flink tuned": 2, "flink fused": 50, "bare relay ": 9})
    found = standing.standings(RELAY, result)
    assert {(one.rival, one.won) for one in found} == {("flink tuned", "yes")}
    assert found[0].ratio.value == 2
    assert {one.metric.name for one in found} == {"per_s", "cpu_s_per_million"}


def of_rounds(result: Result, rounds: int, **more: Any) -> Result:
    """The first rounds of a result, its repeats with other fields."""
    return Result(result.about, [replace(repeat, **more) for repeat in result.repeats if repeat.repeat < rounds])


@pytest.mark.parametrize(("rounds", "disturbed", "doubt"), [
    (3, "", ""), (1, "", "1 round"), (2, "", "2 rounds"), (3, "by others", "disturbed"), (1, "by others", "1 round, disturbed")])
def test_what_few_rounds_or_disturbed_ones_show_is_no_plain_yes(rounds: int, disturbed: str, doubt: str) -> None:
    whole = made_up(RELAY, {"despina default": 9, "storm tuned": 1, "bare relay ": 9})
    result = of_rounds(whole, rounds, disturbed=disturbed)
    held = {row[0]: row[3] for row in standing.held(standing.claims(RELAY), result).rows}
    said = standing.doubted("yes", doubt)
    assert held["50 B: throughput, of the best peer's"] == said
    assert held["CPU-seconds per million, of the cheapest peer's, at the worst point"] == said
    found = standing.standings(RELAY, result)
    assert {(one.won, one.doubt) for one in found} == {("yes", doubt)}
    assert {row[-1] for row in standing.table(found).rows} == {said}


def test_a_row_that_does_not_keep_its_rate_has_no_latency() -> None:
    def kept(result: Result, **shares: float) -> Result:
        return Result(result.about, [replace(repeat, values={**repeat.values, "share_of_rate": shares.get(
            repeat.subject.partition(" ")[0], 1.0)}) for repeat in result.repeats])

    whole = made_up(PACED, {"despina default": 2, "storm tuned": 1, "flink tuned": 8})
    rivals = {(one.metric.name, one.rival) for one in standing.standings(PACED, kept(whole, flink=0.9))}
    assert rivals == {("p50_ms", "storm tuned"), ("p99_ms", "storm tuned"), ("cpu_s_per_million", "flink tuned")}
    ours = standing.standings(PACED, kept(made_up(PACED, {"despina default": 2, "storm tuned": 1}), despina=0.9))
    assert {(one.metric.name, one.won, one.doubt) for one in ours} == {
        ("p50_ms", "no", "rate not kept"), ("p99_ms", "no", "rate not kept"), ("cpu_s_per_million", "yes", "")}


def test_latency_is_held_to_what_was_measured_by_hand_where_there_is_a_hand_off() -> None:
    def held(speeds: dict[str, float]) -> list[str]:
        rows = standing.held(standing.claims(PACED), made_up(PACED, speeds)).rows
        return [row[3] for row in rows if "by hand" in row[0] and "storm" in row[0]]

    rows = {"despina default": 2.0, "storm tuned": 1.0}
    assert held({**rows, "bare relay hand-off": 5}) == ["yes", "yes"]
    assert held({**rows, "bare relay hand-off": 10}) == ["yes", "no"]
    assert held(rows) == ["–", "–"]


def test_the_page_names_the_rows_that_are_not_won_and_what_does_not_hold(tmp_path: Path) -> None:
    made_up(RELAY, {"despina default": 4, "storm tuned": 1, "flink tuned": 2}).save(tmp_path / "compare_relay.json")
    made_up(PACED, {"despina default": 1, "storm tuned": 4}).save(tmp_path / "compare_rates.json")
    report.write_page(tmp_path, tmp_path / "COMPARISON.md", Tuning())
    page = (tmp_path / "COMPARISON.md").read_text()
    lost = page.partition("## Rows not won")[2].partition("## relay")[0]
    assert "[rates](#rates), packet bytes 50, rate per s 20,000: p99 ms 1.01, storm tuned 0.253; ratio 4.00 [4.00, 4.00]" in lost
    assert "[relay]" not in lost
    held = next(line for line in page.splitlines() if "50 B: throughput, of the best peer's" in line)
    assert [cell.strip() for cell in held.split("|")[3:6]] == ["≥ 2.50", "2.00 [2.00, 2.00] of 3 rounds", "no"]


def test_the_page_is_made_of_what_is_there_without_a_run(tmp_path: Path) -> None:
    made_up(RELAY, {"despina default": 4, "storm tuned": 1}).save(tmp_path / "compare_relay.json")
    assert invoke(["bench", "compare", "--page", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "COMPARISON.md").read_text()
    assert "Not measured: rates, manufacturing," in page
    assert "3 rounds of 15 s at 7 points" in page
    assert "A full run is" not in page


def test_there_is_no_page_of_nothing(tmp_path: Path) -> None:
    assert report.write_page(tmp_path, tmp_path / "COMPARISON.md", Tuning()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_a_short_run_says_what_a_full_one_is(tmp_path: Path) -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    short = Result({**whole.about, "mode": "short"}, [r for r in whole.repeats if r.point["packet_bytes"] == 50 and r.repeat < 2])
    said = report.measured(RELAY, short)
    assert "short run: 2 rounds of 15 s at 1 point," in said
    assert "A full run is 3 rounds of 15 s at 7 points" in said


@pytest.mark.parametrize(("given", "mode"), [
    ({}, "full"), ({"short": True}, "short"), ({"seconds": 3.0}, "short"), ({"rounds": 1}, "short"), ({"quick": True}, "quick"),
    ({"rows": ("storm tuned",)}, "part"), ({"only": ("jobs=1",), "short": True}, "part"), ({"tune": True}, "sweep")])
def test_only_whole_runs_are_called_full(given: dict[str, Any], mode: str) -> None:
    none = {"short": False, "quick": False, "tune": False, "only": (), "rows": (), "rounds": None, "seconds": None}
    assert command.mode_of(",".join(catalogue.PEERS), False, {**none, **given}) == mode
    assert command.mode_of("storm", False, none) == "part"


def test_fig_7_is_drawn_of_two_works(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = {work.name: made_up(work, {"despina default": 4, "storm tuned": 1}) for work in (RELAY, PACED)}
    assert {path.name for path in figures.save_all(results, tmp_path)} == {"compare_fig7.png", "compare_fig7.svg"}
    assert len(results["rates"].points(rate_per_s=SLOW_RATE)) == len(RELAY.full.points)
    assert figures.save_all({"relay": results["relay"]}, tmp_path) == []


def test_a_figure_of_two_works_says_where_they_were_measured_unless_it_was_the_same() -> None:
    relay, paced = (made_up(work, {"despina default": 4, "storm tuned": 1}) for work in (RELAY, PACED))
    assert figures.origins({"relay": relay, "rates": paced}) == []
    later = Result({**paced.about, "at": "2026-01-02T00:00:00Z"}, paced.repeats)
    assert [line[:14] + line[-10:] for line in figures.origins({"relay": relay, "rates": later})] == [
        "relay: made up2026-01-01", "rates: made up2026-01-02"]
    elsewhere = Result({**paced.about, "machine": {"cpu": "another"}}, paced.repeats)
    assert [line.split(",")[0] for line in figures.origins({"relay": relay, "rates": elsewhere})] == [
        "relay: made up", "rates: another"]


def test_runs_that_were_watched_too_shortly_are_named() -> None:
    def watched(**costs: float) -> list[str]:
        raw = {**row("storm tuned"), "found": {"costs": costs}}
        return report.watched(Result({"plan": {"seconds": 8}}, [Repeat("storm tuned", {"jobs": 32}, 0, 0, {}, raw=raw)]))

    assert watched(seconds=1.007, wire_bytes=1) == [
        "- storm tuned (jobs 32): its processes were watched for 1.0 s of 6.5, which tells no costs of the whole"]
    assert watched(seconds=7.9, asked_s=8, wire_s=4.0, wire_bytes=1) == [
        "- storm tuned (jobs 32): its sockets were listed 4.0 s apart, for a window of 8 s"]
    assert watched(seconds=7.9, asked_s=8, wire_s=8.1, wire_bytes=1) == watched(seconds=8.0, wire_bytes=1) == []


def test_rows_are_told_apart_without_colour() -> None:
    names = ["despina default", "bare relay", "bare relay hand-off",
             *(f"{peer} {row}" for peer in ("storm", "flink", "hazelcast") for row in ("default", "tuned")), "flink fused",
             "spark micro-batch", "spark tuned"]
    looks = [(drawn["marker"], drawn["linestyle"], drawn.get("markerfacecolor") == "white")
             for drawn in (figures.look(name) for name in names)]
    assert len(set(looks)) == len(names)
