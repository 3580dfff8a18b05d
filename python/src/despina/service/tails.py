"""Tails: some of the rows that come to an operator, for viewers. All viewers of a port share what the engine gives, at most fifty
rows a second; while nobody asks, nothing is taken.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from despina.engine import Engine
from despina.errors import RefusedError
from despina.service.served import ServedJob

MOST_PER_S = 50
EVERY_S = 0.125
"""Between two questions to the engine."""
KEPT = 100
"""Rows, for viewers that come a little later."""
MOST = 64
"""Ports that are looked at."""
FORGET_S = 10.0


@dataclass
class _Tail:
    """Of one port."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    rows: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT))
    number: int = 0
    asked: float = -1e9
    room: float = 0.0


class Tails:
    """Those of all jobs. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._tails: dict[tuple[ServedJob, int, str, str], _Tail] = {}     # guarded by the lock

    def read(self, job: ServedJob, operator: str, port: str, after: int) -> tuple[list[str], int]:
        """Rows behind a number, and the number behind them.

        :param port: the input port; empty for the first
        :param after: 0 for none before; what is too old is left out
        :raise RefusedError: it does not run, there is no such operator or port, or too many ports are looked at
        """
        there = job.engine_job()
        if there is None:
            raise RefusedError("job_state", f"the job {job.record.name} is {job.state}", "rows come while it runs")
        tail = self._of((job, job.record.starts, operator, port))
        with tail.lock:
            if self._clock() - tail.asked >= EVERY_S:
                try:
                    self._ask(tail, there, operator, port)
                except RefusedError:        # there is no such port, which takes no other's place
                    self._forget(tail)
                    raise
            count = min(max(0, tail.number - after), len(tail.rows), MOST_PER_S)
            return list(tail.rows)[len(tail.rows) - count:] if count else [], tail.number

    def _of(self, key: tuple[ServedJob, int, str, str]) -> _Tail:
        with self._lock:
            old = self._clock() - FORGET_S
            self._tails = {each: tail for each, tail in self._tails.items() if tail.asked > old or each == key}
            if key not in self._tails:
                if len(self._tails) >= MOST:
                    raise RefusedError("tail", f"{MOST} ports are looked at, the most that may", "close one, or wait")
                self._tails[key] = _Tail(asked=self._clock() - EVERY_S)
            return self._tails[key]

    def _forget(self, tail: _Tail) -> None:
        with self._lock:
            self._tails = {key: each for key, each in self._tails.items() if each is not tail}

    def _ask(self, tail: _Tail, there: tuple[Engine, str], operator: str, port: str) -> None:
        engine, identifier = there
        now = self._clock()
        tail.room = min(MOST_PER_S, tail.room + (now - tail.asked) * MOST_PER_S)
        tail.asked = now
        rows = [row for told in engine.control(identifier, "tail", operator, port) if told.ok
                for row in json.loads(told.answer)["rows"]]
        most = int(tail.room)
        if len(rows) > most:        # of all instances the same share
            rows = [rows[number * len(rows) // most] for number in range(most)] if most else []
        tail.room -= len(rows)
        tail.rows.extend(rows)
        tail.number += len(rows)
