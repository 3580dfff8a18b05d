"""What CI leaves to ``make every``: tests that take long, and whose parts shorter ones hold too."""

from __future__ import annotations

import os

import pytest

EVERY = bool(os.environ.get("DESPINA_EVERY_CASE"))
in_every = pytest.mark.skipif(not EVERY, reason="takes long: make every runs it")
