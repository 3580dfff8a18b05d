"""A cluster of this machine's own whose executors may be killed: children of the driver's JVM, each with a heap of its own."""

from __future__ import annotations

from pathlib import Path

from support.processes import alive, children

MASTER = "local-cluster[2,1,1024]"
CONFIGURATION = {"spark.deploy.maxExecutorRetries": "-1", "spark.task.maxFailures": "100", "spark.executor.memory": "512m"}
"""Spark gives a program up whose executors die ten times, and a query whose task fails four times."""


def executors(jvm: int) -> list[int]:
    """Those of that driver."""
    return [pid for pid in children(jvm) if alive(pid) and b"CoarseGrainedExecutorBackend" in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
