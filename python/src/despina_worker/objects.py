"""What a function that keeps state gets: rows and keys with names, and its state as an object; and how values are kept."""

from __future__ import annotations

import difflib
from collections import namedtuple
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa

from despina_worker.errors import ValueRefusedError
from despina_worker.values import checked, to_list, unfit

TIMERS = ("set_timer", "clear_timer", "timer")
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
            if name in TIMERS:
                raise AttributeError(f"there is no `{name}`: `clock` of the operator says what tells its timers the time")
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


def timed(state: type) -> type:
    """The same with a timer."""
    assign = object.__setattr__

    class Timed(state):     # type: ignore[misc]
        __slots__ = ("_timer",)

        @property
        def timer(self) -> datetime | None:
            """When it is due; None if it is not set."""
            return getattr(self, "_timer", None)

        def set_timer(self, when: datetime) -> None:
            """Has ``timer`` of the class called then, in place of what was set before."""
            if not isinstance(when, datetime) or when.utcoffset() is None:
                raise TypeError(f"a timer is set to a datetime with a zone, as a TIMESTAMP of a row is, and not to {when!r}")
            assign(self, "_timer", when)

        def clear_timer(self) -> None:
            """Nothing is called."""
            assign(self, "_timer", None)

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "timer":
                raise AttributeError("`state.set_timer(when)` sets the timer, `state.clear_timer()` clears it")
            if name == "_timer":
                assign(self, name, value)
            else:
                super().__setattr__(name, value)

        def clear(self) -> None:
            super().clear()
            self.clear_timer()
    return Timed


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
    if types.is_timestamp(kind) and kind.tz is not None:
        return lambda value: type(value) is datetime and value.tzinfo is timezone.utc
    return lambda value: False
