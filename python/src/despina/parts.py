"""Parts of graphs: the files that they are in, which go with a graph's text, and parts that are written in Python.

>>> import despina
>>> from despina import operators as op
>>> scan = op.Scan("scan", state={"last": {"initial": "${signal}", "next": "coalesce(${signal}, last)"}},
...                emit_when="${signal} <> last", select=["ts", "${signal} AS edge"])
>>> changes = despina.part("changes", inputs={"in": scan}, outputs={"out": scan}, parameters={"signal": {}})
>>> valve = changes("valve", signal="bm08")
>>> valve
Use('valve')

``rows >> valve`` and ``valve >> sink`` then link its ports as those of any operator, and a graph that is built of it has the
part.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from despina.builder import Operator, Port, assembled
from despina.errors import Place, RefusedError
from despina.options import read_text
from despina.values import Parameter, caller, parameter_text, plain, refusing

SEPARATOR = "\x1e"
"""Between a graph's text and the files of its parts: RFC 7464."""
INLINE, FILE = "inline", "file"
End = Operator | Port


def has_any(text: str) -> bool:
    """Whether a graph's text has parts, or seems to. A name may be written with escapes, and then is one all the same."""
    if '"parts"' in text or "\\u" not in text:
        return '"parts"' in text
    try:
        return "parts" in json.loads(text.partition(SEPARATOR)[0])
    except (ValueError, TypeError, RecursionError):
        return True     # who reads it says what is wrong


def sequence(text: str, file: str) -> str:
    """A graph's text, with the files of its parts behind it as the gateway takes them; the text alone if it names none.

    :param file: the graph's, from whose folder their paths are
    """
    contents: dict[str, dict[str, str]] = {}
    waiting = list(_named(text, ""))
    while waiting:
        name = waiting.pop(0)
        if name in contents:
            continue
        try:
            contents[name] = {"text": read_text(Path(file).parent / name, "part")}
            waiting += _named(contents[name]["text"], posixpath.dirname(name))
        except RefusedError as error:
            contents[name] = {"problem": error.message}     # which check tells, where it is named
        except ValueError:
            contents[name] = {"problem": "no file has such a name"}
    return f"{text}{SEPARATOR}{json.dumps(contents)}" if contents else text


def with_files(sent: str, more: Mapping[str, str]) -> str:
    """Such a sequence with more files behind it, as the tests of a graph that is kept.

    :param more: texts by path; what is there already stays
    """
    own, _, behind = sent.partition(SEPARATOR)
    contents = {**{name: {"text": text} for name, text in more.items()}, **json.loads(behind or "{}")}
    return f"{own}{SEPARATOR}{json.dumps(contents)}" if contents else own


def files(sent: str) -> dict[str, str]:
    """The files of such a sequence that were read, by their paths."""
    _, separator, behind = sent.partition(SEPARATOR)
    contents = json.loads(behind) if separator else {}
    return {name: found["text"] for name, found in contents.items() if "text" in found}


def paths(sent: str) -> list[str]:
    """The paths of all files of such a sequence, also of those that could not be read."""
    _, separator, behind = sent.partition(SEPARATOR)
    return list(json.loads(behind)) if separator else []


def beside(sent: str, graph: Path) -> dict[Path, str]:
    """The files of such a sequence that are not yet where the graph will find them.

    :param graph: the file that the graph is to be in
    :raise RefusedError: there is another one
    """
    found = {}
    for name, text in files(sent).items():
        target = graph.parent / name
        if not target.exists():
            found[target] = text
        elif read_text(target, "part") != text:
            raise RefusedError("file_exists", "the graph has a part that would be in this file, which has other content",
                               "save the graph to another folder", Place(str(target)))
    return found


def _named(text: str, folder: str) -> Iterator[str]:
    """The paths that a text names under its ``parts``."""
    if not has_any(text):
        return
    try:
        parts = json.loads(text).get("parts") or {}
        for part in parts.values():
            if isinstance(part, Mapping) and part.get("type") == FILE and isinstance(part.get("path"), str):
                yield posixpath.normpath(posixpath.join(folder, part["path"]))
    except (ValueError, AttributeError, RecursionError):
        return


class Part:
    """A part that graphs use by calling it; :func:`part` makes one."""

    def __init__(self, name: str, content: Mapping[str, Any], lines: Mapping[str, Place], place: Place) -> None:
        self.name = name
        self.content = dict(content)
        self.lines = dict(lines)
        """By JSON pointer in the part, the user's lines."""
        self.place = place
        self.needs: list[Part] = []

    def __call__(self, id_: str, /, *, doc: str = "", **parameters: Parameter) -> Use:
        """An operator that stands for the part's operators, whose ids begin with its own.

        :param parameters: values of the part's parameters
        """
        return Use(id_, self, doc, parameters)

    def __repr__(self) -> str:
        return f"Part({self.name!r})"


class Use(Operator):
    """The use of a part in a graph: ``port`` has the part's own ports."""

    TYPE = "part"

    def __init__(self, id_: str, of: Part, doc: str, parameters: Mapping[str, Parameter]) -> None:
        given = {name: parameter_text(name, value) for name, value in parameters.items()}
        super().__init__(id_, **({"doc": doc} if doc else {}), part=of.name, **({"parameters": given} if given else {}))
        self.of = of


def part(name: str, *operators: Operator, inputs: Mapping[str, End | Sequence[End]] | None = None,
         outputs: Mapping[str, End] | None = None, parameters: Mapping[str, Any] | None = None, doc: str = "",
         path: str | Path | None = None) -> Part:
    """A part of the operators that its ports name, of all that are linked to them, and of ``operators``.

    :param inputs: by port, which inputs of operators within its packets go to
    :param outputs: by port, the output within whose packets leave by it
    :param parameters: by name, a default or ``operators.Parameter(doc=…, default=…)``; ``{}`` for one that must be given
    :param path: in place of all that: the file that the part is in
    """
    place = caller()
    if path is not None:
        return Part(name, {"type": FILE, "path": str(path)}, {"": place}, place)
    ins = {port: _ends(ends, "in") for port, ends in (inputs or {}).items()}
    outs = {port: _ends(end, "out") for port, end in (outputs or {}).items()}
    named = [end.operator for ends in (*ins.values(), *outs.values()) for end in ends]
    with refusing(f"part {name!r}", place):
        head: dict[str, Any] = {"type": INLINE, **({"doc": doc} if doc else {})}
        if parameters:
            head["parameters"] = {key: value if isinstance(value, Mapping) and not value else _declared(key, value)
                                  for key, value in parameters.items()}
    if ins:
        head["inputs"] = {port: [_written(end, "in") for end in ends] for port, ends in ins.items()}
    if outs:
        head["outputs"] = {port: _written(end, "out") for port, (end, *_) in outs.items()}
    content, lines, found = assembled([*named, *operators])
    made = Part(name, {**head, **content}, {"": place, **lines}, place)
    made.needs = [each.of for each in found if isinstance(each, Use)]
    return made


def _declared(name: str, value: Any) -> Any:
    return plain(value, name) if isinstance(value, Mapping) or hasattr(value, "content") else {
        "default": parameter_text(name, value)}


def _ends(ends: Any, common: str) -> list[Port]:
    all_ = ends if isinstance(ends, Sequence) else [ends]
    return [end if isinstance(end, Port) else end.port(common) for end in all_]


def _written(end: Port, common: str) -> str:
    return end.operator.id if end.name == common else f"{end.operator.id}.{end.name}"


def of(operators: Sequence[Operator]) -> list[Part]:
    """The parts that operators use, and those that these use, each once.

    :raise RefusedError: two of one name
    """
    found: dict[str, Part] = {}
    waiting = [each.of for each in operators if isinstance(each, Use)]
    while waiting:
        one = waiting.pop(0)
        other = found.setdefault(one.name, one)
        if other is one:
            waiting += one.needs
        elif other.content != one.content:
            raise RefusedError("duplicate_id", f"two parts have the name {one.name!r}; the first is made at {other.place}",
                               "give each part its own name", one.place)
    return list(found.values())
