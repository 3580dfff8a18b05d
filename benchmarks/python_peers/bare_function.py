"""A function of numpy's in a process of its own, with nothing around it: batches of two doubles come by a Unix socket as Arrow,
each behind its length, and answers go back likewise.

    python bare_function.py SOCKET
"""

from __future__ import annotations

import socket
import sys
from typing import Any

import pyarrow as pa

PAIR = pa.schema([("a", pa.float64()), ("b", pa.float64())])
ANSWER = pa.schema([("f", pa.float64())])
BUFFER_BYTES = 1 << 20


def connected(path: str) -> socket.socket:
    """To whoever listens there."""
    made = widened(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    made.connect(path)
    return made


def widened(peer: socket.socket) -> socket.socket:
    """The same, which takes a whole batch at once."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
    return peer


def send(peer: socket.socket, batch: pa.RecordBatch) -> None:
    """Without its schema, which both sides know."""
    message = batch.serialize()
    peer.sendall(len(message).to_bytes(4, "little") + memoryview(message))


def receive(peer: socket.socket, schema: pa.Schema) -> pa.RecordBatch | None:
    """None when the other side has gone."""
    length = bytearray(4)
    if not _fill(peer, memoryview(length)):
        return None
    message = pa.allocate_buffer(int.from_bytes(length, "little"))
    return pa.ipc.read_record_batch(message, schema) if _fill(peer, memoryview(message).cast("B")) else None


def _fill(peer: socket.socket, view: memoryview) -> bool:
    while len(view):
        if (got := peer.recv_into(view)) == 0:
            return False
        view = view[got:]
    return True


def answered(batch: pa.RecordBatch, function: Any) -> pa.RecordBatch:
    """What the function makes of it."""
    made = function(*(column.to_numpy() for column in batch.columns))
    return pa.RecordBatch.from_arrays([pa.array(made)], schema=ANSWER)


def main() -> None:
    """Until the other side has gone."""
    import numpy

    peer = connected(sys.argv[1])
    while (batch := receive(peer, PAIR)) is not None:
        send(peer, answered(batch, lambda a, b: numpy.where(a > b, a * 1.8 + 32.0, b)))


if __name__ == "__main__":
    main()
