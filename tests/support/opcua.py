"""A server of OPC UA for tests: a small plant of Milo's server on the loopback interface, in a JVM of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from despina import installed
from support.graphs import Fields
from support.processes import ROOT, free_port

CLASS_PATH = ROOT / "build" / "opcua-server.classpath"
OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PUMP = "/Plant/line1/pump/Temperature"


class Plant:
    """A server, whose first pump counts its temperature up, or has what it is told."""

    def __init__(self, kept: Path | None = None) -> None:
        """:param kept: the file with all that the pump had, also after a kill; without it the pump counts"""
        if not CLASS_PATH.is_file():
            pytest.skip(f"no server of OPC UA: {CLASS_PATH} is made by make servers")
        port = free_port()
        self.url = f"opc.tcp://127.0.0.1:{port}/plant"
        self._arguments = [str(port), *([str(kept)] if kept else [])]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> Plant:
        """Starts it, and waits until it answers."""
        self._process = subprocess.Popen([installed.find_java().executable, *OPTIONS, "-cp", CLASS_PATH.read_text(),
                                          "io.despina.opcua.PlantServer", *self._arguments], text=True, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._says("ready")
        return self

    def _says(self, word: str) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == f"{word}\n"

    def send(self, numbers: Sequence[int]) -> None:
        """Lets the pump have each of these temperatures, one after the other, all in the server's history by then."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{numbers[0]} {numbers[-1]}\n")
        self._process.stdin.flush()
        self._says("had")

    def kill(self) -> None:
        """Ends it at once, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def freeze(self) -> None:
        """It takes and answers nothing more."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def running(kept: Path | None = None) -> Iterator[Plant]:
    """One that answers."""
    plant = Plant(kept)
    try:
        yield plant.start()
    finally:
        plant.kill()


def source(server: str, *nodes: str, **fields: Any) -> Fields:
    """Of what changes often, unless the fields say more."""
    return {"type": "opcua_source", "server": server, "nodes": list(nodes), "publish_ms": 20, **fields}
