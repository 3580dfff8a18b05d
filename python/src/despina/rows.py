"""Rows that a ``collect_sink`` brought to Python: Arrow underneath, pandas, polars or plain dicts on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from despina.errors import RefusedError
from despina.html import table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

SHOWN_ROWS = 20


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
        """The same columns without a row, and without a hold on these."""
        return Rows(self._table.schema.empty_table())

    @property
    def column_names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self._table.column_names)

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

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as plain dicts."""
        return list(self._table.to_pylist())

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self._table.to_batches():
            yield from batch.to_pylist()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"Rows({len(self)} rows; {', '.join(f'{f.name} {f.type}' for f in self._table.schema)})"

    def _repr_html_(self) -> str:
        shown = self._table.slice(0, SHOWN_ROWS).to_pylist()
        more = f"{len(self)} rows" if len(self) <= SHOWN_ROWS else f"the first {SHOWN_ROWS} of {len(self)} rows"
        return table(self.column_names, [[row[name] for name in self.column_names] for row in shown], more)


def _require(package: str) -> None:
    import importlib.util
    if importlib.util.find_spec(package) is None:
        raise RefusedError("package_missing", f"{package} is not installed", f"pip install {package}")
