"""Sweeps and the settings that tuned rows take from them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.experiment import Point
from harness.result import Result
from peers import flink, report, roster, tuning
from peers.contract import Variant
from peers.session import SWEEP
from peers.tuning import UNTRIED, Trying, Tuning, table
from peers.works import GIVEN, MANUFACTURING, PACED, RELAY, SLOW_SINK, WORKS, Work, jobs
from testing.made_up import Made, made_up, ran, session


def test_the_best_of_a_sweep_becomes_the_tuned_row(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [2, 1, 3, 2], candidates=["a", "b", "c"]), mode=SWEEP, repeats=1))
    result = ran(session(tmp_path, Made("storm", [7, 8], candidates=["a", "b", "c"]), repeats=1))
    assert result.subjects == ["storm default", "storm tuned"]
    assert [repeat.raw["row"]["settings"] for repeat in result.repeats] == [{"speed": "default"}, {"speed": "b"}]


def test_the_page_names_the_sweep_s_points_machine_and_day(tmp_path: Path) -> None:
    whole = made_up(RELAY, {"storm default": 1, "storm a": 2})
    Result({**whole.about, "mode": SWEEP, "machine": {"cpu": "made up", "cores": 2, "memory_gb": 8, "kernel": "6", "java": "17",
                                                      "commit": "abc"}},
           [repeat for repeat in whole.repeats if repeat.point["packet_bytes"] in (50, 10240)]).save(
        tmp_path / "compare_relay_tuning.json")
    found = Tuning.load(tmp_path)
    for work in (RELAY, SLOW_SINK):
        said = report.swept(work, found)[0]
        assert "once at packet bytes 50 and packet bytes 10,240 (made up, 2 cores, 8 GB, " in said
        assert ", commit abc, 2026-01-01)" in said
    assert "the sweep of [relay](#relay)" in said


def test_where_the_default_was_best_there_is_no_tuned_row(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [4, 1, 3], candidates=["a", "b"]), mode=SWEEP, repeats=1))
    assert ran(session(tmp_path, Made("storm", [7], candidates=["a", "b"]), repeats=1)).subjects == ["storm default"]


def test_without_a_sweep_the_tuned_row_has_the_first_settings(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("storm", [7, 8], candidates=["a", "b"]), repeats=1))
    assert result.repeats[1].raw["row"]["settings"] == {"speed": "a"}
    assert "No sweep of relay is here" in report.summarized(RELAY, result, Tuning.load(tmp_path))["tuned"][0]


def test_a_sweep_that_is_kept_in_short_is_read_like_its_runs(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("storm", [2, 1, 3], candidates=["a", "b"]), mode=SWEEP, repeats=1))
    assert [file.name for file in tuning.keep(RELAY, tmp_path, tmp_path / "kept")] == ["compare_relay_tuning.json"]
    assert Tuning.load(tmp_path / "kept") == Tuning.load(tmp_path)
    assert "repeats" not in (tmp_path / "kept" / "compare_relay_tuning.json").read_text()
    ran(session(tmp_path / "more", Made("flink", [4, 5], candidates=["c"]), mode=SWEEP, repeats=1))
    tuning.keep(RELAY, tmp_path / "more", tmp_path / "kept")
    assert [(one.engine, one.figure) for one in Tuning.load(tmp_path / "kept").tried["relay"]] == [
        ("storm", 2), ("storm", 1), ("storm", 3), ("flink", 4), ("flink", 5)]


def test_a_sweep_counts_at_the_nearest_of_its_points() -> None:
    tried = [Trying("storm", {"packet_bytes": size}, name, {}, figure)
             for size, name, figure in ((50, "long", 3.0), (50, "short", 2.0), (10240, "long", 1.0), (10240, "short", 2.0),
                                        (10240, "broken", None))]
    sweeps = Tuning({"relay": tried})
    best = {size: sweeps.best(RELAY, "storm", {"packet_bytes": size}) for size in (50, 400, 1024, 10240)}
    assert {size: one.name for size, one in best.items() if one} == {50: "long", 400: "long", 1024: "short", 10240: "short"}
    assert sweeps.best(RELAY, "flink", {"packet_bytes": 50}) is None
    assert [line[3] for line in table(RELAY, tried).rows] == ["**3.00**", "2.00", "1.00", "**2.00**", "failed"]


def test_what_others_disturbed_is_best_only_where_nothing_else_was_tried() -> None:
    point = {"packet_bytes": 50}
    lucky, sober = Trying("storm", point, "a", {}, 9.0, disturbed=True), Trying("storm", point, "b", {}, 2.0)
    assert Tuning({"relay": [lucky, sober]}).best(RELAY, "storm", point) == sober
    assert Tuning({"relay": [lucky]}).best(RELAY, "storm", point) == lucky


def test_after_a_sweep_in_part_no_size_takes_what_was_best_for_another() -> None:
    sweeps = Tuning({"relay": [Trying("storm", {"packet_bytes": 50}, "b", {"speed": "b"}, 3.0)]})
    engine = Made("storm", [], candidates=["a", "b"])
    small, large = (sweeps.rows(RELAY)(engine, {"packet_bytes": size})[1] for size in (400, 1024))
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
    sweeps = Tuning({"relay": [Trying("storm", {"packet_bytes": 50}, name, {"speed": speed}, figure)
                               for name, speed, figure in tried]})
    tuned = sweeps.rows(RELAY)(Made("storm", [], candidates=["a", "b"]), {"packet_bytes": 50})[1]
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
    engine = roster.engine("storm")
    one, many = (engine.candidates("manufacturing", jobs(count)) for count in (1, 32))
    assert [each.name for each in one] == [each.name for each in many]
    sleeps = "topology.bolt.wait.progressive.level3.sleep.millis"
    assert {sleeps in each.settings for each in one} == {False}
    assert {sleeps in each.settings for each in many} == {True}
    assert {each.settings["topology.producer.batch.size"] for each in many} == {1, 100}


@pytest.mark.parametrize(("work", "point"), [("manufacturing", jobs(32)), ("fixed_window", {}), ("word_count", {})])
def test_storm_s_batches_are_flushed_seldom_where_throughput_counts(work: str, point: Point) -> None:
    batched = [one.settings["topology.batch.flush.interval.millis"] for one in roster.engine("storm").candidates(work, point)
               if one.settings["topology.producer.batch.size"] > 1]
    assert set(batched) == {10, 100}


def test_flink_has_room_for_large_segments_where_operators_are_many() -> None:
    engine = roster.engine("flink")
    one, many = ({each.name: each.settings for each in engine.candidates("manufacturing", jobs(count))} for count in (1, 32))
    assert one.keys() == many.keys()
    more = {name: many[name].keys() - one[name].keys() for name in one}
    largest = "objects reused, segments of 512kb"
    assert {name for name in more if more[name]} == {largest}
    assert more[largest] == {"taskmanager.memory.network.min", "taskmanager.memory.network.max"}


@pytest.mark.parametrize(("status", "asked"), [("RUNNING", False), ("FAILING", False), ("FAILED", True)])
def test_flink_is_asked_why_only_when_it_can_tell(status: str, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: dict[str, dict[str, Any]] = {
        "jobs": {"jobs": [{"id": "1", "status": status}]},
        "jobs/1/exceptions": {"exceptionHistory": {"entries": [{"stacktrace": "too few buffers"}]}}}
    paths: list[str] = []

    def ask(_: int, path: str) -> dict[str, Any]:
        paths.append(path)
        return answers[path]

    monkeypatch.setattr(flink, "_ask", ask)
    assert flink.failure(1) == ("too few buffers" if asked else "")
    assert ("jobs/1/exceptions" in paths) == asked


def test_a_work_is_done_by_the_engines_that_it_names() -> None:
    none, (point,) = Tuning(), GIVEN.full.points
    asked: list[str] = []

    class Asked(Made):
        def variants(self, work: str, point: Point) -> Sequence[Variant]:
            asked.append(work)
            return super().variants(work, point)

    assert [row.name for row in none.rows(GIVEN)(Asked("storm", []), point)] == ["default"]
    assert none.rows(GIVEN)(Asked("flink", []), point) == []
    assert asked == ["manufacturing"]


def test_each_number_of_jobs_is_tuned_by_the_sweep_s_nearest() -> None:
    tried = [Trying("storm", jobs(count), f"best at {count}", {}, 1.0) for count in (32, 8, 1)]
    sweeps = Tuning({"manufacturing": tried})
    best = {count: sweeps.best(MANUFACTURING, "storm", jobs(count)) for count in (32, 4, 1)}
    assert {count: one.name for count, one in best.items() if one} == {32: "best at 32", 4: "best at 8", 1: "best at 1"}


WRAPPED = "JobException: recovery is suppressed\n\tat A\nCaused by: java.io.IOException: too few buffers\n\tat B\n\t... 9 more\n"
DEEP = "outermost\n" + "".join(f"Caused by: {depth}\n\tat A\n" for depth in range(99))


@pytest.mark.parametrize(("said", "reason"), [
    ({"exceptionHistory": {"entries": [{"stacktrace": WRAPPED}, {"stacktrace": "older"}]}},
     "java.io.IOException: too few buffers\nJobException: recovery is suppressed"),
    ({"exceptionHistory": {"entries": [{"stacktrace": DEEP}]}}, "\n".join(str(depth) for depth in range(98, 86, -1))),
    ({"root-exception": "as it was told before 2.0", "exceptionHistory": {"entries": []}}, "as it was told before 2.0"),
    ({}, "it does not say why")])
def test_flink_s_failure_is_told_by_what_it_comes_from(said: dict[str, Any], reason: str) -> None:
    assert flink.reason(said) == reason


def test_a_sweep_for_latency_takes_the_lowest() -> None:
    tried = [Trying("storm", {"rate_per_s": 20_000}, name, {}, figure) for name, figure in (("a", 3.0), ("b", 2.0))]
    best = Tuning({"rates": tried}).best(PACED, "storm", {"rate_per_s": 1000})
    assert best is not None
    assert best.name == "b"


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
@pytest.mark.parametrize("peer", roster.PEERS)
def test_a_peer_that_can_be_tuned_has_settings_to_try_under_names_of_their_own(peer: str, work: Work) -> None:
    engine = roster.engine(peer)
    for point in [*work.full.points, *work.sweep.points]:
        tried = engine.candidates(work.name, point)
        assert len({one.name for one in tried}) == len(tried)
        assert not tried or engine.variants(work.name, point)
        assert not tried or work.tuned_as
