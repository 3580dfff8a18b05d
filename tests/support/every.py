"""What CI leaves to ``make every``: tests that take long, and whose parts shorter ones hold too."""

from __future__ import annotations

import os

import pytest

EVERY = bool(os.environ.get("DESPINA_EVERY_CASE"))
in_every = pytest.mark.skipif(not EVERY, reason="takes long: make every runs it")
by_either = pytest.mark.parametrize("engine", ["py4j", "jpype"] if EVERY else ["py4j"], indirect=True)
"""For what takes the same road behind either driver: rows from file to file, and functions in processes of their own."""
