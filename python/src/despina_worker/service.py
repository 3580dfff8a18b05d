"""The loop of a worker: a batch comes, the function is called, the answer goes."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from despina_worker import functions, permission, versions
from despina_worker.behind import Behind, Row, Serving
from despina_worker.context import own
from despina_worker.errors import RefusedError, described
from despina_worker.frames import Connection, Frame, Kind
from despina_worker.lookup import Lookup
from despina_worker.values import warm

_changes: dict[str, int | None] = {}
"""By module that was imported afresh: when its file had been changed last."""


def serve(settings: dict[str, Any]) -> int:
    """Runs until the engine closes the socket. ``settings``: ``socket``, ``secret``, ``paths`` of modules, and ``versions`` of
    some where the graph was submitted. If modules came with the job, ``sent`` is that one of the paths; ``unsent``: why none did.
    ``allowed``: what may run, if not all. ``place``: a file for that of the function which is called, of those in a row.
    """
    lookup = Lookup(settings["paths"], settings["versions"], settings.get("unsent"), settings.get("sent"))
    sys.path[:0] = lookup.folders
    if "sent" in settings:
        sys.meta_path.append(Rest(settings["sent"]))
    connection = Connection(settings["socket"])
    connection.send(Kind.HELLO, 0, settings["secret"].encode())
    first = connection.receive()
    if first is None:
        return 0
    try:
        role, spec, cell, behind = asked(first, settings.get("allowed"))
        serving = _serving(role, spec)      # before the user's modules: this program goes when the engine leaves
        for line in lookup.hidden() if settings["versions"] else ():      # as below, of the first process alone
            print(line, flush=True)
        found = imported(spec.function, cell, lookup.lacks, spec.allowed)
        row = Row(connection, spec, partial(_opened, behind, lookup) if behind else None, settings.get("place"))
        for line in versions.differences(settings["versions"]):
            print(line, flush=True)
        warm()
        return serving(connection, spec, found, row)
    except RefusedError as error:
        connection.send(Kind.REFUSED, 0, json.dumps({"why": str(error)}).encode())
        return 0


def _serving(role: str, spec: functions.Spec) -> Serving:
    """Loads what that needs alone: a process that takes a dead one's place is waited for."""
    if role == "source":
        from despina_worker import sources

        return sources.serve
    if role == "sink":
        from despina_worker import sinks

        return sinks.serve
    if spec.state is not None:
        from despina_worker import keyed

        return keyed.serve
    return _function


def _function(_connection: Connection, spec: functions.Spec, found: Any, row: Row) -> int:
    function = functions.Function.of(spec, found)
    row.opened(function)
    while (frame := row.receive()) is not None:
        row.answer(frame.number, function.call(row.read(function, frame.payload)))
    function.close()
    row.close()
    return 0


def _opened(behind: Sequence[_Asked], lookup: Lookup) -> tuple[list[Behind], str | None]:
    """The functions behind the first, up to one that cannot be opened, and why not."""
    opened: list[Behind] = []
    for spec, cell, rows, size in behind:
        try:
            function = functions.Function.of(spec, imported(spec.function, cell, lookup.lacks, spec.allowed))
        except RefusedError as error:
            spec.counters.take()
            return opened, str(error)
        opened.append(Behind(function, rows, size, spec.counters.take()))
    return opened, None


class _Asked(NamedTuple):
    """What the engine says of a function behind the first: its code, if it is of no module, and how much it takes at a time."""

    spec: functions.Spec
    cell: str | None
    rows: int
    size: int


def asked(frame: Frame, allowed: Sequence[str] | None = None) -> tuple[str, functions.Spec, str | None, list[_Asked]]:
    """What the engine makes of the function, what it says of it, the code of one that is of no module, and those behind it."""
    text, *schemas = _parts(frame.payload)
    said = json.loads(text.to_pybytes())
    role, cell, others = said.pop("role", "function"), said.pop("cell", None), said.pop("behind", [])
    inputs, outputs, *more = map(pa.ipc.read_schema, schemas)
    keys, state = more[2 * len(others):] or (None, None)
    counters = own(1 + len(others))
    behind = []
    for k, each in enumerate(others):
        code, rows, size = each.pop("cell", None), each.pop("rows"), each.pop("bytes")
        spec = functions.Spec(**each, inputs=more[2 * k], outputs=more[2 * k + 1], allowed=allowed, counters=counters)
        behind.append(_Asked(spec, code, rows, size))
    return role, functions.Spec(**said, inputs=inputs, outputs=outputs, keys=keys, state=state, allowed=allowed,
                                counters=counters), cell, behind


def _parts(payload: pa.Buffer) -> list[pa.Buffer]:
    parts = []
    at = 0
    while at < payload.size:
        length = int.from_bytes(payload.slice(at, 4).to_pybytes(), "little")
        parts.append(payload.slice(at + 4, length))
        at += 4 + length
    return parts


def fresh(name: str, paths: list[str]) -> None:
    """Forgets a module ``module:name`` of another folder, or one that has changed since: for processes that outlive a graph."""
    module = name.partition(":")[0]
    top = module.partition(".")[0]
    sys.path[:] = [*paths, *(path for path in sys.path if path not in paths)]
    importlib.invalidate_caches()
    if module in sys.modules:
        wanted = PathFinder.find_spec(top)
        is_same = wanted is None or wanted.origin == getattr(sys.modules[top], "__file__", None)
        if is_same and _changed(module) == _changes.get(module):
            return
        for each in [each for each in sys.modules if each == top or each.startswith(f"{top}.")]:
            del sys.modules[each]
    with suppress(Exception):       # whoever imports it in earnest is told
        importlib.import_module(module)
        _changes[module] = _changed(module)


def _changed(module: str) -> int | None:
    """When its file was changed last."""
    path = getattr(sys.modules[module], "__file__", None)
    return Path(path).stat().st_mtime_ns if path and Path(path).exists() else None


class Rest:
    """Finds modules of a package that is elsewhere and lacks them: as the last of those that ``import`` asks.

    :param folder: of modules
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def find_spec(self, name: str, path: Sequence[str] | None, _target: Any = None) -> ModuleSpec | None:
        """As ``importlib`` asks."""
        above = name.split(".")[:-1]
        return None if path is None else PathFinder.find_spec(name, [str(self._folder.joinpath(*above))])


def _nothing(_module: str) -> str:
    return ""


def imported(name: str, cell: str | None = None, lacks: Callable[[str], str] = _nothing, allowed: Sequence[str] | None = None
             ) -> Any:
    """The function ``module:name``.

    :param cell: of one that is of no module: the version of the Python that it is of, and its code
    :param lacks: what is said behind the error of whoever misses that module
    :param allowed: what may run, as ``permission.check`` takes it; None: all
    """
    module, _, attribute = name.partition(":")
    if cell is not None:
        return _unpacked(name, *cell.split(" "))
    try:
        found = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        lacking = error.name if isinstance(error, ModuleNotFoundError) else None
        why = lacks(lacking) if lacking else ""
        if lacking == module:
            raise RefusedError(f"there is no module `{module}` beside the graph, nor is it installed for {sys.executable}{why}"
                               ) from error
        raise RefusedError(f"module `{module}` cannot be imported: {described(error)}{why}") from error
    found = permission.named(name, attribute, found)
    found = getattr(found, "despina_function", found)      # decorated for graphs that are written in Python
    if not callable(found):
        raise RefusedError(f"`{name}` is {type(found).__name__}, which cannot be called")
    permission.check(name, found, allowed)
    return found


def _unpacked(name: str, version: str, code: str) -> Any:
    """A function of the program that made the graph. Only the same Python reads what that wrote."""
    import base64
    import pickle
    import platform

    if version != platform.python_version():
        raise RefusedError(f"`{name}` is of a program in Python {version}, and {sys.executable} is {platform.python_version()}: "
                           "put the function in a module")
    try:
        return pickle.loads(base64.b64decode(code))
    except Exception as error:
        raise RefusedError(f"`{name}` cannot be made here: {described(error)}") from error
