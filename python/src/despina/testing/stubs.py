"""The graph that a case runs: what leads to what is watched, with sources of rows in place of what is stubbed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import Diagnostic, GraphError, Place
from despina.graph import Graph
from despina.testing.file import Case, TestFile, key, meant


@dataclass(frozen=True)
class Derived:
    """What runs.

    :ivar watched: the id of the ``collect_sink`` of each name of ``expect``
    :ivar stubs: the id of the source of each port that has one
    :ivar summed: the watched names that lie behind an aggregate, whose doubles may differ in their last digits
    """

    graph: Graph
    watched: Mapping[str, str]
    stubs: Mapping[str, str]
    summed: frozenset[str]


Port = tuple[str, str]
"""An operator's id and the name of one of its outputs."""


class Surgery:
    """Derives the graph of one case."""

    def __init__(self, tests: TestFile, case: Case, graph: Graph, plan: Mapping[str, Any]) -> None:
        self._tests = tests
        self._case = case
        self._graph = graph
        self._content = graph.to_dict()
        self._operators: dict[str, dict[str, Any]] = {operator["id"]: operator for operator in plan["operators"]}
        self._links = [((one["from"], one["from_port"]), one["to"], one["to_port"]) for one in plan["links"]]
        self._found: list[Diagnostic] = []
        self._made: dict[str, dict[str, Any]] = {}

    def derive(self, folder: Path, expect: Sequence[str]) -> Derived:
        """The graph, whose stubs read files of ``folder``, which are written.

        :param expect: the names of what is watched
        :raise GraphError: a name is not of the graph
        """
        stubbed = {port: name for name in self._case.inputs if (port := self._port(name, "inputs")) is not None}
        watched = {name: port for name in expect if (port := self._port(name, "expect")) is not None}
        if self._found:
            raise GraphError(self._found)
        cut = {operator for operator, _ in stubbed}
        kept = self._leading_to(watched.values(), cut)
        sources = {(operator, port["name"]): self._stub(operator, port, folder, stubbed.get((operator, port["name"])))
                   for operator in cut for port in self._operators[operator]["outputs"]
                   if self._is_read((operator, port["name"]), kept, watched.values())}
        sinks = {name: self._watch(name, port) for name, port in watched.items()}
        links = self._all_links(kept, cut, sources, watched, sinks)
        # what is stubbed or watched promises nothing of rows after a loss, and a test has none
        settings = {name: value for name, value in self._content.get("settings", {}).items() if name != "guarantee"}
        content = {**self._content, "settings": settings, "operators": {
            **{name: _table_first(self._content["operators"][name]) for name in self._operators if name in kept - cut},
            **self._made},
            "links": links}
        text = json.dumps(content, indent=2, ensure_ascii=False)
        names = {port: name for name, port in watched.items()}
        summed = frozenset(name for port, name in names.items() if self._is_summed(port, cut))
        return Derived(Graph(text, self._graph.file, self._places()), sinks,
                       {stubbed[port]: source for port, source in sources.items() if port in stubbed}, summed)

    def _places(self) -> dict[str, Place]:
        """Errors of what runs are shown where the graph's own file has the operator."""
        places = {f"/operators/{name}": Place(self._graph.file, operator["line"], operator["column"])
                  for name, operator in self._operators.items()}
        return {"": Place(self._graph.file), **places}

    def _port(self, name: str, field: str) -> Port | None:
        """The output that is meant; of a sink its input, under the name ``in``. Adds an error if there is none."""
        pointer = key(key(self._case.pointer, field), name)
        operator, dot, port = name.partition(".")
        known = self._operators.get(operator)
        if known is None:
            self._found.append(self._tests.wrong(pointer, "unknown_operator", f"the graph has no operator `{operator}`",
                                                 meant(operator, self._operators)))
            return None
        outputs = [one["name"] for one in known["outputs"]]
        if outputs == ["errors"] and not dot:
            if field == "expect":
                return operator, "in"
            self._found.append(self._tests.wrong(pointer, "input", f"`{operator}` is a sink: nothing reads rows of it",
                                                 "give rows to what leads to it, or name it under \"expect\""))
            return None
        port = port if dot else "out"
        if port not in outputs:
            written = [one if one != "out" else operator for one in outputs]
            self._found.append(self._tests.wrong(pointer, "unknown_port", f"`{operator}` has no output `{port}`",
                                                 meant(port, written) if dot else
                                                 "write " + " or ".join(f"{operator}.{one}" for one in outputs)))
            return None
        if port == "errors" and known["on_error"] != "dead_letter":
            self._found.append(self._tests.wrong(pointer, "dead_letter", f"nothing leaves by `{name}` under on_error "
                                                 f"{known['on_error']}", 'write "on_error": {"type": "dead_letter"} there'))
            return None
        return operator, port

    def _leading_to(self, watched: Any, cut: set[str]) -> set[str]:
        """The operators that rows pass on their way to what is watched, from the stubs on."""
        kept: set[str] = set()
        waiting = [operator for operator, _ in watched]
        while waiting:
            operator = waiting.pop()
            if operator not in kept:
                kept.add(operator)
                waiting += [] if operator in cut else [start for (start, _), end, _ in self._links if end == operator]
        return kept

    def _is_read(self, port: Port, kept: set[str], watched: Any) -> bool:
        return port in watched or any(start == port and end in kept for start, end, _ in self._links)

    def _is_summed(self, watched: Port, cut: set[str]) -> bool:
        return any(self._operators[one]["type"] == "aggregate" for one in self._leading_to([watched], cut) - cut)

    def _stub(self, operator: str, port: Mapping[str, Any], folder: Path, name: str | None) -> str:
        """A source of the rows of that port; its file is empty where the case gives none."""
        source = operator if port["name"] == "out" else self._unused(f"{operator}_{port['name']}")
        file = folder / f"{source}.jsonl"
        rows = [] if name is None else self._case.inputs[name]
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        made: dict[str, Any] = {"type": "file_source", "path": str(file), "format": "json",
                                "schema": port.get("declared", port["schema"])}
        if (time := port["event_time"]) is not None:
            made["event_time"] = {name: value for name, value in time.items() if value != []}
        if (parallelism := self._operators[operator]["parallelism"]) > 1:
            made["parallelism"] = parallelism
        self._made[source] = made
        return source

    def _watch(self, name: str, port: Port) -> str:
        sink = port[0] if port[1] == "in" else self._unused(f"watched_{name.replace('.', '_')}")
        self._made[sink] = {"type": "collect_sink"}
        return sink

    def _unused(self, name: str) -> str:
        while name in self._operators or name in self._made:
            name += "_"
        return name

    def _all_links(self, kept: set[str], cut: set[str], sources: Mapping[Port, str], watched: Mapping[str, Port],
                   sinks: Mapping[str, str]) -> list[dict[str, Any]]:
        links = []
        for (start, end, to_port), original in zip(self._links, self._content["links"], strict=True):
            if end not in kept or end in cut or start[0] not in kept:
                continue
            link = {**original, "from": sources.get(start, ".".join(start)), "to": f"{end}.{to_port}"}
            if (end, "in") in watched.values():
                link.pop("partition", None)     # the sink that is watched has one instance
            links.append(link)
        links += [{"from": sources.get(port, ".".join(port)), "to": sinks[name]} for name, port in watched.items()
                  if port[1] != "in"]
        leading = {link["from"] for link in links}
        for port in dict.fromkeys(start for start, _, _ in self._links):
            if port[0] in kept - cut and ".".join(port) not in leading:
                dropped = self._unused(f"{port[0]}_{port[1]}_dropped")
                self._made[dropped] = {"type": "discard_sink"}
                links.append({"from": ".".join(port), "to": dropped})
        return links


def _table_first(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """The operator; a ``lookup`` in a stream takes its whole table first, so that the rows of a case are the same each time."""
    table = written.get("from")
    if written["type"] != "lookup" or not isinstance(table, dict) or table.get("type") != "stream":
        return written
    return {**written, "from": {**table, "wait_for_end": True}}
