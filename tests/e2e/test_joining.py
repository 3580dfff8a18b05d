"""Resources that are started by hand: what both sides say until they have found each other, and how they part."""

from __future__ import annotations

import os
import secrets
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from e2e.conftest import Call, Start
from support.graphs import Fields, chain, relay, rows, write
from support.processes import Command, free_port, until
from support.written import written_lines

HERE, FAR = "127.0.0.1", "127.0.0.2"


class Site:
    """A deployment over two hosts of this machine's loopback, its secret, and the commands that serve it."""

    def __init__(self, start: Start, folder: Path) -> None:
        self._start, self._folder = start, folder
        self.port = free_port()
        self.secret = folder / "secret"
        self.secret.touch(0o600)
        self.secret.write_text(secrets.token_hex(16))

    def run(self, graph: Fields, *options: str, place: Fields | None = None) -> Command:
        """The command that coordinates; without a child where everything is placed on the resource that joins."""
        edge = {} if place == {"*": ["far"]} else {"edge": {"start": "child"}}
        deployment = {"format": 1, "place": place or {"source": ["edge"], "*": ["far"]},
                      "resources": {**edge, "far": {"start": "join", "host": FAR, "control_port": self.port}}}
        return self._start("run", write(self._folder / "g.json", graph), "--deployment",
                           write(self._folder / "d.json", deployment), "--secret-file", self.secret, *options)

    def resource(self, *options: str, name: str = "far", listen: str = FAR) -> Command:
        """One that joins."""
        return self._start("resource", "--name", name, "--join", f"{HERE}:{self.port}", "--listen", listen,
                           "--secret-file", self.secret, *options)


@pytest.fixture
def site(start: Start, tmp_path: Path) -> Site:
    """A deployment whose second resource joins."""
    return Site(start, tmp_path)


def test_a_resource_that_is_awaited_is_told_with_its_command_and_given_up_at_last(site: Site) -> None:
    ended = site.run(relay(10), "--join-timeout", "5").end()
    assert ended.code == 3
    assert (f"waiting for resource far to join: despina resource --name far --join {HERE}:{site.port} --secret-file {site.secret}"
            f" --listen {FAR}") in ended.err
    assert "resource `far` has not joined within 5.0 s" in ended.err
    quiet = site.run(relay(10), "--join-timeout", "2", "--quiet").end()
    assert quiet.code == 3
    assert "waiting for" not in quiet.err


def test_a_resource_that_the_deployment_does_not_have_is_told_on_both_sides(site: Site) -> None:
    run = site.run(relay(10))
    run.says("waiting for resource far")
    misnamed = site.resource(name="fra").end()
    assert misnamed.code == 3
    assert "error[join]: the deployment has no resource `fra`; there are edge, far" in misnamed.err
    misplaced = site.resource(listen="127.0.0.3").end()
    assert misplaced.code == 3
    assert "error[listen]: resource `far` listens on 127.0.0.3, and the deployment says 127.0.0.2" in misplaced.err
    right = site.resource().end()
    assert right.code == 0, right.err
    for words in ("far joined its coordinator", "far hosts relay, sink of job relay-1", "far ended by its coordinator"):
        assert words in right.err
    ended = run.end()
    assert ended.code == 0, ended.err
    assert ended.err.count("the deployment has no resource `fra`") == 1
    assert ended.err.count("resource `far` listens on 127.0.0.3") == 1


def test_a_killed_coordinator_is_no_success_of_a_resource(site: Site) -> None:
    run = site.run(relay(rate_per_s=10_000))
    run.says("waiting for resource far")
    resource = site.resource()
    resource.says("far hosts relay, sink of job")
    run.signal(signal.SIGKILL)
    ended = resource.end()
    assert ended.code == 4
    assert "far lost its coordinator: its process has died" in ended.err
    until(lambda: not run.processes(), "end of what the killed command had started")


def test_a_kept_resource_waits_for_a_coordinator_and_serves_one_after_the_other(site: Site) -> None:
    resource = site.resource("--keep")
    resource.says("far waits for a coordinator: cannot join the coordinator at")
    for _ in range(2):
        ended = site.run(relay(10)).end()
        assert ended.code == 0, ended.err
    resource.signal(signal.SIGTERM)
    ended = resource.end()
    assert ended.err.count("far ended by its coordinator") == 2
    assert ended.code == 128 + signal.SIGTERM


def test_a_job_goes_on_when_a_kept_resource_is_killed_and_started_again(site: Site, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sums: Fields = {"type": "scan", "state": {"total": {"initial": "0L", "next": "total + id"}},
                    "select": ["id", "next.total AS t"]}
    graph = chain(("source", rows(None, "id", rate_per_s=2_000)), ("sums", sums),
                  ("sink", {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 50}), name="kept")
    graph["links"][0]["fuse"] = False
    run = site.run(graph, "--state", str(tmp_path / "state"), "--epoch-ms", "50")
    first = site.resource("--keep")
    before = len(run.until(lambda: list(out.glob("part-*")), "rows that are shown"))
    first.signal(signal.SIGKILL)
    for pid in first.processes():       # the JVM, which no signal to Python reaches then
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    run.says("waiting for resource far to join")
    shown = len(list(out.glob("part-*")))
    assert shown >= before
    again = site.resource("--keep")
    run.until(lambda: len(list(out.glob("part-*"))) > shown, "more rows")
    run.interrupt()
    again.signal(signal.SIGTERM)
    assert again.end().code == 128 + signal.SIGTERM
    found = written_lines(out)
    assert sorted(found, key=lambda line: int(line.partition(",")[0])) == [f"{n},{n * (n + 1) // 2}" for n in range(len(found))]


def test_a_resource_tells_its_host_and_takes_the_secret_from_the_environment(site: Site, start: Start, tmp_path: Path) -> None:
    deployment = {"format": 1, "place": {"source": ["edge"], "*": ["far"]},
                  "resources": {"edge": {}, "far": {"start": "join", "control_port": site.port}}}
    known = {"DESPINA_SECRET": secrets.token_hex(16)}
    run = start("run", write(tmp_path / "g.json", relay(10)), "--deployment", write(tmp_path / "d.json", deployment), **known)
    run.says(f"waiting for resource far to join: despina resource --name far --join {HERE}:{site.port} --listen {HERE}")
    everywhere = start("resource", "--name", "far", "--join", f"{HERE}:{site.port}", "--listen", "0.0.0.0", **known).end()
    assert everywhere.code == 3
    assert "error[listen]: resource `far` listens on 0.0.0.0, which tells no other machine where it is" in everywhere.err
    told = start("resource", "--name", "far", "--join", f"{HERE}:{site.port}", "--listen", FAR, **known).end()
    assert told.code == 0, told.err
    ended = run.end()
    assert ended.code == 0, ended.err


def test_a_resource_without_a_secret_is_told_how_to_give_it(call: Call) -> None:
    ended = call("resource", "--name", "far", "--join", f"{HERE}:7171")
    assert ended.code == 2
    assert "no secret: --secret-file F, or DESPINA_SECRET in the environment" in ended.err
