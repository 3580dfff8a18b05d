"""Functions with state by key, as the worker calls them: what counts, and what has not been."""

from __future__ import annotations

import datetime
import random
import socket
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from despina_worker import keyed as worker
from despina_worker.behind import Row
from despina_worker.errors import RefusedError
from despina_worker.frames import HEADER, Connection, Kind
from despina_worker.functions import Result, Spec
from despina_worker.keyed import Changes, Keyed

INPUT = pa.schema([("id", pa.int64()), ("a name", pa.string())])
KEY = pa.schema([("device", pa.string())])
COUNT = pa.schema([pa.field("count", pa.int64(), metadata={"sql": "BIGINT"})])
N = pa.schema([pa.field("n", pa.int64(), metadata={"sql": "BIGINT"})])


def keyed(user: Callable[..., Any], state: pa.Schema = COUNT, outputs: pa.Schema = N, adds: bool = True, keys: pa.Schema = KEY,
          columns: list[str] | None = None) -> Keyed:
    return Keyed.of(Spec("mine:f", "row", adds, columns or [], True, 1, {}, INPUT, outputs, keys=keys, state=state), user)


def rows(*ids: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"id": list(ids), "a name": [f"w{k}" for k in ids]}, INPUT)


def learn(made: Keyed, *keys: Any, first: int = 0, states: list[dict[str, Any]] | None = None) -> None:
    assert made.spec.keys is not None
    assert made.spec.state is not None
    names = made.spec.keys.names
    listed = [dict(zip(names, key if isinstance(key, tuple) else (key,), strict=True)) for key in keys]
    given = states or [dict.fromkeys(made.spec.state.names)] * len(keys)
    made.learn(first, pa.RecordBatch.from_pylist(listed, made.spec.keys), pa.RecordBatch.from_pylist(given, made.spec.state))


def call(made: Keyed, slots: list[int], *ids: int) -> tuple[Result, Changes]:
    return made.call(rows(*ids).select(made.columns), slots)


def values(batch: pa.RecordBatch) -> list[Any]:
    return list(batch.column(0).to_pylist())


def counting(key: Any, row: Any, state: Any) -> int:
    state.count = (state.count or 0) + row.id
    return int(state.count)


def test_rows_of_a_key_see_what_those_before_have_left() -> None:
    made = keyed(counting)
    learn(made, "a", "b", states=[{"count": 100}, {"count": None}])
    result, changes = call(made, [0, 1, 0, 1], 1, 2, 3, 4)
    assert values(result.batch) == [101, 2, 104, 6]
    assert changes.slots == [0, 1]
    assert values(changes.states) == [104, 6]
    assert values(call(made, [1, 0], 1, 1)[0].batch) == [7, 105]


def test_the_time_of_work_is_not_that_of_sending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = 0
    said: list[tuple[Kind, int]] = []

    def send(kind: Kind, _number: int, _payload: Any, worked_ns: int = 0) -> None:
        nonlocal now_ns
        now_ns += 1_000_000_000      # the engine does not read
        said.append((kind, worked_ns))

    monkeypatch.setattr("despina_worker.frames.time.perf_counter_ns", lambda: now_ns)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        connection = Connection(str(tmp_path / "s"))
        monkeypatch.setattr(connection, "send", send)
        with listening.accept()[0] as engine:
            for worked_ns in (3_000_000, 5_000_000):
                engine.sendall(HEADER.pack(0, Kind.BATCH, 7))
                assert connection.receive() is not None
                made = keyed(counting)
                learn(made, "a")
                result, changes = call(made, [0], 1)
                now_ns += worked_ns
                Row(connection, made.spec).answer(7, result, partial(worker._send, connection, 7, changes))
    assert said == [(Kind.CHANGES, 0), (Kind.ANSWER, 3_000_000), (Kind.CHANGES, 0), (Kind.ANSWER, 5_000_000)]


def test_slots_from_the_first_on_are_forgotten() -> None:
    made = keyed(lambda key, row, state: len(key) + 10 * row.id)
    learn(made, "a", "bb")
    learn(made, "ccc", first=1)
    assert values(call(made, [0, 1], 1, 1)[0].batch) == [11, 13]
    learn(made, "dddd")
    assert values(call(made, [0], 1)[0].batch) == [14]
    with pytest.raises(IndexError):
        call(made, [1], 1)


def test_a_state_that_stays_is_not_sent() -> None:
    def every_other(key: Any, row: Any, state: Any) -> int:
        if row.id % 2:
            state.count = row.id
        return 0

    made = keyed(every_other)
    learn(made, "a")
    _, changes = call(made, [0] * 6, 1, 2, 3, 4, 5, 6)
    assert (changes.slots, values(changes.states)) == ([0], [5])
    assert call(made, [0], 2)[1].states.num_rows == 0


@pytest.mark.parametrize(("first", "then"), [(0.0, -0.0), (1, 2), (None, 0), ("", "a")])
def test_a_state_that_changes_is_sent_however_alike_it_is(first: Any, then: Any) -> None:
    kind = pa.float64() if isinstance(then, float) else pa.int64() if isinstance(then, int) else pa.string()

    def sets(key: Any, row: Any, state: Any) -> int:
        state.it = first if row.id == 1 else then
        return 0

    made = keyed(sets, pa.schema([("it", kind)]))
    learn(made, "a", states=[{"it": first}])
    call(made, [0], 1)
    assert list(map(repr, values(call(made, [0, 0], 2, 2)[1].states))) == [repr(then)]


def test_the_next_row_sees_what_the_engine_has() -> None:
    seen: list[Any] = []

    def sets(key: Any, row: Any, state: Any) -> int:
        seen.append(state.it)
        state.it = row.id
        return 0

    made = keyed(sets, pa.schema([("it", pa.float64())]))
    learn(made, "a")
    call(made, [0, 0], 1, 1)
    assert list(map(repr, seen)) == ["None", "1.0"]


@pytest.mark.parametrize("name", ["class", "None", "größe", "ﬁx", "returned", "slot", "v0"])
def test_a_column_of_the_state_may_have_any_name(name: str) -> None:
    def counts(key: Any, row: Any, state: Any) -> int:
        setattr(state, name, (getattr(state, name) or 0) + row.id)
        return int(getattr(state, name))

    made = keyed(counts, pa.schema([("v1", pa.int64()), (name, pa.int64())]))
    learn(made, "a")
    result, changes = call(made, [0, 0], 1, 2)
    assert values(result.batch) == [1, 3]
    assert changes.states.column(1).to_pylist() == [3]


def test_a_state_may_have_very_many_columns() -> None:
    def counts(key: Any, row: Any, state: Any) -> int:
        state.c399 = (state.c399 or 0) + row.id
        return int(state.c399)

    made = keyed(counts, pa.schema([(f"c{k}", pa.int64()) for k in range(400)]))
    learn(made, "a")
    result, changes = call(made, [0, 0], 1, 2)
    assert values(result.batch) == [1, 3]
    assert changes.states.column(399).to_pylist() == [3]


def test_clear_is_a_state_of_nulls() -> None:
    def once(key: Any, row: Any, state: Any) -> int | None:
        was = state.count
        state.clear()
        assert state.count is None
        return None if was is None else int(was)

    made = keyed(once)
    learn(made, "a", states=[{"count": 5}])
    result, changes = call(made, [0, 0], 1, 2)
    assert values(result.batch) == [5, None]
    assert (changes.slots, values(changes.states)) == ([0], [None])


def test_what_is_deleted_is_none_from_the_next_call_on() -> None:
    def deletes(key: Any, row: Any, state: Any) -> int | None:
        was = state.count
        del state.count
        return None if was is None else int(was)

    made = keyed(deletes)
    learn(made, "a", states=[{"count": 5}])
    result, changes = call(made, [0, 0], 1, 1)
    assert (values(result.batch), changes.slots, values(changes.states)) == ([5, None], [0], [None])


def test_what_is_deleted_is_not_read_in_the_same_call() -> None:
    def reads(key: Any, row: Any, state: Any) -> Any:
        del state.count
        return state.count

    made = keyed(reads)
    learn(made, "a", states=[{"count": 5}])
    result, changes = call(made, [0], 1)
    assert "AttributeError: `count` of the state was deleted: it is None from the next call on" in result.errors[0][1]
    assert changes.slots == []


LIST = pa.schema([pa.field("ids", pa.list_(pa.int64()), metadata={"sql": "ARRAY<BIGINT>"}),
                  pa.field("last", pa.float64(), metadata={"sql": "DOUBLE"})])


def test_an_exception_leaves_what_was_changed_in_place() -> None:
    def gathers(key: Any, row: Any, state: Any) -> int:
        state.ids = state.ids or []
        state.ids.append(row.id)
        state.last = 1.5
        return 10 // (row.id - 2) and len(state.ids)

    made = keyed(gathers, LIST)
    learn(made, "a")
    result, changes = call(made, [0] * 4, 1, 2, 3, 4)
    assert values(result.batch) == [1, 2, 3]
    assert [row for row, _ in result.errors] == [1]
    assert "ZeroDivisionError" in result.errors[0][1]
    assert changes.slots == [0]
    assert changes.states.to_pylist()[-1] == {"ids": [1, 3, 4], "last": 1.5}


def test_what_a_function_keeps_of_a_state_is_no_state() -> None:
    kept: list[Any] = []

    def keeps(key: Any, row: Any, state: Any) -> int:
        for each in kept:
            each.append(99)
        state.ids = [*(state.ids or []), row.id]
        kept.append(state.ids)
        return len(state.ids)

    made = keyed(keeps, LIST)
    learn(made, "a", "b")
    assert values(call(made, [0, 1, 0, 1], 1, 2, 3, 4)[0].batch) == [1, 1, 2, 2]


@pytest.mark.parametrize(("kind", "value"), [
    (pa.int64(), 1.5), (pa.int64(), True), (pa.int64(), "1"), (pa.int8(), 128), (pa.int32(), -2**31 - 1), (pa.float64(), "1.5"),
    (pa.float32(), 1e300), (pa.string(), b"x"), (pa.string(), "\ud800"), (pa.bool_(), 1), (pa.decimal128(5, 2), Decimal("1.234")),
    (pa.timestamp("us", "UTC"), datetime.datetime(2026, 1, 1)), (pa.list_(pa.int64()), [1.5]),
    (pa.struct([("x", pa.int64())]), {"y": 1}), (pa.map_(pa.string(), pa.int64()), {"k": 0.5})])
def test_a_value_that_does_not_fit_is_named_and_leaves_the_state(kind: pa.DataType, value: object) -> None:
    schema = pa.schema([pa.field("it", kind, metadata={"sql": "SOME TYPE"}), COUNT.field(0)])

    def sets(key: Any, row: Any, state: Any) -> int:
        state.count = (state.count or 0) + 1
        if row.id == 2:
            state.it = value
        return int(state.count)

    made = keyed(sets, schema)
    learn(made, "a")
    result, changes = call(made, [0] * 3, 1, 2, 3)
    assert values(result.batch) == [1, 2]
    assert (changes.slots, changes.states.column(1).to_pylist()) == ([0], [2])
    [(row, why)] = result.errors
    assert row == 1
    assert why.startswith("state: column `it` is SOME TYPE, and ")
    assert type(value).__name__ in why


def test_an_answer_that_does_not_fit_leaves_the_state_too() -> None:
    def counts(key: Any, row: Any, state: Any) -> object:
        state.count = (state.count or 0) + 1
        return state.count if row.id else "x"

    made = keyed(counts)
    learn(made, "a")
    result, changes = call(made, [0] * 3, 1, 0, 2)
    assert values(result.batch) == [1, 2]
    assert (changes.slots, values(changes.states)) == ([0], [2])
    assert "column `n` is BIGINT, and 'x' (str) does not fit" in result.errors[0][1]


@pytest.mark.parametrize(("kind", "given", "kept"), [
    (pa.float64(), 1, 1.0), (pa.float32(), 0.1, 0.10000000149011612), (pa.decimal128(8, 3), Decimal("1.5"), Decimal("1.500")),
    (pa.timestamp("us", "UTC"), datetime.datetime(2026, 1, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
     datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)), (pa.list_(pa.float64()), (1, 2), [1.0, 2.0]),
    (pa.map_(pa.string(), pa.list_(pa.int64())), {"k": [1]}, {"k": [1]}), (pa.string(), "ä", "ä"), (pa.binary(), b"x", b"x"),
    (pa.struct([("x", pa.int64())]), (1,), {"x": 1})])
def test_a_state_is_the_same_whether_the_engine_has_had_it(kind: pa.DataType, given: object, kept: object) -> None:
    found: list[Any] = []

    def sets(key: Any, row: Any, state: Any) -> int:
        found.append(state.it)
        state.it = given
        return 0

    made = keyed(sets, pa.schema([("it", kind)]))
    learn(made, "a")
    _, changes = call(made, [0, 0], 1, 2)
    made.learn(0, pa.RecordBatch.from_pydict({"device": ["a"]}, KEY), changes.states.slice(0, 1))
    call(made, [0], 3)
    assert [repr(each) for each in found] == ["None", repr(kept), repr(kept)]


TWO = pa.schema([pa.field("a", pa.int64()), pa.field("b", pa.int64())])


@pytest.mark.parametrize("adds", [True, False])
def test_an_answer_that_is_changed_later_is_what_it_was(adds: bool) -> None:
    reused: list[int] = [0, 0]

    def answers(key: Any, row: Any, state: Any) -> Any:
        reused[:] = row.id, 2 * row.id
        return reused if adds else iter([reused])

    made = keyed(answers, outputs=TWO, adds=adds)
    learn(made, "a")
    assert call(made, [0] * 3, 1, 2, 3)[0].batch.to_pylist() == [{"a": k, "b": 2 * k} for k in (1, 2, 3)]


def test_a_generator_that_is_refused_changes_nothing_when_it_is_closed() -> None:
    def many(key: Any, row: Any, state: Any) -> Any:
        try:
            yield "bad" if row.id == 2 else state.count or 0
        finally:
            if row.id == 2:
                state.count = 99

    made = keyed(many, adds=False)
    learn(made, "a")
    result, changes = call(made, [0] * 3, 1, 2, 3)
    assert values(result.batch) == [0, 0]
    assert changes.slots == []


def test_a_generator_has_run_before_the_next_row() -> None:
    def many(key: Any, row: Any, state: Any) -> Any:
        for _ in range(row.id):
            state.count = (state.count or 0) + 1
            yield state.count
        if row.id == 3:
            raise ValueError("three")
        state.count = (state.count or 0) + 10

    made = keyed(many, adds=False)
    learn(made, "a")
    result, changes = call(made, [0] * 4, 2, 0, 3, 1)
    assert values(result.batch) == [1, 2, 23]
    assert values(changes.states) == [33]
    assert [row for row, _ in result.errors] == [2]


@pytest.mark.parametrize(("user", "words"), [
    (lambda key, row, state: state.cuont, "AttributeError: the state has no `cuont`: did you mean `count`?"),
    (lambda key, row, state: setattr(state, "cuont", 1), "AttributeError: the state has no `cuont`: did you mean `count`?"),
    (lambda key, row, state: row.idd, "AttributeError: there is no column `idd`: did you mean `id`?"),
    (lambda key, row, state: next(iter([])), "StopIteration")])
def test_what_is_misspelt_says_what_was_meant(user: Callable[..., Any], words: str) -> None:
    made = keyed(user)
    learn(made, "a")
    result, changes = call(made, [0], 1)
    assert words in result.errors[0][1]
    assert result.errors[0][1].count(" in ") <= 1, "the user's own frame, and none of the worker's"
    assert not changes.slots


def test_rows_and_keys_are_tuples_with_names() -> None:
    def looks(key: Any, row: Any, state: Any) -> int:
        assert key == ("a", 7)
        assert (key.device, key.key_2) == ("a", 7)
        assert row["a name"] == row[1] == "w5"
        assert tuple(row) == (5, "w5")
        return int(row.id)

    made = keyed(looks, keys=pa.schema([("device", pa.string()), ("key_2", pa.int64())]))
    learn(made, ("a", 7))
    result, _ = call(made, [0], 5)
    assert result.errors == []
    assert values(result.batch) == [5]


def test_columns_say_what_a_row_has() -> None:
    made = keyed(lambda key, row, state: len(row), columns=["ID"])
    learn(made, None)
    assert made.columns == ["id"]
    assert values(call(made, [0], 5)[0].batch) == [1]


def test_a_key_that_python_cannot_hold_makes_its_rows_bad_records() -> None:
    made = keyed(counting, keys=pa.schema([("at", pa.timestamp("us", "UTC"))]))
    far = pa.RecordBatch.from_arrays([pa.array([2**62, 0]).cast(pa.timestamp("us", "UTC"))], ["at"])
    made.learn(0, far, pa.RecordBatch.from_pylist([{"count": None}] * 2, COUNT))
    result, changes = call(made, [0, 1, 0], 1, 2, 3)
    assert values(result.batch) == [2]
    assert [row for row, _ in result.errors] == [0, 2]
    assert "its key: column `at` has a value that Python cannot hold" in result.errors[0][1]
    assert changes.slots == [1]


async def _waits(key: Any, row: Any, state: Any) -> int:
    return 1


@pytest.mark.parametrize(("user", "words"), [
    (lambda key, row: 1, "is called with a key, a row and a state"), (_waits, "`mine:f` is an `async def`, and keeps state")])
def test_functions_that_cannot_be_called_are_refused(user: Callable[..., Any], words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        keyed(user)


def test_rows_do_not_depend_on_where_a_batch_ends_nor_on_when_a_state_comes() -> None:
    def mixes(key: Any, row: Any, state: Any) -> int:
        state.ids = [*(state.ids or []), row.id][-3:]
        state.last = (state.last or 0) * 2 + row.id
        if row.id % 5 == 3:
            raise ValueError("five and three")
        if row.id % 7 == 0:
            state.clear()
        return sum(state.ids or [-1])

    def run(sizes: Callable[[], int]) -> tuple[list[Any], list[int]]:
        made = keyed(mixes, LIST)
        kept: list[dict[str, Any]] = [dict.fromkeys(LIST.names)] * 4
        found, bad, at = [], [], 0
        learn(made, *"abcd", states=kept)
        while at < 60:
            ids = list(range(at, min(60, at + sizes())))
            result, changes = call(made, [k % 4 for k in ids], *ids)
            found += values(result.batch)
            bad += [at + row for row, _ in result.errors]
            for slot, state in zip(changes.slots, changes.states.to_pylist(), strict=True):
                kept[slot] = state
            if sizes() % 2:
                learn(made, *"abcd", states=kept)       # as for a worker that takes another's place
            at += len(ids)
        return found, bad

    whole = run(lambda: 60)
    assert len(whole[1]) == 12
    for seed in range(20):
        chance = random.Random(seed)
        assert run(lambda chance=chance: chance.randint(1, 9)) == whole     # type: ignore[misc]


PICKLED = pa.schema([pa.field("$pickled", pa.binary(), metadata={"sql": "BINARY"})])


def test_a_pickled_state_has_any_attributes_and_comes_back_from_what_was_kept() -> None:
    def learning(key: Any, row: Any, state: Any) -> int:
        state.seen = (state.seen or set()) | {row.id}
        del state.unset
        return len(state.seen)

    made, later = keyed(learning, PICKLED), keyed(learning, PICKLED)
    learn(made, "a")
    result, changes = call(made, [0, 0, 0], 1, 2, 1)
    assert values(result.batch) == [1, 2, 2]
    assert changes.slots == [0]
    learn(later, "a", states=[{"$pickled": changes.states.column(0)[-1].as_py()}])
    assert values(call(later, [0], 3)[0].batch) == [3]


def test_a_pickled_state_is_as_it_was_before_a_row_that_raises() -> None:
    def failing(key: Any, row: Any, state: Any) -> int:
        state.seen = state.seen or []
        state.seen.append(row.id)
        if row.id == 2:
            raise ValueError("two")
        return len(state.seen)

    made = keyed(failing, PICKLED)
    learn(made, "a")
    result, changes = call(made, [0, 0, 0], 1, 2, 3)
    assert values(result.batch) == [1, 2]
    assert changes.slots == [0]


def test_what_cannot_be_pickled_is_a_bad_row_and_a_cleared_state_is_none() -> None:
    def holding(key: Any, row: Any, state: Any) -> int:
        state.held = (each for each in "a") if row.id == 1 else row.id
        if row.id == 3:
            state.clear()
        return int(row.id)

    made = keyed(holding, PICKLED)
    learn(made, "a")
    result, changes = call(made, [0, 0, 0], 1, 2, 3)
    assert [(k, "cannot pickle 'generator' object" in why) for k, why in result.errors] == [(0, True)]
    assert (changes.slots, values(changes.states)) == ([0], [None])


def test_the_methods_of_a_pickled_state_stay() -> None:
    def spoiling(key: Any, row: Any, state: Any) -> int:
        state.clear = row.id
        return 1

    made = keyed(spoiling, PICKLED)
    learn(made, "a")
    assert "read-only" in call(made, [0], 1)[0].errors[0][1]


class Ended:
    """Gives a row for a key when that ends; of a key ``none`` no row, of ``bad`` an error, of ``two`` two."""

    def process(self, key: Any, row: Any, state: Any) -> None:
        state.count = (state.count or 0) + 1

    def end(self, key: Any, state: Any) -> Any:
        if key == "bad":
            raise ValueError("bad")
        return None if key == "none" else [state.count, -1] if key == "two" else state.count


def test_keys_end_in_their_slots_and_have_no_state_then() -> None:
    made = keyed(Ended, adds=False)
    learn(made, "a", "none", "bad", "two", "unused")
    assert made.kept() == []
    call(made, [0, 0, 1, 2, 3], 1, 2, 3, 4, 5)
    assert made.kept() == [0, 1, 2, 3]
    result, changes = made.ends([3, 0, 1, 2])
    assert values(result.batch) == [1, -1, 2]
    assert [(row, why.partition(" (")[0]) for row, why in result.errors] == [(0, "ValueError: bad")]
    assert list(result.records) == ["end of 'bad'"]
    assert changes.slots == [3, 0, 1, 2]
    assert values(changes.states) == [None] * 4
    assert made.kept() == []


def test_a_state_of_any_kind_ends_too() -> None:
    class Last(Ended):
        def process(self, key: Any, row: Any, state: Any) -> None:
            state.ids = [*(state.ids or []), row.id]

        def end(self, key: Any, state: Any) -> Any:
            return len(state.ids)

    nested = pa.schema([pa.field("ids", pa.list_(pa.int64()), metadata={"sql": "ARRAY<BIGINT>"})])
    for state in (nested, pa.schema([("$pickled", pa.binary())])):
        made = keyed(Last, state, adds=False)
        learn(made, "a", "b", states=[{}, {}])
        assert made.kept() == []
        call(made, [1, 1], 7, 8)
        assert made.kept() == [1]
        result, changes = made.ends(made.kept())
        assert (values(result.batch), changes.slots, values(changes.states)) == ([2], [1], [None])
        assert made.kept() == []


@pytest.mark.parametrize(("end", "adds", "words"), [
    (lambda self, key: None, False, "is called with a key and a state at the end"),
    (lambda self, key, state: None, True, "with `adds` there is no row"),
])
def test_an_end_that_cannot_be_called_is_refused(end: Any, adds: bool, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        keyed(type("Wrong", (Ended,), {"end": end}), adds=adds)
