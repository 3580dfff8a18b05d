"""What a user's function is told, and what it tells."""

from __future__ import annotations

import inspect
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_COUNTERS = 64
LARGEST_COUNT = (1 << 63) - 1
COUNTER_NAME = re.compile(r"[^\W\d_][\w.-]{0,63}")


class Counter:
    """A number of the function's own, which the job's status and report tell."""

    __slots__ = ("_count", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._count = 0

    def add(self, n: int = 1) -> None:
        """Counts ``n`` more, of what is the function's own.

        :raise TypeError: it is no whole number
        :raise ValueError: it is below 0, or too large
        """
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise TypeError(f"counter `{self.name}` takes whole numbers, and not {n!r:.100}")
        more = n.__index__()
        if not 0 <= more <= LARGEST_COUNT - self._count:
            raise ValueError(f"counter `{self.name}` cannot add {n}: it only grows, up to 2^63 - 1")
        self._count += more

    def take(self) -> int:
        """What it has counted since the last call."""
        count, self._count = self._count, 0
        return count

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process, with a function that holds on to it, as the one of that name there."""
        return counter, (self.name,)


class Counters:
    """Those of one function, or of all ``functions`` that a process calls one after the other."""

    def __init__(self, functions: int = 1) -> None:
        self._counters: dict[str, Counter] = {}
        self._most = MOST_COUNTERS * functions

    def counter(self, name: str) -> Counter:
        """The one of that name.

        :raise ValueError: the name does not fit, or there are too many
        """
        found = self._counters.get(name)
        if found is None:
            if not isinstance(name, str) or COUNTER_NAME.fullmatch(name) is None:
                raise ValueError(f"{name!r:.100} cannot be a counter: a name begins with a letter, and has letters, digits, `_`, "
                                 "`.` and `-`, 64 at most")
            if len(self._counters) == self._most:
                raise ValueError(f"counter `{name}` is one more than a function may have, which is {MOST_COUNTERS}: let names "
                                 "say what is counted, and not of which row")
            found = self._counters[name] = Counter(name)
        return found

    def take(self) -> dict[str, int]:
        """What has been counted since the last call, of each that has counted."""
        return {name: count for name, each in self._counters.items() if (count := each.take())} if self._counters else {}


_own: Counters | None = None


def own(functions: int = 1) -> Counters:
    """Those of the functions that this process runs: from the first call on, ``counter`` gives one of them."""
    global _own
    _own = _own or Counters(functions)
    return _own


def counter(name: str) -> Counter:
    """A number of a plain function's own, for the job's status and report. Outside of the engine's processes nobody is told.

    :raise ValueError: the name does not fit, or there are more than 64
    """
    return (_own or Counters()).counter(name)


@dataclass(frozen=True)
class Context:
    """What a class is told in ``open``, and a source by its parameter.

    ``options``: the texts of the operator's ``options``. ``operator``: its id in the graph. ``instance``: which of its
    ``instances`` this is, from 0. ``log``: what is logged with it goes to the job's log, a line for each record.
    """

    options: dict[str, str]
    operator: str = ""
    instance: int = 0
    instances: int = 1
    counters: Counters = field(default_factory=Counters, repr=False, compare=False)

    def counter(self, name: str) -> Counter:
        """A number of one's own, for the job's status and report: ``context.counter("unknown_units").add()``.

        :raise ValueError: the name does not fit, or there are more than 64
        """
        return self.counters.counter(name)

    @property
    def log(self) -> logging.Logger:
        """A logger of the operator's own; levels from INFO on are shown."""
        log = logging.getLogger(f"despina.{self.operator or 'function'}")
        if not log.handlers:
            handler = logging.StreamHandler(sys.stdout)
            handler.setFormatter(_OneLine("%(levelname)s: %(message)s"))
            log.addHandler(handler)
            log.setLevel(logging.INFO)
            log.propagate = False
        return log

    @classmethod
    def of(cls, options: dict[str, str], place: Mapping[str, Any], counters: Counters) -> Context:
        """``place``: ``operator``, ``instance``, ``instances``; empty if nobody has said."""
        return cls(options, counters=counters, **place)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Also a traceback is one line, since lines of several processes come together in a log."""
        return " | ".join(re.findall(r"[^\r\n]+", super().format(record)))


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether it has a parameter that is to be given."""
    kinds = [each.kind for each in inspect.signature(function).parameters.values()]
    return any(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
