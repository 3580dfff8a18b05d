"""A network that drops packets and says nothing: the job ends, with words, in whatever phase it is."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.conftest import Start
from support import network
from support.graphs import Fields, chain, packets, write
from support.network import FAR, NEAR, Network
from support.processes import Command, Ended, commands, until

CONTROL = 7171
DEPLOYMENT: Fields = {"format": 1, "place": {"source": ["near"], "*": ["far"]},
                      "resources": {"near": {"start": "child"}, "far": {"start": "join", "host": FAR, "control_port": CONTROL}}}
CHANNEL = r"error\[channel\]: channel 0 of job \S+ \(source->slow, from \S+ to \S+\): "
FROM_FAR = ("from", FAR)


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


@dataclass(frozen=True)
class Cut:
    """What runs, what its progress shows before the network is cut, and how it is cut."""

    graph: Fields
    shows: str
    drop: Callable[[Network], None]


CUTS = {
    "packets flow": Cut(slow(packets()), r"running .*sink \d", lambda hosts: hosts.drop_all_but(CONTROL)),
    "window closed": Cut(slow(packets(400, 65_536), sleep_ms=1_000), r"running(?!.*source \d).*sink \d",
                         lambda hosts: hosts.drop_all_but(CONTROL)),
    "all but the end": Cut(slow(packets(20, rate_per_s=4), sleep_ms=10), r"running .*sink \d",
                           lambda hosts: hosts.drop_all_but(CONTROL, *FROM_FAR)),
    "host": Cut(slow(packets()), r"running .*sink \d", Network.drop),
}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    """All of them, each in a network of its own that has been cut: they wait for their ends side by side."""
    if why := network.missing():
        pytest.skip(why)
    with ExitStack() as stack:
        cut = {}
        for name, one in CUTS.items():
            folder = tmp_path_factory.mktemp("cut")
            hosts = stack.enter_context(Network())
            pair = Pair(stack.enter_context(contextmanager(commands)(folder)), hosts, folder, one.graph)
            pair.shows(one.shows)
            one.drop(hosts)
            cut[name] = pair
        yield cut


def test_a_data_connection_that_is_dropped_while_packets_flow(pairs: dict[str, Pair]) -> None:
    command, resource = pairs["packets flow"].end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err
    assert resource.code == 0, resource.err


def test_one_that_is_dropped_while_a_slow_receiver_has_its_window_closed(pairs: dict[str, Pair]) -> None:
    command, _ = pairs["window closed"].end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err


def test_one_that_is_dropped_when_all_is_acknowledged_but_the_end(pairs: dict[str, Pair]) -> None:
    command, _ = pairs["all but the end"].end()
    assert command.code == 1
    assert re.search(CHANNEL, command.err), command.err


def test_a_host_that_is_gone_is_told_by_its_name(pairs: dict[str, Pair]) -> None:
    command, resource = pairs["host"].end()
    assert command.code == 1
    assert "error[resource_lost]: resource `far` was lost" in command.err
    assert resource.code == 4
    assert "the coordinator sent nothing for 8 s" in resource.err
