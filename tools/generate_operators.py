"""Writes ``python/src/despina/operators.py``, the builder's typed classes, from ``graphs/graph.schema.json``.

The schema comes from the engine's own declarations (``io.despina.catalogue`` and ``io.despina.descriptor``), so file, checker and
builder cannot disagree.
A test holds the written file to be current; run this after the schema has changed.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "graphs" / "graph.schema.json"
TARGET = ROOT / "python" / "src" / "despina" / "operators.py"
WIDTH = 120

HEAD = '''"""The words of the graph file as Python classes. Made from graphs/graph.schema.json by tools/generate_operators.py.

Every field has the file's name (``as`` and ``from`` are ``as_`` and ``from_``); what is not given is left out of the file.
Where a list of texts is meant, one text alone may be given; where a text is meant, a ``Path``, and in ``options`` a boolean or a
number. Where Spark SQL is meant, a ``Column`` of PySpark's may be given, and a ``StructType`` where a schema is.
"""

# ruff: noqa: D212

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypedDict

from despina.builder import UNSET, Operator, Param, Port, Unset, Variant, param
from despina.values import listed, texts

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

Expression: TypeAlias = "str | Column | Sequence[str]"
"""Spark SQL: a string, lines of one, or a Column of PySpark's."""
'''

PARTS = ("operator.part", "part", "part.inline", "part.file", "part_file")
"""What ``despina.part`` makes."""

Schema = dict[str, Any]


def class_name(definition: str) -> str:
    """``operator.file_source`` is FileSource, ``window.tumbling`` TumblingWindow, ``as_of`` AsOf."""
    family, _, member = definition.partition(".")
    words = member if family == "operator" else f"{member}_{family}" if member else family
    return "".join(part.capitalize() for part in words.split("_"))


def python_name(field: str) -> str:
    """A field's name as a Python argument."""
    return f"{field}_" if keyword.iskeyword(field) else field


def holds_texts(schema: Schema) -> bool:
    """Whether it is a text, or an expression."""
    return schema.get("type") == "string" or schema.get("$ref") == "#/$defs/expression"


def converter(schema: Schema) -> str:
    """What brings the value of such a field into the file's form; empty if it has it already."""
    if schema.get("type") == "array" and holds_texts(schema["items"]):
        return "listed"
    return "texts" if schema.get("type") == "object" and schema["additionalProperties"].get("type") == "string" else ""


def argument(name: str, field: Schema) -> str:
    """How a constructor hands a field on."""
    convert = converter(field)
    return f"{python_name(name)}={convert}({python_name(name)})" if convert else f"{python_name(name)}={python_name(name)}"


def field_type(name: str, field: Schema) -> str:
    """The Python type of an argument."""
    if name == "path" and field.get("type") == "string":
        return "str | PathLike[str]"
    if field.get("x-format") == "ddl":
        return "str | StructType"
    given = type_of(field)
    convert = converter(field)
    if convert == "listed":
        return f"{type_of(field['items'])} | {given}"
    return "Mapping[str, str | bool | float]" if convert == "texts" else given


def type_of(schema: Schema) -> str:
    """The Python type of what a field may hold."""
    if "$ref" in schema:
        return class_name(schema["$ref"].removeprefix("#/$defs/"))
    if "anyOf" in schema:
        value, _parameter = schema["anyOf"]
        return f"{type_of(value)} | Param"
    if "oneOf" in schema:
        return f"Literal[{', '.join(json.dumps(word['const']) for word in schema['oneOf'])}]"
    if schema["type"] == "array":
        return f"Sequence[{type_of(schema['items'])}]"
    if schema["type"] == "object":
        return f"Mapping[str, {type_of(schema['additionalProperties'])}]"
    return {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}[schema["type"]]


def in_a_row(text: str) -> str:
    """A description whose items stand in a list, as sentences."""
    return text.replace("\n- ", " ")


def field_doc(name: str, field: Schema) -> list[str]:
    """A ``:param`` line with the field's own words and its default."""
    words = in_a_row(field["description"]).rstrip(".")
    if "default" in field:
        words += f"; default {json.dumps(field['default'], ensure_ascii=False)}"
    elif "x-default" in field:
        words += f"; default: {field['x-default']}"
    choices = (field.get("anyOf") or [{}])[0].get("oneOf", ())
    listed = [f"``{choice['const']}`` {choice['description']}" for choice in choices]
    text = f":param {python_name(name)}: {'; '.join([words, *listed])}"
    return textwrap.wrap(text, WIDTH - 8, subsequent_indent="    ")


def render_class(name: str, schema: Schema) -> list[str]:
    """A class with a constructor of keywords, and for operators a property per named port."""
    is_operator = name.startswith("operator.")
    fields = {key: field for key, field in schema["properties"].items() if key != "type"}
    required = set(schema.get("required", ()))
    ordered = sorted(fields, key=lambda key: key not in required)
    lines = ["", "", f"class {class_name(name)}({'Operator' if is_operator else 'Variant'}):"]
    doc = [*textwrap.wrap(in_a_row(schema["description"]), WIDTH - 8), ""]
    doc += [line for key in ordered for line in field_doc(key, fields[key])]
    if fields or len(doc) > 2:
        lines += ['    """', *(f"    {line}".rstrip() for line in (doc if fields else doc[:-1])), '    """']
    else:
        lines.append(f'    """{doc[0]}"""')
    if "type" in schema["properties"]:
        lines += ["", f'    TYPE: ClassVar[str] = "{schema["properties"]["type"]["const"]}"']
    if fields:
        first = ["self", "id: str", "/"] if is_operator else ["self"]
        parameters = [f"{python_name(key)}: {field_type(key, fields[key])}{'' if key in required else ' | Unset = UNSET'}"
                      for key in ordered]
        passed = [*(["id"] if is_operator else []), *(argument(key, fields[key]) for key in fields)]
        lines += ["", "    def __init__(", f"        {', '.join([*first, '*'])},", *wrapped(parameters),
                  "    ) -> None:"]
        call = f"super().__init__({', '.join(passed)})"
        lines += textwrap.wrap(call, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12, break_long_words=False)
    else:
        lines += ["", "    def __init__(self) -> None:", "        super().__init__()"]
    further = schema.get("x-further-input")
    ports = [*schema.get("x-inputs", ()), *([further["port"]] if further else ()), *schema.get("x-outputs", ())]
    for port in ports:
        if not keyword.iskeyword(port):
            said = f", with ``{further['with']}``" if further and further["port"] == port else ""
            lines += ["", "    @property", f"    def {port}(self) -> Port:", f'        """The port ``{port}``{said}."""',
                      f'        return self.port("{port}")']
    return lines


def wrapped(parameters: list[str]) -> list[str]:
    """Lines of a constructor's parameters; one that lists many words takes more than one."""
    return [line for each in parameters for line in textwrap.wrap(
        f"{each},", WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False)]


def render_link_options(schema: Schema) -> list[str]:
    """What ``a.to(b, …)`` takes."""
    lines = ["", "", "class LinkOptions(TypedDict, total=False):", '    """What a link may say beside its ends."""', ""]
    for name, field in schema["properties"].items():
        if name not in ("from", "to"):
            lines += [f"    {name}: {type_of(field)}", f'    """{field["description"]}"""']
    return lines


def render(schema: Schema) -> str:
    """The whole module."""
    definitions: dict[str, Schema] = schema["$defs"]
    lines = HEAD.splitlines()
    unions = []
    names = ["Expression", "LinkOptions", "param"]
    for name, definition in definitions.items():
        if name in ("expression", "operator", "link") or name in PARTS:
            continue
        names.append(class_name(name))
        if "oneOf" in definition:
            members = [class_name(one["$ref"].removeprefix("#/$defs/")) for one in definition["oneOf"]]
            text = f"{class_name(name)} = {' | '.join(members)}"
            unions += ["", *([text] if len(text) <= WIDTH else [f"{class_name(name)} = (",
                             *textwrap.wrap(" | ".join(members), WIDTH, initial_indent="    ", subsequent_indent="    "), ")"])]
        else:
            lines += render_class(name, definition)
    lines += render_link_options(definitions["link"])
    lines += ["", *unions, "", "__all__ = ["]
    lines += textwrap.wrap(", ".join(f'"{name}"' for name in sorted(names)) + ",", WIDTH, initial_indent="    ",
                           subsequent_indent="    ")
    return "\n".join([*lines, "]", ""])


def main() -> int:
    """Writes the module."""
    TARGET.write_text(render(json.loads(SCHEMA.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
