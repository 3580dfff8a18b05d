"""Functions of a Python graph: decorated, they are called as before, and stand between operators.

>>> import despina
>>> from despina import operators as op
>>> @despina.function(adds="fahrenheit DOUBLE")                                              # doctest: +SKIP
... def fahrenheit(celsius):
...     return celsius * 9 / 5 + 32
>>> readings >> fahrenheit >> op.ConsoleSink("shown")                                        # doctest: +SKIP
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from despina.functions import cells

if TYPE_CHECKING:
    from despina.operators import Python
    from despina_worker.context import Counter

FORMS = {"RecordBatch": "arrow", "ndarray": "numpy"}
FRAMES = {"pd": "pandas", "pandas": "pandas", "pl": "polars", "polars": "polars"}

WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where one begins in the name of a class: an operator's id has small letters."""


class Function:
    """A function or class, and what the operator that runs it says. To call it calls the function itself.

    ``despina_function``: what the processes that run it unwrap. ``fields``: those of the operator that were given.
    """

    def __init__(self, user: Callable[..., Any], fields: dict[str, Any]) -> None:
        functools.update_wrapper(self, user)
        self.despina_function = user
        self.fields = fields

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """As the function itself."""
        return self.despina_function(*arguments, **named)

    def operator(self, id_: str | None = None, /, **fields: Any) -> Python:
        """An operator that runs it; ``a >> function`` makes one with its own name.

        :param id_: the operator's id; if not given the function's name, of a class in small letters: ``left_open``
        :param fields: more of the operator's, or others in place of the decorator's
        """
        from despina.operators import Python

        id_ = id_ or WORD.sub("_", self.despina_function.__name__.strip("<>")).lower()
        return Python(id_, **{"function": self._name(), **self.fields, **fields})

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process as the function itself, which needs nothing of this package."""
        return copy.copy, (self.despina_function,)

    def _name(self) -> str:
        user = self.despina_function
        return cells.name(user) if cells.is_cell(user) else f"{user.__module__}:{user.__qualname__}"


def function(*, adds: str | None = None, schema: str | None = None, **fields: Any) -> Callable[[Callable[..., Any]], Function]:
    """Makes a function or class an operator of graphs: ``readings >> score >> …``.

    :param adds: the columns that it returns, which join each packet, as Spark DDL
    :param schema: or those of the rows that it returns in place of packets
    :param fields: more of the operator :class:`~despina.operators.Python`: ``on_error``, ``batch_rows`` and so on. Without
        ``takes`` the annotation of its first parameter says it: ``pa.RecordBatch``, ``np.ndarray``, ``pd.DataFrame``,
        ``pl.DataFrame``
    """
    given = {name: value for name, value in {"adds": adds, "schema": schema, **fields}.items() if value is not None}

    def decorate(user: Callable[..., Any]) -> Function:
        form = None if "takes" in given else _form(user)
        return Function(user, given if form is None else {"takes": form, **given})
    return decorate


def counter(name: str) -> Counter:
    """A number of a function's own, which the job's status and report tell: ``counter("unknown_units").add()``.

    It counts in the engine's processes. In a test, in this program and on Spark nobody is told.

    :raise ValueError: the name does not fit, or a function has more than 64
    """
    from despina_worker import context

    return context.counter(name)


def _form(user: Callable[..., Any]) -> str | None:
    """What the annotation of its first parameter says; None for single values."""
    called: Any = getattr(user, "process", None) if isinstance(user, type) else user
    if called is None:
        return None
    parameters = [each for each in inspect.signature(called).parameters.values() if each.name != "self"]
    written = parameters[0].annotation if parameters else inspect.Parameter.empty
    text = written if isinstance(written, str) else f"{getattr(written, '__module__', '')}.{getattr(written, '__qualname__', '')}"
    package, _, name = text.partition("[")[0].rpartition(".")
    return FRAMES.get(package.partition(".")[0]) if name == "DataFrame" else FORMS.get(name)
