"""Free TCP ports of 127.0.0.1."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free(count: int) -> list[int]:
    """So many ports that nobody listens on now, all different."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
