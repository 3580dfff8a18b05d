"""A job whose coordinator is killed again and again, each time with another command that stands by.

It is one job: its tasks must be begun once. After each kill a command of a user is asked until it is answered, and what reaches a
peer of the job is watched: the longest time without a row, beside the longest of a time of the same kind before the kill.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from despina.engine import Engine
from despina.errors import DespinaError
from support.graphs import Fields
from support.processes import Command, commands
from support.takeover import STANDS_BY, Site, begun, kill, right
from support.zookeeper import zookeeper

SETTLE_S, QUIET_S, AFTER_S = 0.5, 1.5, 0.5
"""After a command stands by; then for so long without a kill; and behind the answer to a user."""
ANSWERED_S, ASK_EVERY_S = 30.0, 0.02
READ_BYTES = 1 << 16


@dataclass
class Found:
    """What has become of it."""

    answered_s: list[float] = field(default_factory=list)
    """From each kill until a command of a user was answered."""
    gap_ms: list[float] = field(default_factory=list)
    """The longest time without a row, from a kill on."""
    quiet_ms: list[float] = field(default_factory=list)
    """The same, before each kill."""
    rows: int = 0
    wrong: list[str] = field(default_factory=list)


class Peer(threading.Thread):
    """Where a sink of the job sends its rows, and when they come."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._came_s: list[float] = []
        self._text = bytearray()

    def sink(self) -> Fields:
        """What sends rows here, each at once."""
        return {"type": "tcp_sink", "host": "127.0.0.1", "port": self._server.getsockname()[1], "format": "csv",
                "delivery": "at_least_once"}

    def run(self) -> None:
        """Reads until the sink ends; it connects once."""
        connection, _ = self._server.accept()
        with connection:
            while part := connection.recv(READ_BYTES):
                self._came_s.append(time.monotonic())
                self._text += part
        self._server.close()

    def longest_ms(self, begin_s: float, end_s: float) -> float:
        """For how long nothing came between two instants."""
        came = [begin_s, *(each for each in self._came_s if begin_s <= each <= end_s), end_s]
        return 1000 * max(later - earlier for earlier, later in pairwise(came))

    def lines(self) -> list[str]:
        """All that has come."""
        return self._text.decode().splitlines()


def campaign(engine: Engine, folder: Path, kills: int, registry: str, tell: Callable[[int, Found], None]) -> Found:
    """So many kills of one job.

    :param registry: ``folder`` or ``zookeeper``
    :param tell: after each kill, with its number
    """
    found, peer = Found(), Peer()
    with ExitStack() as ends:
        start = ends.enter_context(contextmanager(commands)(folder))
        options = ["--standby"]
        if registry == "zookeeper":
            options += ["--registry", ends.enter_context(zookeeper(folder / "zookeeper")).url]
        site = Site(start, folder, peer.sink())
        peer.start()
        now = site.run(*options, "--job-file", str(folder / "job-0"))
        resources = [site.resource(name, "--keep") for name in ("left", "right")]
        now.until(lambda: site.shown() > 2, "rows that are shown")
        for number in range(1, kills + 1):
            job_file = folder / f"job-{number}"
            following = site.run(*options, "--job-file", str(job_file))
            following.says(STANDS_BY)
            _kill(engine, (now, following), job_file, peer, found)
            now = following
            tell(number, found)
        now.signal(signal.SIGINT)
        ended = now.end()
        if ended.code != 128 + signal.SIGINT:
            found.wrong.append(f"the last command ended with {ended.code}: {ended.err[-500:]}")
        found.wrong += [f"tasks were begun {begun(each)} times" for each in resources if begun(each) != 1]
        for each in resources:
            each.signal(signal.SIGTERM)
            each.end()
        peer.join()
    _compare(site.rows(), peer.lines(), found)
    return found


def _kill(engine: Engine, who: tuple[Command, Command], job_file: Path, peer: Peer, found: Found) -> None:
    """The coordinator of the first command is killed, and the second takes the job over."""
    now, following = who
    time.sleep(SETTLE_S)
    quiet_s = time.monotonic()
    time.sleep(QUIET_S)
    pids = now.jvms("GatewayMain")
    killed_s = time.monotonic()
    kill(pids)
    while why := _unanswered(engine, job_file):
        assert time.monotonic() < killed_s + ANSWERED_S, f"no command was answered: {why}\n{following.err()}"
        time.sleep(ASK_EVERY_S)
    answered_s = time.monotonic()
    time.sleep(AFTER_S)
    found.answered_s.append(answered_s - killed_s)
    found.gap_ms.append(peer.longest_ms(killed_s, answered_s + AFTER_S))
    found.quiet_ms.append(peer.longest_ms(quiet_s, killed_s))
    now.end()


def _unanswered(engine: Engine, job_file: Path) -> str:
    """Why no command of a user is answered; empty if one is."""
    if not job_file.exists():
        return "there is no job file yet"
    try:
        return ", ".join(each.answer for each in engine.control_at(job_file.read_text(), "status") if not each.ok)
    except DespinaError as why:
        return str(why)


def _compare(shown: list[str], sent: list[str], found: Found) -> None:
    """As without a kill: each row once in files, and once and in order at the peer."""
    found.rows = len(shown)
    if shown != right(len(shown)):
        found.wrong.append(f"the {len(shown):,} rows in files are not those of a run without a kill")
    if sent != right(len(sent)) or len(sent) < len(shown):
        found.wrong.append(f"the {len(sent):,} rows at the peer are not those of a run without a kill")
