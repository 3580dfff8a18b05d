"""A database for tests of whole runs: SQLite, whose driver is the one that the JVM's tests have."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from despina.errors import StartError
from harness import postgres
from support.graphs import Fields

DRIVER = "org.sqlite.JDBC"


def driver_jar() -> Path:
    """The driver's jar, as Gradle has fetched it."""
    return jar("org.xerial", "sqlite-jdbc")


def jar(group: str, name: str) -> Path:
    """A jar that the JVM's tests have; skips the test where they have not fetched it."""
    try:
        return postgres.jar(group, name)
    except StartError as missing:
        pytest.skip(f"{missing}")


class Database:
    """A file of SQLite."""

    def __init__(self, file: Path, *statements: str) -> None:
        self._file = file
        for statement in statements:
            self.execute(statement)

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """What the statement gives."""
        with sqlite3.connect(self._file) as connection:
            found = connection.execute(statement).fetchall()
        connection.close()
        return found

    def connection(self, **fields: object) -> Fields:
        """How an operator reaches it."""
        return {"url": f"jdbc:sqlite:{self._file}", "driver": DRIVER, **fields}
