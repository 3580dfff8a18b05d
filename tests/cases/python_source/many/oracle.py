"""The same rows in plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def expected(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {"rows": [{"id": k, "text": str(k)} for k in range(20_000)]}
