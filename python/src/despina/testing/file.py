"""A file of tests: what it says, each part with its place, and everything that is wrong with it at once."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from despina.errors import Diagnostic, GraphError, Place
from despina.options import read_text

SUFFIX = ".test.json"
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)')
_FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "file": {"graph": (str,), "doc": (str,), "cases": (list,)},
    "case": {"name": (str,), "doc": (str,), "parameters": (dict,), "inputs": (dict,), "expect": (dict,), "ordered": (bool,)},
}
_REQUIRED = {"file": ("graph", "cases"), "case": ("name",)}
_WORDS = {str: "a string", list: "an array", dict: "an object", bool: "true or false"}


@dataclass(frozen=True)
class Case:
    """One case.

    :ivar inputs: rows by the port that they take the place of: ``operator`` or ``operator.port``
    :ivar expect: rows by the sink that they must reach, or the port that they must leave by; None if nothing is written yet
    :ivar ordered: whether the order of rows counts
    """

    name: str
    pointer: str
    parameters: Mapping[str, Any]
    inputs: Mapping[str, list[dict[str, Any]]]
    expect: Mapping[str, list[dict[str, Any]]] | None
    ordered: bool

    @property
    def texts(self) -> dict[str, str]:
        """Its parameters as graphs take them."""
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in self.parameters.items()}


@dataclass
class TestFile:
    """A file of tests for one graph."""

    __test__ = False

    path: Path
    content: dict[str, Any]
    places: Mapping[str, Place]
    cases: list[Case] = field(default_factory=list)

    @property
    def graph(self) -> Path:
        """The file of the graph, which is named relative to this one."""
        return self.path.parent / str(self.content["graph"])

    def place(self, pointer: str) -> Place:
        """Of the value there, or of what it would be in."""
        while pointer not in self.places and pointer:
            pointer = pointer.rpartition("/")[0]
        return self.places.get(pointer, Place(str(self.path)))

    def wrong(self, pointer: str, rule: str, message: str, hint: str = "") -> Diagnostic:
        """An error at a value of this file."""
        return Diagnostic(rule, message, hint=hint, place=self.place(pointer), pointer=pointer)


def key(pointer: str, name: str | int) -> str:
    """The pointer to a member."""
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def meant(name: str, known: Iterable[str]) -> str:
    """The hint that names what was meant, or all there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    return f"did you mean `{close[0]}`?" if close else f"there are {', '.join(names)}" if names else ""


def read(path: Path) -> TestFile:
    """The tests of that file.

    :raise GraphError: carries everything that is wrong with it
    :raise RefusedError: it cannot be read
    """
    text = read_text(path, "test")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place(str(path), error.lineno, error.colno)
        raise GraphError([Diagnostic("syntax", error.msg, place=place)]) from error
    places, twice = _places(text, str(path))
    tests = TestFile(path, content, places)
    found = [tests.wrong(pointer, "duplicate_key", f"the key `{pointer.rpartition('/')[2]}` stands here twice",
                         "leave one of them out") for pointer in twice]
    if not isinstance(content, dict):
        found.append(tests.wrong("", "wrong_type", "a file of tests is an object", 'write {"graph": …, "cases": […]}'))
    elif _fits(tests, "", content, "file", found):
        for index, case in enumerate(content["cases"]):
            _case(tests, key("/cases", index), case, found)
    if found:
        raise GraphError(sorted(found, key=lambda one: (one.place.line, one.place.column)))
    return tests


def beside(graph: Path) -> dict[str, Path]:
    """The files of tests beside a graph that are its own, by their names."""
    whole = graph.absolute()
    found = {}
    for path in sorted(whole.parent.glob(f"*{SUFFIX}")):
        with suppress(OSError, ValueError, RecursionError):     # that are in order is said where they run
            content = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(content, dict) and os.path.normpath(path.parent / str(content.get("graph"))) == os.path.normpath(whole):
                found[path.name] = path
    return found


def _fits(tests: TestFile, pointer: str, content: Any, kind: str, found: list[Diagnostic]) -> bool:
    """Whether an object has its fields; adds what is wrong with it."""
    if not isinstance(content, dict):
        found.append(tests.wrong(pointer, "wrong_type", f"a {kind} is an object"))
        return False
    before = len(found)
    for name, value in content.items():
        kinds = _FIELDS[kind].get(name)
        if kinds is None:
            found.append(tests.wrong(key(pointer, name), "unknown_field", f"unknown field `{name}` in a {kind} of tests"
                                     if kind == "file" else f"unknown field `{name}` in a case", meant(name, _FIELDS[kind])))
        elif not isinstance(value, kinds):
            found.append(tests.wrong(key(pointer, name), "wrong_type", f"`{name}` is {_WORDS[kinds[0]]}"))
    found += [tests.wrong(pointer, "missing_field", f"field `{name}` is missing") for name in _REQUIRED[kind]
              if name not in content]
    return len(found) == before


def _case(tests: TestFile, pointer: str, case: Any, found: list[Diagnostic]) -> None:
    if not _fits(tests, pointer, case, "case", found):
        return
    if any(case["name"] == other.name for other in tests.cases):
        found.append(tests.wrong(key(pointer, "name"), "duplicate_id", f"two cases have the name `{case['name']}`",
                                 "tell them apart: results are listed by it"))
    for name in ("inputs", "expect"):
        for port, rows in case.get(name, {}).items():
            where = key(key(pointer, name), port)
            if not isinstance(rows, list):
                found.append(tests.wrong(where, "wrong_type", f"the rows of `{port}` are an array of objects"))
                continue
            found += [tests.wrong(key(where, k), "wrong_type", "a row is an object: its columns by name")
                      for k, row in enumerate(rows) if not isinstance(row, dict)]
    found += [tests.wrong(key(key(pointer, "parameters"), name), "wrong_type", f"parameter `{name}` is no text",
                          "a parameter is a string, a number, or true or false")
              for name, value in case.get("parameters", {}).items() if not isinstance(value, (str, int, float))]
    tests.cases.append(Case(case["name"], pointer, case.get("parameters", {}), case.get("inputs", {}), case.get("expect"),
                            case.get("ordered", False)))


def _places(text: str, file: str) -> tuple[dict[str, Place], list[str]]:
    """Of every value of a JSON text, by its pointer, and the pointers of members that stand twice in their object."""
    places: dict[str, Place] = {}
    twice: list[str] = []
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    tokens = [(m.group(1), m.start(1)) for m in _TOKEN.finditer(text)]
    at, line = 0, 0

    def value(pointer: str) -> None:
        nonlocal at, line
        token, offset = tokens[at]
        at += 1
        while line + 1 < len(starts) and starts[line + 1] <= offset:
            line += 1
        if pointer in places:
            twice.append(pointer)
        places[pointer] = Place(file, line + 1, offset - starts[line] + 1)
        if token not in "{[":
            return
        count = 0
        while tokens[at][0] not in "}]":
            name: str | int = count
            if token == "{":
                name = str(json.loads(tokens[at][0]))
                at += 2     # the name and the colon
            value(key(pointer, name))
            at += tokens[at][0] == ","
            count += 1
        at += 1

    value("")
    return places, twice
