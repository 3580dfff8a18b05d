"""Functions of the program itself, as those of a notebook's cells, and functions within functions. No other process can import
them. So for this program's own runs their code goes to the processes that run them, and no graph file has it.
"""

from __future__ import annotations

import base64
import inspect
import platform
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from despina.errors import RefusedError

MODULE = "__main__"
"""In place of a module's name. No worker can import it, so no other function has it."""
HINT = "put it in a module (in a notebook `%%writefile scores.py` at the top of a cell does that), and import it from there"

_functions: dict[str, Callable[..., Any]] = {}
_naming = threading.Lock()


def is_cell(user: Callable[..., Any]) -> bool:
    """Whether no other process could import it."""
    return user.__module__ == MODULE or "<" in user.__qualname__


def name(user: Callable[..., Any]) -> str:
    """What the field ``function`` says of it, for as long as this program runs. A cell that is run again makes another function:
    a graph keeps the one that it was made of.
    """
    own = user.__name__.strip("<>")
    with _naming:
        tries = (f"{MODULE}:{own}{'' if k == 1 else f'_{k}'}" for k in range(1, len(_functions) + 2))
        found = next(each for each in tries if _functions.get(each, user) is user)
        _functions[found] = user
    return found


def facts(name: str, kind: str) -> dict[str, Any]:
    """As :func:`despina.function_texts.facts`, of the function itself.

    :param kind: the operator's type
    """
    from despina.function_texts import UNKNOWN, of_source

    user = _functions.get(name)
    if user is None:
        return {"problem": f"`{name}` is a function of the program that made the graph, and of no module", "hint": HINT,
                "open": True}
    if user.__name__ == "<lambda>":
        given = inspect.signature(user).parameters.values()
        named = [each for each in given if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        needed = [each.name for each in named if each.default is inspect.Parameter.empty]
        return {"needed": needed, "optional": [each.name for each in named[len(needed):]], "open": len(named) < len(given),
                "async": False}
    try:
        return of_source(inspect.getsource(user), user.__name__, f"`{name}`", kind)
    except (OSError, TypeError, SyntaxError):       # typed where nobody keeps it
        return UNKNOWN


def code(names: Iterable[str]) -> dict[str, str]:
    """For each of these functions the version of this Python and its code: nothing else may read what cloudpickle writes.

    :raise RefusedError: it holds on to what cannot go to another process
    """
    return dict(_coded(names))


def _coded(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    import cloudpickle

    for each in names:
        if (user := _functions.get(each)) is not None:
            try:
                text = base64.b64encode(cloudpickle.dumps(user)).decode()
            except Exception as error:
                raise RefusedError("function", f"`{user.__qualname__}` cannot go to another process: {error}",
                                   "make what it holds on to in `open` of a class, or put it in a module") from error
            yield each, f"{platform.python_version()} {text}"
