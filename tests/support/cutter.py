"""A peer between a client and a server that cuts connections."""

from __future__ import annotations

import socket
import socketserver
import threading
from typing import Protocol


class Server(Protocol):
    """What runs on the loopback interface."""

    port: int
    url: str


class Cutter:
    """Hands connections on to a server, and cuts each of the first ones when it has sent so many bytes.

    :param after: how many, of one connection after the other; those behind the last are not cut
    """

    def __init__(self, server: Server, *after: int) -> None:
        self.sent: list[int] = []
        """Bytes that came of each connection."""
        cutter = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                number = len(cutter.sent)
                cutter.sent.append(0)
                left = after[number] if number < len(after) else None
                with socket.create_connection(("127.0.0.1", server.port)) as onward:
                    threading.Thread(target=_copy, args=(onward, self.request), daemon=True).start()
                    while left is None or left > 0:
                        content = self.request.recv(min(left or _CHUNK, _CHUNK))
                        if not content:
                            break
                        cutter.sent[number] += len(content)
                        left = left and left - len(content)
                        onward.sendall(content)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"{server.url.rpartition(':')[0]}:{self._server.server_address[1]}"

    def close(self) -> None:
        """Takes no more connections."""
        self._server.shutdown()
        self._server.server_close()


_CHUNK = 1 << 14


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while content := source.recv(_CHUNK):
            target.sendall(content)
    except OSError:
        return
