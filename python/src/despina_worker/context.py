"""What a user's function is told, and what it tells."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


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
    def of(cls, options: dict[str, str], place: Mapping[str, Any]) -> Context:
        """``place``: ``operator``, ``instance``, ``instances``; empty if nobody has said."""
        return cls(options, **place)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Also a traceback is one line, since lines of several processes come together in a log."""
        return " | ".join(line for line in super().format(record).splitlines() if line)


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether it has a parameter that is to be given."""
    kinds = [each.kind for each in inspect.signature(function).parameters.values()]
    return any(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
