"""``despina serve`` as a process, and the commands that ask it."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import despina
from despina import Graph, cli
from despina.service.client import Client
from support import service_kills
from support.every import EVERY, in_every
from support.processes import Ended, commands, until
from support.service_homes import Home
from support.service_kills import CHILD, COORDINATOR, SERVICE

Call = Callable[..., Ended]
FAST = {"type": "select", "select": ["id AS n"]}


def graph(folder: Path, name: str, *, count: int | None = None, sink: Any = None, **source: Any) -> Path:
    """Numbers, without end if no count is given."""
    ends = {} if count is None else {"count": count}
    operators = {"source": {"type": "generator_source", "rows": FAST, "rate_per_s": 2000, **ends, **source},
                 "sink": sink or {"type": "discard_sink"}}
    file = folder / f"{name}.graph.json"
    file.write_text(json.dumps({"format": 1, "name": name, "operators": operators, "links": [{"from": "source", "to": "sink"}]}))
    return file


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One service for all tests of the module."""
    folder = tmp_path_factory.mktemp("service")
    starts = commands(folder)
    made = Home(next(starts), folder / "home")
    yield made
    made.command.signal(signal.SIGTERM)
    assert made.command.end().code == 0
    with pytest.raises(StopIteration):
        next(starts)        # nothing may be left


@pytest.fixture
def call(home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """A command that asks the service, in this process."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Ended:
        capfd.readouterr()
        code = cli.invoke([str(argument) for argument in arguments])
        return Ended(code, *capfd.readouterr())
    assert run("context", "add", "here", home.url, "--token-file", home.folder / "admin.token").code == 0
    return run


def test_commands_from_submit_to_remove(home: Home, call: Call, tmp_path: Path) -> None:
    assert call("submit", graph(tmp_path, "walk"), "--label", "line=1").out == "walk: submitted, run 1\n"
    home.until("walk", "running")
    until(lambda: home.packets("walk"), "packets")
    pid = home.client.job("walk")["status"]["resources"]["walk_1"]["pid"]
    assert pid in home.command.jvms("ResourceMain")
    assert re.search(r"^walk +1 +running +\d+ s +[\d,]+ +[\d,]+ +0$", call("list", "--label", "line=1").out, re.MULTILINE)
    shown = call("status", "walk").out
    assert shown.startswith("walk: running, run 1\n")
    assert re.search(r"^sink +[\d,]+", shown, re.MULTILINE)
    told = call("control", "walk", "flush", "sink")
    assert (told.code, told.out.startswith("sink[0]: ")) == (0, True), told
    assert "error[command]" in call("control", "walk", "flash").err
    assert "409" not in (refused := call("submit", tmp_path / "walk.graph.json")).err
    assert (refused.code, "a job walk is running" in refused.err) == (2, True)
    assert call("stop", "walk").out == "walk: is stopped, run 1\n"
    home.until("walk", "stopped")
    assert "the job walk is stopped" in call("control", "walk", "flush").err
    done = home.packets("walk")
    assert call("start", "walk").out == "walk: started, run 1\n"
    home.until("walk", "running")
    until(lambda: home.packets("walk"), "packets again")
    assert json.loads(call("stop", "walk", "--mode", "now", "--json").out)["name"] == "walk"
    home.until("walk", "stopped")
    assert done > 0
    assert "stop: drain" in call("logs", "walk", "-f").out
    assert call("errors", "walk").out == "no errors\n"
    assert call("remove", "walk").out == "walk: removed\n"
    assert json.loads(call("list", "--json").out)["diagnostics"] == []
    assert not (home.folder / "jobs/walk/1").exists()


def test_run_on_a_service_watches_to_the_end_and_has_the_exit_code(home: Home, call: Call, tmp_path: Path) -> None:
    ran = call("run", "--service", "here", graph(tmp_path, "ends", count=100, sink={"type": "console_sink"}), "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["operators"]["sink"]["packets_in"] == 100
    assert sum(line["source"] == "console" for line in home.client.lines("log", "ends")) >= 100
    broken = graph(tmp_path, "breaks", rows={"type": "select", "select": ["1 DIV (5 - id) AS n"]})
    failed = call("run", "--service", "here", broken, "--quiet")
    assert (failed.code, "Division by zero" in failed.err) == (1, True)
    *attempts, error = json.loads(call("errors", "breaks", "--json").out)["errors"]
    assert error["operator"] == "source"
    numbers = [each["attempt"] for each in attempts]        # one that fails at once, between two looks, leaves none
    assert numbers == sorted(set(numbers))
    refused = call("run", "--service", "here", broken, "--state", "s")
    assert (refused.code, "--state" in refused.err) == (2, True)


def test_a_graph_that_is_wrong_is_refused_at_its_lines(call: Call, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.graph.json"
    wrong.write_text('{"format": 1, "name": "wrong",\n "operators": {"a": {"type": "relya"}}, "links": []}')
    refused = call("submit", wrong)
    assert refused.code == 2
    assert refused.err.startswith(f"{wrong}:2:")


def test_what_lies_beside_a_graph_goes_with_it_and_outputs_are_in_the_jobs_folder(home: Home, call: Call, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("id,name\n0,zero\n1,one\n")
    (tmp_path / "served_functions.py").write_text("def loud(name):\n    return name.upper()\n")
    file = tmp_path / "named.graph.json"
    file.write_text(json.dumps({"format": 1, "name": "named", "operators": {
        "source": {"type": "generator_source", "count": 4, "rows": {"type": "select", "select": ["id % 2 AS n"]}},
        "names": {"type": "lookup", "key": {"id": "n"}, "select": ["n", "name"], "from": {
            "type": "file", "path": "names.csv", "format": "csv", "schema": "id BIGINT,name STRING",
            "options": {"header": "true"}}},
        "loud": {"type": "python", "function": "served_functions:loud", "adds": "loud STRING"},
        "sink": {"type": "file_sink", "path": "out", "format": "csv"}},
        "links": [{"from": "source", "to": "names"}, {"from": "names", "to": "loud"}, {"from": "loud", "to": "sink"}]}))
    ran = call("run", "--service", "here", file, "--quiet")
    assert ran.code == 0, ran.err
    out = home.folder / "jobs/named/1/files/out"
    assert sorted(line for part in out.glob("part-*") for line in part.read_text().split())[:1] == ["0,zero,ZERO"]
    (tmp_path / "served_functions.py").rename(tmp_path / "other.py")
    file.write_text(file.read_text().replace("served_functions:", "other:"))
    refused = call("submit", file, "--name", "other")
    assert (refused.code, "other" in refused.err, "--allow-python" in refused.err) == (2, True, True)
    assert call("submit", graph(tmp_path, "reads", sink={"type": "file_sink", "path": "/etc/x", "format": "csv"})).code == 2


def test_tests_run_on_what_is_sent_in_a_process_that_leaves_nothing(home: Home, call: Call, tmp_path: Path) -> None:
    file = tmp_path / "tried.graph.json"
    file.write_text(json.dumps({"format": 1, "name": "tried", "operators": {
        "source": {"type": "file_source", "path": "in", "format": "csv", "schema": "n BIGINT"},
        "twice": {"type": "project", "select": ["n * 2 AS n"]}, "sink": {"type": "file_sink", "path": "out", "format": "csv"}},
        "links": [{"from": "source", "to": "twice"}, {"from": "twice", "to": "sink"}]}))
    (tmp_path / "tried.test.json").write_text(json.dumps({"graph": file.name, "cases": [
        {"name": "doubles", "inputs": {"source": [{"n": 2}]}, "expect": {"sink": [{"n": 4}]}},
        {"name": "fails", "inputs": {"source": [{"n": 2}]}, "expect": {"sink": [{"n": 5}]}}]}))
    assert call("graph", "save", "tried", file).code == 0
    asks = Client(home.url, home.token(), timeout_s=150.0)      # it starts a JVM
    told = asks.ask("POST", "/test", {"graph": asks.ask("GET", "/graphs/tried")["text"], "file": "tried"})
    assert [(each["name"], each["ok"], each["diagnostics"]) for each in told["cases"]] == [
        ("doubles", True, []), ("fails", False, [])]
    assert told["cases"][1]["differences"][0]["rows"] == ['- {"n": 5}', '+ {"n": 4}']
    assert "operator.filter" in asks.ask("GET", "/schema")["$defs"], "what the editor completes"
    assert list((home.folder / "staging").iterdir()) == []


def test_another_graph_goes_on_where_the_one_before_ended(home: Home, call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sink = {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 300}
    content = json.loads(graph(tmp_path, "grows", sink=sink).read_text())
    file = tmp_path / "grows.graph.json"
    assert call("submit", file).code == 0
    until(lambda: (home.client.job("grows")["status"] or {}).get("epoch", {}).get("complete", 0) >= 1, "epoch")
    shown = call("tail", "grows", "sink", "-n", "3").out.splitlines()
    assert [list(json.loads(row)) for row in shown] == [["n"]] * 3
    content["operators"]["passed"] = {"type": "filter", "where": "n >= 0"}
    content["links"] = [{"from": "source", "to": "passed"}, {"from": "passed", "to": "sink"}]
    file.write_text(json.dumps(content))
    fates = json.loads(call("upgrade", "grows", file, "--dry-run", "--json").out)
    assert fates["from_state"].startswith("epoch ")
    assert {each["operator"]: (each["change"], each["state"]) for each in fates["operators"]} == {
        "source": ("kept", "kept"), "passed": ("new", "new"), "sink": ("kept", "kept")}
    ran = call("upgrade", "grows", file, "--watch", "0.1s")
    assert (ran.code, ran.out) == (0, "grows: is upgraded, run 2\n"), ran
    counted = home.packets("grows")
    until(lambda: home.packets("grows") > counted, "packets of the new graph")
    home.client.stop("grows")
    assert home.until("grows", "stopped")["run"] == 2
    rows = [int(line) for part in sorted(out.glob("part-*")) for line in part.read_text().split() if line.isdigit()]
    assert sorted(rows) == list(range(len(rows)))
    assert len(rows) > counted


@in_every
def test_python_has_each_row_once_though_the_coordinator_is_killed(home: Home, call: Call, tmp_path: Path) -> None:
    assert call("list").code == 0       # for its context
    fields = {"type": "generator_source", "rows": FAST, "rate_per_s": 4000, "count": 16_000}
    numbers = Graph(json.dumps({"format": 1, "name": "taken", "links": [{"from": "source", "to": "rows"}], "operators": {
        "source": fields, "rows": {"type": "collect_sink"}}}), "taken.json")
    job = despina.service("here").submit(numbers)
    got: list[int] = []
    killed = False
    for rows in job.batches(timeout_s=1.0):
        got += [row["n"] for row in rows]
        if len(got) > 100 and not killed:
            killed = True
            for pid in home.command.jvms("GatewayMain"):
                os.kill(pid, signal.SIGKILL)
    assert killed
    assert sorted(got) == list(range(16_000))
    assert home.client.job("taken")["starts"] == 2


def test_python_gives_rows_and_gets_them_back(home: Home, call: Call) -> None:
    assert call("list").code == 0
    echo = Graph(json.dumps({"format": 1, "name": "echo", "links": [{"from": "source", "to": "rows"}], "operators": {
        "source": {"type": "generator_source", "rows": FAST, "count": 1}, "rows": {"type": "collect_sink"}}}), "echo.json")
    with echo.run(service="here", inputs={"source": [{"n": k} for k in range(5000)]}) as job:
        assert [row["n"] for row in job.rows()] == list(range(5000))
    assert home.until("echo", "done")["run"] == 1


@pytest.mark.parametrize("number", range(20 if EVERY else 1))
def test_whatever_is_killed_each_job_has_each_row_once(home: Home, tmp_path: Path, number: int) -> None:
    found = service_kills.wave(home, tmp_path, f"ci-{number}", (CHILD, COORDINATOR, SERVICE))
    assert (found.wrong, found.kills.total()) == ([], 3)


def test_jobs_that_share_a_process_go_on_together_when_it_is_killed(home: Home, call: Call, tmp_path: Path) -> None:
    def process(name: str) -> int:
        found = home.client.job(name)["status"] or {}
        return int(found["resources"].get("shared", {"pid": 0})["pid"]) if home.packets(name) else 0
    for name in ("left", "right"):
        assert call("submit", graph(tmp_path, name), "--isolation", "shared").code == 0
    pid = until(lambda: process("left"), "packets")
    assert until(lambda: process("right"), "packets of the other") == pid
    assert "in the process that jobs share" in call("status", "left").out
    broken = graph(tmp_path, "broken", rows={"type": "select", "select": ["1 DIV (5 - id) AS n"]})
    assert call("submit", broken, "--isolation", "shared").code == 0
    home.until("broken", "failed")
    assert (process("left"), process("right")) == (pid, pid)
    os.kill(pid, signal.SIGKILL)
    after = until(lambda: (found := process("left")) not in (0, pid) and found, "process that was started again")
    assert until(lambda: (found := process("right")) not in (0, pid) and found, "the same for the other") == after
    for name in ("left", "right"):
        home.client.stop(name, "now")
        home.until(name, "stopped")
