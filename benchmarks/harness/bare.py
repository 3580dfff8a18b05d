"""The bare relay: source → relay → sink by blocking NIO in two JVMs, with no engine. The ceiling of what a relay can do."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from despina import installed
from harness import java
from harness.engine import SLACK_S
from harness.experiment import Measured, Run
from harness.processes import RunError

RELAY = "bare relay"
HAND_OFF = "bare relay, hand-off"
UNPACED = "bare relay, unpaced"
UNPACED_FLAGS = ["-Dunpaced=true", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"]
"""With the file descriptors of channels open to reflection: ``bare_relay/Sockets.java`` sets what Java has no option for."""


def flat_out(run: Run) -> Measured:
    """Throughput at the point's ``packet_bytes``."""
    return _measured(_ends(run, "relay", 0))


def unpaced(run: Run) -> Measured:
    """The same with connections that are not paced, as the engine has them on loopback whatever the system's TCP does."""
    return _measured(_ends(run, "relay", 0, UNPACED_FLAGS))


def paced(run: Run) -> Measured:
    """Latency from due times at the point's ``rate_per_s``."""
    return _measured(_ends(run, "relay", run.point["rate_per_s"]))


def paced_with_hand_off(run: Run) -> Measured:
    """The same with a relay in two threads, one that reads and one that writes."""
    return _measured(_ends(run, "handoff", run.point["rate_per_s"]))


def _ends(run: Run, relay: str, rate_per_s: float, flags: Sequence[str] = ()) -> dict[str, Any]:
    netty = sorted(map(str, installed.spark_jars().glob("netty-*.jar")))
    classes = java.compiled(run.lab, "bare_relay", netty)

    def command(*arguments: object) -> list[str]:
        return java.command(classes, "BareRelay", *arguments, flags=[*java.FLAGS, *flags], class_path=netty)

    size, limit_s = run.point["packet_bytes"], run.warm_up_s + run.seconds + SLACK_S
    with subprocess.Popen(command(relay, size), stdout=subprocess.PIPE, text=True) as process:
        try:
            port = _port(process)
            ends = subprocess.run(
                command("ends", size, port, process.pid, run.warm_up_s, run.seconds, rate_per_s),
                capture_output=True, text=True, check=False, timeout=limit_s)
        except subprocess.TimeoutExpired as late:
            raise RunError(f"the bare relay did not end within {limit_s:g} s") from late
        finally:
            process.terminate()
    if ends.returncode != 0:
        raise RunError(f"the bare relay ended with {ends.returncode}: {ends.stderr.strip()}")
    found: dict[str, Any] = json.loads(ends.stdout)
    return found


def _port(relay: subprocess.Popen[str]) -> str:
    """Where the relay says that it listens; one that says nothing in time is killed."""
    assert relay.stdout is not None
    overdue = threading.Timer(SLACK_S, relay.kill)
    overdue.start()
    port = relay.stdout.readline().strip()
    overdue.cancel()
    if not port:
        raise RunError("the bare relay did not say where it listens")
    return port


def _measured(found: dict[str, Any]) -> Measured:
    packets = found["packets"]
    values = {"per_s": found["per_s"], "mbit_per_s": found["bytes"] * 8 / 1e6 / found["measured_s"]}
    if packets:
        values["cpu_s_per_million"] = 1e6 * (found["ends_cpu_s"] + found["relay_cpu_s"]) / packets
    values |= {f"{name}_ms": value for name, value in (found.get("latency_ms") or {}).items()}
    return Measured(values, found)
