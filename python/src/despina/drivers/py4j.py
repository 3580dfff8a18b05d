"""The gateway in a child JVM, over py4j on 127.0.0.1 with an auth token that travels by standard input."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from despina.drivers import disown_in_forks
from despina.drivers.jvm import STOP_TIMEOUT_S, ChildJvm, let_go
from despina.errors import StartError
from despina.interrupts import deferred

MAIN_CLASS = "io.despina.gateway.GatewayMain"
GREETING = "despina gateway "
DYING_S = 2.0
"""How long a JVM whose connection broke may take to be seen as dead."""


class Py4jDriver:
    """Starts the child at once and imports py4j while it comes up."""

    def __init__(self, options: Sequence[str] = (), stop_timeout_s: float = STOP_TIMEOUT_S,
                 heard: Callable[[str], None] = lambda line: None) -> None:
        """:param heard: called with each line that the JVM and its resources write for people; must return at once"""
        token = secrets.token_hex(32)
        self._child = ChildJvm(MAIN_CLASS, GREETING, options, stop_timeout_s, heard)
        self._gateway: Any = None
        self._closed = False
        self._disowned = False
        disown_in_forks(self)
        self._lock = threading.Lock()
        try:
            self._child.tell(token)
            from py4j.java_gateway import GatewayParameters, JavaGateway
            from py4j.protocol import Py4JError
            self._error: type[Exception] = Py4JError
            if (words := logging.getLogger("py4j")).level == logging.NOTSET:
                words.setLevel(logging.CRITICAL)    # it would print the stack of what we raise in words
            port = int(self._child.hear())
            self._gateway = JavaGateway(gateway_parameters=GatewayParameters(
                address="127.0.0.1", port=port, auth_token=token))
        except BaseException:
            self._child.close()
            raise

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._child.pid

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method that answers text."""
        return str(self._invoke(method, *arguments))

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls a method that answers bytes."""
        return bytes(self._invoke(method, *arguments))

    def _invoke(self, method: str, *arguments: str | int | bytes) -> Any:
        if self._disowned:
            raise StartError.of_fork()
        if self._closed:
            raise StartError("engine_closed", "the engine was closed", "start another: despina.engine.start()")
        try:
            # py4j's own handling of an interrupted call is broken: the connection lacks a method it calls.
            with deferred():
                return getattr(self._gateway.entry_point, method)(*arguments)
        except (self._error, OSError) as error:
            if not self._child.ends_within(DYING_S):
                raise StartError("engine_call", f"the engine did not answer {method}: {error}") from error
            raise self._child.lost("is gone", "engine_lost") from error

    def alive(self) -> bool:
        """Whether the child runs, and was not closed."""
        return not self._closed and self._child.alive()

    def disown(self) -> None:
        """See :class:`~despina.drivers.Inherited`: the JVM's life line, and the connections to it."""
        self._disowned = self._closed = True
        self._lock = threading.Lock()
        self._child.disown()
        if self._gateway is not None:
            for connection in list(self._gateway._gateway_client.deque):
                let_go(connection.socket)

    def close(self) -> None:
        """Closes the connections, then the child's standard input: it ends every job and itself."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._gateway.close()
        self._child.close()
