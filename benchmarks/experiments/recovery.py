"""How soon rows come again after a resource was killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import java, plots
from harness.api import job, session, until
from harness.experiment import Claim, Experiment, Figure, Measured, Metric, Plan, Point, Run, Subject
from harness.processes import RunError

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

    from despina.job import Job
    from harness.result import Result

KEYS = 1_000_000
RATE_PER_S = 100_000
LOOK_EVERY_S = 0.01
AFTER_S = 6.0
"""How long is looked on after the kill."""
FIRST = Metric("first_row_ms", "kill to first new row, ms")
VISIBLE = Metric("visible_ms", "kill to first row committed, ms")
PARTS = [Metric(f"{part}_ms", f"{part}, ms after it was seen") for part in ("ended", "claimed", "deployed", "restored")]
SEEN = Metric("seen_ms", "kill to seen, ms")


def killed(run: Run) -> Measured:
    """A fold of a million keys at half load, whose resource is killed once, after the warm-up."""
    out = run.folder / "out"
    deployment = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child", "memory_bytes": 512 << 20}},
                  "place": {"fold": ["far"], "*": ["near"]}, **LOSSES[run.point["instead"]]}
    with session() as engine, job(_graph(out), engine, deployment=deployment, state=run.folder / "state") as running:
        until(running, "running")
        _until_committed(out, run.warm_up_s)
        pid = int(running.counters.resources["far"]["pid"])
        watch = _Watch(running, out)
        watch.start()
        time.sleep(1.0)
        watch.kill(pid)
        time.sleep(AFTER_S)
        watch.end()
        last = running.counters.last_restart
    if last is None or last["first_row_ms"] is None or watch.visible_s is None:
        raise RunError(f"no row came after the kill: {last}")
    seen_ms = last["at_ms"] - watch.killed_ms
    return Measured({FIRST.name: seen_ms + last["first_row_ms"], VISIBLE.name: 1000 * watch.visible_s, SEEN.name: seen_ms,
                     **{part.name: last[part.name] for part in PARTS}},
                    {"looks": watch.looks, "killed_at": watch.killed_at})


LOSSES: dict[str, dict[str, Any]] = {"spare": {"spares": 1}, "survivor": {"on_loss": "move"}, "new child": {"on_loss": "wait"}}


def _graph(out: Path) -> dict[str, Any]:
    by_key = {"fuse": False, "partition": {"type": "hash", "by": ["k"]}}
    return {"format": 1, "name": "recovery", "operators": {
                "source": {"type": "generator_source", "rate_per_s": RATE_PER_S, "rows": {"type": "select", "select": [
                    f"pmod(xxhash64(id), {KEYS}) AS k", "id AS n"]}},
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

    def kill(self, pid: int) -> None:
        """Notes the time, and what was committed."""
        self.killed_at, self.killed_ms = time.monotonic() - self._began, time.time() * 1000
        os.kill(pid, signal.SIGKILL)
        self._committed = _committed(self._out)

    def end(self) -> None:
        """No look any more."""
        self._ends = True
        self.join()


def draw(result: Result, picture: Picture) -> None:
    """Rate at the sink, rows behind as the latency that they are, and committed megabytes, around a kill."""
    panels = [picture.add_subplot(3, 1, k + 1) for k in range(3)]
    colours = plots.colours(list(LOSSES), many=True)
    for instead in LOSSES:
        repeat = result.middle("despina", _at(instead), FIRST.name)
        if repeat is None:
            continue
        looks, killed_at = repeat.raw["looks"], repeat.raw["killed_at"]
        colour, _ = next(colours)
        times = [t - killed_at for t, _, _ in looks]
        steps = range(20, len(looks), 20)
        rates = [(looks[k][1] - looks[k - 20][1]) / (looks[k][0] - looks[k - 20][0]) for k in steps]
        panels[0].plot([times[k] for k in steps], rates, color=colour, label=instead)
        first_t, first_n, _ = looks[0]
        behind = [max(0.0, (t - first_t) - (n - first_n) / RATE_PER_S) for t, n, _ in looks]
        panels[1].plot(times, behind, color=colour, label=instead)
        panels[2].plot(times, [committed / 1e6 for _, _, committed in looks], color=colour, label=instead)
    for axes, label in zip(panels, ("rows/s at the sink", "behind, s", "committed, MB"), strict=True):
        plots.style(axes, "", "", label)
        axes.axvline(0, color="#888888", linewidth=0.8)
    panels[2].set_xlabel("seconds since the kill")
    panels[0].legend(fontsize=8, frameon=False)


def _at(instead: str) -> Point:
    return {"instead": instead}


def _claim(text: str, metric: Metric, instead: str, most: float) -> Claim:
    return Claim(f"{text}: {instead}", lambda result: result.estimate(metric.name, "despina", _at(instead)), at_most=most)


EXPERIMENT = Experiment(
    name="recovery",
    doc=f"""A fold of {KEYS:,} keys at {RATE_PER_S:,} rows a second into files, an epoch a second. The resource that has the fold
    is killed with SIGKILL; a spare, a survivor or a new child takes its part. New rows are those that were not at the sink
    before the kill; visible are those that were not in a committed file.""",
    subjects=(Subject("despina", killed, 8, lambda point, plan: 14 + plan.warm_up_s + AFTER_S),),
    metrics=(FIRST, VISIBLE, SEEN, *PARTS),
    full=Plan([_at(instead) for instead in LOSSES], repeats=20, warm_up_s=12, seconds=AFTER_S),
    quick=Plan([_at("spare")], repeats=1, warm_up_s=3, seconds=AFTER_S),
    claims=(_claim("first new row, ms at the median", FIRST, "spare", 400),
            _claim("visible, ms at the median", VISIBLE, "spare", 600),
            _claim("first new row, ms at the median", FIRST, "survivor", 400)),
    figures=(Figure("kill", draw, (8, 8)),),
    needs=(java.java_needed,),
)
