"""The engine as its users start it, ``despina run``, and the numbers in its report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import despina
from despina.errors import StartError
from harness.experiment import Measured, Metric, Run
from harness.processes import RunError

SOURCE = Path(despina.__file__).resolve().parents[1]
Report = dict[str, Any]
Json = Mapping[str, Any]
SLACK_S = 120.0
"""Beyond its seconds, for all that comes before and after them: who takes longer hangs."""
END_S = 30.0
"""To end when asked to."""
STOPPED = 130
"""The exit code of a job that Ctrl-C has stopped."""
LEFT = 5
"""The exit code of a job that was stopped, as one without end is, with windows still open."""

PER_S = Metric("per_s", "packets/s")
CPU = Metric("cpu_s_per_million", "CPU-s per million")
MBIT = Metric("mbit_per_s", "Mbit/s on the wire")
P50 = Metric("p50_ms", "p50 ms")
P95 = Metric("p95_ms", "p95 ms")
P99 = Metric("p99_ms", "p99 ms")
P999 = Metric("p999_ms", "p99.9 ms")
SWITCHES = Metric("switches_per_s", "context switches/s")


@dataclass(frozen=True)
class Command:
    """One ``despina run``.

    :ivar graph: a file, or its content
    :ivar deployment: a file, or its content; without one everything is in the coordinator's JVM
    :ivar duration_s: when the sources stop; None for a graph that ends by itself
    :ivar warm_up_s: counters start again after it
    :ivar options: further words of the command line
    :ivar wrapped: makes of a command line the one that is run, as within a network namespace
    :ivar limit_s: how long its end is waited for; without it as long as its duration, and the slack; for ever without either
    """

    graph: Path | Json
    deployment: Path | Json | None = None
    parameters: Mapping[str, str | int | float] | None = None
    duration_s: float | None = None
    warm_up_s: float | None = None
    options: Sequence[str] = ()
    wrapped: Callable[[Sequence[str]], list[str]] = list
    limit_s: float | None = None

    def words(self, folder: Path, report: Path) -> list[str]:
        """The command line; contents become files in the folder."""
        words = [sys.executable, "-m", "despina", "run", _file(self.graph, folder, "graph"), "--quiet", "--report", str(report)]
        if self.deployment is not None:
            words += ["--deployment", _file(self.deployment, folder, "deployment")]
        if self.duration_s is not None:
            words += ["--duration", str(self.duration_s)]
        if self.warm_up_s is not None:
            words += ["--warm-up-s", str(self.warm_up_s)]
        words += [word for name, value in (self.parameters or {}).items() for word in ("--set", f"{name}={value}")]
        return self.wrapped([*words, *self.options])


def environment() -> dict[str, str]:
    """That of this process, in which ``python -m despina`` is this checkout's."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])])}


def quietly(folder: Path) -> dict[str, Any]:
    """Options of a process that runs beside: what it says goes to a file of the folder."""
    said = (folder / "beside.txt").open("ab")
    return {"env": environment(), "stdin": subprocess.DEVNULL, "stdout": said, "stderr": said}


class Running:
    """A ``despina run`` under way.

    :ivar process: Python's; the JVMs are its children and theirs
    """

    def __init__(self, command: Command, folder: Path) -> None:
        self._report = folder / "report.json"
        self._said = folder / "said.txt"
        self._limit_s = command.limit_s if command.limit_s or command.duration_s is None else command.duration_s + SLACK_S
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(command.words(folder, self._report), env=environment(), stdin=subprocess.DEVNULL,
                                            stdout=said, stderr=said)

    def report(self) -> Report:
        """Waits for the end.

        :raise RunError: it failed, or did not end in time, with what it said
        """
        try:
            code = self.process.wait(self._limit_s)
        except subprocess.TimeoutExpired as late:
            raise RunError(f"despina run did not end within {self._limit_s:g} s: {self._words()}") from late
        found: Report = json.loads(self._report.read_text()) if code in (0, LEFT, STOPPED) else {}
        if found.get("state") not in ("done", "stopped"):
            raise RunError(f"despina run ended with {code}: {self._words()}")
        return found

    def stopped(self) -> Report:
        """Stops it as Ctrl-C does, and waits for the end.

        :raise RunError: as of :meth:`report`
        """
        self.process.send_signal(signal.SIGINT)
        return self.report()

    def _words(self) -> str:
        return self._said.read_text().strip()

    def end(self) -> None:
        """Ends it if it still runs, as Ctrl-C would; kills what does not end then."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(END_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@contextmanager
def running(command: Command, folder: Path) -> Iterator[Running]:
    """Starts it, for those that look on while it runs; ended at the latest when the block is left."""
    under_way = Running(command, Path(tempfile.mkdtemp(dir=folder)))
    try:
        yield under_way
    finally:
        under_way.end()


def run(command: Command, folder: Path) -> Report:
    """Runs it to its end.

    :return: the report of ``--report``
    """
    with running(command, folder) as under_way:
        return under_way.report()


def timed(run_: Run, graph: Path | Json, deployment: Path | Json | None = None, **more: Any) -> Report:
    """Runs a graph without end for the run's warm-up and seconds.

    :return: the report, with ``sources_s``: how long of ``measured_s`` the sources ran; the rest is the job's draining and end
    """
    whole = run_.warm_up_s + run_.seconds
    report = run(Command(graph, deployment, duration_s=whole, warm_up_s=run_.warm_up_s, **more), run_.folder)
    return {**report, "sources_s": run_.seconds}


def measured(report: Report, sink: str = "sink", link: str | None = None) -> Measured:
    """The usual numbers of a report; of one from :func:`timed` the packets per second are those of the time that the sources ran.

    :param link: whose bytes count as bandwidth; the first of the report if not given
    """
    seconds = report["measured_s"]
    packets = report["operators"][sink]["packets_in"]
    resources = report["resources"].values()
    wire = report["links"][link] if link else next(iter(report["links"].values()), None)
    values = {
        "per_s": per_s(report, packets),
        "cpu_s_per_million": 1e6 * sum(r["cpu_s"] for r in resources) / packets if packets else float("nan"),
        "switches_per_s": sum(r["context_switches"] for r in resources) / seconds,
        "gc_share": sum(r["gc_ms"] for r in resources) / 1e3 / seconds / max(1, len(resources)),
        "allocated_bytes_per_packet": sum(r["allocated_bytes"] for r in resources) / packets if packets else float("nan"),
        "max_memory_mb": sum(r["max_memory_bytes"] for r in resources) / 1e6,
    }
    if wire is not None:
        values["mbit_per_s"] = wire.get("bytes_on_wire", 0) * 8 / 1e6 / seconds
    for name, value in ((report.get("latency_ms") or {}).get(sink) or {}).items():
        if name != "percents":
            values[f"{name}_ms"] = value
    if report.get("first_packet_s") is not None:
        values["first_packet_s"] = report["first_packet_s"]
    return Measured({name: value for name, value in values.items() if value == value}, report)


def per_s(report: Report, packets: int) -> float:
    """Packets that reached a sink, per second of the time that the sources ran, if the report knows it (``sources_s``).

    What was in flight when counting began also reaches the sink, but was not sent in that time.
    """
    if "sources_s" not in report:
        return float(packets / report["measured_s"])
    sent = sum(operator["packets_out"] for operator in report["operators"].values() if not operator["packets_in"])
    return float(min(packets, sent) / report["sources_s"])


def on_one_core(words: Sequence[str]) -> list[str]:
    """The command on one of the cores that this process may use: for :attr:`Command.wrapped`."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *words]


def taskset_needed() -> None:
    """An experiment's need.

    :raise StartError: there is no taskset
    """
    if shutil.which("taskset") is None:
        raise StartError("taskset_missing", "no taskset, which holds a run to one core", "Debian: apt install util-linux")


def two_processors_needed() -> None:
    """An experiment's need.

    :raise StartError: this process may run on one processor alone
    """
    if len(os.sched_getaffinity(0)) < 2:
        raise StartError("processors", "this process may run on one processor alone, and the experiment wants two")


def _file(content: Path | Json, folder: Path, kind: str) -> str:
    if isinstance(content, Path):
        return str(content)
    path = folder / f"{kind}.json"
    path.write_text(json.dumps(content, indent=2))
    return str(path)
