"""Sources that ask a web API: each record once, though pages shift, tokens end, streams break and a process is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.conftest import Call, Start
from support.graphs import Fields, chain, write
from support.web import Web, numbers, running

TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"polled": ["near"], "streamed": ["near"], "*": ["far"]}}


@pytest.fixture
def web() -> Iterator[Web]:
    with running() as made:
        yield made


def test_each_record_comes_once_though_the_process_that_asks_is_killed(start: Start, web: Web, tmp_path: Path) -> None:
    def sink(name: str) -> Fields:
        return {"type": "file_sink", "path": str(tmp_path / name), "format": "json", "roll_every_ms": 50}

    graph: Fields = {"format": 1, "name": "asked", "settings": {"guarantee": "exactly_once"},
                     "operators": {"polled": web.polled(), "streamed": web.streamed(), "a": sink("a"), "b": sink("b")},
                     "links": [{"from": "polled", "to": "a"}, {"from": "streamed", "to": "b"}]}

    def shown(name: str) -> list[int]:
        return numbers("".join(part.read_text() for part in (tmp_path / name).glob("part-*")))

    web.grow(60)
    run = start("run", write(tmp_path / "g.json", graph), "--state", tmp_path / "state", "--epoch-ms", "50", "--deployment",
                write(tmp_path / "two.json", TWO), WEB_SECRET="hidden-one")
    for _ in range(2):
        run.until(lambda: len(shown("a")) >= web.count and len(shown("b")) >= web.count, "every record")
        os.kill(run.jvms("ResourceMain")[0], signal.SIGKILL)
        web.grow(60)
    run.until(lambda: len(shown("a")) >= web.count and len(shown("b")) >= web.count, "every record")
    run.interrupt(0)
    assert shown("a") == list(range(1, web.count + 1)), run.err()
    assert shown("b") == list(range(1, web.count + 1)), run.err()
    assert "hidden-one" not in run.err()
    assert web.tokens > 2


def test_what_is_refused_fails_the_job_in_words(call: Call, web: Web, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("wrong-one")
    fields = {name: value for name, value in web.polled().items() if name != "oauth2"}
    ended = call("run", write(tmp_path / "g.json", chain(("in", {**fields, "token_file": "token"}),
                                                         ("out", {"type": "discard_sink"}))))
    assert ended.code == 1
    assert f'{web.url}/items answers 401: {{"message": "the token has ended"}} (it does not take the login)' in ended.err
    assert "wrong-one" not in ended.err


def test_check_connect_asks_once(call: Call, web: Web, tmp_path: Path) -> None:
    fields = {name: value for name, value in web.polled().items() if name != "oauth2"}
    ended = call("check", write(tmp_path / "g.json", chain(("in", fields), ("out", {"type": "discard_sink"}))), "--connect")
    assert ended.code == 1
    assert "(it wants a login: see `token_env`, `user`, `oauth2` and `headers_env`)" in ended.out + ended.err
