"""What stands before every request: whose page sends it, how large it is, how many there are. It knows no route."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from despina.errors import Diagnostic

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SECRET_WORDS = frozenset({"token", "access_token", "secret", "password", "api_key", "authorization"})
HEADERS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer"),
           (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"))


@dataclass(frozen=True)
class Limits:
    """What one request, and all of a second, may take.

    :ivar body_bytes: of a request
    :ivar body_s: how long its body may take to come
    :ivar requests_per_s: of one address
    """

    body_bytes: int = 80 << 20
    body_s: float = 60.0
    requests_per_s: float = 1000.0


class BodyError(Exception):
    """A body is larger than it may be, or too slow."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.diagnostic = Diagnostic("body", message)


class Guard:
    """Refuses what no route should see."""

    def __init__(self, app: App, hosts: Iterable[str], limits: Limits | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:
        """:param hosts: what a ``Host`` header may say, each ``name`` or ``name:port``"""
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._limits = limits or Limits()
        self._rates = Rates(self._limits.requests_per_s, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI wants it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is not None:
            await _answer(send, *refused)
            return
        body = _Body(receive, self._limits)
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if body.refused is not None and not begun:
                return      # what the application makes of a body that breaks off
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)
        with contextlib.suppress(BodyError):
            await self._app(scope, body.receive, sent)
        if body.refused is not None and not begun:
            await _answer(send, body.refused.status, body.refused.diagnostic)

    def _refused(self, scope: Scope) -> tuple[int, Diagnostic, int] | None:
        headers = scope["headers"]
        host = _only(headers, b"host")
        if host is None or host.lower() not in self._hosts:
            return 421, Diagnostic("host", f"Host={host!r} is no name of this service",
                                   hint="a name more: despina serve --host NAME"), 0
        origin = _only(headers, b"origin")
        if any(name == b"origin" for name, _ in headers) and not self._is_ours(origin):
            return 403, Diagnostic("origin", f"Origin={origin!r} is another site"), 0
        if _only(headers, b"sec-fetch-site") in ("cross-site", "same-site"):
            return 403, Diagnostic("origin", "another site's page sends this"), 0
        query = scope.get("query_string", b"").decode("latin-1")
        named = {name.lower() for name, _ in parse_qsl(query, keep_blank_values=True)}
        if found := sorted(named & SECRET_WORDS):
            return 400, Diagnostic("query", f"`{found[0]}` in a query gets into logs",
                                   hint="send the token in a header: Authorization: Bearer …"), 0
        length = _only(headers, b"content-length")
        if length is not None and (not length.isdecimal() or int(length) > self._limits.body_bytes):
            return 413, Diagnostic("body", f"a body of {length} bytes; {self._limits.body_bytes} are the most"), 0
        if not self._rates.take((scope.get("client") or ("",))[0]):
            words = f"more than {self._limits.requests_per_s:g} requests a second"
            return 429, Diagnostic("rate", words, hint="wait a second"), 1
        return None

    def _is_ours(self, origin: str | None) -> bool:
        scheme, sign, host = (origin or "").lower().partition("://")
        return bool(sign) and scheme in ("http", "https") and host in self._hosts


class _Body:
    """A body as it comes, within the limits."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._until = time.monotonic() + limits.body_s
        self._taken = 0
        self._whole = False
        self.refused: BodyError | None = None

    async def receive(self) -> Message:
        """The next piece.

        :raise BodyError: it is too large, or too slow
        """
        if self._whole:
            return await self._receive()        # which waits for the client to go
        try:
            message = await asyncio.wait_for(self._receive(), max(0.01, self._until - time.monotonic()))
        except TimeoutError:
            raise self._no(408, f"the body took more than {self._limits.body_s:g} s") from None
        self._taken += len(message.get("body", b""))
        if self._taken > self._limits.body_bytes:
            raise self._no(413, f"a body of more than {self._limits.body_bytes} bytes")
        self._whole = not message.get("more_body", False)
        return message

    def _no(self, status: int, message: str) -> BodyError:
        self.refused = BodyError(status, message)
        return self.refused


class Rates:
    """Requests of each address: so many a second, and as many at once. Of the event loop's thread."""

    MOST = 10_000
    """Addresses that are remembered."""

    def __init__(self, per_s: float, clock: Callable[[], float]) -> None:
        self._per_s = per_s
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, address: str) -> bool:
        """Whether one more may come now."""
        now = self._clock()
        left, at = self._left.pop(address, (self._per_s, now))
        left = min(self._per_s, left + (now - at) * self._per_s)
        if len(self._left) >= self.MOST:
            self._left.pop(next(iter(self._left)))
        self._left[address] = (left - 1 if left >= 1 else left, now)
        return left >= 1


def _only(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of a header that comes once."""
    found = [value for key, value in headers if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


async def _answer(send: Send, status: int, diagnostic: Diagnostic, retry_after_s: int = 0) -> None:
    body = json.dumps({"diagnostics": [diagnostic.as_dict()]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"connection", b"close"),
               *HEADERS]
    if retry_after_s:
        headers.append((b"retry-after", str(retry_after_s).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
