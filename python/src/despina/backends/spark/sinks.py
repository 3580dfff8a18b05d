"""Sinks on Spark: what reaches a sink is written, counted or shown."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from despina.backends.spark import outputs
from despina.backends.spark.failures import told_of
from despina.errors import JobError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

    from despina.backends.spark.plan import Operator

SHOWN_ROWS = 1000
WRITTEN_ANEW = ("_SUCCESS", "._SUCCESS.crc")


@contextmanager
def kept(frame: DataFrame) -> Iterator[None]:
    """Here Spark works the frame out once, whatever is done with it; one that is kept already stays so."""
    if frame.is_cached:
        yield
        return
    frame.persist()
    try:
        yield
    finally:
        frame.unpersist()


def check(operator: Operator, spark: SparkSession) -> None:
    """Before anything is worked out: whether the sink may write.

    :raise JobError: it may not, as on the engine
    """
    if operator.type == "file_sink":
        with told_of(operator):
            outputs.earlier(operator, spark)


def write(operator: Operator, frame: DataFrame) -> int:
    """Brings the frame to its sink and gives the number of its rows.

    :raise JobError: Spark failed, in its own words
    """
    with told_of(operator):
        if operator.type == "file_sink":
            return _files(operator, frame)
        if operator.type == "console_sink":
            return _shown(frame)
        return int(frame.count())


def _shown(frame: DataFrame) -> int:
    with kept(frame):
        frame.show(SHOWN_ROWS, truncate=False)
        return int(frame.count())


def _files(operator: Operator, frame: DataFrame) -> int:
    fields = operator.fields
    options = {name: str(value) for name, value in fields.get("options", {}).items()}
    with kept(frame):
        rows = int(frame.count())
        if fields.get("single_file", False):
            _one_file(operator, frame.coalesce(1).write.options(**options).format(fields["format"]), frame.sparkSession)
        else:
            _folder(operator, frame.write.options(**options).format(fields["format"]), frame.sparkSession)
    return rows


def _folder(operator: Operator, writer: DataFrameWriter, spark: SparkSession) -> None:
    path = operator.fields["path"]
    if outputs.local(path) is None:
        replace = operator.fields.get("if_exists", "error") == "replace"
        writer.mode("overwrite" if replace else "errorifexists").save(path)
        return
    # Spark's own overwriting removes the folder with all that it holds, and before anything is written.
    older = outputs.earlier(operator, spark)
    writer.mode("append").save(path)
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
