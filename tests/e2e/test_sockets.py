"""Rows that go from one job to another over a socket, each job a command of its own."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from e2e.conftest import Start
from support.graphs import Fields, chain, write
from support.sockets import Reader, port

ROWS = {"format": "json", "schema": "id BIGINT, word STRING"}


@pytest.mark.parametrize("scheme", ["http", "websocket"])
def test_what_one_job_sends_another_takes(start: Start, tmp_path: Path, scheme: str) -> None:
    with Reader() as answers:
        taking = start("run", write(tmp_path / "taking.json", chain(
            ("source", {"type": f"{scheme}_source", "port": 0, "path": "/rows", **ROWS}), ("sink", answers.sink()))))
        url = f"{'http' if scheme == 'http' else 'ws'}://127.0.0.1:{port(taking)}/rows"
        sink: Fields = {"type": f"{scheme}_sink", "url": url, "format": "json"}
        sending = start("run", write(tmp_path / "sending.json", chain(
            ("source", {"type": "tcp_source", "port": 0, **ROWS}), ("sink", sink))))
        with socket.create_connection(("127.0.0.1", port(sending))) as client:
            client.sendall(b'{"id": 1, "word": "one"}\n{"id": 2}\n')
            assert [answers.row(), answers.row()] == [{"id": 1, "word": "one"}, {"id": 2}]
        for command in (sending, taking):
            command.signal(signal.SIGINT)
            assert command.end().code == 130, command.err()
            assert "2 in" in command.err()
