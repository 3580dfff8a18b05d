"""Functions that keep state by key: ``process(key, row, state)``, or ``process(key, rows, state)``.

The engine keeps the states, and says in which slot of this process the key of each row is. A slot has a key and its state, as it
is after all rows that have come. A row that fails, in whatever way, has changed nothing. A key may have a timer, the last
column of its state: ``timer(key, when, state)`` is called when the engine says that this time has come.
"""

from __future__ import annotations

import heapq
import inspect
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import pyarrow as pa

from despina_worker.behind import Row
from despina_worker.compiled import fitting, looping, settling
from despina_worker.errors import WRONG, RefusedError, ValueRefusedError, described
from despina_worker.frames import Connection, Kind
from despina_worker.functions import PART_BYTES, Calls, Result, Spec, named_columns, readable
from despina_worker.gathered import EarlyTimerError, Gathered, Hooks, one_for_each, takes_rows, watched
from despina_worker.objects import (
    PICKLED,
    AnyState,
    Column,
    Pickled,
    explained,
    row_type,
    state_type,
    timed,
)
from despina_worker.values import AWARE, MICRO, alone, row_of
from despina_worker.waiting import is_async

ARGUMENTS = 3
"""Key, row and state; of a timer key, time and state."""
END = (1 << 63) - 1
"""The time behind all, at the end of the input."""
ALL = (1 << 31) - 1
"""Timers, however many."""
TIMERS = struct.Struct("<qi")
"""Until when timers are called, and how many."""
FEW = 1024
"""So many times may wait beyond two for each slot."""
NOTHING = object()
"""What a timer gives that gives no rows, whether ``adds`` is written or not."""


def micros(when: datetime) -> int:
    """Since 1970."""
    return (when - AWARE) // MICRO


class Changes(NamedTuple):
    """The slots whose states a batch has changed, and these states behind it; one of NULLs is none."""

    slots: list[int]
    states: pa.RecordBatch


@dataclass(slots=True, eq=False)
class _Slot:
    key: Any
    state: Any
    """What the function gets. Its values that are nested are put there for each call."""
    values: tuple[Any, ...]
    """Those of the state, as they are kept."""
    unreadable: str | None = None
    """Why Python cannot hold the key, if that is so."""
    queued: int = END
    """The least time at which it waits for its timer."""


@dataclass
class _Made:
    """What a batch gives."""

    answers: list[Any] = field(default_factory=list)
    """The values of each row; the one value where there is one column."""
    errors: list[tuple[int, str, str | None]] = field(default_factory=list)
    changed: dict[int, _Slot] = field(default_factory=dict)
    """By number, those whose states are others."""


@dataclass
class Keyed:
    """One function, ready to be called. ``columns`` are those that its rows have, ``input_schema`` is theirs."""

    spec: Spec
    user: Callable[..., Any]
    closing: Callable[[], Any] | None = None
    timer: Callable[..., Any] | None = None
    end: Callable[..., Any] | None = None
    columns: list[str] = field(init=False)
    input_schema: pa.Schema = field(init=False)

    def __post_init__(self) -> None:
        spec = self.spec
        if spec.keys is None or spec.state is None:
            raise RefusedError(f"`{spec.function}` has no state")
        self._check_methods()
        self.columns = named_columns(spec, spec.columns or spec.inputs.names)
        self.input_schema = pa.schema([spec.inputs.field(name) for name in self.columns])
        self._row = row_type(self.columns)
        self._key = row_type(spec.keys.names)
        gathers = takes_rows(self.user)
        names = spec.state.names[:-1] if spec.clock else spec.state.names
        pickles = names == [PICKLED]
        state = AnyState if pickles else state_type(names)
        self._state = timed(state, self.timer is not None) if spec.clock else state
        if gathers and self.timer is not None:
            self._state = watched(self._state)
        names = ["_objects"] if pickles else names
        self._names = [*names, "_timer"] if spec.clock else names
        self._kept = [Pickled(each, spec.allowed) if each.name == PICKLED else Column(each) for each in spec.state]
        self._nested = [(k, name, column) for k, (name, column) in enumerate(zip(self._names, self._kept, strict=True))
                        if column.nested]
        self._outputs = [Column(each) for each in spec.outputs]
        self._is_one = len(self._outputs) == 1
        self._fit = fitting(self._outputs)
        self._nothing = tuple(column.learned(pa.nulls(1, each.type))[0]
                              for column, each in zip(self._kept, spec.state, strict=True))
        self._settled = settling(self._names, self._kept)
        self._called: tuple[Sequence[int], bool, _Made] = ((), False, _Made())
        """Of the rows that are being called: their times, whether these are of their own keys, and what they give."""
        self._looped = looping(self._names, self._kept, self._outputs, spec.adds, self._hooks())
        self._gathered = self._all_at_once() if gathers else None
        """None if it takes one row at a time."""
        self._slots: list[_Slot] = []
        self._due: list[tuple[int, int, int, _Slot]] = []
        """Times, each with a count for those that are equal, the number of a slot, and that slot."""
        self._count = count()
        self.never_called = 0
        """Timers that others have set at the end of the input."""

    def _hooks(self) -> dict[str, Callable[..., Any]]:
        hooks: dict[str, Callable[..., Any]] = {"slow": self._taken_slowly, "failed": self._failed,
                                                "unreadable": self._refuse_key}
        if self._nested:
            hooks["given"] = self._give
        if self.spec.clock == "event":
            hooks["fire"] = self._fire_before
        if self.timer is not None:
            hooks["queue"] = self._queue
        return hooks

    def _all_at_once(self) -> Gathered:
        def changed(number: int, made: _Made) -> None:
            made.changed[number] = self._slots[number]
            if self.timer is not None:
                self._queue(number)

        def due(number: int) -> int:
            when = self._slots[number].values[-1]
            return END if when is None else micros(when)
        return Gathered(self.spec.adds, self.spec.pure, Hooks(self._one_of_all, self._failed, changed, due, self._fire_one))

    def _one_of_all(self, slot: _Slot, rows: list[Any], last: int | None) -> tuple[list[Any], bool]:
        """Calls the function with rows of a key. ``last``: the time of the last of several, where timers go by event time.

        :raise EarlyTimerError: it has set a timer that is due before that
        """
        if slot.unreadable is not None:
            self._refuse_key(slot)
        self._give(slot)
        if last is not None:
            slot.state._least = None
        returned = self.user(slot.key, rows, slot.state)
        if self.spec.adds:
            returned = one_for_each(self.spec.function, returned, len(rows))
        elif isinstance(returned, Iterator):
            returned = list(returned)       # a generator has set nothing before it has run
        if last is not None and (least := slot.state._least) is not None and (time := micros(least)) < last:
            raise EarlyTimerError(time)
        made = _Made()
        is_other = self._taken_slowly(slot, returned, made)
        return made.answers, is_other

    def _check_methods(self) -> None:
        spec = self.spec
        if is_async(self.user):
            raise RefusedError(f"`{spec.function}` is an `async def`, and keeps state: its calls come one after the other")
        self._check(self.user, "a key, a row and a state", ARGUMENTS)
        if self.timer is None and spec.clock == "processing":
            raise RefusedError(f"`{spec.function}` has no `timer(key, when, state)`, for which `clock` tells the time")
        if self.timer is not None:
            if spec.clock is None:
                raise RefusedError(f"`{spec.function}` has `timer`, and no `clock` tells it the time")
            self._check(self.timer, "a key, a time and a state", ARGUMENTS)
            if is_async(self.timer):
                raise RefusedError(f"`timer` of `{spec.function}` is an `async def`: timers are called one after the other")
        if self.end is not None:
            self._check_end(self.end)

    def _check_end(self, end: Callable[..., Any]) -> None:
        name = self.spec.function
        self._check(end, "a key and a state at the end", ARGUMENTS - 1)
        if is_async(end):
            raise RefusedError(f"`end` of `{name}` is an `async def`: its calls come one after the other")
        if self.spec.adds:
            raise RefusedError(f"`{name}` has `end`, and with `adds` there is no row for what that returns; say `schema`")
        if not self.spec.pure:
            raise RefusedError(f"`{name}` has `end`, which is called again when its process has died, and is not `pure`")

    def _check(self, method: Callable[..., Any], arguments: str, count: int) -> None:
        try:
            inspect.signature(method).bind(*range(count))
        except TypeError as error:
            raise RefusedError(f"`{self.spec.function}` is called with {arguments}: {error}") from None

    @classmethod
    def of(cls, spec: Spec, found: Any) -> Keyed:
        """``found``: what ``spec.function`` names."""
        return cls(spec, *Calls.of(spec, found))

    def close(self) -> None:
        """There are no more rows."""
        if self.closing is not None:
            self.closing()

    def learn(self, first: int, keys: pa.RecordBatch, states: pa.RecordBatch) -> None:
        """From slot ``first`` on there are these keys, with these states. What was in those slots is forgotten."""
        del self._slots[first:]
        lists, unreadable = readable(keys)
        made = iter(lists[0] if len(lists) == 1 else map(self._key, zip(*lists, strict=True)))
        columns = [column.learned(array) for column, array in zip(self._kept, states.columns, strict=True)]
        for k, values in enumerate(zip(*columns, strict=True)):
            why = unreadable.get(k)
            slot = _Slot(next(made) if why is None else None, self._state(), values, why)
            self._put(slot)
            self._slots.append(slot)
            if self.spec.clock is not None:     # a class that has no `timer` any more clears those that are due
                self._queue(first + k)

    def call(self, batch: pa.RecordBatch, slots: Sequence[int], times: Sequence[int] = (), alone: bool = False
             ) -> tuple[Result, Changes]:
        """Calls the function with each row. ``slots``: of each row, where its key is. ``times``: of each row, where timers go by
        event time, in microseconds since 1970. ``alone``: the time of a row is that of its own key, and not of the others.
        """
        lists, unreadable = readable(batch)
        good = [k for k in range(batch.num_rows) if k not in unreadable] if unreadable else range(batch.num_rows)
        rows: Iterator[Any] = map(self._row, zip(*lists, strict=True)) if lists else iter([self._row(())] * len(good))
        made = _Made()
        self._called = times, alone, made
        found = [slots[k] for k in good] if unreadable else slots
        todo = zip(good, found, rows, strict=True)
        if self._gathered is None:
            self._looped(todo, self._slots, self.user, made)
        else:
            self._gathered.call(todo, self._slots, times if self.timer is not None else (), made)
        if times and not alone and (self._gathered is not None or batch.num_rows - 1 in unreadable):
            self._fire(times[-1] - 1, batch.num_rows - 1, made)
        if unreadable or self._gathered is not None:        # a timer before its row
            made.errors.extend((k, why, None) for k, why in unreadable.items())
            made.errors.sort(key=lambda error: (error[0], error[2] is None))
        return self._result(made)

    def timers(self, until: int, most: int = ALL) -> tuple[Result, Changes]:
        """Calls the timers that are due until then, in microseconds since 1970, in the order of their times; ``most`` of them.

        One that its own call sets again is called again, if it is due too. At the end of the input each is called once.
        """
        made = _Made()
        self._fire(until, 0, made, most)
        return self._result(made)

    def ends(self, slots: Iterable[int]) -> tuple[Result, Changes]:
        """Calls ``end`` for the keys in these slots, which then have no state."""
        made = _Made()
        for number in slots:
            slot = self._slots[number]
            try:
                self._one(slot, self._finish, None, made)
            except WRONG as error:
                made.errors.append((0, self._failed(slot, error), f"end of {slot.key!r:.100}"))
            slot.values = self._nothing
            slot.state = self._state()
            made.changed[number] = slot
        return self._result(made)

    def _finish(self, key: Any, _what: None, state: Any) -> Any:
        return self.end(key, state) if self.end is not None else None

    def kept(self) -> list[int]:
        """The slots whose keys have a state."""
        return [number for number, slot in enumerate(self._slots)
                if not all(column.is_none(value) for column, value in zip(self._kept, slot.values, strict=True))]

    def states(self, slots: Iterable[int]) -> pa.RecordBatch:
        """What is in these slots, as it is kept."""
        return _batch(self._kept, list(zip(*(self._slots[number].values for number in slots), strict=True)), self.spec.state)

    def _result(self, made: _Made) -> tuple[Result, Changes]:
        timed = any(record is not None for _, _, record in made.errors)
        answers = [made.answers] if self._is_one else list(zip(*made.answers, strict=True))
        return (Result(_batch(self._outputs, answers, self.spec.outputs), [(k, why) for k, why, _ in made.errors],
                       [record for _, _, record in made.errors] if timed else ()),
                Changes(list(made.changed), self.states(made.changed)))

    def _fire(self, until: int, row: int, made: _Made, most: int = ALL) -> None:
        """Calls the timers that are due until then, before a row."""
        while most > 0 and self._due and self._due[0][0] <= until:
            time, _, number, slot = heapq.heappop(self._due)
            if number >= len(self._slots) or self._slots[number] is not slot:
                continue        # it has been forgotten
            when = slot.values[-1]
            slot.queued = END if slot.queued == time else slot.queued
            if when is not None and micros(when) == time:
                self._call_timer(number, when, until, row, made)
                most -= 1
            self._queue(number)

    def _fire_one(self, number: int, until: int, row: int, made: _Made) -> None:
        """Calls the timer of a slot as long as it is due until then."""
        while (when := self._slots[number].values[-1]) is not None and micros(when) <= until:
            self._call_timer(number, when, until, row, made)
        self._queue(number)

    def _call_timer(self, number: int, when: datetime, until: int, row: int, made: _Made) -> None:
        slot = self._slots[number]
        slot.values = (*slot.values[:-1], None)
        slot.state.clear_timer()
        try:
            if self._one(slot, self._ring, when, made) and until == END and slot.values[-1] is not None:
                self.never_called += 1
                slot.values = (*slot.values[:-1], None)
                slot.state.clear_timer()
        except WRONG as error:
            made.errors.append((row, self._failed(slot, error), f"timer of {slot.key!r:.100} at {when.isoformat()}"))
        made.changed[number] = slot

    def _ring(self, key: Any, when: datetime, state: Any) -> Any:
        returned = self.timer(key, when, state) if self.timer is not None else None
        if isinstance(returned, Iterator):
            returned = list(returned)       # a generator has set nothing before it has run
        if state.timer is not None and state.timer <= when:
            raise ValueError(f"`timer` has set the next one to {state.timer.isoformat()}, which is not after its own")
        if self.spec.adds and returned is not None:
            raise ValueError(f"`timer` returned {returned!r:.100}: with `adds` there is no row for that; say `schema`")
        return NOTHING if returned is None else returned

    def _queue(self, number: int) -> None:
        """The timer of a slot may have been set. One that moves on is looked at when its old time comes."""
        slot = self._slots[number]
        when = slot.values[-1]
        if when is None or (time := micros(when)) >= slot.queued:
            return
        slot.queued = time
        heapq.heappush(self._due, (time, next(self._count), number, slot))
        if len(self._due) > 2 * len(self._slots) + FEW:
            self._due = [each for each in self._due if each[2] < len(self._slots) and each[3] is self._slots[each[2]]
                         and each[0] == each[3].queued]
            heapq.heapify(self._due)

    def _fire_before(self, row: int, number: int) -> None:
        """Calls what is due before a row whose key is in that slot."""
        times, alone, made = self._called
        if not times:
            return
        if alone:
            self._fire_one(number, times[row] - 1, row, made)
        else:
            self._fire(times[row] - 1, row, made)

    def _one(self, slot: _Slot, user: Callable[..., Any], what: Any, made: _Made) -> bool:
        """Calls a timer with its time, or ``end``. What it returns is added to the answers.

        Returns whether the state has changed. If it raises, nothing has, but for the slot's ``state``.
        """
        if slot.unreadable is not None:
            self._refuse_key(slot)
        self._give(slot)
        return self._taken_slowly(slot, user(slot.key, what, slot.state), made)

    def _refuse_key(self, slot: _Slot) -> None:
        raise ValueRefusedError(f"its key: {slot.unreadable}")

    def _give(self, slot: _Slot) -> None:
        """Makes values of the state that are nested anew."""
        for k, name, column in self._nested:
            setattr(slot.state, name, column.given(slot.values[k]))

    def _taken_slowly(self, slot: _Slot, returned: Any, made: _Made) -> bool:
        """Takes what a call has returned, and what it has left of the state. Returns whether that has changed."""
        before = slot.values
        answers = self._answers(returned)
        if self._settled(slot) is None:
            slot.values = self._taken(before, tuple(getattr(slot.state, name) for name in self._names))
            self._put(slot)
        made.answers.extend(answers)
        return slot.values is not before

    def _answers(self, returned: Any) -> list[Any]:
        """The rows that a call returned, as they are kept. A generator has run before one of them is looked at."""
        if returned is NOTHING or (returned is None and not self.spec.adds):
            return []
        if isinstance(returned, (list, Iterator)) and (self._gathered is not None or not self.spec.adds):
            return [self._answer(value) for value in list(returned)]
        return [self._answer(returned)]

    def _put(self, slot: _Slot) -> None:
        """Sets the state's attributes to the values that are kept, but for those that are nested."""
        for name, column, value in zip(self._names, self._kept, slot.values, strict=True):
            if not column.nested:
                setattr(slot.state, name, value)

    def _failed(self, slot: _Slot, error: BaseException) -> str:
        """What is said of it; the state is as it was before the call."""
        self._put(slot)
        if isinstance(error, AttributeError):
            explained(error, self._state, [name for name in self._names if not name.startswith("_")])
        return described(error)

    def _taken(self, before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is kept of a state that a call has left; the same tuple if nothing has changed."""
        try:
            taken = tuple(old if new is old else column.taken(new)
                          for column, old, new in zip(self._kept, before, after, strict=True))
        except ValueRefusedError as error:
            raise ValueRefusedError(f"state: {error}") from error
        same = all(old is new or (column.nested and old.equals(new))
                   for column, old, new in zip(self._kept, before, taken, strict=True))
        return before if same else taken

    def _answer(self, value: Any) -> Any:
        """The values of a row, as they are kept; the value itself where there is one column."""
        if self._is_one:
            return value if self._fit(value) else self._outputs[0].taken(alone(value, self.spec.outputs.field(0)))
        try:
            values = row_of(value, self.spec.outputs.names)
        except ValueRefusedError as error:
            raise ValueRefusedError(f"`{self.spec.function}` returned {value!r:.100}: {error}") from error
        if self._fit(*values):
            return tuple(values)        # a list is the function's own, which may change it later
        return [column.taken(each) for column, each in zip(self._outputs, values, strict=True)]


def _batch(columns: Sequence[Column], lists: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Of a list for each column; no list is no row."""
    arrays = [column.array(kept) for column, kept in zip(columns, lists or [()] * len(columns), strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def serve(connection: Connection, spec: Spec, found: Any, row: Row) -> int:
    """Answers batches until the engine closes its side."""
    function = Keyed.of(spec, found)
    row.opened(function, [] if function.end is None else ["end"])
    keys: pa.RecordBatch | None = None
    slots: list[int] = []
    times: list[int] = []
    while (frame := row.receive()) is not None:
        if frame.kind == Kind.KEYS:
            keys = pa.ipc.read_record_batch(frame.payload, spec.keys)
        elif frame.kind == Kind.STATES:
            function.learn(frame.number, keys, pa.ipc.read_record_batch(frame.payload, spec.state))
        elif frame.kind == Kind.SLOTS:
            slots = memoryview(frame.payload).cast("B").cast("i").tolist()
        elif frame.kind == Kind.TIMES:
            times = memoryview(frame.payload).cast("B").cast("q").tolist()
        elif frame.kind == Kind.TIMERS:
            result, changes = function.timers(*TIMERS.unpack(frame.payload))
            row.answer(frame.number, result, partial(_send, connection, frame.number, changes))
        elif frame.kind == Kind.ENDS:
            result, changes = function.ends(slots)
            row.answer(frame.number, result, partial(_send, connection, frame.number, changes))
        else:
            result, changes = function.call(row.read(function, frame.payload), slots, times)
            row.answer(frame.number, result, partial(_send, connection, frame.number, changes))
    function.close()
    row.close()
    return 0


def _send(connection: Connection, number: int, changes: Changes) -> None:
    """In parts if they are many."""
    count = len(changes.slots)
    size = changes.states.nbytes
    step = count if size <= PART_BYTES else max(1, count * PART_BYTES // size)
    for at in range(0, count, step or 1):
        slots = changes.slots[at:at + step]
        head = array("i", [len(slots), *slots]).tobytes()
        connection.send(Kind.CHANGES, number, head + changes.states.slice(at, step).serialize().to_pybytes())
