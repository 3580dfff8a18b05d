"""The order of runs, what is resumed and what is made again, on made-up engines."""

from __future__ import annotations

import json
from http.client import HTTPException
from pathlib import Path
from subprocess import Popen, TimeoutExpired

import pytest

from despina.cli import invoke
from despina.errors import JobError, RefusedError
from harness import machine
from harness.experiment import Plan
from harness.measure import Limits, run
from harness.processes import RunError
from harness.result import Result, now
from peers import compare, our_works, report
from peers.contract import Kit, UnavailableError
from peers.manufacturing import Input
from peers.session import SWEEP, Comparison, Wanted, prepare
from peers.tuning import Tuning
from peers.works import PACED, RELAY
from testing.made_up import Loud, Made, Quiet, ran, session


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


def test_what_a_work_reads_is_in_memory_before_an_engine_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Made("storm", [1])
    monkeypatch.setattr(Input, "into_memory", lambda given: engine.order.append(given.file.name))
    monkeypatch.setattr(Comparison, "_input", lambda *_: Input(tmp_path / "readings.txt", 0, {}))
    ran(session(tmp_path, engine, repeats=1))
    assert engine.order == ["readings.txt", "start", "submit", "sample", "stop"]


def test_what_cannot_be_read_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Comparison, "_input", lambda *_: Input(tmp_path / "readings.txt", 0, {}))
    (repeat,) = ran(session(tmp_path, Made("storm", [1]), repeats=1)).repeats
    assert "readings.txt" in repeat.failed


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    first = ran(session(tmp_path, Made("despina", [1, 2, 3])), most_runs=2)
    again = ran(session(tmp_path, Made("despina", [7]), resume=True))
    assert [repeat.values["per_s"] for repeat in first.repeats] == [1, 2]
    assert [repeat.values["per_s"] for repeat in again.repeats] == [1, 2, 7]


def test_what_fails_is_told_with_its_logs_kept_and_the_others_go_on(tmp_path: Path) -> None:
    made = session(tmp_path, Made("despina", [5]), Made("storm", [None]), repeats=1)
    result = ran(made)
    report.write(RELAY, result, tmp_path, Tuning.load(tmp_path))
    page = (tmp_path / "compare_relay.md").read_text()
    assert "storm default (packet bytes 50) failed: it fell over" in page
    assert "logs are in failed/relay_storm_default" in page
    assert str(tmp_path) not in (tmp_path / "compare_relay.json").read_text()
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 5


@pytest.mark.parametrize("error", [OSError("no such file"), KeyError("pid"), ZeroDivisionError("division by zero"),
                                   ValueError("no JSON"), HTTPException("half an answer"), TimeoutExpired("ss", 5),
                                   JobError("bench_run", "it hangs"), UnavailableError("gone")],
                         ids=lambda error: type(error).__name__)
def test_what_may_go_wrong_ends_a_run_and_not_the_session(error: Exception, tmp_path: Path) -> None:
    result = ran(session(tmp_path, Made("despina", [5]), Made("storm", [error]), repeats=1))
    failed = next(repeat for repeat in result.repeats if repeat.failed)
    assert failed.subject == "storm default"
    assert failed.failed.startswith(type(error).__name__)
    assert "logs are in failed/relay_storm_default" in failed.failed
    assert (tmp_path / "failed" / "relay_storm_default" / "engine.log").read_text() == "its last words"
    assert result.median("per_s", "despina default", {"packet_bytes": 50}) == 5


def test_a_mistake_of_the_harness_ends_the_session(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        ran(session(tmp_path, Made("storm", [TypeError("a mistake")]), repeats=1))


def test_a_window_that_was_not_put_out_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no window was put out"):
        our_works._windows_right(tmp_path / "windows")
    with pytest.raises(RunError, match="no word was counted"):
        our_works._counts_right(tmp_path / "counts", lines_of(tmp_path))


def lines_of(folder: Path) -> Path:
    """The lines of a word count."""
    file = folder / "lines.txt"
    file.write_text("a b\na c\n")
    return file


@pytest.mark.parametrize(("counts", "said"), [
    ({"a": 2, "b": 1, "c": 1}, ""),
    ({"a": 5, "b": 3, "c": 2}, ""),
    ({"a": 5, "b": 2, "c": 3}, "2 of 3 words were not counted as often as they came: ['b', 'c']"),
    ({"a": 4, "b": 2, "c": 2, "d": 2}, "3 of 3"),
])
def test_words_that_were_lost_on_the_way_to_their_count_are_seen(counts: dict[str, int], said: str, tmp_path: Path) -> None:
    out = tmp_path / "counts"
    out.mkdir()
    (out / "part-00000.json").write_text("".join(
        json.dumps({"word": word, "rows": n, "first": 1, "last": n, "total": n * (n + 1) // 2}) + "\n"
        for word, n in counts.items()))
    if not said:
        assert our_works._counts_right(out, lines_of(tmp_path)) == 3
        return
    with pytest.raises(RunError) as refused:
        our_works._counts_right(out, lines_of(tmp_path))
    assert said in str(refused.value)


def test_a_window_that_is_missing_is_told_though_all_that_are_there_are_right(tmp_path: Path) -> None:
    def row(start: int, address: int) -> str:
        return json.dumps({"start": start, "address": address, "first": start + our_works.STEP_US * address, "n": 30}) + "\n"

    folder = tmp_path / "windows"
    folder.mkdir()
    for start, name in ((0, "part-00000"), (2 * our_works.WINDOW_US, "part-00001")):
        (folder / name).write_text("".join(row(start, address) for address in range(our_works.ADDRESSES)))
    with pytest.raises(RunError, match="of the 2 windows up to 60000000 not every one is there"):
        our_works._windows_right(folder)


def test_each_run_tells_when_it_was_and_runs_without_a_time_are_read(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [1]), repeats=1))
    file = tmp_path / "compare_relay.json"
    saved = json.loads(file.read_text())
    assert saved["at"] <= saved["repeats"][0]["at"] <= now()
    del saved["repeats"][0]["at"]
    file.write_text(json.dumps(saved))
    assert [repeat.at for repeat in Result.load(file).repeats] == [""]


def test_what_preparing_starts_ends_with_it(tmp_path: Path) -> None:
    started: list[Popen[bytes]] = []

    class Starting(Made):
        def prepare(self, kit: Kit) -> None:
            started.append(Popen(["sh", "-c", "sleep 600 & sleep 600"]))

    ready, _ = prepare([Starting("storm", [])], Kit(tmp_path / "cache", tmp_path))
    assert len(ready) == 1
    assert started[0].wait(10) != 0
    assert list((tmp_path / "cache" / "running").iterdir()) == []


def test_a_peer_that_cannot_be_had_is_skipped_with_the_reason(tmp_path: Path) -> None:
    heard: list[str] = []
    there, gone = Made("despina", [1]), Made("storm", [])
    ready, missing = prepare([there, gone], Kit(tmp_path, tmp_path, tell=heard.append))
    assert ready == [there]
    assert missing == {"storm": "not to be had"}
    assert heard == ["storm: skipped: not to be had"]


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


def test_folders_of_peers_are_meant_as_they_were_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "storm").mkdir()
    monkeypatch.chdir(tmp_path)
    homes = [option for option in compare.command.params if (option.name or "").endswith("_home")]
    assert len(homes) == 3
    assert {option.type.convert("storm", option, None) for option in homes} == {tmp_path / "storm"}


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
        made = Comparison(Wanted(RELAY, plan, "part", tmp_path, Tuning().rows(RELAY), resume), engines,
                          Kit(tmp_path / "cache", tmp_path, tell=heard.append, watch=Quiet), {})
        run([made], Limits(2), lambda line: None)
        return heard

    assert at("old", Made("despina", [1]), Made("storm", [1]), resume=False) == []
    assert at("new", Made("despina", [1]), Made("storm", [1]), resume=True) == [
        "compare_relay.json: 1 of its runs of despina are of other commits; the page says which"]
    result = Result.load(tmp_path / "compare_relay.json")
    assert [repeat.raw["row"]["commit"] for repeat in result.repeats] == ["old", "old", "new", "new"]
    said = "despina default was measured at several commits: old at packet bytes 50; new at packet bytes 1,024."
    assert said in report.summarized(RELAY, result, Tuning())["noise"]
    assert [row[6] for row in report.rows(RELAY, result).rows] == ["old, new", ""]


def test_runs_of_another_kind_are_not_mixed(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [1, 2, 3])))
    with pytest.raises(RefusedError, match=r"runs with seconds 1, and this is 2"):
        session(tmp_path, Made("despina", []), resume=True, seconds=2)


def test_first_points_of_all_works_come_first(tmp_path: Path) -> None:
    heard: list[str] = []
    plan = Plan([{"packet_bytes": 50}, {"packet_bytes": 1024}], repeats=2, warm_up_s=0, seconds=1)
    sessions = [Comparison(Wanted(work, plan, "part", tmp_path, Tuning().rows(work)), [Made("despina", [1] * 4)],
                           Kit(tmp_path / "cache", tmp_path, watch=Quiet), {}) for work in (RELAY, PACED)]
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
