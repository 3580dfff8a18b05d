"""Files that travel with a graph."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from despina.errors import RefusedError
from despina.service import bundles
from despina.service.bundles import Bundle, Bundles, beside
from despina.service.client import Client
from despina.service.rules import Rules
from support.service import Service, graph


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def asked(service: Service) -> Iterator[Client]:
    with service.listening() as url:
        assert service.engine.alive()
        yield Client(url, service.secrets["admin"])


def lookup(path: str, **more: Any) -> str:
    return graph("numbers", a={"type": "lookup", "from": {"type": "file", "path": path}}, **more)


def test_tests_of_a_graph_go_with_it_and_those_of_others_do_not(tmp_path: Path) -> None:
    for name, of in (("mine", "g.json"), ("twice", "./g.json"), ("other", "other.json"), ("far", "../g.json")):
        (tmp_path / f"{name}.test.json").write_text(json.dumps({"graph": of, "cases": []}))
    (tmp_path / "broken.test.json").write_text("{")
    (tmp_path / "list.test.json").write_text("[]")
    assert list(beside(graph(), tmp_path / "g.json", {}, tmp_path / "elsewhere").files) == ["mine.test.json", "twice.test.json"]


def test_files_come_with_the_graph_and_are_sent_once(service: Service, asked: Client, tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/a.csv").write_text("1\n")
    (tmp_path / "tables/b.csv").write_text("2\n")
    text = lookup("tables")
    bundle = beside(text, tmp_path / "g.json", {}, tmp_path)
    sent: list[str] = []
    send = Client.send

    def counted(self: Client, method: str, *given: Any, **named: Any) -> Any:
        sent.append(method)
        return send(self, method, *given, **named)
    monkeypatch.setattr(Client, "send", counted)
    asked.submit({"graph": text}, bundle=bundle)
    service.until("numbers", "running")
    files = service.folder / "jobs/numbers/1/files"
    assert {path.relative_to(files).as_posix(): path.read_text() for path in files.rglob("*.csv")} == {
        "tables/a.csv": "1\n", "tables/b.csv": "2\n"}
    assert sent == ["POST", "PUT", "PUT", "POST"]
    assert service.engine.checked[0][1]["directory"].startswith(str(service.folder / "staging"))
    sent.clear()
    asked.submit({"graph": text, "name": "second"}, bundle=bundle)
    assert sent == ["POST"]
    assert list((service.folder / "staging").iterdir()) == []


def test_files_that_go_between_two_requests_are_sent_again(service: Service, asked: Client, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    bundle = beside(lookup("a.csv"), tmp_path / "g.json", {}, tmp_path)
    asked.submit({"graph": lookup("a.csv")}, bundle=bundle)
    for kept in (service.folder / "files").iterdir():
        kept.unlink()
    asked.submit({"graph": lookup("a.csv"), "name": "again"}, bundle=bundle)
    assert (service.folder / "jobs/again/1/files/a.csv").read_text() == "1\n"


@pytest.mark.parametrize("path", ["../a", "/etc/a", "a/../b", "a//b", "", ".", "a/", "a\\b", "a\nb", "a/./b", "é" * 130])
def test_a_path_that_climbs_is_refused(service: Service, path: str) -> None:
    service.jobs.bundles.keep(digest(b"1"), b"1")
    answer = service.ask("POST", "/jobs", {"graph": graph(), "files": {path: digest(b"1")}})
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (422, "bundle")
    assert not service.jobs.all()


def test_a_file_that_is_a_folder_too_is_refused(service: Service) -> None:
    service.jobs.bundles.keep(digest(b"1"), b"1")
    answer = service.ask("POST", "/jobs", {"graph": graph(), "files": {"a": digest(b"1"), "a/b": digest(b"1")}})
    assert answer.status_code == 422


def test_what_is_not_what_its_digest_says_is_refused(service: Service) -> None:
    headers = {"authorization": f"Bearer {service.secrets['operate']}"}
    for name in (digest(b"2"), "x", "..%2f..%2fetc", digest(b"1").upper()):
        assert service.client.put(f"/api/v1/files/{name}", content=b"1", headers=headers).status_code in (404, 422)
    assert service.client.put(f"/api/v1/files/{digest(b'1')}", content=b"1", headers=headers).status_code == 204
    assert [path.name for path in (service.folder / "files").iterdir()] == [digest(b"1")]


def test_too_much_is_refused_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_BYTES", 10)
    kept = Bundles(tmp_path / "files", tmp_path / "staging")
    with pytest.raises(RefusedError, match="11 bytes; 10 are the most"):
        kept.keep(digest(b"x" * 11), b"x" * 11)
    kept.keep(digest(b"x" * 8), b"x" * 8)
    twice = {"a": digest(b"x" * 8), "b": digest(b"x" * 8)}
    with pytest.raises(RefusedError, match="16 bytes; 10 are the most"), kept.staged(twice):
        pass
    (tmp_path / "a.csv").write_text("x" * 11)
    with pytest.raises(RefusedError, match=r"11 bytes, a\.csv the most of them"):
        beside(lookup("a.csv"), tmp_path / "g.json", {}, tmp_path)
    monkeypatch.setattr(bundles, "MOST_FILES", 1)
    with pytest.raises(RefusedError, match="2 files; 1 are the most"), kept.staged(twice):
        pass


def test_what_was_named_longest_ago_goes_where_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "KEPT_BYTES", 10)
    kept = Bundles(tmp_path / "files", tmp_path / "staging")
    for number, content in enumerate((b"aaaa", b"bbbb")):
        kept.keep(digest(content), content)
        os.utime(tmp_path / "files" / digest(content), (number, number))
    with kept.staged({"a": digest(b"aaaa")}):
        pass
    kept.keep(digest(b"cccc"), b"cccc")
    assert {path.read_bytes() for path in (tmp_path / "files").iterdir()} == {b"aaaa", b"cccc"}


def test_what_a_graph_reads_is_found_and_what_it_writes_is_not(tmp_path: Path) -> None:
    for name in ("in.csv", "day/one.csv", "day/deep/two.csv", "out.csv", "plant.py", "pack/__init__.py", "pack/a.py",
                 "pack/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    text = json.dumps({"name": "g", "parameters": {"p": {"default": "none"}}, "operators": {
        "a": {"type": "file_source", "path": "${p}"}, "b": {"type": "file_source", "path": "day/*"},
        "c": {"type": "file_sink", "path": "out.csv"},
        "d": {"type": "python", "function": "plant:f"}, "e": {"type": "python_sink", "function": "pack.a:Sink"},
        "f": {"type": "file_source", "path": "/etc/hosts"}, "g": {"type": "file_source", "path": "../up"},
        "h": {"type": "python", "function": "json:loads"}}})
    assert sorted(beside(text, tmp_path / "g.json", {"p": "in.csv"}, tmp_path).files) == [
        "day/deep/two.csv", "day/one.csv", "in.csv", "pack/__init__.py", "pack/a.py", "plant.py"]
    assert beside("{", tmp_path / "g.json", {}, tmp_path) == Bundle({})
    assert beside('{"operators": []}', tmp_path / "g.json", {}, tmp_path) == Bundle({})


@pytest.mark.parametrize(("rules", "path", "code"), [
    (Rules(), "plant.py", 422), (Rules(python=["plant"]), "plant.py", 202), (Rules(python=["plant"]), "json.py", 422),
    (Rules(python=["plant"]), "plant.so", 422), (Rules(python=["*"]), "any.so", 202), (Rules(), "table.csv", 202)])
def test_code_comes_with_a_graph_only_where_it_may_run(serve: Any, rules: Rules, path: str, code: int) -> None:
    service = serve(rules=rules)
    assert service.engine.alive()
    service.jobs.bundles.keep(digest(b"1"), b"1")
    assert service.ask("POST", "/jobs", {"graph": graph(), "files": {path: digest(b"1")}}).status_code == code


def test_what_a_graph_names_and_may_not_is_told_by_check_and_by_submit_alike(service: Service) -> None:
    assert service.engine.alive()
    text = graph("numbers", a={"type": "file_source", "path": "/etc/passwd"}, b={"type": "java", "class": "x.Y"})
    told = service.ask("POST", "/check", {"graph": text, "file": "g.json"}).json()
    assert not told["ok"]
    refused = service.ask("POST", "/jobs", {"graph": text, "file": "g.json"})
    assert refused.status_code == 422
    assert [(each["rule"], each["operator"]) for each in refused.json()["diagnostics"]] == [("path", "a"), ("allowed", "b")]
    assert refused.json()["diagnostics"] == [{key: value for key, value in each.items() if value} for each in told["diagnostics"]]
    assert not service.jobs.all()
