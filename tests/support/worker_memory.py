"""Python functions at full load before a slow sink, with large answers, and in many jobs of one process: what they hold stays as
it was.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Job
from support.cycles import ONE
from support.graphs import Fields, chain, rows
from support.memory import Memory, look, resident
from support.processes import until
from support.python_workers import folders, workers

MB = 1 << 20
KEYS = 1_000
WARM_PART = 0.4
"""What of the time passes before memory is expected to stay where it is: pools fill, and hot methods are compiled."""
LOOK_EVERY_S = 1.0
GROWTH = {"resource": 24 * MB, "function": 6 * MB}
"""What a process may have more in the median of the last looks than in that of the first: a heap takes what it may have."""
HEAP_GROWTH, DIRECT_GROWTH = 8 * MB, MB
SETTLED_S = 90.0
"""Threads that watched processes stay for a minute when these have ended."""

FUNCTIONS = """
import numpy


class Means:
    def process(self, key, rows, state):
        for row in rows:
            state.count = (state.count or 0) + 1
            state.last = [*(state.last or []), row.x][-5:]
            yield sum(state.last) / len(state.last)


def scaled(mean):
    return numpy.sqrt(mean * 1.8 + 32)


def many(id):
    return [(id, k) for k in range(10_000)]


def long(id):
    return "x" * 1_000_000 + str(id)


def wide(id):
    return tuple(range(id, id + 5_000))


def narrow(batch):
    return batch.column(4_999)
"""
WIDE = ", ".join(f"c{k} BIGINT" for k in range(5_000))
SLOW = "a slow sink"


def _function(name: str, **fields: str) -> Fields:
    return {"type": "python", "function": f"held:{name}", **fields}


LARGE: dict[str, list[tuple[str, Fields]]] = {
    "10,000 rows for one": [("many", _function("many", schema="id BIGINT, k INT"))],
    "rows of 1 MB": [("long", _function("long", adds="text STRING"))],
    "5,000 columns": [("wide", _function("wide", schema=WIDE)),
                      ("narrow", _function("narrow", takes="arrow", schema="last BIGINT"))],
}
"""Functions whose answers, or what they get, are large, at full load."""


def large(name: str) -> Fields:
    """A graph of these, without end."""
    return chain(("source", rows(None, "id")), *LARGE[name], ("sink", {"type": "discard_sink"}), name="held")


def graph(count: int | None = None) -> Fields:
    """A function with state, one by numpy, and a relay that sleeps for a while, and for a while takes what comes."""
    source = rows(count, f"concat('device ', id % {KEYS}) AS device", "CAST(id % 89 AS DOUBLE) AS x", "repeat('x', 100) AS text")
    keyed = {"type": "python", "function": "held:Means", "group_by": ["device"], "state": "count BIGINT, last ARRAY<DOUBLE>",
             "adds": "mean DOUBLE"}
    slow = {} if count else {"steps": [{"for_ms": 500, "sleep_ms": 1}, {"for_ms": 500, "sleep_ms": 0}]}
    return chain(("source", source), ("means", keyed),
                 ("scaled", {"type": "python", "function": "held:scaled", "takes": "numpy", "adds": "scaled DOUBLE"}),
                 ("slow", {"type": "relay", **slow}), ("sink", {"type": "discard_sink"}), name="held")


@dataclass
class Load:
    """What was seen of one run.

    :ivar resident: of each process, resident bytes at each look after the warm-up
    :ivar warm: what the resource's JVM held after the warm-up
    :ivar ended: the same at last
    """

    packets: int = 0
    resident: dict[str, list[int]] = field(default_factory=dict)
    warm: Memory | None = None
    ended: Memory | None = None

    def grown(self) -> list[str]:
        """What grew: queues that were not bounded would have taken most of what the source makes."""
        grown = []
        for name, looks in self.resident.items():
            part = max(1, len(looks) // 4)
            before, after = (statistics.median(some) for some in (looks[:part], looks[-part:]))
            if after - before > GROWTH[name.partition(" ")[0]]:
                grown.append(f"resident memory of {name} grew by {(after - before) / MB:.1f} MB")
        if self.warm and self.ended:
            for what, more, most in (("live heap", self.ended.heap - self.warm.heap, HEAP_GROWTH),
                                     ("direct memory", self.ended.direct - self.warm.direct, DIRECT_GROWTH)):
                if more > most:
                    grown.append(f"{what} of the resource grew by {more / MB:.1f} MB")
        return grown


def run(engine: Engine, folder: Path, seconds: float, shape: str = SLOW) -> Load:
    """One job for so long. ``shape``: that of its graph, if there is no slow sink."""
    (folder / "held.py").write_text(FUNCTIONS)
    found = Load()
    content = graph() if shape == SLOW else large(shape)
    with Graph.from_dict(content).start(engine, RunOptions(deployment=ONE, modules=[folder])) as job:
        until(partial(_flows, job), "packet")
        pid = int(job.poll().resources["only"]["pid"])
        names = {pid: "resource", **{each: f"function {k}" for k, each in enumerate(sorted(workers(pid)))}}
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds and not job.poll(LOOK_EVERY_S).ended:
            if passed < WARM_PART * seconds:
                continue
            found.warm = found.warm or look(pid)
            for each, name in names.items():
                found.resident.setdefault(name, []).append(resident(each))
        found.ended = look(pid)
        found.packets = job.poll().operators["sink"]["packets_in"]
        job.stop("now")
        job.wait()
    return found


@dataclass(frozen=True)
class Held:
    """What a process holds: threads, and what is open by its kind."""

    threads: int
    sockets: int
    files: int


def held(pid: int) -> Held:
    """A look."""
    targets = list(_targets(Path(f"/proc/{pid}/fd").iterdir()))
    sockets = sum(each.startswith("socket:") for each in targets)
    return Held(len(list(Path(f"/proc/{pid}/task").iterdir())), sockets, len(targets) - sockets)


def _targets(files: Iterable[Path]) -> Iterable[str]:
    for file in files:
        try:
            yield str(file.readlink())
        except OSError:
            continue        # it has just been closed


def again(engine: Engine, jvm: int, folder: Path, jobs: int) -> tuple[Held, Held]:
    """So many jobs with functions in the engine's own process, every second one stopped on its way.

    :param jvm: the engine's process
    :return: what it holds after half of them, and after all, when threads that idle have gone
    """
    (folder / "held.py").write_text(FUNCTIONS)
    for number in range(1, jobs + 1):
        is_stopped = number % 2 == 0
        with Graph.from_dict(graph(None if is_stopped else 2_000)).start(engine, RunOptions(modules=[folder])) as job:
            if is_stopped:
                until(partial(_flows, job), "packet")
                job.stop("now")
            job.wait()
        if number == jobs // 2:
            half = _settled(jvm, held(jvm))
    return half, _settled(jvm, half)


def _flows(job: Job) -> bool:
    return bool(job.poll(0.02).operators["sink"]["packets_in"] > 0)


def _settled(jvm: int, most: Held) -> Held:
    """When nothing of functions is left and no more threads than these are there; waits in vain if there are more."""
    until(lambda: not workers(jvm), "end of the functions' processes")
    until(lambda: not folders(jvm), "end of their folder")
    try:
        until(lambda: held(jvm).threads <= most.threads, f"return to {most.threads} threads", SETTLED_S)
    except AssertionError:
        return held(jvm)
    return held(jvm)
