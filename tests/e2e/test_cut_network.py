"""A network that drops packets and says nothing: the job ends, with words, in whatever phase it is."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Start
from support import network
from support.graphs import Fields, chain, packets, write
from support.network import FAR, NEAR, Network
from support.processes import Command, Ended, until

CONTROL = 7171
DEPLOYMENT: Fields = {"format": 1, "place": {"source": ["near"], "*": ["far"]},
                      "resources": {"near": {"start": "child"}, "far": {"start": "join", "host": FAR, "control_port": CONTROL}}}
CHANNEL = r"error\[channel\]: channel 0 of job \S+ \(source->slow\): "
FROM_FAR = ("from", FAR)


@pytest.fixture
def hosts() -> Iterator[Network]:
    """Two hosts."""
    if why := network.missing():
        pytest.skip(why)
    with Network() as made:
        yield made


def slow(source: Fields, **relay: object) -> Fields:
    """The source near, a relay and its sink far."""
    return chain(("source", source), ("slow", {"type": "relay", **relay}), ("sink", {"type": "discard_sink"}),
                 links={"fuse": False})


class Pair:
    """A job whose source is near and whose sink is far."""

    def __init__(self, start: Start, hosts: Network, folder: Path, graph: Fields) -> None:
        secret = folder / "secret"
        secret.touch(0o600)
        secret.write_text(secrets.token_hex(16))
        self._run = start("run", write(folder / "g.json", graph), "--deployment", write(folder / "d.json", DEPLOYMENT),
                          "--listen", NEAR, "--secret-file", secret, inside=hosts.on(NEAR))
        until(lambda: self._run.jvms("ResourceMain"), "resource")
        self._resource = start("resource", "--name", "far", "--join", f"{NEAR}:{CONTROL}", "--listen", FAR,
                               "--secret-file", secret, inside=hosts.on(FAR))

    def shows(self, pattern: str) -> None:
        """Waits for a line of progress."""
        until(lambda: re.search(pattern, self._run.err()) or self._ended(self._run), f"{pattern} in {self._run.err()}")
        assert re.search(pattern, self._run.err()), self._run.err() + self._resource.err()

    @staticmethod
    def _ended(command: Command) -> bool:
        return not command.processes()

    def end(self) -> tuple[Ended, Ended]:
        """How the command and the resource ended."""
        return self._run.end(), self._resource.end()


def test_a_data_connection_that_is_dropped_while_packets_flow(start: Start, hosts: Network, tmp_path: Path) -> None:
    pair = Pair(start, hosts, tmp_path, slow(packets()))
    pair.shows(r"running .*sink \d")
    hosts.drop_all_but(CONTROL)
    command, resource = pair.end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err
    assert resource.code == 0, resource.err


def test_one_that_is_dropped_while_a_slow_receiver_has_its_window_closed(start: Start, hosts: Network, tmp_path: Path) -> None:
    pair = Pair(start, hosts, tmp_path, slow(packets(400, 65_536), sleep_ms=1_000))
    pair.shows(r"running(?!.*source \d).*sink \d")
    hosts.drop_all_but(CONTROL)
    command, _ = pair.end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err


def test_one_that_is_dropped_when_all_is_acknowledged_but_the_end(start: Start, hosts: Network, tmp_path: Path) -> None:
    pair = Pair(start, hosts, tmp_path, slow(packets(20, rate_per_s=4), sleep_ms=10))
    pair.shows(r"running .*sink \d")
    hosts.drop_all_but(CONTROL, *FROM_FAR)
    command, _ = pair.end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err


def test_a_host_that_is_gone_is_told_by_its_name(start: Start, hosts: Network, tmp_path: Path) -> None:
    pair = Pair(start, hosts, tmp_path, slow(packets()))
    pair.shows(r"running .*sink \d")
    hosts.drop()
    command, resource = pair.end()
    assert command.code == 1
    assert "error[resource_lost]: resource `far` was lost" in command.err
    assert resource.code == 4
    assert "the coordinator sent nothing for 5 s" in resource.err
