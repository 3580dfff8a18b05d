"""Functions whose keys have timers, as the worker calls them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

from despina_worker.errors import RefusedError
from despina_worker.functions import Result, Spec
from despina_worker.keyed import END, Changes, Keyed

INPUT = pa.schema([("at", pa.int64())])
KEY = pa.schema([("device", pa.string())])
STATE = pa.schema([pa.field("n", pa.int64(), metadata={"sql": "BIGINT"}),
                   pa.field("$timer", pa.timestamp("us", "UTC"), metadata={"sql": "TIMESTAMP"})])
OUT = pa.schema([pa.field("text", pa.string(), metadata={"sql": "STRING"})])
SECOND = 1_000_000


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Quiet:
    """Says when a key has been quiet for ten seconds, and then each ten while it counts."""

    def process(self, key: Any, row: Any, state: Any) -> None:
        state.n = (state.n or 0) + 1
        state.set_timer(at(row.at + 10))

    def timer(self, key: Any, when: datetime, state: Any) -> str:
        n, state.n = state.n, 0
        if n:
            state.set_timer(when + timedelta(seconds=10))
        return f"{key} {when.timestamp():.0f} {n}"


def keyed(user: Any = Quiet, clock: str | None = "event", adds: bool = False) -> Keyed:
    state = STATE if clock else STATE.remove(1)
    return Keyed.of(Spec("mine:f", "row", adds, [], True, 1, {}, INPUT, OUT, keys=KEY, state=state, clock=clock), user)


def learn(made: Keyed, *keys: str, first: int = 0, states: list[dict[str, Any]] | None = None) -> None:
    made.learn(first, pa.RecordBatch.from_pylist([{"device": key} for key in keys], KEY),
               pa.RecordBatch.from_pylist(states or [{}] * len(keys), made.spec.state))


def call(made: Keyed, slots: list[int], *times: int) -> tuple[Result, Changes]:
    batch = pa.RecordBatch.from_pydict({"at": list(times)}, INPUT)
    return made.call(batch, slots, [time * SECOND for time in times])


def texts(answer: tuple[Result, Changes]) -> list[str]:
    return list(answer[0].batch.column(0).to_pylist())


def test_a_timer_is_called_before_a_row_of_a_later_time() -> None:
    made = keyed()
    learn(made, "a", "b")
    answer = call(made, [0, 1, 0, 1], 0, 1, 10, 30)
    assert texts(answer) == ["b 11 1", "a 20 2", "b 21 0"]
    assert answer[1].slots == [0, 1]
    assert answer[1].states.to_pylist() == [{"n": 0, "$timer": at(30)}, {"n": 1, "$timer": at(40)}]
    assert texts(made.timers(39 * SECOND)) == ["a 30 0"]
    assert texts(made.timers(40 * SECOND)) == ["b 40 1"]


def test_a_class_that_has_no_timer_any_more_clears_those_that_are_due() -> None:
    class Counts:
        def process(self, key: Any, row: Any, state: Any) -> None:
            state.n = (state.n or 0) + 1

    made = keyed(Counts)
    learn(made, "a", "b", "c", states=[{"n": 3, "$timer": at(7)}, {"n": 4, "$timer": at(90)}, {"n": 5, "$timer": at(9)}])
    answer = call(made, [1], 8)
    assert texts(answer) == []
    assert dict(zip(answer[1].slots, answer[1].states.to_pylist(), strict=True)) == {
        0: {"n": 3, "$timer": None}, 1: {"n": 5, "$timer": at(90)}}
    assert made.timers(END)[1].slots == [2, 1]


def test_at_the_end_of_the_input_each_is_called_once() -> None:
    made = keyed()
    learn(made, "a", "b", states=[{"n": 3, "$timer": at(7)}, {"n": 4, "$timer": None}])
    answer = made.timers(END)
    assert texts(answer) == ["a 7 3"]
    assert answer[1].slots == [0]
    assert answer[1].states.to_pylist() == [{"n": 0, "$timer": None}]
    assert texts(made.timers(END)) == []


def test_of_those_that_are_due_the_earliest_are_called_so_many() -> None:
    made = keyed()
    learn(made, "a", "b", "c")
    call(made, [0, 1, 2], 3, 1, 2)
    assert texts(made.timers(22 * SECOND, 2)) == ["b 11 1", "c 12 1"]
    assert texts(made.timers(22 * SECOND, 2)) == ["a 13 1", "b 21 0"]
    assert texts(made.timers(END, 1)) == ["c 22 0"]
    assert texts(made.timers(END)) == ["a 23 0"]


@pytest.mark.parametrize("seed", range(20))
def test_batches_change_nothing(seed: int) -> None:
    chance = random.Random(seed)
    times = sorted(chance.randrange(200) for _ in range(60))
    slots = [chance.randrange(4) for _ in times]

    def of(sizes: list[int]) -> list[str]:
        made, found, first = keyed(), list[str](), 0
        learn(made, *"abcd")
        while first < len(times):
            size = chance.choice(sizes)
            found += texts(call(made, slots[first:first + size], *times[first:first + size]))
            first += size
        return found + texts(made.timers(END))

    assert of([1]) == of([60]) == of([1, 2, 7])


def test_what_is_forgotten_is_not_called() -> None:
    made = keyed()
    learn(made, "a", "b", states=[{"n": 1, "$timer": at(5)}, {"n": 1, "$timer": at(6)}])
    learn(made, "c", first=0, states=[{"n": 1, "$timer": at(7)}])
    assert texts(made.timers(100 * SECOND)) == ["c 7 1", "c 17 0"]


def test_one_that_fails_has_changed_nothing_but_itself() -> None:
    class Fails(Quiet):
        def timer(self, key: Any, when: datetime, state: Any) -> str:
            state.n = 99
            raise ValueError("no bell")

    made = keyed(Fails)
    learn(made, "a", "b")
    result, changes = call(made, [0, 1, 1], 0, 5, 20)
    assert [(k, why.split(" (")[0]) for k, why in result.errors] == [(2, "ValueError: no bell"), (2, "ValueError: no bell")]
    assert list(result.records) == ["timer of 'a' at 1970-01-01T00:00:10+00:00", "timer of 'b' at 1970-01-01T00:00:15+00:00"]
    assert changes.slots == [0, 1]
    assert changes.states.to_pylist() == [{"n": 1, "$timer": None}, {"n": 2, "$timer": at(30)}]


@pytest.mark.parametrize(("set_to", "why"), [
    (datetime(1970, 1, 1), "TypeError: a timer is set to a datetime with a zone"),
    (12, "TypeError: a timer is set to a datetime with a zone"),
    (at(0), "ValueError: `timer` has set the next one to 1970-01-01T00:00:00+00:00, which is not after its own")])
def test_what_a_timer_cannot_be_set_to(set_to: Any, why: str) -> None:
    class Sets(Quiet):
        def timer(self, key: Any, when: datetime, state: Any) -> str:
            state.set_timer(set_to)
            return ""

    made = keyed(Sets)
    learn(made, "a", states=[{"n": 1, "$timer": at(0)}])
    assert why in made.timers(0)[0].errors[0][1]


def test_with_adds_a_timer_gives_no_rows() -> None:
    class Keeps(Quiet):
        def process(self, key: Any, row: Any, state: Any) -> str:   # type: ignore[override]
            super().process(key, row, state)
            return f"{state.n}"

        def timer(self, key: Any, when: datetime, state: Any) -> Any:
            state.n = None
            return None if key == "a" else "a row"

    made = keyed(Keeps, adds=True)
    learn(made, "a", "b")
    result, _ = call(made, [0, 1, 0], 0, 0, 20)
    assert result.batch.column(0).to_pylist() == ["1", "1", "1"]
    assert [why.split(" (")[0] for _, why in result.errors] == [
        "ValueError: `timer` returned 'a row': with `adds` there is no row for that; say `schema`"]


def test_a_state_has_a_timer_where_there_is_a_clock() -> None:
    seen = []

    class Looks(Quiet):
        def process(self, key: Any, row: Any, state: Any) -> None:
            seen.append(state.timer)
            state.set_timer(at(9).astimezone(timezone(timedelta(hours=2))))
            seen.append(state.timer)
            if row.at == 2:
                state.clear()
                seen.append(state.timer)
            if row.at == 3:
                state.timer = at(0)

    made = keyed(Looks)
    learn(made, "a")
    call(made, [0, 0], 1, 2)
    assert seen == [None, at(9), at(9), at(9), None]
    assert "`state.set_timer(when)` sets the timer" in call(made, [0], 3)[0].errors[0][1]

    class Misspells(Quiet):
        def process(self, key: Any, row: Any, state: Any) -> None:
            state.count = 1

    learn(misspells := keyed(Misspells), "a")
    assert call(misspells, [0], 1)[0].errors[0][1].startswith("AttributeError: the state has no `count`; there is n (")

    def alone(key: Any, row: Any, state: Any) -> None:
        state.set_timer(at(0))

    plain = keyed(alone, clock=None)
    learn(plain, "a")
    assert "there is no `set_timer`: `clock` of the operator says" in plain.call(
        pa.RecordBatch.from_pydict({"at": [1]}, INPUT), [0])[0].errors[0][1]


def test_no_timer_is_set_that_nothing_would_be_called_for() -> None:
    def sets(key: Any, row: Any, state: Any) -> None:
        state.set_timer(at(9))

    made = keyed(sets)
    learn(made, "a")
    result, changes = call(made, [0], 1)
    assert "no timer can be set: the class has no `timer(key, when, state)`" in result.errors[0][1]
    assert changes.slots == []


def test_alone_a_key_goes_by_the_time_of_its_own_rows() -> None:
    made = keyed()
    learn(made, "a", "b")
    batch = pa.RecordBatch.from_pydict({"at": [0, 100, 5, 40]}, INPUT)
    result, _ = made.call(batch, [0, 1, 0, 0], [each * SECOND for each in (0, 100, 5, 40)], alone=True)
    assert list(result.batch.column(0).to_pylist()) == ["a 15 2", "a 25 0"]
    assert texts(made.timers(END)) == ["a 50 1", "b 110 1"]


def test_a_class_and_its_clock_fit_together() -> None:
    class Timeless:
        def process(self, key: Any, row: Any, state: Any) -> None:
            pass

    class Waits(Quiet):
        async def timer(self, key: Any, when: datetime, state: Any) -> str:    # type: ignore[override]
            return ""

    class Short(Quiet):
        def timer(self, key: Any) -> None:      # type: ignore[override]
            pass

    with pytest.raises(RefusedError, match="no `timer"):
        keyed(Timeless, clock="processing")
    assert keyed(Timeless).timer is None        # its rows come in event order
    with pytest.raises(RefusedError, match="no `clock` tells it the time"):
        keyed(clock=None)
    with pytest.raises(RefusedError, match="a key, a time and a state"):
        keyed(Short)
    with pytest.raises(RefusedError, match="is an `async def`"):
        keyed(Waits)


def test_a_generator_has_run_when_its_next_timer_is_looked_at() -> None:
    class Same(Quiet):
        def timer(self, key: Any, when: datetime, state: Any) -> Any:
            yield "a row"
            state.set_timer(when)

    made = keyed(Same)
    learn(made, "a", states=[{"n": 1, "$timer": at(0)}])
    assert "which is not after its own" in made.timers(0)[0].errors[0][1]


def test_timers_are_called_before_rows_that_cannot_be_read() -> None:
    made = keyed()
    made.input_schema = pa.schema([("at", pa.timestamp("us"))])
    learn(made, "a", states=[{"n": 1, "$timer": at(0)}])
    beyond = 1 << 62
    result, changes = made.call(pa.RecordBatch.from_arrays([pa.array([beyond], pa.timestamp("us"))], ["at"]), [0], [5 * SECOND])
    assert result.batch.column(0).to_pylist() == ["a 0 1"]
    assert [k for k, _ in result.errors] == [0]
    assert changes.slots == [0]


def test_a_timer_that_each_row_sets_anew_takes_no_room() -> None:
    made = keyed()
    learn(made, "a")
    for second in range(3_000):
        call(made, [0], second % 9)
    assert len(made._due) < 1_100


def test_a_timer_that_is_set_ever_earlier_takes_little_room() -> None:
    class Earlier(Quiet):
        def process(self, key: Any, row: Any, state: Any) -> None:
            state.set_timer(at(10_000 - row.at))

    made = keyed(Earlier)
    learn(made, "a")
    for second in range(3_000):
        call(made, [0], second)
    assert len(made._due) < 1_100
    assert made.timers(6_000 * SECOND)[1].slots == []
    assert made.timers(7_001 * SECOND)[1].slots == [0]
