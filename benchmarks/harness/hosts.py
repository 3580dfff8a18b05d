"""Several hosts on one machine: a network namespace each, with a link of a known rate to a common switch.

    with Hosts(4, "100mbit") as hosts:
        hosts.start(0, ["despina", "resource", …])
        hosts.run(["despina", "run", …])          # at the switch, which has an address of its own

The link's rate is that of what a host sends (``tc tbf`` on its side of a veth pair). Needs root and iproute2: ask
:func:`needed` first. Namespaces and what runs in them go with the block.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from despina.errors import StartError

PREFIX = "despina-hosts"
BURST = "256kb"
"""What may leave at once: more than one offloaded segment of 64 KB."""
LONGEST_QUEUE = "20ms"
MOST = 200
LISTENS_WITHIN_S = 30.0


def needed() -> None:
    """An experiment's need: network namespaces.

    :raise StartError: why there can be none here
    """
    if sys.platform != "linux":
        raise StartError("namespaces", "network namespaces need Linux")
    if os.geteuid() != 0:
        raise StartError("namespaces", "network namespaces and tc need root", "run it as root, or leave this experiment out")
    missing = [tool for tool in ("ip", "tc", "ss") if shutil.which(tool) is None]
    if missing:
        raise StartError("namespaces", f"there is no {' and no '.join(missing)}", "install iproute2")
    probe = f"{PREFIX}-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise StartError("namespaces", f"this machine allows no network namespace: {made.stderr.strip()}")
    _run("ip", "netns", "delete", probe)


class Hosts:
    """So many hosts, numbered from 0, and the switch between them.

    :param rate: of what a host may send, as ``tc`` writes it
    :ivar switch: the switch's own address
    :ivar addresses: the hosts'
    """

    def __init__(self, count: int, rate: str) -> None:
        if not 0 < count <= MOST:
            raise ValueError(f"count={count}; want 1 to {MOST}")
        self._rate = rate
        net = f"10.214.{os.getpid() % 250 + 1}"
        self.switch = f"{net}.254"
        self.addresses = [f"{net}.{k + 1}" for k in range(count)]
        self._names = [f"{PREFIX}-{os.getpid()}-{k}" for k in range(count)]
        self._hub = f"{PREFIX}-{os.getpid()}-switch"
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        remove_stale()
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._remove()

    def start(self, host: int, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Starts a command on a host; what still runs in the end is killed."""
        process = subprocess.Popen(["ip", "netns", "exec", self._names[host], *command], **options)
        self._running.append(process)
        return process

    def at_switch(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a command at the switch."""
        return ["ip", "netns", "exec", self._hub, *command]

    def wait_for(self, ports: Sequence[int], server: subprocess.Popen[bytes]) -> None:
        """Waits until something listens at all of these ports of the switch, or the server has ended."""
        missing, deadline = set(ports), time.monotonic() + LISTENS_WITHIN_S
        while missing and server.poll() is None:
            if time.monotonic() > deadline:
                raise StartError("namespaces", f"nobody listens at {self.switch} on {', '.join(map(str, sorted(missing)))}")
            time.sleep(0.05)
            said = subprocess.run(self.at_switch(["ss", "-Hltn"]), capture_output=True, text=True, check=True).stdout
            missing -= {int(line.split()[3].rpartition(":")[2]) for line in said.splitlines()}

    def _make(self) -> None:
        inside = ["ip", "-n", self._hub]
        _run("ip", "netns", "add", self._hub)
        _run(*inside, "link", "set", "lo", "up")
        _run(*inside, "link", "add", "switch", "type", "bridge")
        _run(*inside, "address", "add", f"{self.switch}/24", "dev", "switch")
        _run(*inside, "link", "set", "switch", "up")
        for k, (name, address) in enumerate(zip(self._names, self.addresses, strict=True)):
            _run("ip", "netns", "add", name)
            _run(*inside, "link", "add", f"port{k}", "type", "veth", "peer", "name", "wire", "netns", name)
            _run(*inside, "link", "set", f"port{k}", "master", "switch", "up")
            _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "wire")
            _run("ip", "-n", name, "link", "set", "lo", "up")
            _run("ip", "-n", name, "link", "set", "wire", "up")
            _run("tc", "-n", name, "qdisc", "add", "dev", "wire", "root", "tbf", "rate", self._rate, "burst", BURST,
                 "latency", LONGEST_QUEUE)

    def _remove(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()
        self._running.clear()
        for name in _there():
            if name in (*self._names, self._hub):
                _run("ip", "netns", "delete", name)


@contextlib.contextmanager
def shaped_loopback(rate: str) -> Iterator[Callable[[Sequence[str]], list[str]]]:
    """A namespace of its own whose loopback carries so much, all connections and both directions together.

    All that runs in it is one host, so latency is measured; a packet that passes two hops passes the loopback twice.

    :return: makes of a command line the one that runs it there
    """
    remove_stale()
    name = f"{PREFIX}-{os.getpid()}-loopback"
    _run("ip", "netns", "add", name)
    try:
        _run("ip", "-n", name, "link", "set", "lo", "up")
        _run("tc", "-n", name, "qdisc", "add", "dev", "lo", "root", "tbf", "rate", rate, "burst", BURST, "latency", LONGEST_QUEUE)
        yield lambda command: ["ip", "netns", "exec", name, *command]
    finally:
        _run("ip", "netns", "delete", name)


def remove_stale() -> None:
    """Removes the namespaces of processes that are no more, and what still runs in them."""
    for name in _there():
        owner = name.removeprefix(PREFIX + "-").partition("-")[0]
        if name.startswith(PREFIX) and not Path("/proc", owner).exists():
            for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            _run("ip", "netns", "delete", name)


def _there() -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    return [line.split()[0] for line in listed.splitlines() if line]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StartError("namespaces", f"{' '.join(command)}: {done.stderr.strip()}")
