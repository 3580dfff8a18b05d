"""Graphs and deployments that a service keeps: each save a revision, which nobody loses by another's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import despina as package
from despina import Graph
from despina.errors import RefusedError
from despina.service import differences, durable, specs
from despina.service.refusals import MissingError, StaleError
from despina.service.remote_specs import Wanted
from despina.service.specs import Specs
from despina.service.tokens import ROLES, Role
from support.service import Service, graph

Call = Callable[..., tuple[int, str, str]]
TWO_HOSTS = json.dumps({"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "join"}}})


def save(service: Service, text: str, name: str = "hot", role: str = "operate", kinds: str = "graphs", comment: str = "",
         **headers: str) -> Any:
    return service.ask("PUT", f"/{kinds}/{name}", {"text": text, "comment": comment}, role, **headers)


def rule(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["diagnostics"][0]["rule"]


def test_each_save_is_a_revision_with_who_when_and_why(service: Service) -> None:
    first = save(service, graph(), comment="begins")
    assert (first.status_code, first.headers["etag"]) == (201, '"1"')
    second = save(service, graph(a={"type": "relay"}), role="admin", comment="has a", if_match='"1"')
    assert (second.status_code, second.headers["etag"]) == (201, '"2"')
    told = service.ask("GET", "/graphs/hot/revisions", role="view").json()["saves"]
    assert [(each["revision"], each["who"], each["comment"]) for each in told] == [(1, "operate1", "begins"),
                                                                                 (2, "admin2", "has a")]
    assert 0 < told[0]["at_ms"] <= told[1]["at_ms"]
    newest = service.ask("GET", "/graphs/hot", role="view")
    assert (newest.json()["text"], newest.headers["etag"]) == (graph(a={"type": "relay"}), '"2"')
    assert service.ask("GET", "/graphs/hot?revision=1").json()["text"] == graph()
    event = service.ask("GET", "/events").json()["lines"][-1]
    assert (event["what"], event["who"], event["kind"], event["name"], event["revision"]) == ("save", "admin2", "graph", "hot", 2)


def test_a_save_over_another_s_is_refused_and_the_same_text_is_none(service: Service) -> None:
    save(service, graph())
    save(service, graph(a={}), if_match='"1"')
    assert rule(save(service, graph(b={}), if_match='"1"')) == (412, "revision")
    unstated = save(service, graph(b={}))
    assert rule(unstated) == (428, "revision")
    assert "is 2, of operate1" in unstated.text
    assert rule(save(service, graph(b={}), if_match="2")) == (422, "if_match")
    assert rule(save(service, graph(), "cold", if_match="*")) == (412, "revision")
    same = save(service, graph(a={}), if_match='"1", "2"')
    assert (same.status_code, same.json()["revision"]) == (200, 2)
    assert save(service, graph(b={}), if_match="*").json()["revision"] == 3


@pytest.mark.parametrize(("method", "path", "body", "least"), [
    ("GET", "/graphs", None, "view"), ("GET", "/graphs/hot", None, "view"), ("GET", "/graphs/hot/difference", None, "view"),
    ("PUT", "/graphs/hot", {"text": "{}"}, "operate"), ("POST", "/graphs/hot/submit", {}, "operate"),
    ("DELETE", "/graphs/hot", None, "admin")])
def test_who_looks_saves_nothing_and_who_saves_removes_nothing(service: Service, method: str, path: str, body: Any,
                                                               least: Role) -> None:
    save(service, graph())
    save(service, graph(a={}), if_match="*")
    for role in ROLES:
        answer = service.ask(method, path, body, role)
        assert (answer.status_code != 403) == (ROLES.index(role) >= ROLES.index(least)), role


def test_what_is_no_name_or_no_object_is_not_kept(service: Service) -> None:
    for text in ("{", "[]", "1", "{}\x1e[]", "[" * 20_000, '{}\x1e{"p": {"text": 5}}', '{}\x1e{"p": null}'):
        assert rule(save(service, text)) == (422, "syntax"), text[:10]
    assert rule(save(service, "{}", "a%20b")) == (422, "graph_name")
    for name in ("..%2F..%2Fjobs", ".hidden", "%2e%2e"):
        assert save(service, "{}", name).status_code in (404, 405, 422)
        assert service.ask("GET", f"/graphs/{name}").status_code == 404
    assert service.ask("GET", "/graphs").json() == {"saves": [], "unread": []}


def test_graphs_are_found_by_words_of_their_names_comments_and_texts(service: Service) -> None:
    save(service, graph(a={"type": "kafka_source"}), "hot", comment="Line 1")
    save(service, graph(a={"type": "mqtt_source"}), "cold", comment="line 2")

    def find(words: str) -> list[str]:
        return [each["name"] for each in service.ask("GET", f"/graphs?find={words}").json()["saves"]]
    assert find("") == ["cold", "hot"]
    assert find("LINE") == ["cold", "hot"]
    assert find("line kafka") == ["hot"]
    assert find("line opc") == []
    assert "did you mean cold?" in service.ask("GET", "/graphs/colt").text
    assert "it has 1 alone" in service.ask("GET", "/graphs/cold?revision=7").text


def test_a_search_reads_texts_only_where_it_must_and_tells_which_it_has_not_read(
        service: Service, url: str, despina: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("old", "new"):
        save(service, graph(a={"type": "kafka_source"}), name, comment=f"is {name}")
    size = sum(each.stat().st_size for each in (service.folder / "graphs/new/1").iterdir())
    monkeypatch.setattr(specs, "SEARCHED_BYTES", size)

    def find(words: str) -> Any:
        found = service.ask("GET", f"/graphs?find={words}").json()
        return [each["name"] for each in found["saves"]], found["unread"]
    assert find("kafka") == (["new"], ["old"])
    assert find("is old") == (["old"], [])
    code, out, err = despina("graph", "list", "kafka", "--service", url)
    assert (code, "new" in out, "the texts of 1 graphs were not searched" in err) == (0, True, True)
    monkeypatch.setattr(Specs, "_read", lambda *_: pytest.fail("a text was read"))
    assert find("") == (["new", "old"], [])


def test_two_revisions_are_compared_by_lines_and_operators(service: Service) -> None:
    save(service, graph(a={"type": "relay"}, b={"type": "relay"}))
    only = service.ask("GET", "/graphs/hot/difference")
    assert rule(only) == (422, "revision")
    save(service, graph(a={"type": "relay", "doc": "x"}, c={"type": "relay"}), if_match="*")
    found = service.ask("GET", "/graphs/hot/difference").json()
    assert (found["before"]["revision"], found["after"]["revision"]) == (1, 2)
    assert found["text"].startswith("--- hot@1\n+++ hot@2\n")
    assert '\n+      "doc": "x"\n' in found["text"]
    assert [(each["operator"], each["change"]) for each in found["operators"]] == [("a", "changed"), ("c", "new"), ("b", "gone")]
    same = service.ask("GET", "/graphs/hot/difference?before=2&after=2").json()
    assert (same["text"], same["operators"]) == ("", [])


def test_what_is_not_saved_is_compared_too_by_whoever_may_save(service: Service) -> None:
    save(service, graph(a={"type": "relay"}))
    save(service, graph(b={"type": "relay"}), if_match="*")
    draft = {"text": graph(a={"type": "relay", "doc": "x"}), "before": 1}
    found = service.ask("POST", "/graphs/hot/difference", draft, role="operate").json()
    assert (found["before"]["revision"], found["after"]["revision"]) == (1, 0)
    assert found["text"].startswith("--- hot@1\n+++ hot@draft\n")
    assert [(each["operator"], each["change"]) for each in found["operators"]] == [("a", "changed")]
    newest = service.ask("POST", "/graphs/hot/difference", {"text": "no JSON"}, role="operate").json()
    assert (newest["before"]["revision"], newest["operators"]) == (2, [])
    assert service.ask("POST", "/graphs/hot/difference", draft, role="view").status_code == 403
    assert service.ask("POST", "/graphs/cold/difference", draft).status_code == 404


def test_a_text_that_is_too_long_is_not_compared(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    save(service, graph())
    save(service, graph(a={}), if_match="*")
    monkeypatch.setattr(differences, "MOST_LINES", 3)
    assert rule(service.ask("GET", "/graphs/hot/difference")) == (422, "difference")


def test_a_job_is_made_of_a_revision_and_a_deployment(service: Service) -> None:
    save(service, graph("first"))
    save(service, graph("second"), if_match="*")
    save(service, TWO_HOSTS, "two", kinds="deployments")
    assert service.engine.alive()
    made = service.ask("POST", "/graphs/hot/submit", {"revision": 1, "job": "j", "deployment": "two", "labels": {"line": "1"}})
    assert (made.status_code, made.headers["location"]) == (202, "/api/v1/jobs/j?run=1")
    job = service.until("j", "running")
    assert job["saved"] == {"graph": "hot", "revision": 1, "deployment": "two", "deployment_revision": 1}
    assert (job["graph"], job["labels"]) == ("hot@1", {"line": "1"})
    assert json.loads(service.jobs.one("j").run.graph)["name"] == "first"
    assert "far" in service.engine.named().words["deployment_text"]
    assert service.ask("POST", "/graphs/hot/submit", {}).json()["saved"]["revision"] == 2
    for missing in ({"revision": 3}, {"deployment": "three"}):
        assert service.ask("POST", "/graphs/hot/submit", missing).status_code == 404


def test_a_submission_that_comes_again_is_the_same_job_though_another_revision_was_saved(service: Service) -> None:
    save(service, graph())
    assert service.engine.alive()
    made = service.ask("POST", "/graphs/hot/submit", {}, idempotency_key="k")
    save(service, graph(a={}), if_match="*")
    again = service.ask("POST", "/graphs/hot/submit", {}, idempotency_key="k")
    assert (made.status_code, again.status_code, again.json()["run"]) == (202, 200, 1)
    assert rule(service.ask("POST", "/graphs/hot/submit", {"job": "other"}, idempotency_key="k")) == (409, "idempotency_key")


def test_a_submission_that_comes_again_is_the_same_job_though_its_graph_and_deployment_were_removed(service: Service) -> None:
    save(service, graph())
    save(service, TWO_HOSTS, "two", kinds="deployments")
    assert service.engine.alive()
    made = service.ask("POST", "/graphs/hot/submit", {"deployment": "two"}, idempotency_key="k")
    for kinds in ("graphs/hot", "deployments/two"):
        assert service.ask("DELETE", f"/{kinds}").status_code == 204
    again = service.ask("POST", "/graphs/hot/submit", {"deployment": "two"}, idempotency_key="k")
    assert (made.status_code, again.status_code, again.headers["location"]) == (202, 200, made.headers["location"])
    assert rule(service.ask("POST", "/graphs/hot/submit", {}, idempotency_key="k")) == (409, "idempotency_key")
    assert service.ask("POST", "/graphs/hot/submit", {}, idempotency_key="other").status_code == 404


def test_what_is_kept_is_there_after_the_service_and_so_is_what_was_put_into_the_folder(serve: Callable[..., Service]) -> None:
    service = serve()
    save(service, graph(), comment="kept")
    assert service.engine.alive()
    service.ask("POST", "/graphs/hot/submit", {})
    service.until("numbers", "running")
    service.kill()
    folder = service.folder / "graphs/hot"
    (folder / "7").mkdir()
    (folder / "7/graph.json").write_text('{"by": "git"}\n')
    (folder / ".8.making").mkdir()
    (folder.parent / ".cold.removed").mkdir()
    (folder.parent / ".git").mkdir()
    back = serve()
    assert not (folder / ".8.making").exists()
    assert [each.name for each in folder.parent.iterdir() if each.name.startswith(".")] == [".git"]
    assert back.ask("GET", "/jobs/numbers").json()["saved"]["revision"] == 1
    told = back.ask("GET", "/graphs/hot/revisions").json()["saves"]
    assert [(each["revision"], each["who"], each["comment"]) for each in told] == [(1, "operate1", "kept"), (7, "", "")]
    assert back.ask("GET", "/graphs/hot").json()["text"] == '{"by": "git"}\n'
    assert [each["name"] for each in back.ask("GET", "/graphs").json()["saves"]] == ["hot"]
    (folder / "7/revision.json").write_text("[")
    assert rule(back.ask("GET", "/graphs/hot")) == (422, "revision")
    assert back.ask("DELETE", "/graphs/hot").status_code == 204
    assert not folder.exists()


def test_one_that_cannot_be_read_hides_no_other(service: Service) -> None:
    save(service, graph(), "cold")
    save(service, graph())
    folder = service.folder / "graphs/hot"
    for number, file, text in ((2, "revision.json", '{"at_ms": Infinity}'), (3, "parts.json", '{"p": {"text": 5}}')):
        (folder / str(number)).mkdir()
        (folder / str(number) / "graph.json").write_text("{}")
        (folder / str(number) / file).write_text(text)
    found = service.ask("GET", "/graphs").json()["saves"]
    assert [(each["name"], each["revision"]) for each in found] == [("cold", 1), ("hot", 3)]
    assert [each["name"] for each in service.ask("GET", "/graphs?find=format").json()["saves"]] == ["cold"]
    told = service.ask("GET", "/graphs/hot/revisions").json()["saves"]
    assert [each["revision"] for each in told] == [1, 2, 3]
    assert "revision 2 of the graph hot cannot be read" in told[1]["comment"]
    assert rule(service.ask("GET", "/graphs/hot?revision=2")) == (422, "revision")


def test_one_that_goes_at_this_moment_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Specs(tmp_path, "graph")
    kept.save("a", "{}", "ann")
    monkeypatch.setattr(Specs, "_numbers", lambda *_: [1, 2])
    assert [each.revision for each in kept.history("a")] == [1]
    assert kept.find().saves == []
    with pytest.raises(MissingError, match="was removed meanwhile"):
        kept.one("a")


def test_what_git_brings_while_one_saves_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Specs(tmp_path, "graph")
    kept.save("a", "{}", "ann")
    brought = tmp_path / "graphs/a/2/graph.json"
    sync = durable.sync

    def bring(path: Path) -> None:
        brought.parent.mkdir(exist_ok=True)
        brought.write_text('{"by": "git"}')
        sync(path)
    monkeypatch.setattr(durable, "sync", bring)
    with pytest.raises(StaleError, match="revision 2 of the graph a has come into the folder meanwhile"):
        kept.save("a", '{"by": "ann"}', "ann", over=frozenset({1}))
    assert kept.one("a").text == '{"by": "git"}'
    assert sorted(each.name for each in brought.parents[1].iterdir()) == ["1", "2"]


def test_a_text_is_kept_with_its_line_ends(service: Service) -> None:
    text = '{\r\n  "name": "hot"\r\n}\r\n'
    save(service, text)
    assert service.ask("GET", "/graphs/hot").json()["text"] == text
    assert save(service, text, if_match='"1"').status_code == 200, "it is that of the newest"


@pytest.mark.parametrize("text", ["no JSON", '{"operators": []}', "{\n"])
def test_what_is_no_graph_is_compared_by_its_lines(service: Service, text: str) -> None:
    save(service, graph())
    folder = service.folder / "graphs/hot/2"
    folder.mkdir()
    (folder / "graph.json").write_text(text)
    found = service.ask("GET", "/graphs/hot/difference")
    assert (found.status_code, found.json()["operators"]) == (200, [])
    assert found.json()["text"].startswith("--- hot@1\n+++ hot@2\n")


def test_files_of_parts_are_kept_beside_the_text_and_come_back_with_it(service: Service) -> None:
    text = json.dumps({"parts": {"p": {"type": "file", "path": "p.json"}}})
    sent = text + "\x1e" + json.dumps({"p.json": {"text": '{"a": 1}'}})
    save(service, sent)
    folder = service.folder / "graphs/hot/1"
    assert (folder / "graph.json").read_text() == text
    assert json.loads((folder / "parts.json").read_text()) == {"p.json": {"text": '{"a": 1}'}}
    assert service.ask("GET", "/graphs/hot").json()["text"] == sent
    assert save(service, sent.replace(": ", ":"), if_match="*").json()["revision"] == 2, "the text itself is another"
    other = text + "\x1e" + json.dumps({"p.json": {"text": '{"a": 2}'}})
    save(service, other, if_match="*")
    assert "-{\"a\": 1}\n+{\"a\": 2}\n" in service.ask("GET", "/graphs/hot/difference?before=1").json()["text"]


def test_old_revisions_go_and_names_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs, "KEPT_REVISIONS", 2)
    monkeypatch.setattr(specs, "MOST_NAMES", 1)
    kept = Specs(tmp_path, "graph")
    for number in range(4):
        kept.save("a", f'{{"n": {number}}}', "ann", over=specs.ANY if number else None)
    assert [each.revision for each in kept.history("a")] == [3, 4]
    with pytest.raises(RefusedError, match="1 graphs are kept"):
        kept.save("b", "{}", "ann")


def test_wherever_a_disk_fails_a_revision_is_there_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                                            ) -> None:
    kept = Specs(tmp_path, "graph")
    kept.save("a", "{}", "ann")
    left = 0

    def taken(real: Callable[..., None]) -> Callable[..., None]:
        def write(*given: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(28, "No space left on device")
            real(*given)
        return write
    for name in ("write_new", "sync"):
        monkeypatch.setattr(durable, name, taken(getattr(durable, name)))
    failed = 0
    for point in range(20):
        left = point
        try:
            kept.save("a", '{"a": 1}', "ann", over=specs.ANY)
        except OSError:
            failed += 1
            assert [each.revision for each in kept.history("a")] == [1]
            continue
        break
    assert failed > 3
    assert [each.revision for each in kept.history("a")] == [1, 2]


def test_the_command_saves_finds_compares_and_submits(service: Service, url: str, despina: Call, tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert despina("context", "add", "here", url)[0] == 0
    file = tmp_path / "hot.graph.json"
    file.write_text(graph())
    assert service.engine.alive()
    assert despina("graph", "list")[1] == "no graphs\n"
    assert despina("graph", "save", "hot", file, "-m", "begins")[1] == "hot: revision 1\n"
    file.write_text(graph(a={"type": "relay"}))
    code, _, told = despina("graph", "save", "hot", file)
    assert (code, "--over 1" in told) == (2, True)
    assert despina("graph", "save", "hot", file, "--over", "1")[1] == "hot: revision 2\n"
    assert despina("graph", "list", "relay")[1].splitlines()[1].split()[:2] == ["hot", "2"]
    assert "begins" in despina("graph", "history", "hot")[1]
    assert json.loads(despina("graph", "show", "hot")[1]) == json.loads(file.read_text())
    assert json.loads(despina("graph", "show", "hot", "--revision", "1", "--json")[1])["comment"] == "begins"
    assert '+    "a": {' in (changed := despina("graph", "diff", "hot")[1])
    assert "a         new" in changed
    file.write_text(TWO_HOSTS)
    assert despina("deployment", "save", "two", file)[1] == "two: revision 1\n"
    told = despina("graph", "submit", "hot", "--revision", "1", "--name", "j", "--deployment", "two@1", "--label", "line=1")[1]
    assert told == "j: submitted from revision 1, run 1\n"
    job = service.until("j", "running")
    assert (job["saved"]["deployment"], job["labels"]) == ("two", {"line": "1"})
    assert "\ngraph hot@1, deployment two@1\n" in despina("status", "j")[1]
    assert "no number" not in despina("graph", "submit", "hot", "--deployment", "two@x")[2]
    assert despina("graph", "submit", "hot", "--deployment", "two@x")[0] == 2
    again = ("graph", "submit", "hot", "--name", "keyed", "--key", "k")
    assert despina(*again)[1] == "keyed: submitted from revision 2, run 1\n"
    assert despina("graph", "save", "hot", tmp_path / "hot.graph.json", "--over", "2")[0] == 0
    assert despina(*again)[1] == "keyed: submitted from revision 2, run 1\n"
    assert despina("graph", "remove", "hot")[0] == 0
    assert despina(*again)[1] == "keyed: submitted from revision 2, run 1\n"
    assert "that of the job keyed" in despina("graph", "submit", "hot", "--key", "k")[2]
    assert "there is no graph 'hot'" in despina("graph", "submit", "hot", "--key", "other")[2]
    assert despina("deployment", "remove", "two")[1] == "two: removed\n"
    assert json.loads(despina("deployment", "list", "--json")[1])["saves"] == []


def test_python_saves_finds_compares_and_submits(service: Service, url: str, tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESPINA_TOKEN", service.secrets["admin"])
    monkeypatch.chdir(tmp_path)
    assert service.engine.alive()
    plant = package.service(url)
    assert plant.graphs.save("hot", Graph(graph(), "g.json"), "begins").revision == 1
    assert plant.graphs.save("hot", graph(a={}), over=1).revision == 2
    with pytest.raises(RefusedError, match="newest revision of the graph hot is 2"):
        plant.graphs.save("hot", graph(b={}), over=1)
    assert [each.comment for each in plant.graphs.history("hot")] == ["begins", ""]
    assert plant.graphs["hot"].graph.to_dict()["operators"] == {"a": {}}
    assert plant.graphs.at("hot", 1).graph.file == "hot@1"
    assert [each.name for each in plant.graphs.find("numbers")] == ["hot"]
    assert plant.graphs.difference("hot").startswith("--- hot@1\n")
    plant.deployments.save("two", TWO_HOSTS)
    job = plant.submit_saved("hot", 1, Wanted(job="j", deployment="two"))
    assert service.until("j", "running")["saved"]["revision"] == 1
    job.stop()
    plant.graphs.remove("hot")
    with pytest.raises(RefusedError, match="there is no graph"):
        plant.graphs["hot"]


def test_the_folder_may_be_copied(serve: Callable[..., Service], tmp_path: Path) -> None:
    service = serve()
    save(service, graph(), comment="kept")
    copied = shutil.copytree(service.folder / "graphs", tmp_path / "elsewhere/graphs")
    assert copied.stat().st_mode & 0o077 == 0
    assert Specs(tmp_path / "elsewhere", "graph").one("hot").save.comment == "kept"
