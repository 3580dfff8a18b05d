"""How soon rows come again after a part of a job was killed."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina.engine import Engine
from harness import engine as command
from harness import java, plots, stats
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError, children

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from despina.job import Job
    from harness.result import Result

KEYS, MANY = 1_000_000, 10_000_000
RATE_PER_S = 100_000
RATES = {KEYS: RATE_PER_S, MANY: 400_000}
MEMORY = {KEYS: 512 << 20, MANY: 3 << 30}
HERE = "127.0.0.1"
LOOK_EVERY_S = 0.01
AFTER_S = 6.0
"""How long is looked on after the kill."""
MOST_S = 60
"""So long a row after the kill is waited for."""
FIRST = Metric("first_row_ms", "kill to first new row, ms")
VISIBLE = Metric("visible_ms", "kill to first row committed, ms")
PARTS = [Metric(f"{part}_ms", f"{part}, ms after it was seen") for part in ("ended", "claimed", "deployed", "restored")]
SEEN = Metric("seen_ms", "kill to seen, ms")
RESTORE = Metric("restore_ms", "states read, ms")
BEYOND = Metric("beyond_ms", "first new row after the start of a process, ms")
BACK = Metric("back", "until rows were as far behind as twice before, in outages")


@dataclass(frozen=True)
class Loss:
    """How a resource is lost, and what then plays its part.

    :ivar fields: of the deployment
    :ivar start: who starts the resources
    """

    fields: Mapping[str, Any]
    blow: signal.Signals = signal.SIGKILL
    start: str = "child"


SPARE, SURVIVOR, CHILD = "spare", "survivor", "new child"
STOPPED, EXECUTOR, COORDINATOR = "spare, of one that is stopped", "executor with a free slot", "next coordinator"
LOSSES = {SPARE: Loss({"spares": 1}), SURVIVOR: Loss({"on_loss": "move"}), CHILD: Loss({"on_loss": "wait"}),
          STOPPED: Loss({"spares": 1}, signal.SIGSTOP), EXECUTOR: Loss({}, start="executor")}


def killed(run: Run) -> Measured:
    """A fold of many keys at half load, of which a part is killed once, after the warm-up."""
    if run.point["instead"] == COORDINATOR:
        return _without_coordinator(run)
    loss, keys = LOSSES[run.point["instead"]], run.point["keys"]
    out = run.folder / "out"
    with _engine(loss) as engine, job(_graph(out, keys), engine, deployment=_deployment(loss, keys),
                                      state=run.folder / "state") as running:
        until(running, "running")
        _until_committed(out, _warm_up_s(run))
        pid = int(running.counters.resources["far"]["pid"])
        watch = _Watch(running, out)
        watch.start()
        time.sleep(1.0)
        try:
            watch.kill(pid, loss.blow)
            time.sleep(AFTER_S)
            last = _went_on(running)
            watch.until_visible()
            watch.end()
        finally:
            with suppress(ProcessLookupError):      # one that is stopped does not end by itself
                os.kill(pid, signal.SIGKILL)
    if last is None or last["first_row_ms"] is None or watch.visible_s is None:
        raise RunError(f"no row came after the kill: {last}")
    seen_ms = last["at_ms"] - watch.killed_ms
    outage_ms = seen_ms + last["first_row_ms"]
    values = {FIRST.name: outage_ms, VISIBLE.name: 1000 * watch.visible_s, SEEN.name: seen_ms,
              RESTORE.name: last["restored_ms"] - last["deployed_ms"], BEYOND.name: last["first_row_ms"] - last["claimed_ms"],
              **{part.name: last[part.name] for part in PARTS}}
    if (back_s := back(watch.looks, watch.killed_at, RATES[keys])) is not None:
        values[BACK.name] = 1000 * back_s / outage_ms
    return Measured(values, {"looks": watch.looks, "killed_at": watch.killed_at})


def _went_on(running: Job) -> Mapping[str, Any] | None:
    """What the time of the restart went to, once a row has come after it; of a machine that is busy that may take a while."""
    deadline = time.monotonic() + MOST_S
    while True:
        last = running.counters.last_restart
        if time.monotonic() > deadline or (last is not None and last["first_row_ms"] is not None):
            return last
        time.sleep(LOOK_EVERY_S)


@contextmanager
def _engine(loss: Loss) -> Iterator[Engine]:
    if loss.start == "child":
        with session() as started:
            yield started
        return
    from pyspark import SparkContext

    from despina.backends import executors
    spark = executors.session("local-cluster[3,1,1024]", {"spark.ui.enabled": "false"})
    try:
        yield executors.engine(spark)
    finally:
        spark.stop()
        if SparkContext._gateway is not None:       # its JVM ends with this run, and Spark would look for it in the next
            SparkContext._gateway.shutdown()
            SparkContext._gateway = SparkContext._jvm = None


def _deployment(loss: Loss, keys: int) -> dict[str, Any]:
    memory = {"memory_bytes": MEMORY[keys]} if loss.start == "child" else {}
    both = keys == MANY        # a survivor has to have room for all
    return {"format": 1, "resources": {"near": {"start": loss.start, **(memory if both else {})},
                                       "far": {"start": loss.start, **memory}},
            "place": {"fold": ["far"], "*": ["near"]}, **loss.fields}


def _without_coordinator(run: Run) -> Measured:
    """The command and its JVM are killed, and the command is started again; the resources are kept."""
    out, secret, keys = run.folder / "out", run.folder / "secret", run.point["keys"]
    secret.touch(0o600)
    secret.write_text(secrets.token_hex(16))
    with socket.create_server((HERE, 0)) as free:
        port = free.getsockname()[1]
    for name in ("near", "far"):
        run.processes.start(name, [sys.executable, "-m", "despina", "resource", "--name", name, "--join", f"{HERE}:{port}",
                                   "--listen", HERE, "--secret-file", str(secret), "--memory", str(MEMORY[keys]), "--keep"],
                            command.environment())
    joins = {name: {"start": "join", "control_port": port} for name in ("near", "far")}
    words = command.Command(_graph(out, keys), {"format": 1, "resources": joins, "place": {"fold": ["far"], "*": ["near"]}},
                            options=("--state", str(run.folder / "state"), "--secret-file", str(secret)))
    with command.running(words, run.folder) as first:
        _until_committed(out, _warm_up_s(run))
        jvms = children(first.process.pid)
        for pid in (*jvms, first.process.pid):
            os.kill(pid, signal.SIGKILL)
        killed_at = time.monotonic()
        committed = _committed(out)
        first.process.wait()
    again = command.Command(words.graph, words.deployment, duration_s=AFTER_S, options=words.options)
    with command.running(again, run.folder) as second:
        while _committed(out) <= committed:
            if time.monotonic() > killed_at + MOST_S:
                raise RunError(f"nothing was committed within {MOST_S} s of the kill")
            time.sleep(LOOK_EVERY_S)
        visible_s = time.monotonic() - killed_at
        report = second.report()
    return Measured({VISIBLE.name: 1000 * visible_s, BEYOND.name: 1000 * report["first_packet_s"]}, report)


def _warm_up_s(run: Run) -> float:
    """So long that each key has come."""
    keys: int = run.point["keys"]
    return max(run.warm_up_s, 1.1 * keys / RATES[keys])


def _graph(out: Path, keys: int) -> dict[str, Any]:
    by_key = {"fuse": False, "partition": {"type": "hash", "by": ["k"]}}
    return {"format": 1, "name": "recovery", "operators": {
                "source": {"type": "generator_source", "rate_per_s": RATES[keys], "rows": {"type": "select", "select": [
                    f"pmod(id * 2654435761, {keys}) AS k", "id AS n"]}},
                "fold": {"type": "aggregate", "group_by": ["k"], "emit": "each", "select": ["k", "count(*) AS c", "max(n) AS n"]},
                "sink": {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 1000}},
            "links": [{"from": "source", "to": "fold", **by_key}, {"from": "fold", "to": "sink", "fuse": False}]}


def _committed(out: Path) -> int:
    """Bytes that a reader can see."""
    try:
        return sum(file.stat().st_size for file in out.iterdir() if file.name.startswith("part-"))
    except FileNotFoundError:
        return 0


def _until_committed(out: Path, seconds: float) -> None:
    time.sleep(seconds)
    deadline = time.monotonic() + 60
    while not _committed(out):
        if time.monotonic() > deadline:
            raise RunError("nothing was committed within 60 s")
        time.sleep(LOOK_EVERY_S)


class _Watch(threading.Thread):
    """Looks at what is committed, every few milliseconds, and at the rows at the sink, as often as the job answers."""

    def __init__(self, running: Job, out: Path) -> None:
        super().__init__(daemon=True)
        self._running, self._out = running, out
        self._ends = False
        self._began = time.monotonic()
        self._committed: int | None = None
        self.killed_at = self.killed_ms = 0.0
        self.visible_s: float | None = None
        self.looks: list[list[float]] = []

    def run(self) -> None:
        """Until the end."""
        while not self._ends:
            now, committed = time.monotonic(), _committed(self._out)
            if self._committed is not None and self.visible_s is None and committed > self._committed:
                self.visible_s = now - self._began - self.killed_at
            rows = self._running.poll().operators["sink"]["packets_in"]
            self.looks.append([round(now - self._began, 3), rows, committed])
            time.sleep(LOOK_EVERY_S)

    def kill(self, pid: int, blow: signal.Signals) -> None:
        """Notes the time, and what was committed."""
        self.killed_at, self.killed_ms = time.monotonic() - self._began, time.time() * 1000
        os.kill(pid, blow)
        self._committed = _committed(self._out)

    def until_visible(self) -> None:
        """Waits for the first commit behind the kill, or for as long as for the first row."""
        deadline = time.monotonic() + MOST_S
        while self.visible_s is None and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)

    def end(self) -> None:
        """No look any more."""
        self._ends = True
        self.join()


def joined(looks: Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    """The looks with the most rows that any had seen so far. The counters of an attempt that goes on begin anew, then are those
    of the epoch, and rows behind that are counted again: none of these is new before there are more than there were.
    """
    most = 0.0
    return [(t, most := max(most, n), committed) for t, n, committed in looks]


def behind(looks: Sequence[Sequence[float]], rate: float) -> list[tuple[float, float]]:
    """At each look: the time, and how many seconds the rows at the sink are behind those that were due since the first look."""
    first_t, first_n, _ = looks[0]
    return [(t, max(0.0, (t - first_t) - (n - first_n) / rate)) for t, n, _ in joined(looks)]


def back(looks: Sequence[Sequence[float]], killed_at: float, rate: float) -> float | None:
    """How long after the kill rows are as far behind again as twice the 99th percentile before it; None if they never are."""
    times = behind(looks, rate)
    before = sorted(late for t, late in times if t < killed_at)
    usual = max(2 * before[int(0.99 * (len(before) - 1))], 2 * LOOK_EVERY_S) if before else 0.0
    late = [t for t, late in times if t >= killed_at and late > usual]
    after = [t for t, _ in times if t > late[-1]] if late else [killed_at]
    return after[0] - killed_at if after else None


def draw(result: Result, picture: Picture) -> None:
    """Rate at the sink, rows behind as the latency that they are, and committed megabytes, around a kill."""
    panels = [picture.add_subplot(3, 1, k + 1) for k in range(3)]
    colours = plots.colours(list(LOSSES), many=True)
    for instead in LOSSES:
        repeat = result.middle("despina", at(instead), FIRST.name)
        if repeat is None:
            continue
        looks, killed_at = joined(repeat.raw["looks"]), repeat.raw["killed_at"]
        colour, _ = next(colours)
        times = [t - killed_at for t, _, _ in looks]
        steps = range(20, len(looks), 20)
        rates = [(looks[k][1] - looks[k - 20][1]) / (looks[k][0] - looks[k - 20][0]) for k in steps]
        panels[0].plot([times[k] for k in steps], rates, color=colour, label=instead)
        panels[1].plot(times, [late for _, late in behind(looks, RATE_PER_S)], color=colour, label=instead)
        panels[2].plot(times, [committed / 1e6 for _, _, committed in looks], color=colour, label=instead)
    for axes, label in zip(panels, ("rows/s at the sink", "behind, s", "committed, MB"), strict=True):
        plots.style(axes, "", "", label)
        axes.axvline(0, color="#888888", linewidth=0.8)
    panels[2].set_xlabel("seconds since the kill")
    panels[0].legend(fontsize=8, frameon=False)


def at(instead: str, keys: int = KEYS) -> Point:
    """The point of that loss."""
    return {"instead": instead, "keys": keys}


def _claim(text: str, metric: Metric, point: Point, most: float) -> Claim:
    return Claim(f"{text}: {point['instead']}", lambda result: result.estimate(metric.name, "despina", point), at_most=most)


def _seldom(text: str, metric: Metric, point: Point, most: float) -> Claim:
    """Of the 99th percentile, which is that of fewer runs the greatest."""
    def found(result: Result) -> float | None:
        values = sorted(result.values(metric.name, "despina", point))
        return values[min(len(values) - 1, int(0.99 * len(values)))] if len(values) >= stats.FEWEST_ROUNDS else None
    return Claim(f"{text}, p99: {point['instead']}", found, at_most=most)


def _claims() -> Iterator[Claim]:
    for soon in (at(SPARE), at(SURVIVOR)):
        yield _claim("first new row, ms at the median", FIRST, soon, 400)
        yield _seldom("first new row, ms", FIRST, soon, 1_000)
        yield _claim("visible, ms at the median", VISIBLE, soon, 600)
        yield _seldom("visible, ms", VISIBLE, soon, 1_400)
        yield _claim("rows as far behind as twice before, in outages", BACK, soon, 3)
    yield _claim("first new row after the start of its process, ms", BEYOND, at(CHILD), 500)
    yield _claim("first new row after the start of its process, ms", BEYOND, at(COORDINATOR), 500)
    yield _seldom("first new row, ms", FIRST, at(EXECUTOR), 3_000)
    yield _seldom("kill to seen, ms", SEEN, at(STOPPED), 2_000)
    yield _claim(f"states of {MANY:,} keys read, ms", RESTORE, at(SURVIVOR, MANY), 3_000)


EXPERIMENT = Experiment(
    name="recovery",
    doc=f"""A fold of {KEYS:,} keys at {RATE_PER_S:,} rows a second into files, an epoch a second. The resource that has the fold
    is killed with SIGKILL, or stopped; a spare, a survivor, a new child or another executor takes its part. Or the coordinator
    is killed, its resources are kept, and the command is typed again. New rows are those that were not at the sink before the
    kill; visible are those that were not in a committed file. Of {MANY:,} keys the reading of the states is looked at. Kills:
    one per round, so `--rounds 200` makes as many.""",
    subjects=(Subject("despina", killed, 8, lambda point, plan: 14 + max(plan.warm_up_s, point["keys"] / RATES[point["keys"]])
                      + AFTER_S),),
    metrics=(FIRST, VISIBLE, SEEN, *PARTS, RESTORE, BEYOND, BACK),
    full=Plan([*(at(instead) for instead in (*LOSSES, COORDINATOR)), at(SURVIVOR, MANY)], repeats=20, warm_up_s=12,
              seconds=AFTER_S),
    quick=Plan([at(SPARE)], repeats=1, warm_up_s=3, seconds=AFTER_S),
    claims=tuple(_claims()),
    figures=(Figure("kill", draw, (8, 8)),),
    needs=(java.java_needed,),
)
