"""Frames on the socket between engine and worker: 16 bytes of header (little endian), then the payload.

======  =====  ==================================================
offset  bytes
======  =====  ==================================================
0       4      length of the payload
4       1      kind
5       3      of an answer: for how long the function was at work, in units of 10 µs; else 0
8       8      number of the batch, from 1 on; 0 if of none
======  =====  ==================================================
"""

from __future__ import annotations

import enum
import json
import socket
import struct
import time
from contextlib import suppress
from typing import NamedTuple

import pyarrow as pa

HEADER = struct.Struct("<IIQ")
CODE = 0xFF
"""What the kind has of the 4 bytes behind the length."""
_UNIT_NS = 10_000
_MOST_UNITS = (1 << 24) - 1
_MOST_PIECES = 512
"""The system takes no more at once."""


class Kind(enum.IntEnum):
    """What a frame has. Those below 16 go to the worker, the others to the engine."""

    OPEN = 1
    """Text (JSON), then the schemas of the input and of the answers as Arrow IPC, and of keys and state for a function that keeps
    one, each part after its length in 4 bytes."""
    BATCH = 2
    """A record batch as Arrow IPC, of the columns that ``OPENED`` names."""
    KEYS = 3
    """Before a batch of a function that keeps state: a record batch of the keys that are new in it, for the slots from that
    number on. What was in those is forgotten. The next follows."""
    STATES = 4
    """A record batch of the states of these keys. One of NULLs is none."""
    SLOTS = 5
    """Of each row of the batch of that number, which follows, the slot of its key in 4 bytes."""
    TIMERS = 6
    """Timers that are due are called, the earliest first. Until when is in 8 bytes, as microseconds since 1970: 2^63 - 1 is the
    end of the input. How many at most is in the 4 bytes behind. It is answered as a batch without rows is, under that number."""
    TIMES = 7
    """Before a batch, after its ``SLOTS``, for a function whose keys go by event time: of each row its time in 8 bytes. Timers of
    earlier times are called before the row."""
    PULL = 8
    """The engine wants the batch of that number of a source."""
    SEEK = 9
    """JSON: the position behind which a source begins."""
    FLUSH = 10
    """A sink sends on what it has gathered. The next three have the number of an epoch in place of a batch's."""
    PREPARE = 11
    COMMIT = 12
    ABORT = 13
    ENDS = 14
    """After the ``SLOTS`` of keys: the stream has ended, and ``end`` is called for each. Answered as a batch of that number is
    that has no rows, with changes as those of timers, by which each of these keys has no state any more."""
    ALONE = 15
    """What is asked by the batch of that number, which follows, is asked of the first function of the row alone."""
    HELLO = 16
    """The secret that came by standard input."""
    OPENED = 17
    """JSON: ``{"columns": [...], "methods": [...], "behind": n, "lacking": why}``: the columns of the input that the function
    reads, and what its class has methods for, with state ``end``, of a source ``position``, of a sink ``flush``, ``prepare``,
    ``commit``, ``abort``.
    ``behind``: so many of the functions behind it are open too, the first of them, and why the next is not."""
    REFUSED = 18
    """JSON: ``{"why": ...}``; the worker ends."""
    ERRORS = 19
    """JSON: ``[[row, why], ...]``, rows of the batch that gave none, in order; before the last part of its answer. Of a source
    ``[row, why, record]``, before the batch that the rows would be in; so of a timer that has failed, with the row before which
    it was called."""
    PART = 20
    """A record batch of an answer, and more follow."""
    ANSWER = 21
    """The last record batch of an answer, or the batch of a source."""
    CHANGES = 22
    """What a batch has changed in states, before its answer, perhaps in parts: a count in 4 bytes, the slots of the keys whose
    state has changed, 4 bytes each, and a record batch with the state of each behind the batch. One of NULLs is none."""
    POSITION = 24
    """JSON: where a source is behind the batch of that number, which follows."""
    ENDED = 25
    """JSON: ``{"why": ...}``; a source has no more rows, because it has failed if ``why`` is not null."""
    SETTLED = 26
    """JSON: ``{"why": ...}``; the answer to ``SEEK``, ``FLUSH``, ``PREPARE``, ``COMMIT`` and ``ABORT``, in their order."""
    COUNTED = 27
    """JSON: ``{name: count, ...}``, what the function has counted since it was told last: before the answer of the batch
    of that number, with which it counts; 0 for what is of none."""
    AHEAD = 28
    """What follows, up to an ``ANSWER``, is what the function behind gives for so many of the rows whose own answer follows
    that: a count in 4 bytes. It stands within another if that function has one behind it too."""


class Frame(NamedTuple):
    """One that has come."""

    kind: Kind
    number: int
    payload: pa.Buffer


class Connection:
    """The worker's end, whose calls block."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._header = bytearray(HEADER.size)
        self._came_ns = 0
        self._worked_ns: int | None = None
        self._queued: list[bytes | memoryview] = []

    def receive(self) -> Frame | None:
        """The next frame; None when the engine has closed its side."""
        if not self._fill(memoryview(self._header)):
            return None
        length, kind, number = HEADER.unpack(self._header)
        payload = pa.allocate_buffer(length)
        if not self._fill(memoryview(payload)):
            return None
        self._came_ns = time.perf_counter_ns()
        self._worked_ns = None
        return Frame(Kind(kind & CODE), number, payload)

    def worked_ns(self) -> int:
        """From when the last frame came to when this was first called since: before anything of the answer is sent, as that may
        wait for the engine to read.
        """
        if self._worked_ns is None:
            self._worked_ns = time.perf_counter_ns() - self._came_ns
        return self._worked_ns

    def _fill(self, target: memoryview) -> bool:
        view = target.cast("B")
        while len(view):
            try:
                got = self._socket.recv_into(view)
            except ConnectionError:
                return False        # it has closed its side with something unread
            if got == 0:
                return False
            view = view[got:]
        return True

    def count(self, number: int, counts: dict[str, int]) -> None:
        """Tells what the function has counted, if it has."""
        if counts:
            self.send(Kind.COUNTED, number, json.dumps(counts).encode())

    def queue(self, kind: Kind, number: int, payload: bytes | memoryview, worked_ns: int = 0) -> None:
        """Has a frame leave with the next that is sent."""
        head = HEADER.pack(len(payload), kind | min(worked_ns // _UNIT_NS, _MOST_UNITS) << 8, number)
        self._queued += [head, payload] if len(payload) else [head]

    def send(self, kind: Kind, number: int, payload: bytes | memoryview, worked_ns: int = 0) -> None:
        """Sends a frame behind those that are queued, and waits until the system has taken all of it. When the engine has closed
        its side, nobody wants that, and ``receive`` gives None.

        :param worked_ns: on what this answers
        """
        self.queue(kind, number, payload, worked_ns)
        queued, self._queued = self._queued, []
        with suppress(ConnectionError):
            for at in range(0, len(queued), _MOST_PIECES):
                pieces = queued[at:at + _MOST_PIECES]
                sent = self._socket.sendmsg(pieces)
                for piece in pieces:
                    if sent < len(piece):
                        self._socket.sendall(memoryview(piece)[sent:])
                    sent = max(0, sent - len(piece))
