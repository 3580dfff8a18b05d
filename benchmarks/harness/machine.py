"""On what a figure was measured: in every JSON file."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from despina import installed
from despina.errors import StartError
from despina.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def describe() -> dict[str, Any]:
    """Processor, cores, memory, kernel, TCP's congestion control, Java, its flags, the version of Despina and its commit."""
    return {"cpu": _cpu(), "cores": os.cpu_count(), "memory_gb": _memory_gb(), "kernel": platform.release(), "tcp": _tcp(),
            **_java(), "despina": VERSION, "commit": commit()}


def one_line(machine: dict[str, Any]) -> str:
    """For people: what is needed to judge a figure."""
    tcp = f" (TCP {machine['tcp']})" if machine.get("tcp") else ""
    return (f"{machine.get('cpu')}, {machine.get('cores')} cores, {machine.get('memory_gb')} GB, "
            f"Linux {machine.get('kernel')}{tcp}, Java {machine.get('java')}, commit {machine.get('commit')}")


def kind(machine: Mapping[str, Any]) -> str:
    """All of that but the commit: what two runs of one machine have in common."""
    return one_line(dict(machine)).rpartition(", commit ")[0]


def named(machines: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A short name for each kind of machine, in the order in which they come."""
    return {found: f"machine {number}" for number, found in enumerate(dict.fromkeys(map(kind, machines)), 1)}


def legend(names: Mapping[str, str]) -> str:
    """A page's section that says which machine is which."""
    return "## Machines\n\n" + "".join(f"- {name}: {found}\n" for found, name in names.items())


def commit() -> str:
    """The checkout's commit, with ``+`` where files differ from it; empty outside of a checkout."""
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()
    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    facts = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    name = facts.get("model name", "unknown").strip()
    return f"{name} (family {facts['cpu family'].strip()}, model {facts['model'].strip()})" if "model" in facts else name


def _memory_gb() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (ValueError, OSError):
        return None


def _tcp() -> str:
    try:
        return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    except OSError:
        return ""


def _java() -> dict[str, Any]:
    try:
        java = installed.find_java()
    except StartError:
        return {"java": None, "flags": []}
    return {"java": java.full_version or str(java.version), "flags": installed.module_flags(java.version)}
