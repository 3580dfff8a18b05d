"""A database for tests of whole runs: SQLite, whose driver is the one that the JVM's tests have."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from support.graphs import Fields

DRIVER = "org.sqlite.JDBC"


def driver_jar() -> Path:
    """The driver's jar, as Gradle has fetched it."""
    return jar("org.xerial", "sqlite-jdbc")


def jar(group: str, name: str) -> Path:
    """A jar that the JVM's tests have; skips the test where they have not fetched it."""
    gradle = Path(os.environ.get("GRADLE_USER_HOME", Path.home() / ".gradle"))
    found = sorted(gradle.glob(f"caches/modules-2/files-2.1/{group}/{name}/*/*/{name}-*.jar"))
    jars = [each for each in found if not each.stem.endswith(("-sources", "-javadoc"))]
    if not jars:
        pytest.skip(f"no jar of {name} in {gradle}; the JVM's tests fetch it: tools/gradle.sh testClasses")
    return jars[-1]


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
