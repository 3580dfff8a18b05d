"""``despina serve`` as a process, ended and started again on one folder."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from despina.service.client import Client
from support.processes import Command, until

Start = Callable[..., Command]


class Home:
    """A service, started again and again on one folder, at one address."""

    def __init__(self, start: Start, folder: Path, spare: int = 0) -> None:
        """:param spare: how many processes it keeps ready"""
        self._start = start
        self.folder = folder
        self.spare = spare
        self._listen = "127.0.0.1:0"
        self.command = self.again()

    def again(self) -> Command:
        """Starts it."""
        self.command = self._start("serve", "--folder", self.folder, "--listen", self._listen, "--root", tempfile.gettempdir(),
                                   "--allow-python", "served_functions", "--spare", str(self.spare))
        self.command.says("listens at ")
        found = re.search(r"listens at http://(\S+)", self.command.err())
        assert found
        self._listen = found[1]
        self.url = f"http://{found[1]}"
        self.client = self.asking()
        return self.command

    def asking(self, patient: bool = False) -> Client:
        """A client.

        :param patient: waits for a service that is not there
        """
        return Client(self.url, self.token(), patient=patient)

    def token(self) -> str:
        """Of the role admin."""
        return (self.folder / "admin.token").read_text().strip()

    def kill(self) -> list[int]:
        """:return: the processes that were there"""
        seen = self.command.processes()
        self.command.signal(signal.SIGKILL)
        self.command.end()
        return seen

    def until(self, name: str, state: str) -> dict[str, Any]:
        """Waits for that state of a job."""
        def look() -> dict[str, Any]:
            found = self.client.job(name)
            assert found["state"] != "failed" or state == "failed", found
            return found if found["state"] == state else {}
        return until(look, f"{name} that is {state}")

    def packets(self, name: str) -> int:
        """That have reached the sink of a job in its present start."""
        status = self.client.job(name)["status"] or {"operators": {}}
        return int((status["operators"].get("sink") or {"packets_in": 0})["packets_in"])
