"""Medians, intervals, tables and verdicts of the benchmarks, on made-up numbers."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import stats, tables
from harness.experiment import Claim
from harness.result import Repeat, Result
from harness.stats import Estimate

POSITIVE = st.floats(min_value=1e-3, max_value=1e9, allow_nan=False)
SAMPLES = st.lists(POSITIVE, min_size=3, max_size=9)


def result(**subjects: Sequence[float]) -> Result:
    return Result({"mode": "full"}, [Repeat(name, {"n": 1}, k, 0, {"x": value})
                                     for name, values in subjects.items() for k, value in enumerate(values)])


@given(SAMPLES, st.floats(min_value=0.01, max_value=100))
def test_the_ratio_of_a_multiple_is_the_factor_without_spread(baseline: list[float], factor: float) -> None:
    found = stats.ratio([factor * value for value in baseline], baseline)
    assert found.low is not None
    assert found.high is not None
    for value in (found.value, found.low, found.high):
        assert value == pytest.approx(factor)


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=3, max_size=9))
def test_an_interval_holds_its_figure_and_lies_within_what_was_measured(rounds: list[tuple[float, float]]) -> None:
    ours, baseline = [a for a, _ in rounds], [b for _, b in rounds]
    found = stats.ratio(ours, baseline)
    assert found.value == statistics.median(ours) / statistics.median(baseline)
    assert found.low is not None
    assert found.high is not None
    assert min(ours) / max(baseline) <= found.low <= found.high <= max(ours) / min(baseline)


@given(SAMPLES)
def test_the_same_numbers_give_the_same_interval(values: list[float]) -> None:
    assert stats.median(values) == stats.median(values)


def test_a_shared_mood_of_the_machine_does_not_widen_the_ratio() -> None:
    moods = [1.0, 2.0, 4.0, 8.0, 16.0]
    found = stats.ratio([0.9 * mood for mood in moods], moods)
    assert [found.low, found.high] == pytest.approx([0.9, 0.9])


def test_two_rounds_have_no_interval() -> None:
    assert stats.median([1.0, 2.0]) == Estimate(1.5)


def test_rounds_without_a_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        stats.ratio([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="nothing"):
        stats.median([])


def test_a_disturbed_repeat_gives_way_to_its_next_attempt() -> None:
    found = Result({}, [Repeat("a", {}, 0, 0, {"x": 1.0}, "others"), Repeat("a", {}, 0, 1, {"x": 5.0})])
    assert found.values("x", "a", {}) == [5.0]
    assert not found.disturbed("a", {})


def test_a_round_disturbed_to_the_end_is_left_out_of_the_ratio_on_both_sides() -> None:
    clean = result(a=[2, 2, 2], b=[1, 1, 1])
    lost = Repeat("a", {"n": 1}, 3, 0, {"x": 900.0}, "others")
    beside = Repeat("b", {"n": 1}, 3, 0, {"x": 7.0})
    found = Result(clean.about, [*clean.repeats, lost, beside]).ratio("x", "a", "b", {"n": 1})
    assert found == Estimate(2.0, 2.0, 2.0)


def test_what_only_disturbed_runs_measured_is_shown_and_marked() -> None:
    found = Result({}, [Repeat("a", {}, 0, 0, {"x": 3.0}, "others")])
    assert found.median("x", "a", {}) == 3.0
    assert found.disturbed("a", {})


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (0.0586, "0.0586"),  (9.999, "10.0"), (65.5, "65.5"), (8903, "8,903"), (9999.6, "10,000"),
    (12345, "12.3 k"), (999_960, "1.00 M"),
    (22_345_678, "22.3 M"), (4.1e9, "4.10 G"), (None, "–"), (-20_000, "-20.0 k")])
def test_numbers_read_well(value: float | None, text: str) -> None:
    assert tables.number(value) == text


@given(st.floats(min_value=1e-4, max_value=1e12))
def test_a_number_in_words_is_the_number(value: float) -> None:
    text = tables.number(value)
    size = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1.0)
    assert float(text.rstrip(" kMG").replace(",", "")) * size == pytest.approx(value, rel=0.01)


@given(st.lists(st.lists(st.text(max_size=8), min_size=3, max_size=3), max_size=5))
def test_a_table_has_a_line_per_row_and_the_same_columns_everywhere(rows: list[list[str]]) -> None:
    text = tables.Table(["a", "b", "c"], rows).markdown()
    lines = text.split("\n")[:-1]
    assert len(lines) == len(rows) + 2
    assert {line.replace("\\|", "").count("|") for line in lines} == {4}


def _known(found: Estimate, _: Result) -> Estimate:
    return found


def test_a_claim_of_few_rounds_says_so() -> None:
    found = [stats.median([1.0] * rounds) for rounds in (1, 4, 5)]
    rows = [tables.claims([Claim("c", partial(_known, k), at_most=2)], Result({}, [])).rows[0] for k in found]
    assert [row[2] for row in rows] == ["1.00 of 1 round", "1.00 [1.00, 1.00] of 4 rounds", "1.00 [1.00, 1.00]"]


def test_a_ragged_table_is_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        tables.Table(["a", "b"], [["1"]])


@pytest.mark.parametrize(("found", "asked", "holds"), [
    (Estimate(0.8, 0.76, 0.9), {"at_least": 0.75}, "yes"), (Estimate(0.7, 0.6, 0.8), {"at_least": 0.75}, "no, within noise"),
    (Estimate(0.5, 0.4, 0.6), {"at_least": 0.75}, "no"), (0.5, {"at_least": 0.75}, "no"), (None, {"at_least": 1}, "–"),
    (Estimate(1.2, 0.9, 1.4), {"at_most": 1.0}, "no, within noise"), (Estimate(1.2, 1.1, 1.4), {"at_most": 1.0}, "no"),
    (0.9, {"at_most": 1.0}, "yes"), (Estimate(0.9, 0.8, 1.1), {"at_most": 1.0}, "yes, within noise"),
    (Estimate(0.8, 0.7, 0.9), {"at_least": 0.75}, "yes, within noise")])
def test_verdicts(found: Estimate | float | None, asked: dict[str, float], holds: str) -> None:
    assert tables.verdict(Claim("c", lambda _: found, **asked), found) == holds
