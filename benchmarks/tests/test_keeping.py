"""What is kept of a work while the next result of it is made, and what takes its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from despina.errors import RefusedError
from harness.keeping import Keeping
from harness.result import Result
from peers.session import SWEEP
from peers.works import RELAY, is_full
from testing.made_up import Made, made_up, of_rounds, ran, session

FULL = made_up(RELAY, {"despina default": 4, "storm tuned": 1})
SHORT = Result({**FULL.about, "mode": "short"}, FULL.repeats)
STOPPED = of_rounds(FULL, 2)
FAILED = Result(FULL.about, [replace(repeat, failed="it fell over") if repeat.subject == "storm tuned" else repeat
                             for repeat in FULL.repeats])
MORE = Result(FULL.about, [*FULL.repeats, *(replace(repeat, repeat=3) for repeat in FULL.repeats if repeat.repeat == 0)])


def keeping_of(kept: Path, aside: Path | None = None) -> Keeping:
    return Keeping(kept, lambda result: is_full(RELAY, result), aside)


def settled(folder: Path, before: Result | None, made: Result, done: bool = False) -> str:
    file = folder / "compare_relay.json"
    if before is not None:
        before.save(file)
    keeping = keeping_of(file, folder / "aside")
    keeping.save(made)
    told = keeping.settle(made, done)
    assert keeping.folder == (folder / "aside" if told else folder)
    return told


@pytest.mark.parametrize(("before", "made"), [
    (None, STOPPED), (STOPPED, SHORT), (FULL, FULL), (FULL, MORE), (MORE, FULL), (FULL, FAILED),
    (STOPPED, FULL)])
def test_what_was_made_takes_the_place_of_what_is_kept(before: Result | None, made: Result, tmp_path: Path) -> None:
    assert settled(tmp_path, before, made) == ""
    assert Result.load(tmp_path / "compare_relay.json") == made
    assert [file.name for file in tmp_path.iterdir()] == ["compare_relay.json"]


def test_a_result_that_is_done_gives_way_to_none_that_was_stopped_with_less(tmp_path: Path) -> None:
    assert "has runs that this one has not made yet" in settled(tmp_path, SHORT, STOPPED)
    assert Result.load(tmp_path / "compare_relay.json") == SHORT
    assert keeping_of(tmp_path / "compare_relay.json").to_resume(STOPPED.about) == STOPPED
    assert settled(tmp_path, SHORT, STOPPED, done=True) == ""


@pytest.mark.parametrize("before", [FULL, MORE, FAILED])
@pytest.mark.parametrize("made", [SHORT, STOPPED])
def test_a_full_result_gives_way_to_none_that_is_less(before: Result, made: Result, tmp_path: Path) -> None:
    told = settled(tmp_path, before, made)
    assert str(tmp_path / "aside" / "compare_relay.json") in told
    assert Result.load(tmp_path / "compare_relay.json") == before
    assert Result.load(tmp_path / "aside" / "compare_relay.json") == made


def test_what_is_aside_can_be_gone_on_with_unless_it_is_done(tmp_path: Path) -> None:
    settled(tmp_path, FULL, STOPPED)
    assert keeping_of(tmp_path / "compare_relay.json").to_resume(STOPPED.about) == STOPPED
    settled(tmp_path, FULL, SHORT, done=True)
    assert not (tmp_path / "compare_relay.part.json").exists()


def test_what_was_not_settled_is_gone_on_with_if_it_is_alike_else_what_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "compare_relay.json"
    FULL.save(file)
    keeping_of(file).save(SHORT)
    keeping = keeping_of(file)
    assert keeping.to_resume(SHORT.about) == SHORT
    assert keeping.to_resume(FULL.about) == FULL
    with pytest.raises(RefusedError, match=r"compare_relay.part.json has runs with mode short, and this is part"):
        keeping.to_resume({**FULL.about, "mode": "part"})


def test_while_it_runs_what_is_kept_stays(tmp_path: Path) -> None:
    file = tmp_path / "compare_relay.json"
    before = ran(session(tmp_path, Made("despina", [1, 2, 3])))
    killed = session(tmp_path, Made("despina", [7]))
    killed.make(killed.left()[0])
    assert Result.load(file) == before
    again = ran(session(tmp_path, Made("despina", [8, 9]), resume=True))
    assert [repeat.values["per_s"] for repeat in again.repeats] == [7, 8, 9]
    assert Result.load(file) == again
    assert not (tmp_path / "compare_relay.part.json").exists()


def test_a_run_that_is_interrupted_is_settled(tmp_path: Path) -> None:
    class Interrupted(Made):
        def stop(self, trial: object) -> None:
            if not self._figures:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(session(tmp_path, Interrupted("despina", [1, 2])))
    assert [repeat.values["per_s"] for repeat in Result.load(tmp_path / "compare_relay.json").repeats] == [1]
    assert not (tmp_path / "compare_relay.part.json").exists()


def test_a_run_that_begins_anew_and_measures_nothing_leaves_all_as_it_was(tmp_path: Path) -> None:
    ran(session(tmp_path, Made("despina", [1, 2, 3])))
    killed = session(tmp_path, Made("despina", [7]))
    killed.make(killed.left()[0])
    before = {file.name: file.read_bytes() for file in tmp_path.glob("*.json")}
    ran(session(tmp_path, Made("despina", [])), most_runs=0)
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.json")} == before


def test_a_short_run_does_not_replace_a_full_one_and_says_where_it_is(tmp_path: Path) -> None:
    FULL.save(tmp_path / "compare_relay.json")
    made = session(tmp_path, Made("despina", [1]), mode="short", repeats=1, aside=tmp_path / "aside")
    ran(made)
    assert made.folder == tmp_path / "aside"
    assert Result.load(tmp_path / "compare_relay.json") == FULL
    assert Result.load(tmp_path / "aside" / "compare_relay.json") == made.result
    assert not (tmp_path / "compare_relay.part.json").exists()


def test_a_sweep_that_was_cut_off_leaves_the_one_before(tmp_path: Path) -> None:
    before = ran(session(tmp_path, Made("storm", [2, 1], candidates=["a"]), mode=SWEEP, repeats=1))
    killed = session(tmp_path, Made("storm", [3], candidates=["a"]), mode=SWEEP, repeats=1)
    killed.make(killed.left()[0])
    assert Result.load(tmp_path / "compare_relay_tuning.json") == before
