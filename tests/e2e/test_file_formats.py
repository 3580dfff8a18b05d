"""Files of Avro and Protobuf: libraries of another code base write what the engine reads, and read what it writes."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import fastavro
from google.protobuf import proto

from e2e.conftest import Call
from e2e.test_formats import (
    COLUMNS,
    COUNT,
    PROTO_COLUMNS,
    WRITER,
    expected,
    proto_expected,
    proto_message,
    proto_reading,
    reading,
)
from support.graphs import Fields, write
from support.written import written_rows


def test_what_others_write_is_read_and_what_we_write_they_read(call: Call, tmp_path: Path) -> None:
    chance = random.Random(COUNT)
    rows = [reading(chance, number) for number in range(COUNT)]
    made, descriptors = proto_reading()
    messages = [proto_message(made(), chance, number) for number in range(COUNT)]
    (tmp_path / "avro_in").mkdir()
    halves = [(0, "deflate"), (1, "null")]
    for half, codec in halves:
        with (tmp_path / "avro_in" / f"{half}.avro").open("wb") as out:
            fastavro.writer(out, fastavro.parse_schema(WRITER), rows[half * COUNT // 2:(half + 1) * COUNT // 2], codec=codec,
                            sync_interval=2_000)
    delimited = io.BytesIO()
    for message in messages:
        proto.serialize_length_prefixed(message, delimited)
    (tmp_path / "proto.bin").write_bytes(delimited.getvalue() + b"\x05\x08")
    (tmp_path / "plant.desc").write_bytes(descriptors)
    options = {"descriptorFile": "plant.desc", "messageName": "plant.Reading"}
    graph: Fields = {"format": 1, "name": "formats", "operators": {
        "avro_in": {"type": "file_source", "path": str(tmp_path / "avro_in"), "format": "avro", "schema": COLUMNS},
        "avro_out": {"type": "file_sink", "path": str(tmp_path / "avro_out"), "format": "avro",
                     "options": {"compression": "deflate"}},
        "proto_in": {"type": "file_source", "path": str(tmp_path / "proto.bin"), "format": "protobuf", "schema": PROTO_COLUMNS,
                     "options": options, "on_error": {"type": "dead_letter"}},
        "proto_out": {"type": "file_sink", "path": str(tmp_path / "out.bin"), "format": "protobuf", "options": options,
                      "single_file": True},
        "bad": {"type": "file_sink", "path": str(tmp_path / "bad"), "format": "json"}},
        "links": [{"from": "avro_in", "to": "avro_out"}, {"from": "proto_in", "to": "proto_out"},
                  {"from": "proto_in.errors", "to": "bad"}]}
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 0, ended.err
    found: list[Any] = []
    for part in (tmp_path / "avro_out").glob("part-*.avro"):
        with part.open("rb") as content:
            found += fastavro.reader(content)
    assert found == [expected(row) for row in rows]
    written = io.BytesIO((tmp_path / "out.bin").read_bytes())
    for message in messages:
        assert proto.parse_length_prefixed(made, written) == proto_expected(message)
    assert written.read() == b""
    bad = written_rows(tmp_path / "bad")
    assert [(each["reason"], each["record"]) for each in bad] == [
        (f"{tmp_path / 'proto.bin'}:{COUNT + 1}: the file ends within the record, behind 1 of its 5 bytes", "08")]
