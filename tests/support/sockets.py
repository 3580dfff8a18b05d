"""A job between two programs: rows go to it over TCP one by one, and what it makes of them comes back the same way."""

from __future__ import annotations

import json
import re
import select
import socket
from io import BufferedReader
from typing import Any, Self

from support.graphs import Fields
from support.processes import END_S, Command

Row = dict[str, Any]


class Reader:
    """Where a ``tcp_sink`` sends its rows as JSON."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(END_S)
        self._lines: BufferedReader | None = None

    def sink(self) -> Fields:
        """What sends rows here."""
        return {"type": "tcp_sink", "host": "127.0.0.1", "port": self._server.getsockname()[1], "format": "json"}

    def row(self) -> Row:
        """The next row."""
        row: Row = json.loads(self._stream().readline())
        return row

    def has_row(self, other: Reader) -> bool:
        """Whether the next row of both is here and not there; a row there is read."""
        mine, theirs = self._stream(), other._stream()
        ready, _, _ = select.select([mine, theirs], [], [], END_S)
        if mine not in ready:
            other.row()
        return mine in ready

    def _stream(self) -> BufferedReader:
        if self._lines is None:
            connection, _ = self._server.accept()
            connection.settimeout(END_S)
            self._lines = connection.makefile("rb")
            connection.close()
        return self._lines

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lines is not None:
            self._lines.close()
        self._server.close()


def port(command: Command, operator: str = "source") -> int:
    """The free port that a source has chosen."""
    command.says("listens on ")
    found = re.search(rf"{operator}.* listens on [\d.]+:(\d+)", command.err())
    assert found, command.err()
    return int(found[1])
