"""What a run writes down for people: its log, why it and attempts of it failed, and the bad records of each operator.

A disk that is full must not end a job, so what cannot be written is left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any

from despina.service.bad import BadRecords
from despina.service.log import Log
from despina.service.store import Run


def placed(found: Mapping[str, Any], places: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """An error or a bad record, whose place is one in what was submitted: a graph whose parts were written out has other lines.

    :param places: as of :attr:`despina.service.store.Run.places`
    """
    if not places or not (found.get("pointer") or found.get("line")):
        return dict(found)
    pointer = str(found.get("pointer") or f"/operators/{found.get('operator')}")
    while pointer and pointer not in places:
        pointer = pointer.rpartition("/")[0]
    at = places.get(pointer) or {}
    return {**found, "line": at.get("line", 0), "column": at.get("column", 0), "pointer": at.get("pointer", "")}


class Journal:
    """Of one run. Any thread may read it and :meth:`tell`; the rest is of the run's own thread."""

    def __init__(self, run: Run) -> None:
        folder = run.folder
        self._run = run
        self.log = Log(folder, "log")
        self.errors = Log(folder, "errors")
        self.bad = BadRecords(folder)
        self._restarts = 0      # of this start that were written down

    def tell(self, level: str, text: str, source: str = "service", **more: str) -> None:
        """Adds a line to the log.

        :param more: what else is known of it, as its ``operator``; what is empty is left out
        """
        with contextlib.suppress(OSError):
            self.log.add(level, source, text, **{name: each for name, each in more.items() if each})

    def begin(self) -> None:
        """The run was started."""
        self._restarts = 0

    def spoiled(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Bad records, as the gateway tells them."""
        self.bad.add(placed(each, self._run.places) for each in records)

    def failed(self, error: Mapping[str, Any], attempt: int = 0) -> None:
        """Why it, or an attempt of it, failed."""
        with contextlib.suppress(OSError):
            self.errors.add("error", "engine", str(error.get("message")), rule=error.get("rule"), hint=error.get("hint") or "",
                            operator=error.get("operator") or "", attempt=attempt)

    def restarted(self, found: Mapping[str, Any]) -> None:
        """Why an attempt ended after which it goes on by itself, once.

        :param found: its status
        """
        restarts, why = int(found.get("restarts") or 0), (found.get("last_restart") or {}).get("why")
        if restarts > self._restarts and why:
            self._restarts = restarts
            self.failed(why, restarts)
            self.tell("warning", f"goes on after a loss ({restarts}): {why.get('message')}",
                      operator=why.get("operator") or "")

    def ended(self, found: Mapping[str, Any]) -> None:
        """Why it failed, if it did, and the first record that each operator skipped.

        :param found: its last status
        """
        error = found.get("error")
        if error:
            self.failed(error, int(found.get("attempt") or 1))
        for operator, text in (found.get("skipped") or {}).items():
            with contextlib.suppress(OSError):
                self.errors.add("warning", "engine", text, operator=operator, rule="skipped")
