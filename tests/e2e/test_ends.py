"""How a run ends before its input does: Ctrl-C, a duration, a process that is killed. Whole lines, exit codes, nothing left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Call, Start
from support.every import in_every
from support.graphs import TWO, Fields, chain, packets, relay, rows, write
from support.processes import SOURCE, Command, until
from support.stops import waiting

DIE_WITHIN_S = 5.0
REPORT = {"graph", "on", "state", "attempt", "restarts", "undelivered", "held", "left_behind", "elapsed_s", "first_packet_s",
          "measured_s", "operators", "skipped", "links", "latency_ms", "packet_latency_ms", "resources", "timing"}
OPERATOR = {"packets_in", "packets_out", "errors", "late", "dropped", "held", "open_windows", "state_bytes",
            "busy_ms", "paused_ms"}
LINK = {"packets", "bytes", "bytes_on_wire", "segments", "flushes_full", "flushes_timer", "flushes_early", "compressed_segments",
        "paused_ms"}
LATENCY = {"p50", "p95", "p99", "p999", "max", "percents"}
RESOURCE = {"cpu_s", "gc_ms", "allocated_bytes", "max_memory_bytes", "context_switches"}


PACED: Fields = {"rate_per_s": 20_000}
"""For jobs that are hit: at full speed they would take both cores meanwhile."""


def lines_without_end(source: Fields | None = None, **fields: Any) -> Fields:
    """Packets without end into json files: no expression, so that its processes start soon.

    :param source: more fields of the source, and ``fields`` of the sink
    """
    return chain(("source", packets(packet_bytes=80, **(source or {}))),
                 ("sink", {"type": "file_sink", "path": "out", "format": "json", **fields}), links={"fuse": False})


def visible(folder: Path) -> list[Path]:
    """The files that a reader of the folder sees."""
    return sorted(folder.glob("[!._]*"))


def whole_lines(folder: Path) -> list[int]:
    """The sequence in the visible files, which must be whole lines."""
    text = "".join(file.read_text() for file in visible(folder))
    assert not text or text.endswith("\n")
    return [json.loads(line)["sequence"] for line in text.splitlines()]


def start_two(start: Start, folder: Path, graph: Fields, *arguments: str | Path) -> Command:
    """Runs it in two resources of their own, up to the first packets at the far one."""
    command = start("run", write(folder / "g.json", graph), "--deployment", write(folder / "d.json", TWO), *arguments)
    command.says("  running")
    return command


def flows(command: Command) -> None:
    """Waits until the plain lines show packets at the sink."""
    command.until(lambda: re.search(r"running .*sink \d", command.err()), "packet at the sink")


def test_an_interrupt_drains_and_commits(start: Start, tmp_path: Path) -> None:
    command = start_two(start, tmp_path, lines_without_end(), "--report", "r.json")
    flows(command)
    ended = command.interrupt()
    assert "Traceback" not in ended.err
    counted = json.loads((tmp_path / "r.json").read_text())["operators"]
    assert counted["source"]["packets_out"] == counted["sink"]["packets_in"] > 0
    assert whole_lines(tmp_path / "out") == list(range(counted["sink"]["packets_in"]))
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_a_second_interrupt_ends_at_once(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", packets()), ("slow", {"type": "relay", "sleep_ms": 1000}), ("sink", {"type": "discard_sink"}),
                  links={"fuse": False})
    command = start_two(start, tmp_path, graph)
    flows(command)
    command.signal(signal.SIGINT)
    command.says("  draining")
    command.signal(signal.SIGINT)
    assert command.end(DIE_WITHIN_S).code == 130


@pytest.mark.parametrize("flushes", [False, True])
def test_an_interrupt_tells_of_open_windows_or_fires_them(start: Start, tmp_path: Path, flushes: bool) -> None:
    graph = write(tmp_path / "g.json", waiting(tmp_path / "in.csv", {"type": "console_sink"}))
    command = start("run", graph, *(["--on-stop", "flush"] if flushes else []))
    command.until(lambda: re.search(r"09:00:07Z .* 7$", command.out(), re.MULTILINE), "row of `once`")
    command.until(lambda: re.search(r"^counts \| a +\| +5$", command.out(), re.MULTILINE), "row of `windows`")
    command.signal(signal.SIGINT)
    ended = command.end()
    told = "dropped: once: 4 packets that waited; windows: 7 packets in 2 open windows"
    assert ended.code == (130 if flushes else 5)
    hinted = "--on-stop flush" in ended.err and "--state FOLDER keeps it" in ended.err
    assert (told in ended.err, hinted) == (not flushes, not flushes)
    assert len(re.findall(r"09:00:\d\dZ", ended.out)) == (12 if flushes else 8)
    assert re.findall(r"^counts \| a +\| +(\d+)$", ended.out, re.MULTILINE) == (["5", "5", "2"] if flushes else ["5"])


def test_an_interrupt_drains_no_longer_than_told(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", packets()), ("slow", {"type": "relay", "sleep_ms": 1000}), ("sink", {"type": "discard_sink"}),
                  links={"fuse": False})
    command = start_two(start, tmp_path, graph, "--drain-ms", "50")
    flows(command)
    command.signal(signal.SIGINT)
    assert command.end(DIE_WITHIN_S).code == 5


def test_a_duration_ends_it_as_done(call: Call, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", relay(rate_per_s=10_000))
    ended = call("run", graph, "--duration", "1", "--report", "r.json")
    assert ended.code == 0, ended.err
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["measured_s"] >= 1.0
    sent, got = report["operators"]["source"]["packets_out"], report["operators"]["sink"]["packets_in"]
    assert 0 < sent == got <= 10_000 * report["measured_s"]


def test_the_report_has_every_field(call: Call, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", relay(50_000) | {"settings": {"compression": {"type": "never"}}})
    ended = call("run", graph, "--deployment", write(tmp_path / "d.json", TWO), "--report", "r.json", "--timing")
    assert ended.code == 0, ended.err
    report = json.loads((tmp_path / "r.json").read_text())
    assert set(report) == REPORT
    assert (report["graph"], report["on"]) == ("relay", "local")
    assert 0 < report["measured_s"] < report["elapsed_s"]
    assert 0 < report["first_packet_s"] < report["elapsed_s"]
    assert list(report["timing"]) == ["jvm_ms", "asked_ms", "planned_ms", "compiled_ms", "joined_ms", "ready_ms", "opened_ms",
                                      "first_packet_ms"]
    assert report["timing"]["first_packet_ms"] == round(1000 * report["first_packet_s"])
    assert "to the first packet\n" in ended.err
    assert set(report["operators"]) == {"source", "relay", "sink"}
    assert set(report["links"]) == {"source->relay", "relay->sink"}
    assert set(report["latency_ms"]) == set(report["packet_latency_ms"]) == {"sink"}
    assert set(report["resources"]) == {"near", "far"}
    for part, fields in (("operators", OPERATOR), ("links", LINK), ("latency_ms", LATENCY), ("packet_latency_ms", LATENCY),
                         ("resources", RESOURCE)):
        assert all(set(found) == fields for found in report[part].values()), part
    remote, local = report["links"]["source->relay"], report["links"]["relay->sink"]
    assert remote["packets"] == local["packets"] == report["operators"]["sink"]["packets_in"] == 50_000
    assert remote["bytes"] < remote["bytes_on_wire"] <= 50_000 * 56
    assert local["bytes_on_wire"] == 0
    assert remote["segments"] == remote["flushes_full"] + remote["flushes_timer"] + remote["flushes_early"]
    latency = report["latency_ms"]["sink"]
    assert 0 < latency["p50"] <= latency["p95"] <= latency["p99"] <= latency["p999"] <= latency["max"]
    percents = latency["percents"]
    assert (len(percents), percents) == (99, sorted(percents))
    assert (percents[49], percents[94], percents[98]) == (latency["p50"], latency["p95"], latency["p99"])
    assert all(used["cpu_s"] > 0 and used["max_memory_bytes"] > 1 << 20 for used in report["resources"].values())


def test_piped_output_is_plain_lines(start: Start, tmp_path: Path) -> None:
    graph = chain(("source", rows(3, "id AS n")), ("sink", {"type": "console_sink"}))
    ended = start("run", write(tmp_path / "g.json", graph)).end()
    assert ended.code == 0
    assert [line.strip() for line in ended.out.splitlines()] == ["n", "------------", "0", "1", "2"]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u2500-\u259f]", ended.out + ended.err)
    assert re.search(r"^done after \d+\.\d s", ended.err, re.MULTILINE)
    assert re.search(r"^ +sink: 3 in", ended.err, re.MULTILINE)


@pytest.mark.parametrize("which", [0, pytest.param(1, marks=in_every)])
def test_a_killed_resource_fails_the_job_by_name(start: Start, tmp_path: Path, which: int) -> None:
    command = start_two(start, tmp_path, lines_without_end(PACED), "--report", "r.json")
    flows(command)
    pid = sorted(command.jvms("ResourceMain"))[which]
    os.kill(pid, signal.SIGKILL)
    ended = command.end()
    assert ended.code == 1
    assert re.search(rf"error\[resource_lost\]: resource `(near|far)` was lost: process {pid} ended with signal 9", ended.err)
    assert "hint: " in ended.err
    assert "Traceback" not in ended.err
    whole_lines(tmp_path / "out")
    assert set(json.loads((tmp_path / "r.json").read_text())["operators"]) == {"source", "sink"}


@pytest.mark.parametrize("who", ["GatewayMain", "python"])
def test_what_was_started_dies_with_who_started_it(start: Start, tmp_path: Path, who: str) -> None:
    command = start_two(start, tmp_path, lines_without_end(PACED))
    flows(command)
    assert len(command.processes()) == 4
    os.kill(command.pid if who == "python" else command.jvms(who)[0], signal.SIGKILL)
    until(lambda: not command.processes(), "end of its processes", DIE_WITHIN_S)
    ended = command.end()
    assert ended.code == (-signal.SIGKILL if who == "python" else 1)
    if who == "GatewayMain":
        assert re.search(r"error\[engine_lost\]: the engine's JVM is gone \(killed by signal 9\)", ended.err)
        assert "Traceback" not in ended.err
    whole_lines(tmp_path / "out")


def test_a_run_after_a_kill_starts_clean_and_tells_what_is_left(start: Start, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", lines_without_end(PACED))
    command = start("run", graph)
    flows(command)
    os.kill(command.jvms("GatewayMain")[0], signal.SIGKILL)
    assert command.end().code == 1
    until(lambda: not command.processes(), "end of its processes", DIE_WITHIN_S)
    bounded = lines_without_end()
    bounded["operators"]["source"]["count"] = 1000
    again = start("run", write(tmp_path / "g.json", bounded)).end()
    assert again.code == 0, again.err
    assert re.search(r"^earlier jobs: uncommitted rows are in 1 hidden file \(\S*out/\.part-00000-\S+\.left\): "
                     r"`despina leftovers \S*out --take`", again.err, re.MULTILINE), again.err
    assert whole_lines(tmp_path / "out") == list(range(1000))
    left = [file.name for file in (tmp_path / "out").glob(".*")]
    assert all(name.endswith(".json.left") for name in left), left
    assert (tmp_path / "out" / "_SUCCESS").exists()


def slow_lines(**fields: Any) -> Fields:
    """Packets that wait before a relay that sleeps, on their way into json files."""
    return chain(("source", packets(packet_bytes=80, rate_per_s=1000)), ("slow", {"type": "relay", "sleep_ms": 50}),
                 ("sink", {"type": "file_sink", "path": "out", "format": "json", **fields}), links={"fuse": False})


@pytest.mark.parametrize("resources", [1, 2])
def test_a_drain_that_runs_out_of_time_keeps_what_came_to_the_sink(call: Call, tmp_path: Path, resources: int) -> None:
    deployment = ["--deployment", write(tmp_path / "d.json", TWO)] if resources == 2 else []
    ended = call("run", write(tmp_path / "g.json", slow_lines()), "--duration", "1", "--drain-ms", "300", "--report", "r.json",
                  *deployment)
    assert ended.code == 5, ended.err
    assert re.search(r"error\[incomplete\]: the job did not drain within 300 ms: \d+ packets in flight were dropped",
                     ended.err), ended.err
    assert "--drain-ms" in ended.err
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["state"] == "incomplete"
    came = whole_lines(tmp_path / "out")
    assert came == list(range(len(came)))
    assert len(came) > 0
    assert len(came) + report["undelivered"] == report["operators"]["source"]["packets_out"]
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_a_second_interrupt_keeps_what_came_to_the_sink(start: Start, tmp_path: Path) -> None:
    command = start("run", write(tmp_path / "g.json", slow_lines()))
    flows(command)
    command.signal(signal.SIGINT)
    command.says("  draining")
    command.signal(signal.SIGINT)
    ended = command.end(DIE_WITHIN_S)
    assert ended.code == 130
    assert re.search(r"^[\d,]+ packets in flight were dropped", ended.err, re.MULTILINE), ended.err
    came = whole_lines(tmp_path / "out")
    assert came == list(range(len(came)))
    assert len(came) > 0


def test_what_has_rolled_stays_when_the_job_fails_and_the_rest_can_be_taken(call: Call, tmp_path: Path) -> None:
    graph = chain(("source", rows(100_000, "id AS sequence") | {"rate_per_s": 2000}),
                  ("breaks", {"type": "project", "select": ["if(sequence = 5000, 1 / (sequence - 5000), sequence) AS sequence"]}),
                  ("sink", {"type": "file_sink", "path": "out", "format": "json", "roll_bytes": 20_000}))
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 1
    assert "Division by zero" in ended.err
    assert re.search(r"`despina leftovers \S*out --take`", ended.err), ended.err
    seen, rolled = len(visible(tmp_path / "out")), whole_lines(tmp_path / "out")
    assert seen > 1
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    assert call("leftovers", tmp_path / "out", "--take").code == 0
    assert len(visible(tmp_path / "out")) == seen + 1
    came = whole_lines(tmp_path / "out")
    assert came == list(range(len(came)))
    assert len(rolled) < len(came) <= 5000
    again = call("leftovers", tmp_path / "out")
    assert "nothing is left uncommitted" in again.out


def test_a_job_that_fails_late_leaves_no_sink_successful(call: Call, tmp_path: Path) -> None:
    graph = chain(("source", rows(10, "id AS sequence")),
                  ("quick", {"type": "file_sink", "path": "quick", "format": "json"}))
    graph["operators"]["late"] = rows(3000, "1 / (id - 2999) AS x") | {"rate_per_s": 1500}
    graph["operators"]["never"] = {"type": "file_sink", "path": "never", "format": "json"}
    graph["links"].append({"from": "late", "to": "never"})
    ended = call("run", write(tmp_path / "g.json", graph))
    assert ended.code == 1
    assert not visible(tmp_path / "quick")
    assert not (tmp_path / "quick" / "_SUCCESS").exists()


def test_a_missing_input_leaves_the_output_that_was_to_be_replaced(call: Call, tmp_path: Path) -> None:
    def copying(path: str) -> Path:
        return write(tmp_path / "g.json", chain(
            ("source", {"type": "file_source", "path": path, "format": "text"}),
            ("sink", {"type": "file_sink", "path": "out", "format": "text", "if_exists": "replace"})))
    (tmp_path / "in.txt").write_text("one\ntwo\n")
    assert call("run", copying("in.txt")).code == 0
    before = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert call("run", copying("im.txt")).code == 1
    assert {file.name: file.read_text() for file in (tmp_path / "out").iterdir()} == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_behind_the_jobs_end_cuts_nothing_of_what_is_told(number: signal.Signals, tmp_path: Path) -> None:
    graph = write(tmp_path / "g.json", chain(("source", packets(count=100)), ("sink", {"type": "discard_sink"})))
    hit = (f"import os, sys; from despina.cli import main, run; told = run._write_report; "
           f"run._write_report = lambda *job: (os.kill(os.getpid(), {int(number)}), told(*job))[1]; sys.exit(main())")
    ended = subprocess.run([sys.executable, "-c", hit, "run", str(graph), "--report", str(tmp_path / "r.json")],
                           capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)})
    assert (ended.returncode, json.loads((tmp_path / "r.json").read_text())["state"]) == (0, "done"), ended.stderr
    assert "done after" in ended.stderr


def test_lines_of_several_console_sinks_say_whose_they_are(call: Call, tmp_path: Path) -> None:
    graph = chain(("source", rows(3, "id AS n")), ("sink", {"type": "console_sink"}))
    graph["operators"]["others"] = {"type": "console_sink"}
    graph["links"].append({"from": "source", "to": "others"})
    shown = call("run", write(tmp_path / "g.json", graph)).out.splitlines()
    for name in ("sink  ", "others"):
        mine = [line.removeprefix(f"{name} | ").strip() for line in shown if line.startswith(f"{name} | ")]
        assert mine[0] == "n"
        assert mine[2:] == ["0", "1", "2"]
    assert len(shown) == 10
