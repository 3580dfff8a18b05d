"""One hop between two resources: on loopback, or over a link of a known rate between two hosts.

The source is in resource ``near``, the sink in ``far``. Over a link ``near`` is a host of its own (:mod:`harness.hosts`) that
sends through it; ``far`` and the coordinator are at the switch.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import engine, graphs, hosts, readings
from harness.experiment import Measured, Metric, Run
from harness.hosts import Hosts
from harness.processes import RunError

LOOPBACK = "loopback"
GIGABIT = "1gbit"
MEMORY_BYTES = 256 << 20
PORT = 7399
SECRET = "benchmark of one link, nothing secret"
PLACE = {"source": ["near"], "sink": ["far"]}
STREAM = "plain TCP stream"

RAW = Metric("raw_mbit_per_s", "Mbit/s of packets")
"""Bytes of packets as the sink gets them: a packet's own, without its length."""
SAVED = Metric("times_smaller", "times smaller on the wire")


def graph(data: str, packet_bytes: int, compression: str) -> graphs.Json:
    """Source and sink, one link.

    :param data: ``readings``, or ``random`` for relay packets of that size
    :param compression: of the link
    """
    whole = graphs.relay(packet_bytes, stages=0)
    if data == "readings":
        whole["operators"] = {"source": readings.source(), "sink": {"type": "discard_sink"}}
    whole["links"][0]["compression"] = {"type": compression}
    return whole


def measured(run: Run, link: str, whole: graphs.Json, packet_bytes: int) -> Measured:
    """Runs the graph over a link.

    :param link: :data:`LOOPBACK`, or a rate as ``tc`` writes it
    """
    report = _on_loopback(run, whole) if link == LOOPBACK else _over_link(run, link, whole)
    found = engine.measured(report)
    counted = report["links"]["source->sink"]
    values = {name: value for name, value in found.values.items() if name == "per_s" or not name.startswith("p")}
    return Measured({**values, RAW.name: found.values["per_s"] * packet_bytes * 8 / 1e6,
                     SAVED.name: counted["bytes"] / counted["bytes_on_wire"]}, report)


def _on_loopback(run: Run, whole: graphs.Json) -> engine.Report:
    return engine.timed(run, whole, graphs.deployment(PLACE, memory_bytes=MEMORY_BYTES))


def _over_link(run: Run, rate: str, whole: graphs.Json) -> engine.Report:
    hosts.needed()
    secret = run.folder / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    with Hosts(1, rate) as at:
        resources = {"near": {"start": "join", "host": at.addresses[0], "control_port": PORT, "memory_bytes": MEMORY_BYTES},
                     "far": {"start": "child", "memory_bytes": MEMORY_BYTES}}
        command = engine.Command(whole, {"format": 1, "resources": resources, "place": PLACE},
                                 duration_s=run.warm_up_s + run.seconds, warm_up_s=run.warm_up_s,
                                 options=("--secret-file", str(secret), "--listen", at.switch), wrapped=at.at_switch)
        with engine.running(command, run.folder) as under_way:
            at.wait_for([PORT], under_way.process)
            at.start(0, _near(at, secret), **engine.quietly(run.folder))
            return under_way.report()


def _near(at: Hosts, secret: Path) -> list[str]:
    return [sys.executable, "-m", "despina", "resource", "--name", "near", "--join", f"{at.switch}:{PORT}",
            "--secret-file", str(secret), "--listen", at.addresses[0], "--memory", str(MEMORY_BYTES)]


_RECEIVER = """
import socket, sys
listener = socket.create_server((sys.argv[1], 0))
print(listener.getsockname()[1], flush=True)
peer, _ = listener.accept()
buffer = bytearray(1 << 18)
while peer.recv_into(buffer):
    pass
"""

_SENDER = """
import socket, sys, time
link = socket.create_connection((sys.argv[1], int(sys.argv[2])))
link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 19)
block = bytes(1 << 17)
def send(seconds):
    begin = time.monotonic()
    sent = 0
    while (now := time.monotonic()) < begin + seconds:
        link.sendall(block)
        sent += len(block)
    return sent / (now - begin)
send(1.0)
print(send(float(sys.argv[3])))
"""


def plain_stream(run: Run, rate: str) -> Measured:
    """What one TCP connection with nothing but bytes gets through the link: the ceiling of every sender on it."""
    with Hosts(1, rate) as at:
        receiver = subprocess.Popen(at.at_switch([sys.executable, "-c", _RECEIVER, at.switch]), stdout=subprocess.PIPE, text=True)
        with receiver:
            try:
                assert receiver.stdout is not None
                port = receiver.stdout.readline().strip()
                said = _sent(at, [sys.executable, "-c", _SENDER, at.switch, port, str(run.seconds)])
            finally:
                receiver.kill()
    mbit = float(said) * 8 / 1e6
    return Measured({RAW.name: mbit, engine.MBIT.name: mbit})


def _sent(at: Hosts, command: list[str]) -> str:
    options: Mapping[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    said, wrong = at.start(0, command, **options).communicate()
    if not said:
        raise RunError(f"the plain stream failed: {wrong.decode().strip()}")
    return said.decode()
