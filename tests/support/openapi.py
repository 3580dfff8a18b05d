"""Requests made of an OpenAPI document: what its schemas allow, also with values that name what is there, and some of what they
do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

ARROW = "application/vnd.apache.arrow.stream"
ODD = ("", " ", "..", "/", "%2e", "\x00", "a\nb", "é", "\U0001f4a9", "x" * 300, "-1", "null", "{}", "*", "${env:HOME}")
"""Texts at which programs stumble."""
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.sampled_from(ODD)
ANY = st.recursive(PLAIN, lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=10), inside, max_size=3),
                   max_leaves=5)
KINDS: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}
Known = Mapping[str, Sequence[Any]]
"""By the name of a parameter or a field, what there is."""


@dataclass(frozen=True)
class Request:
    """What is sent.

    :ivar target: path and query
    """

    method: str
    target: str
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class Operation:
    """One of a document's."""

    document: Mapping[str, Any]
    method: str
    path: str
    spec: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def requests(self, known: Known) -> SearchStrategy[Request]:
        """Any."""
        parameters = self.spec.get("parameters", ())
        given = st.fixed_dictionaries(
            {(each["in"], each["name"]): self._value(each["schema"], each["name"], known)
             for each in parameters if each.get("required")},
            optional={(each["in"], each["name"]): self._value(each["schema"], each["name"], known)
                      for each in parameters if not each.get("required")})
        return st.builds(self._made, given, self._body(known))

    def _made(self, given: Mapping[tuple[str, str], Any], body: tuple[str, bytes]) -> Request:
        path = self.path
        for (place, name), value in given.items():
            if place == "path":
                path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
        query = urlencode([(name, _text(each)) for (place, name), value in given.items() if place == "query"
                           for each in (value if isinstance(value, list) else [value])])
        headers = {name: _text(value).encode("ascii", "ignore").decode().replace("\n", "").replace("\0", "").strip()
                   for (place, name), value in given.items() if place == "header"}
        kind, content = body
        return Request(self.method, path + (f"?{query}" if query else ""), headers | ({"content-type": kind} if kind else {}),
                       content)

    def _body(self, known: Known) -> SearchStrategy[tuple[str, bytes]]:
        kinds = self.spec.get("requestBody", {}).get("content", {})
        if not kinds:
            return st.just(("", b""))
        (kind, declared), = kinds.items()
        if kind == ARROW:
            return st.tuples(st.just(kind), st.binary(max_size=100) | st.sampled_from(streams()))
        if kind != "application/json":
            return st.tuples(st.just(kind), st.binary(max_size=100))
        fitting = self._value(declared["schema"], "", known)
        written = (fitting | fitting | fitting | ANY).map(lambda value: json.dumps(value).encode())
        return st.tuples(st.just(kind), written | written | written | st.binary(max_size=20))

    def _value(self, schema: Mapping[str, Any], name: str, known: Known) -> SearchStrategy[Any]:
        if "$ref" in schema:
            return self._value(self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], name, known)
        if "anyOf" in schema:
            return st.one_of([self._value(each, name, known) for each in schema["anyOf"]])
        if "const" in schema or "enum" in schema:
            return st.sampled_from(schema.get("enum") or [schema["const"]])
        made = self._typed(schema, name, known)
        there = [each for each in known.get(name, ()) if isinstance(each, KINDS.get(schema.get("type", ""), object))]
        return st.sampled_from(there) | st.sampled_from(there) | made if there else made

    def _typed(self, schema: Mapping[str, Any], name: str, known: Known) -> SearchStrategy[Any]:
        kind = schema.get("type")
        least, most = (schema.get(bound) if kind in ("integer", "number") else None for bound in ("minimum", "maximum"))
        if kind == "array":
            return st.lists(self._value(schema.get("items", {}), name, known), max_size=3)
        if kind == "object":
            return self._object(schema, known)
        if kind == "string":
            return self._string(schema)
        plain: dict[Any, SearchStrategy[Any]] = {"boolean": st.booleans(), "null": st.none(), "integer": st.integers(least, most),
                                                 "number": st.floats(least, most, allow_nan=False, allow_infinity=False)}
        return plain.get(kind, ANY)

    def _object(self, schema: Mapping[str, Any], known: Known) -> SearchStrategy[Any]:
        if "properties" not in schema:
            more = schema.get("additionalProperties", {})
            return st.dictionaries(st.sampled_from(ODD) | st.text(max_size=10),
                                   self._value(more if isinstance(more, dict) else {}, "", known), max_size=3)
        fields = {field: self._value(each, field, known) for field, each in schema["properties"].items()}
        required = set(schema.get("required", ()))
        return st.fixed_dictionaries({field: each for field, each in fields.items() if field in required},
                                     optional={field: each for field, each in fields.items() if field not in required})

    @staticmethod
    def _string(schema: Mapping[str, Any]) -> SearchStrategy[str]:
        any_text = st.text(max_size=min(40, schema.get("maxLength", 40))) | st.sampled_from(ODD)
        return st.from_regex(schema["pattern"], fullmatch=True) | any_text if "pattern" in schema else any_text


def _text(value: Any) -> str:
    """As a path, a query or a header has it."""
    return value if isinstance(value, str) else json.dumps(value)


def operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    """All of a document, but those whose answer does not end by itself."""
    for path, methods in document["paths"].items():
        for method, spec in methods.items():
            if not path.endswith("/live"):
                yield Operation(document, method.upper(), path, spec)


def streams() -> list[bytes]:
    """Arrow streams: of numbers, of none, of another column, with a piece that is missing, and with one too many."""
    def written(columns: Mapping[str, Any]) -> bytes:
        out = pyarrow.BufferOutputStream()
        table = pyarrow.table(dict(columns))
        with pyarrow.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table)
        return bytes(out.getvalue().to_pybytes())
    numbers = written({"n": pyarrow.array(range(100), pyarrow.int64())})
    return [numbers, written({"n": pyarrow.array([], pyarrow.int64())}), written({"text": ["a", None]}), numbers[:-20],
            numbers[:50] + numbers[80:], numbers + b"x", b""]
