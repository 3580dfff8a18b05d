"""A server of ZooKeeper for tests: a JVM on the loopback interface, of the jars that Spark brings, with its folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from despina import installed
from support.processes import free_port, until

OPTIONS = ("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false")


class ZooKeeper:
    """One server, which is all of its ensemble."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", inside: Sequence[str] = ()) -> None:
        """:param inside: what makes a command run on that host"""
        self._folder, self._port, self._host, self._inside = folder, free_port(), host, inside
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True)
        (folder / "zoo.cfg").write_text(f"dataDir={folder / 'data'}\nclientPort={self._port}\nclientPortAddress={host}\n"
                                        "tickTime=2000\n")

    @property
    def url(self) -> str:
        """What ``--registry`` takes."""
        return f"zookeeper://{self._host}:{self._port}/despina"

    def start(self) -> None:
        """Starts it, with what an earlier start has left; waits until it listens."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._inside, str(installed.find_java().executable), *OPTIONS, "-cp", str(installed.spark_jars() / "*"),
                 "org.apache.zookeeper.server.ZooKeeperServerMain", str(self._folder / "zoo.cfg")], stdout=log, stderr=log)
        until(self._listens, f"ZooKeeper: {self._folder / 'server.log'}")

    def _listens(self) -> bool:
        connect = f"import socket; socket.create_connection(({self._host!r}, {self._port}), timeout=1)"
        tried = subprocess.run([*self._inside, sys.executable, "-S", "-c", connect], check=False, capture_output=True)
        return tried.returncode == 0

    def stop(self) -> None:
        """It is gone from one moment to the next."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def zookeeper(folder: Path, host: str = "127.0.0.1", inside: Sequence[str] = ()) -> Iterator[ZooKeeper]:
    """One that listens, until the block ends."""
    server = ZooKeeper(folder, host, inside)
    try:
        server.start()
        yield server
    finally:
        server.stop()
