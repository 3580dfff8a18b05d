"""Files of csv, json lines, text, parquet and xml, and files as they are."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from despina.backends.spark.facade import elements, facade
from despina.backends.spark.outputs import local
from despina.backends.spark.views import quoted
from despina.errors import JobError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField, StructType

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator

_CORRUPT = "_despina_corrupt_record"
_BY_PLACE = ("write the schema with the header's names in its order; or find columns by name: add "
             '"columns_by": "name"; or ignore the header: add "enforceSchema": "true" to the options')
_FORMATS = {"json": "despina-json", "parquet": "despina-parquet"}
"""Formats of our jar in place of Spark's own, which keep less or say less: by these names where Spark finds the files."""
_WHOLE = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"
"""What Spark has of a file as it is."""
_GLOB = re.compile(r"[*?\[\]{}\\]")


@dataclass(frozen=True)
class _Files:
    """Files whose folders give them the same columns."""

    schema: StructType
    """Of the files, without the columns that their folders give."""
    read: Callable[[str, StructType, dict[str, str]], DataFrame]
    """By format, schema and options; the folders' columns are the last ones."""
    found: Any
    """The same files in the JVM; None in streams, where Spark finds them."""


def translate(call: Call) -> Frames:
    """The records, bad ones as ``on_error`` says.

    In batch the engine's own classes find the files, and the columns that their folders give; in streams Spark does.
    """
    frames = [_records(call, files) for files in (_in_stream(call) if call.is_streaming else _in_batch(call))]
    return {port: reduce(lambda a, b: a.unionAll(b), [frame[port] for frame in frames]) for port in frames[0]}


def _in_batch(call: Call) -> list[_Files]:
    return [_files(call, found) for found in _find(call)]


def _find(call: Call) -> list[Any]:
    return elements(facade(call.spark).files(
        call.spark._jsparkSession, call.operator.fields["path"], _options(call), _schema(call)))


def _files(call: Call, found: Any) -> _Files:
    from pyspark.sql import DataFrame as Frame

    return _Files(_of_files(call, found.columns()), lambda form, schema, options: Frame(
        found.read(form, schema.json(), options), call.spark), found)


def _schema(call: Call) -> str:
    return call.operator.outputs["out"].schema


def _names(call: Call) -> list[str]:
    from pyspark.sql.types import StructType

    return [quoted(name) for name in StructType.fromDDL(_schema(call)).names]


def _of_files(call: Call, folders: Sequence[str]) -> StructType:
    """The schema without the columns of folders."""
    from pyspark.sql.types import StructType

    left_out = elements(folders)
    return StructType([field for field in StructType.fromDDL(_schema(call)).fields if field.name not in left_out])


def _options(call: Call) -> dict[str, str]:
    fields = call.operator.fields
    unit = {"timestamp_unit": fields["timestamp_unit"]} if "timestamp_unit" in fields else {}
    return {name: str(value) for name, value in fields.get("options", {}).items()} | unit


def _in_stream(call: Call) -> list[_Files]:
    """The one kind of files that Spark's streams take.

    :raise JobError: Spark would not read each of those that are there now once
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.sql.types import StructType

    found, path = facade(call.spark), call.operator.fields["path"]
    try:
        kinds = _find(call)
    except Py4JJavaError:       # there is no file yet; what else it may be, the query will tell
        kinds = []
    if (why := found.notInStreams(kinds)) is not None:
        raise JobError("spark", f"operator {call.operator.id}: {path}: {why}", "give each kind of file a folder of its own")
    schema, columns = _of_files(call, kinds[0].columns() if kinds else []), StructType.fromDDL(_schema(call)).fields
    folder = _as_folder(path)
    base = found.baseOf(call.spark._jsparkSession, path, _options(call)) if kinds and _GLOB.search(folder) else None

    def read(form: str, given: StructType, options: dict[str, str]) -> DataFrame:
        every = StructType([*given.fields, *(field for field in columns if field.name not in given.names)])
        options = options if base is None else {**options, "basePath": base}
        return call.spark.readStream.schema(every).options(**options).format(_FORMATS.get(form, form)).load(folder)

    return [_Files(schema, read, None)]


def _records(call: Call, files: _Files) -> Frames:
    from pyspark.sql.functions import expr

    operator, fields, options = call.operator, call.operator.fields, _options(call)
    if fields["format"] == "raw":
        from pyspark.sql.types import StructType

        whole = files.read("raw", StructType.fromDDL(_WHOLE), options).selectExpr(f"content AS {_names(call)[0]}")
        return {"out": whole, "errors": _bad(operator, whole.where("false"), "''")}
    if fields["format"] in ("text", "parquet"):
        records = files.read(fields["format"], _with_defaults(operator, files.schema.fields, call.spark), options)
        if encoding := fields["format"] == "text" and _named(options, "encoding"):     # Spark's own reader hands the bytes on
            line = files.schema.names[0]
            records = records.withColumn(line, expr(f"decode(CAST({quoted(line)} AS BINARY), '{encoding}')"))
        records = records.selectExpr(*_names(call))
        return {"out": records, "errors": _bad(operator, records.where("false"), "''")}     # each is good, or the file is bad
    if fields.get("columns_by") == "name":
        return _judged(operator, _by_name(call, files, options), files.schema)
    columns = len(files.schema.fields) if fields["columns"] == len(_names(call)) else fields["columns"]
    padding = _padding(columns, files.schema) if fields["format"] == "csv" else []
    options = _with(options, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT, "columnPruning": "false"})
    checks = fields["format"] == "csv" and all(
        (_named(options, name) or "false").lower() == value for name, value in (("header", "true"), ("enforceschema", "false")))
    exact = not padding and columns != 0
    if checks:
        options = _with(options, {"enforceSchema": "false" if exact else "true"})
    line = _with_defaults(operator, [*files.schema.fields, *padding, _corrupt()], call.spark)
    frame = files.read(fields["format"], line, options)
    if checks and not exact:
        _check_headers(call, files, columns, options)
    if fields["format"] == "json" and _named(options, "encoding", "charset").upper() == "ISO-8859-1":
        # Spark hands a bad record of json on as its bytes.
        frame = frame.withColumn(_CORRUPT, expr(f"decode(cast({_CORRUPT} AS BINARY), 'ISO-8859-1')"))
    if fields["format"] == "xml":       # Spark hands on the whole file for each bad row of it
        frame = frame.withColumn(_CORRUPT, expr(f"if({_CORRUPT} IS NULL, NULL, '')"))
    if fields["format"] == "csv" and columns == 0:
        frame = _without_extra(call, frame, options, any_columns=True)
    return _judged(operator, frame, files.schema)


def _with_defaults(operator: Operator, fields: Sequence[StructField], spark: SparkSession) -> StructType:
    """The columns, with what they are in records and files that leave them out, where Spark's readers look for it."""
    from pyspark.sql.types import StructField, StructType

    defaults = operator.outputs["out"].defaults
    return StructType([
        StructField(one.name, one.dataType, one.nullable,
                    {"EXISTS_DEFAULT": _default(defaults[one.name], one, spark)} if one.name in defaults else None)
        for one in fields])


def _default(literal: str, column: StructField, spark: SparkSession) -> str:
    """The default as a reader takes it, whose time zone need not be the graph's."""
    typed = f"CAST({literal} AS {column.dataType.simpleString()})"
    if column.dataType.typeName() != "timestamp":
        return typed
    moment = spark.sql(f"SELECT unix_micros({typed})").collect()[0][0]
    return "CAST(NULL AS TIMESTAMP)" if moment is None else f"timestamp_micros({moment})"


def _corrupt() -> StructField:
    from pyspark.sql.types import StringType, StructField

    return StructField(_CORRUPT, StringType())


def _by_name(call: Call, files: _Files, options: dict[str, str]) -> DataFrame:
    """Files whose headers say where the columns are: those with one header are read together.

    :raise JobError: a header lacks a column, or has it twice
    """
    from pyspark.sql.types import StringType, StructField, StructType

    groups = elements(files.found.byHeader(options))
    options = _with(options, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT, "columnPruning": "false",
                              "enforceSchema": "true"})
    known = {field.name.lower(): field for field in files.schema.fields}
    frames = []
    for group in groups:
        header = elements(group.header())
        _check_names(call.operator, group.uri(), header, files.schema.names)
        line = [known.get(name.lower(), StructField(f"_despina_{place}", StringType())) for place, name in enumerate(header)]
        read = _files(call, group).read("csv", StructType([*line, _corrupt()]), options)
        # A record is bad wherever its fault is, and the number of its columns is one.
        read = _without_extra(call, read, options, any_columns=call.operator.fields.get("extra_columns") == "ignore")
        frames.append(read.selectExpr(*_names(call), _CORRUPT))
    return reduce(lambda a, b: a.unionByName(b), frames) if frames else call.spark.createDataFrame(
        [], StructType([*StructType.fromDDL(_schema(call)).fields, _corrupt()]))


def _check_names(operator: Operator, uri: str, header: Sequence[str], names: Sequence[str]) -> None:
    found = [cell.lower() for cell in header]
    for name in names:
        where = f"operator {operator.id}: {uri}: the CSV header has"
        if name.lower() not in found:
            close = difflib.get_close_matches(name, header, 1)
            raise JobError("spark", f"{where} no column `{name}`",
                           f"did you mean `{close[0]}`?" if close else f"there are {', '.join(header)}")
        if found.count(name.lower()) > 1:
            raise JobError("spark", f"{where} the column `{name}` twice")


def _with(options: dict[str, str], ours: dict[str, str]) -> dict[str, str]:
    """Options whose names compare without case, some of them ours."""
    names = {name.lower() for name in ours}
    return {name: value for name, value in options.items() if name.lower() not in names} | ours


def _named(options: dict[str, str], *names: str) -> str:
    """The value of the first of the names that is written, without case."""
    given = {name.lower(): value for name, value in options.items()}
    return next((given[name] for name in names if name in given), "")


def _as_glob(path: str) -> str:
    """Spark takes every path for a glob; what is there under that very name is none, as on the engine."""
    here = local(path)
    return _GLOB.sub(r"\\\g<0>", path) if here is not None and here.exists() else path


def _as_folder(path: str) -> str:
    """For Spark's streams, which read what comes into a folder, or what a glob matches: a file is a glob that matches only it."""
    here, glob = local(path), _as_glob(path)
    if here is None or not here.is_file():
        return glob
    at = next(k for k in range(len(glob) - 1, -1, -1) if glob[k].isalnum())
    return f"{glob[:at]}[{glob[at]}]{glob[at + 1:]}"


def _padding(columns: int, schema: StructType) -> list[StructField]:
    """Columns beyond the schema, so that Spark counts the columns of each line as ``columns`` says."""
    from pyspark.sql.types import StringType, StructField

    return [StructField(f"_despina_{k}", StringType()) for k in range(len(schema.fields), columns)]


def _check_headers(call: Call, files: _Files, columns: int, options: dict[str, str]) -> None:
    """Spark's own check knows no columns beyond the schema, which here may have any name.

    :raise JobError: a file's header is not the schema's
    """
    for group in elements(files.found.byHeader(options)):
        problem = _mismatch(elements(group.header()), files.schema.names, columns)
        if problem is not None:
            where = f"operator {call.operator.id}: {group.uri()}"
            raise JobError("spark", f"{where}: the CSV header does not fit the schema: {problem}", _BY_PLACE)


def _mismatch(cells: list[str], names: list[str], columns: int) -> str | None:
    """Why a header is not the schema's, or None if it is; ``columns`` is 0 if it may have any number of more."""
    for place, (found, name) in enumerate(zip(cells, names, strict=False), 1):
        if found.lower() != name.lower():
            return f"its column {place} is `{found}`, the schema's is `{name}`"
    if len(cells) < len(names) or columns not in (0, len(cells)):
        return f"it has {len(cells)} column{'s' * (len(cells) != 1)} instead of {columns or len(names)}"
    return None


def _without_extra(call: Call, frame: DataFrame, options: dict[str, str], *, any_columns: bool) -> DataFrame:
    """Lines that have columns beyond the schema's are read once more, cut as the engine does.

    :param any_columns: whether they may have any; else they may have an empty one, behind a separator at their end
    """
    from pyspark.sql import DataFrame as Frame

    return Frame(facade(call.spark).withoutExtra(frame._jdf, _CORRUPT, options, any_columns), call.spark)


def _judged(operator: Operator, frame: DataFrame, of_files: StructType) -> Frames:
    from pyspark.sql.types import StructType

    columns = StructType.fromDDL(operator.outputs["out"].schema).names
    names, unread = [quoted(column) for column in columns], operator.fields.get("unread", [])
    # Naming every column keeps Spark from reading only those that are used: a record is bad wherever its fault is, but in a
    # column that the engine does not read either. Spark refuses to read none.
    judged = [quoted(column) for column in of_files.names if column not in unread] or [quoted(of_files.names[0])]
    read_all = f"(hash({', '.join(f'{name} IS NULL' for name in judged)}) & 0) = 0"
    bad = f"({_CORRUPT} IS NOT NULL AND {read_all})"
    if operator.on_error == "fail":
        complaint = f"concat('operator {operator.id}: bad record: ', {_CORRUPT})"
        return {"out": frame.where(f"if({bad}, raise_error({complaint}), true)").selectExpr(*names)}
    frames = {"out": frame.where(f"NOT ({bad})").selectExpr(*names)}
    if operator.on_error == "dead_letter":
        frames["errors"] = _bad(operator, frame.where(bad), _CORRUPT)
    return frames


def _bad(operator: Operator, frame: DataFrame, record: str) -> DataFrame:
    """Bad records in the form in which they leave by port ``errors``."""
    return frame.selectExpr("'bad record' AS reason", f"'{operator.id}' AS operator", f"{record} AS record")
