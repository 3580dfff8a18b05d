from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, text_format, timestamp_pb2

from despina import engine
from despina.cli import schema

Despina = Callable[..., tuple[int, str, str]]
PEOPLE = "id,full name,born,seen,score\n1,Ann,1990-01-02,2026-01-01 10:00:00,1\n2,,1991-03-04,2026-01-01T10:00:01.5Z,2.5\n"
DDL = "id INT,`full name` STRING,born DATE,seen TIMESTAMP,score DOUBLE"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    return file


def test_a_csv_file_with_a_header(with_engine: Despina, people: Path) -> None:
    assert with_engine("schema", people) == (0, DDL + "\n", "")


def test_the_answer_as_json_is_a_source_that_reads_the_file(with_engine: Despina, people: Path) -> None:
    source = json.loads(with_engine("schema", people, "--json")[1])
    graph = {"format": 1, "name": "people", "operators": {"people": source, "shown": {"type": "console_sink"}},
             "links": [{"from": "people", "to": "shown"}]}
    file = people.with_name("people.graph.json")
    file.write_text(json.dumps(graph))
    assert with_engine("check", file)[0] == 0
    code, out, err = with_engine("run", file, "--quiet")
    assert (code, err) == (0, "")
    assert "Ann" in out


def test_a_header_that_cannot_name_columns(with_engine: Despina, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ts,v,V,,v1\n1,2,3,4,5,\n")
    code, ddl, err = with_engine("schema", tmp_path / "a.csv")
    assert (code, ddl) == (0, "ts INT,v1 INT,V2 INT,_c3 INT,v1_ INT\n")
    assert err == ("despina: a name of the header is empty or comes twice, so columns go by their place: "
                   'add "enforceSchema": "true" to the options\n'
                   'despina: lines have more columns than the schema, which are left out: add "extra_columns": "ignore"\n')
    source = json.loads(with_engine("schema", tmp_path / "a.csv", "--json")[1])
    graph = {"format": 1, "name": "odd", "operators": {"odd": source, "shown": {"type": "console_sink"}},
             "links": [{"from": "odd", "to": "shown"}]}
    (tmp_path / "odd.graph.json").write_text(json.dumps(graph))
    code, out, _ = with_engine("run", tmp_path / "odd.graph.json", "--quiet")
    assert (code, out.count("5")) == (0, 1)


def test_what_the_name_says_and_what_options_say(with_engine: Despina, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n1\tx\n")
    assert with_engine("schema", tmp_path / "a.tsv")[1] == "a INT,b STRING\n"
    (tmp_path / "b").write_text("1;x\n")
    assert with_engine("schema", tmp_path / "b", "--format", "csv", "--no-header", "--sep", ";")[1] == "_c0 INT,_c1 STRING\n"
    with gzip.open(tmp_path / "c.jsonl.gz", "wt") as packed:
        packed.write('{"a": {"b": [1.5]}, "t": "2026-01-01T00:00:00Z"}\n')
    assert with_engine("schema", tmp_path / "c.jsonl.gz")[1] == "a STRUCT<b: ARRAY<DOUBLE>>,t TIMESTAMP\n"
    assert with_engine("schema", tmp_path / "c.jsonl.gz", "--option", "inferTimestamp=false")[1].endswith("t STRING\n")


def test_no_more_than_the_first_lines_are_read(with_engine: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "LINES", 3)
    (tmp_path / "a.csv").write_text("a\n1\n2\nword\n")
    assert with_engine("schema", tmp_path / "a.csv")[1] == "a INT\n"
    monkeypatch.setattr(schema, "BYTES", 7)      # the third record is cut
    monkeypatch.setattr(schema, "LINES", 100)
    assert with_engine("schema", tmp_path / "a.csv")[1] == "a INT\n"


@pytest.mark.parametrize(("name", "data", "options", "words"), [
    ("a.txt", b"a\n1\n", [], "--format csv"), ("a.json", b"{}", ["--sep", ";"], "no separator"),
    ("a.csv", b"a\n\xff\n", [], "byte 0xff is not utf-8"), ("a.csv.gz", b"a\n1\n", [], "the gzip file is damaged or incomplete"),
    ("a.csv", b"a\n", ["--option", "encoding=klingon"], "no encoding 'klingon'"),
    ("a.csv", b"a\n", ["--option", "encoding=windows-1252"], "a job cannot read text in windows-1252"),
    ("a.csv", b"a\n", ["--option", "x"], "--option"),
])
def test_what_cannot_be_read_is_refused_before_a_jvm_starts(
        despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, options: list[str],
        words: str) -> None:
    monkeypatch.setattr(engine, "start", lambda driver, **_: pytest.fail("started"))
    (tmp_path / name).write_bytes(data)
    code, out, err = despina("schema", tmp_path / name, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_what_has_no_schema_is_refused_with_its_file(with_engine: Despina, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}\n2\n')
    assert with_engine("schema", tmp_path / "a.json") == (
        2, "", f"{tmp_path / 'a.json'}: error[schema]: line 2 is not a JSON object\n")
    (tmp_path / "a.json").write_text('{"a": 1}\n{"b": x}\n')
    err = with_engine("schema", tmp_path / "a.json")[2]
    assert "line 2 is not a JSON object: Unrecognized token 'x'" in err
    assert "Source" not in err
    for several in ('{\n "a": 1\n}\n', '[\n{"a": 1}\n]\n', '{"a":\n1}\n'):
        (tmp_path / "a.json").write_text(several)
        assert with_engine("schema", tmp_path / "a.json")[2] == (
            f"{tmp_path / 'a.json'}: error[schema]: line 1 is not a whole JSON value: one JSON object per line is read;"
            " this file seems to have one over several lines\n")
    (tmp_path / "empty.csv").touch()
    assert "no record with a value" in with_engine("schema", tmp_path / "empty.csv")[2]
    (tmp_path / "twice.json").write_text('{"a": 1, "A": 2}\n')
    assert with_engine("schema", tmp_path / "twice.json")[0] == 2


def test_a_folder_or_a_glob_is_read_as_a_source_reads_it(with_engine: Despina, tmp_path: Path) -> None:
    for day, text in (("2024-03-01", ""), ("2024-03-02", "v,w x\n1,a\n"), ("2024-03-03", "v,w x\n2.5,b\n")):
        (tmp_path / "in" / f"day={day}" / "run no=7").mkdir(parents=True)
        (tmp_path / "in" / f"day={day}" / "run no=7" / "a.csv").write_text(text)
    (tmp_path / "in" / "_SUCCESS").write_text("")
    ddl = "v INT,`w x` STRING,day DATE,`run no` INT\n"
    assert with_engine("schema", tmp_path / "in") == (0, ddl, "")
    source = json.loads(with_engine("schema", tmp_path / "in" / "day=2024-03-0[12]", "--json")[1])
    assert source["schema"] + "\n" == ddl
    graph = {"format": 1, "name": "days", "operators": {"days": source, "shown": {"type": "console_sink"}},
             "links": [{"from": "days", "to": "shown"}]}
    (tmp_path / "days.graph.json").write_text(json.dumps(graph))
    code, out, _ = with_engine("run", tmp_path / "days.graph.json", "--quiet")
    assert (code, "2024-03-02" in out) == (0, True)


def test_a_folder_whose_value_has_a_colon(with_engine: Despina, tmp_path: Path) -> None:
    for time in ("12:30:00", "12:31:00"):
        (tmp_path / f"at={time}").mkdir()
        (tmp_path / f"at={time}" / "a.csv").write_text("v\n5\n")
    assert with_engine("schema", tmp_path) == (0, "v INT,at STRING\n", "")
    (tmp_path / "=x").mkdir()
    (tmp_path / "=x" / "a.csv").write_text("v\n5\n")
    assert "the folder `=x` has no name before its `=`" in with_engine("schema", tmp_path)[2]


def test_a_column_that_the_file_and_its_folder_have(with_engine: Despina, tmp_path: Path) -> None:
    (tmp_path / "Day=1").mkdir()
    (tmp_path / "Day=1" / "a.csv").write_text("v,day\n5,2\n")
    source = json.loads(with_engine("schema", tmp_path, "--json")[1])
    assert (source["schema"], source["columns_by"]) == ("v INT,day INT", "name")
    (tmp_path / "Day=1" / "a.csv").write_text("v,day,v\n5,2,3\n")
    assert with_engine("schema", tmp_path) == (
        2, "", f"{tmp_path / 'Day=1' / 'a.csv'}: error[schema]: `Day` is in the header and comes from folders, and other names "
               "of the header are empty or come twice: no source can read both\n  hint: rename the columns in the header\n")
    code, _, err = with_engine("schema", tmp_path / "none" / "*.csv")
    assert code == 2
    assert "no file matches" in err


@pytest.fixture
def descriptors(tmp_path: Path) -> Path:
    """Two messages: t.R of an id, a time and itself, and t.Q of a name."""
    files = descriptor_pb2.FileDescriptorSet()
    timestamp_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    text_format.Parse("""name: 't.proto' package: 't' syntax: 'proto3' dependency: 'google/protobuf/timestamp.proto'
        message_type {name: 'R' field {name: 'id' number: 1 label: LABEL_OPTIONAL type: TYPE_UINT32}
            field {name: 'ts' number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: '.google.protobuf.Timestamp'}
            field {name: 'self' number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: '.t.R'}}
        message_type {name: 'Q' field {name: 'full_name' number: 1 label: LABEL_OPTIONAL type: TYPE_STRING}}""", files.file.add())
    file = tmp_path / "t.desc"
    file.write_bytes(files.SerializeToString())
    return file


def test_the_columns_of_a_message(with_engine: Despina, descriptors: Path) -> None:
    named = ("schema", descriptors, "--option", "messageName=t.R")
    note = "despina: `self` has no column: it is a message without fields, or one within itself\n"
    assert with_engine(*named) == (0, "id BIGINT,ts TIMESTAMP\n", note)
    source = {"type": "kafka_source", "bootstrap_servers": "a:1", "topics": ["t"], **json.loads(with_engine(*named, "--json")[1])}
    graph = {"format": 1, "name": "read", "operators": {"read": source, "shown": {"type": "console_sink"}},
             "links": [{"from": "read", "to": "shown"}]}
    file = descriptors.with_name("read.graph.json")
    file.write_text(json.dumps(graph))
    assert with_engine("check", file)[0] == 0
    other = descriptors.rename(descriptors.with_name("other"))
    assert with_engine("schema", other, "--format", "protobuf", "--option", "messageName=t.Q")[1] == "full_name STRING\n"


@pytest.mark.parametrize(("more", "said"), [
    ([], "has 2 messages: say which one, by messageName; it has t.Q, t.R"),
    (["--option", "messageName=R"], "has no message R; it has google.protobuf.Timestamp, t.Q, t.R"),
    (["--sep", ";"], "protobuf has no header and no separator")])
def test_a_message_that_is_not_named(with_engine: Despina, descriptors: Path, more: list[str], said: str) -> None:
    code, out, err = with_engine("schema", descriptors, *more)
    assert (code, out) == (2, "")
    assert said in err


def test_a_topic_does_not_say_what_a_message_of_protobuf_is(with_engine: Despina) -> None:
    assert with_engine("schema", "kafka://127.0.0.1:1/t", "--format", "protobuf")[2] == (
        "error[option]: what is in a message of Protobuf is in its descriptor file\n  hint: despina schema FILE.desc\n")
