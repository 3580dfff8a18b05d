"""Threads that stay on their processors, and threads that do not sleep, beside a program that keeps one processor busy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness import engine, graphs, java
from harness.experiment import Experiment, Measured, Plan, Point, Run, Subject

RATE = 20_000
POLL_US = 50
SYSTEM = "as the system likes"
FIELDS: dict[str, tuple[bool, dict[str, Any]]] = {
    SYSTEM: (False, {"cores": 1}),
    "pinned": (True, {"cores": 1, "pin": "cores"}),
    "polling": (False, {"cores": 1, "poll_us": POLL_US}),
    "pinned, polling": (True, {"cores": 1, "pin": "cores", "poll_us": POLL_US}),
}
"""Whether each resource has a processor of its own, and its fields."""


@contextmanager
def _disturber(on: bool) -> Iterator[None]:
    """A program that keeps the first processor busy."""
    if not on:
        yield
        return
    first = str(min(os.sched_getaffinity(0)))
    with subprocess.Popen(["taskset", "-c", first, sys.executable, "-c", "while True: pass"]) as program:
        try:
            yield
        finally:
            program.kill()


def _subject(apart: bool, fields: Mapping[str, Any]) -> Callable[[Run], Measured]:
    def relay(run: Run) -> Measured:
        first, second, *_ = sorted(os.sched_getaffinity(0))
        cpus = {"near": first, "far": second}
        resources = {name: {**fields, **({"cpus": str(cpu)} if apart else {})} for name, cpu in cpus.items()}
        deployment = {"format": 1, "resources": resources, "place": {"relay": ["far"], "*": ["near"]}}
        rate = run.point["rate_per_s"]
        with _disturber(run.point["disturbed"]):
            report = engine.timed(run, graphs.relay(50, rate_per_s=rate or None), deployment)
        values = engine.measured(report).values
        kept = ("per_s", "cpu_s_per_million", "switches_per_s", *(("p50_ms", "p99_ms") if rate else ()))
        return Measured({name: values[name] for name in kept}, report)
    return relay


POINTS: tuple[Point, ...] = tuple({"rate_per_s": rate, "disturbed": disturbed}
                                  for rate in (RATE, 0) for disturbed in (False, True))
EXPERIMENT = Experiment(
    name="processors",
    doc=f"""The relay of 50-byte packets in two processes of a worker thread each, at {RATE:,}/s and flat out (0), beside a
    program that keeps one of two processors busy: threads that go where the system puts them; that stay, source and
    sink on the first processor and the relay on the second; that look for work for {POLL_US} us before they sleep; and both.
    Nothing is asked of it: whatever comes out is told.""",
    subjects=tuple(Subject(name, _subject(*what), 3) for name, what in FIELDS.items()),
    metrics=(engine.PER_S, engine.P50, engine.P99, engine.CPU, engine.SWITCHES),
    baseline=SYSTEM,
    compared="p99_ms",
    full=Plan([point for point in POINTS if point["disturbed"]], repeats=3, warm_up_s=4, seconds=6),
    long=Plan(POINTS, warm_up_s=5, seconds=8),
    quick=Plan([POINTS[1]], repeats=1, warm_up_s=1.5, seconds=2),
    needs=(java.java_needed, engine.taskset_needed, engine.two_processors_needed),
    remarks="""Three rounds: no claim is made of it. The long plan has all of it without that program, too.""",
)
