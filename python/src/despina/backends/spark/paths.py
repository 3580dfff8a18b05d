"""Paths of graphs: which are of this machine, and how Spark is told them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

_URI = re.compile(r"[A-Za-z][\w+.-]+:/")
"""One letter is no scheme but a drive."""
_THIS_MACHINE = re.compile(r"file:(//(localhost)?)?(?=/(?!/))")


def local(path: str) -> Path | None:
    """The path as one of this machine, ``file:/…`` and ``file:///…`` too; None for a URI of another file system."""
    if _URI.match(path) is None:
        return Path(path)
    here = _THIS_MACHINE.match(path)
    return None if here is None else Path(unquote(path[here.end():]))


def for_spark(path: str) -> str:
    """The same for Spark, which takes ``%20`` of a URI as three characters of a name."""
    here = _THIS_MACHINE.match(path)
    return path if here is None else f"file:{unquote(path[here.end():])}"
