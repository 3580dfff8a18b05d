"""Files of csv, json lines, text and parquet."""

from __future__ import annotations

import difflib
import re
from functools import reduce
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

from despina.backends.spark.outputs import local
from despina.backends.spark.views import quoted
from despina.errors import JobError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.streaming import DataStreamReader

    from despina.backends.spark.form import Call, Frames
    from despina.backends.spark.plan import Operator

_CORRUPT = "_despina_corrupt_record"
_BY_PLACE = ("write the schema with the header's names in its order; or find columns by name: add "
             '"columns_by": "name"; or ignore the header: add "enforceSchema": "true" to the options')
_GLOB = re.compile(r"[*?\[\]{}\\]")


def translate(call: Call) -> Frames:
    """The records, bad ones as ``on_error`` says."""
    from pyspark.sql.functions import expr

    operator, spark = call.operator, call.spark
    fields = operator.fields
    options = {name: str(value) for name, value in fields.get("options", {}).items()}
    path, schema = (_as_folder if call.is_streaming else _as_glob)(fields["path"]), operator.outputs["out"].schema
    reading: DataFrameReader | DataStreamReader = spark.readStream if call.is_streaming else spark.read
    if fields["format"] in ("text", "parquet"):
        records = reading.schema(schema).options(**options).format(fields["format"]).load(path)
        return {"out": records, "errors": _bad(operator, records.where("false"), "''")}     # each is good, or the file is bad
    if fields.get("columns_by") == "name":
        return _judged(operator, _by_name(operator, options, spark))
    padding = _padding(operator, schema) if fields["format"] == "csv" else ""
    reader = reading.schema(f"{schema}{padding}, {_CORRUPT} STRING")
    options = _with(options, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT, "columnPruning": "false"})
    checks = fields["format"] == "csv" and all(
        (_named(options, name) or "false").lower() == value for name, value in (("header", "true"), ("enforceschema", "false")))
    exact = not padding and fields["columns"] != 0
    if checks:
        options = _with(options, {"enforceSchema": "false" if exact else "true"})
    frame = reader.options(**options).format(fields["format"]).load(path)
    if checks and not exact:
        _check_headers(operator, frame, options, spark)
    if fields["format"] == "json" and _named(options, "encoding", "charset").upper() == "ISO-8859-1":
        # Spark hands a bad record of json on as its bytes.
        frame = frame.withColumn(_CORRUPT, expr(f"decode(cast({_CORRUPT} AS BINARY), 'ISO-8859-1')"))
    if fields["format"] == "csv" and fields["columns"] == 0:
        frame = _without_extra(frame, options, spark)
    return _judged(operator, frame)


def _by_name(operator: Operator, options: dict[str, str], spark: SparkSession) -> DataFrame:
    """Files whose headers say where the columns are: those with one header are read together.

    :raise JobError: a header lacks a column, or has it twice
    """
    from pyspark.sql.types import StringType, StructField, StructType

    schema = StructType.fromDDL(operator.outputs["out"].schema)
    names = [quoted(field.name) for field in schema.fields]
    headers = spark.read.options(**_with(options, {"header": "false", "inferSchema": "false", "enforceSchema": "true"}))
    groups: dict[tuple[str, ...], list[str]] = {}
    for uri in spark.read.format("text").load(_as_glob(operator.fields["path"])).inputFiles():
        file = _as_glob(unquote(uri))
        if (cells := headers.csv(file).first()) is not None:
            header = tuple(cell or "" for cell in cells)
            _check_names(operator, uri, header, schema.names)
            groups.setdefault(header, []).append(file)
    options = _with(options, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT, "columnPruning": "false",
                              "enforceSchema": "true"})
    known = {field.name.lower(): field for field in schema.fields}
    corrupt = StructField(_CORRUPT, StringType())
    frames = []
    for header, files in groups.items():
        line = [known.get(name.lower(), StructField(f"_despina_{place}", StringType())) for place, name in enumerate(header)]
        read = spark.read.schema(StructType([*line, corrupt])).options(**options).format("csv").load(files)
        # A record is bad wherever its fault is, and the number of its columns is one.
        frames.append(read.selectExpr(*names, _CORRUPT))
    return reduce(lambda a, b: a.unionByName(b), frames) if frames else spark.createDataFrame(
        [], StructType([*schema.fields, corrupt]))


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


def _padding(operator: Operator, schema: str) -> str:
    """Columns beyond the schema, so that Spark counts the columns of each line as ``columns`` says."""
    from pyspark.sql.types import StructType

    known = len(StructType.fromDDL(schema).fields)
    return "".join(f", _despina_{k} STRING" for k in range(known, operator.fields["columns"]))


def _check_headers(operator: Operator, frame: DataFrame, options: dict[str, str], spark: SparkSession) -> None:
    """Spark's own check knows no columns beyond the schema, which here may have any name.

    :raise JobError: a file's header is not the schema's
    """
    from pyspark.sql.types import StructType

    names = [field.name for field in StructType.fromDDL(operator.outputs["out"].schema).fields]
    reader = spark.read.options(**_with(options, {"header": "false", "inferSchema": "false"}))
    for uri in frame.inputFiles():
        cells = reader.csv(_as_glob(unquote(uri))).first()
        problem = None if cells is None else _mismatch([cell or "" for cell in cells], names, operator.fields["columns"])
        if problem is not None:
            raise JobError("spark", f"operator {operator.id}: {uri}: the CSV header does not fit the schema: {problem}",
                           _BY_PLACE)


def _mismatch(cells: list[str], names: list[str], columns: int) -> str | None:
    """Why a header is not the schema's, or None if it is; ``columns`` is 0 if it may have any number of more."""
    for place, (found, name) in enumerate(zip(cells, names, strict=False), 1):
        if found.lower() != name.lower():
            return f"its column {place} is `{found}`, the schema's is `{name}`"
    if len(cells) < len(names) or columns not in (0, len(cells)):
        return f"it has {len(cells)} column{'s' * (len(cells) != 1)} instead of {columns or len(names)}"
    return None


def _without_extra(frame: DataFrame, options: dict[str, str], spark: SparkSession) -> DataFrame:
    """Lines may have any number of columns beyond the schema's: those that have are read once more, cut as the engine does."""
    from pyspark.sql import DataFrame as Frame

    jvm = spark._jvm
    assert jvm is not None
    named = jvm.java.util.HashMap()
    for name, value in options.items():
        named.put(name, value)
    return cast("DataFrame", Frame(jvm.io.despina.expr.catalyst.text.CsvExtra.ignore(frame._jdf, _CORRUPT, named), spark))


def _judged(operator: Operator, frame: DataFrame) -> Frames:
    from pyspark.sql.types import StructType

    columns = StructType.fromDDL(operator.outputs["out"].schema).names
    names, unread = [quoted(column) for column in columns], operator.fields.get("unread", [])
    # Naming every column keeps Spark from reading only those that are used: a record is bad wherever its fault is, but in a
    # column that the engine does not read either. Spark refuses to read none.
    judged = [quoted(column) for column in columns if column not in unread] or names[:1]
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
