"""Functions of a Python graph: decorated, they are called as before, and stand between operators. Sources and sinks stand at
its ends.

>>> import despina
>>> from despina import operators as op
>>> @despina.function(adds="fahrenheit DOUBLE")                                              # doctest: +SKIP
... def fahrenheit(celsius):
...     return celsius * 9 / 5 + 32
>>> readings >> fahrenheit >> op.ConsoleSink("shown")                                        # doctest: +SKIP
>>> @despina.source(schema="line STRING", unbounded=True)                                    # doctest: +SKIP
... def lines(context):
...     with serial.Serial(context.options["path"]) as port:
...         while True:
...             yield port.readline().decode()
>>> @despina.sink                                                                            # doctest: +SKIP
... def told(line):
...     print(line)
>>> lines(path="/dev/ttyUSB0") >> told                                                       # doctest: +SKIP
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

from despina.errors import RefusedError
from despina.functions import cells
from despina.values import caller, listed, plain, texts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from despina.builder import Param
    from despina.operators import EventTime, Python, PythonSink, PythonSource
    from despina_worker.context import Counter

    Option = str | bool | float

FORMS = {"RecordBatch": "arrow", "ndarray": "numpy"}
FRAMES = {"pd": "pandas", "pandas": "pandas", "pl": "polars", "polars": "polars"}

WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where one begins in the name of a class: an operator's id has small letters."""


class Decorated:
    """A function or class of the user's, and what the operator that runs it says.

    ``despina_function``: what the processes that run it unwrap; ``__wrapped__`` is the same. ``fields``: those of the operator
    that were given.
    """

    def __init__(self, user: Callable[..., Any], fields: dict[str, Any]) -> None:
        own = {name: value for name, value in getattr(user, "__dict__", {}).items() if not hasattr(type(self), name)}
        self.__dict__.update(own)       # a class's `operator` or `_id` stands before none of ours
        functools.update_wrapper(cast(Any, self), user, updated=())
        self.despina_function = user
        self.fields = fields

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process as the function itself, which needs nothing of this package."""
        return copy.copy, (self.despina_function,)

    def _said(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields of an operator that runs it."""
        user = self.despina_function
        name = cells.name(user) if cells.is_cell(user) else f"{user.__module__}:{user.__qualname__}"
        return {"function": name, **self.fields, **fields}

    def _with_options(self, options: Mapping[str, Option]) -> dict[str, Any]:
        """``options`` beside those of the decorator."""
        merged = {**self.fields.get("options", {}), **options}
        return {"options": merged} if merged else {}

    def _id(self) -> str:
        return WORD.sub("_", self.despina_function.__name__.strip("<>")).lower()


class Function(Decorated):
    """What :func:`function` makes. To call it calls the function itself."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """As the function itself."""
        return self.despina_function(*arguments, **named)

    def operator(self, id_: str | None = None, /, **fields: Any) -> Python:
        """An operator that runs it; ``a >> function`` makes one with its own name.

        :param id_: the operator's id; if not given the function's name, of a class in small letters: ``left_open``
        :param fields: more of the operator's, or others in place of the decorator's
        """
        from despina.operators import Python

        return Python(id_ or self._id(), **self._said(fields))

    def on(self, frame: DataFrame, **fields: Any) -> DataFrame:
        """What it makes of the rows of a DataFrame, without a graph and its engine; in a session of Spark Connect too.

        :param frame: of any session whose workers have this package and the function's module
        :param fields: of the operator, in place of the decorator's. With ``state``, ``clock`` is ``event`` and ``event_time`` the
            column by which the rows of a key go, with ``order_by`` for those of one time. Those that say nothing of the call
            itself, as ``workers``, change nothing
        :raise RefusedError: it cannot be called with such rows, or has no form on Spark
        """
        from despina.backends.spark import applied

        return applied.on(self, frame, fields)


class Source(Decorated):
    """What :func:`source` makes. To call it makes an operator; the function itself is ``__wrapped__``."""

    def __call__(self, id_: str | None = None, /, **options: Option) -> PythonSource:
        """An operator that brings its rows.

        :param id_: the operator's id; if not given the function's name, of a class in small letters
        :param options: texts for it, beside those of the decorator: ``context.options`` has them
        """
        return self.operator(id_, **self._with_options(options))

    def operator(self, id_: str | None = None, /, **fields: Any) -> PythonSource:
        """An operator that brings its rows, with more fields, or others in place of the decorator's."""
        from despina.operators import PythonSource

        return PythonSource(id_ or self._id(), **self._said(fields))

    def __rshift__(self, target: Any) -> NoReturn:
        name = self.despina_function.__name__
        raise RefusedError("link", f"`{name}` is a source, and no operator yet",
                           f"call it: `{name}() >> …`; what it is called with is its options", caller())


class Sink(Decorated):
    """What :func:`sink` makes. To call it makes an operator, as ``a >> sink`` does; the function itself is ``__wrapped__``."""

    def __call__(self, id_: str | None = None, /, **options: Option) -> PythonSink:
        """An operator that gives rows to it.

        :param id_: the operator's id; if not given the function's name, of a class in small letters
        :param options: texts for it, beside those of the decorator: ``context.options`` has them
        """
        return self.operator(id_, **self._with_options(options))

    def operator(self, id_: str | None = None, /, **fields: Any) -> PythonSink:
        """An operator that gives rows to it, with more fields, or others in place of the decorator's."""
        from despina.operators import PythonSink

        return PythonSink(id_ or self._id(), **self._said(fields))


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
        return Function(user, _formed(user, "process", given))
    return decorate


def counter(name: str) -> Counter:
    """A number of a function's own, which the job's status and report tell: ``counter("unknown_units").add()``.

    It counts in the engine's processes. In a test, in this program and on Spark nobody is told.

    :raise ValueError: the name does not fit, or a function has more than 64
    """
    from despina_worker import context

    return context.counter(name)


def source(*, schema: str | StructType, unbounded: bool | Param | None = None, event_time: EventTime | None = None,
           **fields: Any) -> Callable[[Callable[..., Any]], Source]:
    """Makes a function that gives rows, or a class with ``rows``, a source of graphs: ``readings = lines(path="/dev/ttyUSB0")``.

    :param schema: the columns of its rows, as Spark DDL
    :param unbounded: True: it does not end by itself
    :param event_time: the column that is the event time of its rows: ``op.EventTime(column="ts")``
    :param fields: more of the operator :class:`~despina.operators.PythonSource`: ``on_error``, ``parallelism`` and so on
    """
    given = {"schema": schema, "unbounded": unbounded, "event_time": event_time, **fields}
    return lambda user: Source(user, {name: value for name, value in given.items() if value is not None})


@overload
def sink(user: Callable[..., Any], /) -> Sink: ...


@overload
def sink(**fields: Any) -> Callable[[Callable[..., Any]], Sink]: ...


def sink(user: Callable[..., Any] | None = None, /, **fields: Any) -> Sink | Callable[[Callable[..., Any]], Sink]:
    """Makes a function, or a class with ``write``, a sink of graphs: ``readings >> stored``. It may stand without brackets.

    :param fields: of the operator :class:`~despina.operators.PythonSink`: ``on_error``, ``batch_rows``, ``pure`` and so on.
        Without ``takes`` the annotation of its first parameter says it, as at :func:`function`
    """
    def decorate(user: Callable[..., Any]) -> Sink:
        return Sink(user, _formed(user, "write", fields))
    return decorate if user is None else decorate(user)


def of_graph(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of an operator that stands in no graph as a graph has them: one text for a list is a list, and options are texts."""
    forms = {"group_by": listed, "order_by": listed, "columns": listed, "options": texts}
    return {name: plain(forms[name](value), name) if name in forms else value for name, value in fields.items()}


def _formed(user: Callable[..., Any], method: str, given: dict[str, Any]) -> dict[str, Any]:
    """The fields, with what the annotation says that it takes. ``method``: what is called of a class."""
    form = None if "takes" in given else _form(user, method)
    return dict(given) if form is None else {"takes": form, **given}


def _form(user: Callable[..., Any], method: str) -> str | None:
    """What the annotation of its first parameter says; None for single values."""
    called: Any = getattr(user, method, None) if isinstance(user, type) else user
    if called is None:
        return None
    parameters = [each for each in inspect.signature(called).parameters.values() if each.name != "self"]
    written = parameters[0].annotation if parameters else inspect.Parameter.empty
    text = written if isinstance(written, str) else f"{getattr(written, '__module__', '')}.{getattr(written, '__qualname__', '')}"
    package, _, name = text.partition("[")[0].rpartition(".")
    return FRAMES.get(package.partition(".")[0]) if name == "DataFrame" else FORMS.get(name)
