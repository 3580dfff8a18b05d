"""Graphs written in Python: operators are objects, links are made between objects, and the file that results is the same.

>>> from despina import Graph, operators as op
>>> rows = op.FileSource("rows", path="in", format="text", schema="line STRING")
>>> kept = op.Filter("kept", where="length(line) > 3")
>>> rows >> kept >> op.FileSink("out", path="long", format="text")      # doctest: +ELLIPSIS
FileSink('out')
>>> kept.rejected >> op.DiscardSink("short")
DiscardSink('short')
>>> graph = Graph.build("long_lines", rows)

Every operator and link keeps the line that made it, so that ``check`` says ``script.py:12``.

In a notebook a cell may be run again: an operator that a later execution made takes the place of an earlier one with the same
id, with its links, and a link that it made again is there once. Within one execution, and in a script, an id may stand only once.
What an operator of another id, made by an earlier execution, is linked to stays linked until its upstream is made again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NewType, Unpack

from despina.errors import Place, RefusedError
from despina.functions import Function, Sink
from despina.values import Written, caller, execution, parameter_text, plain, refusing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.operators import LinkOptions

_made = itertools.count()


class Unset:
    """The type of :data:`UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()
"""What a field has that was not given: it is left out of the file, and the default of the reference counts."""


Param = NewType("Param", str)
"""A parameter in place of a number, a boolean or a word; :func:`param` makes one."""


def param(name: str) -> Param:
    """``${name}``, for a field that is no text; inside texts it is written as in the file."""
    return Param(f"${{{name}}}")


class Variant(Written):
    """An object of the file with fields, and a ``type`` where it is one of several."""

    TYPE: ClassVar[str] = ""

    def __init__(self, **fields: Any) -> None:
        self._fields = {name: value for name, value in fields.items() if value is not UNSET}

    def content(self) -> dict[str, Any]:
        """As the file has it."""
        head = {"type": self.TYPE} if self.TYPE else {}
        return head | {name.removesuffix("_"): plain(value, name.removesuffix("_")) for name, value in self._fields.items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self._fields.items())})"


class Operator(Variant):
    """An operator of a graph: ``a >> b`` links its port ``out`` to the port ``in`` of ``b``.

    ``frame``: the DataFrame that a source has its rows from; None for all others. See :func:`despina.from_dataframe`.
    """

    frame: DataFrame | None = None

    def __init__(self, id_: str, **fields: Any) -> None:
        super().__init__(**fields)
        self.id = id_
        self.place = caller()
        self.made = next(_made)
        self.execution = execution()
        self.links: list[Link] = []

    def content(self) -> dict[str, Any]:
        """As the file has it.

        :raise RefusedError: a value that JSON has no form for
        """
        with refusing(f"operator {self.id!r}", self.place):
            return super().content()

    def port(self, name: str) -> Port:
        """A port by name: ``rejected`` of a filter, for example."""
        return Port(self, name)

    def to(self, target: Operator | Port | Function | Sink, **options: Unpack[LinkOptions]) -> Operator:
        """Links ``out`` to the target, with the link's options as the file names them; returns the target's operator."""
        return self.port("out").to(target, **options)

    def __rshift__(self, target: Operator | Port | Function | Sink) -> Operator:
        return self.to(target)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"


class Port:
    """A named port of an operator, to link from or to."""

    def __init__(self, operator: Operator, name: str) -> None:
        self.operator = operator
        self.name = name

    def to(self, target: Operator | Port | Function | Sink, **options: Unpack[LinkOptions]) -> Operator:
        """Links this port to the target, with the link's options; returns the target's operator."""
        if isinstance(target, (Function, Sink)):
            target = target.operator()
        end = target if isinstance(target, Port) else Port(target, "in")
        if not isinstance(end.operator, Operator):
            raise RefusedError("link", f"{target!r} is not an operator or a port", "link operators: a >> b", caller())
        link = Link(self, end, options)
        self.operator.links.append(link)
        if end.operator is not self.operator:
            end.operator.links.append(link)
        return end.operator

    def __rshift__(self, target: Operator | Port | Function | Sink) -> Operator:
        return self.to(target)

    def __repr__(self) -> str:
        return f"{self.operator!r}.{self.name}"


class Link:
    """A link as it was made: its ends, its options, and the line that made it."""

    def __init__(self, start: Port, end: Port, options: Mapping[str, Any]) -> None:
        self.start = start
        self.end = end
        self.options = options
        self.place = caller()
        self.made = next(_made)
        self.execution = execution()

    def ends(self) -> tuple[str, str, str, str]:
        """What it leads from and to, by name."""
        return self.start.operator.id, self.start.name, self.end.operator.id, self.end.name

    def content(self) -> dict[str, Any]:
        """As the file has it."""
        def written(port: Port, common: str) -> str:
            return port.operator.id if port.name == common else f"{port.operator.id}.{port.name}"

        ends = {"from": written(self.start, "out"), "to": written(self.end, "in")}
        with refusing(f"the link to {self.end.operator.id!r}", self.place):
            return ends | {name.removesuffix("_"): plain(value, name.removesuffix("_"))
                           for name, value in self.options.items() if value is not UNSET}


def assemble(name: str, operators: Iterable[Operator], doc: str, parameters: Mapping[str, Any],
             settings: Mapping[str, Any] | Variant) -> tuple[dict[str, Any], dict[str, Place]]:
    """The content of the file, and the user's line for each JSON pointer of an operator or a link."""
    from despina import parts  # few graphs have some
    content: dict[str, Any] = {"format": 1, "name": name}
    if doc:
        content["doc"] = doc
    with refusing(f"graph {name!r}", caller()):
        if parameters:
            content["parameters"] = {key: _parameter(value, f"parameters.{key}") for key, value in parameters.items()}
        if written := plain(settings, "settings"):
            content["settings"] = written
    inside, lines, found = assembled(operators)
    if used := parts.of(found):
        content["parts"] = {part.name: part.content for part in used}
        lines |= {f"/parts/{part.name}{pointer}": place for part in used for pointer, place in part.lines.items()}
    return content | inside, lines


def assembled(operators: Iterable[Operator]) -> tuple[dict[str, Any], dict[str, Place], list[Operator]]:
    """These operators and all that are linked to them, with the links, as the file has them; the user's line for the JSON pointer
    of each; and the operators.
    """
    found = _reachable(operators)
    lines: dict[str, Place] = {}
    content: dict[str, Any] = {"operators": {}}
    for operator in found:
        if operator.id in content["operators"]:
            first = lines[f"/operators/{operator.id}"]
            raise RefusedError("duplicate_id", f"two operators have the id {operator.id!r}; the first is made at {first}",
                               "give each operator its own id: the id is its name in the graph", operator.place)
        content["operators"][operator.id] = operator.content()
        lines[f"/operators/{operator.id}"] = operator.place
    links = _links(found)
    content["links"] = [link.content() for link in links]
    lines.update({f"/links/{index}": link.place for index, link in enumerate(links)})
    return content, lines, found


def frames(operators: Iterable[Operator]) -> dict[str, DataFrame]:
    """The DataFrames of these operators and of all that are linked to them, by id."""
    return {operator.id: operator.frame for operator in _reachable(operators) if operator.frame is not None}


def _parameter(value: Any, field: str) -> Any:
    return plain(value, field) if isinstance(value, (Mapping, Variant)) else {"default": parameter_text(field, value)}


def _reachable(operators: Iterable[Operator]) -> list[Operator]:
    """All that are linked to these, in the order of making; without those that a later execution of a cell has made anew."""
    starts = list(operators)
    newest = {operator.id: operator for operator in _linked(starts, set())}
    replaced = {operator.made for operator in _linked(starts, set()) if _is_made_anew(operator, newest[operator.id])}
    return _linked([newest[start.id] if start.made in replaced else start for start in starts], replaced)


def _linked(starts: Iterable[Operator], but: set[int]) -> list[Operator]:
    found: dict[int, Operator] = {}
    waiting = list(starts)
    while waiting:
        operator = waiting.pop()
        if operator.made in found or operator.made in but:
            continue
        found[operator.made] = operator
        for link in operator.links:
            waiting += [link.start.operator, link.end.operator]
    return [operator for _, operator in sorted(found.items())]


def _links(operators: list[Operator]) -> list[Link]:
    """Those between these operators, in the order of making, each that a later execution has made anew once."""
    known = {operator.made for operator in operators}
    links: dict[int, Link] = {}
    newest: dict[tuple[str, str, str, str], Link] = {}
    for made, link in sorted({link.made: link for operator in operators for link in operator.links}.items()):
        if link.start.operator.made in known and link.end.operator.made in known:
            links[made] = link
            newest[link.ends()] = link
    return [link for link in links.values() if not _is_made_anew(link, newest[link.ends()])]


def _is_made_anew(old: Operator | Link, new: Operator | Link) -> bool:
    return old.execution is not None and new.execution is not None and old.execution < new.execution
