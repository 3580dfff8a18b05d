"""Graphs of the cookbook that need more than their folder: a package that is not the project's own, a fitted model, a server."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.processes import free_port, until

COOKBOOK = Path(__file__).resolve().parents[2] / "graphs" / "cookbook"
NEEDS = {"asked": "httpx", "forest": "sklearn", "tool_wear": "onnxruntime"}
"""Packages of Python functions. scikit-learn and onnxruntime are too large for every machine that tests; these graphs have passed
with scikit-learn 1.9.1 and onnxruntime 1.32.0.
"""
ASKING = ("asked", "bayeux", "bike_stations", "posts")
"""Graphs that ask the server ``serve.py`` of their folder, at parameter ``url``."""


def missing(name: str) -> str | None:
    """The package that a graph needs and this Python lacks."""
    needed = NEEDS.get(name)
    return needed if needed is not None and importlib.util.find_spec(needed) is None else None


def fitted(name: str, folder: Path) -> Path:
    """The graph's folder; if a model is to be fitted first, a copy in ``folder`` with that."""
    if not (COOKBOOK / name / "fit.py").exists():
        return COOKBOOK / name
    copy = shutil.copytree(COOKBOOK / name, folder / name)
    subprocess.run([sys.executable, "fit.py"], cwd=copy, check=True)
    return copy


@contextmanager
def served(name: str) -> Iterator[dict[str, str]]:
    """Runs the graph's server, if it has one. Gives the parameters that say where."""
    if name not in ASKING:
        yield {}
        return
    port = free_port()
    with subprocess.Popen([sys.executable, str(COOKBOOK / name / "serve.py"), str(port)]) as program:
        try:
            until(lambda: _accepts(port), "server of the cookbook")
            yield {"url": f"http://127.0.0.1:{port}"}
        finally:
            program.kill()


def _accepts(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
