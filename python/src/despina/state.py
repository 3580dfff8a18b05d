"""State folders: what a job with ``state`` has kept, so that it can go on when a part of it is lost.

>>> from despina import state
>>> for graph in state.ls("/var/lib/plant"):  # doctest: +SKIP
...     print(graph.graph, graph.newest)

A *folder* is what a run had as its ``state``, or the folder of one graph in it: a path, or a URI of one of Hadoop's file systems,
whose ``settings`` are Hadoop's. A folder that is none, cannot be read, or is of a later engine raises
:class:`~despina.errors.RefusedError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from despina.errors import Diagnostic

LATEST = "latest"
WHOLE = ("committing", "committed")
"""The standings of an epoch from which a job can go on."""


@dataclass(frozen=True)
class Attempt:
    """One start of a job."""

    number: int
    host: str
    pid: int
    """Of its coordinator."""
    claimed_at: datetime
    from_epoch: int | None
    """From which it goes on, 0 for the beginning; None if it has started nothing."""
    from_savepoint: str | None = None


@dataclass(frozen=True)
class OperatorState:
    """What the instances of an operator kept at the end of an epoch."""

    operator: str
    type: str
    parallelism: int
    ended: int
    """How many of its instances had come to the end of their inputs."""
    bytes: int
    states: Mapping[str, str]
    """By name, what it is made of."""
    texts: tuple[Mapping[str, Mapping[str, str]], ...]
    """By instance and state: places of a source, epochs that a sink has prepared."""


@dataclass(frozen=True)
class Epoch:
    """The state of all operators at one instant."""

    number: int
    standing: str
    """``committed``: all sinks have shown its rows. ``committing``: it is whole, and some may not have. ``written``: no manifest
    names it, so it is none. ``half``: its manifest is cut short. ``rotten``: something that it needs is damaged or missing.
    ``fenced``: an attempt had it completed that was not to do so any more."""
    problem: str | None
    """Why no job can go on from it."""
    attempt: int | None = None
    engine: str | None = None
    taken_at: datetime | None = None
    bytes: int = 0
    operators: tuple[OperatorState, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether a job can go on from it."""
        return self.standing in WHOLE


@dataclass(frozen=True)
class ServerName:
    """By which a server knows an instance of an operator."""

    operator: str
    instance: int
    kind: str
    """``session`` of a source at a broker, or ``outbox`` of a sink, whose target has the marker of its last epoch."""
    name: str


@dataclass(frozen=True)
class GraphState:
    """The state of one graph."""

    graph: str
    id: str
    """Another one than that of a folder that was removed and made again."""
    attempts: tuple[Attempt, ...]
    epochs: tuple[Epoch, ...]
    savepoints: tuple[str, ...]
    names: tuple[ServerName, ...] = ()
    """What servers may have of the job: :meth:`despina.Graph.leftovers` looks there."""

    @property
    def newest(self) -> Epoch | None:
        """The epoch from which a job would go on; None if there is none."""
        return max((each for each in self.epochs if each.is_whole), key=lambda each: each.number, default=None)


@dataclass(frozen=True)
class Problem:
    """Something that is damaged or missing."""

    graph: str
    problem: str
    epoch: int | None = None


@dataclass(frozen=True)
class Verified:
    """What became of reading every byte of a folder."""

    problems: tuple[Problem, ...]
    whole_epochs: int
    bytes: int
    """How many were read."""

    @property
    def ok(self) -> bool:
        """Whether nothing is damaged."""
        return not self.problems


@dataclass(frozen=True)
class Cleared:
    """What of a graph's state was not needed any more."""

    graph: str
    files: tuple[str, ...]
    """In the state folder."""
    bytes: int


@dataclass(frozen=True)
class Succession:
    """What becomes of the state of one operator."""

    operator: str
    """As the state has it; of a new operator as the graph has it."""
    fate: str
    """``kept``, ``renamed``, ``new``, ``dropped`` or ``refused``."""
    words: str


@dataclass(frozen=True)
class DryRun:
    """What would become of a state if a graph went on from it: see :meth:`despina.Graph.dry_run`."""

    diagnostics: tuple[Diagnostic, ...]
    """Warnings of the graph, and an error for each operator that cannot go on."""
    source: str
    """The epoch or the savepoint."""
    operators: tuple[Succession, ...]

    @property
    def is_of_epoch(self) -> bool:
        """Whether the state is an epoch of a state folder, and no savepoint."""
        return self.source.startswith("epoch ")

    @property
    def ok(self) -> bool:
        """Whether the graph can go on."""
        return all(each.fate != "refused" for each in self.operators)


def address(folder: str | Path) -> str:
    """An absolute path, or the URI as it is."""
    given = str(folder)
    return given if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", given) else str(Path(given).absolute())


def ls(folder: str | Path, graph: str | None = None, *, settings: Mapping[str, str] | None = None,
       driver: str = "py4j") -> list[GraphState]:
    """What lies in a state folder, by graph.

    :param graph: the name of one of them
    """
    answer = _ask("ls", folder, driver, graph=graph, settings=settings)
    return [GraphState(each["graph"], each["id"], tuple(map(_attempt, each["attempts"])), tuple(map(_epoch, each["epochs"])),
                       tuple(each["savepoints"]), tuple(ServerName(**one) for one in each["names"])) for each in answer["graphs"]]


def given_up(folder: str | Path, graph: str, *, settings: Mapping[str, str] | None = None, driver: str = "py4j") -> None:
    """Looks whether a job uses the state.

    :raise RefusedError: one does
    """
    _ask("given_up", folder, driver, graph=graph, settings=settings)


def check(folder: str | Path, graph: str | None = None, *, settings: Mapping[str, str] | None = None,
          driver: str = "py4j") -> Verified:
    """Reads every byte that belongs to an epoch, and compares it with its checksum."""
    graphs = _ask("check", folder, driver, graph=graph, settings=settings)["graphs"]
    return Verified(tuple(Problem(each["graph"], found["problem"], found.get("epoch")) for each in graphs
                          for found in each["problems"]),
                    sum(each["whole_epochs"] for each in graphs), sum(each["bytes"] for each in graphs))


def gc(folder: str | Path, graph: str | None = None, *, dry_run: bool = False, settings: Mapping[str, str] | None = None,
       driver: str = "py4j") -> list[Cleared]:
    """Removes what no epoch needs any more, as a running job does by itself.

    The last three whole epochs stay, and the last one that is committed; so does what is younger than ten minutes and belongs to
    nothing that is known.

    :param dry_run: only says what would go
    :raise RefusedError: a job uses the folder
    """
    graphs = _ask("gc", folder, driver, graph=graph, settings=settings, dry_run=dry_run)["graphs"]
    return [Cleared(each["graph"], tuple(each["files"]), each["bytes"]) for each in graphs]


def export(folder: str | Path, epoch: int | str, operator: str, *, graph: str | None = None, state: str | None = None,
           settings: Mapping[str, str] | None = None, driver: str = "py4j") -> Iterator[dict[str, Any]]:
    """The entries of an operator's states.

    Each has ``instance`` and ``state``, then what the state's types say: ``key`` and ``value`` with a member for each column, or
    ``sums`` of an aggregate; ``window_start``; a ``packet`` that waits, with the number of its ``arrival``; ``name`` and
    ``text``; ``numbers``. Entries of other types have their ``bytes``, in base 64.

    :param epoch: its number, or ``latest``
    :param graph: if the folder has the states of several
    :param state: if only one is wanted
    """
    import tempfile
    with tempfile.TemporaryDirectory(prefix="despina-state-") as place:
        output = Path(place, "rows.json")
        _ask("export", folder, driver, graph=graph, settings=settings, epoch=0 if epoch == LATEST else int(epoch),
             operator=operator, state=state, output=str(output))
        with output.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _ask(command: str, folder: str | Path, driver: str, **options: Any) -> dict[str, Any]:
    from despina import engine
    return engine.start(driver, coordinates_only=True).state(
        command, address(folder), {name: value for name, value in options.items() if value is not None})


def _time(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)


def _attempt(found: Mapping[str, Any]) -> Attempt:
    return Attempt(found["attempt"], found["host"], found["pid"], _time(found["claimed_at_ms"]), found["from_epoch"],
                   found["from_savepoint"])


def _epoch(found: Mapping[str, Any]) -> Epoch:
    if "attempt" not in found:
        return Epoch(found["epoch"], found["standing"], found["problem"])
    operators = tuple(OperatorState(name, each["type"], each["parallelism"], each["ended"], each["bytes"],
                                    {one["state"]: one["schema"] for one in each["states"]}, tuple(each["texts"]))
                      for name, each in found["operators"].items())
    return Epoch(found["epoch"], found["standing"], found["problem"], found["attempt"], found["engine"],
                 _time(found["taken_at_ms"]) if found["taken_at_ms"] else None, found["bytes"], operators)
