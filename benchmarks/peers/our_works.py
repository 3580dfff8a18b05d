"""All works but the manufacturing jobs on Despina."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness import engine, graphs
from harness.api import counted, ended, job, pids, session, until
from harness.experiment import Measured
from harness.processes import RunError
from harness.sampling import Watch
from peers import heaps, manufacturing, probe, words
from peers.contract import Trial

Json = dict[str, Any]

ADDRESSES = 10_000
STRIDE = 7919
STEP_US = 100
WINDOW_US = 30_000_000
FOR_EVER = 1_000_000_000
"""So often lines are sent; not 0, for then the stream had no end at which the check could put out what it has."""
IN_ORDER = {"missing": 0, "reordered": 0}
"""Despina's sink verifies: a job with a gap fails."""
SILENT_PER_S = 0.001
"""One packet at the start, the next after a quarter of an hour."""


def deployment(near: list[str]) -> Json:
    """Two resources: these operators in one, all others in the other."""
    return {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
            "place": {**{name: ["near"] for name in near}, "*": ["far"]}}


def graph(name: str, operators: Mapping[str, Json]) -> Json:
    """A chain of operators, nothing fused across it but what the engine fuses by itself."""
    return {"format": 1, "name": name, "operators": dict(operators),
            "links": [{"from": a, "to": b} for a, b in pairwise(operators)]}


def run(trial: Trial) -> Measured:
    """Measures and verifies a run."""
    return WORKS[trial.work](trial)


def _relay(trial: Trial) -> Measured:
    chain = graphs.relay(trial.point["packet_bytes"], rate_per_s=trial.point.get("rate_per_s"))
    found = _timed(trial, chain, "sink")
    return Measured({**found.values, **IN_ORDER}, found.raw)


def _timed(trial: Trial, chain: Json, operator: str) -> Measured:
    with session() as started, job(chain, started, deployment=deployment(["source", "sink"]), warm_up_s=trial.warm_up_s,
                                   duration_s=trial.warm_up_s + trial.seconds) as running:
        until(running, "running")
        roles = {pid: [name] for name, pid in pids(running).items()}
        costs = probe.look_on(trial, roles)
        ended([running], trial.seconds + engine.SLACK_S)
        report = {**running.report(), "sources_s": trial.seconds}
    packets = round(engine.per_s(report, report["operators"][operator]["packets_in"]) * trial.seconds)
    latency = report["packet_latency_ms"]["sink"] if trial.point.get("rate_per_s") else {}
    return probe.figures(trial, packets, trial.seconds, costs, latency,
                         {"roles": {str(pid): r for pid, r in roles.items()}, "report": report})


def _fixed_window(trial: Trial) -> Measured:
    rows = {"type": "select", "select": [f"id * {STRIDE} % {ADDRESSES} AS address", f"timestamp_micros(id * {STEP_US}) AS ts"]}
    out = trial.folder / "windows"
    found = _timed(trial, graph("fixed_window", {
        "source": {"type": "generator_source", "rows": rows, "event_time": {"column": "ts"}},
        "windows": {"type": "aggregate", "group_by": ["address"], "window": {"type": "tumbling", "size_ms": WINDOW_US // 1000},
                    "select": ["unix_micros(window.start) AS start", "address", "unix_micros(min(ts)) AS first",
                               "count(*) AS n"]},
        "sink": {"type": "file_sink", "path": str(out), "format": "json"}}), "windows")
    return Measured(found.values, {**found.raw, "check": {"right": _windows_right(out)}})


def _windows_right(out: Path) -> int:
    """How many windows were put out.

    :raise RunError: one is wrong, or not there
    """
    windows: dict[int, list[int]] = {}
    for row in manufacturing.read(out):
        sums = windows.setdefault(row["start"], [0, 0, 0])
        for k, value in enumerate((1, row["n"], row["first"])):
            sums[k] += value
    for start, sums in windows.items():
        if sums != [ADDRESSES, WINDOW_US // STEP_US, ADDRESSES * start + STEP_US * (ADDRESSES * (ADDRESSES - 1) // 2)]:
            raise RunError(f"the window at {start} is wrong: {sums}")
    if not windows:
        raise RunError("no window was put out")
    if sorted(windows) != [k * WINDOW_US for k in range(len(windows))]:
        raise RunError(f"of the {len(windows)} windows up to {max(windows)} not every one is there")
    return len(windows)


def _word_count(trial: Trial) -> Measured:
    assert trial.input is not None
    out = trial.folder / "counts"
    chain = graph("word_count", {
        "source": {"type": "file_source", "path": str(trial.input.file), "format": "text", "schema": "value STRING",
                   "preload": True, "repeat": FOR_EVER},
        "split": {"type": "explode", "of": "split(value, ' ')", "as": "word"},
        "counts": {"type": "aggregate", "group_by": ["word"], "emit": "each", "select": ["word", "count(*) AS n"]},
        "check": {"type": "aggregate", "group_by": ["word"],
                  "select": ["word", "count(*) AS rows", "min(n) AS first", "max(n) AS last", "sum(n) AS total"]},
        "sink": {"type": "file_sink", "path": str(out), "format": "json"}})
    with session() as started, job(chain, started, deployment=deployment(["source", "check", "sink"])) as running:
        until(running, "running")
        time.sleep(trial.warm_up_s)
        roles = {pid: [name] for name, pid in pids(running).items()}
        begin, (before,) = counted([running], "counts")
        watch = Watch(roles, trial.seconds)
        time.sleep(trial.seconds)
        end, (after,) = counted([running], "counts")
        costs = watch.end()
        running.stop("flush")
        ended([running], trial.seconds + engine.SLACK_S)
    right = _counts_right(out, trial.input.file)
    return probe.figures(trial, after - before, end - begin, costs, {},
                         {"roles": {str(pid): r for pid, r in roles.items()}, "check": {"right": right}})


def _counts_right(out: Path, file: Path) -> int:
    """How many words were put out, each with the counts 1, 2, 3 and so on (as many as the last one says, and their sum), and all
    of them together those of the lines so far.

    :raise RunError: one is wrong, or words are missing
    """
    rows = {row["word"]: row for row in manufacturing.read(out)}
    for word, row in rows.items():
        last = row["last"]
        if (row["rows"], row["first"], row["total"]) != (last, 1, last * (last + 1) // 2):
            raise RunError(f"the counts of {word} are wrong: {row}")
    if not rows:
        raise RunError("no word was counted")
    found = {word: row["last"] for word, row in rows.items()}
    wanted = words.first(file, sum(found.values()))
    wrong = [word for word in {**found, **wanted} if found.get(word) != wanted.get(word)]
    if wrong:
        raise RunError(f"{len(wrong)} of {len(wanted)} words were not counted as often as they came: {wrong[:3]}")
    return len(found)


def _slow_sink(trial: Trial) -> Measured:
    chain = graph("slow_sink", {
        "source": {"type": "generator_source",
                   "rows": {"type": "packets", "packet_bytes": trial.point["packet_bytes"], "content": "random"}},
        "relay": {"type": "relay"}, "slow": {"type": "relay", "sleep_ms": trial.point["sleep_ms"]},
        "sink": {"type": "discard_sink", "verify": "sampled"}})
    with session() as started, job(chain, started, deployment=deployment(["source", "slow", "sink"])) as running:
        until(running, "running")
        time.sleep(trial.warm_up_s)
        roles = {pid: [name] for name, pid in pids(running).items()}
        before = heaps.live_bytes(list(roles))
        begin, first = time.monotonic(), running.counters.operators["sink"]["packets_in"]
        watch = Watch(roles, trial.seconds)
        time.sleep(trial.seconds)
        costs = watch.end()
        packets = running.counters.operators["sink"]["packets_in"] - first
        seconds = time.monotonic() - begin
        if running.counters.ended:
            running.wait()      # says why
            raise RunError("the job ended by itself")
        found = probe.figures(trial, packets, seconds, costs, {},
                              {"told": IN_ORDER, "roles": {str(pid): r for pid, r in roles.items()}})
        return heaps.grown(found, costs, (before, heaps.live_bytes(list(roles))))


def _idle(trial: Trial) -> Measured:
    chain = graph("idle", {
        "source": {"type": "generator_source", "rate_per_s": SILENT_PER_S,
                   "rows": {"type": "packets", "packet_bytes": trial.point["packet_bytes"], "content": "random"}},
        "relay": {"type": "relay"}, "sink": {"type": "discard_sink", "verify": "sampled"}})
    with session() as started, job(chain, started, deployment=deployment(["source", "sink"])) as running:
        until(running, "running")
        return probe.idle(trial, list(pids(running).values()))


WORKS = {"relay": _relay, "rates": _relay, "fixed_window": _fixed_window, "word_count": _word_count, "slow_sink": _slow_sink,
         "idle": _idle}
