"""What a ``file_sink`` has shown so far in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def written_lines(folder: Path) -> list[str]:
    """The lines of its files, file by file in the order of their names."""
    return [line for part in sorted(folder.glob("part-*")) for line in part.read_text().splitlines()]


def written_rows(folder: Path) -> list[dict[str, Any]]:
    """Its rows of JSON, in that order."""
    return [json.loads(line) for line in written_lines(folder)]
