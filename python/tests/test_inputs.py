"""The way of rows from the user's iterable to the engine."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
import pytest

from despina.columns import Columns
from despina.engine import Engine
from despina.errors import RefusedError, StartError
from despina.inputs import CHUNK_BYTES, Ahead, Feeder, Input, streams

Scripted = Callable[..., tuple[Engine, Any]]
SCHEMA = pyarrow.schema([pyarrow.field("n", pyarrow.int64(), nullable=False)])
OPEN = {"room": True, "open": True}
FULL = {"room": False, "open": True}
CLOSED = {"room": True, "open": False}


def schema_stream() -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.ipc.new_stream(sink, SCHEMA).close()
    return bytes(sink.getvalue())


class Recorder:
    """An engine that keeps the rows that it is fed."""

    def __init__(self, *standings: dict[str, bool]) -> None:
        self.standings = list(standings)
        self.rows: list[list[int]] = []
        self.ended = threading.Event()
        self.failure: str | None = None
        self.looks = 0
        self.in_before = [0]
        self.follows: bool | None = None

    def feed(self, job: str, operator: str, rows: bytes, millis: int) -> tuple[bool, bool]:
        if rows:
            self.rows.append(pyarrow.ipc.open_stream(rows).read_all()["n"].to_pylist())
        else:
            self.looks += 1
        standing = self.standings.pop(0) if len(self.standings) > 1 else self.standings[0]
        if not standing["open"]:
            self.ended.set()
        return standing["room"], standing["open"]

    def fed(self, job: str, operator: str, follow: bool, millis: int) -> int:
        self.follows = follow
        return self.in_before.pop(0) if len(self.in_before) > 1 else self.in_before[0]

    def end_feed(self, job: str, operator: str, failure: str = "") -> None:
        self.failure = failure
        self.ended.set()


def feed(recorder: Recorder, given: Any) -> Feeder:
    feeder = Feeder(recorder, "j1", Input.of("readings", Columns.of_stream(schema_stream()), given))  # type: ignore[arg-type]
    assert recorder.ended.wait(20)
    return feeder


def test_a_function_gives_the_rows_behind_those_that_are_in() -> None:
    recorder = Recorder(OPEN)
    recorder.in_before = [-1, -1, 3]
    feed(recorder, lambda fed: ({"n": n} for n in range(fed, 5)))
    assert recorder.follows is True
    assert [n for rows in recorder.rows for n in rows] == [3, 4]
    recorder = Recorder(OPEN)
    feed(recorder, lambda fed: pyarrow.table({"n": [fed, 7]}))
    assert [n for rows in recorder.rows for n in rows] == [0, 7]


def test_an_iterator_is_refused_where_rows_are_in() -> None:
    recorder = Recorder(OPEN)
    recorder.in_before = [3]
    feeder = feed(recorder, iter([{"n": 1}]))
    assert recorder.rows == []
    assert isinstance(feeder.failure, RefusedError)
    assert recorder.failure is not None
    assert recorder.failure.startswith("the job goes on with 3 rows of operator readings that are in")
    recorder = Recorder(OPEN)
    feed(recorder, iter([{"n": 1}]))
    assert recorder.rows == [[1]]


def test_a_table_and_a_list_start_over() -> None:
    recorder = Recorder(OPEN)
    recorder.in_before = [1]
    feed(recorder, [{"n": 1}, {"n": 2}])
    assert [n for rows in recorder.rows for n in rows] == [1, 2]      # the engine leaves out what is in


def test_all_rows_arrive_in_order_and_then_the_end() -> None:
    recorder = Recorder(OPEN)
    feed(recorder, ({"n": n} for n in range(20_000)))
    assert [n for piece in recorder.rows for n in piece] == list(range(20_000))
    assert recorder.failure == ""


def test_what_an_iterable_raises_comes_after_its_rows() -> None:
    class OddError(Exception):
        pass

    def rows() -> Iterator[dict[str, int]]:
        yield {"n": 1}
        raise OddError("no more")

    recorder = Recorder(OPEN)
    feeder = feed(recorder, rows())
    assert (recorder.rows, recorder.failure) == ([[1]], "OddError: no more")
    assert isinstance(feeder.failure, OddError)


def test_a_row_that_does_not_fit_is_told_in_words() -> None:
    recorder = Recorder(OPEN)
    feeder = feed(recorder, [[{"n": 1}], [{"m": 2}]])
    assert recorder.failure == "the source has no column m"
    assert isinstance(feeder.failure, RefusedError)
    assert feeder.failure.hint == "there are n"


def test_while_the_engine_has_no_room_the_next_rows_wait() -> None:
    recorder = Recorder(FULL, FULL, FULL, OPEN)
    feed(recorder, [pyarrow.table({"n": [1]}), pyarrow.table({"n": [2]})])
    assert (recorder.rows, recorder.looks) == ([[1], [2]], 3)


def test_a_job_that_takes_no_more_closes_the_generator() -> None:
    closed = threading.Event()

    def rows() -> Iterator[dict[str, int]]:
        try:
            n = 0
            while True:
                yield {"n": n}
                n += 1
        finally:
            closed.set()

    feeder = feed(Recorder(OPEN, CLOSED), rows())
    assert closed.wait(20)
    assert feeder.failure is None


def test_that_a_job_has_ended_is_noticed_while_no_row_comes() -> None:
    more = threading.Event()

    def rows() -> Iterator[dict[str, int]]:
        more.wait()
        yield {"n": 1}

    recorder = Recorder(CLOSED)
    feed(recorder, rows())
    more.set()
    assert recorder.rows == []


def test_an_engine_that_is_gone_ends_the_feeding(scripted: Scripted) -> None:
    engine, driver = scripted(feed=[StartError("engine_lost", "gone")], endFeed=[StartError("engine_lost", "gone")])
    feeder = Feeder(engine, "j1", Input.of("readings", Columns.of_stream(schema_stream()), [{"n": 1}]))
    for thread in threading.enumerate():
        if thread.name.endswith("-readings"):
            thread.join(20)
    assert [asked[0] for asked in driver.asked] == ["feed", "endFeed"]
    assert isinstance(feeder.failure, StartError)


def test_only_so_much_is_taken_ahead() -> None:
    ahead = Ahead(most=3)
    taken: list[int] = []

    def put() -> None:
        for n in range(6):
            if not ahead.put({"n": n}):
                return
            taken.append(n)

    thread = threading.Thread(target=put)
    thread.start()
    while len(taken) < 3:
        pass
    assert ahead.take(0) == [{"n": 0}, {"n": 1}, {"n": 2}]
    thread.join(20)
    assert taken == [0, 1, 2, 3, 4, 5]
    ahead.close()
    assert ahead.put({"n": 6}) is False


def test_a_piece_counts_with_its_rows() -> None:
    ahead = Ahead(most=10)
    ahead.put([{"n": 0}] * 10)
    thread = threading.Thread(target=ahead.put, args=[(1,)])
    thread.start()
    assert len(ahead.take(0) or ()) >= 1
    thread.join(20)
    ahead.end()
    assert ahead.take(0) == [(1,)]
    assert ahead.take(0) is None


def test_what_travels_at_once_is_bounded() -> None:
    batch = pyarrow.RecordBatch.from_pydict({"n": list(range(500_000))})
    pieces = list(streams(batch))
    assert len(pieces) == 4
    assert all(len(piece) < 1.1 * CHUNK_BYTES for piece in pieces)
    assert pyarrow.concat_tables([pyarrow.ipc.open_stream(piece).read_all() for piece in pieces])["n"].to_pylist() == list(
        range(500_000))
    assert list(streams(batch.slice(0, 0))) == []


@pytest.mark.parametrize(("given", "hint"), [
    ("abc", "a table, or an iterable"), ({"n": [1]}, "a list of dicts"), (7, "a table, or an iterable"), (None, "a table"),
])
def test_what_is_no_rows_is_refused_at_the_call(given: Any, hint: str) -> None:
    with pytest.raises(RefusedError, match="the rows for operator readings: ") as raised:
        Input.of("readings", Columns.of_stream(schema_stream()), given)
    assert raised.value.hint.startswith(hint)
    assert raised.value.place is not None
    assert raised.value.place.file.endswith("test_inputs.py")


def test_a_lazy_frame_is_asked_to_be_collected() -> None:
    import polars
    with pytest.raises(RefusedError) as raised:
        Input.of("readings", Columns.of_stream(schema_stream()), polars.DataFrame({"n": [1]}).lazy())
    assert raised.value.hint == "call .collect() on it"


def test_a_tables_columns_are_looked_at_before_anything_runs() -> None:
    with pytest.raises(RefusedError, match="the source has no column m"):
        Input.of("readings", Columns.of_stream(schema_stream()), pyarrow.table({"m": [1]}))
    reader = pyarrow.table({"n": ["a"]}).to_reader()
    with pytest.raises(RefusedError, match="column n is BIGINT, and the rows have STRING"):
        Input.of("readings", Columns.of_stream(schema_stream()), reader)


def test_columns_are_read_of_the_engines_stream() -> None:
    assert Columns.of_stream(schema_stream()).schema == SCHEMA
