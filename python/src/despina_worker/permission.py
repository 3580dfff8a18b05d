"""What may run here: what is written in modules that whoever started the resource has named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import ModuleType
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
    if module is None or not (f"{module}.".startswith(f"{named}.") or covers(allowed, full)):
        raise RefusedError(f"`{name}` is of module `{module}`, which `{named}` imports, and this resource does not allow that: "
                           f"start it with --allow-python {module}, or write a function in `{named}` that calls it")


def named(name: str, attribute: str, module: ModuleType) -> Any:
    """What a module has by a name, perhaps within a class. The name leads into no other module that it imports, nor to what is
    Python's own (``__globals__``): who allows a module allows what it has, and not ``os.system``.
    """
    found: Any = module
    parts = attribute.split(".")
    for k, part in enumerate(parts):
        if isinstance(found, ModuleType) and found is not module:
            raise RefusedError(f"`{name}` is of module `{found.__name__}`: write `{found.__name__}:{'.'.join(parts[k:])}`")
        if part.startswith("__"):
            raise RefusedError(f"`{name}` has `{part}`, a name of Python's own: name a function or class of the module")
        if not hasattr(found, part):
            raise RefusedError(f"module `{module.__name__}` ({getattr(module, '__file__', 'no file')}) has no `{attribute}`")
        found = getattr(found, part)
    return found


def _module(found: Any) -> str | None:
    """Where it was written; of an object that is called, where its class was."""
    while isinstance(found, partial):
        found = found.func
    module = getattr(found, "__module__", None)
    return module if isinstance(module, str) else getattr(type(found), "__module__", None)


def covers(allowed: Sequence[str], function: str) -> bool:
    """Whether one of these names ``module:name``."""
    return any(_covers(each, function) for each in allowed)


def _covers(pattern: str, function: str) -> bool:
    if pattern.endswith("*"):
        return function.startswith(pattern[:-1])
    return function == pattern or function.startswith(f"{pattern}:")
