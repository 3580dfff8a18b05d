"""Records that are no text, written and read by libraries of another code base, from Kafka and back to it."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import struct
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import fastavro
from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    message_factory,
    text_format,
    timestamp_pb2,
    wrappers_pb2,
)

from e2e.conftest import Call
from support.graphs import Fields, chain, write
from support.kafka import Broker, sink, source
from support.written import written_rows

KEPT_IDS = struct.Struct(">bI")
COUNT = 20_000 if os.environ.get("DESPINA_EVERY_CASE") else 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, Any]

WRITER: Fields = {"type": "record", "name": "Reading", "namespace": "plant", "fields": [
    {"name": "note", "type": ["null", "string"]},
    {"name": "id", "type": "int"},
    {"name": "site", "type": {"type": "record", "name": "Site", "fields": [
        {"name": "floor", "type": ["int", "null"]}, {"name": "unread", "type": {"type": "map", "values": "bytes"}},
        {"name": "name", "type": "string"}]}},
    {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["ON", "OFF", "BROKEN"]}},
    {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-micros"}},
    {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 4}},
    {"name": "celsius", "type": ["null", "float", "double"]},
    {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
    {"name": "counts", "type": {"type": "map", "values": {"type": "array", "items": "long"}}},
    {"name": "unread", "type": ["null", "long", {"type": "array", "items": "Site"}]},
    {"name": "on", "type": "boolean"}]}
COLUMNS = ("id BIGINT, celsius DOUBLE, note STRING, on BOOLEAN, state STRING, ts TIMESTAMP, day DATE, price DECIMAL(32, 4), "
           "tags ARRAY<STRING>, counts MAP<STRING, ARRAY<BIGINT>>, site STRUCT<name: STRING, floor: INT>")


def text(chance: random.Random) -> str:
    return "".join(chance.choice("ab\0é€😀\"\\\n") for _ in range(chance.randint(0, 6)))


def site(chance: random.Random) -> Row:
    return {"floor": chance.choice([None, chance.randint(-2**31, 2**31 - 1)]), "name": text(chance),
            "unread": {text(chance): b"x" * chance.randint(0, 3) for _ in range(chance.randint(0, 2))}}


def reading(chance: random.Random, number: int) -> Row:
    single = struct.unpack("<f", struct.pack("<f", chance.gauss(0, 100)))[0]
    return {"note": chance.choice([None, text(chance)]), "id": number, "site": site(chance),
            "state": chance.choice(["ON", "OFF", "BROKEN"]),
            "ts": EPOCH + timedelta(microseconds=chance.randint(-10**15, 4 * 10**15)),
            "day": chance.choice([None, date(1970, 1, 1) + timedelta(days=chance.randint(-50_000, 50_000))]),
            "price": Decimal(chance.randint(-10**29, 10**29)).scaleb(-4),
            "celsius": chance.choice([None, ("float", single), ("double", chance.gauss(0, 1e200))]),
            "tags": [chance.choice([None, text(chance)]) for _ in range(chance.choice([0, 1, 3, 70]))],
            "counts": {f"{k}{text(chance)}": [chance.randint(-2**63, 2**63 - 1) for _ in range(chance.randint(0, 3))]
                       for k in range(chance.randint(0, 3))},
            "unread": chance.choice([None, chance.randint(-9, 9), [site(chance)]]), "on": chance.random() < 0.5}


def avro(schema: Fields, row: Row) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), row)
    return out.getvalue()


def expected(row: Row) -> Row:
    celsius = row["celsius"]
    return {"id": row["id"], "celsius": celsius and celsius[1], "note": row["note"], "on": row["on"], "state": row["state"],
            "ts": row["ts"], "day": row["day"], "price": row["price"], "tags": row["tags"], "counts": row["counts"],
            "site": {"name": row["site"]["name"], "floor": row["site"]["floor"]}}


def test_avro_records_come_and_go(call: Call, kafka: Broker, tmp_path: Path) -> None:
    chance = random.Random(COUNT)
    rows = [reading(chance, number) for number in range(COUNT)]
    for topic in ("avro_in", "avro_out"):
        kafka.topic(topic)
    kafka.send("avro_in", [*(avro(WRITER, row) for row in rows), b"\x02\xff", b""])
    (tmp_path / "reading.avsc").write_text(json.dumps(WRITER))
    graph = chain(("in", source(kafka, "avro_in", format="avro", schema=COLUMNS, options={"schemaFile": "reading.avsc"},
                                metadata={"offset": "o"}, on_error={"type": "dead_letter"})),
                  ("out", sink(kafka, topic="avro_out", format="avro", options={"schemaId": "70000"},
                               value=list(expected(rows[0])))))
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    bad = written_rows(tmp_path / "bad")
    assert [(each["reason"], each["record"]) for each in bad] == [
        (f"avro_in/0@{COUNT}: `note`: a value of 1 bytes, and 0 are left", "02ff"),
        (f"avro_in/0@{COUNT + 1}: `note`: a value of 1 bytes, and 0 are left", "")]
    schema = written_schema()
    for message, row in zip(kafka.read("avro_out"), rows, strict=True):
        assert message.value()[:5] == struct.pack(">BI", 0, 70_000)
        assert fastavro.schemaless_reader(io.BytesIO(message.value()[5:]), schema, None) == expected(row)


def written_schema() -> Any:
    """What Spark makes of the columns, by its own rules."""
    def optional(of: Any) -> list[Any]:
        return [of, "null"]
    fields = {"id": "long", "celsius": "double", "note": "string", "on": "boolean", "state": "string",
              "ts": {"type": "long", "logicalType": "timestamp-micros"}, "day": {"type": "int", "logicalType": "date"},
              "price": {"type": "fixed", "name": "fixed", "namespace": "topLevelRecord.price", "size": 14,
                        "logicalType": "decimal", "precision": 32, "scale": 4},
              "tags": {"type": "array", "items": optional("string")},
              "counts": {"type": "map", "values": optional({"type": "array", "items": optional("long")})},
              "site": {"type": "record", "name": "site", "fields": [
                  {"name": name, "type": optional(of)} for name, of in (("name", "string"), ("floor", "int"))]}}
    return fastavro.parse_schema({"type": "record", "name": "topLevelRecord", "fields": [
        {"name": name, "type": optional(of)} for name, of in fields.items()]})



class Registry(BaseHTTPRequestHandler):
    """A schema registry: what it is given, under numbers from 7 on."""

    schemas: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        if self.path == "/schemas/types":
            self._answer(["AVRO"])
            return
        number = self.path.removeprefix("/schemas/ids/")
        self._answer({"schema": self.schemas[int(number) - 7]} if number.isdecimal() else {"id": 7})

    def do_POST(self) -> None:
        assert self.path == "/subjects/known-value/versions"
        self.schemas.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["schema"])
        self._answer({"id": len(self.schemas) + 6})

    def _answer(self, content: Fields | list[str]) -> None:
        known = self.headers["Authorization"] == "Basic " + base64.b64encode(b"me:secret").decode()
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_words: Any) -> None:
        """Says nothing."""


def test_a_registry_has_the_schemas_of_records(call: Call, kafka: Broker, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret\n")
    number: Fields = {"name": "n", "type": "long"}
    written = [{"type": "record", "name": "R", "fields": fields}
               for fields in ([number], [{"name": "s", "type": "string"}, number])]
    Registry.schemas[:] = map(json.dumps, written)
    rows: list[Row] = [{"n": each, "s": f"s{each}"} for each in range(100)]
    kafka.topic("unknown")
    kafka.topic("known")
    kafka.send("unknown", [KEPT_IDS.pack(0, 7 + row["n"] % 2) + avro(written[row["n"] % 2], row) for row in rows])
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = {"url": f"http://127.0.0.1:{server.server_port}", "user": "me", "password_file": str(tmp_path / "password")}
        graph = write(tmp_path / "g.json", chain(
            ("in", source(kafka, "unknown", stop_at="end", format="avro", schema="n BIGINT, s STRING", registry=at)),
            ("out", sink(kafka, topic="known", format="avro", registry=at))))
        checked = call("check", graph, "--connect")
        ended = call("run", graph)
        server.shutdown()
    assert f"at {kafka.servers}, registry {at['url']}\n" in checked.out, checked.err
    assert f", schema 7 of subject known-value in registry {at['url']}\n" in checked.out
    assert ended.code == 0, ended.err
    assert len(Registry.schemas) == 3
    schema = fastavro.parse_schema(json.loads(Registry.schemas[2]))
    found = [message.value() for message in kafka.read("known")]
    assert {KEPT_IDS.unpack_from(value) for value in found} == {(0, 9)}
    assert [fastavro.schemaless_reader(io.BytesIO(value[KEPT_IDS.size:]), schema, None) for value in found] == [
        {"n": row["n"], "s": row["s"] if row["n"] % 2 else None} for row in rows]


def proto_fields(*fields: tuple[str, str]) -> str:
    """Of a message in Protobuf's text format: name and type, the type as in a .proto."""
    made = []
    for number, (name, kind) in enumerate(fields, 1):
        *label, word = kind.split()
        repeated = "repeated" in label
        typed = "ENUM" if word == ".plant.State" else "MESSAGE" if word.startswith(".") else word.upper()
        group = "oneof_index: 0" if "oneof" in label else "oneof_index: 1 proto3_optional: true" if "optional" in label else ""
        made.append(f"field {{name: '{name}' number: {number * 7} label: LABEL_{'REPEATED' if repeated else 'OPTIONAL'} {group} "
                    f"type: TYPE_{typed} {f'type_name: {word!r}' if word.startswith('.') else ''}}}")
    return " ".join(made)


PROTO = f"""
name: 'plant.proto' package: 'plant' syntax: 'proto3' dependency: 'google/protobuf/timestamp.proto'
dependency: 'google/protobuf/duration.proto' dependency: 'google/protobuf/wrappers.proto'
enum_type {{name: 'State' value {{name: 'OFF' number: 0}} value {{name: 'ON' number: 1}} value {{name: 'BROKEN' number: -5}}}}
message_type {{name: 'Site' {proto_fields(("floor", ".google.protobuf.Int32Value"), ("unread", "repeated sfixed64"),
                                          ("name", "string"), ("parts", "repeated .plant.Site"))}}}
message_type {{name: 'Reading'
  {proto_fields(("id", "int32"), ("serial", "uint64"), ("on", "bool"), ("state", ".plant.State"), ("number", ".plant.State"),
                ("ts", ".google.protobuf.Timestamp"), ("took", ".google.protobuf.Duration"), ("raw", "bytes"),
                ("tags", "repeated string"), ("counts", "repeated .plant.Reading.CountsEntry"), ("site", ".plant.Site"),
                ("packed", "repeated float"), ("whole", "oneof sint64"), ("text", "oneof string"), ("celsius", "optional double"),
                ("unread", "repeated .plant.Site"), ("states", "repeated .plant.State"), ("far", "fixed32"))}
  nested_type {{name: 'CountsEntry' options {{map_entry: true}}
    field {{name: 'key' number: 1 label: LABEL_OPTIONAL type: TYPE_STRING}}
    field {{name: 'value' number: 2 label: LABEL_OPTIONAL type: TYPE_SINT64}}}}
  oneof_decl {{name: 'either'}} oneof_decl {{name: '_celsius'}}}}"""
PROTO_COLUMNS = ("far BIGINT, text STRING, whole BIGINT, celsius DOUBLE, id INT, serial DECIMAL(20, 0), on BOOLEAN, "
                 "state STRING, number INT, ts TIMESTAMP, took INTERVAL DAY TO SECOND, raw BINARY, tags ARRAY<STRING>, "
                 "counts MAP<STRING, BIGINT>, packed ARRAY<FLOAT>, states ARRAY<STRING>, "
                 "site STRUCT<name: STRING, parts: ARRAY<STRUCT<name: STRING, floor: INT>>, floor: INT>")


def proto_reading() -> tuple[Any, bytes]:
    """The class of a message, and a descriptor file that has it."""
    known = [each.DESCRIPTOR for each in (timestamp_pb2, duration_pb2, wrappers_pb2)]
    files = descriptor_pb2.FileDescriptorSet()
    pool = descriptor_pool.DescriptorPool()
    for each in known:
        each.CopyToProto(files.file.add())
    text_format.Parse(PROTO, files.file.add())
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("plant.Reading")), files.SerializeToString()


def proto_site(site: Any, chance: random.Random, depth: int) -> None:
    site.name = text(chance).replace("\0", "")
    if chance.random() < 0.7:
        site.floor.value = chance.choice([0, chance.randint(-2**31, 2**31 - 1)])
    site.unread.extend(chance.randint(-2**63, 2**63 - 1) for _ in range(chance.randint(0, 2)))
    for _ in range(chance.randint(0, 2) if depth else 0):
        proto_site(site.parts.add(), chance, depth - 1)


def proto_message(made: Any, chance: random.Random, number: int) -> Any:
    made.id = number
    made.serial = chance.choice([0, chance.randint(0, 2**64 - 1)])
    made.on = chance.random() < 0.5
    made.state = chance.choice([0, 1, -5])
    made.number = chance.choice([0, 1, -5, 3, -2**31])
    made.raw = chance.randbytes(chance.randint(0, 3))
    made.tags.extend(text(chance) for _ in range(chance.choice([0, 1, 3, 70])))
    made.states.extend(chance.choice([0, 1, -5]) for _ in range(chance.randint(0, 3)))
    made.packed.extend(chance.choice([0.0, -0.0, 1e30, chance.gauss(0, 9)]) for _ in range(chance.choice([0, 1, 200])))
    made.far = chance.choice([0, 2**32 - 1])
    for _ in range(chance.randint(0, 3)):
        made.counts[text(chance)] = chance.choice([0, chance.randint(-2**63, 2**63 - 1)])
    if chance.random() < 0.6:
        made.ts.seconds, made.ts.nanos = chance.randint(-2**33, 2**33), chance.choice([0, 1000 * chance.randint(0, 999_999)])
    if chance.random() < 0.6:
        took = chance.randint(-10**15, 10**15)
        made.took.seconds, made.took.nanos = int(took / 10**6), 1000 * (took - 10**6 * int(took / 10**6))
    if chance.random() < 0.6:
        made.celsius = chance.choice([0.0, chance.gauss(0, 100)])
    if chance.random() < 0.7:
        setattr(made, *chance.choice([("whole", chance.choice([0, -2**63])), ("text", text(chance))]))
    if chance.random() < 0.7:
        proto_site(made.site, chance, 2)
        made.site.SetInParent()
    proto_site(made.unread.add(), chance, 2)
    return made


def proto_expected(message: Any) -> Any:
    """What the columns hold of it."""
    found = type(message).FromString(message.SerializeToString())
    found.ClearField("unread")
    for site in [found.site, *found.site.parts] if found.HasField("site") else []:
        site.ClearField("unread")
    for part in found.site.parts if found.HasField("site") else []:
        part.ClearField("parts")
    return found


def test_protobuf_messages_come_and_go(call: Call, kafka: Broker, tmp_path: Path) -> None:
    chance = random.Random(COUNT)
    made, descriptors = proto_reading()
    messages = [proto_message(made(), chance, number) for number in range(COUNT)]
    for topic in ("proto_in", "proto_out"):
        kafka.topic(topic)
    halves = [message.SerializeToString() for message in messages[:2]]
    merged = made.FromString(halves[0] + halves[1])        # two in one record are one message, by Protobuf's rules
    kafka.send("proto_in", [*(message.SerializeToString() for message in messages), b"\x0f\xff", b"", b"".join(halves)])
    (tmp_path / "plant.desc").write_bytes(descriptors)
    options = {"descriptorFile": "plant.desc", "messageName": "plant.Reading"}
    graph = chain(("in", source(kafka, "proto_in", format="protobuf", schema=PROTO_COLUMNS, options=options,
                                metadata={"offset": "o"}, on_error={"type": "dead_letter"})),
                  ("out", sink(kafka, topic="proto_out", format="protobuf", options={**options, "schemaId": "70000"},
                               value=[each.split()[0] for each in PROTO_COLUMNS.split(", ")
                                      if each.split()[0] in made.DESCRIPTOR.fields_by_name])))
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    bad = written_rows(tmp_path / "bad")
    assert [(each["reason"], each["record"]) for each in bad] == [
        (f"proto_in/0@{COUNT}: a value of the wire type 7", "0fff")]
    head = struct.pack(">BI", 0, 70_000) + b"\x02\x02"     # the message of index 1 in its file
    for written, message in zip(kafka.read("proto_out"), [*messages, made(), merged], strict=True):
        assert written.value()[:len(head)] == head
        assert made.FromString(written.value()[len(head):]) == proto_expected(message)


XML_COLUMNS = ("_id BIGINT, note STRING, on BOOLEAN, celsius STRUCT<_VALUE: DOUBLE, _unit: STRING>, counts ARRAY<BIGINT>, "
               "site STRUCT<name: STRING, floor: INT>, ts TIMESTAMP")


def xml_reading(chance: random.Random, number: int) -> ElementTree.Element:
    made = ElementTree.Element("reading", {"id": str(number), "unread": text(chance).replace("\0", "")})
    for name, value in [("note", "x" + text(chance).replace("\0", "") + "y"), ("on", chance.choice(["true", "false"])),
                        ("other", "1"),
                        ("ts", (EPOCH + timedelta(milliseconds=chance.randint(0, 10**12))).isoformat(timespec="milliseconds")),
                        *[("counts", str(chance.randint(-2**63, 2**63 - 1))) for _ in range(chance.randint(0, 3))]]:
        if chance.random() < 0.8:
            ElementTree.SubElement(made, name).text = value
    if chance.random() < 0.7:
        ElementTree.SubElement(made, "celsius", {"unit": "K"}).text = repr(chance.gauss(0, 100))
    if chance.random() < 0.7:
        site = ElementTree.SubElement(made, "site")
        ElementTree.SubElement(site, "floor").text = str(chance.randint(-9, 9))
    return made


def xml_values(element: ElementTree.Element) -> Row:
    """What the columns hold of it; times as their moment, as the sink writes milliseconds and Z."""
    def text_of(name: str) -> str | None:
        found = element.find(name)
        return None if found is None else found.text
    celsius, ts = element.find("celsius"), text_of("ts")
    return {"id": element.get("id"), "note": text_of("note"), "on": text_of("on"), "floor": text_of("site/floor"),
            "counts": [each.text for each in element.findall("counts")], "ts": ts and datetime.fromisoformat(ts),
            "celsius": None if celsius is None else (float(celsius.text or ""), celsius.get("unit"))}


def test_xml_documents_come_and_go(call: Call, kafka: Broker, tmp_path: Path) -> None:
    chance = random.Random(COUNT)
    rows = [xml_reading(chance, number) for number in range(COUNT)]
    batch = ElementTree.Element("batch")
    batch.extend(rows[:3])
    for topic in ("xml_in", "xml_out"):
        kafka.topic(topic)
    bad = b"<reading><note>1</note></reading><reading/>"
    kafka.send("xml_in", [*(ElementTree.tostring(row, "utf-8", xml_declaration=row.get("id", "").endswith("7")) for row in rows),
                          bad, ElementTree.tostring(batch)])
    graph = chain(("in", source(kafka, "xml_in", format="xml", schema=XML_COLUMNS, options={"rowTag": "reading"},
                                metadata={"offset": "o"}, on_error={"type": "dead_letter"})),
                  ("out", sink(kafka, topic="xml_out", format="xml", options={"rowTag": "reading"},
                               value=["_id", "note", "on", "celsius", "counts", "site", "ts"])))
    graph["operators"]["bad"] = {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}
    graph["links"].append({"from": "in.errors", "to": "bad"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    told = written_rows(tmp_path / "bad")
    assert [(each["reason"], each["record"]) for each in told] == [
        (f"xml_in/0@{COUNT}: it is no XML: Illegal to have multiple roots (start tag in epilog?). (line 1, column 35)",
         bad.decode())]
    found = [ElementTree.fromstring(message.value()) for message in kafka.read("xml_out")]
    assert {element.tag for element in found} == {"reading"}
    assert [xml_values(element) for element in found] == [xml_values(row) for row in [*rows, *rows[:3]]]
