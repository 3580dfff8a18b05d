"""What is at a server, as a whole source for a graph: topics of Kafka and MQTT, and streams of NATS and Redis, by their
first messages, nodes of a plant by their values, tables of databases and lakes.
"""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina.errors import DespinaError, Place, RefusedError
from despina.graph import Graph
from despina.options import RunOptions

if TYPE_CHECKING:
    from despina.engine import Engine

Source = dict[str, Any]

URL = re.compile(r"(kafka|mqtts?|nats|tls|rediss?)://([^/]+)/(.+)|jdbc:.+|(delta|iceberg):(.*)|(opc\.tcp://[^?]+)\?(nodes=.+)",
                 re.DOTALL)
TABLE = re.compile(r"([?&;])table=([^&;]+)")
DRIVERS = {"postgresql": "org.postgresql.Driver", "sqlite": "org.sqlite.JDBC", "mysql": "com.mysql.cj.jdbc.Driver",
           "mariadb": "org.mariadb.jdbc.Driver", "h2": "org.h2.Driver",
           "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver", "oracle": "oracle.jdbc.OracleDriver",
           "duckdb": "org.duckdb.DuckDBDriver"}
MESSAGES = 100
"""What is read of a topic or a stream at most."""
CONNECT_MS = 5_000
SEPARATORS = ",;\t|"
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
LOOK_S = 0.1
NODES_S = 1.0
"""Within which the values of nodes come, once one has come."""


@dataclass(frozen=True)
class Asked:
    """What a user asks for.

    :param url: ``kafka://host:port/topic``, ``mqtt://host:port/filter``, ``nats://host:port/stream``,
        ``redis://host:port/stream``, ``jdbc:…?table=name``, ``delta:path``, ``iceberg:path`` or
        ``opc.tcp://host:port/path?nodes=node&nodes=node``
    :param fields: more fields of the source, as its login
    :param form: of messages; None to find out
    :param sep: the separator of csv messages; None to find out
    :param reader: Spark's reader options for messages
    :param wait_s: how long messages are waited for
    """

    url: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    form: str | None = None
    sep: str | None = None
    reader: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 10.0
    jars: tuple[Path, ...] = ()


@dataclass(frozen=True)
class FoundSource:
    """A source that passes ``check`` and runs, and what to know about it."""

    source: Source
    notes: tuple[str, ...] = ()


def is_url(text: str) -> bool:
    """Whether it names a server, and no file."""
    return text.startswith(("kafka:", "mqtt:", "mqtts:", "nats:", "tls:", "redis:", "rediss:", "jdbc:", "delta:", "iceberg:",
                            "opc.tcp:"))


def source(asked: Asked, engine: Engine) -> FoundSource:
    """Asks the server. A topic is read like by any client without a group: nothing is taken away, and no session stays.

    :raise RefusedError: the server cannot be asked, there is nothing to infer from, or the URL is wrong
    """
    parts = URL.fullmatch(asked.url)
    if parts is None:
        raise RefusedError("option", f"{asked.url} does not say what to read",
                           "kafka://host:port/topic, mqtt://host/filter, nats://host/stream, redis://host/stream, "
                           "opc.tcp://host/path?nodes=node, jdbc:…?table=name, delta:path or iceberg:path")
    try:
        if parts[4] is not None:
            found = _of_lake(asked, parts[4], parts[5], engine)
        elif parts[6] is not None:
            found = _of_nodes(asked, parts[6], [node.removeprefix("nodes=") for node in parts[7].split("&")], engine)
        elif parts[1] is None:
            found = _of_table(asked, engine)
        elif parts[1] == "kafka":
            found = _of_topic(asked, {"type": "kafka_source", "bootstrap_servers": parts[2], "topics": [parts[3]]}, engine)
        elif parts[1] in ("nats", "tls"):
            found = _of_topic(asked, {"type": "nats_source", "servers": f"{parts[1]}://{parts[2]}", "stream": parts[3]}, engine)
        elif parts[1] in ("redis", "rediss"):
            found = _of_topic(asked, _of_redis(f"{parts[1]}://{parts[2]}", parts[3]), engine)
        else:
            found = _of_topic(asked, {"type": "mqtt_source", "broker": f"{parts[1]}://{parts[2]}", "topics": [parts[3]]}, engine)
        _graph(found.source, {"type": "discard_sink"}).check(RunOptions(jars=asked.jars), engine=engine)
    except DespinaError as error:
        raise _told(error, asked.url) from None
    return found


def _of_redis(server: str, path: str) -> Source:
    """:param path: a stream, maybe with a database's number and a slash before it"""
    database, slash, stream = path.partition("/")
    if not slash or not database.isdecimal():
        return {"type": "redis_source", "server": server, "streams": [path]}
    return {"type": "redis_source", "server": f"{server}/{database}", "streams": [stream]}


def _told(error: DespinaError, url: str) -> DespinaError:
    """The error without places in a graph that the user has not written."""
    first = next((found for found in error.diagnostics if found.severity == "error"), None)
    if first is None:
        return RefusedError(error.rule, error.message, error.hint, Place(url))
    return RefusedError(first.rule, first.message, first.hint, Place(url))


def _graph(read: Source, end: Source) -> Graph:
    return Graph.from_dict({"format": 1, "name": "schema", "operators": {"source": read, "end": end},
                            "links": [{"from": "source", "to": "end"}]})


def _of_table(asked: Asked, engine: Engine) -> FoundSource:
    table = TABLE.search(asked.url)
    if (table is None) == ("query" not in asked.fields):
        raise RefusedError("option", "the URL names no table" if table is None else "the URL names a table, and there is a query",
                           "jdbc:postgresql://host/database?table=readings, or --field query=…")
    url = asked.url if table is None else _without(asked.url, table)
    kind = url.split(":", 2)[1]
    if kind not in DRIVERS and "driver" not in asked.fields:
        raise RefusedError("option", f"the driver for jdbc:{kind}: is not known", "--field driver=THE.DRIVERS.CLASS")
    read: Source = {"type": "jdbc_source", "url": url, "driver": DRIVERS.get(kind)}
    if table is not None:
        read["table"] = table[2]
    read |= asked.fields
    if not asked.jars:
        raise RefusedError("option", f"{read['driver']} is a class of a jar that you give", "--jar DRIVER.jar")
    unread = {name: value for name, value in read.items() if name not in ("schema", "column", "follow", "event_time")}
    found = engine.table(_graph({**unread, "schema": "x STRING"}, {"type": "discard_sink"}).text, asked.url,
                         RunOptions(jars=asked.jars).for_gateway())
    read.setdefault("schema", found["schema"])
    if found["column"] is not None:
        read.setdefault("column", found["column"])
    return FoundSource(read, tuple(found["notes"]))


def _of_lake(asked: Asked, kind: str, path: str, engine: Engine) -> FoundSource:
    """:param path: empty where a field names a catalog"""
    read: Source = {"type": f"{kind}_source", **({"path": path} if path else {}), **asked.fields}
    found = engine.table(_graph({**read, "schema": "x STRING"}, {"type": "discard_sink"}).text, asked.url,
                         RunOptions(jars=asked.jars).for_gateway())
    return FoundSource({**read, "schema": read.get("schema", found["schema"])}, tuple(found["notes"]))


def _of_nodes(asked: Asked, server: str, nodes: list[str], engine: Engine) -> FoundSource:
    """The one column has the type of all first values, if it takes them; else it is a text."""
    read: Source = {"type": "opcua_source", "server": server, "nodes": nodes, **asked.fields}
    if "schema" in read:
        return FoundSource(read)
    values, _ = _collected(asked, {**read, "schema": "value STRING"}, MESSAGES, engine)
    if not values:
        raise RefusedError("schema", f"no value of {', '.join(nodes)} came within {asked.wait_s:g} s",
                           "--wait SECONDS waits for longer")
    lines = "\n".join(f'{{"value": {value}}}' if _is_json(value) else json.dumps({"value": value}) for value in values)
    schema = engine.infer(lines, "json", {}).schema
    try:
        if schema != "value STRING" and not _collected(asked, {**read, "schema": schema}, len(values), engine)[0]:
            schema = "value STRING"
    except DespinaError:        # texts that look like numbers
        schema = "value STRING"
    return FoundSource({**read, "schema": schema}, (f"inferred from {len(values)} value{'s' * (len(values) != 1)}",))


def _collected(asked: Asked, read: Source, most: int, engine: Engine) -> tuple[list[Any], bool]:
    """What comes in the column ``value``, and whether the time was over before all had come; it counts from when the job runs.

    The values that nodes have come at once, those that change later: then it is over a little after the first.
    """
    found: list[Any] = []
    end: float | None = None
    first: float | None = None
    with _graph(read, {"type": "collect_sink"}).start(engine, RunOptions()) as job:
        for rows in job.batches(timeout_s=LOOK_S):
            found += [value for row in rows.to_pylist() if (value := row["value"]) not in (None, b"")]
            if end is None and job.poll().state != "deploying":
                end = time.monotonic() + asked.wait_s
            if first is None and found and read["type"] == "opcua_source":
                first = end = time.monotonic() + NODES_S
            late = end is not None and time.monotonic() > end
            if len(found) >= most or late:
                job.stop("now")
                return found[:most], late
    return found[:most], False


def _without(url: str, table: re.Match[str]) -> str:
    """The URL without its table; a driver does not know the word."""
    rest = url[table.end():]
    separator = table[1] if rest and table[1] != "&" else ""
    return url[:table.start()] + (separator + rest[1:] if separator else rest)


def _of_topic(asked: Asked, read: Source, engine: Engine) -> FoundSource:
    read |= asked.fields
    if asked.form in ("text", "raw"):
        return FoundSource({**read, "format": asked.form})
    messages = _messages(asked, read, engine)
    try:
        texts = [message.decode("utf-8") for message in messages]
    except UnicodeDecodeError:
        if asked.form is not None:
            raise RefusedError("schema", f"a message is no UTF-8, and so no {asked.form}", "--format raw") from None
        return FoundSource({**read, "format": "raw"}, ("a message is no UTF-8: its bytes are one BINARY column",))
    form, sep = (asked.form, asked.sep) if asked.form else guessed(texts)
    if form in ("text", "raw"):
        return FoundSource({**read, "format": form},
                           ("the messages are neither JSON objects nor lines of csv: each is one STRING column",))
    reader = {**({"sep": sep} if form == "csv" and sep not in (None, ",") else {}), **asked.reader}
    inferred = engine.infer("\n".join(re.sub(r"[\r\n]+", " ", text.strip()) for text in texts), form, reader)
    schema = inferred.schema
    if form == "csv" and schema.startswith("_c0 ") and "," not in schema:
        schema = f"value {schema.removeprefix('_c0 ')}"
    made = {**read, "format": form, "schema": read.get("schema", schema)}
    if reader:
        made["options"] = dict(reader)
    return FoundSource(made, (f"inferred from {len(texts)} message{'s' * (len(texts) != 1)}",))


def guessed(texts: Sequence[str]) -> tuple[str, str | None]:
    """The format of all these messages, and the separator of csv."""
    if all(_is_object(text) for text in texts):
        return "json", None
    if any(re.search(r"[\r\n]", text.strip()) for text in texts):
        return "text", None
    if all(NUMBER.fullmatch(text) for text in texts):
        return "csv", ","
    for sep in SEPARATORS:
        counts = {len(cells) for cells in csv.reader(texts, delimiter=sep)}
        if len(counts) == 1 and max(counts) > 1:
            return "csv", sep
    return "text", None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _messages(asked: Asked, read: Source, engine: Engine) -> list[bytes]:
    """The first messages that come: of MQTT what is retained or published meanwhile, of others those that are there."""
    raw = {name: value for name, value in read.items() if name not in ("schema", "options", "metadata", "event_time")}
    raw |= {"format": "raw", "on_error": {"type": "skip"}, "connect_ms": read.get("connect_ms", CONNECT_MS)}
    if read["type"] != "mqtt_source":
        raw["stop_at"] = "end"
    found, late = _collected(asked, raw, MESSAGES, engine)
    if not found:
        where = ", ".join(read.get("topics") or read.get("streams") or [read.get("stream")])
        if late:
            raise RefusedError("schema", f"no message came on {where} within {asked.wait_s:g} s",
                               "--wait SECONDS waits for longer; --format text or raw needs none")
        raise RefusedError("schema", f"{where} has no record", "--format text or raw needs none")
    return found
