"""Tables, figures, who won, and the page, on made-up figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from despina.cli import invoke
from harness.processes import RunError
from harness.result import Repeat, Result
from peers import compare, figures, heaps, report, roster, standing
from peers.tuning import Tuning
from peers.works import GIVEN, MANUFACTURING, PACED, RELAY, RESIDENT, SLOW_RATE, SLOW_SINK, WORKS, Work
from testing.made_up import Made, made_up, of_rounds, ran, row, session


def test_the_table_says_what_each_row_is(tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("storm", [1, 2], ["default", "other"]), repeats=1))
    assert [row[0] for row in report.rows(RELAY, result).rows] == ["storm default", "storm other"]
    assert report.settings(result) == ['- storm default: settings speed "default"', '- storm other: settings speed "other"']


def test_figures_are_drawn_beside_the_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = made_up(PACED, {"despina default": 2.0, "storm tuned": 1.0})
    written = report.write(PACED, result, tmp_path, Tuning())
    assert [path.name for path in written] == ["compare_rates.md", "compare_rates_latency.png"]
    before = {path: path.read_bytes() for path in written}
    assert {path: path.read_bytes() for path in report.write(PACED, result, tmp_path, Tuning())} == before


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_every_figure_is_drawn(work: Work, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = made_up(work, {"despina default": 2.0, "storm tuned": 1.0})
    written = figures.save(work, result, tmp_path)
    assert len(written) == len(figures.FIGURES.get(work.name, {}))
    assert all(path.stat().st_size > 1000 for path in written)


def test_queries_that_cost_nearly_the_same_are_drawn_with_numbers_and_without_an_empty_panel() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    costs = {"q0": 0.583, "q3": 0.625}
    result = Result({"mode": "part", "subjects": ["despina default"]}, [
        Repeat("despina default", {"query": query, "from": "made", "events": 1}, 0, 0, {"cpu_s_per_million": cost})
        for query, cost in costs.items()])
    figures.by_query(result, figure)
    figure.canvas.draw()
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    told = [float(label.get_text()) for label in axes.get_xticklabels(which="both") if label.get_text()]
    assert sorted(number for number in told if low <= number <= high) == [0.5, 1]


def test_t_tests_are_of_processor_time_and_memory_at_each_number_of_jobs() -> None:
    def repeats(name: str, cpu: Sequence[float]) -> list[Repeat]:
        return [Repeat(name, {"jobs": 32}, k, 0, {"per_s": 1.0, "cpu_percent": c}, raw=row(name)) for k, c in enumerate(cpu)]

    result = Result({"mode": "full"}, [*repeats("despina default", [100, 101, 102]), *repeats("storm tuned", [180, 182, 181])])
    pytest.importorskip("statsmodels")
    assert report.t_tests(GIVEN, result).rows == report.t_tests(WORKS["manufacturing"], result).rows
    table = report.t_tests(WORKS["manufacturing"], result)
    assert [row[:5] for row in table.rows] == [["storm tuned", "32", "CPU, % of one core", "101", "181"]]
    assert table.rows[0][5] == "< 0.0001"
    assert report.p_value([1, 2, 3], [1, 2, 3], "two-sided") == "1.0000"
    assert report.p_value([1, 2, 3], [1, 2, 3], "smaller") == "0.5000"


def test_live_bytes_are_those_of_the_last_line() -> None:
    said = "   1:  10  4096  [B (java.base@17)]\nTotal            10          4096\n"
    assert heaps.parse_total(said) == 4096
    with pytest.raises(RunError):
        heaps.parse_total("no such process")


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


def test_a_row_is_held_to_the_best_peer_that_does_the_same_work() -> None:
    result = made_up(RELAY, {"despina default": 4, "storm tuned": 1, "flink tuned": 2, "flink fused": 50, "bare relay ": 9})
    found = standing.standings(RELAY, result)
    assert {(one.rival, one.won) for one in found} == {("flink tuned", "yes")}
    assert found[0].ratio.value == 2
    assert {one.metric.name for one in found} == {"per_s", "cpu_s_per_million"}


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


def test_rows_that_share_no_undisturbed_round_are_held_to_each_other_by_all_and_in_doubt() -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    disturbed = {"despina default": (0,), "storm tuned": (1, 2)}
    result = Result(whole.about, [replace(repeat, disturbed="by others") if repeat.repeat in disturbed[repeat.subject] else repeat
                                  for repeat in whole.repeats])
    assert len(standing.standings(RELAY, result)) == len(standing.standings(RELAY, whole))
    assert {(one.ratio.value, one.ratio.rounds, one.won, one.doubt) for one in standing.standings(RELAY, result)
            if one.metric.name == "per_s"} == {(4.0, 3, "yes", "disturbed")}
    shared = Result(whole.about, [replace(repeat, disturbed="by others") if repeat.repeat == 0 else repeat
                                  for repeat in whole.repeats])
    assert {(one.ratio.rounds, one.doubt) for one in standing.standings(RELAY, shared)} == {(2, "2 rounds")}


def test_rounds_whose_rows_ran_hours_after_each_other_are_in_doubt() -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    times = {"despina default": "2026-01-01T10:00:00Z", "storm tuned": "2026-01-01T12:00:00Z"}
    apart = Result(whole.about, [replace(repeat, at=times[repeat.subject]) for repeat in whole.repeats])
    assert {one.doubt for one in standing.standings(RELAY, apart)} == {"hours apart"}
    near = Result(whole.about, [replace(repeat, at=times["storm tuned"]) for repeat in whole.repeats])
    assert {one.doubt for one in standing.standings(RELAY, near)} == {""}


def test_the_worst_point_is_within_noise_where_any_point_may_be_worse() -> None:
    whole = made_up(RELAY, {"despina default": 2, "storm tuned": 2.02})
    text = "CPU-seconds per million, of the cheapest peer's, at the worst point"
    times = {"despina default": (1.0, 1.0, 1.0), "storm tuned": (0.9, 1.0, 1.1)}
    result = Result(whole.about, [replace(repeat, values={name: value * times[repeat.subject][repeat.repeat]
                                                          for name, value in repeat.values.items()}) for repeat in whole.repeats])
    assert {row[0]: row[3] for row in standing.held(standing.claims(RELAY), result).rows}[text].endswith("within noise")


def test_a_point_without_a_figure_is_named_and_not_left_out_in_silence() -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    result = Result(whole.about, [replace(repeat, values={"per_s": 1.0}) if repeat.point["packet_bytes"] in (100, 400) else repeat
                                  for repeat in whole.repeats])
    found = {row[0]: row[3] for row in standing.held(standing.claims(RELAY), result).rows}
    text = "CPU-seconds per million, of the cheapest peer's, at the worst point"
    assert found[text] == "yes (none at packet bytes 100 and packet bytes 400)"


def test_the_claim_of_many_jobs_holds_whatever_the_length_of_their_input() -> None:
    whole = made_up(MANUFACTURING, {"despina default": 9, "storm tuned": 1})
    older = Result(whole.about, [replace(repeat, point={**repeat.point, "rows": 16_000_000}) for repeat in whole.repeats])
    for result in (whole, older):
        held = {row[0]: row[3] for row in standing.held(standing.claims(MANUFACTURING), result).rows}
        assert held["32 jobs: throughput, of the best Storm row's"] == "yes"


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


def test_latency_is_held_to_the_best_row_and_to_the_best_without_settings_for_its_rate() -> None:
    result = made_up(PACED, {"despina default": 8, "storm default": 3, "storm tuned": 6, "flink tuned": 5})
    held = {row[0]: row[3] for row in standing.held(standing.claims(PACED), result).rows if "p50" in row[0]}
    assert held == {"20,000/s of 50 B: p50 ms, of the best peer's": "no",
                    "20,000/s of 50 B: p50 ms, of the best peer's in one configuration for all works": "yes"}


def test_the_relay_is_held_to_the_bare_one_as_it_is_and_unpaced() -> None:
    result = made_up(RELAY, {"despina default": 2, "bare relay": 1, "bare relay unpaced": 4})
    held = {row[0]: (row[2], row[3]) for row in standing.held(standing.claims(RELAY), result).rows}
    assert held["1,024 B: throughput, of the bare relay's"][1] == "yes"
    assert held["1,024 B: throughput, of the unpaced bare relay's"][1] == "no"
    assert held["1,024 B: throughput, of the unpaced bare relay's"][0].startswith("0.5")


def test_latency_is_held_to_what_was_measured_by_hand_where_there_is_a_hand_off() -> None:
    def held(speeds: dict[str, float]) -> list[str]:
        rows = standing.held(standing.checks(PACED), made_up(PACED, speeds)).rows
        return [row[3] for row in rows if "by hand" in row[0] and "storm" in row[0]]

    rows = {"despina default": 2.0, "storm tuned": 1.0}
    assert held({**rows, "bare relay hand-off": 5}) == ["yes", "yes"]
    assert held({**rows, "bare relay hand-off": 10}) == ["yes", "no"]
    assert held(rows) == ["–", "–"]


def paged(folder: Path, only: Sequence[Work] = tuple(WORKS.values())) -> str:
    """COMPARISON.md of the results in a folder."""
    report.keep(only, folder, folder / "results", Tuning())
    report.write_page(folder / "results", folder / "COMPARISON.md")
    return (folder / "COMPARISON.md").read_text()


def test_the_page_names_the_rows_that_are_not_won_and_what_does_not_hold(tmp_path: Path) -> None:
    made_up(RELAY, {"despina default": 4, "storm tuned": 1, "flink tuned": 2}).save(tmp_path / "compare_relay.json")
    made_up(PACED, {"despina default": 1, "storm tuned": 4}).save(tmp_path / "compare_rates.json")
    page = paged(tmp_path)
    lost = page.partition("## Rows not won")[2].partition("## relay")[0]
    assert ("[rates](#rates), packet bytes 50, rate per s 20,000: p99 ms 1.01, storm tuned 0.253, lower is better; "
            "ratio 4.00 [4.00, 4.00]") in lost
    assert "[relay]" not in lost
    figures_of_relay, figures_of_rates = 2 * len(RELAY.full.points), 3 * len(PACED.full.points)
    assert (f"Of {figures_of_relay + figures_of_rates} figures, Despina's beside the best peer's at each point, "
            f"{figures_of_relay} are plainly won; 0 are won within noise, in fewer than 3 rounds or in disturbed ones only; "
            f"{figures_of_rates} are not won:") in lost
    held = next(line for line in page.splitlines() if "50 B: throughput, of the best peer's" in line)
    assert [cell.strip() for cell in held.split("|")[3:6]] == ["≥ 2.50", "2.00 [2.00, 2.00] of 3 rounds", "no"]
    claimed, _, checked = page.partition("## Rows not won")[0].partition("## Are the peers as fast here as by hand?")
    assert "of the best peer's" in claimed
    assert "of the best peer's" not in checked
    assert "by hand)" in checked
    assert "by hand" not in claimed


def test_what_is_won_within_noise_is_not_plainly_won() -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 3.96})
    slow_once = [replace(repeat, values={**repeat.values, "per_s": 3.0})
                 if (repeat.subject, repeat.repeat) == ("despina default", 0) else repeat for repeat in whole.repeats]
    found = standing.standings(RELAY, Result(whole.about, slow_once))
    assert {(one.won, one.is_won, one.is_plainly_won) for one in found if one.metric.name == "per_s"} == {
        ("yes, within noise", True, False)}
    said = "".join(report.not_won([report.in_words(one) for one in found if not one.is_won], len(found),
                                  sum(1 for one in found if one.is_plainly_won)))
    assert "14 figures" in said
    assert "7 are plainly won; 7 are won within noise" in said


def test_how_few_rounds_a_figure_is_of_is_said_once() -> None:
    result = of_rounds(made_up(RELAY, {"despina default": 9, "storm tuned": 1}), 1)
    held = {row[0]: row[2:] for row in standing.held(standing.claims(RELAY), result).rows}
    assert held["50 B: throughput, of the best peer's"] == ["9.00", "yes (1 round)"]


def test_lines_do_not_tell_the_length_of_the_input() -> None:
    result = made_up(MANUFACTURING, {"despina default": 1, "storm tuned": 4})
    lost = report.in_words(standing.standings(MANUFACTURING, result)[0])
    assert lost.startswith("jobs 32: readings/s of all jobs 1.01, storm tuned 4.04, higher is better; ratio 0.250")


def test_a_failure_is_told_by_its_reason_unless_its_row_was_measured_after_it() -> None:
    def run(subject: str, failed: str = "", at: int = 50) -> Repeat:
        return Repeat(subject, {"packet_bytes": at}, 0, 0, {}, raw=row(subject), failed=failed)

    runs = [run("storm tuned", "too slow"), run("storm tuned", "too slow"), run("flink tuned", "no slots"), run("storm tuned"),
            run("storm tuned", "gone\nand its trace", at=1024), run("flink tuned"), run("flink tuned", "no buffers")]
    assert report.failures(Result({}, runs)) == [
        "- storm tuned (packet bytes 50) failed 2 times before it was measured",
        "- flink tuned (packet bytes 50) failed 1 time before it was measured",
        "- flink tuned (packet bytes 50) failed: no buffers",
        "- storm tuned (packet bytes 1,024) failed: gone"]


def test_disturbed_runs_and_those_of_them_that_were_made_again_are_both_told() -> None:
    def run(attempt: int, disturbed: str, k: int = 0) -> Repeat:
        return Repeat("storm tuned", {}, k, attempt, {"per_s": 1.0}, disturbed, raw=row("storm tuned"))

    assert report.disturbed(Result({}, [run(0, "others"), run(1, "others"), run(0, "others", 1), run(0, "", 2)])) == [
        "Of 4 runs 3 were disturbed by others' load, and 1 of these made again; \\* marks what no undisturbed run measured."]
    assert report.disturbed(Result({}, [run(0, "")])) == []


def test_a_page_says_why_engines_that_were_there_have_no_rows() -> None:
    whole = made_up(MANUFACTURING, {"despina default": 2, "storm tuned": 1})
    there = Result({**whole.about, "engines": {"spark": {}, "bare relay": {}, "storm": {}}}, whole.repeats)
    assert [line.partition(":")[0] for line in report.absent(MANUFACTURING, there)] == [
        "- bare relay has no rows here", "- spark has no rows here"]
    assert report.absent(MANUFACTURING, whole) == []
    assert report.absent(GIVEN, there) == []


def test_flags_that_later_ones_override_are_left_out() -> None:
    words = ["-Xmx896m", "-XX:+PrintGCDetails", "-Xms2g", "-Xmx2g", "-Xshare:auto"]
    assert report.effective(words) == ["-XX:+PrintGCDetails", "-Xms2g", "-Xmx2g", "-Xshare:auto"]
    runs = [Repeat("storm tuned", {}, k, 0, {}, raw={**row("storm tuned"), "found": {"costs": {"jvm_flags": {"worker": [
        f"-Xmx{size}", *words[1:]]}}}}) for k, size in enumerate(("128m", "256m"))]
    assert report.settings(Result({"engines": {}}, runs)) == [
        "- storm tuned: settings none; JVM `-XX:+PrintGCDetails -Xms2g -Xmx2g -Xshare:auto`"]


def test_figures_stand_on_the_page_with_what_they_show(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for work in (RELAY, PACED, MANUFACTURING):
        made_up(work, {"despina default": 4, "storm tuned": 1}).save(tmp_path / f"compare_{work.name}.json")
    page = paged(tmp_path)
    for number, name in ((7, "fig7"), (9, "manufacturing_fig9"), (10, "manufacturing_fig10")):
        line = next(line for line in page.splitlines() if line.endswith(f"](results/compare_{name}.png)"))
        assert line.startswith(f"![NEPTUNE's Fig {number} with all engines: ")
    shown = [line for line in page.splitlines() if line.startswith("![")]
    assert len(shown) == 4
    assert len(list((tmp_path / "results").glob("*.png"))) == 4
    assert not any(line.startswith("![compare") for line in shown)


@pytest.mark.parametrize("work", [work for work in WORKS.values() if figures.FIGURES.get(work.name)], ids=lambda work: work.name)
def test_every_figure_has_a_legend_that_its_note_stands_over(work: Work) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure
    for figure in figures.FIGURES[work.name].values():
        picture = Figure()
        figure.draw(made_up(work, {"despina default": 2.0, "storm tuned": 1.0}), picture)
        figures._note("short run", picture)
        assert picture.legends[0].get_title().get_text() == "short run"
        assert not picture.texts


def test_the_page_is_made_of_what_is_there_without_a_run(tmp_path: Path) -> None:
    made_up(RELAY, {"despina default": 4, "storm tuned": 1}).save(tmp_path / "compare_relay.json")
    report.keep([RELAY], tmp_path, tmp_path / "results", Tuning())
    assert invoke(["bench", "results", "--from", str(tmp_path / "results"), "--to", str(tmp_path)]) == 0
    page = (tmp_path / "COMPARISON.md").read_text()
    assert "Not measured: rates, manufacturing," in page
    assert "full run: 3 rounds of 15 s at 7 points" in page
    assert "part of a full run" not in page
    assert "A full run is" not in page
    assert page.count("|despina default|50|") == 1


def test_a_summary_of_less_does_not_replace_that_of_a_whole_full_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    whole.save(tmp_path / "compare_relay.json")
    assert "full run: 3 rounds of 15 s at 7 points" in paged(tmp_path)
    Result({**whole.about, "mode": "short"}, whole.repeats).save(tmp_path / "compare_relay.json")
    assert "full run: 3 rounds of 15 s at 7 points" in paged(tmp_path)
    made_up(RELAY, {"despina default": 7, "storm tuned": 1}).save(tmp_path / "compare_relay.json")
    assert "|despina default|50|7.07|" in paged(tmp_path)


def test_a_page_has_the_figures_of_each_work_as_they_were_measured_with_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for work in (RELAY, PACED):
        made_up(work, {"despina default": 4, "storm tuned": 1}).save(tmp_path / f"compare_{work.name}.json")
        report.write(work, Result.load(tmp_path / f"compare_{work.name}.json"), tmp_path, Tuning())
    drawn = {f"compare_{work.name}_{name}.png" for work in (RELAY, PACED) for name in figures.FIGURES.get(work.name, {})}
    assert {file.name for file in tmp_path.glob("*.png")} == drawn
    assert {file.name for file in tmp_path.glob("*.md")} == {"compare_relay.md", "compare_rates.md"}
    paged(tmp_path)
    assert {file.name for file in (tmp_path / "results").glob("*.png")} == {"compare_rates_latency.png", "compare_fig7.png"}


def test_there_is_no_page_of_nothing(tmp_path: Path) -> None:
    assert report.write_page(tmp_path, tmp_path / "COMPARISON.md") == []
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_a_short_run_says_what_a_full_one_is(tmp_path: Path) -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    short = Result({**whole.about, "mode": "short"}, [r for r in whole.repeats if r.point["packet_bytes"] == 50 and r.repeat < 2])
    said = report.measured(RELAY, short)
    assert "short run: 2 rounds of 15 s at 1 point," in said
    assert "A full run is 3 rounds of 15 s at 7 points" in said


@pytest.mark.parametrize(("left_out", "said"), [
    (lambda repeat: repeat.repeat == 2, "part of a full run: 2 rounds of 15 s at 7 points,"),
    (lambda repeat: repeat.repeat == 2 and repeat.point["packet_bytes"] > 1000, "part of a full run: 2 to 3 rounds of 15 s at 7"),
    (lambda repeat: repeat.point["packet_bytes"] == 50, "part of a full run: 3 rounds of 15 s at 6 points,"),
    (lambda repeat: repeat.subject == "storm tuned", "at 7 points, after 1 s of warm-up or what the row says. A full run is"),
])
def test_a_page_of_a_full_run_that_was_stopped_says_what_a_whole_one_is(left_out: Callable[[Repeat], bool], said: str) -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    stopped = Result(whole.about, [repeat for repeat in whole.repeats if not left_out(repeat)])
    told = report.measured(RELAY, stopped)
    assert said in told
    assert "A full run is 3 rounds of 15 s at 7 points" in told
    assert ("Not measured: storm tuned." in told) == ("storm tuned" not in {repeat.subject for repeat in stopped.repeats})


def test_a_full_run_with_rows_that_failed_is_not_called_whole() -> None:
    whole = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
    result = Result(whole.about, [replace(repeat, failed="it fell over") if repeat.subject == "storm tuned" else repeat
                                  for repeat in whole.repeats])
    assert "A full run is" in report.measured(RELAY, result)
    assert "A full run is" not in report.measured(RELAY, whole)


@pytest.mark.parametrize(("given", "mode"), [
    ({}, "full"), ({"short": True}, "short"), ({"seconds": 3.0}, "short"), ({"rounds": 1}, "short"), ({"quick": True}, "quick"),
    ({"rounds": 5}, "full"), ({"rounds": 3}, "full"), ({"seconds": 30.0}, "full"), ({"rounds": 5, "short": True}, "short"),
    ({"rows": ("storm tuned",)}, "part"), ({"events": 9000}, "part"),
    ({"only": ("jobs=1",), "short": True}, "part"), ({"tune": True}, "sweep")])
def test_only_whole_runs_are_called_full(given: dict[str, Any], mode: str) -> None:
    none = {"short": False, "quick": False, "tune": False, "only": (), "rows": (), "rounds": None, "seconds": None}
    assert compare.mode_of([RELAY, PACED], ",".join(roster.PEERS), {**none, **given}) == mode
    assert compare.mode_of([RELAY], "storm", none) == "part"


def test_a_run_that_is_too_short_for_one_of_its_works_is_not_full() -> None:
    more = {"short": False, "quick": False, "tune": False, "only": (), "rows": (), "rounds": None, "seconds": 30.0}
    assert compare.mode_of([RELAY, SLOW_SINK], ",".join(roster.PEERS), more) == "short"


def test_fig_7_is_drawn_of_two_works(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = {work.name: made_up(work, {"despina default": 4, "storm tuned": 1}) for work in (RELAY, PACED)}
    assert {path.name for path in figures.save_all(results, tmp_path)} == {"compare_fig7.png"}
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
    names = ["despina default", "bare relay", "bare relay hand-off", "bare relay unpaced",
             *(f"{peer} {row}" for peer in ("storm", "flink", "hazelcast") for row in ("default", "tuned")), "flink fused",
             "spark micro-batch", "spark tuned"]
    looks = [(drawn["marker"], drawn["linestyle"], drawn.get("markerfacecolor") == "white")
             for drawn in (figures.look(name) for name in names)]
    assert len(set(looks)) == len(names)
