"""Frames, columns and a graph's texts in SQL text."""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from despina.backends.spark.facade import facade

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_SETTLED = "_despina_settled"


def quoted(name: str) -> str:
    """A column name that SQL takes as it is."""
    return "`" + name.replace("`", "``") + "`"


def listed(texts: Iterable[str]) -> str:
    """Texts one after the other; the newline ends a comment at a text's end."""
    return ", ".join(f"{text}\n" for text in texts)


def view(frame: DataFrame) -> str:
    """Makes the frame a temporary view of its session and gives the view's name."""
    name = f"despina_{uuid.uuid4().hex}"
    frame.createOrReplaceTempView(name)
    return name


def queried(sql: str, frames: Mapping[str, DataFrame], spark: SparkSession) -> DataFrame:
    """The rows of a query over frames, by the name that it has for each: a view of each would be analysed for itself."""
    from pyspark.sql import DataFrame as Frame

    named = {name: frame._jdf for name, frame in frames.items()}
    return Frame(facade(spark).query(spark._jsparkSession, sql, named), spark)


def without(texts: Iterable[str], columns: Sequence[str], spark: SparkSession) -> list[str]:
    """The texts of a select list, in which a ``*`` does not mean these columns, named as SQL has them."""
    java = facade(spark)
    return [str(java.starWithout(text, list(columns))) for text in texts]


def named(text: str, spark: SparkSession) -> tuple[str, str | None]:
    """The expression of ``expr AS name``, and its name, None where it has none."""
    found = facade(spark).named(text)
    return found.sql(), found.name()


def settled(frame: DataFrame) -> DataFrame:
    """The same rows. No condition on them is asked before they are made, of what becomes none of them, as Spark would have it.

    There it might fail where the engine does not. Spark moves no condition below a column that is not the same each time.
    """
    columns = [quoted(column) for column in frame.columns]
    # The cheaper one is refused in streams.
    varying = "rand(0)" if frame.isStreaming else "monotonically_increasing_id()"
    return frame.selectExpr("*", f"{varying} AS {_SETTLED}").where(f"{_SETTLED} >= 0").selectExpr(*columns)


def apart(frame: DataFrame, operator: str) -> DataFrame:
    """The same rows of a stream, as Spark shuffles them for this operator alone.

    Of operators that are grouped alike Spark would shuffle the rows once, and then know no watermark of the second. A column that
    is not the same each time, by a seed of the operator's, tells them apart.
    """
    seed = zlib.crc32(operator.encode())
    return frame.selectExpr("*", f"rand({seed}) AS {_SETTLED}").where(f"{_SETTLED} >= 0").drop(_SETTLED)


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


class Counted:
    """Rows that Spark counts while it works them out once."""

    def __init__(self, frame: DataFrame) -> None:
        from pyspark.sql import Observation
        from pyspark.sql.functions import count, lit

        self._seen = Observation()
        self.frame = frame.observe(self._seen, count(lit(1)).alias("rows"))

    def rows(self) -> int:
        """How many there were; to be asked for when Spark is done with them."""
        return int(self._seen.get["rows"])


def worked_out(frame: DataFrame) -> int:
    """Works out every value and counts the rows. ``frame.count()`` leaves out columns, and with them what fails there."""
    counted = Counted(frame)
    counted.frame.write.format("noop").mode("overwrite").save()
    return counted.rows()
