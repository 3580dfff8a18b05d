"""Values that the user wrote in Python, as the file has them, and the line at which they stand."""

from __future__ import annotations

import math
import numbers
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from despina.errors import Place, RefusedError
from despina.pyspark_words import in_words, is_column

PACKAGE = str(Path(__file__).resolve().parent) + os.sep
Parameter = str | int | float | bool


class Written(ABC):
    """A value that knows how the file has it."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """As the file has it."""


def caller() -> Place:
    """The line of the user's code that is under way: the nearest frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return Place(_cell(frame.f_code.co_filename) or _short(frame.f_code.co_filename), frame.f_lineno)


def _cell(file: str) -> str | None:
    """``In[3]``, where IPython compiled that file from its third cell, under a name that says nothing to its author."""
    if "IPython" not in sys.modules:
        return None
    compiler = getattr(sys.modules["IPython"].get_ipython(), "compile", None)     # no shell, no compiler
    name_of = getattr(compiler, "format_code_name", None)                         # IPython 8 and later
    found = name_of(file) if name_of is not None else None
    return None if found is None else str(found[1])


def execution() -> int | None:
    """Which run of a cell is under way, where this is a notebook or an IPython shell; None in a script."""
    if "IPython" not in sys.modules:
        return None
    count = getattr(sys.modules["IPython"].get_ipython(), "execution_count", None)
    return count if isinstance(count, int) else None


def _short(file: str) -> str:
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file


def parameter_text(name: str, value: Parameter) -> str:
    """A parameter's value as the file has it, where all of them are strings.

    :raise RefusedError: it has none
    """
    if value is None:
        raise RefusedError("parameter", f"{name}: a parameter cannot be None", "leave it out: the default is used", caller())
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def plain(value: Any, field: str) -> Any:
    """A value as JSON has it: a path, a Column or a schema of PySpark's is its text, a number of NumPy's a number.

    :raise TypeError: it has no form there, and in which field that is
    """
    value = in_words(value, field)
    if isinstance(value, Written):
        return value.content()
    if isinstance(value, Mapping):
        return {str(name): plain(item, f"{field}.{name}") for name, item in value.items()}
    if isinstance(value, (str, int)) or value is None:
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(item, f"{field}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    raise TypeError(f"{field} is {value!r}, of type {type(value).__name__}, which JSON has no form for")


def listed(value: Any) -> Any:
    """A list of texts; one text stands for a list of it."""
    return [value] if isinstance(value, (str, os.PathLike)) or is_column(value) else value


def texts(value: Any) -> Any:
    """A mapping to texts, with the texts of booleans and numbers as Spark's options have them."""
    if not isinstance(value, Mapping):
        return value
    return {name: _text(each) for name, each in value.items()}


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


@contextmanager
def refusing(whose: str, place: Place) -> Iterator[None]:
    """What has no form in JSON is refused at the user's line.

    :raise RefusedError: in place of a TypeError
    """
    try:
        yield
    except TypeError as error:
        hint = getattr(error, "hint", "use texts, numbers, booleans, None, lists, dicts and paths")
        raise RefusedError("type", f"{whose}: {error}", hint, place) from None
