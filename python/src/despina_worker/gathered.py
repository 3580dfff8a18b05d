"""Functions that get all rows of a key in a batch at once: ``process(key, rows, state)``.

A timer of the key comes between two calls: ``rows`` ends where the timer is due, and the function goes on behind it with the
others. Where a call fails, or has set a timer that is due before its last row, its state is put back and it is done again with
fewer rows. So a function that sets its timer for each of its rows has those of ``process(key, row, state)``.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from despina_worker.errors import WRONG, WrongCountError

ROWS = "rows"
"""What the second parameter is called."""
Times = Sequence[int]


class EarlyTimerError(Exception):
    """A call has set a timer that is due before the last of its rows, in microseconds since 1970."""

    def __init__(self, time: int) -> None:
        super().__init__()
        self.time = time


def watched(state: type) -> type:
    """The same state, which keeps the least time that its timer was set to in a call."""
    class Watched(state):       # type: ignore[misc]
        __slots__ = ("_least",)

        def __init__(self) -> None:
            super().__init__()
            self._least: datetime | None = None

        def set_timer(self, when: datetime) -> None:
            """Has ``timer`` of the class called then, in place of what was set before."""
            super().set_timer(when)
            if self._least is None or when < self._least:
                self._least = when
    return Watched


def takes_rows(user: Callable[..., Any]) -> bool:
    """Whether the function names its second parameter ``rows``."""
    try:
        return [*inspect.signature(user).parameters][1:2] == [ROWS]
    except (TypeError, ValueError):
        return False        # of C, which says nothing of its parameters


class Hooks(NamedTuple):
    """What the one that has the slots does. ``called`` of a slot, rows and the time of the last: what the call gives, and
    whether it has changed the state; ``failed`` of a slot and an error: what is said of it; ``changed`` of the number of a slot
    and what is made; ``due`` of the number of a slot: the time of its timer; ``fire`` of that, a time, a row and what is made:
    calls its timer as long as it is due until then.
    """

    called: Callable[[Any, list[Any], int | None], tuple[list[Any], bool]]
    failed: Callable[[Any, BaseException], str]
    changed: Callable[[int, Any], None]
    due: Callable[[int], int]
    fire: Callable[[int, int, int, Any], None]


@dataclass(frozen=True)
class Gathered:
    """Calls a function with the rows of each key, the key first whose first row comes first.

    ``adds``: each row has an answer; ``pure``: it may be called again with the same rows.
    """

    adds: bool
    pure: bool
    hooks: Hooks

    def call(self, todo: Iterable[tuple[int, int, Any]], slots: Sequence[Any], times: Times, made: Any) -> None:
        """``todo``: of each row its number, that of its slot, and itself. ``times``: of all rows of the batch, where timers go by
        event time.
        """
        by_slot: dict[int, tuple[list[int], list[Any]]] = {}
        for number, at, row in todo:
            if (mine := by_slot.get(at)) is None:
                mine = by_slot[at] = [], []
            mine[0].append(number)
            mine[1].append(row)
        answered: list[tuple[int, Any]] = []
        for at, (numbers, rows) in by_slot.items():
            self._of_key(_Rows(at, slots[at], numbers, rows, [times[k] for k in numbers] if times else []), made, answered)
        if self.adds:
            answered.sort(key=lambda each: each[0])
            made.answers.extend(value for _, value in answered)

    def _of_key(self, mine: _Rows, made: Any, answered: list[tuple[int, Any]]) -> None:
        numbers, begin = mine.numbers, 0
        ends = [len(numbers)]       # of calls that are still to be made, the next one last
        most = len(numbers)         # of a call: where timers lie close together, none is done again with all the rest
        while begin < len(numbers):
            end = min(ends[-1], begin + most)
            if mine.times:
                self.hooks.fire(mine.at, mine.times[begin] - 1, numbers[begin], made)
                end = mine.until(self.hooks.due(mine.at), begin, end)
            try:
                answers, is_other = self.hooks.called(mine.slot, mine.rows[begin:end],
                                                      mine.times[end - 1] if mine.times and end - begin > 1 else None)
            except EarlyTimerError as early:
                self.hooks.failed(mine.slot, early)
                most = mine.until(early.time, begin, end) - begin
                continue
            except WRONG as error:
                why = self.hooks.failed(mine.slot, error)
                if end - begin > 1 and self.pure and mine.slot.unreadable is None and not isinstance(error, WrongCountError):
                    ends.append((begin + end) // 2)
                    continue
                made.errors.extend((number, why, None) for number in numbers[begin:end])
            else:
                if self.adds:
                    answered.extend(zip(numbers[begin:end], answers, strict=True))
                else:
                    made.answers.extend(answers)
                if is_other:
                    self.hooks.changed(mine.at, made)
            begin = end
            most = min(2 * most, len(numbers))
            while ends and ends[-1] <= begin:
                ends.pop()


class _Rows(NamedTuple):
    """Of a key, in order: the number of its slot, the slot, and of its rows the numbers, the rows and their times, if any."""

    at: int
    slot: Any
    numbers: list[int]
    rows: list[Any]
    times: list[int]

    def until(self, time: int, begin: int, end: int) -> int:
        """Behind the rows that are not later than that, and behind the first."""
        return bisect_right(self.times, time, begin + 1, end)


def one_for_each(name: str, returned: Any, rows: int) -> list[Any]:
    """What such a function has returned with ``adds``: a value for each row."""
    if not isinstance(returned, (list, Iterator)):
        raise WrongCountError(f"`{name}` returned {returned!r:.100} for {rows} rows: with `adds` and `rows` it returns a list, "
                              "or yields, with one value for each")
    values = list(returned)
    if len(values) != rows:
        raise WrongCountError(f"`{name}` returned {len(values)} values for {rows} rows: with `adds` it returns one for each")
    return values
