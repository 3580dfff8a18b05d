"""Jobs that keep their state and are killed at random, again and again: a resource, the coordinator's JVM, or Python. Each row
must come out once, in the order of its key, as in a run that nobody kills. Where `check` says that a sink gives rows at least
once, they may come twice. Where nobody tells a client which of its rows were taken, those count that were.

Each round is made from its seed and number alone, so that one which fails can be run again.
"""

from __future__ import annotations

import csv
import math
import os
import random
import re
import shutil
import signal
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from support import kill_sockets, kill_ways
from support.graphs import Fields, chain, rows, write
from support.kill_log import Log, Round
from support.kill_ways import Both, FileIn, Files, Row, Sent
from support.processes import END_S, INTERRUPTED, Command, alive, until

Read = Mapping[str, list[Row]]
WAYS = kill_ways.WAYS | kill_sockets.WAYS
BOTH = " and "
"""Between the names of a way in and a way out."""
KEYS = 11
RATE_PER_S = 2_000
ROWS = 6_000
"""Of each source: about three seconds' worth."""
RESOURCE, COORDINATOR, PYTHON = "a resource", "the coordinator", "Python"
AGAIN = {RESOURCE: 3, COORDINATOR: 2, PYTHON: 2}
"""Kills behind the first one of a round, each after a while: a further kill costs less than a further job."""
SOON_S, LATER_S = 1.0, 2.5
"""A job that has just been hit still goes on within the first."""
PATIENCE_S = 30.0
"""How long nothing may hang in a campaign, on a quiet machine: from the last kill to the end, beyond what the job takes."""
DIE_S = 10.0
MOST_RUNS = 6
MOST_IDLE = 20
"""Rounds in a row without a kill, after which a campaign ends: its jobs end before their time, or do not begin."""
WENT_ON = re.compile(r"first new row (\d+\.\d+) s after the loss was seen")
NO_EPOCH = "has no complete epoch"
"""What a run says whose time was up, on a busy machine, before its first epoch: its rows wait for the next run."""
ENDED = "error[state_ended]"
"""What a run says whose predecessor was killed when all was done."""
WINDOW: Fields = {"type": "tumbling", "size_ms": 2_000}
FOLD = ["k", "count(*) AS c", "sum(n) AS total", "min(n) AS first", "max(n) AS last"]
BY_KEY: Fields = {"fuse": False, "partition": {"type": "hash", "by": ["k"]}}

PER_KEY, LATE = "time per key", "late"
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
    "trailing count": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "trailing_count", "size": 9},
                                 "select": ["n", *FOLD]})],
    "progress": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "progress", "by": "n", "size": 400},
                           "select": ["window.from AS f", *FOLD]})],
    "control": [("made", {"type": "aggregate", "group_by": ["k"], "window": {"type": "control", "open": "v < 2",
                                                                             "close": "v > 7"},
                          "select": ["window.start AS w", *FOLD]})],
    PER_KEY: [("made", {"type": "aggregate", "group_by": ["k"], "window": WINDOW, "select": ["window.start AS w", *FOLD]})],
    LATE: [("made", {"type": "aggregate", "group_by": ["k"], "window": WINDOW, "select": ["window.start AS w", *FOLD]})],
    "delay": [("kept", {"type": "filter", "where": "n % 3 <> 0"}), ("made", {"type": "delay", "hold_ms": 300})],
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
KEYLESS = {"relay", "filter and project", "explode", "delay"}
"""Shapes whose first operator has no keys by which rows are dealt out."""
UNORDERED = {"join in time", "join in windows"}
"""Shapes whose rows of one key come in no order."""


def source(seed: int, rate_per_s: int = 0, shape: str = "") -> Fields:
    """Rows of a few keys, in order of their time; of the shape of late rows, some that are behind.

    :param rate_per_s: 0 for as fast as they go
    """
    behind, allowed_ms = (" - IF(pmod(xxhash64(id, 7), 20) = 0, 700, 0)", 100) if shape == LATE else ("", 0)
    clocks = {"per": ["k"]} if shape == PER_KEY else {}
    return rows(ROWS, f"concat('k', pmod(xxhash64(id, {seed}), {KEYS})) AS k", "id AS n",
                f"CAST(pmod(xxhash64(id, {seed + 1}), 10) AS INT) AS v",
                f"timestamp_millis(1700000000000 + id * 10{behind}) AS ts",
                event_time={"column": "ts", "order_by": ["n"], "max_delay_ms": allowed_ms, **clocks},
                **({"rate_per_s": rate_per_s} if rate_per_s else {}))


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
    again_s: tuple[float, ...]
    blow: signal.Signals = signal.SIGKILL
    way: str = "files"
    rate_per_s: int = RATE_PER_S

    @classmethod
    def of(cls, dice: random.Random) -> Plan:
        """Drawn by the dice."""
        target = dice.choices([RESOURCE, COORDINATOR, PYTHON], [60, 25, 15])[0]
        shape = dice.choice(SHAPES)
        ways = ["files", *(name for name, way in WAYS.items() if shape != WHOLE or not way.stops)]
        return cls(shape=shape, lanes=dice.choice([1, 1, 2, 4, 8]), resources=dice.choice([2, 3]),
                   fuse=dice.random() < 0.5, spares=dice.choice([0, 0, 1]), on_loss=dice.choice(["wait", "move"]),
                   epoch_ms=dice.choice([50, 200, 1_000]), target=target, after_s=dice.uniform(0, ROWS / RATE_PER_S),
                   again_s=tuple(dice.uniform(0, SOON_S if dice.random() < 0.25 else LATER_S)
                                 for _ in range(AGAIN[target])), way=dice.choice(ways))

    def graph(self, path: Path, way: Files | None = None) -> Fields:
        """Its graph, with output in that folder, or as the way has it."""
        made = self._graph(path)
        if way is not None:
            ends = made["operators"]
            ends.update({name: way.source(name, ends[name]) for name in self.sources()}, sink=way.sink(ends["sink"]))
            for name in [] if way.answers else self.sources():
                ends[f"taken_{name}"] = _files(path.with_name(f"taken_{name}"), 1)
                made["links"].append({"from": name, "to": f"taken_{name}", "fuse": False})
        return made

    def sources(self) -> list[str]:
        """Their names."""
        return ["a", "b"] if self.shape in JOINS else ["a"]

    def _graph(self, path: Path) -> Fields:
        sink = _files(path, self.lanes)
        if self.shape in JOINS:
            made = JOINS[self.shape] | {"parallelism": self.lanes}
            return {"format": 1, "name": "killed", "operators": {"a": source(1, self.rate_per_s), "b": source(3, self.rate_per_s),
                                                                 "made": made, "sink": sink},
                    "links": [{"from": "a", "to": "made.left", "fuse": False}, {"from": "b", "to": "made.right", "fuse": False},
                              {"from": "made", "to": "sink", "fuse": self.fuse}]}
        middle = [(name, fields | {"parallelism": self.lanes}) for name, fields in MIDDLES[self.shape]]
        graph = chain(("a", source(1, self.rate_per_s, self.shape)), *middle, ("sink", sink), name="killed")
        for link in graph["links"]:
            link.update({"fuse": self.fuse})
        graph["links"][0].update(BY_KEY if self.shape in KEYLESS else {"fuse": False})
        if self.shape == LATE:
            graph["operators"]["behind"] = _files(path.with_name("behind"), self.lanes)
            graph["links"].append({"from": "made.late", "to": "behind", "fuse": self.fuse})
        return graph

    def files(self, path: Path) -> dict[str, Path]:
        """The folders of its file sinks, by the name of their operator; beside that folder, which is that of `sink`."""
        return {"sink": path} | ({"behind": path.with_name("behind")} if self.shape == LATE else {})

    def deployment(self) -> Fields:
        """Children, over which all is spread."""
        child = {"start": "child", "memory_bytes": MEMORY_BYTES}
        return {"format": 1, "resources": {f"r{k}": child for k in range(self.resources)},
                "spares": self.spares, "on_loss": self.on_loss}

    def __str__(self) -> str:
        """In one line."""
        again = "".join(f", again after {seconds:.2f} s" for seconds in self.again_s)
        return (f"{self.shape} in {self.lanes} lanes of {self.resources} resources{'' if self.fuse else ', not fused'}, "
                f"{self.way}, epochs of {self.epoch_ms} ms, {self.spares} spares, else {self.on_loss}: "
                f"{self.blow.name} to {self.target} after {self.after_s:.2f} s{again}")


def _files(path: Path, lanes: int) -> Fields:
    return {"type": "file_sink", "path": str(path), "format": "csv", "parallelism": lanes, "roll_every_ms": 500,
            "if_exists": "replace"}


@dataclass
class Found:
    """What a round came to.

    :ivar back_s: after each kill of a resource, from when it was seen to the first new row; of another, from the kill until the
        next run was running
    :ivar killed_s: when the last kill was, or the job went on, or the last process of a run that it ended was gone, by the clock
        that only goes on
    :ivar untaken: rows that were on their way to a source when a connection broke
    """

    plan: Plan
    kills: int = 0
    killed_s: float = -math.inf
    runs: int = 0
    ended_s: float = 0.0
    back_s: list[float] = field(default_factory=list)
    untaken: int = 0
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
        _Playing(Looking(plan, folder, found), environment).play()
    except (AssertionError, ValueError) as error:
        found.wrong.append(repr(error))
    return found


class Looking:
    """What a round leaves.

    :ivar way: how rows come and leave
    """

    def __init__(self, plan: Plan, folder: Path, found: Found) -> None:
        """:param folder: of the round"""
        self.plan, self.folder, self.found = plan, folder, found
        rows = {name: given(1 + 2 * k, plan.shape) for k, name in enumerate(plan.sources())}
        comes, *leaves = (WAYS[way](folder, rows, plan.rate_per_s) for way in plan.way.split(BOTH))
        self.way = Both(comes, *leaves) if leaves else comes

    def graph(self) -> Path:
        """The file of the graph, which writes into the folder."""
        return write(self.folder / "g.json", self.plan.graph(self.folder / "out", way=self.way))

    def is_whole(self) -> bool:
        """False where a stop met a job that was about to go on: the next run shows what is in its state."""
        return not (self.way.stops and any(self.folder.glob("*/.part-*")))

    def look(self) -> None:
        """Whether the rows are those of a run that nobody kills."""
        self.found.back_s += [float(seconds) for seconds in WENT_ON.findall(self.found.told)]
        out = self.folder / "out"
        folders = self.plan.files(out)
        taken = None if self.way.answers else {name: self._taken(name) for name in self.plan.sources()}
        for folder in folders.values():
            self._clean(folder)
        seen = {name: read(folder, self.plan.shape) for name, folder in folders.items()}
        if (rows := self.way.read()) is not None:
            seen["sink"] = by_key(rows, self.plan.shape)
        doubles = may_double(self.folder / "g.json") and not self.way.remembers
        for name, wanted in expected(self.plan, taken).items():
            self.found.wrong += [f"{name}: {one}" for one in differences(
                seen[name], wanted, doubles=doubles and name == "sink", ordered=self.plan.shape not in UNORDERED)]

    def _taken(self, name: str) -> list[dict[str, Any]]:
        """What the source has taken of what it was given."""
        folder = self.folder / f"taken_{name}"
        self._clean(folder)
        taken = [row for file in _parts(folder) for row in file]
        given = self.way.rows[name]
        wrong, missing = missed([(row[0], int(row[1]), int(row[2])) for row in taken],
                                [(row["k"], row["n"], row["v"]) for row in given], self.way.sent(name), self.found.killed_s)
        self.found.wrong += wrong
        self.found.untaken += missing
        return [dict(zip(given[0], row, strict=True)) for row in taken]

    def _clean(self, folder: Path) -> None:
        files = sorted(folder.iterdir()) if folder.is_dir() else []
        strange = [file.name for file in files if not file.name.startswith("part-") and file.name != "_SUCCESS"]
        self._expect(not strange, f"files are left: {strange}")

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.found.wrong.append(otherwise)


class _Playing:
    def __init__(self, looking: Looking, environment: dict[str, str]) -> None:
        self._looking, self._environment = looking, environment
        self._plan, self._folder, self._found, self._way = looking.plan, looking.folder, looking.found, looking.way
        self._killed_s: float | None = None
        self._told = 0

    def play(self) -> None:
        try:
            self._play()
        finally:
            self._way.end()

    def _play(self) -> None:
        graph = self._looking.graph()
        deployment = write(self._folder / "d.json", self._plan.deployment())
        waits = [self._plan.after_s, *self._plan.again_s]
        for _ in range(MOST_RUNS):
            command = Command(self._folder, "run", graph, "--deployment", deployment, "--state", self._folder / "state",
                              "--epoch-ms", str(self._plan.epoch_ms), "--on-stop", "flush",
                              program=self._way.program(), **self._environment)
            self._found.runs += 1
            kills = self._found.kills
            try:
                code = self._run(command, waits)
                _until_gone(command)
            finally:
                self._found.told += command.err()
                if left := command.clear():
                    self._found.wrong.append(f"processes {left} were left behind")
            hit = self._found.kills > kills
            if hit and self._plan.target != RESOURCE:
                self._found.killed_s = time.monotonic()     # what outlived the kill for a moment took connections
            waits_for_more = not self._looking.is_whole() and (hit or NO_EPOCH in command.err())
            if (code == 0 and not waits_for_more) or ENDED in command.err():
                break
            if code != 0 and not (hit and is_of_a_kill(code, self._plan)):
                raise AssertionError(f"exit code {code}")
        self._looking.look()

    def _run(self, command: Command, waits: list[float]) -> int:
        """Until its end, with a kill when its time has come."""
        until(lambda: "  running" in command.err() or not alive(command.pid), "running job", 90)
        if self._killed_s is not None and self._plan.target != RESOURCE:
            self._found.back_s.append(round(time.monotonic() - self._killed_s, 2))
            self._killed_s = None
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
        if self._plan.target == RESOURCE and self._killed_s is not None:
            self._goes_on(command)
        job_s, stopped = ROWS / RATE_PER_S, 0
        if self._way.stops and alive(command.pid):
            until(lambda: self._way.given() or not alive(command.pid), "end of what is given", END_S + job_s)
            if self._way.given():
                command.signal(signal.SIGINT)
                stopped = INTERRUPTED
        ended = command.end(END_S + job_s)
        self._found.ended_s = max(self._found.ended_s, time.monotonic() - hit)
        return 0 if ended.code == stopped else ended.code

    def _goes_on(self, command: Command) -> None:
        """Until the job runs again: so long its attempt before may take connections, where a part of it has survived."""
        until(lambda: "  running" in command.err()[self._told:] or not alive(command.pid), "job that goes on", END_S)
        self._found.killed_s = time.monotonic()

    def _kill(self, command: Command) -> None:
        self._told = len(command.err())
        found = {RESOURCE: lambda: command.jvms("ResourceMain"), COORDINATOR: lambda: command.jvms("GatewayMain"),
                 PYTHON: lambda: [command.pid]}[self._plan.target]()
        if found:
            with suppress(ProcessLookupError):
                os.kill(random.Random(self._found.kills).choice(found), self._plan.blow)
                self._found.kills += 1
                self._found.killed_s = self._killed_s = time.monotonic()


def differences(seen: Read, wanted: Read, *, doubles: bool, ordered: bool) -> list[str]:
    """What is wrong with the rows that came out.

    :param doubles: whether rows may come twice: their order is then that of the first times
    :param ordered: whether the rows of a key have an order
    """
    got, want = (Counter(row for each in found.values() for row in each) for found in (seen, wanted))
    lost, more = want - got, got - want
    if doubles:
        more = Counter({row: count for row, count in more.items() if row not in want})
    wrong = [f"{lost.total()} rows are lost, such as {[*lost][:2]}"] if lost else []
    wrong += [f"{more.total()} rows came twice or are wrong, such as {[*more][:2]}"] if more else []
    if not wrong and ordered:
        wrong += [f"rows of key {key} are out of order" for key, rows in wanted.items()
                  if (_once(seen[key]) != _once(rows) if doubles else seen[key] != rows)][:1]
    return wrong


def _once(rows: list[Row]) -> list[Row]:
    return [*dict.fromkeys(rows)]


def is_of_a_kill(code: int, plan: Plan) -> bool:
    """Whether a command ends with that code, not 0, when what the plan says is killed: its resources it outlives."""
    return code > 0 if plan.target == COORDINATOR else plan.target == PYTHON and code == -plan.blow


def missed(taken: list[tuple[str, int, int]], given: list[tuple[str, int, int]], sent: Sequence[Sent],
           killed_s: float) -> tuple[list[str], int]:
    """What is wrong with what a source has taken of rows that it was given, whose second column is their number. The last rows of
    a connection may be missing if it broke, or something was killed after it had begun; no others.

    :param sent: over which connections
    :param killed_s: see :class:`Found`
    :return: that; how many are missing
    """
    known = set(given)
    wrong = [f"the source took {row}, which nobody gave" for row in taken if row not in known][:1]
    numbers = [row[1] for row in taken]
    wrong += [f"the source took row {b} behind row {a}" for a, b in pairwise(numbers) if b <= a][:1]
    missing = {*range(len(given))}.difference(numbers)
    for one in sent:
        lost = [number for number in range(one.first, one.end) if number in missing]
        if lost and lost[0] != one.end - len(lost):
            wrong.append(f"row {lost[0]} is missing, and a later one came over the same connection: {one}")
        elif lost and not one.may_lose(killed_s):
            wrong.append(f"{len(lost)} rows are missing, from {lost[0]} on, of a connection that did not break: {one}")
    if (end := sent[-1].end if sent else 0) < len(given):
        wrong.append(f"row {end} was not sent")
    return wrong, len(missing)


def may_double(graph: Path) -> bool:
    """Whether `check` says of a sink that rows may come twice. One that promises nothing may besides lose what was on its way to
    a peer that has gone; here none goes.
    """
    from despina.graph import load
    found = load(graph).check().guarantee
    assert found is not None
    assert all(each["guarantee"] != "none" for each in found["sources"]), found["sources"]
    return any(end["guarantee"] in ("at_least_once", "none") for end in found["ends"])


def _until_gone(command: Command) -> None:
    until(lambda: not command.processes(), f"end of {command.processes()}", DIE_S)


def _until(command: Command, moment: float) -> None:
    """Or until it has ended."""
    until(lambda: not alive(command.pid) or time.monotonic() >= moment, "the moment", 60)


def given(seed: int, shape: str = "") -> list[dict[str, Any]]:
    """The rows of :func:`source`, for one that gets them from elsewhere."""
    kind = (seed, shape == LATE)
    if kind not in _GIVEN:
        from despina import graph
        fields = chain(("a", source(seed, shape=shape) | {"event_time": None}), ("rows", {"type": "collect_sink"}))
        fields["operators"]["a"].pop("event_time")
        with graph.Graph.from_dict(fields).run() as job:
            made = job.rows("rows").to_pylist()
            job.wait()
        _GIVEN[kind] = [row | {"ts": row["ts"].isoformat().replace("+00:00", "Z")} for row in made]
    return _GIVEN[kind]


_GIVEN: dict[tuple[int, bool], list[dict[str, Any]]] = {}
_EXPECTED: dict[str, dict[str, Read]] = {}


def read(out: Path, shape: str) -> Read:
    """By key, the rows in the order in which a reader gets them."""
    return by_key((tuple(row) for file in _parts(out) for row in file), shape)


def by_key(rows: Iterable[Row], shape: str) -> Read:
    """By key, the rows in their order."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[_key(row, shape)].append(row)
    return dict(found)


def _parts(out: Path) -> Iterator[list[list[str]]]:
    for file in sorted(out.glob("part-*")):
        with file.open(newline="") as lines:
            yield [*csv.reader(lines)]


def _key(row: Row, shape: str) -> str:
    if shape == "deduplicate":      # by two columns: rows of one k are dealt out to all lanes
        return f"{row[0]} {row[2]}"
    return next(cell for cell in row if cell.startswith("k"))


def expected(plan: Plan, taken: Mapping[str, list[dict[str, Any]]] | None = None) -> dict[str, Read]:
    """What comes out where nobody kills, by operator.

    :param taken: the rows of the sources; None for all, of which one run of each shape tells
    """
    if taken is not None:
        return _unkilled(plan, taken)
    if plan.shape not in _EXPECTED:
        _EXPECTED[plan.shape] = _unkilled(plan, None)
        assert plan.shape != LATE or _EXPECTED[plan.shape]["behind"], "no row is late"
    return _EXPECTED[plan.shape]


def _unkilled(plan: Plan, taken: Mapping[str, list[dict[str, Any]]] | None) -> dict[str, Read]:
    from despina import graph
    with tempfile.TemporaryDirectory(prefix="despina-unkilled-") as folder:
        one = Plan(plan.shape, 1, 1, True, 0, "wait", 1_000, PYTHON, 0.0, (), rate_per_s=0)
        out = Path(folder) / "out"
        way = None if taken is None else FileIn(Path(folder), taken, 0)
        graph.load(write(Path(folder) / "g.json", one.graph(out, way=way))).run().wait()
        return {name: read(files, plan.shape) for name, files in one.files(out).items()}


def campaign(folder: Path, seed: int, log: Log, kills: int) -> Iterator[tuple[int, Found]]:
    """Rounds behind those of a log, each of which it then has, until there were so many kills in all, or none in many rounds.

    :return: the number of each round, and what it came to
    """
    idle = 0
    while log.kills() < kills and idle < MOST_IDLE:
        number = log.next()
        found = run(folder / str(number), seed, number)
        idle = 0 if found.kills else idle + 1
        if idle == MOST_IDLE:
            found.wrong.append(f"no kill in {idle} rounds: the campaign ends with {log.kills()} of {kills}")
        if found.ended_s > PATIENCE_S + ROWS / RATE_PER_S:
            found.wrong.append(f"it hung: {found.ended_s:.0f} s from the last kill to the end")
        if (back_s := max(found.back_s, default=0.0)) > PATIENCE_S:
            found.wrong.append(f"it hung: {back_s:.0f} s from a kill until it went on")
        log.add(Round(number, found.plan.target, found.plan.shape, found.plan.way, found.plan.lanes, found.plan.fuse,
                      found.kills, found.runs, found.ended_s, found.back_s, found.wrong))
        if not found.wrong:
            shutil.rmtree(folder / str(number))
        yield number, found
