"""What processes of jobs write for people, as lines of the logs of these jobs: warnings of operators, and all that user code
prints.

The coordinator's JVM passes each of their lines on behind the resource's name. Some are of Java's logging, with a level and the
operator, or begin with the operator that speaks; the rest is as it was printed.
"""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from despina.service.served import ServedJob
from despina.service.submission import SHARED, resource_prefix

MOST_PER_S = 100
"""Lines that a job's log takes of its processes; the others are counted."""
MOST_WAITING = 2_000
"""Lines that wait for the disk; more are left out."""
MOST_KNOWN = 1_000
_SAID = re.compile(r"\[([^\]\s]+)\] (.*)", re.DOTALL)
_LOGGED = re.compile(r"\d\d:\d\d:\d\d (\S+) (\S+): (.*)", re.DOTALL)
LEVELS = {"SEVERE": "error", "ERROR": "error", "FATAL": "error", "WARNING": "warning", "WARN": "warning"}


@dataclass
class _Voice:
    """Of a job's processes.

    :ivar until: when its present second is over
    """

    job: ServedJob
    operators: frozenset[str]
    until: float = 0.0
    lines: int = 0


class Voices:
    """Takes lines of any thread at once, and writes them on a thread of its own: a slow disk must not hold up who speaks."""

    def __init__(self, jobs: Callable[[], Sequence[ServedJob]], clock: Callable[[], float] = time.monotonic) -> None:
        """:param jobs: all runs"""
        self._jobs = jobs
        self._clock = clock
        self._waiting: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._voices: dict[str, list[_Voice]] = {}      # by resource; of the thread
        self._thread = threading.Thread(target=self._write, name="despina-voices", daemon=True)

    def begin(self) -> None:
        """Writes from now on."""
        self._thread.start()

    def hear(self, line: str) -> None:
        """A line as the coordinator's JVM passes it on. Returns at once."""
        if line.startswith("["):
            try:
                self._waiting.put_nowait(line)
            except queue.Full:
                return      # the service's standard error has it

    def close(self) -> None:
        """Writes what waits, and no more."""
        if self._thread.ident is not None:
            with suppress(queue.Full):      # its disk stands still
                self._waiting.put(None, timeout=5.0)
            self._thread.join(5.0)

    def _write(self) -> None:
        while (line := self._waiting.get()) is not None:
            self.take(line)

    def take(self, line: str) -> None:
        """Writes a line into the logs of the jobs whose process says it."""
        found = _SAID.fullmatch(line)
        if found is None:
            return
        for voice in self._of(found[1]):
            self._add(voice, found[1], found[2])

    def _of(self, resource: str) -> list[_Voice]:
        if resource == SHARED:
            ids = {id(job): job for job in self._jobs() if job.active and job.record.isolation == "shared"}
            kept = [voice for voice in self._voices.get(SHARED, []) if ids.pop(id(voice.job), None)]
            self._voices[SHARED] = [*kept, *map(_voice, ids.values())]
        elif resource not in self._voices:
            if len(self._voices) >= MOST_KNOWN:
                self._voices.clear()
            found = [_voice(job) for job in self._jobs() if _is_of(resource, job)]
            if not found:
                return []       # it is ready for a job to come, or joins
            self._voices[resource] = found
        return self._voices[resource]

    def _add(self, voice: _Voice, resource: str, text: str) -> None:
        now = self._clock()
        if now >= voice.until:
            if voice.lines > MOST_PER_S:
                voice.job.tell("info", f"… and {voice.lines - MOST_PER_S} lines more", "process", resource=resource)
            voice.until, voice.lines = now + 1.0, 0
        voice.lines += 1
        if voice.lines > MOST_PER_S:
            return
        level, operator = "info", ""
        if logged := _LOGGED.fullmatch(text):
            level, operator, text = LEVELS.get(logged[1], "info"), logged[2], logged[3]
        elif text.partition(" ")[0] in voice.operators:
            operator, _, text = text.partition(" ")
        if operator and operator not in voice.operators:
            operator, text = "", f"{operator}: {text}"
        voice.job.tell(level, text, "process", resource=resource, operator=operator)


def _is_of(resource: str, job: ServedJob) -> bool:
    prefix = resource_prefix(job.record.name, job.record.run)
    return resource == prefix or resource.startswith(f"{prefix}__")


def _voice(job: ServedJob) -> _Voice:
    try:
        return _Voice(job, frozenset(json.loads(job.run.graph)["operators"]))
    except (OSError, ValueError, KeyError, TypeError):
        return _Voice(job, frozenset())     # its folder goes at this moment
