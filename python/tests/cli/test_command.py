"""The command as its user meets it: what is typed, what is told, and the exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from despina import cli, engine
from despina.cli import check
from despina.engine import Engine
from support.every import EVERY

SOURCE = str(Path(__file__).parents[2] / "src")
INVALID = Path(__file__).parents[3] / "graphs" / "invalid"
CHILD_PROCESS = Path(__file__).parents[3] / "jvm/src/main/java/io/despina/control/process/ChildProcess.java"
Despina = Callable[..., tuple[int, str, str]]
Scripted = Callable[..., tuple[Engine, Any]]
AStatus = Callable[..., dict[str, Any]]
NUMBERS: dict[str, Any] = {
    "format": 1, "name": "numbers", "parameters": {"n": {"default": "5"}},
    "operators": {"source": {"type": "generator_source", "count": "${n}",
                             "rows": {"type": "packets", "packet_bytes": 50}},
                  "sink": {"type": "discard_sink", "verify": "all"}},
    "links": [{"from": "source", "to": "sink"}],
}


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    file = tmp_path / "numbers.graph.json"
    file.write_text(json.dumps(NUMBERS, indent=2))
    return file


def spawn(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "despina", *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SOURCE, **environment})


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


# ---- typical mistakes: nothing is started, the exit code is 2 or 3, the error says what to do

def test_the_bare_command_shows_its_help(despina: Despina) -> None:
    code, out, err = despina()
    assert (code, err) == (2, "")
    assert out.startswith("Usage: despina")


def test_bench_has_a_help_without_experiments(despina: Despina, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DESPINA_BENCHMARKS", str(tmp_path))
    monkeypatch.delitem(sys.modules, "despina.cli.bench", raising=False)
    code, out, err = despina("bench", "--help")
    assert (code, err) == (0, "")
    assert "The experiments come with a checkout of Despina" in out
    code, _, err = despina("bench", "run", "start", "--rounds", "3")
    assert (code, err.splitlines()[0]) == (3, f"error[benchmarks_missing]: no benchmarks in {tmp_path}")
    sys.modules.pop("despina.cli.bench")


def test_a_missing_file(despina: Despina, tmp_path: Path) -> None:
    code, out, err = despina("run", tmp_path / "nothing.json")
    assert (code, out) == (2, "")
    assert err == f"{tmp_path / 'nothing.json'}: error[file_missing]: no graph file here\n"


@pytest.mark.parametrize(("arguments", "words"), [
    (["run"], "Missing argument 'GRAPH'"), (["run", "g", "--durration", "3"], "--duration"),
    (["run", "g", "--duration", "0"], "--duration"), (["run", "g", "--duration", "soon"], "soon"),
    (["run", "g", "--duration", "10 sec"], "seconds as a number or with a unit: 10, 10s"),
    (["run", "g", "--duration", "-1"], "--duration"), (["run", "g", "--duration", "nan"], "--duration"),
    (["run", "g", "--warm-up-s", "1d"], "--warm-up-s"),
    (["run", "g", "--drain-ms", "long"], "milliseconds as a number or with a unit: 10, 10s"),
    (["run", "g", "--driver", "rmi"], "rmi"), (["run", "g", "--on", "moon"], "moon"),
    (["chekc", "g"], "did you mean check?"), (["draw", "g", "--format", "png"], "png"),
    (["resource", "--name", "far"], "--join"), (["fmt"], "GRAPHS"),
])
def test_a_wrong_option_is_refused_with_its_name(despina: Despina, arguments: list[str], words: str) -> None:
    code, _, err = despina(*arguments)
    assert code == 2
    assert err.startswith("error[")
    assert words in err
    assert "hint: " in err


@pytest.mark.parametrize(("option", "written", "told"), [
    ("--duration", "10", {"duration_s": 10.0}), ("--duration", "10s", {"duration_s": 10.0}),
    ("--duration", "500ms", {"duration_s": 0.5}), ("--duration", "2m", {"duration_s": 120.0}),
    ("--duration", "1.5h", {"duration_s": 5400.0}), ("--warm-up-s", "0", {"warm_up_s": 0.0}),
    ("--warm-up-s", "2m", {"warm_up_s": 120.0}), ("--drain-ms", "300", {"drain_ms": 300.0}),
    ("--drain-ms", "10s", {"drain_ms": 10000.0}), ("--spare", "2", {"spares": 2}),
])
def test_what_the_command_is_told_goes_to_the_engine(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch,
        option: str, written: str, told: dict[str, float]) -> None:
    started, driver = scripted(run=[{"job": "j1"}], **{"await": [a_status("done")]})
    monkeypatch.setattr(engine, "start", lambda driver, **_: started)
    assert despina("run", graph, "--quiet", option, written)[0] == 0
    asked = next(json.loads(call[-1]) for call in driver.asked if call[0] == "run")
    assert {name: asked.get(name) for name in told} == told


@pytest.mark.parametrize("setting", ["n", "=5", "n=1 --set n=2"])
def test_a_wrong_setting_is_refused(despina: Despina, graph: Path, setting: str) -> None:
    code, _, err = despina("run", graph, "--set", *setting.split())
    assert code == 2
    assert "--set" in err


def test_a_missing_deployment_is_told_before_a_jvm_starts(despina: Despina, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "start", lambda driver, **options: pytest.fail("started"))
    code, _, err = despina("run", graph, "--deployment", graph.parent / "d.json")
    assert (code, err) == (2, f"{graph.parent / 'd.json'}: error[file_missing]: no deployment file here\n")


def test_a_report_without_a_folder_is_told_before_a_jvm_starts(
        despina: Despina, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "start", lambda driver, **options: pytest.fail("started"))
    code, _, err = despina("run", graph, "--report", graph.parent / "no" / "r.json")
    assert code == 2
    assert f"no folder {graph.parent / 'no'}" in err


@pytest.mark.parametrize("on", ["local", "spark"])
def test_a_report_that_is_a_folder_is_told_before_anything_starts(
        despina: Despina, graph: Path, monkeypatch: pytest.MonkeyPatch, on: str) -> None:
    monkeypatch.setattr(engine, "start", lambda driver, **options: pytest.fail("started"))
    monkeypatch.setattr("despina.backends.spark.start", lambda: pytest.fail("started"))
    code, _, err = despina("run", graph, "--on", on, "--report", graph.parent)
    assert code == 2
    assert f"error[report]: {graph.parent} is a folder" in err


@pytest.mark.parametrize("option", [["--duration", "1"], ["--warm-up-s", "1"], ["--drain-ms", "1"], ["--deployment", "d.json"],
                                    ["--driver", "py4j"], ["--secret-file", "s"], ["--tls", "t"], ["--listen", "127.0.0.1"]])
def test_what_spark_decides_is_refused_before_it_starts(
        despina: Despina, graph: Path, option: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("despina.backends.spark.start", lambda: pytest.fail("started"))
    code, _, err = despina("run", graph, "--on", "spark", *option)
    assert code == 2
    assert option[0] in err


def test_errors_as_json(despina: Despina) -> None:
    code, out, err = despina("run", "nothing.json", "--json")
    assert (code, err) == (2, "")
    assert json.loads(out) == {"diagnostics": [{"rule": "file_missing", "severity": "error", "message": "no graph file here",
                                                "file": "nothing.json"}]}


def test_a_java_that_is_too_old(despina: Despina, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'java version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    code, _, err = despina("run", graph)
    assert code == 3
    assert err.startswith("error[java_too_old]: Java 17 or newer is needed, but "
                          f"JAVA_HOME={tmp_path / 'jdk'} is Java 8\n  hint: ")


def test_no_java(despina: Despina, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = despina("run", graph)
    assert code == 3
    assert "error[java_missing]: no Java found" in err
    assert "apt install openjdk-17-jre-headless" in err


@pytest.mark.parametrize("driver", ["py4j", "jpype"])
def test_another_pyspark(graph: Path, tmp_path: Path, driver: str) -> None:
    package = tmp_path / "other" / "pyspark"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "version.py").write_text('__version__ = "3.5.1"\n')
    code, _, err = end(spawn("run", graph, "--driver", driver, PYTHONPATH=f"{package.parent}{os.pathsep}{SOURCE}"))
    assert code == 3
    assert "error[spark_version]: pyspark 3.5.1 is installed" in err
    assert "pip install 'pyspark==4.3.*'" in err


# ---- commands that need no Java

def test_help_lists_every_command_without_importing_it(despina: Despina) -> None:
    code, out, _ = despina("--help")
    assert code == 0
    assert all(name in out for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(despina: Despina, name: str) -> None:
    code, out, _ = despina(name, "--help")
    assert code == 0
    assert "Usage: despina" in out


def test_the_old_name_of_spool_is_told_with_the_new_one(despina: Despina, graph: Path) -> None:
    code, _, err = despina("run", graph, "--serve", "out")
    assert code == 2
    assert "--serve is called --spool" in err
    assert "--spool out" in err
    assert "--serve" not in despina("run", "--help")[1]


def test_draw_to_a_file_chooses_by_its_name(despina: Despina, graph: Path) -> None:
    assert despina("draw", graph, "-o", graph.parent / "g.svg")[0] == 0
    assert (graph.parent / "g.svg").read_text().startswith("<svg")
    code, out, _ = despina("draw", graph)
    assert code == 0
    assert out.startswith("---\ntitle: \"numbers\"")
    assert despina("draw", graph, "-o", graph.parent / "g.mmd")[0] == 0
    assert (graph.parent / "g.mmd").read_text() == out


def test_draw_answers_and_refuses_as_json(despina: Despina, graph: Path) -> None:
    drawn = despina("draw", graph)[1]
    assert despina("draw", graph, "--json") == (0, json.dumps({"text": drawn}) + "\n", "")
    graph.write_text("[]")
    code, out, err = despina("draw", graph, "--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["diagnostics"][0]["rule"] == "draw"


def test_draw_to_a_file_of_another_kind_is_refused(despina: Despina, graph: Path) -> None:
    code, _, err = despina("draw", graph, "-o", graph.parent / "g.png")
    assert code == 2
    assert "--format" in err.split("hint: ")[1]
    assert not (graph.parent / "g.png").exists()
    assert despina("draw", graph, "-o", graph.parent / "g.png", "--format", "svg")[0] == 0


def test_a_file_that_cannot_be_written_is_told(despina: Despina, graph: Path) -> None:
    picture = graph.parent / "no" / "g.svg"
    assert despina("draw", graph, "-o", picture) == (
        2, "", f"{picture}: error[file]: No such file or directory\n  hint: check the path and its permissions\n")


def test_draw_of_broken_json_has_a_place(despina: Despina, graph: Path) -> None:
    graph.write_text('{"operators": \n}')
    code, _, err = despina("draw", graph)
    assert code == 2
    assert err.startswith(f"{graph}:2:1: error[syntax]: ")


def test_doctor_finds_everything_here(despina: Despina) -> None:
    code, out, _ = despina("doctor")
    assert code == 0
    assert "MISSING" not in out
    told = json.loads(despina("doctor", "--json")[1])
    assert told["findings"]
    assert all(finding["ok"] for finding in told["findings"])
    assert told["diagnostics"] == []


def test_doctor_exits_3_when_a_job_could_not_start(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, out, _ = despina("doctor")
    assert code == 3
    assert "MISSING java" in out


def test_version_names_all_parts(despina: Despina) -> None:
    code, out, _ = despina("version", "--json")
    assert code == 0
    assert set(json.loads(out)) == {"despina", "python", "java", "spark"}
    assert json.loads(out)["spark"].startswith("4.3.")


@pytest.mark.parametrize("join", ["far", "far:x", ":80", "far:70000"])
def test_resource_wants_host_and_port(despina: Despina, tmp_path: Path, join: str) -> None:
    (tmp_path / "secret").write_text("s")
    code, _, err = despina("resource", "--name", "far", "--join", join, "--secret-file", tmp_path / "secret")
    assert code == 2
    assert "HOST:PORT" in err


def test_a_secret_file_that_is_missing_is_the_resources_to_tell(
        despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: commands.append(command))
    despina("resource", "--name", "far", "--join", "10.0.0.1:7000", "--secret-file", tmp_path / "none")
    assert commands[0][commands[0].index("--secret-file") + 1] == str(tmp_path / "none")


def test_help_names_the_exit_codes(despina: Despina) -> None:
    assert "4 a resource lost its coordinator" in " ".join(despina("--help")[1].split())
    assert "4 if the connection to the coordinator was lost" in " ".join(despina("resource", "--help")[1].split())


@pytest.fixture
def became(despina: Despina, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The command line that `despina resource` becomes."""
    def call(*options: str | int) -> list[str]:
        (tmp_path / "secret").write_text("s")
        despina("resource", "--name", "far", "--join", "10.0.0.1:7000", "--secret-file", tmp_path / "secret", *map(str, options))
        return commands.pop()
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: commands.append(command))
    return call


def test_resource_becomes_a_jvm_of_that_memory_at_that_host(became: Callable[..., list[str]]) -> None:
    command = became("--listen", "10.0.0.2", "--memory", 1 << 30, "--cores", 3, "--tls", "certificates")
    assert command[command.index("--listen") + 1] == "10.0.0.2"
    assert command[command.index("--memory") + 1] == str(1 << 30)
    assert command[command.index("--tls") + 1] == str(Path("certificates").absolute())
    assert "-Xmx1760m" in command       # half as much again, two large packets for each thread, and 128 MB


def test_resource_has_the_options_that_the_coordinator_gives_its_children(became: Callable[..., list[str]]) -> None:
    flags = set(re.findall(r'"(-X[^"]+)"', CHILD_PROCESS.read_text())) - {"-Xshare:auto"}
    assert flags
    command = became("--memory", 1 << 30, "--cores", 3)
    assert {flag for flag in flags if not any(word.startswith(flag) for word in command)} == set()
    assert "-XX:ActiveProcessorCount=3" in command
    assert "-XX:+ExitOnOutOfMemoryError" in became()


def test_the_run_path_imports_nothing_heavy() -> None:
    script = ("import sys; from despina import cli; cli.invoke(['run', '/nothing']); import despina.job, despina.drivers.py4j;"
              "print(sorted({'pyspark', 'pandas', 'rich', 'pyarrow', 'polars', 'numpy', 'jpype'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": SOURCE})
    assert done.stdout == "[]\n"


# ---- the class archive

@pytest.mark.parametrize("quiet", [[], ["--quiet"], ["--json"]])
def test_a_command_that_started_without_a_class_archive_says_once_that_one_is_made(
        despina: Despina, graph: Path, scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch,
        quiet: list[str]) -> None:
    started = scripted(run=[{"job": "j1"}], report=[{}], **{"await": [a_status("done")]})[0]
    monkeypatch.setattr(engine, "start", lambda driver, **_: started)
    monkeypatch.setattr(engine, "stop", lambda: True)
    monkeypatch.setattr("despina.training.make_soon", lambda: True)
    code, _, err = despina("run", graph, *quiet)
    assert code == 0
    assert err.count("class archive is made in the background") == (0 if quiet else 1)


def test_a_command_that_started_no_engine_has_none_made(despina: Despina, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("despina.training.make_soon", lambda: pytest.fail("made"))
    assert despina("version")[0] == 0


# ---- with the engine

def test_run_reports_what_happened(with_engine: Despina, graph: Path) -> None:
    report = graph.parent / "run.json"
    code, out, err = with_engine("run", graph, "--set", "n=1000", "--report", report)
    assert (code, out) == (0, "")
    assert "done after" in err
    assert "sink: 1,000 in" in err
    assert json.loads(report.read_text())["operators"]["sink"]["packets_in"] == 1000


def test_quiet_says_nothing(with_engine: Despina, graph: Path) -> None:
    assert with_engine("run", graph, "--quiet") == (0, "", "")


def test_run_json_prints_the_report(with_engine: Despina, graph: Path) -> None:
    code, out, err = with_engine("run", graph, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["operators"]["source"]["packets_out"] == 5


def into(graph: Path, sink: str) -> None:
    """Numbers in rows, into that sink."""
    content = json.loads(graph.read_text())
    content["operators"]["source"]["rows"] = {"type": "select", "select": ["id AS n"]}
    content["operators"]["sink"] = {"type": sink}
    graph.write_text(json.dumps(content))


@pytest.mark.parametrize("sink", ["console_sink", "collect_sink"])
@pytest.mark.parametrize("options", [["--json"], ["--report", "-"], ["--report", "-", "--json"]])
def test_standard_output_is_the_report_alone(with_engine: Despina, graph: Path, options: list[str], sink: str) -> None:
    into(graph, sink)
    code, out, err = with_engine("run", graph, *options)
    assert code == 0
    assert json.loads(out)["operators"]["sink"]["packets_in"] == 5
    assert (sink == "console_sink" or "--json" not in options) == bool(err)


def test_quiet_still_shows_rows(with_engine: Despina, graph: Path) -> None:
    into(graph, "collect_sink")
    code, out, err = with_engine("run", graph, "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("sink: 5 rows")


WARNING = {"severity": "warning", "rule": "order", "message": "no order_by"}


@pytest.mark.parametrize("as_json", [True, False])
def test_warnings_are_told_in_the_form_that_was_asked_for(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch,
        as_json: bool) -> None:
    asked, _ = scripted(run=[{"job": "j1", "diagnostics": [WARNING]}], status=[a_status("done")], **{"await": [a_status("done")]})
    monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
    code, out, err = despina("run", graph, *(["--json"] if as_json else ["--quiet"]))
    assert code == 0
    if as_json:
        assert (json.loads(out), err) == ({"diagnostics": [WARNING]}, "")
    else:
        assert (out, err) == ("", "graph: warning[order]: no order_by\n")


@pytest.mark.parametrize(("options", "out", "err"), [
    ([], "a row\n", "checking the graph\ngraph: warning[order]: no order_by\nstarting Spark\nsink: 5 rows\n"),
    (["--quiet"], "a row\n", "graph: warning[order]: no order_by\n"),
    (["--json"], json.dumps({"operators": {"sink": {"packets_in": 5}}, "diagnostics": [
        {"rule": "order", "severity": "warning", "message": "no order_by"}]}) + "\n", "a row\n"),
])
def test_a_run_on_spark_says_what_one_on_the_engine_does(
        despina: Despina, scripted: Scripted, graph: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], out: str,
        err: str) -> None:
    def run(*_: Any) -> dict[str, Any]:
        print("a row")
        return {"operators": {"sink": {"packets_in": 5}}}

    class Session:
        def stop(self) -> None:
            pass

    checker = scripted(check=[{"diagnostics": [WARNING], "plan": {}}])[0]
    monkeypatch.setattr(engine, "checking", lambda: nullcontext(checker))
    monkeypatch.setattr("despina.backends.spark.start", Session)
    monkeypatch.setattr("despina.backends.spark.run", run)
    code, printed, told = despina("run", graph, "--on", "spark", *options)
    assert (code, printed, re.sub(r"^ +\d+\.\d s  ", "", told, flags=re.MULTILINE)) == (0, out, err)


@pytest.mark.parametrize("options", [["--on", "spark"], ["--on", "executors", "--master", "local-cluster[1,1,1024]"]])
def test_a_graph_is_checked_before_a_spark_starts(with_engine: Despina, graph: Path, monkeypatch: pytest.MonkeyPatch,
                                                  options: list[str]) -> None:
    monkeypatch.setattr("despina.backends.spark.start", lambda: pytest.fail("started"))
    monkeypatch.setattr("despina.backends.executors.session", lambda *_: pytest.fail("started"))
    graph.write_text(graph.read_text().replace('"discard_sink"', '"discard_sunk"'))
    code, _, told = with_engine("run", graph, *options)
    assert code == 2
    assert "error[unknown_word]: there is no operator type `discard_sunk`" in told


def test_what_has_no_form_there_is_told_before_a_spark_starts(with_engine: Despina, graph: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("despina.backends.spark.start", lambda: pytest.fail("started"))
    code, _, told = with_engine("run", graph, "--on", "spark")
    assert code == 2
    assert "error[no_spark_form]" in told
    tests = graph.with_name("numbers.test.json")
    tests.write_text(json.dumps({"graph": graph.name, "cases": [{"name": "all", "expect": {"source": []}}]}))
    code, told, _ = with_engine("test", tests, "--on", "spark")
    assert code == 2
    assert "refused" in told


def test_a_report_can_go_to_standard_output(with_engine: Despina, graph: Path) -> None:
    code, out, _ = with_engine("run", graph, "--quiet", "--report", "-")
    assert code == 0
    assert json.loads(out)["graph"] == "numbers"


def test_rows_of_a_collect_sink_are_shown(with_engine: Despina, graph: Path) -> None:
    into(graph, "collect_sink")
    code, out, _ = with_engine("run", graph, "--set", "n=12")
    assert code == 0
    assert out.startswith('sink: 12 rows, the first 10:\n  {"n": ')


def test_what_fails_while_an_interrupt_drains_is_told(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = a_status("failed", error={"rule": "file_sink", "message": "disk full", "hint": "free some"})
    asked, _ = scripted(run=[{"job": "j1"}], status=[failed], **{"await": [KeyboardInterrupt(), failed]})
    monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
    code, _, err = despina("run", graph)
    assert code == 130
    assert err.endswith("error[file_sink]: disk full\n  hint: free some\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(("last", "error"), [
    ({"state": "done"}, None), ({"state": "failed", "error": {"rule": "file_sink", "message": "disk full"}}, "file_sink"),
])
def test_a_report_that_cannot_be_written_is_told_beside_the_jobs_own_error(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch,
        last: dict[str, Any], error: str | None) -> None:
    ended = a_status(**last)
    asked, _ = scripted(run=[{"job": "j1"}], status=[ended], **{"await": [ended]})
    monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
    code, _, err = despina("run", graph, "--quiet", "--report", "/dev/full")
    assert code == 1
    assert err.startswith("/dev/full: error[report]: the report cannot be written: No space left on device\n")
    assert err.count("error[") == (1 if error is None else 2)
    assert error is None or f"error[{error}]: disk full" in err


def test_an_interrupted_run_gives_its_report_as_json(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = scripted(run=[{"job": "j1"}], report=[{"graph": "numbers"}], status=[a_status("stopped")],
                        **{"await": [KeyboardInterrupt(), a_status("stopped")]})
    monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
    code, out, err = despina("run", graph, "--json")
    assert (code, err) == (130, "")
    assert json.loads(out) == {"graph": "numbers", "diagnostics": []}


@pytest.mark.parametrize("options", [[], ["--report", "-"]])
def test_a_failed_run_answers_with_its_report_and_the_error(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch,
        options: list[str]) -> None:
    failed = a_status("failed", error={"rule": "io", "message": "disk full"})
    asked, _ = scripted(run=[{"job": "j1", "diagnostics": [WARNING]}], report=[{"graph": "numbers"}], status=[failed],
                        **{"await": [failed]})
    monkeypatch.setattr(engine, "start", lambda driver, **_: asked)
    code, out, err = despina("run", graph, "--json", *options)
    assert (code, err) == (1, "")
    assert json.loads(out) == {"graph": "numbers", "diagnostics": [
        WARNING, {"rule": "io", "severity": "error", "message": "disk full"}]}


def test_a_report_that_cannot_be_written_is_in_the_answer(
        despina: Despina, scripted: Scripted, a_status: AStatus, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = scripted(run=[{"job": "j1"}], report=[{"graph": "numbers"}], **{"await": [a_status("done")]})
    monkeypatch.setattr(engine, "start", lambda driver, **_: asked)
    code, out, err = despina("run", graph, "--json", "--report", "/dev/full")
    assert (code, err) == (1, "")
    assert [found["rule"] for found in json.loads(out)["diagnostics"]] == ["report"]


def test_check_of_a_good_graph(with_engine: Despina, graph: Path) -> None:
    code, out, err = with_engine("check", graph)
    assert (code, err) == (0, "")
    assert "source: sequence BIGINT" in out
    assert out.endswith(f"{graph}: ok\n")


def test_check_says_what_becomes_of_rows_if_asked(with_engine: Despina, graph: Path) -> None:
    code, out, _ = with_engine("check", graph, "--guarantee")
    assert code == 0
    assert "when a process is killed: each row comes out exactly once\n" in out
    assert "\n    source: replayable\n" in out
    assert "a process is killed" not in with_engine("check", graph)[1]


def test_check_says_what_holds_where_the_state_is_elsewhere(with_engine: Despina, tmp_path: Path) -> None:
    spooled = tmp_path / "spooled.graph.json"
    spooled.write_text(json.dumps({"format": 1, "name": "g", "operators": {
        "in": {"type": "tcp_source", "port": 7000, "format": "csv", "schema": "n INT"}, "out": {"type": "discard_sink"}},
        "links": [{"from": "in", "to": "out"}]}))
    assert "\n    in: spooled\n" in with_engine("check", spooled, "--guarantee", "--state", "here")[1]
    code, out, err = with_engine("check", spooled, "--guarantee", "--state", "s3a://box/state")
    assert code == 0
    assert "\n    in: no guarantee (where the state is at an address, there are no logs, " in out
    assert "warning[guarantee]: the state is at s3a://box/state, where there are no logs: `in` loses" in err


def test_check_says_where_no_event_time_survives(
        despina: Despina, scripted: Scripted, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stream(time: str | None) -> dict[str, Any]:
        event_time = None if time is None else {"column": time, "max_delay_ms": 100, "order_by": ["i"], "per": []}
        return {"name": "out", "schema": "x INT", "linked": True, "event_time": event_time}

    def told(*times: str | None) -> list[str]:
        plan = {"operators": [{"id": f"o{k}", "outputs": [stream(time)]} for k, time in enumerate(times)]}
        asked, _ = scripted(check=[{"diagnostics": [], "plan": plan}])
        monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
        return despina("check", graph)[1].splitlines()[:-1]

    assert told("ts", None) == ["  o0: x INT  [event time ts, then by i, up to 100 ms late]", "  o1: x INT  [no event time]"]
    assert told(None, None) == ["  o0: x INT", "  o1: x INT"]


def test_check_tells_every_error_with_its_place(with_engine: Despina, graph: Path) -> None:
    graph.write_text(graph.read_text().replace("discard_sink", "discard_snik").replace('"packet_bytes"', '"packet_byte"'))
    code, _, err = with_engine("check", graph)
    assert code == 2
    assert err.count(": error[") >= 2
    assert "hint: did you mean" in err
    assert all(line.startswith((str(graph), "  hint: ")) for line in err.splitlines())


REFUSED = sorted(file.stem for file in INVALID.glob("*.expected")
                 if not any(file.with_suffix(suffix).exists() for suffix in (".inputs", ".output")))    # given by programs alone
OF_PYTHON = {"encoding", *(file.stem for file in INVALID.glob("*.functions"))}
"""What Python finds itself. The words of all others are the engine's, whose RefusalTest compares each."""


@pytest.mark.parametrize("name", [name for k, name in enumerate(REFUSED) if EVERY or k % 4 == 0 or name in OF_PYTHON])
def test_refusals_have_exactly_the_words_beside_them(with_engine: Despina, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(INVALID)
    deployment = Path(f"{name}.deploy.json")
    target = "spark-streaming" if name.startswith("spark_streaming_") else "spark"
    _, _, err = with_engine("check", f"{name}.graph.json", *(["--deployment", deployment] if deployment.exists() else []),
                            *(["--for", target] if name.startswith("spark_") else []))
    assert err == Path(f"{name}.expected").read_text()


def test_check_of_a_folder_tells_of_each_graph(with_engine: Despina, graph: Path, tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    bad = tmp_path / "deeper" / "bad.graph.json"
    bad.write_text(json.dumps(NUMBERS | {"parameters": {"m": {"default": "5"}}}))
    code, out, err = with_engine("check", tmp_path, "--set", "n=7")
    assert (code, out) == (2, f"{graph}: ok\n")
    assert re.match(rf"{bad}:1:[0-9]+: error\[parameter\]", err)
    code, out, err = with_engine("check", tmp_path, bad, "--json")
    told = json.loads(out)
    assert (code, err, [one["rule"] for one in told["diagnostics"]]) == (2, "", ["parameter"])
    assert {name: plan and plan["name"] for name, plan in told["plans"].items()} == {str(bad): None, str(graph): "numbers"}
    assert "none of the graphs has a parameter k" in with_engine("check", tmp_path, "--set", "k=7")[2]
    assert "no file *.graph.json in this folder" in with_engine("check", INVALID.parent.parent / "docs")[2]


def test_check_watches_what_is_saved(with_engine: Despina, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(content: Any, file: Path = graph) -> Callable[[], object]:
        return lambda: file.write_text(json.dumps(content))

    other = tmp_path / "other.graph.json"
    steps = [changed(NUMBERS | {"nam": "numbers"}), lambda: None, changed(NUMBERS), graph.unlink, changed(NUMBERS, other)]

    def sleep(_: float) -> None:
        if not steps:
            raise KeyboardInterrupt
        steps.pop(0)()

    monkeypatch.setattr(check, "LIST_S", -1)
    monkeypatch.setattr(time, "sleep", sleep)
    code, out, err = with_engine("check", "--watch", tmp_path)
    assert code == 130
    shown = [re.sub(r"--- [0-9:]{8}", "---", line) for line in out.splitlines()]
    assert shown == [f"{graph}: ok", "---", "---", f"{graph}: ok", "---", f"{other}: ok"]
    assert err.splitlines()[0] == "despina: watching 1 graph; Ctrl-C ends it"
    assert f"{graph}:1:" in err


def test_check_json_gives_the_plan_or_the_diagnostics(with_engine: Despina, graph: Path) -> None:
    code, out, _ = with_engine("check", graph, "--json")
    assert code == 0
    assert [o["id"] for o in json.loads(out)["plan"]["operators"]] == ["source", "sink"]
    assert json.loads(out)["guarantee"]["graph"] == "exactly_once"
    graph.write_text("{")
    code, out, err = with_engine("check", graph, "--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["diagnostics"][0]["file"] == str(graph)


def test_fmt_writes_the_canonical_form_once(with_engine: Despina, graph: Path) -> None:
    graph.write_text(json.dumps(NUMBERS))
    assert with_engine("fmt", "--check", graph)[0] == 1
    code, _, err = with_engine("fmt", graph)
    assert (code, err) == (0, f"{graph}: written\n")
    assert json.loads(graph.read_text()) == NUMBERS
    assert with_engine("fmt", "--check", graph) == (0, "", "")
    graph.write_bytes(graph.read_bytes().replace(b"\n", b"\r\n"))
    assert with_engine("fmt", "--check", graph)[0] == 1


def test_fmt_names_what_changed_as_json(
        despina: Despina, scripted: Scripted, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = scripted(format=[{"text": "canonical\n"}])
    monkeypatch.setattr(engine, "start", lambda driver, **options: asked)
    other = graph.with_name("other.graph.json")
    other.write_text("canonical\n")
    told = json.dumps({"changed": [str(graph)]}) + "\n"
    assert despina("fmt", "--check", "--json", other, graph) == (1, told, "")
    assert despina("fmt", "--json", other, graph) == (0, told, "")
    assert graph.read_text() == "canonical\n"


# ---- processes and signals

ENDLESS = json.dumps({**NUMBERS, "operators": {
    "source": {"type": "generator_source", "rate_per_s": 1000, "rows": {"type": "packets", "packet_bytes": 50}},
    "sink": {"type": "discard_sink"}}})


def until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"ended before it said {words}")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_drains_writes_the_report_and_exits_130(graph: Path, ending: signal.Signals) -> None:
    graph.write_text(ENDLESS)
    process = spawn("run", graph, "--report", graph.parent / "r.json")
    until(process, "running")
    process.send_signal(ending)
    code, _, err = end(process)
    assert code == 130
    assert "Traceback" not in err
    operators = json.loads((graph.parent / "r.json").read_text())["operators"]
    assert "stopped after" in err
    assert f"  source: 0 in, {operators['source']['packets_out']:,} out" in err
    assert operators["source"]["packets_out"] == operators["sink"]["packets_in"]


def test_a_reader_that_goes_away_ends_the_command_quietly(graph: Path) -> None:
    process = spawn("draw", graph)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.wait(30)
    process.stderr.close()


PLANNED = {
    "format": 1, "name": "averages", "operators": {
        "readings": {"type": "generator_source", "count": 5, "parallelism": 2, "event_time": {"column": "ts"}, "rows": {
            "type": "select", "select": ["timestamp_micros(id) AS ts", "id % 10 AS device", "id * 0.5D AS v"]}},
        "good": {"type": "filter", "parallelism": 2, "where": "v > 1"},
        "means": {"type": "aggregate", "parallelism": 4, "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 1000},
                  "select": ["device", "avg(v) AS mean"]},
        "high": {"type": "filter", "parallelism": 4, "where": "mean > 20"},
        "sink": {"type": "discard_sink"}, "late": {"type": "discard_sink"}},
    "links": [{"from": "readings", "to": "good"},
              {"from": "good", "to": "means", "partition": {"type": "hash", "by": ["device"]}},
              {"from": "means", "to": "high"}, {"from": "means.late", "to": "late"}, {"from": "high", "to": "sink"}]}


def test_draw_shows_the_plan(with_engine: Despina, tmp_path: Path) -> None:
    graph = tmp_path / "g.json"
    graph.write_text(json.dumps(PLANNED))
    code, out, _ = with_engine("draw", "--plan", graph)
    assert code == 0
    assert [line.strip() for line in out.splitlines()[4:]] == [
        'readings(["<b>readings</b><br/><i>generator_source</i><br/>× 2 instances<br/>→ good: filter"])',
        'means["<b>means</b><br/><i>aggregate</i><br/>× 4 instances"]',
        'high["<b>high</b><br/><i>filter</i><br/>× 4 instances"]',
        'sink(["<b>sink</b><br/><i>discard_sink</i>"])',
        'late(["<b>late</b><br/><i>discard_sink</i>"])',
        'readings -->|"hash by device"| means',
        'means -->|"forward"| high',
        'means -->|"late round_robin"| late',
        'high -->|"round_robin"| sink']
    unlinked = json.loads(json.dumps(PLANNED))
    del unlinked["operators"]["late"]
    unlinked["links"] = [link for link in unlinked["links"] if link["to"] != "late"]
    graph.write_text(json.dumps(unlinked))
    assert 'readings -->|"hash by device, partly aggregated"| means' in with_engine("draw", "--plan", graph)[1]
    graph.write_text(json.dumps(PLANNED).replace("v > 1", "w > 1"))
    code, out, err = with_engine("draw", "--plan", graph)
    assert (code, out) == (2, "")
    assert "error[unknown_column]" in err
