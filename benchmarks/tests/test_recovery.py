"""The picture of a kill, of made-up runs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from experiments import recovery
from harness.result import Repeat, Result

KILLED_AT, OUTAGE = 3.0, 0.5
STEP_S = 0.02


def looks(outage_s: float) -> list[list[float]]:
    """Of a sink that gets no rows for a while after the kill, and then all that were made meanwhile; files each second."""
    found = []
    for k in range(round(8 / STEP_S)):
        t = k * STEP_S
        out = KILLED_AT <= t < KILLED_AT + outage_s
        found.append([t, recovery.RATE_PER_S * (KILLED_AT if out else t), 1e6 * math.floor(KILLED_AT if out else t)])
    return found


def made_up(outages: dict[str, float]) -> Result:
    def repeat(instead: str, outage_s: float) -> Repeat:
        values = {recovery.FIRST.name: outage_s * 1000, recovery.VISIBLE.name: outage_s * 2000}
        return Repeat("despina", recovery.at(instead), 0, 0, values, raw={"looks": looks(outage_s), "killed_at": KILLED_AT})

    return Result({"mode": "full"}, [repeat(instead, outage_s) for instead, outage_s in outages.items()])


def test_the_picture_shows_rate_rows_behind_and_what_is_committed_around_the_kill() -> None:
    pictures: Any = pytest.importorskip("matplotlib.figure")
    picture = pictures.Figure()
    recovery.draw(made_up({"spare": OUTAGE, "new child": 2 * OUTAGE}), picture)
    rates, behind, committed = picture.axes
    assert [line.get_text() for line in rates.get_legend().get_texts()] == ["spare", "new child"]
    spare, child = (dict(zip(*line.get_data(), strict=True)) for line in behind.get_lines()[:2])
    assert max(spare.values()) == pytest.approx(OUTAGE, abs=2 * STEP_S)
    assert max(child.values()) == pytest.approx(2 * OUTAGE, abs=2 * STEP_S)
    assert max(shown for t, shown in spare.items() if t < 0) == pytest.approx(0, abs=1e-9)
    assert max(committed.get_lines()[0].get_ydata()) == 7
    assert min(rates.get_lines()[0].get_ydata()) < 0.6 * recovery.RATE_PER_S
    assert all(axes.get_lines()[-1].get_xdata()[0] == 0 for axes in picture.axes), "the kill is marked"


def test_counters_that_begin_anew_are_no_rows_that_are_lost_and_come_again() -> None:
    pictures: Any = pytest.importorskip("matplotlib.figure")
    found = made_up({"spare": OUTAGE})
    whole = found.repeats[0].raw["looks"]
    again = [look for look in whole if KILLED_AT < look[0] < KILLED_AT + OUTAGE]
    for look in again[5:10]:        # not restored yet
        look[1] = 0
    for k, look in enumerate(again[10:]):       # those of the epoch, and rows that come again
        look[1] -= recovery.RATE_PER_S * (1 - k / 20)
    picture = pictures.Figure()
    recovery.draw(found, picture)
    rates, behind = (axes.get_lines()[0].get_ydata() for axes in picture.axes[:2])
    assert 0 < min(rates) < max(rates) < 3 * recovery.RATE_PER_S, "rows that were due for half a second come at once"
    assert max(behind) == pytest.approx(OUTAGE, abs=2 * STEP_S)
    assert recovery.back(whole, KILLED_AT, recovery.RATE_PER_S) == pytest.approx(OUTAGE, abs=2 * STEP_S)


def test_what_was_asked_is_held_against_the_medians() -> None:
    result = made_up({"spare": OUTAGE, "survivor": OUTAGE / 2})
    found = {claim.text: claim.found(result) for claim in recovery.EXPERIMENT.claims}
    medians = {text: round(each.value) for text, each in found.items() if each is not None and not isinstance(each, float)}
    assert medians == {
        "first new row, ms at the median: spare": 500, "visible, ms at the median: spare": 1000,
        "first new row, ms at the median: survivor": 250, "visible, ms at the median: survivor": 500}


def test_a_percentile_wants_some_runs() -> None:
    few, enough = made_up({"spare": OUTAGE}), Result({"mode": "full"}, [
        repeat for _ in range(5) for repeat in made_up({"spare": OUTAGE}).repeats])
    seldom = {claim.text: claim for claim in recovery.EXPERIMENT.claims}["first new row, ms, p99: spare"]
    assert seldom.found(few) is None
    numbered = [replace(repeat, repeat=k) for k, repeat in enumerate(enough.repeats)]
    assert seldom.found(Result({"mode": "full"}, numbered)) == OUTAGE * 1000


@pytest.mark.parametrize("outage_s", [0.2, 0.5, 1.0])
def test_rows_are_back_when_none_that_was_due_is_missing(outage_s: float) -> None:
    found = recovery.back(looks(outage_s), KILLED_AT, recovery.RATE_PER_S)
    assert found == pytest.approx(outage_s, abs=2 * STEP_S)


def test_rows_that_stay_behind_are_never_back() -> None:
    stays = [[t, min(n, recovery.RATE_PER_S * KILLED_AT), committed] for t, n, committed in looks(OUTAGE)]
    assert recovery.back(stays, KILLED_AT, recovery.RATE_PER_S) is None
