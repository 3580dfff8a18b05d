"""Connections before they are requests: how many there may be, and how long one may be silent."""

from __future__ import annotations

import asyncio
import json
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

from despina.errors import Diagnostic

_FULL_BODY = json.dumps({"diagnostics": [Diagnostic("busy", "there are as many connections as may be",
                                                    hint="ask again in some seconds, over fewer of them").as_dict()]}).encode()
FULL = (b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\nretry-after: 5\r\n"
        b"content-length: %d\r\n\r\n%s" % (len(_FULL_BODY), _FULL_BODY))
"""What one is answered for which there is no room, whatever it would ask."""


class Connection(H11Protocol):
    """One client's. What sends no whole head in its time is closed, so silent ones do not keep others out.

    Uvicorn's own limit counts silent connections as if they were requests, and its timer begins after the first answer.
    """

    HEAD_S = 10.0
    """How long the head of a request may take, from the connection or from its first byte."""
    MOST = 1024
    """Of all clients. Those who send their heads at once are answered, however many others do not."""
    MOST_OF_ADDRESS = 512
    """A client that has all of its own keeps no other out. Behind a proxy, all clients are one address."""

    UNREAD_S = 30.0
    """How long a client may read nothing of an answer that waits for it."""

    _head: asyncio.TimerHandle | None = None
    _since = 0.0
    """When it began to owe a head, by the loop's clock."""
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:    # type: ignore[override]
        """A new one. Where there are too many, that goes which has owed a whole head for longest; if none does, the new one."""
        super().connection_made(transport)
        # asyncio does so only for a socket that says that it is TCP, and those of socket.create_server do not: without it, the
        # body of each answer waits until the client has acknowledged the head, mostly 40 ms
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        address = self.client and self.client[0]
        others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
        beside = [each for each in others if (each.client and each.client[0]) == address]
        crowd = beside if len(beside) >= self.MOST_OF_ADDRESS else others if len(others) >= self.MOST else []
        longest = min((each for each in crowd if each._head is not None), key=lambda each: each._since, default=None)
        if longest is not None:
            longest._late()
        elif crowd:
            transport.write(FULL)
            transport.close()
            return
        self._begin()

    def data_received(self, data: bytes) -> None:
        """Some bytes, of a head or of a body."""
        super().data_received(data)
        if self.transport.is_closing() or (self.cycle is not None and not self.cycle.response_complete):
            self._end()
        elif self._head is None:
            self._begin()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is answered."""
        super().pause_writing()
        self._look(self.transport.get_write_buffer_size() + 1)

    def resume_writing(self) -> None:
        """It has read."""
        self._read()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._end()
        self._read()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._since = self.loop.time()
        self._head = self.loop.call_later(self.HEAD_S, self._late)

    def _end(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _look(self, before: int) -> None:
        """Ends it where nothing was read since the last look; else looks again."""
        left = self.transport.get_write_buffer_size()
        if left >= before:
            self._unread = None
            self.transport.abort()
        else:
            self._unread = self.loop.call_later(self.UNREAD_S, self._look, left)

    def _read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _late(self) -> None:
        self._end()     # the timer of one that goes before its time would keep it in memory until then
        self.transport.abort()
