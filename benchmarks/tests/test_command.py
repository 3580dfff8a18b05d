"""``despina bench``: the list, a whole small run, the files it leaves, RESULTS.md, and errors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from despina import cli
from despina.errors import JobError, RefusedError, StartError
from harness import book, catalogue, engine, machine, measure, tables
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Published, Run, Subject
from harness.keeping import Keeping
from harness.load import Load
from harness.measure import UNLIMITED, Limits, Resume
from harness.plots import Lines, lines
from harness.result import Result

Despina = Callable[..., tuple[int, str, str]]
SOURCE = Path(__file__).parents[1] / "src"
PNG = b"\x89PNG\r\n\x1a\n"
X = Metric("x", "x per s")


@pytest.fixture
def despina(capsys: pytest.CaptureFixture[str]) -> Despina:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = cli.invoke([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err
    return call


class Calm:
    """In place of a watch: nobody disturbed, or always somebody."""

    def __init__(self, others: float = 0.0) -> None:
        self.load = Load(0.0, others)

    def __enter__(self) -> Calm:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def made_up(log: list[tuple[str, int]] | None = None) -> Experiment:
    def subject(name: str, factor: float) -> Subject:
        def measured(run: Run) -> Measured:
            if log is not None:
                log.append((name, run.point["n"]))
            return Measured({X.name: factor * run.point["n"]}, {"folder": str(run.folder)})
        return Subject(name, measured)
    return Experiment(
        name="relay", doc="Made up. It measures nothing.", subjects=(subject("plain", 1), subject("ours", 3)), metrics=(X,),
        baseline="plain", full=Plan([{"n": 2}, {"n": 4}], repeats=5), quick=Plan([{"n": 2}], repeats=1),
        published=(Published("000", "2 at n=4", 2, "x", lambda result: result.median("x", "ours", {"n": 4})),),
        claims=(Claim("thrice", lambda result: result.ratio("x", "ours", "plain", {"n": 2}), at_least=3),),
        figures=(Figure("x", lines(Lines("n", X))),))


def run(experiment: Experiment, mode: str = "full", watch: Callable[[], Any] = Calm,
        folder: Path | None = None, resume: Resume = Resume.NO, limits: Limits = UNLIMITED) -> tuple[Result, list[str]]:
    told: list[str] = []
    with TemporaryDirectory() as other:
        keeping = Keeping((folder or Path(other)) / "relay.json", lambda result: False)
        return measure.one(experiment, experiment.plan(mode), mode, keeping, resume, limits, tell=told.append,
                           watch=watch), told


def page_of(experiment: Experiment, result: Result) -> str:
    return book.section(experiment, book.summarized(experiment, result), [])


def test_subjects_take_turns_and_another_begins_each_round() -> None:
    log: list[tuple[str, int]] = []
    run(made_up(log))
    assert log[:8] == [("plain", 2), ("ours", 2), ("plain", 4), ("ours", 4), ("ours", 2), ("plain", 2), ("ours", 4), ("plain", 4)]
    assert len(log) == 20


def test_what_no_claim_asks_about_is_measured_in_three_rounds() -> None:
    log: list[tuple[str, int]] = []
    experiment = made_up(log)
    plan = replace(experiment.full, shown_only=lambda point: point["n"] == 4)
    result, _ = run(replace(experiment, full=plan))
    assert sorted(log) == sorted([("plain", 2), ("ours", 2)] * 5 + [("plain", 4), ("ours", 4)] * 3)
    assert "full run: 3 to 5 rounds of 8 s" in page_of(experiment, result)
    assert "full run: 5 rounds of 8 s" in page_of(experiment, run(made_up())[0])


def test_a_disturbed_repeat_is_made_again_and_all_attempts_are_kept() -> None:
    moods = iter([0.5, 0.5, *[0.0] * 100])
    found, told = run(made_up(), watch=lambda: Calm(next(moods)))
    assert [(r.subject, r.repeat, r.attempt, bool(r.disturbed)) for r in found.repeats[:4]] == [
        ("plain", 0, 0, True), ("plain", 0, 1, True), ("plain", 0, 2, False), ("ours", 0, 0, False)]
    assert "attempt 3" in told[1]


def test_attempts_end_and_what_remains_is_marked() -> None:
    found, told = run(made_up(), watch=lambda: Calm(0.5))
    assert len(found.repeats) == 20 * 4
    assert "DISTURBED: other processes took 50%" in told[1]
    assert "ours*" in page_of(made_up(), found)


def test_a_key_that_no_point_has_leaves_none() -> None:
    plan = made_up().full
    assert [dict(point) for point in plan.narrowed(["n=2"], None, None).points] == [{"n": 2}]
    assert len(plan.narrowed(["n=2", "n=4"], None, None).points) == 2
    for none in ("m=2", "n=3", "n"):
        with pytest.raises(RefusedError):
            plan.narrowed([none], None, None)
    mixed = replace(plan, points=[{"n": 2}, {"n": 2, "of": "x"}, {"n": 2, "of": "y"}])
    assert [dict(point) for point in mixed.narrowed(["of=x"], None, None).points] == [{"n": 2}, {"n": 2, "of": "x"}]


def test_progress_tells_what_is_left() -> None:
    _, told = run(made_up())
    assert told[0].startswith("relay: 20 runs, about 5 min")
    assert told[-1].endswith("0 s left")


def test_a_run_that_was_cut_off_is_resumed(tmp_path: Path) -> None:
    def cut_off(run: Run) -> Measured:
        if len(log) == 7:
            raise KeyboardInterrupt
        log.append(("plain", run.point["n"]))
        return Measured({"x": 1.0})
    log: list[tuple[str, int]] = []
    whole = made_up(log)
    with pytest.raises(KeyboardInterrupt):
        run(replace(whole, subjects=(replace(whole.subjects[0], measure=cut_off), whole.subjects[1])), folder=tmp_path)
    assert "cut off after 7 of 20 runs" in page_of(whole, Result.load(tmp_path / "relay.json"))
    found, told = run(whole, folder=tmp_path, resume=Resume.YES)
    assert "cut off" not in page_of(whole, found)
    assert "7 of them made before" in told[0]
    assert len(log) == len(found.repeats) == 20
    assert found.repeats == Result.load(tmp_path / "relay.json").repeats
    assert [file.name for file in tmp_path.iterdir()] == ["relay.json"]
    run(whole, folder=tmp_path)
    assert len(log) == 40


def test_a_run_at_another_commit_does_not_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(made_up(), folder=tmp_path)
    monkeypatch.setattr(machine, "commit", lambda: "another")
    with pytest.raises(RefusedError, match=r"relay.json has runs with commit .*, and this is another"):
        run(made_up(), folder=tmp_path, resume=Resume.YES)
    log: list[tuple[str, int]] = []
    run(made_up(log), folder=tmp_path, resume=Resume.IF_ALIKE)
    assert len(log) == 20


def test_a_night_ends_in_time_and_the_next_one_goes_on(tmp_path: Path) -> None:
    log: list[tuple[str, int]] = []
    asked: list[str] = []
    whole = replace(made_up(log), needs=(lambda: asked.append("prepared"),))
    keeping = Keeping(tmp_path / "relay.json", lambda result: False)
    all_of_it = measure.left_s(whole, whole.full, "full", keeping)
    first, told = run(whole, folder=tmp_path, limits=Limits(7))
    assert (first.cut, first.made) == (True, 7)
    assert "stopped with 13 runs left" in told[-1]
    assert 0 < measure.left_s(whole, whole.full, "full", keeping) < all_of_it
    second, _ = run(whole, folder=tmp_path, resume=Resume.IF_ALIKE)
    assert (second.cut, len(log)) == (False, 20)
    assert measure.left_s(whole, whole.full, "full", keeping) == 0
    third, _ = run(whole, folder=tmp_path, resume=Resume.IF_ALIKE)
    assert third.repeats == second.repeats
    assert asked == ["prepared"] * 2


def test_all_experiments_share_the_minutes(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "names", lambda: ["relay"])
    monkeypatch.setattr(catalogue, "find", lambda name: made_up())
    code, out, err = despina("bench", "run", "all", "--minutes", "0.001", "--out", tmp_path)
    assert (code, out) == (0, "")
    assert "stopped with 20 runs left" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [
    JobError("memory", "out of memory"), StartError("bench_run", "out of memory"), OSError("out of memory"),
    ZeroDivisionError("out of memory"), subprocess.CalledProcessError(1, ["javac"])])
def test_a_run_that_fails_is_told_and_the_others_go_on(error: Exception) -> None:
    def fails(run: Run) -> Measured:
        raise error
    whole = made_up()
    found, told = run(replace(whole, subjects=(whole.subjects[0], replace(whole.subjects[1], measure=fails))))
    assert found.median("x", "plain", {"n": 2}) == 2
    assert found.median("x", "ours", {"n": 2}) is None
    assert re.search("FAILED: .*(out of memory|javac)", told[2])
    assert "FAILED: ours, {'n': 2}: " in page_of(whole, found)


def test_what_it_needs_is_asked_for_first() -> None:
    def missing() -> None:
        raise StartError("java_missing", "no Java found")
    log: list[tuple[str, int]] = []
    with pytest.raises(StartError, match="no Java"):
        run(replace(made_up(log), needs=(missing,)))
    assert not log


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    found, _ = run(made_up())
    found.save(tmp_path / "relay.json")
    again = Result.load(tmp_path / "relay.json")
    assert again.repeats == found.repeats
    assert again.about == found.about
    assert {"cpu", "cores", "kernel", "java", "flags", "commit"} <= set(again.about["machine"])


def test_a_full_run_becomes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "names", lambda: ["relay"])
    monkeypatch.setattr(catalogue, "find", lambda name: made_up())
    found, _ = run(made_up())
    written = book.write(made_up(), found, tmp_path / "made")
    assert [path.name for path in written] == ["relay.json", "relay.md", "relay_x.png"]
    assert written[2].read_bytes().startswith(PNG)
    kept = book.keep(made_up(), found, tmp_path / "made", tmp_path / "results")
    assert [path.name for path in kept] == ["relay.json", "relay_x.png"]
    assert book.results(tmp_path / "results", tmp_path / "RESULTS.md") == ["relay"]
    page = (tmp_path / "RESULTS.md").read_text()
    summary, _, section = page.partition("\n## relay\n")
    of_the_run = written[1].read_text()
    for piece in ("[relay](#relay)", "2 at n=4", "12.0 x", "6.00", "thrice", "≥ 3.00", "3.00 [3.00, 3.00]", "yes"):
        assert piece in summary, piece
        assert piece in of_the_run or piece.startswith("["), piece
    assert "|ours|4|12.0|3.00 [3.00, 3.00]|" in section
    assert "(results/relay_x.png)" in section


def test_a_summary_has_medians_and_intervals_and_no_repeats(tmp_path: Path) -> None:
    found, _ = run(made_up())
    found = replace(found, repeats=[replace(r, values={X.name: r.values[X.name] + r.repeat}) for r in found.repeats])
    book.save(book.summarized(made_up(), found), tmp_path / "relay.json")
    text = (tmp_path / "relay.json").read_text()
    assert '{"subject": "ours", "at": {"n": 4}, "rounds": 5, "x": [14.0, 12.0, 16.0], "ratio": ' in text
    assert text.count('"subject"') == 4
    assert "repeats" not in text
    assert book.load(tmp_path / "relay.json") == json.loads(text)


def test_a_page_names_what_a_kept_run_did_not_measure() -> None:
    experiment = made_up()
    kept = book.summarized(experiment, run(experiment)[0])
    more = replace(experiment, subjects=[*experiment.subjects, Subject("theirs", lambda run: Measured({}))])
    assert "Not measured in that run" not in book.section(experiment, kept, [])
    assert "Not measured in that run: theirs." in book.section(more, kept, [])


def test_numbers_are_as_many_on_a_page_as_in_what_was_measured() -> None:
    assert tables.number(book.rounded(2_475_000.4)) == tables.number(2_475_000.4)
    assert tables.tight("| a | b |\n| --- | --: |\n| x\\|y |   1 |\nno | table") == "|a|b|\n|-|-:|\n|x\\|y|1|\nno | table"


def test_the_list_names_every_experiment(despina: Despina) -> None:
    code, out, _ = despina("bench", "list")
    assert code == 0
    experiments, others = out.split("\n\n")
    assert [line.split()[0] for line in experiments.splitlines()[1:]] == catalogue.names()
    assert "despina bench compare" in others
    assert "relay" in catalogue.names()


@pytest.mark.parametrize("name", catalogue.names())
def test_every_experiment_is_whole(name: str) -> None:
    experiment = catalogue.find(name)
    empty = Result({"subjects": [s.name for s in experiment.subjects], "mode": "full"}, [])
    assert experiment.full.repeats >= 5 or "round" in experiment.remarks
    assert all(claim.found(empty) is None for claim in experiment.claims)
    assert all(theirs.ours(empty) is None for theirs in experiment.published)
    assert measure.expected_s(experiment, experiment.plan("quick")) <= 30
    if experiment.long:
        assert measure.expected_s(experiment, experiment.full) <= 6 * 60
        assert all(point in experiment.long.points for point in experiment.full.points)
    subjects = {subject.name for subject in experiment.subjects}
    assert experiment.baseline is None or experiment.baseline in subjects


def test_an_unknown_experiment_is_refused_with_a_hint(despina: Despina) -> None:
    code, _, err = despina("bench", "run", "rely")
    assert code == 2
    assert "error[experiment]: no experiment 'rely'" in err
    assert "did you mean relay?" in err


def test_a_longer_plan_is_measured_where_there_is_one(despina: Despina) -> None:
    whole = made_up()
    longer = replace(whole, long=replace(whole.full, repeats=7))
    assert (whole.plan("long"), longer.plan("long").repeats, longer.plan("full").repeats) == (whole.full, 7, 5)
    found, _ = run(longer, "long")
    assert found.full
    assert "long run: 7 rounds of 8 s" in page_of(longer, found)
    code, _, err = despina("bench", "run", "relay", "--quick", "--long")
    assert code == 2
    assert "--quick and --long exclude one another" in err


def test_points_that_do_not_exist_are_refused(despina: Despina) -> None:
    code, _, err = despina("bench", "run", "relay", "--quick", "--only", "packet_bytes=51")
    assert code == 2
    assert "no such points" in err
    assert "packet_bytes=50" in err


def test_without_java_it_cannot_start(despina: Despina, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, _, err = despina("bench", "run", "relay", "--quick", "--out", tmp_path)
    assert code == 3
    assert "error[java_missing]" in err


def test_without_root_there_are_no_namespaces(despina: Despina, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    code, _, err = despina("bench", "run", "nodes", "--quick", "--out", tmp_path)
    assert code == 3
    assert "need root" in err


def test_without_a_checkout_it_says_where_experiments_are(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "DESPINA_BENCHMARKS": str(tmp_path)}
    found = subprocess.run([sys.executable, "-m", "despina", "bench", "list"], env=environment, capture_output=True, text=True,
                           check=False)
    assert found.returncode == 3
    assert "error[benchmarks_missing]" in found.stderr


def test_results_without_any_are_refused(despina: Despina, tmp_path: Path) -> None:
    code, _, err = despina("bench", "results", "--from", tmp_path, "--to", tmp_path)
    assert code == 2
    assert "despina bench run all" in err


def test_a_tiny_experiment_from_end_to_end(tmp_path: Path) -> None:
    """The real engine, without a deployment: one JVM, a hundred thousand packets."""
    graph = {"format": 1, "name": "tiny", "operators": {
        "source": {"type": "generator_source", "count": 100_000, "rows": {"type": "packets", "packet_bytes": 50}},
        "sink": {"type": "discard_sink", "verify": "all"}}, "links": [{"from": "source", "to": "sink"}]}

    def measured(run: Run) -> Measured:
        return engine.measured(engine.run(engine.Command(graph), run.folder))

    tiny = replace(made_up(), subjects=(Subject("despina", measured),), metrics=(engine.PER_S,), baseline=None, claims=(),
                   published=(), figures=(Figure("x", lines(Lines("n", engine.PER_S))),))
    found, _ = run(tiny, "quick")
    written = book.write(tiny, found, tmp_path)
    raw = json.loads(written[0].read_text())
    assert raw["repeats"][0]["raw"]["operators"]["sink"]["packets_in"] == 100_000
    assert raw["repeats"][0]["values"]["per_s"] > 0
    assert raw["mode"] == "quick"
    assert "| despina" in written[1].read_text()
    assert written[2].read_bytes().startswith(PNG)


def test_a_run_that_fails_tells_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"ended with 2: .*error\[file_missing\]"):
        engine.run(engine.Command(tmp_path / "none.json"), tmp_path)
