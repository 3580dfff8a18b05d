"""Jobs that keep their state and are killed at random: a resource, the coordinator's JVM, or Python; perhaps again while they go
on. Each row must come out once, in the order of its key, as in a run that nobody kills.

Each round is made from its seed and number alone, so that one which fails can be run again.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.graphs import Fields, chain, rows, write
from support.kill_ways import WAYS, Files
from support.processes import END_S, Command, alive, until

KEYS = 11
RATE_PER_S = 2_000
ROWS = 6_000
"""Of each source: about three seconds' worth."""
RESOURCE, COORDINATOR, PYTHON = "a resource", "the coordinator", "Python"
PATIENCE_S = 30.0
"""How long nothing may hang in a campaign, on a quiet machine: from the last kill to the end, beyond what the job takes."""
DIE_S = 10.0
MOST_RUNS = 6
INTERRUPTED = 128 + signal.SIGINT
ENDED = "error[state_ended]"
"""What a run says whose predecessor was killed when all was done."""
WINDOW: Fields = {"type": "tumbling", "size_ms": 2_000}
FOLD = ["k", "count(*) AS c", "sum(n) AS total", "min(n) AS first", "max(n) AS last"]
BY_KEY: Fields = {"fuse": False, "partition": {"type": "hash", "by": ["k"]}}

WHOLE = "whole stream"
"""Its rows leave at the end, so its sources need one."""
MEMORY_BYTES = 160 << 20
"""Of a resource: one may have to take all lanes, each with a log of 8 MB at its source or sink."""
MIDDLES: dict[str, list[tuple[str, Fields]]] = {
    "relay": [("made", {"type": "relay"})],
    "filter and project": [("kept", {"type": "filter", "where": "n % 3 <> 0"}),
                           ("made", {"type": "project", "select": ["k", "n", "n * 2 AS twice"]})],
    "tumbling": [("made", {"type": "aggregate", "group_by": ["k"], "window": WINDOW, "select": ["window.start AS w", *FOLD]})],
    "sliding": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "sliding", "size_ms": 4_000,
                                                                             "slide_ms": 1_000},
                          "select": ["window.start AS w", *FOLD]})],
    "session": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "session", "gap_ms": 150},
                          "select": ["window.start AS w", *FOLD]})],
    "count": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "count", "size": 7}, "select": FOLD})],
    "trailing": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "trailing", "size_ms": 1_000},
                           "select": ["n", *FOLD]})],
    WHOLE: [("made", {"type": "aggregate", "group_by": ["k"], "select": FOLD})],
    "top": [("made", {"type": "top", "n": 2, "by": ["n DESC"], "window": WINDOW, "group_by": ["k"],
                      "select": ["window_time", "k", "n"]})],
    "sort": [("made", {"type": "sort", "group_by": ["k"], "by": ["n DESC"], "window": WINDOW,
                       "select": ["window_time", "k", "n"]})],
    "deduplicate": [("made", {"type": "deduplicate", "by": ["k", "v"], "within_ms": 3_000})],
    "changes": [("made", {"type": "changes", "group_by": ["k"], "of": "v", "select": ["ts", "k", "n", "v"]})],
    "scan": [("made", {"type": "scan", "group_by": ["k"], "state": {"streak": {"initial": "0", "next": "(streak + v) % 97"}},
                       "select": ["ts", "k", "n", "next.streak AS streak"]})],
    "latest": [("made", {"type": "latest", "group_by": ["k"], "every_ms": 1_000, "select": ["window.start AS w", "k", "n"]})],
    "pattern": [("made", {"type": "pattern", "group_by": ["k"], "steps": [{"name": "low", "where": "v < 3"},
                                                                          {"name": "high", "where": "v > 6"}],
                          "within_ms": 5_000, "select": ["ts", "k", "low.n AS low", "high.n AS high"]})],
    "resample": [("made", {"type": "resample", "group_by": ["k"], "every_ms": 500, "fill": {"v": {"type": "previous"}}})],
    "explode": [("listed", {"type": "project", "select": ["k", "n", "sequence(0, v % 3) AS many"]}),
                ("each", {"type": "explode", "of": "many", "as": "one"}),
                ("made", {"type": "project", "select": ["k", "n", "one"]})],
}
"""By name: what is between source and sink. One stream of k, n, v and ts."""
JOINS: dict[str, Fields] = {
    "join in time": {"type": "join", "on": "left.k = right.k", "between_ms": {"from": -200, "to": 200},
                     "select": ["left.k AS k", "left.n AS n", "right.n AS m"]},
    "as of": {"type": "join", "how": "left", "on": "left.k = right.k", "as_of": {"max_age_ms": 1_000},
              "select": ["left.ts AS ts", "left.k AS k", "left.n AS n", "right.n AS m"]},
    "join in windows": {"type": "join", "on": "left.k = right.k AND left.v = right.v", "window": {"type": "tumbling",
                                                                                                  "size_ms": 500},
                        "select": ["left.k AS k", "left.n AS n", "right.n AS m"]},
}
SHAPES = (*MIDDLES, *JOINS)
KEYLESS = {"relay", "filter and project", "explode"}
"""Shapes whose first operator has no keys by which rows are dealt out."""
UNORDERED = {"join in time", "join in windows"}
"""Shapes whose rows of one key come in no order."""


def source(seed: int, paced: bool) -> Fields:
    """Rows of a few keys, in order of their time."""
    return rows(ROWS, f"concat('k', pmod(xxhash64(id, {seed}), {KEYS})) AS k", "id AS n",
                f"CAST(pmod(xxhash64(id, {seed + 1}), 10) AS INT) AS v", "timestamp_millis(1700000000000 + id * 10) AS ts",
                event_time={"column": "ts", "order_by": ["n"]}, **({"rate_per_s": RATE_PER_S} if paced else {}))


@dataclass(frozen=True)
class Plan:
    """What a round does."""

    shape: str
    lanes: int
    resources: int
    fuse: bool
    spares: int
    on_loss: str
    epoch_ms: int
    target: str
    after_s: float
    again_s: float | None
    blow: signal.Signals = signal.SIGKILL
    way: str = "files"

    @classmethod
    def of(cls, dice: random.Random) -> Plan:
        """Drawn by the dice."""
        target = dice.choices([RESOURCE, COORDINATOR, PYTHON], [60, 25, 15])[0]
        shape = dice.choice(SHAPES)
        ways = ["files", *(name for name, way in WAYS.items() if shape != WHOLE or not way.stops)]
        return cls(shape=shape, lanes=dice.choice([1, 1, 2, 4, 8]), resources=dice.choice([2, 3]),
                   fuse=dice.random() < 0.5, spares=dice.choice([0, 0, 1]), on_loss=dice.choice(["wait", "move"]),
                   epoch_ms=dice.choice([50, 200, 1_000]), target=target, after_s=dice.uniform(0, ROWS / RATE_PER_S),
                   again_s=dice.uniform(0, 1) if dice.random() < 0.2 else None, way=dice.choice(ways))

    def graph(self, path: Path, paced: bool = True, way: Files | None = None) -> Fields:
        """Its graph, with output in that folder, or as the way has it."""
        made = self._graph(path, paced)
        if way is not None:
            ends = made["operators"]
            ends.update({name: way.source(name, ends[name]) for name in self.sources()}, sink=way.sink(ends["sink"]))
        return made

    def sources(self) -> list[str]:
        """Their names."""
        return ["a", "b"] if self.shape in JOINS else ["a"]

    def _graph(self, path: Path, paced: bool) -> Fields:
        sink: Fields = {"type": "file_sink", "path": str(path), "format": "csv", "parallelism": self.lanes,
                        "roll_every_ms": 500, "if_exists": "replace"}
        if self.shape in JOINS:
            made = JOINS[self.shape] | {"parallelism": self.lanes}
            return {"format": 1, "name": "killed", "operators": {"a": source(1, paced), "b": source(3, paced), "made": made,
                                                                 "sink": sink},
                    "links": [{"from": "a", "to": "made.left", "fuse": False}, {"from": "b", "to": "made.right", "fuse": False},
                              {"from": "made", "to": "sink", "fuse": self.fuse}]}
        middle = [(name, fields | {"parallelism": self.lanes}) for name, fields in MIDDLES[self.shape]]
        graph = chain(("a", source(1, paced)), *middle, ("sink", sink), name="killed")
        for link in graph["links"]:
            link.update({"fuse": self.fuse})
        graph["links"][0].update(BY_KEY if self.shape in KEYLESS else {"fuse": False})
        return graph

    def deployment(self) -> Fields:
        """Children, over which all is spread."""
        child = {"start": "child", "memory_bytes": MEMORY_BYTES}
        return {"format": 1, "resources": {f"r{k}": child for k in range(self.resources)},
                "spares": self.spares, "on_loss": self.on_loss}

    def __str__(self) -> str:
        """In one line."""
        again = "" if self.again_s is None else f", again after {self.again_s:.2f} s"
        return (f"{self.shape} in {self.lanes} lanes of {self.resources} resources{'' if self.fuse else ', not fused'}, "
                f"{self.way}, epochs of {self.epoch_ms} ms, {self.spares} spares, else {self.on_loss}: "
                f"{self.blow.name} to {self.target} after {self.after_s:.2f} s{again}")


@dataclass
class Found:
    """What a round came to."""

    plan: Plan
    kills: int = 0
    runs: int = 0
    ended_s: float = 0.0
    wrong: list[str] = field(default_factory=list)
    told: str = ""


def run(folder: Path, seed: int, number: int, plan: Plan | None = None, **environment: str) -> Found:
    """One round in a folder of its own.

    :param plan: instead of one that is drawn
    :param environment: of the command
    """
    plan = plan or Plan.of(random.Random(f"{seed} {number}"))
    found = Found(plan)
    folder.mkdir(parents=True)
    try:
        _Round(plan, folder, found, environment).play()
    except (AssertionError, ValueError) as error:
        found.wrong.append(repr(error))
    return found


class _Round:
    def __init__(self, plan: Plan, folder: Path, found: Found, environment: dict[str, str]) -> None:
        self._plan, self._folder, self._found, self._environment = plan, folder, found, environment
        rows = {name: given(1 + 2 * k) for k, name in enumerate(plan.sources())}
        self._way = WAYS[plan.way](folder, rows, RATE_PER_S)

    def play(self) -> None:
        try:
            self._play()
        finally:
            self._way.end()

    def _play(self) -> None:
        graph = write(self._folder / "g.json", self._plan.graph(self._folder / "out", way=self._way))
        deployment = write(self._folder / "d.json", self._plan.deployment())
        waits: list[float] = [self._plan.after_s, *([] if self._plan.again_s is None else [self._plan.again_s])]
        for _ in range(MOST_RUNS):
            command = Command(self._folder, "run", graph, "--deployment", deployment, "--state", self._folder / "state",
                              "--epoch-ms", str(self._plan.epoch_ms), "--on-stop", "flush",
                              program=self._way.program(), **self._environment)
            self._found.runs += 1
            try:
                code = self._run(command, waits)
                _until_gone(command)
            finally:
                self._found.told += command.err()
                if left := command.clear():
                    self._found.wrong.append(f"processes {left} were left behind")
            if code == 0 or ENDED in command.err():
                break
            if code > 0 and not (self._plan.target == COORDINATOR and self._found.runs <= self._found.kills):
                raise AssertionError(f"exit code {code}")
        self._look()

    def _run(self, command: Command, waits: list[float]) -> int:
        """Until its end, with a kill when its time has come."""
        until(lambda: "  running" in command.err() or not alive(command.pid), "running job", 90)
        if self._found.runs == 1:
            self._way.begin()
        hit = time.monotonic()
        while waits and alive(command.pid):
            _until(command, hit + waits[0])
            if alive(command.pid):
                waits.pop(0)
                hit = time.monotonic()
                self._kill(command)
            if self._plan.target != RESOURCE:
                break
        job_s, stopped = ROWS / RATE_PER_S, 0
        if self._way.stops and alive(command.pid):
            until(lambda: self._way.given() or not alive(command.pid), "end of what is given", END_S + job_s)
            if self._way.given():
                command.signal(signal.SIGINT)
                stopped = INTERRUPTED
        ended = command.end(END_S + job_s)
        self._found.ended_s = max(self._found.ended_s, time.monotonic() - hit)
        return 0 if ended.code == stopped else ended.code

    def _kill(self, command: Command) -> None:
        found = {RESOURCE: lambda: command.jvms("ResourceMain"), COORDINATOR: lambda: command.jvms("GatewayMain"),
                 PYTHON: lambda: [command.pid]}[self._plan.target]()
        if found:
            with suppress(ProcessLookupError):
                os.kill(random.Random(self._found.kills).choice(found), self._plan.blow)
                self._found.kills += 1

    def _look(self) -> None:
        out = self._folder / "out"
        files = sorted(out.iterdir()) if out.is_dir() else []
        strange = [file.name for file in files if not file.name.startswith("part-") and file.name != "_SUCCESS"]
        self._expect(not strange, f"files are left: {strange}")
        seen = self._way.read() or read(out, self._plan.shape)
        wanted = expected(self._plan)
        if seen == wanted:
            return
        got, want = (Counter(row for each in found.values() for row in each) for found in (seen, wanted))
        lost, more = want - got, got - want
        self._expect(not lost, f"{lost.total()} rows are lost, such as {list(lost)[:2]}")
        self._expect(not more, f"{more.total()} rows came twice or are wrong, such as {list(more)[:2]}")
        if not lost and not more and self._plan.shape not in UNORDERED:
            key = next(k for k in wanted if seen[k] != wanted[k])
            self._found.wrong.append(f"rows of key {key} are out of order")

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self._found.wrong.append(otherwise)


def _until_gone(command: Command) -> None:
    until(lambda: not command.processes(), f"end of {command.processes()}", DIE_S)


def _until(command: Command, moment: float) -> None:
    """Or until it has ended."""
    until(lambda: not alive(command.pid) or time.monotonic() >= moment, "the moment", 60)


Rows = Mapping[str, list[tuple[str, ...]]]
def given(seed: int) -> list[dict[str, Any]]:
    """The rows of :func:`source`, for one that gets them from elsewhere."""
    if seed not in _GIVEN:
        from despina import graph
        fields = chain(("a", source(seed, paced=False) | {"event_time": None}), ("rows", {"type": "collect_sink"}))
        fields["operators"]["a"].pop("event_time")
        with graph.Graph.from_dict(fields).run() as job:
            made = job.rows("rows").to_pylist()
            job.wait()
        _GIVEN[seed] = [row | {"ts": row["ts"].isoformat().replace("+00:00", "Z")} for row in made]
    return _GIVEN[seed]


_GIVEN: dict[int, list[dict[str, Any]]] = {}
_EXPECTED: dict[str, Rows] = {}


def read(out: Path, shape: str) -> Rows:
    """By key, the rows in the order in which a reader gets them."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for file in sorted(out.glob("part-*")):
        with file.open(newline="") as lines:
            for row in csv.reader(lines):
                found[_key(row, shape)].append(tuple(row))
    return dict(found)


def _key(row: list[str], shape: str) -> str:
    if shape == "deduplicate":      # by two columns: rows of one k are dealt out to all lanes
        return f"{row[0]} {row[2]}"
    return next(cell for cell in row if cell.startswith("k"))


def expected(plan: Plan) -> Rows:
    """What comes out where nobody kills; of one run for each shape."""
    if plan.shape not in _EXPECTED:
        import tempfile

        from despina import graph
        with tempfile.TemporaryDirectory(prefix="despina-unkilled-") as folder:
            one = Plan(plan.shape, 1, 1, True, 0, "wait", 1_000, PYTHON, 0.0, None)
            graph.load(write(Path(folder) / "g.json", one.graph(Path(folder) / "out", paced=False))).run().wait()
            _EXPECTED[plan.shape] = read(Path(folder) / "out", plan.shape)
    return _EXPECTED[plan.shape]


def campaign(folder: Path, seed: int, rounds: tuple[int, int], tell: Callable[[int, Found], None]) -> list[str]:
    """Rounds until there were so many kills.

    :param rounds: the number of the first, and how many kills
    :return: what is wrong
    """
    wrong: list[str] = []
    number, kills = rounds
    done = 0
    while done < kills:
        found = run(folder / str(number), seed, number)
        done += found.kills
        tell(number, found)
        if found.ended_s > PATIENCE_S + ROWS / RATE_PER_S:
            found.wrong.append(f"it hung: {found.ended_s:.0f} s from the last kill to the end")
        wrong += [f"round {number} of seed {seed}: {one}" for one in found.wrong]
        if not found.wrong:
            shutil.rmtree(folder / str(number))
        number += 1
    return wrong
