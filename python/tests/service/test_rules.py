"""What a graph from outside may name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from despina.service.rules import ELSEWHERE, FREE, MOST_JOB_FILE, PATHS, Rules

ROOT = Path(__file__).resolve().parents[3]


def broken(rules: Rules, operator: dict[str, Any], folder: Path | None = None, deployment: Any = None,
           **parameters: str) -> list[str]:
    """The pointers of what is wrong."""
    content = {"parameters": {"where": {"default": "/etc/passwd"}}, "operators": {"a": operator}}
    placed = None if deployment is None else json.dumps(deployment)
    found = rules.broken(json.dumps(content), "g.json", parameters, placed, folder)
    assert all(each.hint and each.rule in ("path", "allowed") for each in found)
    return [each.pointer.removeprefix("/operators/a/") for each in found]


def test_parts_that_are_not_written_out_may_not_hide_anything() -> None:
    found, = Rules().broken(json.dumps({"parts": {}, "operators": {}}), "g.json", {}, None)
    assert found.message == "what the graph names cannot be told: it has parts that are not written out"


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    (tmp_path / "root/in").mkdir(parents=True)
    (tmp_path / "root/in/a.csv").write_text("1\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/secret.csv").write_text("1\n")
    (tmp_path / "root/link").symlink_to(tmp_path / "out")
    (tmp_path / "root/linked.csv").symlink_to(tmp_path / "out/secret.csv")
    (tmp_path / "alias").symlink_to(tmp_path / "root")
    return tmp_path


@pytest.mark.parametrize("path", ["root", "root/in", "root/in/a.csv", "root/new/part", "root/in/*.csv", "root/in/{a,b}.csv",
                                  "alias/in"])
def test_what_is_below_a_root_may_be_named(inside: Path, path: str) -> None:
    rules = Rules(roots=[inside / "root"])
    for written in (f"{inside}/{path}", f"file://{inside}/{path}", f"file:{inside}/{path}"):
        assert broken(rules, {"type": "file_source", "path": written}) == []


@pytest.mark.parametrize("path", ["out/secret.csv", "root/../out/secret.csv", "root/link/secret.csv", "root/linked.csv", "roots",
                                  "root2/a", "", "*", "root/{in,../out}/x", "root/l*/secret.csv", "root/*.csv",
                                  "root/*/../../out/x", r"root/.\./out/x", r"root/./.\./out/x", "root/{.,y}./out/x",
                                  "root/{./.,y}./x", "root/{link,in}/secret.csv", "root/{in", "root/in}", "root/[^x]ink/*",
                                  "root/" + "{a,b}" * 10])
def test_what_is_outside_or_behind_a_symbolic_link_may_not(inside: Path, path: str) -> None:
    rules = Rules(roots=[inside / "root"])
    hidden = f"file:/{inside}/{path}".replace(".", "%2e")
    for written in (f"{inside}/{path}", f"file://{inside}/{path}", f"FILE:{inside}/{path}", hidden):
        assert broken(rules, {"type": "file_sink", "path": written}) == ["path"], written


@pytest.mark.parametrize("path", ["/etc/passwd", "/", "../up", "a/../../b", "file:///etc", "${where}", "${there}", "{..,a}/b",
                                  r"./.\./.\./admin.token", "{./.,y}./x", "{.{.,a},b}/x", "a\\b", "file:a%5Cb",
                                  "ftp://x/y", "jar:file:/a!/b", "local:/etc"])
def test_without_a_root_no_absolute_path_and_nothing_that_climbs(path: str) -> None:
    assert broken(Rules(), {"type": "file_source", "path": path}, there="/etc/shadow") == ["path"]


@pytest.mark.parametrize("path", ["a.csv", "data/*.csv", "./a", "hdfs://n/a", "s3a://bucket/a", "-", "a..b", "${there}",
                                  "{a.csv,b/c.csv}", "*.csv"])
def test_relative_paths_and_stores_elsewhere_may_be_named(path: str) -> None:
    assert broken(Rules(), {"type": "file_source", "path": path}, there="mine.csv") == []


def test_these_stores_are_those_that_a_catalog_may_name() -> None:
    source = Path(__file__).resolve().parents[3] / "jvm/src/main/java/io/despina/connect/StoreFiles.java"
    named = source.read_text(encoding="utf-8").partition("STORES = ")[2].partition(";")[0]
    assert sorted(re.findall(r'"(\w+)"', named)) == sorted(ELSEWHERE)


def test_a_link_in_the_jobs_folder_that_leads_out_is_refused(inside: Path) -> None:
    (inside / "files").mkdir()
    (inside / "files/x").symlink_to(inside / "out")
    assert broken(Rules(), {"type": "file_source", "path": "x/secret.csv"}, inside / "files") == ["path"]
    assert broken(Rules(), {"type": "file_source", "path": "y/secret.csv"}, inside / "files") == []
    assert broken(Rules(), {"type": "file_source", "path": "x/*.csv"}, inside / "files") == ["path"]
    assert broken(Rules(), {"type": "file_source", "path": "?/secret.csv"}, inside / "files") == ["path"]
    assert broken(Rules(), {"type": "file_source", "path": "*.csv"}, inside / "files") == []


def test_beside_a_service_a_job_is_a_name_and_the_token_a_file() -> None:
    operator = {"type": "job_source", "job": "/plant", "service": "http://127.0.0.1:7600"}
    assert broken(Rules(), {**operator, "token_file": "admin.token"}) == []
    assert broken(Rules(), {**operator, "token_file": "/etc/shadow"}) == ["token_file"]


@pytest.mark.parametrize(("written", "file"), [
    ("uploaded.job", "in/uploaded.job"), ("un%41.job", "in/un%41.job"), ("{inside}/root/a.job", "root/a.job"),
    ("FILE:{inside}/root/%61.job", "root/a.job")])
def test_what_another_jobs_file_names_is_looked_at_too(inside: Path, written: str, file: str) -> None:
    rules, place = Rules(roots=[inside / "root"]), inside / file
    place.parent.mkdir(exist_ok=True)
    operator = {"type": "job_source", "job": written.format(inside=inside)}
    assert broken(rules, operator, inside / "in") == [], "it need not be there"
    for named, found in (({"secret_file": f"{inside}/out/secret.csv"}, ["job"]), ({"tls": f"{inside}/root/link"}, ["job"]),
                         ({"secret_file": "secret.csv"}, ["job"]), ({"secret_file": f"{inside}/root/in/a.csv"}, []),
                         ({"secret": "word", "tls": None}, []), ({"secret_file": 7}, ["job"]), ([], ["job"]),
                         ({"long": "x" * MOST_JOB_FILE}, ["job"])):
        place.write_text(json.dumps(named))
        assert broken(rules, operator, inside / "in") == found, named
    place.write_text('{"secret": "word"} and more')
    assert broken(rules, operator, inside / "in") == ["job"]


@pytest.mark.parametrize("content", ['{"tls": "/of/others"}', "of others"])
def test_nothing_is_told_of_a_job_file_that_may_not_be_named(inside: Path, content: str) -> None:
    file = inside / "out/a.json"
    file.write_text(content)
    rules, refused, relative = Rules(roots=[inside / "root"]), f"{inside}/out/a.json", f"{inside}/out/a.json".lstrip("/")
    for folder in (None, inside / "in"):
        assert broken(rules, {"type": "job_source", "job": refused}, folder) == ["job"], "once, for its path"
    assert broken(rules, {"type": "job_source", "job": relative}) == [], "of which folder it is, nobody knows yet"


@pytest.mark.parametrize(("operator", "pointers"), [
    ({"type": "lookup", "from": {"type": "file", "path": "/etc/passwd"}}, ["from/path"]),
    ({"type": "mqtt_source", "password_file": "/etc/shadow", "tls": {"trust": "/a", "certificate": "/b", "key": "/c"}},
     ["password_file", "tls/trust", "tls/certificate", "tls/key"]),
    ({"type": "kafka_sink", "key": "/not/a/path", "sasl": {"password_file": "/x"}}, ["sasl/password_file"]),
    ({"type": "http_source", "path": "/readings", "token_file": "/x"}, ["token_file"]),
    ({"type": "websocket_source", "path": "/readings"}, []),
    ({"type": "kafka_source", "properties": {"ssl.truststore.location": "/etc/x", "client.id": "a"}},
     ["properties/ssl.truststore.location"]),
    ({"type": "kafka_source", "properties": {"sasl.jaas.config": "com.sun.security.auth.module.JndiLoginModule required"}},
     ["properties/sasl.jaas.config"]),
    ({"type": "kafka_source", "properties": {"interceptor.classes": "x.Y"}}, ["properties/interceptor.classes"]),
    ({"type": "kafka_source", "properties": {"interceptor.classes": ["x.Y"], "a": {"class": "x.Y"}}},
     ["properties/interceptor.classes/0", "properties/a/class"]),
    ({"type": "file_source", "path": "a", "options": {"sep": "/"}}, []),
    ({"type": "file_source", "path": "a", "options": {"schemaFile": "../../../../admin.token"}}, ["options/schemaFile"]),
    ({"type": "file_source", "path": "a", "options": {"SCHEMAFILE": "{./.,y}./x", "schemaFile": "a"}},
     ["options/SCHEMAFILE"]),
    ({"type": "file_source", "path": "a", "settings": {"dir": "a/../../b", "deep": {"in": ["x", r".\./x"]}, "quote": "\\"}},
     ["settings/dir", "settings/deep/in/1"]),
    ({"type": "sql", "connection": {"url": "jdbc:sqlite:/var/a.db"}}, ["connection/url"]),
    ({"type": "jdbc_source", "url": "jdbc:sqlite:a.db"}, []),
    ({"type": "jdbc_source", "url": "jdbc:sqlite:file:/etc/a.db?mode=ro"}, ["url"]),
    ({"type": "jdbc_source", "url": "JDBC:h2:~/a"}, ["url"]),
    ({"type": "jdbc_source", "url": "jdbc:h2:mem:a;INIT=RUNSCRIPT FROM '/x'"}, ["url"]),
    ({"type": "jdbc_source", "url": "jdbc:h2:mem:a"}, []),
    ({"type": "jdbc_source", "url": "jdbc:postgresql://h/db"}, []),
    ({"type": "jdbc_sink", "password_env": "SECRET", "user_env": "PLANT_USER"}, ["password_env"]),
    ({"type": "http_sink", "headers_env": {"X": "SECRET", "Y": "PLANT_Y"}}, ["headers_env"]),
    ({"type": "java", "class": "org.example.Bad"}, ["class"]),
    ({"type": "java", "class": "com.plant.Good"}, []),
    ({"type": "python", "function": "os:system", "options": {"a": "/x"}}, ["function"]),
    ({"type": "python_source", "function": "plant.rows:Rows"}, []),
    ({"type": "project", "select": ["'/etc/passwd' AS path"]}, []),
])
def test_every_field_that_names_something(operator: dict[str, Any], pointers: list[str]) -> None:
    rules = Rules(classes=["com.plant.*"], python=["plant.*"], env=["PLANT_*"])
    assert broken(rules, operator) == pointers


def test_a_partition_of_a_link_is_looked_at() -> None:
    text = json.dumps({"operators": {}, "links": [{"from": "a", "to": "b", "partition": {"type": "custom", "class": "x.Y"}}]})
    assert [each.pointer for each in Rules().broken(text, "g", {}, None)] == ["/links/0/partition/class"]


@pytest.mark.parametrize(("text", "deployment"), [("", None), ("[]", None), ('{"operators": 1}', None),
                                                  ('{"operators": {"a": 1}}', None), ('{"operators": {}}', "{}")])
def test_what_has_another_form_is_refused_and_not_let_pass(text: str, deployment: str | None) -> None:
    found, = Rules(roots=[Path("/")]).broken(text, "g", {}, deployment)
    assert (found.rule, found.severity) == ("allowed", "error")


def test_jars_classes_and_programs_of_a_deployment(inside: Path) -> None:
    jar = inside / "root/a.jar"
    deployment = {"resources": {"a": {"jars": [str(jar), "/etc/b.jar", "c.jar"], "allow_classes": ["com.plant.*", "*", "x.Y"],
                                      "python": "/bin/sh"}}}
    rules = Rules(roots=[inside / "root"], classes=["com.plant.*"])
    assert broken(rules, {"type": "relay"}, None, deployment) == [
        "/resources/a/jars/1", "/resources/a/jars/2", "/resources/a/allow_classes/1", "/resources/a/allow_classes/2",
        "/resources/a/python"]
    assert broken(Rules(python=["*"]), {"type": "relay"}, None, {"resources": {"a": {"python": "/bin/sh"}}}) == []


def test_the_report_by_which_operators_are_placed(inside: Path) -> None:
    rules = Rules(roots=[inside / "root"])
    for path, may in ((f"{inside}/root/in/r.json", True), ("r.json", True), ("/etc/passwd", False), ("../r.json", False)):
        placing = {"resources": {"a": {}}, "placing": {"type": "measured", "from": path}}
        assert broken(rules, {"type": "relay"}, None, placing) == ([] if may else ["/placing/from"])


@pytest.mark.parametrize(("allowed", "function", "may"), [
    ("plant", "plant:f", True), ("plant", "plant.deep:f", False), ("plant:f", "plant:f", True), ("plant:f", "plant:g", False),
    ("plant*", "plant.deep:f", True), ("*", "os:system", True), ("plant", "plants:f", False)])
def test_functions_by_module_name_and_prefix(allowed: str, function: str, may: bool) -> None:
    assert Rules(python=[allowed]).allows_function(function) is may


@pytest.mark.parametrize(("allowed", "path", "may"), [
    ("plant", "plant.py", True), ("plant:f", "plant.py", True), ("plant", "other.py", False),
    ("plant.deep", "plant/deep.py", True),
    ("plant.deep", "plant/__init__.py", True), ("plant.deep", "plant/other.py", False), ("plant.*", "plant/other.py", True),
    ("*", "a.py", True)])
def test_modules_that_may_come_with_a_graph(allowed: str, path: str, may: bool) -> None:
    assert Rules(python=[allowed]).allows_module(path) is may


NO_FILE = re.compile(r"/(single_file|user_properties|profile|keys?|bits_per_key|url|user|class|function|driver)$")


def named(schema: Any, at: str = "") -> Iterator[str]:
    if isinstance(schema, dict):
        for name, part in (schema.get("properties") or {}).items():
            yield f"{at}/{name}"
            yield from named(part, f"{at}/{name}")
        for key, part in schema.items():
            if key != "properties":
                yield from named(part, f"{at}/{key}" if at == "" else at)
    elif isinstance(schema, list):
        for part in schema:
            yield from named(part, at)


def test_every_field_of_the_schema_that_sounds_like_a_file_is_known() -> None:
    """Whoever adds a field that names a file, a variable, code or a library's own settings adds it to the rules."""
    schema = json.loads((ROOT / "graphs/graph.schema.json").read_text())
    fields = {f"/{name}{field}" for name, part in schema["$defs"].items() for field in named(part)}
    assert len(fields) > 300
    sounds = re.compile(r"(path|file|folder|dir|jar|trust|cert|store|_env|properties|options|settings)$")
    unknown = {field for field in fields if sounds.search(field) and not NO_FILE.search(field)
               and (name := field.rpartition("/")[2]) not in PATHS | FREE and not name.endswith("_env")}
    assert unknown == set()
    assert {"class", "function"} <= {field.rpartition("/")[2] for field in fields}
