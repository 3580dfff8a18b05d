"""From the command to the first packet at the sink."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from despina import archive, installed
from harness import engine, graphs, java, readings
from harness.experiment import Claim, Experiment, Measured, Metric, Plan, Run, Subject
from harness.processes import RunError
from harness.result import Result
from harness.stats import Estimate

ONE_JVM = "one JVM, one expression"
FIRST = Metric("first_packet_s", "seconds to the first packet")
END = Metric("end_s", "seconds to the end")
CPU = Metric("cpu_s", "CPU-s, all JVMs and Python")
MANUFACTURING = graphs.ROOT / "graphs" / "manufacturing.graph.json"
APART = graphs.ROOT / "graphs" / "two_resources.deploy.json"
ROWS = 20_000
EXPRESSIONS: graphs.Json = {
    "format": 1,
    "name": "expressions",
    "operators": {
        "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 1000},
        "relay": {"type": "filter", "where": "id % 2 = 0"},
        "sink": {"type": "discard_sink"},
    },
    "links": [{"from": "source", "to": "relay"}, {"from": "relay", "to": "sink"}],
}


def relay(run: Run) -> Measured:
    """A relay on two child JVMs, no expressions. It sends for a second."""
    return _started(engine.Command(graphs.RELAY, graphs.RELAY_APART, duration_s=1), run)


def expressions(run: Run) -> Measured:
    """A filter on two child JVMs."""
    return _started(engine.Command(EXPRESSIONS, graphs.RELAY_APART), run)


def manufacturing_cold(run: Run) -> Measured:
    """The manufacturing graph, whose expressions are all compiled."""
    return _started(_manufacturing(run, _forgetting), run)


def manufacturing_again(run: Run) -> Measured:
    """The same graph as it was started before: what its expressions gave is kept."""
    _start_once(run)
    return _started(_manufacturing(run), run)


def check_cold(run: Run) -> Measured:
    """``despina check`` of it."""
    return _checked(run, _forgetting)


def check_again(run: Run) -> Measured:
    """``despina check`` of what was started before."""
    _start_once(run)
    return _checked(run)


def _forgetting(words: Sequence[str]) -> list[str]:
    return ["env", f"{archive.ANSWERS_SWITCH}=off", *words]


def _manufacturing(run: Run, wrapped: Callable[[Sequence[str]], list[str]] = list) -> engine.Command:
    parameters = {"input": str(readings.made(run, ROWS)), "output": str(run.folder / "delays")}
    return engine.Command(MANUFACTURING, APART, parameters=parameters, wrapped=wrapped)


def _start_once(run: Run) -> None:
    """Keeps what a start finds out, once per experiment."""
    started = run.lab / "started"
    if not started.is_file():
        engine.run(_manufacturing(run), run.folder)
        (run.folder / "delays").rename(run.lab / "delays")
        started.touch()


def _started(command: engine.Command, run: Run) -> Measured:
    """The first packet, and what all processes took from the command to its end."""
    before, began = _spent_s(), time.monotonic()
    report = engine.run(command, run.folder)
    return Measured({FIRST.name: report["first_packet_s"], END.name: time.monotonic() - began, CPU.name: _spent_s() - before},
                    report)


def _checked(run: Run, wrapped: Callable[[Sequence[str]], list[str]] = list) -> Measured:
    words = [sys.executable, "-m", "despina", "check", str(MANUFACTURING), "--deployment", str(APART),
             "--set", f"input={readings.made(run, ROWS)}"]
    before, began = _spent_s(), time.monotonic()
    done = subprocess.run(wrapped(words), env=engine.environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"despina check ended with {done.returncode}: {done.stderr.strip()}")
    return Measured({END.name: time.monotonic() - began, CPU.name: _spent_s() - before})


def _spent_s() -> float:
    """Processor time of all processes that this one, or one of its children, has waited for."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def one_jvm(run: Run) -> Measured:
    """One JVM that compiles one expression and ends, with the class archive if there is one."""
    classes = java.compiled(run.lab, "compile_one")
    found, jars = installed.find_java(), installed.class_path()
    path = ":".join([*jars, str(classes)])
    before, began = _spent_s(), time.monotonic()
    flags = [*installed.module_flags(found.version), *archive.options(found, jars)]
    subprocess.run([str(found.executable), *flags, "-cp", path, "CompileOne"], check=True, capture_output=True)
    took = time.monotonic() - began
    return Measured({FIRST.name: took, END.name: took, CPU.name: _spent_s() - before})


def _median(result: Result) -> Estimate | None:
    return result.estimate(FIRST.name, "relay", {})


EXPERIMENT = Experiment(
    name="start",
    doc="""Seconds from the command to the first packet at the sink, and to its end, and the processor time of all its
    processes: the relay, and a filter, on two child JVMs each, beside one JVM that compiles one expression; the manufacturing
    graph on two child JVMs, and `despina check` of it, without answers of the expression compiler that were kept
    (`DESPINA_KEPT_ANSWERS=off`), and started again unchanged. `despina doctor --archive` first makes the class archive; it is
    stale after each build.""",
    subjects=(
        Subject("relay", relay, seconds=lambda point, plan: 3.5),
        Subject("expressions", expressions, seconds=lambda point, plan: 6),
        Subject("manufacturing, cold", manufacturing_cold, seconds=lambda point, plan: 6),
        Subject("manufacturing, again", manufacturing_again, seconds=lambda point, plan: 3),
        Subject("check, cold", check_cold, seconds=lambda point, plan: 4),
        Subject("check, again", check_again, seconds=lambda point, plan: 2),
        Subject(ONE_JVM, one_jvm, seconds=lambda point, plan: 2.5),
    ),
    metrics=(FIRST, END, CPU),
    baseline=ONE_JVM,
    full=Plan([{}], repeats=7, warm_up_s=0, seconds=0),
    quick=Plan([{}], repeats=1, warm_up_s=0, seconds=0),
    claims=(
        Claim("the relay's first packet, in seconds", _median, at_most=1.5),
        Claim("a filter's first packet, in times of one JVM that compiles one expression",
              lambda result: result.ratio(FIRST.name, "expressions", ONE_JVM, {}), at_most=2),
    ),
    needs=(java.compiler_needed,),
)
