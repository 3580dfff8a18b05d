"""Apache Flink: a JobManager and two TaskManagers of one slot each; slot-sharing groups keep the stages apart."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness.experiment import Measured, Point
from harness.processes import free_ports
from peers import jars, jdks, peer, probe
from peers.contract import Engine, Kit, Trial, UnavailableError, Variant
from peers.nexmark import flink as queries
from peers.nexmark import peer as query_peer
from peers.nexmark.events import AVRO
from peers.works import MANY_JOBS

VERSION = "2.3.0"
SUBMIT_TIMEOUT_S = 120.0
REASON_LINES = 12
CAUSE = "Caused by: "
TASK_MANAGERS = 2
MEMORY = {
    "jobmanager.memory.process.size": "1024m",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.task.heap.size": "1920m",
    "taskmanager.memory.managed.size": "64m",
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
}
"""Heaps of 2 GB in TaskManagers; network buffers are beside the heap, as Flink has it."""

TASK_MANAGER_FLAGS = "-XX:+UseParallelGC"
ADDRESSES = ("jobmanager.rpc.address", "jobmanager.bind-host", "taskmanager.host", "taskmanager.bind-host", "rest.address",
             "rest.bind-address")
REUSE = {"object_reuse": True}
CLUSTER = "taskmanager."
"""Settings whose names begin so are the cluster's, not the job's."""
SEGMENT = "taskmanager.memory.segment-size"
MANY_GATES = {"taskmanager.memory.network.min": "1024m", "taskmanager.memory.network.max": "1024m"}
"""With the largest segments hundreds of operators want more buffers than 256 MB have of them, and the job does not start."""


class Flink(Engine):
    """The adapter."""

    name = "flink"
    least_warm_up_s = 10.0
    start_s = 16.0

    def __init__(self) -> None:
        super().__init__()
        self._home = Path()
        self._jar = Path()
        self._avro: Callable[[], list[Path]] = list
        self._java_home = ""
        self._rest = 0

    def prepare(self, kit: Kit) -> None:
        """Its release, out of the wheels on PyPI, or a folder with a release."""
        jdk = jdks.best(17, 17, 21)
        if jdk is None:
            raise UnavailableError(f"Flink {VERSION} needs a JDK 17 or 21, and none was found")
        home = kit.homes.get(self.name)
        self._home = home or jars.unpack_wheels(
            kit, self.name, [f"apache-flink=={VERSION}", f"apache-flink-libraries=={VERSION}"]) / "pyflink"
        dist = sorted(self._home.glob("lib/flink-dist-*.jar"))
        if not dist:
            raise UnavailableError(f"no lib/flink-dist-*.jar in {self._home}")
        for script in (self._home / "bin").iterdir():
            script.chmod(script.stat().st_mode | 0o111)
        tables = sorted(self._home.glob("lib/flink-table-api-java-uber-*.jar"))
        self._jar = jars.compiled(kit, self.name, jdk, 17, [*dist, *tables])
        self._avro = partial(jars.resolve, kit, "flink-avro", [f"org.apache.flink:flink-sql-avro:{VERSION}"])
        self._java_home = str(jdk.home)
        self._facts = {"version": dist[0].stem.rpartition("-")[2], "jdk": jdk.version, "jvm_flags": [TASK_MANAGER_FLAGS],
                       "configuration": MEMORY}

    def variants(self, work: str, point: Point) -> Sequence[Variant]:
        """Defaults; and for the relay flat out all in one task, where no packet crosses a network."""
        if work == "nexmark":
            return queries.variants(point)
        fused = Variant("fused", {**REUSE, "fused": True}, remark="one task, no network: no hop at all", comparable=False,
                        over_tcp=False)
        return [Variant("default"), fused] if work == "relay" else [Variant("default")]

    def candidates(self, work: str, point: Point) -> Sequence[Variant]:
        """Objects reused in all; what else counts is when buffers are sent, and how large they are."""
        if work == "nexmark":
            return []
        if work == "idle":
            return [Variant("buffer timeout 1 s", {**REUSE, "buffer_timeout_ms": 1000})]
        if work == "rates":
            return [Variant(f"buffer timeout {millis} ms", {**REUSE, "buffer_timeout_ms": millis}) for millis in (1, 0, 5)]
        reused = Variant("objects reused", REUSE)
        large, larger = ({**REUSE, SEGMENT: size} for size in ("128kb", "512kb"))
        if point.get("jobs", 1) >= MANY_JOBS:
            larger |= MANY_GATES
        return [reused, *(Variant(f"objects reused, segments of {kind[SEGMENT]}", kind) for kind in (large, larger))]

    def start(self, trial: Trial) -> None:
        """JobManager, then the TaskManagers, all in the foreground of a session of ours; a query has one process."""
        if trial.work == "nexmark":
            return
        rest, rpc, blob = free_ports(3)
        self._rest = rest
        trial.write_settings({"rest_port": rest})
        given = {name: value for name, value in trial.variant.settings.items() if name.startswith(CLUSTER)}
        self._configure(trial, {"rest.port": rest, "jobmanager.rpc.port": rpc, "blob.server.port": blob, **given})
        self._daemon(trial, "jobmanager")
        for index in range(TASK_MANAGERS):
            self._daemon(trial, "taskmanager", index)
        probe.wait_for(trial, lambda: _task_managers(rest) == TASK_MANAGERS, "its TaskManagers have registered")

    def _configure(self, trial: Trial, more: Mapping[str, object]) -> None:
        folder = trial.folder
        conf = folder / "conf"
        conf.mkdir()
        for file in (self._home / "conf").glob("*.properties"):
            shutil.copy(file, conf)
        given = (self._home / "conf" / "config.yaml").read_text().splitlines()
        opened = next((line.partition("all:")[2].strip() for line in given if line.strip().startswith("all:")), "")
        settings = {
            **dict.fromkeys(ADDRESSES, "127.0.0.1"),
            **MEMORY, **more,
            "taskmanager.numberOfTaskSlots": 1, "env.java.opts.all": opened, "env.java.opts.taskmanager": TASK_MANAGER_FLAGS,
            "io.tmp.dirs": str(folder / "tmp"), "pekko.ask.timeout": "60 s",
        }
        (conf / "config.yaml").write_text("".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items()))
        trial.keep_configuration(settings)

    def _environment(self, folder: Path) -> dict[str, str]:
        return {"JAVA_HOME": self._java_home, "FLINK_HOME": str(self._home), "FLINK_CONF_DIR": str(folder / "conf"),
                "FLINK_LIB_DIR": str(self._home / "lib"), "FLINK_OPT_DIR": str(self._home / "opt"),
                "FLINK_PLUGINS_DIR": str(self._home / "plugins"), "FLINK_LOG_DIR": str(folder / "log"),
                "FLINK_PID_DIR": str(folder)}

    def _daemon(self, trial: Trial, what: str, index: int = 0) -> None:
        (trial.folder / "log").mkdir(exist_ok=True)
        trial.processes.start(f"{what}{index}", [str(self._home / "bin" / f"{what}.sh"), "start-foreground"],
                              self._environment(trial.folder))

    def submit(self, trial: Trial) -> None:
        """Through its own client; a query in a process of its own."""
        if trial.work == "nexmark":
            more = self._avro() if trial.point["from"] == AVRO else []
            queries.start(trial, self._java_home, [self._jar, *sorted((self._home / "lib").glob("*.jar")), *more])
            return
        trial.processes.call("client", [
            str(self._home / "bin" / "flink"), "run", "--detached", "--class", "io.despina.compare.flink.Submit", str(self._jar),
            str(trial.folder / "job.properties")], SUBMIT_TIMEOUT_S, self._environment(trial.folder))
        trial.alarms.append(lambda: failure(self._rest))

    def sample(self, trial: Trial) -> Measured:
        """Through the run's folder."""
        if trial.work == "nexmark":
            return query_peer.sample(trial, whole=False)
        if trial.work == "idle":
            probe.wait_for(trial, lambda: len(probe.operator_pids(trial.folder)) == TASK_MANAGERS, "its operators have started")
        return peer.sample(trial)


def _ask(port: int, path: str) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=2) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except (OSError, ValueError):
        return {}


def _task_managers(port: int) -> int:
    return int(_ask(port, "overview").get("taskmanagers", -1))


def failure(port: int) -> str:
    """Why a job has failed; empty if none has. While it is FAILING it does not yet say why, and would not for seconds afterwards,
    since its answers are kept so long.
    """
    for job in _ask(port, "jobs").get("jobs", []):
        if job["status"] == "FAILED":
            return reason(_ask(port, f"jobs/{job['id']}/exceptions"))
    return ""


def reason(exceptions: Mapping[str, Any]) -> str:
    """What a job's ``/exceptions`` say, the newest of them: what it comes from first, since Flink wraps it in others; before 2.0
    they had a ``root-exception`` as well.
    """
    entries = (exceptions.get("exceptionHistory") or {}).get("entries") or [{}]
    told = str(entries[0].get("stacktrace") or exceptions.get("root-exception") or "it does not say why")
    outermost, *lines = told.splitlines()
    causes = [line.removeprefix(CAUSE) for line in lines if line.startswith(CAUSE)]
    return "\n".join([*reversed(causes), outermost][:REASON_LINES])
