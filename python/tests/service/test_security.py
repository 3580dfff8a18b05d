"""Who may do what, and what no route should see."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from despina.errors import RefusedError, StartError
from despina.service.guard import Limits, Rates
from despina.service.server import ServeOptions, serve
from despina.service.tokens import Tokens, read_secret
from support.service import Service, app, graph

ROUTES = [(method, path) for path, methods in app.openapi()["paths"].items() for method in methods
          if path.startswith("/api/v1")]
Serve = Callable[..., Service]


def rule(answer: Any) -> str:
    return str(answer.json()["diagnostics"][0]["rule"])


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_wants_a_token(service: Service, method: str, path: str) -> None:
    answer = service.client.request(method, path.replace("{name}", "numbers"))
    assert (answer.status_code, rule(answer)) == (401, "token")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer x", "Bearer despina_", "Basic YWRtaW46YWRtaW4=", "Bearer é"])
def test_what_is_no_token_is_refused(service: Service, given: str) -> None:
    answer = service.client.get("/api/v1/jobs", headers={b"authorization": given.encode()})
    assert answer.status_code == 401


def test_a_role_may_what_those_below_it_may_and_no_more(service: Service) -> None:
    service.submit()
    service.engine.become("done")
    service.until("numbers", "done")
    asked = [("GET", "/jobs/numbers", None), ("POST", "/jobs/numbers/start", {"from_start": True}),
             ("DELETE", "/jobs/other", None)]
    found = {role: [service.ask(method, path, body, role=role).status_code for method, path, body in asked]
             for role in ("view", "operate", "admin")}
    assert found["view"] == [200, 403, 403]
    assert found["operate"] == [200, 202, 403]
    assert found["admin"] == [200, 409, 404]


def test_a_token_that_is_taken_back_counts_no_more_at_once(service: Service) -> None:
    assert service.ask("GET", "/jobs", role="view").status_code == 200
    Tokens(service.folder / "tokens.json").remove("view0")      # as another process does
    assert service.ask("GET", "/jobs", role="view").status_code == 401
    assert service.ask("GET", "/jobs", role="operate").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7600", "127.0.0.1", "127.0.0.1:7601", "",
                                  "127.0.0.1:7600.evil.example"])
def test_another_host_is_refused_before_the_token_is_looked_at(service: Service, host: str) -> None:
    answer = service.ask("GET", "/jobs", host=host)
    assert (answer.status_code, rule(answer)) == (421, "host")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:7601", "file://", "127.0.0.1:7600"])
def test_a_page_of_another_site_is_refused(service: Service, origin: str) -> None:
    answer = service.ask("POST", "/jobs", {"graph": graph()}, origin=origin)
    assert (answer.status_code, rule(answer)) == (403, "origin")
    assert service.ask("POST", "/jobs", {"graph": graph()}, sec_fetch_site="cross-site").status_code == 403
    assert not service.jobs.all()


def test_a_page_of_its_own_is_answered(service: Service) -> None:
    assert service.ask("GET", "/jobs", origin="http://127.0.0.1:7600").status_code == 200


@pytest.mark.parametrize("query", ["token=x", "access_token=x", "Token=x", "run=1&token=", "%74oken=x"])
def test_a_token_in_a_query_is_refused(service: Service, query: str) -> None:
    answer = service.ask("GET", f"/jobs?{query}")
    assert (answer.status_code, rule(answer)) == (400, "query")


def test_a_body_that_is_too_large_is_refused_told_or_not(serve: Serve) -> None:
    service = serve(limits=Limits(body_bytes=1000))
    told = service.ask("POST", "/jobs", {"graph": "x" * 2000})
    assert (told.status_code, rule(told)) == (413, "body")
    headers = {"authorization": f"Bearer {service.secrets['admin']}", "content-type": "application/json"}
    untold = service.client.post("/api/v1/jobs", content=iter([b"x" * 600, b"x" * 600]), headers=headers)
    assert untold.status_code == 413
    lies = service.ask("GET", "/jobs", content_length="-1")
    assert lies.status_code == 413


def test_more_requests_than_may_be_are_told_when_to_come_again(serve: Serve) -> None:
    service = serve(limits=Limits(requests_per_s=3))
    answers = [service.client.get("/health/live") for _ in range(50)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert refused[0].headers["retry-after"] == "1"


def test_requests_come_again_with_time_and_each_address_has_its_own() -> None:
    now = [0.0]
    rates = Rates(2, lambda: now[0])
    assert [rates.take("a") for _ in range(3)] == [True, True, False]
    assert rates.take("b")
    now[0] = 0.5
    assert [rates.take("a") for _ in range(2)] == [True, False]
    for number in range(Rates.MOST + 10):
        rates.take(str(number))
    assert len(rates._left) == Rates.MOST


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "a" * 65, "", "a\nb", "%2e%2e"])
def test_a_name_that_is_a_path_is_refused(service: Service, name: str) -> None:
    answer = service.ask("POST", "/jobs", {"graph": graph(), "name": name})
    assert (answer.status_code, rule(answer)) == (422, "request")
    assert answer.json()["diagnostics"][0]["pointer"] == "/name"


def test_a_field_that_is_not_known_is_refused(service: Service) -> None:
    answer = service.ask("POST", "/jobs", {"graph": graph(), "secret_file": "/etc/passwd"})
    assert (answer.status_code, answer.json()["diagnostics"][0]["pointer"]) == (422, "/secret_file")


def test_answers_are_not_kept_and_not_taken_for_pages(service: Service) -> None:
    for answer in (service.ask("GET", "/jobs"), service.client.get("/nothing"), service.ask("GET", "/jobs", host="evil.example")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_secrets_are_in_no_file_and_in_no_answer(service: Service) -> None:
    service.submit(labels={"line": "1"}, parameters={"password": "hunter2"})
    service.engine.become("failed", rule="job", message="no")
    service.until("numbers", "failed")
    for secret in service.secrets.values():
        assert not [file for file in service.folder.rglob("*") if file.is_file() and secret in file.read_text()]
    answers = [service.ask("GET", path).text for path in ("/jobs", "/jobs/numbers", "/jobs/numbers/log", "/jobs/numbers/errors")]
    assert not any("hunter2" in answer for answer in answers)


def test_files_are_the_users_own(service: Service) -> None:
    service.submit()
    modes = {file.name: file.stat().st_mode & 0o077 for file in (service.folder, *service.folder.rglob("*"))}
    assert {name for name, mode in modes.items() if mode} == set()


def test_a_file_of_tokens_that_others_may_read_is_refused(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    text = tokens.add("a", "view")
    assert tokens.of(text) == tokens.listed()[0]
    (tmp_path / "tokens.json").chmod(0o644)
    with pytest.raises(RefusedError, match="others on this machine"):
        Tokens(tmp_path / "tokens.json").of(text)
    kept = tmp_path / "kept"
    kept.write_text(text)
    kept.chmod(0o640)
    with pytest.raises(RefusedError, match="others on this machine"):
        read_secret(kept)
    kept.chmod(0o600)
    assert read_secret(kept) == text


def test_a_file_that_root_makes_is_the_folders_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, int, int]] = []

    def chown(path: Path, user: int, group: int, follow_symlinks: bool) -> None:
        assert not follow_symlinks
        given.append((path.name, user, group))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    (tmp_path / ".tokens.json.partial").symlink_to(tmp_path / "other")
    Tokens(tmp_path / "tokens.json").add("a", "view")
    assert given == [(".tokens.json.partial", tmp_path.stat().st_uid, tmp_path.stat().st_gid)]
    assert not (tmp_path / "other").exists(), "a link that waits there is not followed"


def test_a_file_of_tokens_that_cannot_be_read_is_told_in_words(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", denied)
        (service.folder / "tokens.json").touch()        # it is another one now
        answer = service.ask("GET", "/jobs")
    assert (answer.status_code, rule(answer)) == (503, "tokens")
    assert "sudo -u despina" in answer.json()["diagnostics"][0]["hint"]
    assert service.ask("GET", "/jobs").status_code == 200


def test_a_first_token_is_in_its_file_before_it_counts(tmp_path: Path) -> None:
    def full(text: str) -> None:
        raise OSError(28, f"full, no room for {len(text)}")
    tokens = Tokens(tmp_path / "tokens.json")
    with pytest.raises(OSError, match="full"):
        tokens.add("admin", "admin", full)
    assert tokens.listed() == ()
    kept: list[str] = []
    assert tokens.add("admin", "admin", kept.append) == kept[0]


def test_tokens_are_kept_as_hashes_and_have_names_of_their_own(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    text = tokens.add("a", "operate")
    assert text not in (tmp_path / "tokens.json").read_text()
    for name in ("a", "", "../a"):
        with pytest.raises(RefusedError):
            tokens.add(name, "view")
    with pytest.raises(RefusedError, match="no token 'b'"):
        tokens.remove("b")
    (tmp_path / "tokens.json").write_text(json.dumps({"tokens": [{"name": "x"}]}))
    with pytest.raises(RefusedError, match="no file of tokens"):
        tokens.listed()


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "plant.example:0"])
def test_others_reach_it_only_with_tls_and_tokens(tmp_path: Path, listen: str) -> None:
    cases: list[tuple[dict[str, Any], str]] = [({}, "--tls FOLDER and --tokens FILE"), ({"tls": tmp_path}, "--tokens FILE"),
                                               ({"tokens": tmp_path / "t"}, "--tls FOLDER")]
    for given, missing in cases:
        with pytest.raises(RefusedError, match=f"not given: {missing}"):
            serve(ServeOptions(tmp_path, listen, **given))


def test_tls_wants_its_files_and_a_key_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"no certificate\.pem"):
        serve(ServeOptions(tmp_path, "127.0.0.1:0", tls=tmp_path))
    for name in ("certificate.pem", "key.pem"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o644)
    with pytest.raises(RefusedError, match="others on this machine may read or write the key"):
        serve(ServeOptions(tmp_path, "127.0.0.1:0", tls=tmp_path))


def test_a_service_says_which_folder_and_port_are_taken(service: Service, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"the service at http://127\.0\.0\.1:7600"):
        serve(ServeOptions(service.folder, "127.0.0.1:0"))
    import socket
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(StartError, match="cannot be listened at"):
        serve(ServeOptions(tmp_path / "other", f"127.0.0.1:{taken.getsockname()[1]}"))
    with pytest.raises(RefusedError, match="is not HOST:PORT"):
        serve(ServeOptions(tmp_path / "other", "7600"))
