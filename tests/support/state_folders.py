"""State folders made of the golden snapshots, as an engine would leave them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "snapshot-2"


def crc32c(content: bytes) -> str:
    """In hexadecimal, as the engine writes it."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return f"{crc ^ 0xFFFFFFFF:x}"


def seal(file: Path, content: dict[str, Any]) -> None:
    """Writes an object with the checksum of its JSON without white space."""
    file.parent.mkdir(parents=True, exist_ok=True)
    told = crc32c(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode())
    file.write_text(json.dumps({"manifest": content, "crc32c": told}), encoding="utf-8")


def keep(root: Path, graph: str, golden: str, epoch: int = 1, committed: bool = True) -> Path:
    """Puts a golden snapshot into a state folder, as an epoch of a graph.

    :return: the folder of the graph
    """
    folder = root / quote(graph)
    if not folder.exists():
        seal(folder / "folder.json", {"format": 2, "id": f"id-{graph}", "graph": graph})
        seal(folder / "attempts" / "1.json", {"attempt": 1, "coordinator": "c", "host": "box", "pid": 12, "claimedAtMillis": 1000,
                                              "nowMicros": 5, "schedules": {}, "start": None})
        seal(folder / "attempts" / "1.start.json", {"epoch": 0, "savepoint": None})
    data = folder / "data" / "1" / f"{epoch}.r.base"
    data.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(GOLDEN / golden / "r.base", data)
    manifest = json.loads((GOLDEN / golden / "manifest.json").read_text(encoding="utf-8"))["manifest"]
    manifest["epoch"] = epoch
    manifest["origin"]["graph"] = graph
    manifest["files"][0]["path"] = str(data.relative_to(root))
    seal(folder / "epochs" / f"{epoch}.manifest.json", manifest)
    if committed:
        seal(folder / "epochs" / f"{epoch}.committed.json", {"epoch": epoch, "attempt": 1})
    return folder
