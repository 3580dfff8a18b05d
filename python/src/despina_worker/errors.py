"""What is said of an exception of the user's code."""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path

OWN = "despina_worker"
MOST_FRAMES = 8
WRONG = (Exception, SystemExit)
"""What a call may raise for its rows; the rest ends the worker."""


class RefusedError(Exception):
    """The function cannot be used at all: the message says why."""


class ValueRefusedError(Exception):
    """A value that the function returned does not fit its column."""


class WrongCountError(ValueRefusedError):
    """It returned too few rows or too many for a batch: a smaller one might fit by chance."""


def described(error: BaseException) -> str:
    """The exception, then the user's own frames, the innermost first: ``ValueError: no unit (units.py:12 in convert)``."""
    if isinstance(error, (ValueRefusedError, RefusedError)):
        return str(error)
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if OWN not in frame.filename and frame.filename != importlib.__file__
              and not frame.filename.startswith("<frozen importlib")]
    places = [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in reversed(frames[-MOST_FRAMES:])]
    return f"{text} ({', '.join(places)})" if places else text
