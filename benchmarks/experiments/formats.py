"""Lines and records of each format into packets, from files with the same rows."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from despina.errors import StartError
from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject

ROWS_PER_S = Metric("per_s", "rows/s")
CSV, INFLUX, AVRO, PROTOBUF = "csv", "influx", "avro", "protobuf"
COLUMNS = "time TIMESTAMP, host STRING, a DOUBLE, b DOUBLE, c BIGINT, d BIGINT, e DOUBLE"
ROW = ["timestamp_micros(1700000000000000 + id * 1000) AS time", "concat('device-', CAST(id % 100 AS STRING)) AS host",
       "CAST(id % 10000 AS DOUBLE) + CAST(id % 10 AS DOUBLE) / 10 AS a", "CAST(0.25 AS DOUBLE) AS b", "100 * id AS c",
       "CAST(17 AS BIGINT) AS d", "CAST(-350.5 AS DOUBLE) AS e"]
ROWS = 300_000
DESCRIPTOR = "row.desc"
OPTIONS = {INFLUX: {"measurement": "cpu"}, PROTOBUF: {"descriptorFile": DESCRIPTOR, "messageName": "bench.Row"}}
WRITTEN = {INFLUX: {"tags": "host"}}
"""What a sink needs besides."""


def protobuf_needed() -> None:
    """An experiment's need: Protobuf's own library, which makes the descriptor."""
    try:
        importlib.import_module("google.protobuf")
    except ImportError as missing:
        raise StartError("protobuf_missing", str(missing), "pip install protobuf") from missing


def _descriptor() -> bytes:
    from google.protobuf import descriptor_pb2, timestamp_pb2

    field = descriptor_pb2.FieldDescriptorProto
    kinds = {"host": field.TYPE_STRING, "a": field.TYPE_DOUBLE, "b": field.TYPE_DOUBLE, "c": field.TYPE_INT64,
             "d": field.TYPE_INT64, "e": field.TYPE_DOUBLE}
    files = descriptor_pb2.FileDescriptorSet()
    timestamp_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    own = files.file.add(name="row.proto", package="bench", syntax="proto3", dependency=[timestamp_pb2.DESCRIPTOR.name])
    row = own.message_type.add(name="Row")
    row.field.add(name="time", number=1, type=field.TYPE_MESSAGE, label=field.LABEL_OPTIONAL,
                  type_name=".google.protobuf.Timestamp")
    for number, (name, kind) in enumerate(kinds.items(), 2):
        row.field.add(name=name, number=number, type=kind, label=field.LABEL_OPTIONAL)
    made: bytes = files.SerializeToString()
    return made


def _options(form: str, lab: Path) -> dict[str, str]:
    found = OPTIONS.get(form, {})
    return found | {"descriptorFile": str(lab / DESCRIPTOR)} if "descriptorFile" in found else found


def _field(options: dict[str, str]) -> graphs.Json:
    return {"options": options} if options else {}


def _rows(run: Run, form: str) -> Path:
    """A folder with the rows, which the engine writes once."""
    folder = run.lab / form
    if not folder.is_dir():
        (run.lab / DESCRIPTOR).write_bytes(_descriptor())
        options = _options(form, run.lab) | WRITTEN.get(form, {})
        sink = {"type": "file_sink", "path": str(folder), "format": form, **_field(options)}
        rows = {"type": "generator_source", "rows": {"type": "select", "select": ROW}, "count": ROWS}
        engine.run(engine.Command({"format": 1, "name": "rows", "operators": {"source": rows, "sink": sink},
                                   "links": [{"from": "source", "to": "sink"}]}), run.folder)
    return folder


def _read(form: str) -> Callable[[Run], Measured]:
    def measured(run: Run) -> Measured:
        source = {"type": "file_source", "path": str(_rows(run, form)), "format": form, "schema": COLUMNS, "repeat": 0,
                  **_field(_options(form, run.lab))}
        graph: graphs.Json = {"format": 1, "name": f"read_{form}", "operators": {
            "source": source, "sink": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "sink"}]}
        return engine.measured(engine.timed(run, graph, wrapped=engine.on_one_core))
    return measured


def _claim(words: str, form: str) -> Claim:
    return Claim(words, lambda result: result.ratio(ROWS_PER_S.name, form, CSV, {}), at_least=0.8)


EXPERIMENT = Experiment(
    name="formats",
    doc="""300,000 rows of a time, a text, three doubles and two whole numbers, over and over, from the page cache: as csv, as
    lines of InfluxDB's (a tag, five fields, a time), as Avro's containers (snappy), as messages of Protobuf behind their
    lengths; dropped by a sink in the same task. The whole engine on one core, reading the file included.""",
    subjects=tuple(Subject(form, _read(form), 4) for form in (CSV, INFLUX, AVRO, PROTOBUF)),
    metrics=(ROWS_PER_S, engine.CPU),
    baseline=CSV,
    full=Plan([{}], warm_up_s=6, seconds=6),
    quick=Plan([{}], repeats=1, warm_up_s=2, seconds=1.5),
    claims=(Claim("influx: lines/s on one core", lambda result: result.estimate(ROWS_PER_S.name, INFLUX, {}), at_least=1.5e6),
            _claim("avro: rows/s, of csv's", AVRO), _claim("protobuf: rows/s, of csv's", PROTOBUF)),
    needs=(java.java_needed, engine.taskset_needed, protobuf_needed),
)
