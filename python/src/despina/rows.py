"""Rows that a ``collect_sink`` brought to Python: Arrow underneath, pandas, polars, Spark or plain dicts on request."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from despina.columns import is_number
from despina.errors import RefusedError
from despina.html import table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

SHOWN_ROWS = 20
REPR_ROWS = 10
REPR_WIDTH = 40
"""Characters of a value in a plain table."""


class Rows:
    """Immutable rows with names and types. Speaks the Arrow C stream protocol: ``polars.DataFrame(rows)`` copies nothing."""

    def __init__(self, arrow: pyarrow.Table) -> None:
        self._table = arrow

    @classmethod
    def from_streams(cls, streams: Sequence[bytes]) -> Rows:
        """Joins Arrow IPC streams of one schema, as the gateway gives them.

        :param streams: at least one, the first carries the schema
        """
        import pyarrow
        tables = [pyarrow.ipc.open_stream(stream).read_all() for stream in streams]
        return cls(pyarrow.concat_tables(tables))

    def none(self) -> Rows:
        """A table with the same columns and no rows, which does not keep these rows in memory."""
        return Rows(self._table.schema.empty_table())

    @property
    def column_names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self._table.column_names)

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns' names and Arrow types."""
        return self._table.schema

    def to_arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table; nothing is copied."""
        return self._table

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame."""
        _require("pandas")
        return self._table.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars frame."""
        _require("polars")
        import polars
        frame = polars.from_arrow(self._table)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_spark(self, spark: SparkSession) -> DataFrame:
        """The rows as a DataFrame of that session; a TIMESTAMP_NTZ stays one. They travel through the driver."""
        from pyspark.sql.pandas.types import from_arrow_schema
        frame: DataFrame = spark.createDataFrame(self._table, from_arrow_schema(self._table.schema, prefer_timestamp_ntz=True))
        return frame

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as plain dicts."""
        return list(self._table.to_pylist())

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Writes the rows to a csv file with a header; replaces an existing file.

        :raise RefusedError: a column is a list, a map or a struct
        """
        import pyarrow
        from pyarrow import csv
        nested = [field.name for field in self.schema if pyarrow.types.is_nested(field.type)]
        if nested:
            raise RefusedError("csv", f"csv has no form for column {nested[0]}, a {self.schema.field(nested[0]).type}",
                               "select its parts, or to_pandas().to_json(path)")
        csv.write_csv(self._table, os.fspath(path))

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Rows: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | Rows:
        """A row as a dict, from the end where negative; or some of the rows."""
        if isinstance(index, slice):
            first, end, step = index.indices(len(self))
            return Rows(self._table.slice(first, max(0, end - first)) if step == 1 else
                        self._table.take(list(range(first, end, step))))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return dict(self._table.slice(place, 1).to_pylist()[0])

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self._table.to_batches():
            yield from batch.to_pylist()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """The first rows as a plain table, then how many there are."""
        rows = self._table.slice(0, REPR_ROWS).to_pylist()
        cells = [[_cell(row[name]) for name in self.column_names] for row in rows]
        widths = [max(map(len, column)) for column in zip(self.column_names, *cells, strict=True)]
        right = [is_number(field.type) for field in self.schema]
        lines = ["  ".join(cell.rjust(width) if number else cell.ljust(width)
                           for cell, width, number in zip(line, widths, right, strict=True)).rstrip()
                 for line in [self.column_names, *cells]]
        if len(self) > REPR_ROWS:
            lines.append("…")
        return "\n".join([*lines, f"[{len(self):,} rows × {len(self.column_names)} columns]"])

    def _repr_html_(self) -> str:
        shown = [[_text(row[name]) for name in self.column_names] for row in self._table.slice(0, SHOWN_ROWS).to_pylist()]
        more = f"{len(self):,} rows" if len(self) <= SHOWN_ROWS else f"the first {SHOWN_ROWS} of {len(self):,} rows"
        return table(self.column_names, shown, more, right=[field.name for field in self.schema if is_number(field.type)])


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)


def _cell(value: object) -> str:
    text = " ".join(_text(value).split())
    return text if len(text) <= REPR_WIDTH else f"{text[:REPR_WIDTH - 1]}…"


def _require(package: str) -> None:
    import importlib.util
    if importlib.util.find_spec(package) is None:
        raise RefusedError("package_missing", f"{package} is not installed", f"pip install {package}")
