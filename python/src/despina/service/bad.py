"""Bad records of a run: of each operator the last thousand or so, in files of its own: none takes another's room."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from despina.service.log import Log

SEGMENT_BYTES = 1 << 19
"""Four of them are kept: a thousand records of 1.5 kB, or more that are shorter."""
TOLD = ("at_ms", "operator", "instance", "attempt", "record", "line", "column", "pointer")
"""What a line has of a record, beside why it is bad."""


class BadRecords:
    """``records/OPERATOR.N.jsonl`` in the folder of a run. One thread writes; any reads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "records"
        self._logs: dict[str, Log] = {}

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Writes them, as the gateway tells them. A disk that is full must not end the job."""
        for record in records:
            operator = str(record["operator"])
            with contextlib.suppress(OSError):
                if operator not in self._logs:
                    self._folder.mkdir(mode=0o700, exist_ok=True)
                    self._logs[operator] = self.log(operator)
                self._logs[operator].add("warning", "engine", str(record["reason"]),
                                         **{name: record[name] for name in TOLD if name in record})

    def log(self, operator: str) -> Log:
        """Those of an operator, oldest first."""
        return Log(self._folder, quote(operator, safe="").replace(".", "%2E"), SEGMENT_BYTES)
