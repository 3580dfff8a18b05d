"""Programs at the other end of a socket whose machine vanishes: no packet says so, and both sides of the job notice."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from e2e.conftest import Start
from support import network
from support.graphs import Fields, write
from support.network import FAR, NEAR, Network

SILENT, TALKING, SINK, LIVE = 7300, 7301, 7302, 7303

READS = """
import socket, sys
listening = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
connection, _ = listening.accept()
for line in connection.makefile():
    print(line, end="", flush=True)
"""
TAKES_MESSAGES = """
import base64, hashlib, socket, sys
listening = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
connection, _ = listening.accept()
stream = connection.makefile("rb")
for line in iter(stream.readline, b"\\r\\n"):
    name, _, value = line.partition(b": ")
    if name.lower() == b"sec-websocket-key":
        accept = hashlib.sha1(value.strip() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
connection.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                   + b"Sec-WebSocket-Accept: " + base64.b64encode(accept) + b"\\r\\n\\r\\n")
while stream.read(1):
    print("a part of a message", flush=True)
"""
SENDS_A_PART = """
import socket, sys
client = socket.create_connection((sys.argv[1], int(sys.argv[2])))
client.sendall(b'{"id": "one"}\\n{"id"')
sys.stdin.read()
"""
SENDS_ON = """
import socket, sys, time
client = socket.create_connection((sys.argv[1], int(sys.argv[2])))
while True:
    client.sendall(b'{"id": 2}\\n')
    time.sleep(0.2)
"""


@contextmanager
def program(hosts: Network, host: str, text: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A program in Python on one of the hosts."""
    command = [*hosts.on(host), sys.executable, "-c", text, *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def test_a_source_and_sinks_notice_that_a_machine_has_vanished(start: Start, tmp_path: Path) -> None:
    if why := network.missing():
        pytest.skip(why)
    rows: Fields = {"host": NEAR, "format": "json", "schema": "id BIGINT"}
    graph: Fields = {
        "format": 1, "name": "g",
        "operators": {
            "silent": {"type": "tcp_source", "port": SILENT, "on_error": {"type": "dead_letter"}, **rows},
            "told": {"type": "console_sink"},
            "talking": {"type": "tcp_source", "port": TALKING, **rows},
            "sink": {"type": "tcp_sink", "host": FAR, "port": SINK, "format": "json", "retry_for_ms": 6_000},
            "live": {"type": "websocket_sink", "url": f"ws://{FAR}:{LIVE}/", "format": "json", "retry_for_ms": 6_000},
            "ignored": {"type": "discard_sink"},
        },
        "links": [{"from": "silent", "to": "ignored"}, {"from": "silent.errors", "to": "told"},
                  {"from": "talking", "to": "sink"}, {"from": "talking", "to": "live"}],
    }
    with ExitStack() as stack:
        hosts = stack.enter_context(Network())
        reader = stack.enter_context(program(hosts, FAR, READS, FAR, SINK))
        taker = stack.enter_context(program(hosts, FAR, TAKES_MESSAGES, FAR, LIVE))
        assert reader.stdout is not None
        assert taker.stdout is not None
        assert reader.stdout.readline() == taker.stdout.readline() == "ready\n"
        job = start("run", write(tmp_path / "g.json", graph), inside=hosts.on(NEAR))
        for port in (SILENT, TALKING):
            job.says(f"listens on {NEAR}:{port}")
        stack.enter_context(program(hosts, FAR, SENDS_A_PART, NEAR, SILENT))
        stack.enter_context(program(hosts, NEAR, SENDS_ON, NEAR, TALKING))
        assert reader.stdout.readline() == '{"id":2}\n'
        assert taker.stdout.readline() == "a part of a message\n"
        job.until(lambda: '"one"' in job.out(), "the client's first record")
        hosts.drop()
        job.until(lambda: "the connection was" in job.out(), "word of the client's connection")    # in as much as a column shows
        for peer in (f"{FAR}:{SINK}", f"ws://{FAR}:{LIVE}/"):
            job.says(f"lost the connection to {peer}: its machine no longer answers; trying again")
        ended = job.end()
    assert ended.code == 1
    assert re.search(rf"cannot reach (ws://)?{FAR}:\d+", ended.err)
