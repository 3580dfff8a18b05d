"""Columns as a graph writes them, Spark's DDL, as the Arrow schema of which a Python function gets them. It needs no engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from despina.errors import RefusedError
from despina.values import caller

if TYPE_CHECKING:
    import pyarrow as pa

TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\w+|[<>(),:])")
MONTHS = frozenset({"YEAR", "MONTH"})


def schema(columns: str) -> pa.Schema:
    """Of columns as ``id BIGINT, at TIMESTAMP NOT NULL``.

    :raise RefusedError: they cannot be read
    """
    return _Reader(columns).schema()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[re.Match[str]] = []
        self._at = 0
        end = 0
        while text[end:].strip():
            found = TOKEN.match(text, end)
            if found is None:
                raise self._refused(f"nothing can be made of `{text[end:].strip()}`")
            self._found.append(found)
            end = found.end()

    def schema(self) -> pa.Schema:
        import pyarrow as pa

        return pa.schema(self._fields(end=None))

    def _refused(self, why: str) -> RefusedError:
        return RefusedError("schema", f"cannot read the columns `{self._text}`: {why}",
                            'write names with types of Spark, as "id BIGINT, at TIMESTAMP"', caller())

    def _next(self) -> str | None:
        return self._found[self._at][1] if self._at < len(self._found) else None

    def _takes(self, word: str) -> bool:
        found = (self._next() or "").upper() == word
        self._at += found
        return found

    def _need(self, word: str) -> None:
        if not self._takes(word):
            raise self._refused(f"`{word}` is missing before `{self._next() or 'the end'}`")

    def _word(self, what: str) -> str:
        token = self._next()
        if token is None or not (token[0] == "`" or token[0].isalnum() or token[0] == "_"):
            raise self._refused(f"{what} is missing before `{token or 'the end'}`")
        self._at += 1
        return token[1:-1].replace("``", "`") if token[0] == "`" else token

    def _fields(self, end: str | None) -> list[pa.Field]:
        """Up to that token, or to the end."""
        import pyarrow as pa

        fields = []
        while True:
            name = self._word("a name")
            self._takes(":")
            first = self._at
            kind = self._type()
            sql = self._text[self._found[first].start(1):self._found[self._at - 1].end()]
            nullable = not self._takes("NOT")
            if not nullable:
                self._need("NULL")
            if self._takes("COMMENT"):
                self._at += 1
            fields.append(pa.field(name, kind, nullable, {b"sql": sql.encode()}))
            if self._next() == end:
                self._at += end is not None
                return fields
            self._need(",")

    def _type(self) -> pa.DataType:
        import pyarrow as pa

        name = self._word("a type").upper()
        if name in ("DECIMAL", "DEC", "NUMERIC"):
            return pa.decimal128(*self._numbers(10, 0))
        if name in ("CHAR", "VARCHAR"):
            self._numbers(0, 0)
            return pa.string()
        if name == "INTERVAL":
            unit = self._word("a unit").upper()
            if self._takes("TO"):
                self._word("a unit")
            return pa.int32() if unit in MONTHS else pa.duration("us")
        if name in ("ARRAY", "MAP", "STRUCT"):
            return self._nested(name)
        simple = {
            "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "BYTE": pa.int8(), "SMALLINT": pa.int16(), "SHORT": pa.int16(),
            "INT": pa.int32(), "INTEGER": pa.int32(), "BIGINT": pa.int64(), "LONG": pa.int64(), "FLOAT": pa.float32(),
            "REAL": pa.float32(), "DOUBLE": pa.float64(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us", "UTC"),
            "TIMESTAMP_LTZ": pa.timestamp("us", "UTC"), "TIMESTAMP_NTZ": pa.timestamp("us"), "STRING": pa.string(),
            "BINARY": pa.binary()}
        if name not in simple:
            raise self._refused(f"there is no type `{name}`")
        return simple[name]

    def _nested(self, name: str) -> pa.DataType:
        import pyarrow as pa

        self._need("<")
        if name == "STRUCT":
            return pa.struct(self._fields(">"))
        first = self._type()
        if name == "ARRAY":
            self._need(">")
            return pa.list_(pa.field("item", first))
        self._need(",")
        second = self._type()
        self._need(">")
        return pa.map_(first, second)

    def _numbers(self, first: int, second: int) -> tuple[int, int]:
        """Those in brackets; the given ones in place of those that are missing."""
        if not self._takes("("):
            return first, second
        found = [self._number()]
        if self._takes(","):
            found.append(self._number())
        self._need(")")
        return found[0], found[1] if len(found) > 1 else second

    def _number(self) -> int:
        word = self._word("a number")
        if not word.isdecimal():
            raise self._refused(f"`{word}` is no number")
        return int(word)
