"""A server for tests in a process of its own, which may be killed or frozen and goes on in the folder that it had."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from support.processes import free_port, until


class ServerProcess(ABC):
    """One that listens at a port of the loopback interface. A ``with`` block starts it; behind the block its folder is gone.

    :ivar log: what it says
    """

    def __init__(self, folder: Path, port: int | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = port or free_port()
        self.log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def _command(self) -> list[str]:
        """What starts it."""

    def start(self) -> Self:
        """Starts it, if it does not run, in the folder that an earlier start has left; waits until it answers."""
        if self._process is None:
            command = self._command()
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self._runs_and_answers, f"answer at port {self.port}: {self.log}")
        return self

    def _runs_and_answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log.read_text()[-2000:]
        return self._answers()

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """Ends it at once, as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it as its owner does: it writes down what it has."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(60)
            self._process = None

    def freeze(self) -> None:
        """It takes and answers nothing more."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *why: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
