"""A user's function as the worker calls it: of rows, or of batches in one of four forms."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat, starmap
from typing import Any, NamedTuple

import pyarrow as pa

from despina_worker import forms
from despina_worker.context import Context, Counters
from despina_worker.errors import WRONG, RefusedError, ValueRefusedError, WrongCountError, described
from despina_worker.values import Columns, alone, copying, copying_rows, row_of, to_list, to_values
from despina_worker.waiting import Raised, all_of, is_async, waited

PART_BYTES = 1 << 20
"""An answer larger than this goes in parts."""


@dataclass(frozen=True)
class Spec:
    """What the engine says of the function.

    ``takes``: ``row``, ``arrow``, ``numpy``, ``pandas`` or ``polars``. ``adds``: its values are more columns of the same rows;
    else rows of their own. ``columns``: those that it gets, empty for what its parameters name, or all. ``pure``: it may be
    called again with the same rows. ``in_flight``: how many calls of an ``async def`` with rows wait at once. ``options``: texts
    for a class. ``place``: ``operator``, ``instance`` and ``instances``, for its context. ``keys``, ``state``: of a function
    that keeps state. ``clock``: what its keys go by, if not by arrival; the last column of ``state`` is the timer then, of a
    class that has one. ``allowed``: what may run here, as ``permission.check`` takes it. ``counters``: what it counts for itself.
    """

    function: str
    takes: str
    adds: bool
    columns: list[str]
    pure: bool
    in_flight: int
    options: dict[str, str]
    inputs: pa.Schema
    outputs: pa.Schema
    place: Mapping[str, Any] = field(default_factory=dict)
    keys: pa.Schema | None = None
    state: pa.Schema | None = None
    clock: str | None = None
    allowed: Sequence[str] | None = None
    counters: Counters = field(default_factory=Counters, compare=False)


class Result(NamedTuple):
    """The rows of a batch's answer, and the rows of the batch that gave none, each with the reason."""

    batch: pa.RecordBatch
    errors: list[tuple[int, str]]
    records: Sequence[str | None] = ()
    """What each of the errors is of; None for a row of the batch. None of them has any where this is empty."""


def instance(spec: Spec, made: type) -> Any:
    """An object of the user's class, open: its ``process`` is called with rows or batches.

    :raise RefusedError: it has none, or cannot be opened
    """
    if not callable(getattr(made, "process", None)):
        raise RefusedError(f"class `{spec.function}` has no `process`")
    return opened(spec, made)


def opened(spec: Spec, made: type) -> Any:
    """An object of the user's class, whose ``open`` has been called if it has one.

    :raise RefusedError: it cannot be opened
    """
    try:
        user = made()
        if hasattr(user, "open"):
            waited(user.open)(Context.of(spec.options, spec.place, spec.counters))
    except WRONG as error:
        raise RefusedError(f"class `{spec.function}` cannot be opened: {described(error)}") from error
    return user


class Calls(NamedTuple):
    """What is called with rows, when no more come, for a timer and for a key at the end: all but the first if there is that."""

    process: Callable[..., Any]
    close: Callable[[], Any] | None = None
    timer: Callable[..., Any] | None = None
    end: Callable[..., Any] | None = None

    @classmethod
    def of(cls, spec: Spec, found: Any) -> Calls:
        """``found``: what ``spec.function`` names."""
        if not isinstance(found, type):
            return cls(found)
        user = instance(spec, found)
        return cls(user.process, waited(getattr(user, "close", None)), getattr(user, "timer", None), getattr(user, "end", None))


def named_columns(spec: Spec, wanted: Sequence[str]) -> list[str]:
    """Those columns, as the schema writes them."""
    known = {name.lower(): name for name in spec.inputs.names}
    for name in wanted:
        if name.lower() not in known:
            raise RefusedError(f"`{spec.function}` wants `{name}`, which is no column of its input: "
                               f"{', '.join(spec.inputs.names)}")
    return [known[name.lower()] for name in wanted]


@dataclass
class Function:
    """One function, ready to be called. ``columns`` are those that it reads, ``input_schema`` is theirs."""

    spec: Spec
    user: Callable[..., Any]
    closing: Callable[[], Any] | None = None
    columns: list[str] = field(init=False)
    input_schema: pa.Schema = field(init=False)

    def __post_init__(self) -> None:
        self.columns = self._columns()
        self.input_schema = pa.schema([self.spec.inputs.field(name) for name in self.columns])
        form = forms.FORMS.get(self.spec.takes)
        self._taken = taking(self.spec)
        self._answer = _Answer(self.spec)
        self._waits = is_async(self.user)
        self.call = self._rows if form is None else _Batches(self.spec, waited(self.user), form()).call

    call: Callable[[pa.RecordBatch], Result] = field(init=False)

    @classmethod
    def of(cls, spec: Spec, found: Any) -> Function:
        """``found``: what ``spec.function`` names."""
        called = Calls.of(spec, found)
        return cls(spec, called.process, called.close)

    def close(self) -> None:
        """There are no more rows."""
        if self.closing is not None:
            self.closing()

    def _columns(self) -> list[str]:
        """As the schema writes them."""
        by_name = self.spec.takes in ("row", "numpy")
        return named_columns(self.spec, self.spec.columns or (self._parameters() if by_name else self.spec.inputs.names))

    def _parameters(self) -> list[str]:
        """Those without a default, and those with one that name a column."""
        names = []
        known = {name.lower() for name in self.spec.inputs.names}
        method = getattr(self.user, "__func__", None)       # of a class, with the object as its first parameter
        first = next(iter(inspect.signature(method).parameters), "") if method is not None else ""
        if first.lower() in known - {"self", "cls"}:
            raise RefusedError(f"`{self.user.__name__}` of `{self.spec.function}` has `{first}` in the place of `self`")
        for each in inspect.signature(self.user).parameters.values():
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.KEYWORD_ONLY):
                raise RefusedError(f"`{self.spec.function}` has the parameter `{each}`: its parameters name its columns, or "
                                   "`columns` does")
            if each.default is each.empty or each.name.lower() in known:
                names.append(each.name)
        return names

    def _rows(self, batch: pa.RecordBatch) -> Result:
        lists, unreadable = readable(batch)
        returned: list[Any] = []
        errors = dict(unreadable)
        good = [k for k in range(batch.num_rows) if k not in unreadable] if unreadable else range(batch.num_rows)
        if self._waits:
            return self._waiting(list(zip(*lists, strict=True)) if lists else [()] * len(good), good, errors)
        calls = map(self.user, *lists) if lists else starmap(self.user, repeat((), len(good)))
        if self._taken is not None:
            calls = map(self._taken, calls)
        failed: list[int] = []
        while len(returned) + len(failed) < len(good):
            try:
                returned.extend(calls)
                if len(returned) + len(failed) < len(good):     # the end of `calls` is not the end of the rows
                    raise RuntimeError("it raised StopIteration")
            except WRONG as error:
                at = len(returned) + len(failed)
                failed.append(at)
                errors[good[at]] = described(error)
        gone = set(failed)
        origins = [row for k, row in enumerate(good) if k not in gone] if failed else good
        return self._answer.of_rows(returned, origins, errors)

    def _waiting(self, rows: list[tuple[Any, ...]], numbers: Sequence[int], errors: dict[int, str]) -> Result:
        """Calls an ``async def``, many at once. ``numbers``: of each row, its place in the batch."""
        found = all_of(self.user, rows, self.spec.in_flight, self._taken)
        errors |= {number: described(one.error) for number, one in zip(numbers, found, strict=True) if isinstance(one, Raised)}
        good = [k for k, one in enumerate(found) if not isinstance(one, Raised)]
        return self._answer.of_rows([found[k] for k in good], [numbers[k] for k in good], errors)


def taking(spec: Spec) -> Callable[[Any], Any] | None:
    """What makes of that which a call returned something that later calls cannot change; None where nothing could be changed.

    A row would depend on where a batch ends if the function had a list of its own in it. What a call yields is gone through.
    """
    fields = [(each.name, each.type) for each in spec.outputs]
    copied = copying(fields[0][1]) if len(fields) == 1 else copying_rows(fields) if fields else None
    if spec.adds or not fields:
        return copied

    def taken(returned: Any) -> Any:
        if isinstance(returned, (list, Iterator)):
            return list(returned) if copied is None else [copied(each) for each in returned]
        return returned if returned is None or copied is None else copied(returned)
    return taken


def selected(batch: pa.RecordBatch, function: Any) -> pa.RecordBatch:
    """The columns that the function reads, by its ``columns`` and ``input_schema``; without any it has its rows all the same."""
    if not function.columns:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
    return batch.select(function.columns).cast(function.input_schema)


def readable(batch: pa.RecordBatch) -> tuple[list[Sequence[Any]], dict[int, str]]:
    """The values of each column without the rows that Python cannot hold, and these, each with the reason."""
    try:
        return [to_values(column) for column in batch.columns], {}
    except (OverflowError, ValueError):
        bad: dict[int, str] = {}
        for k in range(batch.num_rows):
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                try:
                    to_list(column.slice(k, 1))
                except (OverflowError, ValueError) as error:
                    bad.setdefault(k, f"column `{name}` has a value that Python cannot hold: {error}")
        kept = batch.take(pa.array([k for k in range(batch.num_rows) if k not in bad], pa.int64()))
        return [to_values(column) for column in kept.columns], bad


class _Answer:
    """Makes the columns of an answer from what calls returned."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._names = spec.outputs.names
        self._columns = Columns(list(spec.outputs))

    def of_rows(self, returned: list[Any], origins: Sequence[int], errors: dict[int, str]) -> Result:
        """``origins``: of each value, its row."""
        values, rows = (returned, origins) if self._spec.adds else self._all_rows(returned, origins)
        if len(self._names) == 1:
            lists: list[Sequence[Any]] = [values]
        else:
            values, rows, lists = self._split(values, rows, errors)
        arrays, bad = self._columns.arrays(lists)
        if bad and len(self._names) == 1:
            lists = [[alone(value, self._spec.outputs.field(0)) for value in values]]
            arrays, bad = self._columns.arrays(lists)
        for k, why in bad.items():
            errors.setdefault(rows[k], why)
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._spec.outputs)
        return Result(batch, sorted(errors.items()))

    def _all_rows(self, returned: list[Any], origins: Sequence[int]) -> tuple[list[Any], list[int]]:
        """None, one or many for each call: None, a value, or a list of them."""
        values: list[Any] = []
        rows: list[int] = []
        for value, row in zip(returned, origins, strict=True):
            if isinstance(value, list):
                values.extend(value)
                rows.extend([row] * len(value))
            elif value is not None:
                values.append(value)
                rows.append(row)
        return values, rows

    def _split(self, values: list[Any], rows: Sequence[int], errors: dict[int, str]
               ) -> tuple[list[Any], Sequence[int], list[Sequence[Any]]]:
        if set(map(type, values)) == {tuple} and set(map(len, values)) == {len(self._names)}:
            return values, rows, list(zip(*values, strict=True))
        good, kept = [], []
        for value, row in zip(values, rows, strict=True):
            try:
                good.append(row_of(value, self._names))
                kept.append(row)
            except ValueRefusedError as error:
                errors[row] = f"`{self._spec.function}` returned {value!r:.100}: {error}"
        return good, kept, list(zip(*good, strict=True)) if good else [[] for _ in self._names]


class _Batches:
    """Calls a function of batches. Where it fails, the batch is halved until the row is found."""

    def __init__(self, spec: Spec, user: Callable[..., Any], form: forms.Form) -> None:
        self._spec = spec
        self._user = user
        self._form = form

    def call(self, batch: pa.RecordBatch) -> Result:
        parts: list[pa.RecordBatch] = []
        errors: list[tuple[int, str]] = []
        self._take(batch, 0, parts, errors)
        whole = pa.Table.from_batches(parts, self._spec.outputs).combine_chunks().to_batches()
        empty = pa.RecordBatch.from_pylist([], self._spec.outputs)
        return Result(whole[0] if whole else empty, errors)

    def _take(self, batch: pa.RecordBatch, first: int, parts: list[pa.RecordBatch], errors: list[tuple[int, str]]) -> None:
        rows = batch.num_rows
        try:
            parts.extend(self._called(batch))
        except WRONG as error:
            if rows == 1 or not self._spec.pure or isinstance(error, WrongCountError):
                errors.extend((first + k, described(error)) for k in range(rows))
                return
            half = rows // 2
            self._take(batch.slice(0, half), first, parts, errors)
            self._take(batch.slice(half), first + half, parts, errors)

    def _called(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        outputs = self._spec.outputs
        returned = self._form.call(self._user, batch)
        if not self._spec.adds and isinstance(returned, Iterator):
            return [made for each in returned for made in self._form.batches(each, outputs)]
        made = self._form.batches(returned, outputs)
        rows = sum(each.num_rows for each in made)
        if self._spec.adds and rows != batch.num_rows:
            raise WrongCountError(f"`{self._spec.function}` returned {rows} rows for {batch.num_rows}: with `adds` it returns "
                                    "one for each")
        return made
