"""The form on Spark's streams of Python functions with state: steps of one group, whose state Spark keeps between them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from despina.backends.spark.keyed_rows import NAN
from despina.backends.spark.keyed_steps import ROW, ROWS, KeyedSteps, orderable
from despina.backends.spark.python_calls import TIME, Kept, Wanted
from despina.backends.spark.user_functions import UserFunction

AT = pa.timestamp("us", "UTC")
INPUT = pa.schema([("id", pa.int64()), ("ts", AT), ("device", pa.string())])
ROWS_OF = INPUT.append(pa.field(TIME, AT)).append(pa.field("_key", pa.string()))
STATE = pa.schema([("n", pa.int64()), ("$timer", AT)])
OUT = pa.schema([("text", pa.string())])


class Silences:
    """Tells of each row, and when a device has been silent for five seconds."""

    def process(self, key: Any, row: Any, state: Any) -> str | None:
        if row.id < 0:
            state.clear()
            return None
        state.n = (state.n or 0) + 1
        state.set_timer(row.ts + timedelta(seconds=5))
        return f"{key} {row.id} {state.n}"

    def timer(self, key: Any, when: datetime, state: Any) -> str:
        n, state.n = state.n, None
        return f"{key} silent after {n} at {when.timestamp():.0f}"


class Plain:
    """As ``Silences`` without its timers."""

    def process(self, key: Any, row: Any, state: Any) -> str:
        state.n = (state.n or 0) + 1
        return f"{key} {row.id} {state.n}"


class Ended:
    def process(self, key: Any, row: Any, state: Any) -> None:
        pass

    def end(self, key: Any, state: Any) -> None:
        pass


class Store:
    """Spark's side: the state of one group, and its timers."""

    def __init__(self) -> None:
        self.kept: tuple[bytes] | None = None
        self.timers: set[int] = set()

    def getValueState(self, name: str, schema: str) -> Store:  # noqa: N802 (Spark's)
        assert (name, schema) == ("left", "left BINARY")
        return self

    def get(self) -> tuple[bytes] | None:
        return self.kept

    def update(self, value: tuple[bytes]) -> None:
        self.kept = value

    def clear(self) -> None:
        self.kept = None

    def registerTimer(self, moment: int) -> None:  # noqa: N802
        self.timers.add(moment)

    def deleteTimer(self, moment: int) -> None:  # noqa: N802
        self.timers.remove(moment)


class Step:
    """Of Spark's: a packed row, the watermark, and the moment that has come."""

    def __init__(self, watermark: int, moment: int = 0, row: bytes = b"") -> None:
        self._watermark, self._moment = watermark, moment
        setattr(self, ROW, row)

    def getCurrentWatermarkInMs(self) -> int:  # noqa: N802
        return self._watermark

    def getExpiryTimeInMs(self) -> int:  # noqa: N802
        return self._moment


def steps(store: Store, monkeypatch: pytest.MonkeyPatch, user: Any = Silences, state: pa.Schema = STATE) -> KeyedSteps:
    """As Spark makes them anew for a micro-batch."""
    function = UserFunction("tried", "mine:f", {}, False, [], None)
    monkeypatch.setattr(UserFunction, "found", lambda _: user)
    wanted = Wanted(function, "row", False, ["id", "ts"], 1, None, INPUT, OUT)
    made = KeyedSteps(wanted, Kept(["_key"], [TIME, "id"], pa.schema([("device", pa.string())]), state), ROWS_OF)
    made.init(store)
    return made


def at(second: float) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def rows(*given: tuple[int, float, str | None]) -> Iterator[Any]:
    for number, second, device in given:
        batch = pa.RecordBatch.from_pylist([{"id": number, "ts": at(second), "device": device, TIME: at(second), "_key": device}],
                                           ROWS_OF)
        yield Step(0, row=bytes(batch.serialize()))


def texts(made: Iterator[Any]) -> list[str]:
    return [text for row in made for text in pa.ipc.read_record_batch(pa.py_buffer(row[ROWS]), OUT).column(0).to_pylist()]


def test_rows_wait_for_the_watermark_and_leave_in_event_order(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    made = steps(store, monkeypatch)
    assert texts(made.handleInputRows(1, rows((3, 12, "a"), (2, 11, "a"), (1, 11, "a")), Step(10_000))) == []
    assert store.timers == {11_000}
    made = steps(store, monkeypatch)
    assert texts(made.handleInputRows(1, rows((4, 13.000_001, "a")), Step(12_000))) == ["a 1 1", "a 2 2", "a 3 3"]
    assert store.timers == {13_001}, "a microsecond is a whole millisecond of Spark's watermark"
    assert texts(made.handleExpiredTimer(1, Step(13_001), Step(0, 13_001))) == ["a 4 4"]
    assert store.timers == {13_001, 18_001}, "Spark removes the one that has come"


def test_timers_are_called_in_event_order_with_the_rows_of_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    made = steps(store, monkeypatch)
    given = rows((1, 1, "a"), (2, 2, None), (3, 6, "a"), (4, 9, None))
    assert texts(made.handleInputRows(1, given, Step(13_999))) == [
        "a 1 1", "None 2 1", "a 3 2", "None silent after 1 at 7", "None 4 1", "a silent after 2 at 11"]
    assert texts(made.handleExpiredTimer(1, Step(14_000), Step(0, 14_000))) == ["None silent after 1 at 14"]
    assert store.kept is None, "nothing is left of keys without a state"


def test_a_key_that_is_forgotten_leaves_neither_state_nor_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    made = steps(store, monkeypatch)
    assert texts(made.handleInputRows(1, rows((1, 1, "a")), Step(1000))) == ["a 1 1"]
    assert store.timers == {6000}
    assert texts(made.handleInputRows(1, rows((-1, 2, "a")), Step(2000))) == []
    assert (store.kept, store.timers) == (None, set())


def test_a_timer_that_nobody_calls_any_more_keeps_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    assert texts(steps(store, monkeypatch).handleInputRows(1, rows((1, 1, "a")), Step(1000))) == ["a 1 1"]
    assert store.timers == {6000}
    made = steps(store, monkeypatch, Plain)
    assert texts(made.handleExpiredTimer(1, Step(10_000), Step(0, 6000))) == []
    store.timers.remove(6000)       # as Spark does
    assert texts(made.handleInputRows(1, rows((2, 20, "a")), Step(10_000))) == []
    assert store.timers == {20_000}
    assert texts(made.handleExpiredTimer(1, Step(20_000), Step(0, 20_000))) == ["a 2 2"]


def test_a_checkpoint_of_other_columns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    assert texts(steps(store, monkeypatch).handleInputRows(1, rows((1, 1, "a")), Step(1000))) == ["a 1 1"]
    other = pa.schema([("n", pa.float64()), ("$timer", AT)])
    with pytest.raises(RuntimeError, match="operator tried: the query's checkpoint has rows or states of other columns"):
        texts(steps(store, monkeypatch, state=other).handleInputRows(1, rows(), Step(2000)))


def test_a_class_with_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match=r"mine:f \(operator tried\) has `end`, and a stream on Spark has none"):
        texts(steps(Store(), monkeypatch, Ended).handleInputRows(1, rows((1, 1, "a")), Step(1000)))


def test_null_is_first_in_order_and_nan_last() -> None:
    given = [NAN, 1.0, None, -math.inf, {"a": 2}, {"a": None}]
    assert sorted(given[:4], key=orderable) == [None, -math.inf, 1.0, NAN]
    assert sorted(given[4:], key=orderable) == [{"a": None}, {"a": 2}]
