"""Bad records of Python's functions on Spark. A task gives them beside its rows, in columns of their own: a function is called
once for both, and what it gives is divided behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from despina.backends.spark.form import CALLED
from despina.backends.spark.user_functions import arrow
from despina.backends.spark.views import quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from despina.backends.spark.form import Frames

REASON, RECORD, ROW = "_despina_reason", "_despina_record", "_despina_row"
"""Why a record is bad, NULL for a good row; what it is, where it is no row; the row, where it is one."""


@dataclass(frozen=True)
class Letters:
    """Makes batches of good rows, and of bad records, with the columns of both. Spark pickles it.

    ``both``: the columns that leave, then those of bad records.
    """

    both: pa.Schema

    @classmethod
    def of(cls, both: StructType) -> Letters:
        """``both``: as :func:`beside` gives them."""
        return cls(arrow(both))

    def good(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows that leave."""
        return self._filled(_cast(batch, list(self.both)), [], batch.num_rows)

    def bad(self, reasons: Sequence[str], records: Sequence[str | None], rows: pa.RecordBatch | None = None) -> pa.RecordBatch:
        """Bad records.

        :param rows: for each of them the row that it is; of one with a record, whatever there is
        """
        import pyarrow as pa
        texts = [pa.array(map(_text, reasons), self.both.field(REASON).type),
                 pa.array(map(_text, records), self.both.field(RECORD).type)]
        if rows is None:
            return self._filled([], texts, len(reasons))
        fields = list(self.both.field(ROW).type)
        mask = pa.array([record is not None for record in records], pa.bool_())
        of_rows = pa.StructArray.from_arrays(_cast(rows, fields), fields=fields, mask=mask)
        return self._filled([], [*texts, of_rows], len(reasons))

    def _filled(self, first: Sequence[pa.Array], last: Sequence[pa.Array], rows: int) -> pa.RecordBatch:
        """A batch that begins and ends with these columns, with NULLs between."""
        import pyarrow as pa
        between = list(self.both)[len(first):len(self.both) - len(last)]
        return pa.RecordBatch.from_arrays([*first, *(pa.nulls(rows, each.type) for each in between), *last], schema=self.both)


def _cast(batch: pa.RecordBatch, fields: Sequence[pa.Field]) -> list[pa.Array]:
    """The columns in the types of the first fields: times in another zone, say, are as they were."""
    return [column.cast(field.type) for column, field in zip(batch.columns, fields, strict=False)]


def _text(said: str | None) -> str | None:
    """What has no form in UTF-8 becomes a question mark, as on the engine."""
    return None if said is None else said.encode(errors="replace").decode()


def beside(rows: StructType, bad: StructType | None) -> StructType:
    """The columns of rows that leave, and those of bad records beside them.

    :param bad: the columns of rows that may be bad records; None where a bad record is a text
    """
    from pyspark.sql.types import StringType, StructField, StructType

    more = [] if bad is None else [StructField(ROW, bad)]
    return StructType([*(StructField(each.name, each.dataType) for each in rows), StructField(REASON, StringType()),
                       StructField(RECORD, StringType()), *more])


def divided(both: DataFrame, errors: Callable[[DataFrame], DataFrame]) -> Frames:
    """Both ports.

    :param errors: port ``errors``, of the bad records
    """
    names = [quoted(name) for name in both.columns[:both.columns.index(REASON)]]
    return {"out": both.where(f"{REASON} IS NULL").select(*names), "errors": errors(both.where(f"{REASON} IS NOT NULL")),
            CALLED: both}
