"""Resources that are started by hand: what both sides say until they have found each other, and how they part."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

import pytest

from e2e.conftest import Start
from e2e.graphs import Fields, relay, write
from e2e.processes import Command

HERE, FAR = "127.0.0.1", "127.0.0.2"


class Site:
    """A deployment over two hosts of this machine's loopback, its secret, and the commands that serve it."""

    def __init__(self, start: Start, folder: Path) -> None:
        self._start, self._folder = start, folder
        with socket.socket() as free:
            free.bind((HERE, 0))
            self.port = free.getsockname()[1]
        self.secret = folder / "secret"
        self.secret.touch(0o600)
        self.secret.write_text(secrets.token_hex(16))

    def run(self, graph: Fields, *options: str, place: Fields | None = None) -> Command:
        """The command that coordinates."""
        deployment = {"format": 1, "place": place or {"source": ["edge"], "*": ["far"]},
                      "resources": {"edge": {"host": HERE}, "far": {"host": FAR, "control_port": self.port}}}
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
