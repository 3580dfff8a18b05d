"""The rows as they were made, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.oracle import moment_ms, stamp

SIZE = 5000


def expected(folder: Path) -> dict[str, list[dict[str, Any]]]:
    del folder
    rows: list[dict[str, Any]] = []
    windows: dict[tuple[int, int | None], list[int]] = {}
    for k in range(1, 400, 2):
        millis = moment_ms(k)
        group = None if k * 31 % 7 == 3 else k * 31 % 7
        rows.append({"id": k, "ts": stamp(millis), "g": group})
        windows.setdefault((millis - millis % SIZE, group), []).append(k)
    return {"rows": rows, "windows": [{"start": start, "g": group, "n": len(ids), "ids": sum(ids)}
                                        for (start, group), ids in windows.items()]}
