"""What is called with every row of a function that keeps state: it is compiled for the columns of that function.

What it does name by name, or by a call for each column, took most of the time of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from keyword import iskeyword
from typing import Any

from despina_worker.errors import WRONG
from despina_worker.objects import SCOPE, Column

Loop = Callable[[Iterable[tuple[int, int, Any]], Sequence[Any], Callable[..., Any], Any], None]


def fitting(columns: Sequence[Column]) -> Callable[..., bool]:
    """A function of a value for each column: whether all are kept as they are. Of some that are, it says that they are not."""
    names = [f"v{k}" for k in range(len(columns))]
    made: Callable[..., bool] = eval(f"lambda {', '.join(names)}: {_tests(columns, names)}", dict(SCOPE))
    return made


def settling(names: Sequence[str], kept: Sequence[Column]) -> Callable[[Any], tuple[Any, ...] | None]:
    """A function of a slot: takes what a call has left of its state.

    It gives the slot's ``values`` as they are now, the same tuple if none has changed. None, and nothing is taken, if a value
    may not fit.

    :param names: attributes of the slot's ``state``
    :param kept: their columns
    """
    after = _after(names)
    lines = ["def settled(slot):",
             "    state = slot.state",
             *_reads(names, "    "),
             f"    if not ({_tests(kept, after)}):",
             "        return None",
             "    before = slot.values",
             f"    if {' and '.join(f'{value} is before[{k}]' for k, value in enumerate(after))}:",
             "        return before",
             f"    slot.values = {_tuple(after)}",
             "    return slot.values"]
    made: Callable[[Any], tuple[Any, ...] | None] = _made("settled", lines, _scope(names))
    return made


def looping(names: Sequence[str], kept: Sequence[Column], answers: Sequence[Column], adds: bool,
            hooks: Mapping[str, Callable[..., Any]]) -> Loop:
    """A function that calls the user's with rows: of each its number, its slot and itself, then all slots, and what is made.

    A row that is refused, in whatever way, leaves the values of its slot as they are, and is among the errors.

    :param answers: the columns of what a call returns
    :param adds: whether each call returns one row; else none, one or many
    :param hooks: ``slow`` of slot, what was returned and what is made: what is done where a value may not fit, and whether the
        state has changed; ``failed`` of slot and error, ``unreadable`` of a slot. If they are wanted, ``given`` of a slot, before
        the call; of number and slot ``fire`` before that, and ``queue`` of the slot behind a change
    """
    after = _after(names)
    returned = ["returned"] if len(answers) == 1 else [f"returned[{k}]" for k in range(len(answers))]
    fits = _tests(answers, returned)
    if len(answers) > 1:
        fits = f"type(returned) is tuple and len(returned) == {len(answers)} and {fits}"
    answer = "answers.append(returned)" if adds else "returned is None or answers.append(returned)"
    lines = ["def looped(todo, known, user, made):",
             "    answers, changed = made.answers, made.changed",
             "    for number, at, row in todo:",
             *(["        fire(number, at)"] if "fire" in hooks else []),
             "        slot = known[at]",
             "        try:",
             "            if slot.unreadable is not None:",
             "                unreadable(slot)",
             *(["            given(slot)"] if "given" in hooks else []),
             "            state = slot.state",
             "            returned = user(slot.key, row, state)",
             *_reads(names, "            "),
             f"            if ({fits if adds else f'({fits} or returned is None)'}) and {_tests(kept, after)}:",
             f"                {_tuple([f'b{k}' for k in range(len(after))])} = slot.values",
             f"                {answer}",
             f"                if {' and '.join(f'{value} is b{k}' for k, value in enumerate(after))}:",
             "                    continue",
             f"                slot.values = {_tuple(after)}",
             "            elif not slow(slot, returned, made):",
             "                continue",
             "            changed[at] = slot",
             *(["            queue(at)"] if "queue" in hooks else []),
             "        except wrong as error:",
             "            made.errors.append((number, failed(slot, error), None))"]
    made: Loop = _made("looped", lines, {**_scope(names), **hooks, "wrong": WRONG})
    return made


def _made(name: str, lines: Sequence[str], scope: dict[str, Any]) -> Any:
    exec(compile("\n".join(lines), __name__, "exec"), scope)      # its frames are told as the worker's, and so not at all
    return scope[name]


def _after(names: Sequence[str]) -> list[str]:
    """What the code calls the values that a call has left."""
    return [f"v{k}" for k in range(len(names))]


def _tuple(values: Sequence[str]) -> str:
    return f"({', '.join(values)},)"


def _scope(names: Sequence[str]) -> dict[str, Any]:
    def whole(state: Any) -> None:
        for name in names:
            if not hasattr(state, name):
                setattr(state, name, None)
    return {**SCOPE, "whole": whole}


def _reads(names: Sequence[str], margin: str) -> list[str]:
    """Code that takes the values of a state. What was deleted is None."""
    reads = [f"{margin}    {value} = {_attribute(name)}" for value, name in zip(_after(names), names, strict=True)]
    return [f"{margin}try:", *reads, f"{margin}except AttributeError:", f"{margin}    whole(state)", *reads]


def _attribute(name: str) -> str:
    """Of the state, in Python's text. Names may be keywords, and those with letters of others would be changed there."""
    return f"state.{name}" if name.isascii() and name.isidentifier() and not iskeyword(name) else f"getattr(state, {name!r})"


def _tests(columns: Sequence[Column], values: Sequence[str]) -> str:
    return " and ".join(column.test(value) for column, value in zip(columns, values, strict=True))
