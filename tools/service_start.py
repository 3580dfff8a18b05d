"""How long a job of a service takes from its submission to its first packet, with a process that is kept ready and without.

    .venv/bin/python tools/service_start.py
    .venv/bin/python tools/service_start.py --rounds 10 --graph graphs/cookbook/threshold_alarm/threshold_alarm.graph.json

Two services run side by side, one with ``--spare 1`` and one with ``--spare 0``; each is given the same graph in turn, so that a
machine that is busy is so for both. The first round of each, which may compile what no other has yet, is told by itself. Prints
the seconds of each round, their medians, and what the idle services have of memory.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from despina.service.client import ENDED, Client
from despina.service.series import PROCESSES, used_by
from despina.service.store import RESTARTS
from support.processes import Command, until

RELAY = {"format": 1, "name": "relay", "operators": {
    "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id AS n"]}, "rate_per_s": 1000},
    "hot": {"type": "filter", "where": "n % 2 = 0"}, "sink": {"type": "discard_sink"}},
    "links": [{"from": "source", "to": "hot"}, {"from": "hot", "to": "sink"}]}
READY = b"~ready-"
PATIENCE_S = 120.0
RESTS = 0.03
"""Processor seconds of a second in which a process does nothing but beat."""


class Home:
    """A service that keeps so many processes ready."""

    def __init__(self, folder: Path, spare: int) -> None:
        self.spare = spare
        self.seconds: list[float] = []
        self.answers: list[float] = []
        self.taken: set[int] = set()
        self.command = Command(folder, "serve", "--folder", folder / f"spare{spare}", "--listen", "127.0.0.1:0",
                               "--spare", str(spare), "--root", "/")
        self.command.says("listens at ")
        found = re.search(r"listens at (\S+)", self.command.err())
        assert found
        self.client = Client(found[1], (folder / f"spare{spare}/admin.token").read_text().strip())

    def ready(self) -> set[int]:
        """Processes that wait for a job; one that a job had keeps its name for the half minute that it stays."""
        return {pid for pid in self.command.jvms("ResourceMain")
                if READY in Path(f"/proc/{pid}/cmdline").read_bytes()} - self.taken

    def await_ready(self) -> None:
        """Waits for those that it is to keep, and until they do nothing more: a job seldom comes in their first seconds."""
        until(lambda: len(self.ready()) >= self.spare, "process that is ready", PATIENCE_S)
        before = -1.0
        while (now := sum(used[0] for pid in self.ready() if (used := used_by(PROCESSES / str(pid))))) - before > RESTS:
            before = now
            time.sleep(1)

    def resident_mb(self) -> float:
        """Of all of its processes."""
        return sum(used[1] for pid in self.command.processes() if (used := used_by(PROCESSES / str(pid)))) / 1e6

    def round(self, number: int, graph: str, file: str, restart: str) -> float:
        """One job, from the moment at which it is sent to its first packet.

        :return: seconds
        """
        self.await_ready()
        self.taken |= self.ready()
        name = f"r{number}"
        sent = time.time()
        made = self.client.submit({"graph": graph, "file": file, "name": name, "restart": restart})
        self.answers.append(time.time() - sent)

        def look() -> Any:
            job = self.client.job(name)
            assert job["state"] not in ("failed", "lost"), job
            return (job["status"] or {}).get("first_packet_s")
        # the engine counts from when the job was written down
        found = float(until(look, "first packet")) + float(made["changed_at_ms"]) / 1000 - sent
        self.client.stop(name, "now")
        until(lambda: self.client.job(name)["state"] in ENDED, "end")
        self.client.remove(name)
        return found


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--restart", choices=RESTARTS, default="resume")
    given = parser.parse_args()
    graph, file = (given.graph.read_text(encoding="utf-8"), str(given.graph)) if given.graph else (json.dumps(RELAY), "relay")
    with tempfile.TemporaryDirectory() as folder:
        homes = [Home(Path(folder), spare) for spare in (1, 0)]
        try:
            for home in homes:
                home.await_ready()
                print(f"--spare {home.spare}, idle: {home.resident_mb():.0f} MB")
            for number in range(given.rounds + 1):
                for home in homes:
                    home.seconds.append(home.round(number, graph, file, given.restart))
                told = ", ".join(f"{home.seconds[-1]:.2f} s with {home.spare}" for home in homes)
                print(f"round {number}: {told}", flush=True)
            for home in homes:
                print(f"--spare {home.spare}: {statistics.median(home.seconds[1:]):.2f} s, median of {given.rounds}; "
                      f"the first {home.seconds[0]:.2f} s; answers after {statistics.median(home.answers[1:]):.2f} s")
        finally:
            for home in homes:
                home.command.signal(signal.SIGTERM)
            for home in homes:
                home.command.end()


if __name__ == "__main__":
    main()
