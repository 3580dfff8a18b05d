"""What processes take, from ``/proc`` and ``ss``: of those that a run started, seen from outside."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from despina.errors import StartError
from harness.load import TICKS_PER_S

KB = 1024


@dataclass(frozen=True)
class Usage:
    """Of some processes together, since each began; what has ended is no longer in it."""

    cpu_s: float
    resident_bytes: int
    switches: int
    threads: int


def usage(pids: Collection[int]) -> Usage:
    """Of these processes now."""
    ticks = sum(_own_ticks(pid) for pid in pids)
    status = [_status(pid) for pid in pids]
    return Usage(ticks / TICKS_PER_S, KB * sum(s.get("VmRSS", 0) for s in status), sum(_switches(pid) for pid in pids),
                 sum(s.get("Threads", 0) for s in status))


def ss_needed() -> None:
    """An experiment's need: ``ss``, which shows what the kernel holds for sockets.

    :raise StartError: it is missing
    """
    if shutil.which("ss") is None:
        raise StartError("ss_missing", "there is no ss, which shows the kernel's memory of sockets",
                         "install iproute2 (Debian: apt install iproute2)")


@dataclass(frozen=True)
class Sockets:
    """The TCP sockets of some processes.

    :ivar payload_bytes: received and unread, or given to the kernel and not yet acknowledged
    :ivar kernel_bytes: memory that the kernel holds for them: for the payload, for its own records, and set aside
    :ivar between: the payload by the processes at a connection's two ends, those of them that were asked about
    """

    payload_bytes: int
    kernel_bytes: int
    between: Mapping[frozenset[int], int] = field(default_factory=dict, compare=False)


def sockets(pids: Collection[int]) -> Sockets:
    """As ``ss`` shows them now."""
    return parse_sockets(subprocess.run(["ss", "-tnmpH"], capture_output=True, text=True, check=True).stdout, pids)


def parse_sockets(said: str, pids: Collection[int]) -> Sockets:
    """Reads what ``ss -tnmpH`` says: ``STATE RECV-Q SEND-Q …``, then ``skmem:(r…,rb…,t…,tb…,f…,w…,o…,bl…,d…)``.

    r is received and unread, w queued to be sent, f set aside, bl in the backlog.
    """
    payload = kernel = 0
    ends: dict[tuple[str, ...], tuple[set[int], int]] = {}
    for entry in re.split(r"\n(?=\S)", said):
        owners = {int(pid) for pid in re.findall(r"pid=(\d+)", entry)}
        memory = re.search(r"skmem:\(([^)]*)\)", entry)
        if memory and owners & set(pids):
            parts = dict(re.findall(r"([a-z]+)(\d+)", memory[1]))
            kernel += sum(signed(int(parts.get(name, 0))) for name in ("r", "w", "f", "bl"))
            _, received, sent, *addresses = entry.split()[:5]
            payload += int(received) + int(sent)
            others, held = ends.get(tuple(sorted(addresses)), (set(), 0))
            ends[tuple(sorted(addresses))] = (others | owners & set(pids), held + int(received) + int(sent))
    between: Counter[frozenset[int]] = Counter()
    for owners, held in ends.values():
        between[frozenset(owners)] += held
    return Sockets(payload, kernel, between)


def signed(told: int) -> int:
    """What the kernel counts in 32 bits: below 0 for a moment, which ``ss`` prints as nearly 2^32."""
    return told - (1 << 32) if told >= 1 << 31 else told


def _own_ticks(pid: int) -> int:
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(words[11]) + int(words[12])


def _status(pid: int) -> dict[str, int]:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+)", text, re.MULTILINE)}


def _switches(pid: int) -> int:
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            total += sum(map(int, re.findall(r"ctxt_switches:\s+(\d+)", (task / "status").read_text())))
        except OSError:
            continue
    return total
