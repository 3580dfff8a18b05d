"""The lines of a run, in files of bounded size: JSON lines that people and programs read, also while they grow."""

from __future__ import annotations

import errno
import json
import os
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from despina.errors import RefusedError

SEGMENT_BYTES = 1 << 21
SEGMENTS = 4
"""How many files are kept, and how large the newest grows before another is begun."""
LINE_CHARS = 1 << 14
"""A longer text is cut."""
PARTS = frozenset({"at_ms", "level", "source", "text"})
"""What every line has."""
ANSWER_BYTES = 1 << 18
_CURSOR = re.compile(r"([0-9]{1,9})\.([0-9]{1,12})")


class Log:
    """``KIND.N.jsonl`` in a run's folder, N rising. Many threads write; a reader goes on at the place where it was."""

    def __init__(self, folder: Path, kind: str, segment_bytes: int | None = None) -> None:
        self._segment_bytes = segment_bytes or SEGMENT_BYTES
        self._folder = folder
        self._kind = kind
        self._lock = threading.Lock()
        self._number = max(self._numbers(), default=1)

    def add(self, level: str, source: str, text: str, **more: Any) -> None:
        """Writes one line, or nothing of it.

        :param level: ``info``, ``warning`` or ``error``
        :param source: who says it: ``service``, ``engine``, ``console`` or ``process``
        :raise OSError: the disk is full, say
        """
        line = json.dumps({"at_ms": time.time_ns() // 1_000_000, "level": level, "source": source, "text": text[:LINE_CHARS],
                           **more}, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            path = self._path(self._number)
            if path.exists() and path.stat().st_size + len(line) > self._segment_bytes:
                self._number += 1
                path = self._path(self._number)
                for old in self._numbers():
                    if old <= self._number - SEGMENTS:
                        self._path(old).unlink(missing_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                _append(descriptor, line)
            finally:
                os.close(descriptor)

    def read(self, after: str = "") -> tuple[list[Mapping[str, Any]], str]:
        """Lines behind a place, at most a quarter of a megabyte of them.

        :param after: the place that the call before gave; empty for the oldest line that is kept
        :return: the lines, and the place behind them
        :raise RefusedError: this is no place
        """
        number, offset = place_of(after)
        numbers = sorted(self._numbers())
        if not numbers:
            return [], f"{number}.{offset}"
        number, offset = min((number, offset), self._end(numbers[-1]))      # the folder may be that of a backup by now
        if number < numbers[0]:
            number, offset = numbers[0], 0      # what was there is gone
        found: list[Mapping[str, Any]] = []
        room = ANSWER_BYTES
        for segment in (each for each in numbers if each >= number):
            if segment != number:
                number, offset = segment, 0
            block = self._block(segment, offset, room)
            offset += len(block)
            room -= len(block)
            found += filter(None, map(_parsed, block.split(b"\n")))
            if room <= 0 or (not block and found):
                break
        return found, f"{number}.{offset}"

    def end(self, before: int = 0) -> str:
        """The place behind the last line, or so many bytes before that, perhaps inside of a line, which is left out then."""
        place = 0, 0
        for number in sorted(self._numbers(), reverse=True):
            try:
                size = self._path(number).stat().st_size
            except FileNotFoundError:
                break
            place = number, max(0, size - before)
            before -= size
            if before <= 0:
                break
        return f"{place[0]}.{place[1]}"

    def _block(self, segment: int, offset: int, most: int) -> bytes:
        """Whole lines from there on; one at least where there is one."""
        try:
            with self._path(segment).open("rb") as file:
                file.seek(offset)
                block = file.read(max(most, 1))
                if not block.endswith(b"\n"):
                    block += file.readline() if b"\n" not in block else b""
        except FileNotFoundError:
            return b""
        return block[:block.rfind(b"\n") + 1]

    def _end(self, newest: int) -> tuple[int, int]:
        try:
            return newest, self._path(newest).stat().st_size
        except FileNotFoundError:
            return newest, 0

    def _numbers(self) -> list[int]:
        names = (path.name.split(".") for path in self._folder.glob(f"{self._kind}.*.jsonl"))
        return [int(parts[1]) for parts in names if parts[1].isdecimal()]

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._kind}.{number}.jsonl"


def place_of(after: str) -> tuple[int, int]:
    """The segment, and the byte in it, that a place names; the first for an empty one.

    :raise RefusedError: it is no place
    """
    if not after:
        return 0, 0
    written = _CURSOR.fullmatch(after)
    if written is None:
        raise RefusedError("cursor", f"after={after!r} is no place in a log", "take `next` of the answer before")
    return int(written[1]), int(written[2])


def _append(descriptor: int, line: bytes) -> None:
    """Writes a line in one piece, so that a reader never sees a part of two.

    :raise OSError: it does not fit: nothing of it is there
    """
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        line = b"\n" + line         # a death has cut the line before
    written = os.write(descriptor, line)
    if written < len(line):
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _parsed(line: bytes) -> Mapping[str, Any] | None:
    """A line; None for what is none: it was cut by a death, or the place asked for is inside of it."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() >= PARTS else None
