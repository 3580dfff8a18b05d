"""Files, written as the engine would: what cannot be written is refused in the same words."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from despina.backends.spark import outputs
from despina.backends.spark.views import Counted, kept
from despina.errors import JobError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator


WRITTEN_ANEW = ("_SUCCESS", "._SUCCESS.crc")


def check(operator: Operator, spark: SparkSession) -> None:
    """Whether it may write there.

    :raise JobError: it may not, as on the engine
    """
    outputs.earlier(operator, spark)


def write(operator: Operator, frame: DataFrame, graph: GraphText) -> int:
    """Replaces or adds what ``if_exists`` allows."""
    if outputs.local(operator.fields["path"]) is None:
        with kept(frame):       # elsewhere Spark removes what is there before it works out a row, which may fail
            rows = int(frame.count())
            replace = operator.fields.get("if_exists", "error") == "replace"
            _writer(operator, frame).mode("overwrite" if replace else "errorifexists").save(operator.fields["path"])
        return rows
    counted = Counted(frame)
    if operator.fields.get("single_file", False):
        _one_file(operator, _writer(operator, counted.frame.coalesce(1)), frame.sparkSession)
    else:
        _folder(operator, _writer(operator, counted.frame), frame.sparkSession)
    return counted.rows()


def _writer(operator: Operator, frame: DataFrame) -> DataFrameWriter:
    options = {name: str(value) for name, value in operator.fields.get("options", {}).items()}
    return frame.write.options(**options).format(operator.fields["format"])


def _folder(operator: Operator, writer: DataFrameWriter, spark: SparkSession) -> None:
    # Spark's own overwriting removes the folder with all that it holds, and before anything is written.
    older = outputs.earlier(operator, spark)
    writer.mode("append").save(operator.fields["path"])
    for file in older:
        if file.name not in WRITTEN_ANEW:
            file.unlink()


def _one_file(operator: Operator, writer: DataFrameWriter, spark: SparkSession) -> None:
    outputs.earlier(operator, spark)
    path = outputs.local(operator.fields["path"])
    assert path is not None, "outputs.earlier refuses one file elsewhere"
    folder = path.with_name(f".{path.name}.despina")
    try:
        writer.mode("overwrite").save(f"file:{folder}")
        parts = list(folder.glob("part-*"))
        if len(parts) != 1:
            raise JobError("output", f"operator {operator.id}: Spark wrote {len(parts)} files into {folder}, not one")
        parts[0].replace(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
