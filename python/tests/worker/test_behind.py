"""Functions in a row: each gets what it would get in a process of its own, and what it gives, counts and prints is its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from despina_worker import behind as worker
from despina_worker.behind import Behind, Row
from despina_worker.context import Counters
from despina_worker.frames import Kind
from despina_worker.functions import Function, Result, Spec

INPUT = pa.schema([("a", pa.int64()), ("b", pa.string()), ("c", pa.float64())])
MANY = 1 << 20


class Engine:
    """In place of a connection: keeps what would be sent."""

    def __init__(self) -> None:
        self.said: list[tuple[Kind, Any]] = []

    def queue(self, kind: Kind, _number: int, payload: bytes | memoryview, _worked_ns: int = 0) -> None:
        self.said.append((kind, bytes(payload)))

    send = queue

    def worked_ns(self) -> int:
        return 0


def spec(adds: bool, inputs: pa.Schema, *outputs: str, takes: str = "row", counters: Counters | None = None) -> Spec:
    return Spec("mine:f", takes, adds, [], True, 1, {}, inputs, pa.schema([(name, pa.int64()) for name in outputs]),
                counters=counters or Counters())


class Told:
    """Calls functions in a row with rows, and reads what they have given."""

    def __init__(self, first: Spec, *users: Callable[..., Any], others: Sequence[Spec], rows: int = MANY, size: int = MANY
                 ) -> None:
        self.engine = Engine()
        self.leading = Function.of(first, users[0])
        self.functions = [Function.of(each, user) for each, user in zip(others, users[1:], strict=True)]
        self.row = Row(self.engine, first,  # type: ignore[arg-type]
                       lambda: ([Behind(each, rows, size, {}) for each in self.functions], None))
        self.row.opened(self.leading)

    @property
    def crossed(self) -> list[str]:
        return list(json.loads(self.engine.said[0][1])["columns"])

    def __call__(self, *a: int, alone: bool = False) -> list[tuple[int, list[dict[str, Any]], list[Any]]]:
        """Of each answer, in the order in which they leave: how deep it is, its rows, and its errors."""
        batch = pa.RecordBatch.from_pydict({"a": list(a), "b": [f"w{k}" for k in a], "c": [k / 2 for k in a]}, INPUT)
        self.engine.said.clear()
        self.row._alone = alone
        crossed = batch.select(self.crossed_names) if self.crossed_names else batch
        self.row.answer(7, self.leading.call(self.row.read(self.leading, crossed.serialize())))
        answers = []
        depth, errors = 0, []
        for kind, payload in self.engine.said:
            if kind is Kind.AHEAD:
                depth += 1
            elif kind is Kind.ERRORS:
                errors = json.loads(payload)
            elif kind is Kind.ANSWER:
                schema = (self.functions[depth - 1] if depth else self.leading).spec.outputs
                rows = pa.ipc.read_record_batch(pa.py_buffer(payload), schema).to_pylist()
                answers.append((depth, rows, errors))
                depth, errors = max(0, depth - 1), []
        return answers

    crossed_names: Sequence[str] = ()


@pytest.fixture(autouse=True)
def _streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)


def in_a_row(*users: Callable[..., Any], **more: Any) -> Told:
    """Each adds a column to what those before have."""
    inputs = INPUT
    specs = []
    for k in range(len(users)):
        specs.append(spec(True, inputs, f"n{k}"))
        inputs = inputs.append(pa.field(f"n{k}", pa.int64()))
    told = Told(specs[0], *users, others=specs[1:], **more)
    told.crossed_names = told.crossed
    return told


def test_what_a_function_reads_of_the_packet_crosses_once() -> None:
    told = in_a_row(lambda a: a, lambda n0, c: n0, lambda n1, a, b: n1)
    assert told.crossed == ["a", "c", "b"]


def test_each_gets_what_those_before_have_added() -> None:
    told = in_a_row(lambda a: a + 1, lambda n0, a: n0 * a, lambda n1, n0, b: n1 + n0 + len(b))
    assert told(1, 2) == [(2, [{"n2": 6}, {"n2": 11}], []), (1, [{"n1": 2}, {"n1": 6}], []), (0, [{"n0": 2}, {"n0": 3}], [])]


def test_a_row_that_fails_is_an_error_of_the_one_that_it_failed() -> None:
    def odd(a: int) -> int:
        if a % 2:
            raise ValueError("odd")
        return a

    def great(n0: int, b: str) -> int:
        if n0 > 4:
            raise ValueError(b)
        return n0
    told = in_a_row(odd, great, lambda n1, a: n1 + a)
    (depth2, third, _), (depth1, second, of_second), (depth0, first, of_first) = told(1, 2, 3, 4, 6)
    assert (depth2, depth1, depth0) == (2, 1, 0)
    assert first == [{"n0": 2}, {"n0": 4}, {"n0": 6}]
    assert [row for row, _ in of_first] == [0, 2]
    assert second == [{"n1": 2}, {"n1": 4}]
    assert [(row, why.split(" (")[0]) for row, why in of_second] == [(2, "ValueError: w6")]
    assert third == [{"n2": 4}, {"n2": 8}]


def test_rows_of_its_own_take_the_packets_place() -> None:
    def many(a: int) -> Iterator[int]:
        yield from range(a)
    first = spec(False, INPUT, "k")
    told = Told(first, many, lambda k: 10 * k, others=[spec(True, first.outputs, "tens")])
    told.crossed_names = told.crossed
    assert told.crossed == ["a"]
    assert told(2, 0, 1) == [(1, [{"tens": 0}, {"tens": 10}, {"tens": 0}], []), (0, [{"k": 0}, {"k": 1}, {"k": 0}], [])]
    assert told(0) == [(0, [], [])]


def test_none_gets_more_rows_than_it_takes() -> None:
    sizes = []

    def counted(n0: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        sizes.append(len(n0))
        return n0
    others = [spec(True, INPUT.append(pa.field("n0", pa.int64())), "n1", takes="numpy")]
    for rows, size, expected in ((2, MANY, [2, 2, 1]), (MANY, 16, [2, 2, 1])):
        sizes.clear()
        told = Told(spec(True, INPUT, "n0"), lambda a: a, counted, others=others, rows=rows, size=size)
        told.crossed_names = told.crossed
        assert [answer[1] for answer in told(1, 2, 3, 4, 5)] == [[{"n1": 1}, {"n1": 2}], [{"n1": 3}, {"n1": 4}], [{"n1": 5}],
                                                                 [{"n0": k} for k in range(1, 6)]]
        assert sizes == expected


def test_asked_of_the_first_alone_the_others_are_not_called() -> None:
    called = []
    told = in_a_row(lambda a: a, lambda n0: called.append(n0))
    assert told(1, alone=True) == [(0, [{"n0": 1}], [])]
    assert called == []
    told(2)
    assert called == [2]


def test_what_one_has_counted_is_told_as_its_own() -> None:
    counters = Counters(2)

    def one(a: int) -> int:
        counters.counter("seen").add(a)
        return a

    def two(n0: int) -> int:
        counters.counter("seen").add()
        return n0
    first = spec(True, INPUT, "n0", counters=counters)
    told = Told(first, one, two, others=[spec(True, INPUT.append(pa.field("n0", pa.int64())), "n1", counters=counters)])
    told.crossed_names = told.crossed
    told(3, 4)
    assert [json.loads(payload) for kind, payload in told.engine.said if kind is Kind.COUNTED] == [{"seen": 2}, {"seen": 7}]


def test_lines_say_which_function_has_printed_them(capsys: pytest.CaptureFixture[str]) -> None:
    told = in_a_row(lambda a: print("first\nline") or a, lambda n0: print("second\n  line") or n0)
    told(1)
    print("end")
    mark = f"{worker.MARK}1{worker.MARK}"
    assert capsys.readouterr().out == f"first\nline\n{mark}second\n{mark}  line\nend\n"


@pytest.mark.parametrize(("text", "lines"), [
    ("a\vb\fc\x1cd\x85e\u2028f\u2029g", ["a\vb\fc\x1cd\x85e\u2028f\u2029g"]), ("a\r\nb\rc", ["a\r\n", "b\r", "c"]),
    ("\n\na", ["\n", "\n", "a"])])
def test_a_line_ends_where_the_engine_ends_it(text: str, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = in_a_row(lambda a: a, lambda n0: print(text, end="") or n0)
    told(1)
    print()
    assert capsys.readouterr().out == "".join(f"{worker.MARK}1{worker.MARK}{line}" for line in lines) + "\n"


def test_the_file_says_which_is_called(tmp_path: Path) -> None:
    file = tmp_path / "at"
    file.write_bytes(b"\0")
    seen: list[bytes] = []
    first = spec(True, INPUT, "n0")
    second = spec(True, INPUT.append(pa.field("n0", pa.int64())), "n1")

    def looked(n0: int) -> int:
        seen.append(file.read_bytes())
        return n0
    engine = Engine()
    row = Row(engine, first, lambda: ([Behind(Function.of(second, looked), MANY, MANY, {})], None),  # type: ignore[arg-type]
              str(file))
    leading = Function.of(first, lambda a: a)
    row.opened(leading)
    came = pa.RecordBatch.from_pydict({"a": [1]}, pa.schema([INPUT.field("a")])).serialize()
    row.answer(7, leading.call(row.read(leading, came)))
    assert (seen, file.read_bytes()) == ([b"\1"], b"\0")


def test_a_timer_that_fails_takes_no_row_away() -> None:
    kept = worker._kept({"a": pa.array([1, 2, 3])}, Result(pa.RecordBatch.from_pylist([], pa.schema([])),
                                                           [(0, "of a timer"), (1, "of a row")], ["timer of 1", None]))
    assert kept["a"].to_pylist() == [1, 3]
