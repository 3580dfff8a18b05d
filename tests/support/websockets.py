"""WebSockets by hand (RFC 6455): the two handshakes, and text messages, pings and closes as bytes."""

from __future__ import annotations

import base64
import hashlib
import os

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
HEAD_END = b"\r\n\r\n"
_PARTS = {0, 1, 2}
_WHOLE = 0x80
_MASKED = 0x80
_KEY = b"sec-websocket-key"
_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def asks(port: int, path: str) -> bytes:
    """How a client begins."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
             "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
    return "\r\n".join(lines).encode() + HEAD_END


def agrees(head: bytes) -> bytes:
    """How a server answers that beginning."""
    key = next(value.strip() for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")) if name.lower() == _KEY)
    accept = base64.b64encode(hashlib.sha1(key + _SUFFIX).digest())
    return (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept
            + HEAD_END)


def frame(opcode: int, payload: bytes, masked: bool = False) -> bytes:
    """A whole message of at most 64 KB; a client's is masked."""
    length = bytes([len(payload)]) if len(payload) < 126 else bytes([126]) + len(payload).to_bytes(2, "big")
    if not masked:
        return bytes([_WHOLE | opcode]) + length + payload
    mask = os.urandom(4)
    return bytes([_WHOLE | opcode, _MASKED | length[0]]) + length[1:] + mask + _mask(payload, mask)


def _mask(payload: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ mask[k % 4] for k, byte in enumerate(payload))


class Incoming:
    """Makes messages of the bytes that come."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._parts = bytearray()

    def take(self, more: bytes) -> list[tuple[int, bytes]]:
        """The opcode and payload of each message that is whole now."""
        self._bytes += more
        found = []
        while (one := self._frame()) is not None:
            first, payload = one
            opcode = first & 0x0F
            if opcode in _PARTS:
                self._parts += payload
                if first & _WHOLE:
                    found.append((TEXT, bytes(self._parts)))
                    self._parts.clear()
            else:
                found.append((opcode, payload))
        return found

    def _frame(self) -> tuple[int, bytes] | None:
        have = self._bytes
        if len(have) < 2:
            return None
        short, masked = have[1] & 0x7F, bool(have[1] & _MASKED)
        wide = {126: 2, 127: 8}.get(short, 0)
        begin = 2 + wide + (4 if masked else 0)
        length = int.from_bytes(have[2:2 + wide], "big") if wide else short
        if len(have) < begin + length:
            return None
        payload = bytes(have[begin:begin + length])
        first = have[0]
        if masked:
            payload = _mask(payload, bytes(have[begin - 4:begin]))
        del have[:begin + length]
        return first, payload
