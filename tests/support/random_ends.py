"""Jobs that are hit at random: by signals, by the death of a process, by a full disk. What then lies on disk must hold.

Each round is made from its seed and number alone, so that one which fails can be run again.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.graphs import TWO, Fields, chain, rows, write
from support.processes import Command, alive, until

KEYS = 7
DISK_BYTES = 1 << 20
DIE_S = 10.0
"""How long the JVMs of a command may outlive it: a resource gives its coordinator up after a second and a half without it, or
after five if it was held up lately."""

EARLIER = '{"k":-1,"n":-1}\n'
"""A row of an earlier run."""
FOREIGN = "a user's own\n"
STOPS = {"SIGTERM": [signal.SIGTERM], "SIGINT": [signal.SIGINT], "SIGINT twice": [signal.SIGINT] * 2, "SIGHUP": [signal.SIGHUP]}
KILL_RESOURCE, KILL_COMMAND, FULL_DISK, NOTHING = "kill -9 of a resource", "kill -9 of the command", "full disk", "nothing"


@dataclass(frozen=True)
class Plan:
    """What a round does."""

    two: bool
    count: int | None
    rate_per_s: int
    lanes: int
    sleep_ms: float
    roll_every_ms: int
    form: str
    single: bool
    replaces: bool
    drain_ms: int | None
    blow: str
    early: bool
    after_s: float

    @classmethod
    def of(cls, dice: random.Random, root: bool) -> Plan:
        """Drawn by the dice."""
        single = dice.random() < 0.25
        blow = dice.choice([*STOPS, *STOPS, KILL_RESOURCE, KILL_RESOURCE, KILL_COMMAND, KILL_COMMAND, NOTHING]
                           + [FULL_DISK] * 2 * root)
        endless = blow == FULL_DISK or (blow != NOTHING and dice.random() < 0.6)
        rate = dice.choice([500, 5_000, 20_000])
        return cls(two=dice.random() < 0.6, count=None if endless else rate * dice.choice([2, 4]),
                   rate_per_s=20_000 if blow == FULL_DISK else rate, lanes=1 if single else dice.choice([1, 2]),
                   sleep_ms=dice.choice([0, 0, 0.1, 2]) if blow != FULL_DISK else 0,
                   roll_every_ms=dice.choice([0, 200, 1_000]), form=dice.choice(["csv", "json"]), single=single,
                   replaces=dice.random() < 0.5, drain_ms=dice.choice([None, None, 500]), blow=blow,
                   early=blow != FULL_DISK and dice.random() < 0.15, after_s=dice.uniform(0, 3))

    def graph(self, path: Path) -> Fields:
        """Rows of keys and sequences, through a slow stage, into files."""
        by_key: Fields = {"fuse": False} | ({"partition": {"type": "hash", "by": ["k"]}} if self.lanes > 1 else {})
        return chain(
            ("source", rows(self.count, f"id % {KEYS} AS k", "id AS n", rate_per_s=self.rate_per_s)),
            ("slow", {"type": "relay", "parallelism": self.lanes} | ({"sleep_ms": self.sleep_ms} if self.sleep_ms else {})),
            ("sink", {"type": "file_sink", "path": str(path), "format": self.form, "parallelism": self.lanes,
                      "roll_every_ms": self.roll_every_ms, "single_file": self.single,
                      "if_exists": "replace" if self.replaces else "error"}), links=by_key, name="hit")

    def __str__(self) -> str:
        """In one line."""
        source = f"{'without end' if self.count is None else f'{self.count:,} rows'}, {self.rate_per_s:,}/s"
        return (f"{'two resources' if self.two else 'one'}, {source}, {self.lanes} lanes, sleep {self.sleep_ms} ms, {self.form}"
                f"{' in one file' if self.single else ''}, rolls {self.roll_every_ms} ms{', replaces' if self.replaces else ''}; "
                f"{self.blow} {'at the start' if self.early else 'later'} + {self.after_s:.1f} s")


@dataclass
class Found:
    """What a round came to."""

    plan: Plan
    code: int = 0
    ended_s: float = 0.0
    committed: int = 0
    taken: int = 0
    wrong: list[str] = field(default_factory=list)
    told: str = ""


def run(folder: Path, seed: int, number: int, patience_s: float) -> Found:
    """One round in a folder of its own.

    :param patience_s: how long the command may take to end once it was hit
    """
    plan = Plan.of(random.Random(f"{seed} {number}"), os.geteuid() == 0)
    found = Found(plan)
    folder.mkdir(parents=True)
    with _disk(folder / "disk", plan.blow == FULL_DISK) as disk:
        round_ = _Round(plan, folder, disk, found)
        try:
            round_.hit(patience_s)
            round_.look()
        except (AssertionError, ValueError) as error:
            found.wrong.append(repr(error))
        finally:
            if left := round_.command.clear():
                found.wrong.append(f"processes {left} were left behind")
            found.told = round_.command.err()
    return found


@contextmanager
def _disk(path: Path, small: bool) -> Iterator[Path]:
    path.mkdir()
    if small:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", path], check=True)
    try:
        yield path
    finally:
        if small:
            subprocess.run(["umount", path], check=True)


class _Round:
    def __init__(self, plan: Plan, folder: Path, disk: Path, found: Found) -> None:
        self._plan, self._found, self._folder = plan, found, folder
        self._path = disk / ("out." + plan.form if plan.single else "out")
        self._foreign = disk / "notes.txt"
        self._foreign.write_text(FOREIGN)
        self._earlier = self._path if plan.single else self._path / f"part-00000-00001.{plan.form}"
        if plan.replaces:
            self._earlier.parent.mkdir(exist_ok=True)
            self._earlier.write_text(EARLIER)
        arguments: list[str | Path] = ["run", write(folder / "g.json", plan.graph(self._path)), "--report", folder / "r.json"]
        if plan.two:
            arguments += ["--deployment", write(folder / "d.json", TWO)]
        if plan.drain_ms is not None:
            arguments += ["--drain-ms", str(plan.drain_ms)]
        self.command = Command(folder, *arguments)

    def hit(self, patience_s: float) -> None:
        """Waits for the moment, hits, and waits for the end."""
        plan = self._plan
        if not plan.early:
            until(lambda: "  running" in self.command.err() or not alive(self.command.pid), "running job", 90)
        # the moment is what is random here: nothing is there to wait for
        time.sleep(plan.after_s)
        hit = time.monotonic()
        _BLOWS.get(plan.blow, _signal)(self.command, plan.blow)
        bounded = plan.count is not None and plan.blow in (NOTHING, FULL_DISK)
        waits = plan.blow == FULL_DISK or bounded
        ended = self.command.end(90 if waits else patience_s)
        self._found.code, self._found.ended_s = ended.code, time.monotonic() - hit
        until(lambda: not self.command.processes(), f"end of {self.command.processes()}", DIE_S)

    def look(self) -> None:
        """Compares what is told and what lies on disk with what may be."""
        found = self._found
        self._expect(self._foreign.read_text() == FOREIGN, "a user's file was changed")
        self._judge_words()
        before = self._rows()
        found.committed = self._prefix("committed", before)
        if self._plan.replaces and found.committed == 0:
            self._expect(self._earlier.is_file() and self._earlier.read_text() == EARLIER, "earlier output is gone, and "
                         "nothing is there in its place")
        if found.code == 0 and self._plan.count is not None:
            self._expect(found.committed == self._plan.count, f"done with {found.committed} of {self._plan.count} rows")
        self._take(may_lack_room=self._plan.blow == FULL_DISK)
        found.taken = self._prefix("taken over", self._rows()) - found.committed
        self._expect(found.taken >= 0, "leftovers --take lost rows")

    def _take(self, may_lack_room: bool) -> None:
        taken = Command(self._folder, "leftovers", self._path, "--take").end()
        if may_lack_room and taken.code == 2 and "No space left" in taken.err:
            self._expect(sum(map(len, self._rows().values())) == self._found.committed, "a refused take has changed the output")
            subprocess.run(["mount", "-o", f"remount,size={8 * DISK_BYTES}", self._foreign.parent], check=True)
            self._take(may_lack_room=False)
        else:
            # of a job that died before it made its folder there is nothing to be taken
            nothing = taken.code == 2 and not self._path.parent.joinpath(self._path.name).exists()
            self._expect(taken.code == 0 or nothing, f"leftovers --take: {taken.err}")

    def _judge_words(self) -> None:
        found, err = self._found, self.command.err()
        codes, words = _EXPECTED[self._plan.blow]
        if self._plan.count is not None or self._plan.early:
            codes = codes | {0}
        if self._plan.early:    # Python may not listen yet
            codes = codes | {-number for number in STOPS.get(self._plan.blow, ())}
        self._expect(found.code in codes, f"exit code {found.code}, not of {sorted(codes)}")
        # a signal may come before Python has read a line of ours
        unheard = self._plan.early and found.code < 0 and "despina" not in err.replace("-m despina", "")
        self._expect(unheard or ("Traceback" not in err and "Exception" not in err), "a stack trace")
        if found.code > 0 and not (self._plan.early and found.code == 130):
            self._expect(any(word in err for word in words), f"none of {words} on standard error")

    def _rows(self) -> dict[int, list[int]]:
        """The sequence of each key, in the order in which a reader gets them."""
        files = [self._path] if self._plan.single else sorted(self._path.glob("part-*"))
        rows: dict[int, list[int]] = defaultdict(list)
        for file in files:
            if not file.is_file():
                continue
            text = file.read_text()
            self._expect(not text or text.endswith("\n"), f"{file.name} ends within a line")
            for line in text.splitlines():
                if line + "\n" == EARLIER:
                    continue
                k, n = line.split(",") if self._plan.form == "csv" else (json.loads(line)[name] for name in ("k", "n"))
                rows[int(k)].append(int(n))
        return rows

    def _prefix(self, what: str, rows: dict[int, list[int]]) -> int:
        for key, sequence in rows.items():
            sent = range(key, key + KEYS * len(sequence), KEYS)
            wrong = next((k for k, (n, m) in enumerate(zip(sequence, sent, strict=True)) if n != m), None)
            self._expect(wrong is None, f"{what}: key {key}: row {wrong} is {wrong is not None and sequence[wrong]}")
        return sum(map(len, rows.values()))

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self._found.wrong.append(otherwise)


def _signal(command: Command, blow: str) -> None:
    for k, number in enumerate(STOPS[blow]):
        if k:
            with suppress(AssertionError):
                until(lambda: "draining" in command.err() or not alive(command.pid), "draining", 2)
        with suppress(ProcessLookupError):
            command.signal(number)


def _kill_resource(command: Command, _: str) -> None:
    def last() -> int | None:
        return next((pids[-1] for name in ("ResourceMain", "GatewayMain") if (pids := command.jvms(name))), None)

    if pid := until(lambda: last() or not alive(command.pid), "process of a resource"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _kill_command(command: Command, _: str) -> None:
    with suppress(ProcessLookupError):
        command.signal(signal.SIGKILL)


_BLOWS: dict[str, Callable[[Command, str], None]] = {
    KILL_RESOURCE: _kill_resource, KILL_COMMAND: _kill_command, FULL_DISK: lambda *_: None, NOTHING: lambda *_: None}
_STOPPED = ("stopped after", "done after", "incomplete")
_EXPECTED: dict[str, tuple[set[int], tuple[str, ...]]] = {
    **{stop: ({130, 5}, _STOPPED) for stop in STOPS},
    KILL_RESOURCE: ({1, 3}, ("was lost", "did not start", "JVM is gone", "ended before it was ready")),
    KILL_COMMAND: ({-signal.SIGKILL}, ()),
    FULL_DISK: ({1}, ("No space left",)),
    NOTHING: ({0}, ())}


def clear(folder: Path) -> None:
    """Removes what a good round leaves."""
    shutil.rmtree(folder)
