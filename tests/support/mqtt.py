"""A broker of MQTT for tests: mosquitto on the loopback interface, with its folder, and a client of another code base."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.graphs import Fields
from support.processes import until
from support.servers import ServerProcess

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
DYNAMIC_SECURITY = next(iter(Path("/usr/lib").glob("*/mosquitto_dynamic_security.so")), None)
"""The plugin that refuses subscriptions; access lists do not."""

CONFIG = """
listener {port} 127.0.0.1
persistence true
persistence_location {folder}/
autosave_on_changes true
autosave_interval 1
max_queued_messages 0
max_inflight_messages {inflight}
log_type error
log_type warning
log_type subscribe
"""
IN_FLIGHT = 200
HELD_S = 60.0


class Mosquitto(ServerProcess):
    """A broker in a process of its own."""

    def __init__(self, folder: Path, *more: str, inflight: int = IN_FLIGHT, scheme: str = "mqtt",
                 port: int | None = None) -> None:
        """:param more: further lines of its configuration

        :param inflight: how many messages it sends before they are acknowledged
        """
        if PROGRAM is None:
            pytest.skip("no mosquitto: make servers brings it, or apt install mosquitto")
        pytest.importorskip("paho.mqtt.client", reason="the client that counts is of the extra dev")
        super().__init__(folder, port)
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        lines = CONFIG.format(port=self.port, folder=folder, inflight=inflight)
        user = "user root\n" if os.getuid() == 0 else ""
        self._config = folder / "mosquitto.conf"
        self._config.write_text(user + lines + "\n".join(more or ["allow_anonymous true"]) + "\n")

    def _command(self) -> list[str]:
        return [str(PROGRAM), "-c", str(self._config)]

    def awaits(self, *filters: str) -> None:
        """Waits until somebody has subscribed to each."""
        for each in filters:
            until(lambda each=each: self.subscriptions(each), f"subscription to {each}")  # type: ignore[misc]

    def subscriptions(self, to: str) -> int:
        """How often somebody has subscribed to a filter."""
        return self.log.read_text().count(f" {to}\n")

    @contextmanager
    def client(self, name: str = "", version: str = "5", clean: bool = True,
               prepared: Callable[[Client], Any] = lambda client: None) -> Iterator[Client]:
        """Another code base's client, connected. :param prepared: called before it connects."""
        from paho.mqtt import client as paho
        from paho.mqtt.enums import CallbackAPIVersion
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        five = version == "5"
        made = paho.Client(CallbackAPIVersion.VERSION2, name,
                           clean_session=None if five else clean, protocol=paho.MQTTv5 if five else paho.MQTTv311)
        made.max_inflight_messages_set(IN_FLIGHT // 2)
        made.max_queued_messages_set(0)
        prepared(made)
        connected = threading.Event()
        made.on_connect = lambda *_: connected.set()
        if five:
            kept = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            kept.SessionExpiryInterval = 0 if clean else 3600
            made.connect("127.0.0.1", self.port, clean_start=clean, properties=kept)
        else:
            made.connect("127.0.0.1", self.port)
        made.loop_start()
        try:
            assert connected.wait(HELD_S), f"no answer of {self.url}"
            yield made
        finally:
            made.disconnect()
            made.loop_stop()

    def has_session(self, name: str) -> bool:
        """Whether the broker keeps a session for that client; it then keeps it on."""
        from paho.mqtt import client as paho
        from paho.mqtt.enums import CallbackAPIVersion

        asked = paho.Client(CallbackAPIVersion.VERSION2, name, clean_session=False, protocol=paho.MQTTv311)
        answers: list[bool] = []
        answered = threading.Event()

        def told(_client: Client, _data: Any, flags: Any, *_more: Any) -> None:
            answers.append(flags.session_present)
            answered.set()

        asked.on_connect = told
        asked.connect("127.0.0.1", self.port)
        asked.loop_start()
        try:
            assert answered.wait(HELD_S), f"no answer of {self.url}"
        finally:
            asked.disconnect()
            asked.loop_stop()
        return answers[0]

    def send(self, topic: str, payloads: Iterable[str | bytes], qos: int = 1, retain: bool = False,
             properties: Sequence[tuple[str, str]] = (), version: str = "5") -> None:
        """Publishes messages, and waits until the broker has them."""
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        beside = None
        if properties:
            beside = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            beside.UserProperty = list(properties)
        with self.client(version=version) as client:
            sent = [client.publish(topic, payload, qos, retain, beside) for payload in payloads]
            for each in sent:
                each.wait_for_publish(HELD_S)
                assert each.is_published()

    @contextmanager
    def listening(self, *filters: str, name: str = "", clean: bool = True) -> Iterator[list[MQTTMessage]]:
        """What comes on topics from now on, as another code base's client sees it."""
        found: list[MQTTMessage] = []
        subscribed = threading.Event()

        def prepared(client: Client) -> None:
            client.on_message = lambda _client, _data, message: found.append(message)
            client.on_subscribe = lambda *_: subscribed.set()

        with self.client(name, clean=clean, prepared=prepared) as client:
            client.subscribe([(each, 1) for each in filters])
            assert subscribed.wait(HELD_S), f"no subscription at {self.url}"
            yield found


def user_properties(message: MQTTMessage) -> dict[str, str]:
    """What is beside its payload."""
    properties: Any = message.properties
    return dict(properties.UserProperty)


def source(broker: Mosquitto, *topics: str, **fields: Any) -> Fields:
    """Of lines of text, unless the fields say more."""
    return {"type": "mqtt_source", "broker": broker.url, "topics": list(topics), "format": "text", **fields}


def sink(broker: Mosquitto, **fields: Any) -> Fields:
    """Of JSON, unless the fields say more."""
    return {"type": "mqtt_sink", "broker": broker.url, "format": "json", **fields}
