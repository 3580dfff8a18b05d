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

from despina.errors import DespinaError, Diagnostic
from despina.version import VERSION

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SECRET_WORDS = frozenset({"token", "access_token", "secret", "password", "api_key", "authorization"})
HEADERS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer"),
           (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"), (b"despina-version", VERSION.encode()))
"""Of every answer that does not have its own."""


@dataclass(frozen=True)
class Limits:
    """What one request, and all of a second, may take.

    :ivar body_bytes: of a request
    :ivar body_s: how long its body may take to come
    :ivar requests_per_s: of one address
    :ivar running: requests that are answered at one time, of all addresses; the service's health is asked beside them
    :ivar bodies_bytes: of the bodies of all of those
    """

    body_bytes: int = 80 << 20
    body_s: float = 60.0
    requests_per_s: float = 1000.0
    running: int = 256
    bodies_bytes: int = 320 << 20


HEALTH = "/health/"
"""What is asked without a token, and while the service is busy."""
BUSY_S = 1
"""When a client may try again what the service has no room for."""
STATUS_UNKNOWN = 401


class BodyError(Exception):
    """A body is larger than it may be, or too slow, or nobody's."""

    def __init__(self, status: int, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.status = status
        self.diagnostic = diagnostic


class Guard:
    """Refuses what no route should see."""

    def __init__(self, app: App, hosts: Iterable[str], limits: Limits | None = None,
                 knows: Callable[[str, str, str], bool] = lambda token, method, path: True) -> None:
        """:param hosts: what a ``Host`` header may say, each ``name`` or ``name:port``
        :param knows: whether a token is one, asked before a body is read, with the method and the path; it raises what has a
            ``status`` if the token may not send one there. What else it may do, its route says
        """
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._limits = limits or Limits()
        self._knows = knows
        self._rates = Rates(self._limits.requests_per_s, time.monotonic)
        self._room = _Room(self._limits.bodies_bytes)
        self._running = 0

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
        if scope["path"].startswith(HEALTH):
            await self._pass(scope, receive, send)
            return
        if self._running >= self._limits.running:
            await _answer(send, 503, Diagnostic("busy", f"{self._running} requests are being answered",
                                                hint="wait a second, and ask again"), BUSY_S)
            return
        self._running += 1
        try:
            await self._pass(scope, receive, send)
        finally:
            self._running -= 1

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Has the application answer."""
        body = _Body(receive, self._limits, self._room)
        if _has_body(scope["headers"]) and not scope["path"].startswith(HEALTH):
            body.nobodys = await asyncio.to_thread(self._why_nobodys, scope)
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if body.refused is not None and not begun:
                return      # what the application makes of a body that breaks off
            if message["type"] == "http.response.start":
                begun = True
                own = message.get("headers", ())
                has = {name for name, _ in own}
                message["headers"] = [*own, *(each for each in HEADERS if each[0] not in has)]
            await send(message)
        try:
            with contextlib.suppress(BodyError):
                await self._app(scope, body.receive, sent)
        finally:
            body.leave()
        if body.refused is not None and not begun:
            status = body.refused.status
            await _answer(send, status, body.refused.diagnostic, BUSY_S if status == 503 else 0)

    def _why_nobodys(self, scope: Scope) -> BodyError | None:
        """Why a body is not read: nobody who is known sends it, or somebody who may not."""
        scheme, _, token = (_only(scope["headers"], b"authorization") or "").partition(" ")
        try:
            if scheme.lower() == "bearer" and self._knows(token.strip(), scope["method"], scope["path"]):
                return None
        except DespinaError as error:
            return BodyError(getattr(error, "status", 503), error.diagnostics[0])
        return BodyError(STATUS_UNKNOWN, Diagnostic(
            "token", "no token, or none that is known, and so the body is not read",
            hint="send Authorization: Bearer TOKEN; despina token add NAME --role ROLE makes one"))

    def _refused(self, scope: Scope) -> tuple[int, Diagnostic, int] | None:
        headers = scope["headers"]
        host = _only(headers, b"host")
        if host is None or host.lower() not in self._hosts:
            return 421, Diagnostic("host", f"Host={host!r} is no name of this service",
                                   hint="a name more: despina serve --host NAME"), 0
        origin = _only(headers, b"origin")
        if any(name == b"origin" for name, _ in headers) and not self._is_ours(origin):
            return 403, Diagnostic("origin", f"Origin={origin!r} is another site"), 0
        if _only(headers, b"sec-fetch-site") in ("cross-site", "same-site") and not _is_link(scope):
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


class _Room:
    """What the bodies of all requests may still take. Of the event loop's thread."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.left = size


class _Body:
    """A body as it comes, within the limits."""

    def __init__(self, receive: Receive, limits: Limits, room: _Room) -> None:
        self._receive = receive
        self._limits = limits
        self._room = room
        self.nobodys: BodyError | None = None
        self._until = time.monotonic() + limits.body_s
        self._taken = 0
        self._whole = False
        self.refused: BodyError | None = None

    async def receive(self) -> Message:
        """The next piece.

        :raise BodyError: it is too large, or too slow, or nobody's
        """
        if self.nobodys is not None:
            self.refused = self.nobodys
            raise self.nobodys
        if self._whole:
            return await self._receive()        # which waits for the client to go
        try:
            message = await asyncio.wait_for(self._receive(), max(0.01, self._until - time.monotonic()))
        except TimeoutError:
            raise self._no(408, f"the body took more than {self._limits.body_s:g} s") from None
        size = len(message.get("body", b""))
        self._taken += size
        self._room.left -= size
        if self._taken > self._limits.body_bytes:
            raise self._no(413, f"a body of more than {self._limits.body_bytes} bytes")
        if self._room.left < 0:
            raise self._no(503, f"the bodies of all requests take more than {self._room.size} bytes")
        self._whole = not message.get("more_body", False)
        return message

    def leave(self) -> None:
        """The request has been answered, and its body is held no longer."""
        self._room.left += self._taken

    def _no(self, status: int, message: str) -> BodyError:
        self.refused = BodyError(status, Diagnostic("body", message))
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


def _is_link(scope: Scope) -> bool:
    """Whether a person followed a link: that sends no token, so it leads to the page alone."""
    headers = scope["headers"]
    return (scope["method"] == "GET" and _only(headers, b"sec-fetch-mode") == "navigate"
            and _only(headers, b"sec-fetch-dest") == "document")


def _has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in headers)


def _only(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of a header that comes once."""
    found = [value for key, value in headers if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


async def _answer(send: Send, status: int, diagnostic: Diagnostic, retry_after_s: int = 0) -> None:
    body = json.dumps({"diagnostics": [diagnostic.as_dict()]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"connection", b"close"),
               *HEADERS]
    if status == STATUS_UNKNOWN:
        headers.append((b"www-authenticate", b"Bearer"))
    if retry_after_s:
        headers.append((b"retry-after", str(retry_after_s).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
