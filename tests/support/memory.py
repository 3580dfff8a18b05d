"""What a JVM holds, from ``/proc`` and ``jcmd``; native memory is told by one that was started with :data:`TRACKED`."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from despina.installed import find_java
from support import java

KB = 1 << 10
TRACKED = {"JAVA_TOOL_OPTIONS": "-XX:NativeMemoryTracking=summary"}
"""Environment of JVMs whose native memory is to be seen."""
QUICK = {"JAVA_TOOL_OPTIONS": f"{TRACKED['JAVA_TOOL_OPTIONS']} {java.QUICK}"}
"""The same of JVMs that see little data, resources too: Java's better compiler takes more of them than all that they do."""
TOUCHED = {**TRACKED, "_JAVA_OPTIONS": "-Xms230m -Xmn80m -XX:-UseAdaptiveSizePolicy -XX:+AlwaysPreTouch"}
"""Environment of JVMs whose heap is resident from the start: what grows later is no page that the heap touched late."""


@dataclass(frozen=True)
class Memory:
    """Bytes, and a number of threads.

    :ivar heap: of live objects, after a full collection
    :ivar direct: of direct buffers and what else is allocated by hand
    """

    resident: int
    heap: int
    metaspace: int
    direct: int
    threads: int


def jcmd(pid: int, *command: str) -> str:
    """Asks a JVM; skips the test where there is no JDK."""
    beside = find_java().home / "bin" / "jcmd"
    found = str(beside) if beside.is_file() else shutil.which("jcmd")
    if found is None:
        pytest.skip("no jcmd: this Java has no development kit")
    return subprocess.run([found, str(pid), *command], capture_output=True, text=True, timeout=60, check=True).stdout


def resident(pid: int) -> int:
    """Resident bytes."""
    return _status(pid, "VmRSS") * KB


def look(pid: int) -> Memory:
    """Collects garbage and looks."""
    jcmd(pid, "GC.run")
    heap = jcmd(pid, "GC.heap_info")
    native = jcmd(pid, "VM.native_memory", "summary")
    used = {name: int(size) * KB for name, size in re.findall(r"^\s*(\w+)\s+total \d+K, used (\d+)K", heap, re.MULTILINE)}
    metaspace = re.search(r"^sun\.gc\.metaspace\.used=(\d+)", jcmd(pid, "PerfCounter.print"), re.MULTILINE)
    assert metaspace
    direct = re.search(r"^-\s+Other \(reserved=(\d+)KB", native, re.MULTILINE)
    return Memory(resident(pid), used["PSYoungGen"] + used["ParOldGen"], int(metaspace[1]),
                  int(direct[1]) * KB if direct else 0, _status(pid, "Threads"))


def _status(pid: int, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1])
