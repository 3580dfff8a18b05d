"""Which functions may run here: those of modules that whoever started the resource has named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from despina_worker.errors import RefusedError


def check(name: str, found: Any, allowed: Sequence[str] | None) -> None:
    """Refuses what the module has from elsewhere, as ``system`` in a module that says ``from os import system``: to allow a
    module is to allow what it has written, and what the modules below it have.

    :param name: ``module:name``, which is allowed
    :param found: what has that name
    :param allowed: names of modules and functions, and prefixes that end with ``*``; None: all
    :raise RefusedError: it is of a module that is not allowed
    """
    if allowed is None:
        return
    named = name.partition(":")[0]
    module = _module(found)
    full = f"{module}:{getattr(found, '__qualname__', '')}"
    if module is None or not (f"{module}.".startswith(f"{named}.") or any(_covers(each, full) for each in allowed)):
        raise RefusedError(f"`{name}` is of module `{module}`, which `{named}` imports, and this resource does not allow that: "
                           f"start it with --allow-python {module}, or write a function in `{named}` that calls it")


def _module(found: Any) -> str | None:
    """Where it was written; of an object that is called, where its class was."""
    while isinstance(found, partial):
        found = found.func
    module = getattr(found, "__module__", None)
    return module if isinstance(module, str) else getattr(type(found), "__module__", None)


def _covers(pattern: str, function: str) -> bool:
    if pattern.endswith("*"):
        return function.startswith(pattern[:-1])
    return function == pattern or function.startswith(f"{pattern}:")
