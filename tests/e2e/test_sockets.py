"""Rows that come and go by sockets, each job a command of its own."""

from __future__ import annotations

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
            command.interrupt()
            assert "2 in" in command.err()


def test_a_silent_device_ends_its_window(start: Start, tmp_path: Path) -> None:
    with Reader() as answers:
        counting = start("run", write(tmp_path / "counting.json", chain(
            ("source", {"type": "tcp_source", "port": 0, "format": "json", "schema": "device STRING, ts TIMESTAMP",
                        "event_time": {"column": "ts", "per": ["device"], "idle_after_ms": 300}}),
            ("count", {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 60_000},
                       "select": ["device", "count(*) AS n"]}),
            ("sink", answers.sink()))))
        with socket.create_connection(("127.0.0.1", port(counting))) as client:
            client.sendall(b'{"device": "a", "ts": "2026-01-01T00:00:01Z"}\n{"device": "a", "ts": "2026-01-01T00:00:02Z"}\n')
            assert answers.row() == {"device": "a", "n": 2}
            client.sendall(b'{"device": "a", "ts": "2026-01-01T00:00:03Z"}\n{"device": "a", "ts": "2026-01-01T00:01:00Z"}\n')
            assert answers.row() == {"device": "a", "n": 1}
        counting.interrupt()
        assert "1 late" in counting.err()


def test_the_windows_of_a_source_that_falls_silent_close_with_the_clock(start: Start, tmp_path: Path) -> None:
    with Reader() as answers:
        counting = start("run", write(tmp_path / "counting.json", chain(
            ("source", {"type": "tcp_source", "port": 0, "format": "json", "schema": "ts TIMESTAMP",
                        "event_time": {"column": "ts", "advance": {"after_ms": 300, "by": "clock"}}}),
            ("count", {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 1000}, "select": ["count(*) AS n"]}),
            ("sink", answers.sink()))))
        with socket.create_connection(("127.0.0.1", port(counting))) as client:
            client.sendall(b'{"ts": "2026-01-01T00:00:01.1Z"}\n{"ts": "2026-01-01T00:00:01.9Z"}\n')
            assert answers.row() == {"n": 2}
            client.sendall(b'{"ts": "2026-01-01T00:00:01.95Z"}\n{"ts": "2026-01-01T00:01:00Z"}\n')
            assert answers.row() == {"n": 1}
        counting.interrupt()
        assert "1 late" in counting.err()
        assert "silent" not in counting.err()


def test_the_last_points_of_a_silent_device_are_in_its_window(start: Start, tmp_path: Path) -> None:
    with Reader() as answers:
        counting = start("run", write(tmp_path / "counting.json", chain(
            ("source", {"type": "tcp_source", "port": 0, "format": "json", "schema": "device STRING, ts TIMESTAMP, x INT",
                        "event_time": {"column": "ts", "order_by": ["x"], "per": ["device"], "idle_after_ms": 300}}),
            ("points", {"type": "resample", "group_by": ["device"], "every_ms": 1000, "fill": {"x": {"type": "previous"}},
                        "ends_after_ms": 5000, "accept": ["late"]}),
            ("count", {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 60_000},
                       "select": ["device", "count(*) AS n", "sum(x) AS total"], "accept": ["late"]}),
            ("sink", answers.sink()))))
        with socket.create_connection(("127.0.0.1", port(counting))) as client:
            client.sendall(b'{"device": "a", "ts": "2026-01-01T00:00:01Z", "x": 1}\n'
                           b'{"device": "a", "ts": "2026-01-01T00:00:02.5Z", "x": 10}\n')
            assert answers.row() == {"device": "a", "n": 7, "total": 2 + 50}
        counting.interrupt()
        assert "late" not in counting.err()


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_where_a_source_listens_is_a_plain_line(start: Start, tmp_path: Path, quiet: list[str]) -> None:
    command = start("run", write(tmp_path / "g.json", chain(
        ("source", {"type": "tcp_source", "port": 0, **ROWS}), ("sink", {"type": "discard_sink"}))), *quiet)
    found = port(command)
    command.interrupt()
    assert f"source listens on 127.0.0.1:{found}" in command.err().splitlines()
    assert "WARN" not in command.err()
