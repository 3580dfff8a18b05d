"""The service as a process: what it is told, what it binds, and how it ends."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from despina.errors import Place, RefusedError, StartError
from despina.service import app as routes
from despina.service.answers import job_of
from despina.service.connections import Connection
from despina.service.coordinator import Coordinator, started
from despina.service.durable import replace_file
from despina.service.guard import Guard, Limits
from despina.service.jobs import Jobs
from despina.service.live import Live
from despina.service.metrics import Snapshot
from despina.service.orphans import clear, mark
from despina.service.registry import KEPT_RUNS
from despina.service.rules import Rules
from despina.service.store import Store
from despina.service.tokens import Tokens
from despina.service.voices import Voices

if TYPE_CHECKING:
    from despina.service.otlp import Otlp

BACKLOG = 512
KEEP_ALIVE_S = 30
LEAVE_S = 3
TICKS_PER_S = 10
"""As uvicorn counts them."""


@dataclass(frozen=True)
class ServeOptions:
    """What ``despina serve`` is told.

    :ivar listen: ``HOST:PORT``; port 0 takes a free one
    :ivar tls: a folder with ``certificate.pem`` and ``key.pem``
    :ivar tokens: the file of tokens; ``tokens.json`` of the folder if not given
    :ivar hosts: names more at which it is called, as behind a proxy
    :ivar rules: what graphs may name
    :ivar keep: how many runs of a name are kept
    :ivar memory_bytes: what the processes of all jobs may take together; None for no bound
    :ivar otlp: the address of a collector of OpenTelemetry; empty for none
    :ivar spare: how many processes are kept ready for jobs to come
    :ivar drain_s: how long jobs may work off what is in flight when the service ends
    """

    folder: Path
    listen: str = "127.0.0.1:7600"
    tls: Path | None = None
    tokens: Path | None = None
    hosts: Sequence[str] = field(default_factory=tuple)
    rules: Rules = field(default_factory=Rules)
    keep: int = KEPT_RUNS
    memory_bytes: int | None = None
    spare: int = 1
    otlp: str = ""
    drain_s: float = 20.0


def serve(options: ServeOptions) -> int:
    """Runs the service until SIGTERM or SIGINT.

    :raise RefusedError: it would listen where others reach it, without TLS or tokens
    :raise StartError: the folder or the port is in use
    """
    host, port = _address(options.listen)
    _refuse_open(host, options)
    store = Store.open(options.folder.resolve())
    try:
        with _bound(host, port) as bound:
            _run(store, bound, host, options)
    finally:
        store.close()
    return 0


def _run(store: Store, bound: socket.socket, host: str, options: ServeOptions) -> None:
    port = bound.getsockname()[1]
    url = f"{'https' if options.tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    store.sign(url)
    tokens = Tokens(options.tokens or store.folder / "tokens.json")
    _first_token(tokens, store.folder)
    mark(store.folder)

    def first() -> None:
        clear(store.folder, tell)
    voices = Voices(lambda: jobs.registry.every())
    coordinator = Coordinator(partial(started, options.spare, voices.hear), tell, before=first)
    jobs = Jobs(store, coordinator, options.rules, options.keep, options.memory_bytes)
    live = Live(jobs, job_of)
    limits = Limits()
    parts = routes.Parts(jobs, coordinator, tokens, live, limits=limits)
    guarded = Guard(routes.make(parts), _hosts(host, port, options.hosts), limits, lambda *sent: routes.may_send(tokens, *sent))

    def leave() -> None:
        live.close()
        parts.trials.close()        # Python waits for the thread that runs them before it exits
    sends = _sends(options.otlp, jobs, coordinator)
    server = _Server(uvicorn.Config(
        guarded, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=KEEP_ALIVE_S,
        http=Connection, ws="none", backlog=BACKLOG, timeout_graceful_shutdown=LEAVE_S,
        ssl_certfile=options.tls / "certificate.pem" if options.tls else None,
        ssl_keyfile=options.tls / "key.pem" if options.tls else None), url, leave)
    with server.heeding():
        coordinator.begin()
        try:
            jobs.reconcile()
            jobs.recorder.begin()
            voices.begin()
            if sends is not None:
                sends.begin()
            server.run([bound])
        finally:
            tell("ends; its jobs drain, and go on when it is back")
            _notify("STOPPING=1")
            jobs.close(options.drain_s)
            voices.close()
            if sends is not None:
                sends.close()


def _sends(url: str, jobs: Jobs, coordinator: Coordinator) -> Otlp | None:
    """What sends to a collector; None if none is named.

    :raise StartError: its packages are not installed
    """
    if not url:
        return None
    try:
        from despina.service.otlp import Otlp
    except ImportError as error:
        raise StartError("package_missing", f"{error.name} is not installed", "pip install 'despina[otlp]'") from None
    made = Otlp(url, str(jobs.folder), lambda: Snapshot(jobs.all(), coordinator.missing()), jobs.all, tell)
    jobs.events.listener = made.happened
    return made


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, url: str, leave: Callable[[], None]) -> None:
        """:param leave: ends what would keep a connection or a thread"""
        super().__init__(config)
        self._leave = leave
        self._url = url
        self._ends = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None     # while it serves

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does, and then it is told."""
        await super().startup(sockets)
        tell(f"listens at {self._url}")
        _notify("READY=1")

    async def main_loop(self) -> None:
        """As uvicorn's, which looks ten times a second whether it is to end, the most that an idle service does. This is told."""
        self._loop = asyncio.get_running_loop()
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += TICKS_PER_S
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ends.wait(), 1.0)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends it in order; so does the second, for jobs that drain are not to be cut."""
        self._leave()
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ends.set)

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Signals end it in order, also before and after uvicorn takes them, which gives them back before the jobs drain."""
        kept = {}
        if threading.current_thread() is threading.main_thread():       # no other gets any
            kept = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in kept.items():
                signal.signal(each, handler)


def tell(words: str) -> None:
    """To standard error, for whoever keeps the log of the service."""
    print(f"despina service: {words}", file=sys.stderr, flush=True)


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise RefusedError("listen", f"--listen {listen!r} is not HOST:PORT", "for example 127.0.0.1:7600")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refuse_open(host: str, options: ServeOptions) -> None:
    if not _is_loopback(host):
        missing = [name for name, given in (("--tls FOLDER", options.tls), ("--tokens FILE", options.tokens)) if given is None]
        if missing:
            raise RefusedError("listen", f"others reach {host}, and what guards it is not given: {' and '.join(missing)}",
                               "give both, or listen at 127.0.0.1 behind a proxy")
    for name in ("certificate.pem", "key.pem") if options.tls else ():
        assert options.tls is not None
        file = options.tls / name
        if not file.is_file():
            raise RefusedError("tls", f"there is no {name}", "", Place(str(options.tls)))
        if name == "key.pem" and file.stat().st_mode & 0o077:
            raise RefusedError("tls", "others on this machine may read or write the key", f"chmod 600 {file}", Place(str(file)))


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise StartError("port_in_use", f"{host}:{port} cannot be listened at: {error.strerror}",
                         "another service may be there; --listen HOST:PORT takes another") from None
    bound.set_inheritable(False)
    return bound


def _hosts(host: str, port: int, more: Sequence[str]) -> list[str]:
    """What a client may call it."""
    own = f"[{host}]" if ":" in host else host
    names = [own, *(("localhost", "127.0.0.1") if _is_loopback(host) else ())]
    return [*(f"{name}:{port}" for name in names), *more]


def _first_token(tokens: Tokens, folder: Path) -> None:
    """The owner of the folder gets a token in it, so that nobody has to do without."""
    file = folder / "admin.token"
    if not tokens.listed():
        tokens.add("admin", "admin", lambda text: replace_file(file, text + "\n"))
        tell(f"made a token of the role admin: {file}")


def _notify(state: str) -> None:
    """Tells systemd, where it asked for that."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
            out.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
    except OSError as error:
        tell(f"systemd is not told of {state}: {error.strerror}")


