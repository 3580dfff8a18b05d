"""What the texts of a graph's Python functions say. They are read, not run: a module may do anything when it is imported."""

from __future__ import annotations

import ast
import base64
import difflib
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from despina.function_files import Watch, files, filled, sources
from despina.functions import cells
from despina_worker.versions import version

Facts = dict[str, Any]
Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

FUNCTION = "python"
SOURCE = "python_source"
MOST_BYTES = 8 << 20
"""Of the modules that go with a job. Where they are more, none does."""
SENT = ("files", "versions", "unsent")
"""What of ``code`` goes with a job to the resources that run it."""
INSTALLED = {"site-packages", "dist-packages"}
"""Folders of what does not go with a job."""


class Class(NamedTuple):
    """What a class must have: one of the methods ``called``, and both of ``pair`` or none of them."""

    called: tuple[str, ...]
    hint: str
    pair: tuple[str, ...] = ()


TYPES = {
    FUNCTION: Class(("process",), "it has `open(context)`, `process` and `close()`; only `process` must be there"),
    SOURCE: Class(("rows", "__iter__"), "it has `open(context)`, `rows()`, `position()`, `seek(position)` and `close()`; only "
                  "`rows` must be there", ("position", "seek")),
    "python_sink": Class(("write",), "it has `open(context)`, `write`, `flush()`, `prepare(epoch)`, `commit(epoch)`, "
                         "`abort(epoch)` and `close()`; only `write` must be there", ("prepare", "commit")),
}
"""By operator type."""

UNKNOWN: Facts = {"open": True}
"""Nothing is said of such a function before a worker opens it."""


def code(text: str, file: str, folders: Sequence[str | Path] = (), parameters: Mapping[str, object] | None = None
         ) -> dict[str, Any] | None:
    """The option ``python`` of a graph that calls functions, in the gateway's words: the interpreter of this process, the folders
    in which modules are looked for before those that are installed, the files of modules in these, the versions of all modules
    that have the functions, and of each function what its text says.

    :param text: of the graph
    :param file: the graph's, beside which modules lie, or that of the script which made it
    :param folders: more of them, which come first
    :param parameters: values for ``${name}``, in place of their defaults
    :return: None if it calls none
    """
    if '"python' not in text:
        return None
    called = list(_called(text))
    if not called:
        return None
    names = dict.fromkeys((kind, name) for kind, name in called if isinstance(name, str) and "${" not in name)
    modules = _folders(file, folders, [name for _, name in names])
    return {"command": sys.executable, "modules": [str(folder) for folder in modules],
            "functions": {name if kind == FUNCTION else f"{kind} {name}": facts(name, modules, kind) for kind, name in names},
            "cells": cells.code(name for _, name in names), **_modules(_resolved(text, parameters), modules)}


def _resolved(text: str, parameters: Mapping[str, object] | None) -> list[str]:
    """The functions of a graph, also those that parameters name."""
    with suppress(ValueError, KeyError, TypeError, AttributeError):     # check says what is wrong with it
        text = filled(text, parameters)
    return [name for _, name in _called(text) if isinstance(name, str) and "${" not in name]


def _modules(names: Iterable[str], folders: Sequence[Path]) -> dict[str, Any]:
    """``files``, as base64 by their path in a folder: those that are found statically. ``versions``, by module. ``unsent``: why
    no file goes, where they are too much.
    """
    called = {name.partition(":")[0] for name in names} - {cells.MODULE}
    found = sources(sorted(called), [folder for folder in folders if not INSTALLED & set(folder.parts)])
    texts = {place: content for place, path in found.items() if (content := _read(path)) is not None}
    paths = {place.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for place, path in found.items()}
    for module in called - set(paths):
        if path := _origin(module, folders):
            paths[module] = path
    size = sum(map(len, texts.values()))
    carried = texts if size <= MOST_BYTES else {}
    return {"files": {place: base64.b64encode(text).decode() for place, text in carried.items()},
            "versions": {module: text for module, path in paths.items() if (text := version(module, path))},
            **({"unsent": _too_much(texts, size)} if size > MOST_BYTES else {})}


def _too_much(texts: Mapping[str, bytes], size: int) -> str:
    """Why they do not go with the job."""
    largest = max(texts, key=lambda place: len(texts[place]))
    return (f"no module came with the job: those that it imports have {size} bytes, of which `{largest}` has "
            f"{len(texts[largest])}, and no more than {MOST_BYTES} go along: put them there, and name their folder by --modules")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None     # whoever imports it is told


def _origin(module: str, folders: Sequence[Path]) -> Path | None:
    try:
        spec = _find(module, [str(folder) for folder in folders])
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.has_location and spec.origin else None


def _folders(file: str, folders: Sequence[str | Path], names: Sequence[str]) -> list[Path]:
    """In which modules are looked for, the first that is meant first."""
    beside = Path(file).absolute().parent if Path(file).is_file() else Path.cwd()
    return list(dict.fromkeys([*(Path(folder).absolute() for folder in folders), beside, *loaded(names)]))


def watch(text: str, file: str, folders: Sequence[str | Path] = (), parameters: Mapping[str, object] | None = None) -> Watch:
    """Watches the files of the functions that can be read anew while a job runs.

    :param text: of the graph
    :param file: as of ``code``
    :param folders: likewise
    :param parameters: values for ``${name}``
    """
    names = [name for _, name in _called(text) if isinstance(name, str)]
    modules = _folders(file, folders, names)
    return Watch(partial(files, text, modules, parameters, partial(_reloads, modules)))


def _reloads(folders: Sequence[Path], fields: Mapping[str, Any]) -> bool:
    """Whether an operator is known to read its function anew while its job runs."""
    kind = fields.get("type")
    if kind not in TYPES or kind == FUNCTION:
        return kind == FUNCTION
    found = facts(str(fields["function"]), folders, kind)
    methods = set(found.get("methods", ()))
    return "position" in methods if kind == SOURCE else not found["open"] and not methods & {"flush", "prepare"}


def of_program(text: str) -> list[str]:
    """The functions of a graph that are of no module, but of the program that made it."""
    return [name for _, name in _called(text) if isinstance(name, str) and name.startswith(f"{cells.MODULE}:")]


def _called(text: str) -> Iterator[tuple[str, Any]]:
    """What the graph has as functions, each after the type of its operator, also by a parameter, of which nothing is said. What
    is wrong with it, ``check`` says.
    """
    try:
        operators = json.loads(text)["operators"]
        for operator in operators.values():
            if operator.get("type") in TYPES:
                yield operator["type"], operator.get("function")
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def loaded(names: Iterable[str]) -> Iterator[Path]:
    """The folders of those that this program has imported, as one that writes a graph of its own functions has."""
    for name in names:
        module = sys.modules.get(name.partition(":")[0])
        path = getattr(module, "__file__", None)
        if module is not None and path and not path.startswith((sys.prefix, sys.base_prefix)):
            above = module.__name__.count(".") + (Path(path).stem == "__init__")
            yield Path(path).absolute().parents[above]


def facts(name: str, folders: Sequence[Path], kind: str = FUNCTION) -> Facts:
    """What the text of ``module:name`` says: its parameters (``needed``, ``optional``; ``open`` if they are not known), whether
    it is ``async``, whether it is ``told`` the operator's options (None if that is not known), or the ``problem`` for which it
    cannot be called, with a ``hint``. Of a class, its ``methods``.

    :param kind: the operator's type: ``python``, ``python_source`` or ``python_sink``
    """
    module, _, attribute = name.partition(":")
    if module == cells.MODULE:
        return cells.facts(name, kind)
    try:
        spec = _find(module, [str(folder) for folder in folders])
    except (ImportError, ValueError, AttributeError):
        return UNKNOWN
    if spec is None:
        dotted = module.removesuffix(".py").replace("/", ".").lstrip(".")
        return _problem(f"there is no module `{module}` beside the graph, nor is it installed",
                        f"name it as `import` does: `{dotted}:{attribute}`" if dotted != module
                        else _near(module.rpartition(".")[2], _beside(module, folders))
                        or f"it was looked for in {_listed(folders)} and what {sys.executable} has; --modules names more folders")
    if spec.origin is None or not spec.origin.endswith(".py"):
        return UNKNOWN
    path = Path(spec.origin)
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        return _problem(f"{path}, line {error.lineno}: {error.msg}")
    except OSError as error:
        return _problem(f"{path} cannot be read: {error.strerror}")
    return _of(attribute, tree, str(path), kind)


def of_source(source: str, name: str, where: str, kind: str) -> Facts:
    """The same of a function or class whose text this is.

    :raise SyntaxError: it is within something else
    """
    return _of(name, ast.parse(textwrap.dedent(source)), where, kind)


def _find(module: str, folders: list[str]) -> ModuleSpec | None:
    """Where Python would find it, without importing the packages that it lies in."""
    spec: ModuleSpec | None = None
    places: Sequence[str] | None = None
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        full = ".".join(parts[:count])
        spec = PathFinder.find_spec(full, folders if places is None else list(places))
        if spec is None and places is None:
            spec = next((found for finder in sys.meta_path if (found := finder.find_spec(full, None)) is not None), None)
        if spec is None:
            return None
        places = spec.submodule_search_locations or []
    return spec


def _of(attribute: str, tree: ast.Module, path: str, kind: str) -> Facts:
    first, _, rest = attribute.partition(".")
    if own := next((part for part in attribute.split(".") if part.startswith("__")), None):
        return _problem(f"`{own}` is a name of Python's own", "name a function or a class of the module")
    names = dict(_definitions(tree.body))
    if first not in names:
        if "*" in names or "__getattr__" in names:
            return UNKNOWN
        return _problem(f"{path} has no `{first}`", _near(first, [name for name, node in names.items() if node is not None]))
    node = names[first]
    if node is None or rest or any(not _is_ours(decorator) for decorator in node.decorator_list):
        return UNKNOWN
    if isinstance(node, ast.ClassDef):
        return _of_class(node, path, kind)
    found = _parameters(node, 0)
    return {**found, "told": kind == SOURCE and _takes_any(found)}


def _takes_any(found: Facts) -> bool:
    return bool(found["needed"] or found["optional"] or found["open"])


def _definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Node | None]]:
    """The names of a module, each with its function or class; None for those that are something else."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], None
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield name.id, None
        else:
            for part in ("body", "orelse", "finalbody", "handlers"):
                for inner in getattr(node, part, []):
                    yield from _definitions(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def _is_ours(decorator: ast.expr) -> bool:
    """Whether it leaves the function as it is."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).removeprefix("despina.") in ("staticmethod", "function", "source", "sink")


def _of_class(node: ast.ClassDef, path: str, kind: str) -> Facts:
    names = dict(_definitions(node.body))
    methods = {name: method for name, method in names.items() if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))}
    of = TYPES[kind]
    called = next((name for name in of.called if name in methods), None)
    if node.bases and not (called and "__init__" in methods):
        return {**UNKNOWN, "methods": sorted(methods)}
    if called is None:
        return _problem(f"class `{node.name}` in {path} has no `{of.called[0]}`", of.hint)
    for one, other in (of.pair, of.pair[::-1]) if of.pair else ():
        if one in methods and other not in methods:
            return _problem(f"class `{node.name}` in {path} has `{one}` and no `{other}`", "it needs both, or none of them")
    decorators = {ast.unparse(each) for each in methods[called].decorator_list}
    if decorators - {"staticmethod", "classmethod"}:
        return {**UNKNOWN, "methods": sorted(methods)}
    skipped = 0 if "staticmethod" in decorators else 1
    if skipped and not methods[called].args.args and not methods[called].args.posonlyargs and not methods[called].args.vararg:
        return _problem(f"`{called}` of class `{node.name}` in {path} takes no `self`", f"write `def {called}(self, …)`")
    made = _parameters(methods["__init__"], 1) if "__init__" in methods else {}
    if made.get("needed"):
        return _problem(f"class `{node.name}` in {path} is made without arguments, and its `__init__` wants "
                        f"`{made['needed'][0]}`", "take what it needs in `open(context)`: `context.options`")
    found = _parameters(methods[called], skipped)
    told = "open" in names or (kind == SOURCE and _takes_any(found))
    return {**found, "methods": sorted(methods), "told": True if told else None if node.bases or node.keywords else False}


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef, skipped: int) -> Facts:
    """:param skipped: ``self``"""
    given = function.args
    every = [*given.posonlyargs, *given.args]
    names = [each.arg for each in every][skipped:]
    optional = len(given.defaults)
    needed = names[:len(names) - optional] if optional else names
    return {"needed": needed, "optional": names[len(needed):],
            "open": given.vararg is not None or given.kwarg is not None or bool(given.kwonlyargs),
            "async": isinstance(function, ast.AsyncFunctionDef)}


def _problem(what: str, hint: str | None = None) -> Facts:
    return {"problem": what, "hint": hint, "open": True}


def _near(name: str, names: Sequence[str]) -> str | None:
    close = difflib.get_close_matches(name, names, 1)
    return f"did you mean `{close[0]}`?" if close else None


def _beside(module: str, folders: Sequence[Path]) -> list[str]:
    """Modules that could have been meant."""
    package = module.split(".")[:-1]
    return [path.stem for folder in folders for path in Path(folder, *package).glob("*.py") if path.stem != "__init__"]


def _listed(folders: Sequence[Path]) -> str:
    return ", ".join(str(folder) for folder in folders)


def added(words: Mapping[str, Any], text: str, file: str, folders: Sequence[str | Path] | None) -> dict[str, Any]:
    """The words of a run and, if the graph calls functions, what is known of them."""
    python = code(text, file, folders or (), words.get("parameters"))
    return {**words, **({"python": python} if python else {})}


def unsent(words: Mapping[str, Any]) -> dict[str, Any]:
    """The same words without the modules that go with a job: each of Spark's tasks gets them and reads them often, and finds
    modules by itself.
    """
    python = {name: said for name, said in words.get("python", {}).items() if name not in SENT}
    return {**words, **({"python": python} if python else {})}
