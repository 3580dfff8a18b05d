"""What a function that keeps state gets: rows and keys with names, and its state as an object; and how values are kept."""

from __future__ import annotations

import difflib
import pickle
from collections import namedtuple
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa

from despina_worker.errors import ValueRefusedError
from despina_worker.restored import loading
from despina_worker.values import checked, to_list, unfit

PICKLED = "$pickled"
"""As the engine calls the one column of a state with any attributes."""
PROTOCOL = 5
TIMERS = ("set_timer", "clear_timer", "timer")
types = pa.types


def near(name: str, names: Sequence[str]) -> str:
    """A hint at the end of a message, if one of the names could have been meant."""
    close = difflib.get_close_matches(name, names, 1)
    return f": did you mean `{close[0]}`?" if close else f"; there is {', '.join(names)}" if names else ""


def row_type(names: Sequence[str]) -> type:
    """Tuples with names, made of one tuple each: ``row.celsius``, or ``row["a name with blanks"]``."""
    ordinals = {name: k for k, name in enumerate(names)}
    named = namedtuple("Row", names, rename=True)       # type: ignore[misc]

    def item(row: Any, at: Any) -> Any:
        if isinstance(at, str):
            if at not in ordinals:
                raise AttributeError(f"there is no column `{at}`{near(at, names)}")
            at = ordinals[at]
        return tuple.__getitem__(row, at)

    # not of `named` itself, whose `__new__` takes 50 ns more; nor has it `__getattr__`, by which an attribute would take as much
    members = {name: what for name, what in vars(named).items() if name not in ("__new__", "__getnewargs__")}
    members["__getitem__"] = item
    if named._fields != tuple(names):
        members["__getattr__"] = item
    return type("Row", (tuple,), members)


def state_type(names: Sequence[str]) -> type:
    """An object with these attributes, None each until it is set.

    No ``__setattr__`` refuses the others, and no ``__getattr__``, since that would cost an assignment 0.3 µs, and 50 ns whatever
    is read: ``explained`` finds the name later. What is deleted is None from the next call on.
    """
    class State:
        __slots__ = tuple(names)

        def __init__(self) -> None:
            State.clear(self)

        def clear(self) -> None:
            """Forgets the state of this key: it is as if the key had never come."""
            for name in names:
                setattr(self, name, None)

        def __repr__(self) -> str:
            return f"State({', '.join(f'{name}={getattr(self, name, None)!r}' for name in names)})"
    return State


def explained(error: AttributeError, state: type, names: Sequence[str]) -> None:
    """Gives an error of Python our words, if it is of a name that a row or the state does not have.

    :param state: the type of the state, with these names
    """
    head = f"'{state.__name__}' object has no attribute '"
    name, of = error.name, error.obj
    if isinstance(of, tuple) and hasattr(of, "_fields"):
        error.args = (f"there is no column `{name}`{near(str(name), of._fields)}",)
    elif name is not None and isinstance(of, state):
        error.args = (_of_state(name, names),)
    elif str(error).startswith(head):       # assigned: Python says no more of it
        name = str(error)[len(head):].partition("'")[0]
        error.args = (_of_state(name, names),)
    else:
        return
    error.name = error.obj = None       # else Python adds a guess of its own


def _of_state(name: str, names: Sequence[str]) -> str:
    if name in names:
        return f"`{name}` of the state was deleted: it is None from the next call on"
    if name in TIMERS:
        return f"there is no `{name}`: `clock` of the operator says what tells its timers the time"
    return f"the state has no `{name}`{near(name, names)}"


def timed(state: type, rings: bool = True) -> type:
    """The same with a timer. ``rings``: whether the class has a ``timer`` that is called."""
    class Timed(state):     # type: ignore[misc]
        __slots__ = ("_timer",)

        def __init__(self) -> None:
            super().__init__()
            self._timer: datetime | None = None

        @property
        def timer(self) -> datetime | None:
            """When it is due; None if it is not set."""
            return self._timer

        @timer.setter
        def timer(self, when: Any) -> None:
            raise AttributeError("`state.set_timer(when)` sets the timer, `state.clear_timer()` clears it")

        def set_timer(self, when: datetime) -> None:
            """Has ``timer`` of the class called then, in place of what was set before."""
            if not rings:
                raise AttributeError("no timer can be set: the class has no `timer(key, when, state)`")
            if not isinstance(when, datetime) or when.utcoffset() is None:
                raise TypeError(f"a timer is set to a datetime with a zone, as a TIMESTAMP of a row is, and not to {when!r}")
            self._timer = when

        def clear_timer(self) -> None:
            """Nothing is called."""
            self._timer = None

        def clear(self) -> None:
            super().clear()
            self._timer = None
    return Timed


def is_nested(kind: pa.DataType) -> bool:
    """Whether its values in Python can be changed, so that they are kept as arrays of one value."""
    return bool(types.is_nested(kind))


class AnyState:
    """A state with attributes of any names, None each until it is set."""

    __slots__ = ("_objects",)

    def __init__(self) -> None:
        self._objects: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name in TIMERS:
            raise AttributeError(f"there is no `{name}`: `clock` of the operator says what tells its timers the time")
        if name.startswith("__"):
            raise AttributeError(name)
        return self._objects.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(type(self), name):
            object.__setattr__(self, name, value)
        else:
            self._objects[name] = value

    def __delattr__(self, name: str) -> None:
        self._objects.pop(name, None)

    def clear(self) -> None:
        """Forgets the state of this key: it is as if the key had never come."""
        self._objects = {}

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value!r}' for name, value in self._objects.items())})"


class Column:
    """One of an answer or of the state. What it takes fits, and is what it would be if it had been sent and come back."""

    def __init__(self, column: pa.Field) -> None:
        self._field = column
        self.nested = is_nested(column.type)
        """Whether what it keeps is no value of Python: ``given`` makes one each time."""
        self._plain = _test(column.type) != NEVER and not types.is_timestamp(column.type)

    def test(self, value: str) -> str:
        """An expression of Python, with ``value`` a name in it, that is true of most values that are kept as they are."""
        test = _test(self._field.type).format(value)
        return f"({test} or {value} is None)" if self._field.nullable and not self.nested else test

    def taken(self, value: Any) -> Any:
        """The value as it is kept; raises ``ValueRefusedError`` with column, type and value."""
        try:
            array = checked([value], self._field)
            return array if self.nested else to_list(array)[0]
        except Exception as error:
            why = unfit(value, self._field) or f"column `{self._field.name}`: {error}"
            raise ValueRefusedError(why) from error

    def given(self, kept: Any) -> Any:
        """A value as the function gets it."""
        return to_list(kept)[0] if self.nested else kept

    def learned(self, array: pa.Array) -> list[Any]:
        """Values that have come, as they are kept."""
        return [array.slice(k, 1) for k in range(len(array))] if self.nested else to_list(array)

    def is_none(self, kept: Any) -> bool:
        """Whether it is NULL."""
        return bool(kept.null_count) if self.nested else kept is None

    def array(self, kept: Sequence[Any]) -> pa.Array:
        """The column of these."""
        if self.nested and kept:
            return pa.concat_arrays(kept)
        return pa.array(kept, self._field.type) if self._plain else checked(kept, self._field)


class _Packed:
    """Attributes, pickled. ``live``: the same ones, which the next call gets, so that they need not be made anew."""

    __slots__ = ("code", "live")

    def __init__(self, code: bytes | None, live: dict[str, Any] | None) -> None:
        self.code = code
        self.live = live

    def equals(self, other: _Packed) -> bool:
        """Whether the other, which is as this one has become, is kept the same way."""
        if self.code != other.code:
            return False
        self.live = other.live
        return True


class Pickled(Column):
    """The one of a state with any attributes.

    :param allowed: what they may be made of, as ``restored.loading`` takes it
    """

    def __init__(self, column: pa.Field, allowed: Sequence[str] | None = None) -> None:
        super().__init__(column)
        self.nested = True
        self._load = loading(allowed)
        self._tries = allowed is not None
        """Whether what is kept is made of its code at once: else nobody would know that it may not be before it is needed."""

    def is_none(self, kept: Any) -> bool:
        """Whether there is no attribute."""
        return kept.code is None

    def test(self, value: str) -> str:
        """Nobody sees in the code whether they fit."""
        return NEVER

    def taken(self, value: Any) -> Any:
        """The attributes; without one, nothing is kept."""
        live = {name: each for name, each in value.items() if each is not None}
        if not live:
            return _Packed(None, None)
        try:
            code = pickle.dumps(live, PROTOCOL)
        except Exception as error:
            raise ValueRefusedError(f"it cannot be pickled: {type(error).__name__}: {error}") from error
        if self._tries:
            self._load(code)
        return _Packed(code, live)

    def given(self, kept: Any) -> Any:
        """Those of the call before, if they are as they were kept: if it failed, they are made from what was kept."""
        live, kept.live = kept.live, None
        return live if live is not None else {} if kept.code is None else self._load(kept.code)

    def learned(self, array: pa.Array) -> list[Any]:
        """As they have come."""
        return [_Packed(code, None) for code in array.to_pylist()]

    def array(self, kept: Sequence[Any]) -> pa.Array:
        """Their code."""
        return pa.array([each.code for each in kept], pa.binary())


SCOPE: dict[str, Any] = {"datetime": datetime, "utc": timezone.utc}
"""What tests name."""
NEVER = "False"
SMALL = 1 << 30
"""Integers below it are compared in a quarter of the time."""


def _test(kind: pa.DataType) -> str:
    """With ``{0}`` for the value."""
    if types.is_integer(kind):
        most = 1 << kind.bit_width - 1
        near_0 = f"{-SMALL} < {{0}} < {SMALL} or " if most > SMALL else ""
        return f"type({{0}}) is int and ({near_0}{-most} <= {{0}} < {most})"
    if types.is_float64(kind):
        return "type({0}) is float"
    if types.is_boolean(kind):
        return "type({0}) is bool"
    if types.is_string(kind):
        return "type({0}) is str and {0}.isascii()"
    if types.is_timestamp(kind) and kind.tz is not None:
        return "type({0}) is datetime and {0}.tzinfo is utc"
    return NEVER
