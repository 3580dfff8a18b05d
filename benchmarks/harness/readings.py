"""Sensor readings: the DEBS 2012 manufacturing data, 18 of 56 columns, from memory; and made-up ones in its form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from despina.errors import StartError
from harness import engine, graphs
from harness.experiment import Run

MADE = graphs.ROOT / "graphs" / "manufacturing_input.graph.json"
VARIABLE = "DESPINA_DATA"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
INTS = ("mf01", "mf02", "mf03", "pc13", "pc14", "pc15", "pc25", "pc26", "pc27", "res",
        "bm05", "bm06", "bm07", "bm08", "bm09", "bm10")
PACKET_BYTES = 84
"""A reading as a packet: its length, three bytes of null bits, two of 8 bytes, sixteen of 4."""


def path() -> Path:
    """The file."""
    return Path(os.environ.get(VARIABLE, BESIDE)) / "debs2012" / "DEBS2012-small.txt"


def needed() -> None:
    """An experiment's need: the file.

    :raise StartError: it is not there
    """
    if not path().is_file():
        raise StartError("data_missing", f"there are no DEBS 2012 readings at {path()}",
                         f"{VARIABLE} names the folder that has debs2012/DEBS2012-small.txt")


def source() -> dict[str, Any]:
    """A source that parses them before the first packet leaves, and sends them again and again."""
    return {"type": "file_source", "path": str(path()), "format": "csv", "options": {"sep": "\t"},
            "schema": ", ".join(["ts TIMESTAMP", "index BIGINT", *(f"{name} INT" for name in INTS)]),
            "columns": 56, "extra_columns": "ignore", "preload": True, "repeat": 0}


def made(run: Run, rows: int) -> Path:
    """A file of so many that are made up, for the manufacturing graph; made once per experiment."""
    file = run.lab / f"readings_{rows}.txt"
    if not file.is_file():
        engine.run(engine.Command(MADE, parameters={"rows": rows, "output": str(file)}), run.folder)
    return file
