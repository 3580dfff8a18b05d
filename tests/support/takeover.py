"""A job of two resources that join, of which one command after the other takes the coordination over."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from support.graphs import Fields, chain, rows, write
from support.processes import Command, free_port
from support.written import written_lines

HERE = "127.0.0.1"
RATE_PER_S = 2_000
STANDS_BY = "standing by: another run has the state folder"


class Site:
    """The job, and the commands that run it."""

    def __init__(self, start: Callable[..., Command], folder: Path, seen: Fields | None = None, host: str = HERE) -> None:
        """:param seen: a second sink, of the same rows
        :param host: where the resources are"""
        self._start, state = start, folder / "state"
        self._state = str(state) if host == HERE else state.as_uri()
        self.out, self.secret = folder / "out", folder / "secret"
        self.secret.touch(0o600)
        self.secret.write_text(secrets.token_hex(16))
        self._ports = {"left": free_port(), "right": free_port()}
        sums: Fields = {"type": "scan", "state": {"total": {"initial": "0L", "next": "total + id"}},
                        "select": ["id", "next.total AS t"]}
        graph = chain(("source", rows(None, "id", rate_per_s=RATE_PER_S)), ("sums", sums),
                      ("sink", {"type": "file_sink", "path": str(self.out), "format": "csv", "roll_every_ms": 50}), name="plant")
        graph["links"][0]["fuse"] = False
        if seen is not None:
            graph["operators"]["seen"] = seen
            graph["links"].append({"from": "sums", "to": "seen"})
        resources = {name: {"start": "join", "host": host, "control_port": port} for name, port in self._ports.items()}
        deployment = {"format": 1, "place": {"source": ["left"], "*": ["right"]}, "resources": resources}
        self._graph = write(folder / "g.json", graph)
        self._deployment = write(folder / "d.json", deployment)

    def run(self, *options: str, inside: Sequence[str] = ()) -> Command:
        """One of the commands, all of which are typed alike.

        :param inside: what makes it run on its host
        """
        return self._start("run", self._graph, "--deployment", self._deployment, "--secret-file", self.secret, "--state",
                           self._state, "--epoch-ms", "50", *options, inside=inside)

    def resource(self, name: str, *options: str, at: tuple[str, str] = (HERE, HERE), inside: Sequence[str] = ()) -> Command:
        """One that joins; a command may be at one of two addresses."""
        joins = ",".join(f"{host}:{self._ports[name]}" for host in at)
        return self._start("resource", "--name", name, "--join", joins, "--secret-file", self.secret, *options, inside=inside)

    def shown(self) -> int:
        """How many files there are."""
        return len(list(self.out.glob("part-*")))

    def rows(self) -> list[str]:
        """All rows, by their number."""
        return sorted(written_lines(self.out), key=lambda line: int(line.partition(",")[0]))


def right(count: int) -> list[str]:
    """What the first rows must be."""
    return [f"{n},{n * (n + 1) // 2}" for n in range(count)]


def begun(resource: Command) -> int:
    """How often tasks of the job were begun there: once, if it was taken over each time."""
    return resource.err().count(" of job plant-1")


def kill(pids: list[int]) -> None:
    """They die at once."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
