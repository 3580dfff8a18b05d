"""Processes of Python functions that are killed again and again, in several graphs, and whether any row is another for it."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from despina.engine import Engine
from despina.errors import JobError
from despina.graph import Graph
from despina.job import Job
from support.graphs import Fields, chain, rows
from support.processes import alive, until
from support.python_workers import folders, more_rows, until_more_rows, workers

RATE_PER_S = 2_000
MEMORY = 300 << 20
"""What a process may have, and one that is told to takes more at once: several times what it has else."""
TIMEOUT_MS = 8_000
"""How long a function may take before its process is ended: how soon one that stands still is found. It is the time to import the
function too, and a process that does not in time fails the job, so on a machine under load it must not be short.
"""
MOST_PAUSE_S = 0.3
"""From rows of a process to what is done to it."""
LOOK_S = 0.01
"""How often the next row is looked for: the time until it comes is measured."""
RESOURCES = 5
"""Those that are killed, of jobs with a function."""
LEFT_S = 2.0
"""How long a function's process may outlive its resource."""
KILL, STOP, EXIT, SWELL = "kill -9", "SIGSTOP", "os._exit", "out of memory"
WAYS = (KILL, KILL, STOP, EXIT, SWELL)
"""What is done to a process, as often as each stands here."""

FUNCTIONS = """
import asyncio
import os
import time
from pathlib import Path

FLAG = Path(__file__).with_name("told")


def perhaps():
    \"\"\"Ends the process in the middle of a row, or takes more memory than it may have and waits, if it was told to.\"\"\"
    if FLAG.exists():
        mine = FLAG.with_name(f"told to {os.getpid()}")
        try:
            FLAG.rename(mine)
        except FileNotFoundError:
            return      # another function's process was quicker
        if mine.read_text() == "exit":
            os._exit(3)
        taken = bytearray(b"x") * (400 << 20)
        time.sleep(3600)


def twice(id):
    perhaps()
    return 2 * id


def thrice(id):
    perhaps()
    return 3 * id


def stuck(id):
    if id > 0:
        time.sleep(3600)
    return id


async def waits(id):
    await asyncio.sleep(0)
    perhaps()
    return 2 * id


def by_array(id):
    perhaps()
    return 2 * id


def several(id):
    for k in range(id % 3):
        perhaps()
        yield id, k


class Counted:
    def open(self, context):
        self.rows = context.counter("rows")

    def process(self, id):
        perhaps()
        self.rows.add()
        return 2 * id


class Sums:
    def process(self, key, row, state):
        perhaps()
        state.count = (state.count or 0) + 1
        state.ids = [*(state.ids or []), row.id][-3:]
        return state.count


class Pickled:
    def process(self, key, row, state):
        perhaps()
        state.seen = {*(state.seen or ()), row.id % 11}
        return len(state.seen)

"""


def _twice(k: int) -> list[tuple[Any, ...]]:
    return [(k, 2 * k)]


def _pickled(k: int) -> list[tuple[Any, ...]]:
    return [(k, len({other % 11 for other in range(k % 7, k + 1, 7)}))]


@dataclass(frozen=True)
class Case:
    """A graph: the fields of its function, the rows that its ``k``-th packet gives, and functions behind it in a row."""

    name: str
    fields: Fields
    expected: Callable[[int], list[tuple[Any, ...]]]
    behind: tuple[Fields, ...] = ()

    @property
    def functions(self) -> dict[str, Fields]:
        """All of them by the ids of their operators."""
        return {"tried": self.fields, **{f"behind_{k}": fields for k, fields in enumerate(self.behind, 1)}}

    def graph(self, spare: bool = False) -> Graph:
        """Without an end. ``spare``: whether each function has a process that waits."""
        common = {"type": "python", "timeout_ms": TIMEOUT_MS, "spare": spare, "memory_bytes": MEMORY}
        functions = [(name, {**common, **fields}) for name, fields in self.functions.items()]
        return Graph.from_dict(chain(("source", {**rows(None, "id"), "rate_per_s": RATE_PER_S}), *functions,
                                     ("rows", {"type": "collect_sink"})))


def _case(name: str, function: str, expected: Callable[[int], list[tuple[Any, ...]]] = _twice, **fields: Any) -> Case:
    returned = {} if "schema" in fields else {"adds": "v BIGINT"}
    return Case(name, {"function": f"killed:{function}", **returned, **fields}, expected)


BY_KEY = {"group_by": ["id % 7"]}
TWICE, THRICE = {"function": "killed:twice", "adds": "v BIGINT"}, {"function": "killed:thrice", "adds": "w BIGINT"}
CASES = (
    _case("by row", "twice"),
    _case("by row, small batches", "twice", batch_rows=7),
    _case("by numpy", "by_array", takes="numpy"),
    _case("none, one or many rows", "several", lambda k: [(k, each) for each in range(k % 3)], schema="id BIGINT, k INT"),
    _case("async", "waits"),
    _case("a class that counts", "Counted"),
    _case("state", "Sums", lambda k: [(k, k // 7 + 1)], **BY_KEY, state="count BIGINT, ids ARRAY<BIGINT>"),
    _case("state, small batches", "Sums", lambda k: [(k, k // 7 + 1)], **BY_KEY, state="count BIGINT, ids ARRAY<BIGINT>",
          batch_rows=5),
    _case("pickled state", "Pickled", _pickled, **BY_KEY, state="pickle"),
    Case("two in a row", TWICE, lambda k: [(k, 2 * k, 3 * k)], (THRICE,)),
    Case("two in a row, none, one or many rows", {"function": "killed:several", "schema": "id BIGINT, k INT"},
         lambda k: [(k, each, 3 * k) for each in range(k % 3)], (THRICE,)),
    Case("three in a row, state", {"function": "killed:Sums", **BY_KEY, "state": "count BIGINT, ids ARRAY<BIGINT>",
                                   "adds": "n BIGINT"},
         lambda k: [(k, k // 7 + 1, 3 * k, 2 * k)],
         (THRICE, {"function": "killed:by_array", "takes": "numpy", "adds": "v BIGINT"})),
)


@dataclass
class Found:
    """What one round came to. ``next_s``: from each kill to the next row behind it."""

    case: str
    ways: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    next_s: list[tuple[str, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def campaign(engine: Engine, jvm: int, folder: Path, kills: int, seed: int, spare: bool = False, of: str = ""
             ) -> Iterator[Found]:
    """Rounds over the graphs, with so many kills together.

    :param jvm: the engine's process
    :param spare: whether each function has a process that waits
    :param of: what the names of the graphs have in them
    :raise ValueError: none has
    """
    (folder / "killed.py").write_text(FUNCTIONS)
    chosen = [case for case in CASES if of in case.name]
    if not chosen:
        raise ValueError(f"no graph has {of!r} in its name: {', '.join(case.name for case in CASES)}")
    each = -(-kills // len(chosen))
    for number, case in enumerate(chosen):
        if (left := min(each, kills - number * each)) > 0:
            yield round_of(engine, jvm, folder, case, [random.Random(f"{seed} {number} {k}") for k in range(left)],
                           spare)


def round_of(engine: Engine, jvm: int, folder: Path, case: Case, chances: list[random.Random], spare: bool = False) -> Found:
    """One job, with a kill for each of the chances. What goes wrong ends it, and the next one goes on."""
    found = Found(case.name)
    for part in (partial(_job, found, engine, jvm, folder, case, chances, spare), partial(_nothing_is_left, jvm)):
        try:
            part()
        except (JobError, AssertionError) as error:
            found.wrong.append(str(error))
    return found


def resources(engine: Engine, jvm: int, folder: Path) -> Iterator[float]:
    """Kills resources whose function waits for something. Gives the seconds until its process had ended."""
    (folder / "killed.py").write_text(FUNCTIONS)
    graph = Graph.from_dict(chain(("source", {**rows(None, "id"), "rate_per_s": 100}), (
        "tried", {"type": "python", "function": "killed:stuck", "adds": "v BIGINT", "batch_rows": 1}), (
        "rows", {"type": "collect_sink"})))
    two = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
           "place": {"tried": ["far"], "*": ["near"]}}
    for _ in range(RESOURCES):
        with graph.run(engine=engine, modules=[folder], deployment=two) as job:
            yield _outlived_s(job, jvm)
            with suppress(JobError):        # it has lost its resource
                job.wait(60)


def _outlived_s(job: Job, jvm: int) -> float:
    until(partial(more_rows, job, 0), "row")
    worker, = workers(jvm)
    began = time.monotonic()
    os.kill(int(job.counters.resources["far"]["pid"]), signal.SIGKILL)
    until(lambda: not alive(worker), "end of a process whose resource was killed", look_every_s=LOOK_S)
    return time.monotonic() - began


def _job(found: Found, engine: Engine, jvm: int, folder: Path, case: Case, chances: list[random.Random], spare: bool) -> None:
    with case.graph(spare).run(engine=engine, modules=[folder], drain_ms=60_000) as job:
        for chance in chances:
            until_more_rows(job)
            if spare:
                until(partial(_wait, jvm, dict[int, int]()), "spares that are open")
            time.sleep(chance.uniform(0, MOST_PAUSE_S))
            _kill(chance, job, case, jvm, folder, found, spare)
        until_more_rows(job)
        job.stop()
        _compare(case, job, found)


def _nothing_is_left(jvm: int) -> None:
    until(lambda: not workers(jvm), "end of the functions' processes")
    until(lambda: not folders(jvm), "end of their folder")


def _kill(chance: random.Random, job: Job, case: Case, jvm: int, folder: Path, found: Found, spare: bool) -> None:
    way = chance.choice(WAYS)
    running = until(partial(workers, jvm), "worker")
    pid = min(running, key=_started) if spare else chance.choice(running)       # a spare is younger than the one at work
    began = time.monotonic()
    _hit(way, pid, folder / "told", job, case)
    until_more_rows(job, LOOK_S)
    found.next_s.append((way, time.monotonic() - began))
    found.ways[way] += 1


def _started(pid: int) -> int:
    return _stat(pid)[19]


def _stat(pid: int) -> list[int]:
    """From the third field on; that one, which is a letter, is 0 here."""
    return [0, *map(int, (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1:])]


def _wait(jvm: int, spent: dict[int, int]) -> bool:
    """Whether there are two, of which functions in a row have as many as one alone, and the younger has done nothing since the
    last look. ``spent``: what it had then.
    """
    found = workers(jvm)
    try:
        young = sorted(found, key=_started)[1:]
        now = {pid: sum(_stat(pid)[11:13]) for pid in young}
    except OSError:
        return False        # one has just ended
    rest = len(found) == 2 and now == spent
    spent.clear()
    spent.update(now)
    return rest


def _hit(way: str, pid: int, flag: Path, job: Job, case: Case) -> None:
    """Returns when it has happened. ``flag``: what tells a function to end its process, or to have it ended."""
    if way in (EXIT, SWELL):
        kills = _memory_kills(job, case)
        made = flag.with_suffix(".new")
        made.write_text("exit" if way == EXIT else "swell")
        made.rename(flag)
        until(lambda: (_memory_kills(job, case) > kills if way == SWELL else not flag.exists()) or job.poll().ended,
              f"end of a process by {way}")
        flag.unlink(missing_ok=True)
        return
    os.kill(pid, signal.SIGSTOP if way == STOP else signal.SIGKILL)
    until(lambda: not alive(pid), f"end of a process after {way}")


def _memory_kills(job: Job, case: Case) -> int:
    """Of all functions: one that has more than it may have is killed by the engine."""
    operators = job.poll().operators
    return sum(int(operators[name].get("counters", {}).get("memory_kills", 0)) for name in case.functions)


def _compare(case: Case, job: Job, found: Found) -> None:
    given = [tuple(row.values()) for row in job.rows("rows").to_pylist()]
    job.wait(60)
    counters = job.counters.operators["tried"]
    packets = counters["packets_in"]
    expected = [row for k in range(packets) for row in case.expected(k)]
    found.rows = len(given)
    if given != expected:
        at = next((k for k, (one, other) in enumerate(zip(given, expected, strict=False)) if one != other),
                  min(len(given), len(expected)))
        found.wrong.append(f"{len(given)} rows in place of {len(expected)}; row {at} is {given[at:at + 1]}, "
                           f"and should be {expected[at:at + 1]}")
    for name in case.functions:
        if errors := job.counters.operators[name]["errors"]:
            found.wrong.append(f"{errors} bad records of {name}")
    if (counted := counters.get("counters", {}).get("rows", packets)) != packets:
        found.wrong.append(f"the function has counted {counted} of {packets} rows")
