"""The same job again and again in one resource; what its JVM holds after each half."""

from __future__ import annotations

from dataclasses import dataclass

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Status
from support.graphs import Fields, chain, rows
from support.memory import Memory, look
from support.processes import over, until

ONE: Fields = {"format": 1, "resources": {"only": {"start": "child"}}}
COUNT = 2_000
MB = 1 << 20
CHUNK = 4 * MB
"""Netty's pool grows by one of these when two jobs' segments happen to overlap, and keeps it."""
SMALL = 64 << 10
"""What threads that first touch a file or a socket keep for themselves."""


def graph() -> Fields:
    """Expressions, groups, a remote-free link, a window: what loads and compiles classes anew in each job."""
    source = rows(COUNT, "timestamp_millis(id * 10) AS ts", "id % 7 AS k", "id AS n", event_time={"column": "ts"})
    return chain(("source", source), ("kept", {"type": "filter", "where": "n % 2 = 0"}),
                 ("sums", {"type": "aggregate", "group_by": ["k"], "window": {"type": "tumbling", "size_ms": 1000},
                           "select": ["k", "window.start AS start", "sum(n) AS total"]}),
                 ("sink", {"type": "collect_sink"}), links={"fuse": False}, name="cycle")


@dataclass(frozen=True)
class Halves:
    """One resource after half of the cycles, and after all."""

    half: Memory
    whole: Memory

    def grown(self, metaspace: int = MB) -> list[str]:
        """What rose beyond chance.

        :param metaspace: bytes it may rise by: profiles of methods that warm up, some 50 KB a job over the first twenty
        """
        allowed = {"threads": 0, "direct": CHUNK + SMALL, "metaspace": metaspace}
        return [name for name, most in allowed.items() if getattr(self.whole, name) > getattr(self.half, name) + most]


def settled(pid: int, threads: int | None = None) -> Memory:
    """A look, once threads that idle have gone; waits for that number where one is given, in vain if there are more."""
    if threads is not None:
        try:
            until(lambda: look(pid).threads <= threads, f"return to {threads} threads", 20)
        except AssertionError:
            return look(pid)
    return look(pid)


def run(engine: Engine, cycles: int) -> Halves:
    """Starts and ends the job so often, each time over its rows; every second one is stopped in the middle."""
    pid = 0
    for cycle in range(1, cycles + 1):
        pid = int(one(engine, RunOptions(deployment=ONE), stopped=cycle % 2 == 0).resources["only"]["pid"])
        if cycle == cycles // 2:
            half = settled(pid)
    return Halves(half, settled(pid, half.threads))


def one(engine: Engine, options: RunOptions, *, stopped: bool) -> Status:
    """One job, to its end or stopped on its way."""
    content = graph()
    if stopped:
        del content["operators"]["source"]["count"]
    with Graph.from_dict(content).start(engine, options) as job:
        if stopped:
            until(lambda: job.poll(0.02).operators["sums"]["packets_in"] > 0, "packet", ended=over(job))
            job.stop("now")
            status = job.wait()
            assert status.state == "stopped"
            return status
        found = job.rows().to_pylist()
        assert sum(row["total"] for row in found) == sum(range(0, COUNT, 2))
        return job.counters
