"""The files of a graph's Python functions: their modules, what those import from the same folders, and what ``options`` name."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from despina.functions import cells

MOST_CHARACTERS = 16 << 20
"""Of a graph, that values of parameters may take."""
_PARAMETER = re.compile(r"\$\$\{|\$\{([^}]*)\}")

Stamps = dict[Path, tuple[int, int] | None]


def files(text: str, folders: Sequence[Path], parameters: Mapping[str, object] | None = None,
          reloads: Callable[[Mapping[str, Any]], bool] = lambda fields: fields.get("type") == "python"
          ) -> dict[str, frozenset[Path]]:
    """By the id of each operator whose function is in a module and can be read anew: its files.

    :param text: of the graph
    :param folders: in which modules are looked for; what is installed is not looked at
    :param parameters: values for ``${name}``, in place of their defaults
    :param reloads: whether an operator with these fields reads its function anew
    :return: nothing of what is wrong with the graph: ``check`` says that
    """
    try:
        operators = json.loads(filled(text, parameters))["operators"]
        return {each: frozenset(_of(fields, folders)) for each, fields in operators.items()
                if reloads(fields) and not str(fields["function"]).startswith(f"{cells.MODULE}:")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def filled(text: str, parameters: Mapping[str, object] | None) -> str:
    """The graph with these values for ``${name}``, or with their defaults. What a value has is no parameter again.

    :raise ValueError: it is no JSON, or would be much longer; ``TypeError`` and the like: it is no graph
    """
    declared = json.loads(text).get("parameters") or {}
    defaults = {name: each["default"] for name, each in declared.items() if "default" in each}
    values = {name: json.dumps(str(value))[1:-1] for name, value in {**defaults, **(parameters or {})}.items()}
    if sum(len(values.get(found[1], "")) for found in _PARAMETER.finditer(text)) > MOST_CHARACTERS:
        raise ValueError("the values of its parameters are too long for a graph")
    return _PARAMETER.sub(lambda found: values.get(found[1], found[0]), text)


def sources(modules: Iterable[str], folders: Sequence[Path]) -> dict[str, Path]:
    """The files of these modules, and of what they import, that lie in the folders.

    :return: by the place in a folder, ``acme/scores.py``
    """
    found: dict[Path, Path] = {}
    for module in modules:
        _follow(module, folders, found)
    return {path.relative_to(folder).as_posix(): path for path, folder in reversed(found.items())}


def _of(fields: Mapping[str, Any], folders: Sequence[Path]) -> Iterator[Path]:
    found: dict[Path, Path] = {}
    _follow(str(fields["function"]).partition(":")[0], folders, found)
    yield from found
    for value in (fields.get("options") or {}).values():
        if isinstance(value, str) and os.path.isfile(value):     # noqa: PTH113  a text may be too long for a path
            yield Path(value).absolute()


def _follow(module: str, folders: Sequence[Path], found: dict[Path, Path]) -> None:
    """Adds the files of a module, of the packages that it lies in and of what all these import, each with its folder."""
    parts = module.split(".")
    if any(not part or Path(part).name != part for part in parts):
        return      # no name of a module, but perhaps a path that leads elsewhere
    for folder in folders:
        below = [folder.joinpath(*parts[:count]) for count in range(1, len(parts) + 1)]
        paths = [path for each in below for path in (each / "__init__.py", each.with_suffix(".py"))
                 if os.path.isfile(path)]       # noqa: PTH113  a name may be too long for a path
        for path in paths:
            if path not in found:
                found[path] = folder
                for name in _imported(path, folder):
                    _follow(name, folders, found)
        if paths:
            return


def _imported(path: Path, folder: Path) -> list[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return []       # whoever imports it is told
    package = list(path.relative_to(folder).parent.parts)
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = [] if node.level == 0 else package[:len(package) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
            names += [base, *(f"{base}.{alias.name}" if base else alias.name for alias in node.names)]
    return [name for name in names if name]


class Watch:
    """Says which operators' files have changed, when a change is over: when a second look finds them as the first did.

    :param found: gives the files by operator, as they are now
    """

    def __init__(self, found: Callable[[], Mapping[str, frozenset[Path]]]) -> None:
        self._found = found
        self._files = found()
        self._known = self._stamps()
        self._seen = self._known

    @property
    def operators(self) -> list[str]:
        """Whose files are watched."""
        return list(self._files)

    def changed(self) -> list[str]:
        """The operators whose files have changed since they were named last, or since the beginning; called now and then."""
        now = self._stamps()
        is_over = now == self._seen
        self._seen = now
        changed = {path for path, stamp in now.items() if stamp is not None and stamp != self._known.get(path)}
        if not changed or not is_over:
            return []
        operators = [each for each, paths in self._files.items() if paths & changed]
        self._files = {**self._files, **self._found()}
        self._known = self._seen = self._stamps()
        return operators

    def _stamps(self) -> Stamps:
        return {path: _stamp(path) for paths in self._files.values() for path in paths}


def _stamp(path: Path) -> tuple[int, int] | None:
    """None while there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
