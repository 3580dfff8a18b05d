"""The PostgreSQL of :mod:`harness.postgres` for tests: asked by psycopg, and skipped where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from despina.errors import StartError
from harness import postgres
from support.databases import jar
from support.graphs import Fields

DRIVER = postgres.DRIVER


def driver_jar() -> Path:
    """The driver's jar, as Gradle has fetched it."""
    return jar("org.postgresql", "postgresql")


class Postgres(postgres.Server):
    """A server, and how tests reach it."""

    def execute(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What the statement gives, asked by a client of another code base."""
        import psycopg
        with psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", dbname="postgres",
                             autocommit=True) as connection:
            found = connection.execute(statement, parameters or None)
            return found.fetchall() if found.description else []

    def connection(self, schema: str = "public", **fields: object) -> Fields:
        """How an operator reaches it."""
        return {"url": self.url(schema), "driver": DRIVER, "user": "postgres", **fields}


@contextmanager
def running() -> Iterator[Postgres]:
    """A server that is gone in the end."""
    try:
        postgres.programs()
    except StartError as missing:
        pytest.skip(f"{missing}")
    with Postgres.running() as server:
        yield server
