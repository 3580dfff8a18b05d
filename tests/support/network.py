"""Two hosts and a router between them, as network namespaces of this machine: what the router drops, it drops without a word."""

from __future__ import annotations

import itertools
import os
import shutil
import string
import subprocess
from typing import Self

NEAR, FAR = "10.231.1.2", "10.231.2.2"
_LETTERS = itertools.cycle(string.ascii_lowercase)
"""One for each network of this process: a device's name has room for no more."""
_SIDES = {NEAR: "10.231.1.1", FAR: "10.231.2.1"}


def missing() -> str:
    """Why there can be no namespaces here; empty if there can."""
    if os.geteuid() != 0:
        return "network namespaces are root's to make"
    return "" if shutil.which("ip") else "no `ip` (iproute2)"


class Network:
    """The hosts :data:`NEAR` and :data:`FAR`; gone with the block."""

    def __init__(self) -> None:
        tag = f"dn{os.getpid() % 100_000}{next(_LETTERS)}"
        self._router = f"{tag}r"
        self._hosts = {NEAR: f"{tag}n", FAR: f"{tag}f"}

    def __enter__(self) -> Self:
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self) -> None:
        for namespace in (self._router, *self._hosts.values()):
            _ip("netns", "add", namespace)
            _ip("-n", namespace, "link", "set", "lo", "up")
        for host, namespace in self._hosts.items():
            router = _SIDES[host]
            _ip("link", "add", namespace, "netns", self._router, "type", "veth", "peer", "name", "eth0", "netns", namespace)
            for where, device, address in ((self._router, namespace, router), (namespace, "eth0", host)):
                _ip("-n", where, "address", "add", f"{address}/24", "dev", device)
                _ip("-n", where, "link", "set", device, "up")
            _ip("-n", namespace, "route", "add", "default", "via", router)
        subprocess.run([*self._inside(self._router), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"], check=True)

    def __exit__(self, *_: object) -> None:
        for namespace in (self._router, *self._hosts.values()):
            subprocess.run(["ip", "netns", "delete", namespace], check=False, stderr=subprocess.DEVNULL)

    @staticmethod
    def _inside(namespace: str) -> list[str]:
        return ["ip", "netns", "exec", namespace]

    def on(self, host: str) -> list[str]:
        """What makes a command run on that host."""
        return self._inside(self._hosts[host])

    def drop(self, *what: str) -> None:
        """From now on the router drops what matches, in the words of ``ip rule``."""
        _ip("-n", self._router, "rule", "add", "blackhole", "pref", "20", *what)

    def heal(self) -> None:
        """It drops nothing any more."""
        _ip("-n", self._router, "rule", "delete", "pref", "20")

    def drop_all_but(self, port: int, *what: str) -> None:
        """It drops what matches, but for the connections to that port."""
        for side in ("dport", "sport"):
            _ip("-n", self._router, "rule", "add", "pref", "10", "ipproto", "tcp", side, str(port), "lookup", "main")
        self.drop(*what)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
