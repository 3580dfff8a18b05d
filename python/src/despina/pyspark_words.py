"""PySpark's own objects where a graph has text: a ``Column`` as Spark SQL, a ``StructType`` as DDL.

A Column is a tree of nodes in Spark's JVM. Its own ``toString`` is for people: it drops DISTINCT, and writes ``1.5`` for a DOUBLE
that SQL would read as a DECIMAL. So the tree is read node by node, and what SQL has no words for is refused.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

INFIX = {"and": "AND", "or": "OR", **{sign: sign for sign in ("+", "-", "*", "/", "%", "&", "|", "^", "=", "<=>", "<", "<=", ">",
                                                             ">=", "<>", "||")}}
PREFIX = {"!": "NOT ", "not": "NOT ", "~": "~", "negative": "-"}
UNITS_FIRST = ("timestampdiff", "timestampadd")
"""Functions whose first argument is a word of the grammar."""
SPECIAL = frozenset("""any case current_catalog current_date current_path current_schema current_time current_timestamp
    current_user distinct exists false interval localtime localtimestamp map not null session_user some struct true user
    values""".upper().split())
"""Names that Spark's parser may take for something else than a column."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WRITE = "write SQL text in its place"


class NoWordsError(TypeError):
    """An object that no text says.

    :ivar hint: what to write
    """

    def __init__(self, what: str, hint: str = WRITE) -> None:
        super().__init__(what)
        self.hint = hint


def is_column(value: object) -> bool:
    """Whether it is a Column, of a classic session or of Spark Connect."""
    loaded = sys.modules.get("pyspark.sql.column")
    return loaded is not None and isinstance(value, loaded.Column)


def in_words(value: Any, field: str) -> Any:
    """The text of a Column or of a schema; anything else as it is.

    :param field: what errors begin with
    :raise NoWordsError: text has no form for it
    """
    if callable(value) and not isinstance(value, type) and not is_column(value):
        raise NoWordsError(f"{field} is a function of Python", "a graph has the functions of Spark SQL: write SQL text")
    types = sys.modules.get("pyspark.sql.types")
    if types is not None and isinstance(value, types.StructField):
        return _column_of_schema(value, " ")
    if types is not None and isinstance(value, list) and value and all(isinstance(each, types.StructField) for each in value):
        return ddl(types.StructType(value))
    if types is not None and isinstance(value, types.DataType):
        return ddl(value) if isinstance(value, types.StructType) else _type(value)
    return sql(value, field) if is_column(value) else value


def ddl(schema: Any) -> str:
    """A StructType as DDL. That arrays and maps hold no NULL is left out: DDL cannot say it."""
    return ", ".join(_column_of_schema(field, " ") for field in schema.fields)


def _column_of_schema(field: Any, between: str) -> str:
    return f"{quoted(field.name)}{between}{_type(field.dataType)}{'' if field.nullable else ' NOT NULL'}"


def _type(kind: Any) -> str:
    match kind.typeName():
        case "struct":
            return f"STRUCT<{', '.join(_column_of_schema(field, ': ') for field in kind.fields)}>"
        case "array":
            return f"ARRAY<{_type(kind.elementType)}>"
        case "map":
            return f"MAP<{_type(kind.keyType)}, {_type(kind.valueType)}>"
    return str(kind.simpleString()).upper()


def quoted(name: str) -> str:
    """A name as SQL has it: in backticks where it must be."""
    is_plain = NAME.fullmatch(name) is not None and name.upper() not in SPECIAL
    return name if is_plain else "`" + name.replace("`", "``") + "`"


def sql(column: Any, field: str) -> str:
    """A Column as Spark SQL text.

    :raise NoWordsError: SQL cannot say it, or its session was stopped
    """
    if not hasattr(column, "_jc"):
        raise NoWordsError(f"{field} is a Column of Spark Connect, and only those of a session in this process become text")
    from py4j.protocol import Py4JError
    try:
        return _written(column._jc.node())
    except NoWordsError as error:
        raise NoWordsError(f"{field} has {error}", error.hint) from None
    except (Py4JError, OSError, AttributeError) as error:
        raise NoWordsError(f"{field} is a Column whose Spark session was stopped",
                           "build the graph while the session lives, or write SQL text") from error


def _written(node: Any) -> str:
    kind = str(node.getClass().getSimpleName())
    write = WRITERS.get(kind)
    if kind == "ExpressionColumnNode":
        is_column = node.expression().getClass().getSimpleName() == "AttributeReference"
        raise NoWordsError(f"{node.sql()}, a column of a DataFrame" if is_column else "a function of Python or of Java",
                           f'F.col("{node.sql()}") names the column' if is_column else "a graph has the functions of Spark SQL")
    if write is None:
        raise NoWordsError(f"`{node.sql()}`, which SQL text cannot say ({kind})", HINTS.get(kind, WRITE))
    return str(write(node))


def _operand(node: Any) -> str:
    """In parentheses where what stands around it could draw it apart."""
    text = _written(node)
    return text if re.fullmatch(r"[\w.`]+|'[^'\\]*'", text) or _is_call(node) else f"({text})"


def _is_call(node: Any) -> bool:
    kind = str(node.getClass().getSimpleName())
    return kind in ("Cast", "UnresolvedExtractValue") or (
        kind == "UnresolvedFunction" and node.functionName() not in {*INFIX, *PREFIX, "in"})


def _all(sequence: Any) -> Iterator[Any]:
    """The elements of a Scala Seq."""
    return (sequence.apply(index) for index in range(sequence.size()))


def _function(node: Any) -> str:
    name, arguments = str(node.functionName()), list(_all(node.arguments()))
    if name in UNITS_FIRST:
        unit, *others = map(_written, arguments)
        return f"{name}({', '.join([unit[1:-1], *others])})"
    if node.isInternal():
        raise NoWordsError(f"`{node.sql()}`, a function that Spark's SQL does not have")
    if name in INFIX and len(arguments) == 2:
        return f" {INFIX[name]} ".join(map(_operand, arguments))
    if name in PREFIX and len(arguments) == 1:
        return PREFIX[name] + _operand(arguments[0])
    if name == "in":
        return f"{_operand(arguments[0])} IN ({', '.join(map(_written, arguments[1:]))})"
    called = name if NAME.fullmatch(name) else quoted(name)
    return f"{called}({'DISTINCT ' if node.isDistinct() else ''}{', '.join(map(_written, arguments))})"


def _literal(node: Any) -> str:
    value = node.value()
    if node.dataType().isDefined() and value is not None:
        raise NoWordsError(f"`{node.sql()}`, a literal of type {node.dataType().get().sql()}")
    match value:
        case None | bool():
            return str(node.sql()).upper()
        case int():
            return str(node.sql())      # which knows an INT from a BIGINT
        case float():
            return f"{value!r}D" if math.isfinite(value) else f"double('{value}')"
        case Decimal():
            return f"{value:f}BD"
        case str():
            return _text(value)
        case bytes() | bytearray():
            return f"X'{value.hex()}'"
        case _:
            return _time(node, value)


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _time(node: Any, value: Any) -> str:
    match value.getClass().getName():
        case "java.sql.Date" | "java.time.LocalDate":
            return f"DATE '{value.toString()}'"
        case "java.sql.Timestamp":
            return f"TIMESTAMP '{value.toInstant().toString()}'"
        case "java.time.Instant":
            return f"TIMESTAMP '{value.toString()}'"
        case "java.time.LocalDateTime":
            return f"TIMESTAMP_NTZ '{value.toString()}'"
        case "java.time.Duration":
            micros = value.getSeconds() * 10**6 + value.getNano() // 1000
            span = timedelta(microseconds=abs(micros))
            clock = str(timedelta(seconds=span.seconds, microseconds=span.microseconds))
            return f"INTERVAL '{'-' if micros < 0 else ''}{span.days} {clock}' DAY TO SECOND"
    raise NoWordsError(f"`{node.sql()}`, a literal of {value.getClass().getSimpleName()}")


def _alias(node: Any) -> str:
    names = [quoted(name) for name in _all(node.name())]
    if node.metadata().isDefined():
        raise NoWordsError(f"`{node.sql()}` with metadata, which SQL text cannot say")
    return f"{_written(node.child())} AS {names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}"


def _cast(node: Any) -> str:
    mode = "TRY_CAST" if "TRY" in node.evalMode().toString().upper() else "CAST"
    return f"{mode}({_written(node.child())} AS {node.dataType().sql()})"


def _case(node: Any) -> str:
    branches = "".join(f" WHEN {_written(pair._1())} THEN {_written(pair._2())}" for pair in _all(node.branches()))
    otherwise = f" ELSE {_written(node.otherwise().get())}" if node.otherwise().isDefined() else ""
    return f"CASE{branches}{otherwise} END"


def _lambda(node: Any) -> str:
    names = [str(variable.name()) for variable in _all(node.arguments())]
    return f"{names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'} -> {_written(node.function())}"


def _attribute(node: Any) -> str:
    return ".".join(quoted(part) for part in _all(node.nameParts()))


def _star(node: Any) -> str:
    target = node.unparsedTarget()
    return f"{target.get()}.*" if target.isDefined() else "*"


HINTS = {"Window": "an operator aggregate with a window does this", "SortOrder": "name the column alone"}
WRITERS: dict[str, Callable[[Any], str]] = {
    "UnresolvedFunction": _function, "Literal": _literal, "Alias": _alias, "Cast": _cast, "CaseWhenOtherwise": _case,
    "LambdaFunction": _lambda, "UnresolvedAttribute": _attribute, "UnresolvedStar": _star,
    "UnresolvedNamedLambdaVariable": lambda node: str(node.name()),
    "SqlExpression": lambda node: str(node.expression()),
    "UnresolvedExtractValue": lambda node: f"{_operand(node.child())}[{_written(node.extraction())}]",
}
