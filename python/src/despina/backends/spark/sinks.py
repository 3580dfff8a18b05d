"""Sinks on Spark: what reaches a sink is written, counted or shown."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from despina.backends.spark.failures import told_of
from despina.errors import JobError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.plan import Operator

SHOWN_ROWS = 1000


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
    path, single = fields["path"], fields.get("single_file", False)
    replace = fields.get("if_exists", "error") == "replace"
    if single and not replace and Path(path).exists():
        raise JobError("exists", f"operator {operator.id}: {path} exists", hint='"if_exists": "replace" writes over it')
    target = f"{path}.despina" if single else path
    options = {name: str(value) for name, value in fields.get("options", {}).items()}
    with kept(frame):
        rows = int(frame.count())
        writer = (frame.coalesce(1) if single else frame).write.options(**options)
        writer.mode("overwrite" if replace or single else "errorifexists").format(fields["format"]).save(target)
    if single:
        (part,) = Path(target).glob("part-*")
        part.replace(path)
        shutil.rmtree(target)
    return rows
