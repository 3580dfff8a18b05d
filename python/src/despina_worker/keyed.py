"""Functions that keep state by key: ``process(key, row, state)``.

The engine keeps the states, and says in which slot of this process the key of each row is. A slot has a key and its state, as it
is after all rows that have come. A row that fails, in whatever way, has changed nothing.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, NamedTuple

import pyarrow as pa

from despina_worker.errors import WRONG, RefusedError, ValueRefusedError, described
from despina_worker.frames import Connection, Kind
from despina_worker.functions import PART_BYTES, Result, Spec, calls, named_columns, readable
from despina_worker.values import checked, row_of, to_list, unfit
from despina_worker.waiting import is_async

ARGUMENTS = 3
"""Key, row and state."""
types = pa.types


def near(name: str, names: Sequence[str]) -> str:
    """A hint at the end of a message, if one of the names could have been meant."""
    close = difflib.get_close_matches(name, names, 1)
    return f": did you mean `{close[0]}`?" if close else f"; there is {', '.join(names)}" if names else ""


def row_type(names: Sequence[str]) -> type:
    """Tuples with names: ``row.celsius``, or ``row["a name with blanks"]``."""
    ordinals = {name: k for k, name in enumerate(names)}

    class Row(namedtuple("Row", names, rename=True)):       # type: ignore[misc]
        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            if name in ordinals:
                return self[ordinals[name]]
            raise AttributeError(f"there is no column `{name}`{near(name, names)}")

        def __getitem__(self, at: Any) -> Any:
            if isinstance(at, str):
                return getattr(self, at)
            return super().__getitem__(at)
    return Row


def state_type(names: Sequence[str]) -> type:
    """An object with these attributes, None each until it is set."""
    assign = object.__setattr__

    class State:
        __slots__ = tuple(names)

        def __getattr__(self, name: str) -> Any:
            if name in names:       # it was deleted
                return None
            raise AttributeError(f"the state has no `{name}`{near(name, names)}")

        def __setattr__(self, name: str, value: Any) -> None:
            if name not in names:
                raise AttributeError(f"the state has no `{name}`{near(name, names)}")
            assign(self, name, value)

        def clear(self) -> None:
            """Forgets the state of this key: it is as if the key had never come."""
            for name in names:
                assign(self, name, None)

        def __repr__(self) -> str:
            return f"State({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"
    return State


def is_nested(kind: pa.DataType) -> bool:
    """Whether its values in Python can be changed, so that they are kept as arrays of one value."""
    return bool(types.is_nested(kind))


class Column:
    """One of an answer or of the state. What it takes fits, and is what it would be if it had been sent and come back."""

    def __init__(self, column: pa.Field) -> None:
        self._field = column
        self._nested = is_nested(column.type)
        self._fits = _quick(column.type)

    def taken(self, value: Any) -> Any:
        """The value as it is kept; raises ``ValueRefusedError`` with column, type and value."""
        if not self._nested and ((value is None and self._field.nullable) or self._fits(value)):
            return value
        try:
            array = checked([value], self._field)
            return array if self._nested else to_list(array)[0]
        except Exception as error:
            why = unfit(value, self._field) or f"column `{self._field.name}`: {error}"
            raise ValueRefusedError(why) from error

    def given(self, kept: Any) -> Any:
        """A value as the function gets it."""
        return to_list(kept)[0] if self._nested else kept

    def same(self, one: Any, other: Any) -> bool:
        """Whether both are one value; of some that are, it says that they are not."""
        return one is other or (self._nested and one.equals(other))

    def learned(self, array: pa.Array) -> list[Any]:
        """Values that have come, as they are kept."""
        return [array.slice(k, 1) for k in range(len(array))] if self._nested else to_list(array)

    def array(self, kept: list[Any]) -> pa.Array:
        """The column of these."""
        if self._nested and kept:
            return pa.concat_arrays(kept)
        return checked(kept, self._field)


def _quick(kind: pa.DataType) -> Callable[[Any], bool]:
    """What tells most values that fit, and stay what they are, at little cost."""
    if types.is_integer(kind):
        most = 1 << kind.bit_width - 1
        return lambda value: type(value) is int and -most <= value < most
    if types.is_float64(kind):
        return lambda value: type(value) is float
    if types.is_boolean(kind):
        return lambda value: type(value) is bool
    if types.is_string(kind):
        return lambda value: type(value) is str and value.isascii()
    return lambda value: False


class Changes(NamedTuple):
    """The rows of a batch that have changed the state of their key, and these states. One of NULLs is none."""

    rows: list[int]
    states: pa.RecordBatch


class _Unreadable(NamedTuple):
    """In place of a key that Python cannot hold."""

    why: str


@dataclass
class _Slot:
    key: Any
    values: tuple[Any, ...]


@dataclass
class Keyed:
    """One function, ready to be called. ``columns`` are those that its rows have, ``input_schema`` is theirs."""

    spec: Spec
    user: Callable[..., Any]
    closing: Callable[[], Any] | None = None
    columns: list[str] = field(init=False)
    input_schema: pa.Schema = field(init=False)

    def __post_init__(self) -> None:
        spec = self.spec
        if spec.keys is None or spec.state is None:
            raise RefusedError(f"`{spec.function}` has no state")
        if is_async(self.user):
            raise RefusedError(f"`{spec.function}` is an `async def`, and keeps state: its calls come one after the other")
        try:
            inspect.signature(self.user).bind(*range(ARGUMENTS))
        except TypeError as error:
            raise RefusedError(f"`{spec.function}` is called with a key, a row and a state: {error}") from None
        self.columns = named_columns(spec, spec.columns or spec.inputs.names)
        self.input_schema = pa.schema([spec.inputs.field(name) for name in self.columns])
        self._row = row_type(self.columns)
        self._key = row_type(spec.keys.names)
        self._state = state_type(spec.state.names)()
        self._names = spec.state.names
        self._kept = [Column(each) for each in spec.state]
        self._outputs = [Column(each) for each in spec.outputs]
        self._slots: list[_Slot] = []

    @classmethod
    def of(cls, spec: Spec, found: Any) -> Keyed:
        """``found``: what ``spec.function`` names."""
        return cls(spec, *calls(spec, found))

    def close(self) -> None:
        """There are no more rows."""
        if self.closing is not None:
            self.closing()

    def learn(self, first: int, keys: pa.RecordBatch, states: pa.RecordBatch) -> None:
        """From slot ``first`` on there are these keys, with these states. What was in those slots is forgotten."""
        del self._slots[first:]
        lists, unreadable = readable(keys)
        made = iter(lists[0] if len(lists) == 1 else starmap(self._key, zip(*lists, strict=True)))
        columns = [column.learned(array) for column, array in zip(self._kept, states.columns, strict=True)]
        for k, values in enumerate(zip(*columns, strict=True)):
            key = _Unreadable(unreadable[k]) if k in unreadable else next(made)
            self._slots.append(_Slot(key, values))

    def call(self, batch: pa.RecordBatch, slots: Sequence[int]) -> tuple[Result, Changes]:
        """Calls the function with each row. ``slots``: of each row, where its key is."""
        lists, errors = readable(batch)
        good = [k for k in range(batch.num_rows) if k not in errors] if errors else range(batch.num_rows)
        rows = starmap(self._row, zip(*lists, strict=True)) if lists else iter([self._row()] * len(good))
        answers: list[list[Any]] = []
        changed: list[int] = []
        states: list[tuple[Any, ...]] = []
        for number, row in zip(good, rows, strict=True):
            slot = self._slots[slots[number]]
            try:
                answered, after = self._one(slot, row)
            except WRONG as error:
                errors[number] = described(error)
                continue
            answers.extend(answered)
            if after is not None:
                slot.values = after
                changed.append(number)
                states.append(after)
        result = _batch(self._outputs, answers, self.spec.outputs)
        return (Result(result, sorted(errors.items())),
                Changes(changed, _batch(self._kept, states, self.spec.state)))

    def _one(self, slot: _Slot, row: Any) -> tuple[list[list[Any]], tuple[Any, ...] | None]:
        """What a row gives, and the state behind it; None if that is as before."""
        if isinstance(slot.key, _Unreadable):
            raise ValueRefusedError(f"its key: {slot.key.why}")
        state, names = self._state, self._names
        for name, column, value in zip(names, self._kept, slot.values, strict=True):
            setattr(state, name, column.given(value))
        answered = [self._answer(value) for value in self._answers(self.user(slot.key, row, state))]
        try:
            after = tuple(column.taken(getattr(state, name)) for name, column in zip(names, self._kept, strict=True))
        except ValueRefusedError as error:
            raise ValueRefusedError(f"state: {error}") from error
        same = all(column.same(*pair) for column, *pair in zip(self._kept, slot.values, after, strict=True))
        return answered, None if same else after

    def _answers(self, returned: Any) -> Sequence[Any]:
        """The rows that it returned. A generator has run when they are there."""
        if self.spec.adds:
            return (returned,)
        if returned is None:
            return ()
        return list(returned) if isinstance(returned, (list, Iterator)) else (returned,)

    def _answer(self, value: Any) -> list[Any]:
        names = self.spec.outputs.names
        try:
            values = [value] if len(names) == 1 else row_of(value, names)
        except ValueRefusedError as error:
            raise ValueRefusedError(f"`{self.spec.function}` returned {value!r:.100}: {error}") from error
        return [column.taken(each) for column, each in zip(self._outputs, values, strict=True)]


def _batch(columns: Sequence[Column], rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    lists = [list(values) for values in zip(*rows, strict=True)] if rows else [[] for _ in columns]
    return pa.RecordBatch.from_arrays([column.array(kept) for column, kept in zip(columns, lists, strict=True)], schema=schema)


def serve(connection: Connection, spec: Spec, found: Any, answer: Callable[[int, Result], None]) -> int:
    """Answers batches until the engine closes its side."""
    function = Keyed.of(spec, found)
    connection.send(Kind.OPENED, 0, json.dumps({"columns": function.columns}).encode())
    keys: pa.RecordBatch | None = None
    slots: list[int] = []
    while (frame := connection.receive()) is not None:
        if frame.kind == Kind.KEYS:
            keys = pa.ipc.read_record_batch(frame.payload, spec.keys)
        elif frame.kind == Kind.STATES:
            function.learn(frame.number, keys, pa.ipc.read_record_batch(frame.payload, spec.state))
        elif frame.kind == Kind.SLOTS:
            slots = list(memoryview(frame.payload).cast("B").cast("i"))
        else:
            result, changes = function.call(pa.ipc.read_record_batch(frame.payload, function.input_schema), slots)
            _send(connection, frame.number, changes)
            answer(frame.number, result)
    function.close()
    return 0


def _send(connection: Connection, number: int, changes: Changes) -> None:
    """In parts if they are many."""
    count = len(changes.rows)
    size = changes.states.nbytes
    step = count if size <= PART_BYTES else max(1, count * PART_BYTES // size)
    for at in range(0, count, step or 1):
        rows = changes.rows[at:at + step]
        head = b"".join(each.to_bytes(4, "little") for each in (len(rows), *rows))
        connection.send(Kind.CHANGES, number, head + changes.states.slice(at, step).serialize().to_pybytes())
