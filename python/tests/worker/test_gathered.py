"""Functions that get all rows of a key in a batch at once, beside the same ones by single rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from despina.errors import RefusedError
from despina.functions.testing import call as called
from despina_worker.functions import Result, Spec
from despina_worker.keyed import END, Changes, Keyed

INPUT = pa.schema([("id", pa.int64()), ("at", pa.timestamp("us", "UTC"))])
KEY = pa.schema([("device", pa.string())])
N = pa.schema([pa.field("n", pa.int64(), metadata={"sql": "BIGINT"})])
TEXT = pa.schema([pa.field("text", pa.string(), metadata={"sql": "STRING"})])
TIMED = pa.schema([N.field(0), pa.field("$timer", pa.timestamp("us", "UTC"), metadata={"sql": "TIMESTAMP"})])
SECOND = 1_000_000


def keyed(user: Any, adds: bool = True, clock: str | None = None, pure: bool = True, outputs: pa.Schema = N) -> Keyed:
    return Keyed.of(Spec("mine:f", "row", adds, [], pure, 1, {}, INPUT, outputs, keys=KEY, state=TIMED if clock else N,
                         clock=clock), user)


def learn(made: Keyed, *keys: Any) -> None:
    made.learn(0, pa.RecordBatch.from_pylist([{"device": key} for key in keys], KEY),
               pa.RecordBatch.from_pylist([{}] * len(keys), made.spec.state))


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def call(made: Keyed, slots: list[int], *ids: int, times: list[int] | None = None, alone: bool = False) -> tuple[Result, Changes]:
    seconds = times or [0] * len(ids)
    batch = pa.RecordBatch.from_pydict({"id": list(ids), "at": [moment(each) for each in seconds]}, INPUT)
    return made.call(batch, slots, [each * SECOND for each in seconds] if times else (), alone)


def values(answer: tuple[Result, Changes]) -> list[Any]:
    return list(answer[0].batch.column(0).to_pylist())


def sums(key: Any, rows: Any, state: Any) -> Any:
    for row in rows:
        state.n = (state.n or 0) + row.id
        yield state.n


def test_a_call_has_all_rows_of_its_key_and_answers_keep_the_order_of_packets() -> None:
    calls: list[tuple[Any, list[int]]] = []

    def tells(key: Any, rows: Any, state: Any) -> Any:
        calls.append((key, [row.id for row in rows]))
        return list(sums(key, rows, state))

    made = keyed(tells)
    learn(made, "a", "b")
    answer = call(made, [1, 0, 1, 1, 0], 1, 2, 3, 4, 5)
    assert calls == [("b", [1, 3, 4]), ("a", [2, 5])]
    assert values(answer) == [1, 2, 4, 8, 7]
    assert (answer[1].slots, answer[1].states.to_pylist()) == ([1, 0], [{"n": 8}, {"n": 7}])


def test_a_call_that_returns_rows_of_its_own_gives_none_one_or_many() -> None:
    def some(key: Any, rows: Any, state: Any) -> Any:
        return {"a": None, "b": len(rows), "c": [row.id for row in rows]}[key]

    made = keyed(some, adds=False)
    learn(made, "a", "b", "c")
    assert values(call(made, [0, 1, 2, 1, 2, 0], 1, 2, 3, 4, 5, 6)) == [2, 3, 5]


@pytest.mark.parametrize("pure", [True, False])
def test_the_row_that_raises_is_found_and_changes_nothing_unless_it_must_not_be_called_again(pure: bool) -> None:
    def fails(key: Any, rows: Any, state: Any) -> Any:
        for row in rows:
            state.n = (state.n or 0) + row.id
            if row.id % 4 == 3:
                raise ValueError("three")
            yield state.n

    made = keyed(fails, pure=pure)
    learn(made, "a", "b")
    answer = call(made, [0, 0, 0, 1, 0, 0, 1], 1, 2, 3, 4, 5, 7, 8)
    assert values(answer) == ([1, 3, 4, 8, 12] if pure else [4, 12])
    assert [row for row, _ in answer[0].errors] == ([2, 5] if pure else [0, 1, 2, 4, 5])
    assert all("ValueError: three" in why for _, why in answer[0].errors)
    assert answer[1].states.to_pylist() == ([{"n": 8}, {"n": 12}] if pure else [{"n": 12}])


def test_a_value_that_does_not_fit_is_of_its_row() -> None:
    made = keyed(lambda key, rows, state: ["x" if row.id == 3 else row.id for row in rows])
    learn(made, "a")
    answer = call(made, [0] * 5, 1, 2, 3, 4, 5)
    assert values(answer) == [1, 2, 4, 5]
    assert [row for row, _ in answer[0].errors] == [2]
    assert "'x' (str) does not fit" in answer[0].errors[0][1]


@pytest.mark.parametrize(("user", "words"), [
    (lambda key, rows, state: [1], "`mine:f` returned 1 values for 2 rows: with `adds` it returns one for each"),
    (lambda key, rows, state: (1, 2), "`mine:f` returned (1, 2) for 2 rows: with `adds` and `rows` it returns a list, or yields"),
    (lambda key, rows, state: None, "`mine:f` returned None for 2 rows")])
def test_with_adds_it_returns_one_value_for_each_row(user: Callable[..., Any], words: str) -> None:
    made = keyed(user)
    learn(made, "a")
    answer = call(made, [0, 0], 1, 2)
    assert [row for row, _ in answer[0].errors] == [0, 1]
    assert words in answer[0].errors[0][1]


def test_rows_whose_key_python_cannot_hold_are_bad_records() -> None:
    made = Keyed.of(Spec("mine:f", "row", True, [], True, 1, {}, INPUT, N, keys=pa.schema([("at", pa.timestamp("us", "UTC"))]),
                         state=N), sums)
    far = pa.RecordBatch.from_arrays([pa.array([2**62, 0]).cast(pa.timestamp("us", "UTC"))], ["at"])
    made.learn(0, far, pa.RecordBatch.from_pylist([{}] * 2, N))
    answer = call(made, [0, 1, 0], 1, 2, 3)
    assert values(answer) == [2]
    assert [row for row, _ in answer[0].errors] == [0, 2]


class Quiet:
    """Says when a key has been quiet for ten seconds, and then each ten while it counts."""

    def take(self, row: Any, state: Any) -> None:
        state.n = (state.n or 0) + 1
        state.set_timer(row.at + timedelta(seconds=10))

    def timer(self, key: Any, when: datetime, state: Any) -> str:
        n, state.n = state.n, 0
        if n:
            state.set_timer(when + timedelta(seconds=10))
        return f"{key} {when.timestamp():.0f} {n}"


class QuietRow(Quiet):
    def process(self, key: Any, row: Any, state: Any) -> str:
        self.take(row, state)
        return f"{key} {row.id} {state.n}"


class QuietRows(Quiet):
    def process(self, key: Any, rows: Any, state: Any) -> Any:
        for row in rows:
            self.take(row, state)
            yield f"{key} {row.id} {state.n}"


class Minute(Quiet):
    """Says every twenty seconds what has come, while anything comes."""

    def take(self, row: Any, state: Any) -> None:
        state.n = (state.n or 0) + 1
        if state.timer is None:
            state.set_timer(moment((int(row.at.timestamp()) // 20 + 1) * 20))
        if row.id % 7 == 5:
            raise ValueError("five and seven")


class MinuteRow(Minute):
    process = QuietRow.process


class MinuteRows(Minute):
    process = QuietRows.process


@pytest.mark.parametrize(("by_row", "by_rows"), [(QuietRow, QuietRows), (MinuteRow, MinuteRows)])
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_timers_come_where_they_do_between_single_rows(by_row: type, by_rows: type, alone: bool, seed: int) -> None:
    chance = random.Random(seed)
    times = sorted(chance.randrange(300) for _ in range(80))
    slots = [chance.randrange(3) for _ in times]

    def of(user: type, sizes: list[int]) -> tuple[dict[str, list[str]], list[str]]:
        """By key, what it gives, and in any order what is a bad record."""
        made, found, bad, first = keyed(user, False, "event", outputs=TEXT), list[str](), list[str](), 0
        learn(made, *"abc")
        while first < len(times):
            size = chance.choice(sizes)
            part = slice(first, first + size)
            result, _ = answer = call(made, slots[part], *range(len(times))[part], times=times[part], alone=alone)
            found += values(answer)
            bad += [f"{first + row} {why.partition(' (')[0]}" for row, why in result.errors]
            first += size
        found += values(made.timers(END))
        return {key: [each for each in found if each.startswith(key)] for key in "abc"}, bad

    expected = of(by_row, [1])
    assert any(expected[1]) == (by_row is MinuteRow)
    assert of(by_rows, [1]) == of(by_rows, [80]) == of(by_rows, [1, 2, 7]) == expected


@pytest.mark.parametrize("together", [1, 16])
def test_timers_that_lie_close_together_cost_no_calls_with_all_the_rest(together: int) -> None:
    given: list[int] = []

    class Silence:
        def process(self, key: Any, rows: Any, state: Any) -> Any:
            given.append(len(rows))
            for row in rows:
                state.set_timer(row.at + timedelta(seconds=10))
                yield str(row.id)

        def timer(self, key: Any, when: datetime, state: Any) -> str:
            return "silence"

    made = keyed(Silence, False, "event", outputs=TEXT)
    learn(made, "a")
    times = [k // together * 20 + k % together // 4 for k in range(512)]
    answer = call(made, [0] * 512, *range(512), times=times)
    assert values(answer).count("silence") == 512 // together - 1
    assert [each for each in values(answer) if each != "silence"] == [str(k) for k in range(512)]
    assert sum(given) <= 5 * 512


def test_a_timer_that_fails_is_told_before_its_row() -> None:
    class Fails(QuietRows):
        def timer(self, key: Any, when: datetime, state: Any) -> str:
            raise ValueError(f"bell of {key}")

        def process(self, key: Any, rows: Any, state: Any) -> Any:
            for row in rows:
                if row.id == 4:
                    raise ValueError("four")
                self.take(row, state)
            return []

    made = keyed(Fails, False, "event", outputs=TEXT)
    learn(made, "a", "b", "c")
    result, _ = call(made, [0, 1, 2, 0, 1], 1, 2, 3, 4, 5, times=[0, 1, 30, 31, 32])
    assert [(row, why.partition(" (")[0]) for row, why in result.errors] == [
        (3, "ValueError: bell of a"), (3, "ValueError: four"), (4, "ValueError: bell of b")]
    assert [record is None for record in result.records] == [False, True, False]


def test_timers_of_keys_without_rows_are_called_before_the_last_row() -> None:
    made = keyed(QuietRows, False, "event", outputs=TEXT)
    learn(made, "a", "b")
    assert values(call(made, [0, 1], 1, 2, times=[0, 1])) == ["a 1 1", "b 2 1"]
    assert values(call(made, [1, 1], 3, 4, times=[5, 14])) == ["b 3 2", "b 4 3", "a 10 1"]


def test_a_test_calls_it_with_all_rows_of_a_key() -> None:
    class Shares:
        def process(self, key: Any, rows: Any, state: Any) -> list[float]:
            total = sum(row.x for row in rows)
            return [row.x / total for row in rows]

    rows = [{"k": "a", "x": 1.0}, {"k": "b", "x": 5.0}, {"k": "a", "x": 3.0}]
    found = called(Shares, rows, adds="share DOUBLE", group_by=["k"], state="n BIGINT")
    assert [row["share"] for row in found.rows] == [0.25, 1.0, 0.75]
    with pytest.raises(RefusedError, match="is called with a key, a row and a state"):
        called(lambda key, rows: 1, rows, adds="share DOUBLE", group_by=["k"], state="n BIGINT")
