"""Calls a function as the engine does, in the process of a test: with its types, its columns and what is a bad record.

>>> from despina.functions.testing import call
>>> call(lambda celsius: celsius * 9 / 5 + 32, [{"celsius": 20.0}], adds="fahrenheit DOUBLE").rows
[{'celsius': 20.0, 'fahrenheit': 68.0}]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from despina.errors import RefusedError
from despina.functions import Function, ddl, of_graph
from despina.testing.file import meant
from despina.values import caller

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
TIMER = "$timer"
"""As the engine calls the column of a state that has the key's timer."""
FIELDS = {"takes": "row", "columns": [], "pure": True, "in_flight": 64, "options": {}}
"""Of the operator, those that say how its function is called, with their defaults."""


class Called(NamedTuple):
    """What leaves the operator: its rows, and the rows that are bad records, each by its number with the reason."""

    rows: list[Row]
    errors: list[tuple[int, str]]


def call(function: Function | Callable[..., Any], rows: Sequence[Mapping[str, Any]], inputs: str | None = None, *,
         batch_rows: int | None = None, **fields: Any) -> Called:
    """What an operator with that function makes of rows.

    :param function: decorated by ``despina.function``, or a plain function or class with ``adds`` or ``schema`` beside it
    :param inputs: the columns of the rows, as Spark DDL; as pyarrow infers them if not given
    :param batch_rows: how many rows it gets at a time; if not given ``fixed_rows``, or all of them
    :param fields: of the operator, in place of the decorator's: ``adds``, ``schema``, ``takes``, ``columns`` and so on.
        Those that say nothing of the call itself, as ``on_error``, change nothing. With ``state``, ``group_by`` has columns.
        With ``clock="event"``, ``event_time`` is the column by which rows go; timers that are set are called at the end, as
        ``end`` is
    :raise RefusedError: the function cannot be called with such rows
    """
    from despina_worker import errors, functions

    user = function.despina_function if isinstance(function, Function) else function
    said = of_graph({**(function.fields if isinstance(function, Function) else {}), **fields})
    if ("adds" in said) == ("schema" in said):
        raise RefusedError("function", "a function has either `adds` or `schema`", 'for example adds="score DOUBLE"', caller())
    table = _table(rows, None if inputs is None else ddl.schema(inputs))
    name = f"{user.__module__}:{user.__qualname__}"
    outputs = ddl.schema(said["adds"] if "adds" in said else said["schema"])
    spec = functions.Spec(name, adds="adds" in said, inputs=table.schema, outputs=outputs,
                          **{field: said.get(field, default) for field, default in FIELDS.items()})
    found = Called([], [])
    try:
        made = _Kept(spec, user, said) if "state" in said else functions.Function.of(spec, user)
    except errors.RefusedError as error:
        raise RefusedError("function", str(error), place=caller()) from error
    at = 0
    if isinstance(made, _Kept):
        table = made.sorted(table)
    for batch in table.combine_chunks().to_batches(batch_rows or said.get("fixed_rows")):
        _add(found, at, batch, made)
        at += batch.num_rows
    if isinstance(made, _Kept):
        made.end(found)
    made.close()
    return found


class _Kept:
    """A function that keeps state, whose slots are never emptied."""

    def __init__(self, spec: Any, user: Any, said: Mapping[str, Any]) -> None:
        import pyarrow as pa

        from despina_worker.keyed import Keyed

        self._by = said.get("group_by", [])
        for name in self._by:
            if name not in spec.inputs.names:
                raise RefusedError("unknown_column", f"`group_by` has `{name}`, which is no column of the rows",
                                   meant(name, spec.inputs.names) or "expressions need an engine: test the graph", caller())
        if not self._by:
            raise RefusedError("exclusive", "`state` without `group_by`: it is kept by key",
                               'say which columns are its key: group_by=["device"]', caller())
        clock = said.get("clock")
        self._time = said.get("event_time") if clock == "event" else None
        if clock == "event" and self._time not in spec.inputs.names:
            raise RefusedError("event_time", "event order needs the event time of the rows",
                               'say which column has it: event_time="ts"', caller())
        state = ddl.schema("`$pickled` BINARY" if said["state"] == "pickle" else said["state"])
        if clock is not None:
            state = state.append(ddl.schema(f"`{TIMER}` TIMESTAMP").field(0))
        self.spec = replace(spec, keys=pa.schema([spec.inputs.field(name) for name in self._by]), state=state, clock=clock)
        self._made = Keyed.of(self.spec, user)
        self.columns = spec.inputs.names
        self._slots: dict[str, int] = {}

    def call(self, batch: pa.RecordBatch) -> Any:
        import pyarrow as pa

        keys = batch.select(self._by)
        first = len(self._slots)
        texts = [repr(each) for each in keys.to_pylist()]
        new = [k for k, text in enumerate(texts) if self._slots.setdefault(text, len(self._slots)) >= first
               and texts.index(text) == k]
        states = pa.RecordBatch.from_pylist([{}] * len(new), self.spec.state)
        self._made.learn(first, keys.take(pa.array(new, pa.int64())), states)
        times = [] if self._time is None else batch.column(self._time).cast(pa.int64()).to_pylist()
        return self._made.call(batch.select(self._made.columns), [self._slots[text] for text in texts], times)[0]

    def sorted(self, table: pa.Table) -> pa.Table:
        """Rows in the order in which they come."""
        return table if self._time is None else table.sort_by(self._time)

    def end(self, found: Called) -> None:
        """Calls the timers that are set, and ``end`` of each key that has a state."""
        from despina_worker.keyed import END

        if self.spec.clock is not None:
            self._add(found, self._made.timers(END)[0])
        if self._made.end is not None:
            self._add(found, self._made.ends(self._made.kept())[0])

    @staticmethod
    def _add(found: Called, result: Any) -> None:
        found.errors.extend(result.errors)
        found.rows.extend(result.batch.to_pylist())

    def close(self) -> None:
        self._made.close()


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema | None) -> pa.Table:
    import pyarrow as pa

    if schema is not None and (strange := [name for row in rows for name in row if name not in schema.names]):
        raise RefusedError("unknown_column", f"`inputs` has no column `{strange[0]}`", meant(strange[0], schema.names),
                           caller())
    return pa.Table.from_pylist([dict(row) for row in rows], schema)


def _add(found: Called, first: int, batch: pa.RecordBatch, made: Any) -> None:
    result = made.call(batch.select(made.columns))
    found.errors.extend((first + k, why) for k, why in result.errors)
    returned = result.batch.to_pylist()
    if made.spec.adds:
        bad = {row for k, (row, _) in enumerate(result.errors) if not result.records or result.records[k] is None}
        good = [row for k, row in enumerate(batch.to_pylist()) if k not in bad]
        returned = [{**row, **more} for row, more in zip(good, returned, strict=True)]
    found.rows.extend(returned)
