"""Tables of lakes with numbers in them, which deltalake and pyiceberg write and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.graphs import Fields

if TYPE_CHECKING:
    import pyarrow as pa

    from support.rest_catalog import RestCatalog


def _rows(numbers: Sequence[int]) -> pa.Table:
    import pyarrow as pa

    return pa.table({"n": pa.array(numbers, pa.int64())})


class Delta:
    """Tables in folders."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("deltalake", reason="it writes and reads the tables, and is of the extra dev")
        self._folder = folder

    def fields(self, table: str) -> Fields:
        """Where an operator finds it."""
        return {"path": str(self._folder / table)}

    def make(self, table: str) -> None:
        """One without rows."""
        from deltalake import DeltaTable

        DeltaTable.create(self._folder / table, _rows([]).schema)

    def append(self, table: str, numbers: Sequence[int]) -> None:
        """Rows."""
        from deltalake import write_deltalake

        write_deltalake(self._folder / table, _rows(numbers), mode="append")

    def version(self, table: str) -> int:
        """How many versions have come; 0 if there is no table."""
        return sum(1 for _ in (self._folder / table / "_delta_log").glob("0*.json"))

    def read(self, table: str) -> list[int]:
        """All numbers, in order."""
        from deltalake import DeltaTable

        if not self.version(table):
            return []
        found: list[int] = DeltaTable(self._folder / table).to_pyarrow_table()["n"].to_pylist()
        return sorted(found)


class Iceberg:
    """Tables of a REST catalog, with files of this machine."""

    def __init__(self, folder: Path, catalog: RestCatalog) -> None:
        self._folder, self._catalog = folder, catalog

    def start(self) -> None:
        """The catalog answers again."""
        self._catalog.start()

    def kill(self) -> None:
        """It does not."""
        self._catalog.kill()

    def freeze(self) -> None:
        """The catalog takes questions, and answers none."""
        self._catalog.freeze()

    def thaw(self) -> None:
        """It goes on."""
        self._catalog.thaw()

    def fields(self, table: str) -> Fields:
        """Where an operator finds it."""
        return {"catalog": {"type": "rest", "url": self._catalog.url, "table": f"lake.{table}",
                            "path": str(self._folder / "lake")}}

    def make(self, table: str) -> None:
        """One without rows."""
        self._catalog.catalog.create_table(f"lake.{table}", _rows([]).schema)

    def append(self, table: str, numbers: Sequence[int]) -> None:
        """Rows."""
        self._catalog.catalog.load_table(f"lake.{table}").append(_rows(numbers))

    def version(self, table: str) -> int:
        """How many snapshots have come; 0 if there is no table."""
        known = self._catalog.catalog
        return known.load_table(f"lake.{table}").metadata.last_sequence_number if known.table_exists(f"lake.{table}") else 0

    def read(self, table: str) -> list[int]:
        """All numbers, in order."""
        if not self.version(table):
            return []
        found: list[Any] = self._catalog.catalog.load_table(f"lake.{table}").scan().to_arrow()["n"].to_pylist()
        return sorted(found)


@contextmanager
def delta(folder: Path) -> Iterator[Delta]:
    """Tables below a folder."""
    yield Delta(folder)


@contextmanager
def iceberg(folder: Path) -> Iterator[Iceberg]:
    """A catalog that answers, and its tables below a folder."""
    pytest.importorskip("pyiceberg", reason="it writes and reads the tables, and is of the extra dev")
    from support import rest_catalog

    folder.mkdir(parents=True, exist_ok=True)
    with rest_catalog.running(folder, f"file://{folder}/lake") as catalog:
        yield Iceberg(folder, catalog)
