"""A second command waits for the end of the first: where that is lost, it takes the job over, which goes on meanwhile."""

from __future__ import annotations

import os
import secrets
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from e2e.conftest import Start
from support.graphs import Fields, chain, rows, write
from support.processes import Command, free_port, until

HERE = "127.0.0.1"


class Site:
    """A job of two resources that join, and the commands that run it."""

    def __init__(self, start: Start, folder: Path) -> None:
        self._start, self._folder = start, folder
        self.out, self.secret = folder / "out", folder / "secret"
        self.secret.touch(0o600)
        self.secret.write_text(secrets.token_hex(16))
        self._ports = {"left": free_port(), "right": free_port()}

    def run(self, *options: str) -> Command:
        """One of the commands, all of which are typed alike."""
        sums: Fields = {"type": "scan", "state": {"total": {"initial": "0L", "next": "total + id"}},
                        "select": ["id", "next.total AS t"]}
        graph = chain(("source", rows(None, "id", rate_per_s=2_000)), ("sums", sums),
                      ("sink", {"type": "file_sink", "path": str(self.out), "format": "csv", "roll_every_ms": 50}), name="plant")
        graph["links"][0]["fuse"] = False
        resources = {name: {"start": "join", "host": HERE, "control_port": port} for name, port in self._ports.items()}
        deployment = {"format": 1, "place": {"source": ["left"], "*": ["right"]}, "resources": resources}
        return self._start("run", write(self._folder / "g.json", graph), "--deployment",
                           write(self._folder / "d.json", deployment), "--secret-file", self.secret, "--state",
                           str(self._folder / "state"), "--epoch-ms", "50", *options)

    def resource(self, name: str, *options: str) -> Command:
        """One that joins; a command may be at one of two addresses."""
        address = f"{HERE}:{self._ports[name]}"
        return self._start("resource", "--name", name, "--join", f"{address},{address}", "--secret-file", self.secret, *options)

    def shown(self) -> int:
        """How many files there are."""
        return len(list(self.out.glob("part-*")))

    def rows(self) -> list[str]:
        """All rows, by their number."""
        found = [line for part in self.out.glob("part-*") for line in part.read_text().splitlines()]
        return sorted(found, key=lambda line: int(line.partition(",")[0]))


@pytest.fixture
def site(start: Start, tmp_path: Path) -> Site:
    """Where a job runs."""
    return Site(start, tmp_path)


def kill(pids: list[int]) -> None:
    """They die at once."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("what", ["the command", "its engine"])
def test_the_job_goes_on_when_what_coordinates_it_is_killed(site: Site, what: str) -> None:
    first = site.run("--standby")
    resources = [site.resource(name, "--keep") for name in ("left", "right")]
    first.until(lambda: site.shown() > 2, "rows that are shown")
    second = site.run("--standby")
    second.says("standing by: another run has the state folder")
    kill([first.pid] if what == "the command" else first.jvms("GatewayMain"))
    until(lambda: not first.processes(), "end of the first command")
    shown = site.shown()
    second.until(lambda: site.shown() > shown + 2, "more rows")
    second.signal(signal.SIGINT)
    ended = second.end()
    assert ended.code == 128 + signal.SIGINT, ended.err
    for each in resources:
        assert each.err().count(" of job plant-1") == 1, f"its tasks were started once\n{each.err()}"
        each.signal(signal.SIGTERM)
        assert each.end().code == 128 + signal.SIGTERM
    found = site.rows()
    assert found == [f"{n},{n * (n + 1) // 2}" for n in range(len(found))]


def test_a_resource_ends_when_nobody_takes_its_job_over(site: Site) -> None:
    first = site.run("--coordinator-lost-ms", "500ms")
    first.says("waiting for resource right")
    resources = [site.resource(name) for name in ("left", "right")]
    first.until(lambda: site.shown() > 0, "rows that are shown")
    kill([first.pid])
    assert [each.end().code for each in resources] == [4, 4]
    again = site.run()
    again.says("waiting for resource right")
    more = [site.resource(name) for name in ("left", "right")]
    shown = site.shown()
    again.until(lambda: site.shown() > shown, "more rows")
    again.signal(signal.SIGINT)
    assert again.end().code == 128 + signal.SIGINT
    assert [each.end().code for each in more] == [0, 0]
    found = site.rows()
    assert found == [f"{n},{n * (n + 1) // 2}" for n in range(len(found))]


def test_a_job_that_is_stopped_is_taken_over_by_nobody(site: Site) -> None:
    first = site.run("--standby")
    first.says("waiting for resource right")
    resources = [site.resource(name) for name in ("left", "right")]
    first.until(lambda: site.shown() > 0, "rows that are shown")
    second = site.run("--standby")
    second.says("standing by: another run has the state folder")
    first.signal(signal.SIGINT)
    assert first.end().code == 128 + signal.SIGINT
    ended = second.end()
    assert "the run for which this one stood by has ended by itself" in ended.err
    assert ended.code == 2
    assert [each.end().code for each in resources] == [0, 0]
