"""Which version of a module this is: what the program that submits a graph has, and what a process of the engine's imports."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

DIGITS = 16
"""Of a SHA-256, as people read it."""


def version(module: str, file: Path) -> str | None:
    """``1.2, sha256 0f3a…``, or without a version where the file is of no installed package; None if it cannot be read.

    :param module: its full name
    :param file: its text; of one that is compiled, whose bytes differ by machine, the version alone counts
    """
    try:
        text = file.read_bytes()
    except OSError:
        return None
    digest = f"sha256 {hashlib.sha256(text).hexdigest()[:DIGITS]}" if file.suffix == ".py" else None
    return ", ".join(each for each in (_installed(module.partition(".")[0], file), digest) if each) or None


def _installed(package: str, file: Path) -> str | None:
    if not any(part.endswith("-packages") for part in file.parts):
        return None
    from importlib import metadata  # which takes a while

    try:
        found = metadata.distribution(package)
        return found.version if file.is_relative_to(Path(str(found.locate_file("")))) else None
    except metadata.PackageNotFoundError:
        return None


def _is_same(here: str, there: str) -> bool:
    """Whether a version or a digest is the same, and none differs: a module that is installed in one place only has a version
    there alone.
    """
    both = [(one, other) for one, other in zip(_parts(here), _parts(there), strict=True) if one and other]
    return bool(both) and all(one == other for one, other in both)


def _parts(said: str) -> tuple[str, str]:
    number, _, digest = said.partition("sha256 ")
    return number.removesuffix(", "), digest


def differences(submitted: Mapping[str, str]) -> list[str]:
    """A line for each module that is imported here and is another than where the graph was submitted, naming both.

    :param submitted: by its full name, ``version`` of it there
    """
    lines = []
    for module, there in submitted.items():
        path = getattr(sys.modules.get(module), "__file__", None)
        here = version(module, Path(path)) if path else None
        if here is not None and not _is_same(here, there):
            lines.append(f"module `{module}` is not that of the program which submitted the graph: here {path} is {here}, "
                         f"there it is {there}")
    return lines
