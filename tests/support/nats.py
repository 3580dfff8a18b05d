"""A server of NATS for tests: nats-server with JetStream on the loopback interface, and a client of another code base."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from support.graphs import Fields
from support.servers import ServerProcess

PROGRAM = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin")
LISTEN = 'listen: "127.0.0.1:{port}"\n'
STREAMS = 'jetstream: {{store_dir: "{folder}/data"}}\n'
HELD_S = 60.0
READ = 1000
"""Messages of one request."""

Value = TypeVar("Value")


class Nats(ServerProcess):
    """A server in a process of its own."""

    def __init__(self, folder: Path, more: str = "", scheme: str = "nats", streams: bool = True, **login: Any) -> None:
        """:param more: further lines of its configuration

        :param streams: whether it has JetStream
        :param login: what the client of another code base needs
        """
        if PROGRAM is None:
            pytest.skip("no nats-server: make servers brings it, or apt install nats-server")
        pytest.importorskip("nats", reason="the client that counts is of the extra dev")
        super().__init__(folder)
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self.login = login
        (folder / "nats.conf").write_text(
            (LISTEN + (STREAMS if streams else "")).format(port=self.port, folder=folder) + more)

    def _command(self) -> list[str]:
        return [str(PROGRAM), "-c", str(self.folder / "nats.conf")]

    def do(self, what: Callable[[Any], Awaitable[Value]]) -> Value:
        """Calls it with a connection of the other client."""
        import nats

        async def connected() -> Value:
            client = await nats.connect(self.url, connect_timeout=10, **self.login)
            try:
                return await what(client)
            finally:
                await client.close()
        return asyncio.run(connected())

    def stream(self, name: str, *subjects: str, **config: Any) -> str:
        """Makes a stream, of the subject of its name if there are none."""
        self.do(lambda client: client.jetstream().add_stream(name=name, subjects=list(subjects or [name]), **config))
        return name

    def streams(self) -> set[str]:
        """Names of all streams."""

        async def asked(client: Any) -> set[str]:
            return {info.config.name for info in await client.jetstream().streams_info()}
        return self.do(asked)

    def state(self, stream: str) -> Any:
        """Numbers of a stream, and how many consumers it has."""

        async def asked(client: Any) -> Any:
            return (await client.jetstream().stream_info(stream)).state
        return self.do(asked)

    def send(self, subject: str, payloads: Iterable[str | bytes], headers: dict[str, str] | None = None) -> None:
        """Publishes messages, and waits until the stream has them."""

        async def sent(client: Any) -> None:
            stream = client.jetstream(publish_async_max_pending=READ)
            pending = [await stream.publish_async(subject, _bytes(payload), headers=headers) for payload in payloads]
            await asyncio.gather(*pending)
        self.do(sent)

    def purge(self, stream: str, before: int) -> None:
        """The stream forgets all before that number."""
        self.do(lambda client: client.jetstream().purge_stream(stream, seq=before))

    def read(self, stream: str) -> list[Any]:
        """All messages of a stream, in their order."""

        async def asked(client: Any) -> list[Any]:
            from nats.js.api import AckPolicy, ConsumerConfig
            left = (await client.jetstream().stream_info(stream)).state.messages
            taken = await client.jetstream().pull_subscribe("", stream=stream, config=ConsumerConfig(ack_policy=AckPolicy.NONE))
            found: list[Any] = []
            while len(found) < left:
                found += await taken.fetch(min(READ, left - len(found)), timeout=HELD_S)
            await taken.unsubscribe()
            return found
        return self.do(asked)

    @contextmanager
    def listening(self, subject: str) -> Iterator[list[Any]]:
        """What is published from now on, as the other client sees it."""
        found: list[Any] = []
        subscribed = threading.Event()
        loop = asyncio.new_event_loop()
        ended = asyncio.Event()

        async def take(message: Any) -> None:
            found.append(message)

        async def listen() -> None:
            import nats
            client = await nats.connect(self.url, connect_timeout=10, **self.login)
            try:
                await client.subscribe(subject, cb=take)
                await client.flush()
                subscribed.set()
                await ended.wait()
            finally:
                await client.close()

        thread = threading.Thread(target=lambda: loop.run_until_complete(listen()), daemon=True)
        thread.start()
        try:
            assert subscribed.wait(HELD_S), f"no subscription at {self.url}"
            yield found
        finally:
            loop.call_soon_threadsafe(ended.set)
            thread.join(HELD_S)
            loop.close()


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def source(server: Nats, stream: str, **fields: Any) -> Fields:
    """Of lines of text to the end of the stream, unless the fields say more."""
    return {"type": "nats_source", "servers": server.url, "stream": stream, "format": "text", "stop_at": "end", **fields}


def sink(server: Nats, **fields: Any) -> Fields:
    """Of JSON, unless the fields say more."""
    return {"type": "nats_sink", "servers": server.url, "format": "json", **fields}
