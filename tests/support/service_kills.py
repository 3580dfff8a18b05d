"""A service whose processes are killed while its jobs are submitted, stopped, started and upgraded.

A wave is some jobs, each with what is asked of it, and some kills: of the service, of its coordinator, of a job's process. It is
over when every job is done. Then each must have each of its rows once, a submission that came twice must be one job, what was
asked for and answered must be what the folder says, and no process that was killed may have left one behind.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from despina.errors import DespinaError, RefusedError, StartError
from despina.service.client import ENDED
from support.processes import alive, commands, until
from support.service_homes import Home

SERVICE, COORDINATOR, CHILD = "service", "coordinator", "child"
WAYS = (SERVICE, SERVICE, COORDINATOR, CHILD)
"""What is killed, as often as each stands here."""
JOBS = 3
ROWS, RATE_PER_S = 4_000, 1_000
MOST_PAUSE_S = 1.5
"""Between what is asked of a job, and between two kills."""
OVER_S = 120.0
WATCH_S = 0.1
AT_ONCE = 0.5
"""How often a service that was killed is started again at once."""
STEPS = (("submit",), ("submit", "stop", "start"), ("submit", "upgrade"), ("submit", "stop", "start", "upgrade"))


@dataclass
class Found:
    """What has become of a wave."""

    kills: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    gone_s: list[float] = field(default_factory=list)
    """After kills of the service that no other one followed at once: how long the last of its processes lived."""
    wrong: list[str] = field(default_factory=list)


def graph(name: str, out: Path, *, upgraded: bool = False) -> str:
    """Numbers into files, each once."""
    operators: dict[str, Any] = {
        "source": {"type": "generator_source", "count": ROWS, "rate_per_s": RATE_PER_S,
                   "rows": {"type": "select", "select": ["id AS n"]}},
        "sink": {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 300}}
    links = [{"from": "source", "to": "sink"}]
    if upgraded:
        operators["passed"] = {"type": "filter", "where": "n >= 0"}
        links = [{"from": "source", "to": "passed"}, {"from": "passed", "to": "sink"}]
    return json.dumps({"format": 1, "name": name, "operators": operators, "links": links})


class Script(threading.Thread):
    """What is asked of one job, in order, each until the service has answered."""

    def __init__(self, home: Home, name: str, out: Path, seed: str) -> None:
        super().__init__(name=name, daemon=True)
        chance = random.Random(seed)
        self._client = home.asking(patient=True)
        self._out = out
        self._isolation = chance.choice(["own", "own", "shared"])
        self._pauses = [chance.uniform(0, MOST_PAUSE_S) for _ in range(4)]
        self._ended = threading.Event()
        self.steps = chance.choice(STEPS)
        self.answered = ""
        """What the service has said that it wants of the job; empty while it is being asked."""
        self.runs = 1
        self.fault = ""

    def run(self) -> None:
        """Asks."""
        try:
            for pause_s, step in zip(self._pauses, self.steps, strict=False):
                if self._ended.wait(pause_s):
                    return
                getattr(self, f"do_{step}")()
        except (DespinaError, AssertionError) as error:
            self.fault = f"{self.name}: {type(error).__name__}: {error}"

    def end(self) -> None:
        """Asks nothing more."""
        self._ended.set()

    def _asked(self, wanted: str, ask: Callable[[], Any]) -> Any:
        """Until it is answered: one that is not there, or is about to end, is asked again."""
        self.answered = ""
        while True:
            try:
                found = ask()
                self.answered = wanted
                return found
            except StartError:
                if self._ended.wait(0.2):
                    raise

    def do_submit(self) -> None:
        """Twice, as a client does that has heard nothing."""
        body = {"graph": graph(self.name, self._out), "file": self.name, "isolation": self._isolation}
        for _ in range(2):
            assert self._asked("running", lambda: self._client.submit(body, self.name))["run"] == 1

    def do_stop(self) -> None:
        """Drains it, and waits for its end."""
        self._asked("stopped", lambda: self._client.stop(self.name))
        until(lambda: self._state() in ENDED, f"end of {self.name}", OVER_S)

    def do_start(self) -> None:
        """Goes on with it."""
        self._asked_or_not(lambda: self._client.start(self.name))       # it runs by a request before, or is done

    def do_upgrade(self) -> None:
        """Has it go on with another graph."""
        until(lambda: self._state() in ("running", "done"), f"{self.name} that runs", OVER_S)
        body = {"graph": graph(self.name, self._out, upgraded=True), "file": self.name, "watch_s": WATCH_S}
        self.runs = 2
        self._asked_or_not(lambda: self._client.upgrade(self.name, body, f"{self.name}-upgrade"))       # it runs no more

    def _asked_or_not(self, ask: Callable[[], Any]) -> None:
        """What wants a job to be in some state, and need not find it there."""
        try:
            self._asked("running", ask)
        except RefusedError as refused:
            if refused.rule != "job_state":
                raise

    def _state(self) -> str:
        return str(self._asked(self.answered, lambda: self._client.job(self.name))["state"])


def wave(home: Home, folder: Path, seed: str, ways: Sequence[str]) -> Found:
    """Jobs of one service, and so many kills.

    :param folder: for what the jobs write
    :param ways: what is killed, in this order
    """
    found, chance = Found(), random.Random(seed)
    scripts = [Script(home, f"j{number}", folder / f"j{number}", f"{seed}-{number}") for number in range(JOBS)]
    try:
        for script in scripts:
            script.start()
        for way in ways:
            time.sleep(chance.uniform(0, MOST_PAUSE_S))
            _kill(home, way, chance, scripts, found)
            until(lambda: _is_settled(home), "jobs that run where the service says so")
        for script in scripts:
            script.join(OVER_S)
            found.wrong += [script.fault] if script.fault else [f"{script.name}: nobody answers"] if script.is_alive() else []
        for script in scripts if not found.wrong else ():
            _judge(home, script, folder / script.name, found)
    except AssertionError as late:
        found.wrong.append(str(late))
    finally:
        for script in scripts:
            script.end()
    return found


def _kill(home: Home, way: str, chance: random.Random, scripts: Sequence[Script], found: Found) -> None:
    if way == SERVICE:
        seen = home.kill()
        began = time.monotonic()
        at_once = chance.random() < AT_ONCE
        if at_once:
            home.again()
        until(lambda: not any(map(alive, seen)), "end of all processes of the service before")
        if not at_once:
            found.gone_s.append(time.monotonic() - began)
            home.again()
        known = {job["name"]: job for job in home.client.jobs()}
        for script in scripts:
            answered, has = script.answered, known.get(script.name, {"wanted": "nothing"})["wanted"]
            if answered and has != answered == script.answered:
                found.wrong.append(f"{script.name}: {answered} was answered, and the service has {has}")
    else:
        main = "GatewayMain" if way == COORDINATOR else "ResourceMain"
        until(lambda: home.command.jvms(main) or not any(script.is_alive() for script in scripts), f"process of {main}")
        pids = home.command.jvms(main)
        if not pids:
            return      # all jobs are done
        pid = chance.choice(pids)
        os.kill(pid, signal.SIGKILL)
        if way == COORDINATOR:
            until(lambda: set(home.command.jvms(main)) - {pid}, "coordinator that was started again")
    found.kills[way] += 1


def _is_settled(home: Home) -> bool:
    """Whether each job that the service shows as running has its processes."""
    for job in home.asking(patient=True).jobs():
        resources = ((job["status"] or {}).get("resources") or {}).values()
        if job["state"] == "running" and not (resources and all(alive(int(each["pid"])) for each in resources)):
            return False
    return True


def _judge(home: Home, script: Script, out: Path, found: Found) -> None:
    """Waits for the end of a job, and looks at what it has left."""
    def ended() -> dict[str, Any]:
        told = home.client.job(script.name)
        return told if told["state"] in ENDED else {}
    job = until(ended, f"end of {script.name}", OVER_S)
    if job["state"] != "done":
        found.wrong.append(f"{script.name} is {job['state']}: {job['reason']}")
        return
    runs = home.client.ask("GET", f"/jobs/{script.name}/runs")["jobs"]
    if len(runs) > script.runs:
        found.wrong.append(f"{script.name} has {len(runs)} runs")
    rows = Counter(int(line) for part in sorted(out.glob("part-*")) for line in part.read_text().split() if line.isdigit())
    found.rows += rows.total()
    lost = sorted(set(range(ROWS)) - set(rows))
    twice = [n for n, count in rows.items() if count > 1]
    # rows of an upgraded graph that has failed stay, and the one before reads them again
    came_back = any(run["starts"] and (run["upgrade"] or {}).get("phase") == "withdrawn" for run in runs)
    if lost or (twice and not came_back):
        found.wrong.append(f"{script.name}, {' '.join(script.steps)}: {len(lost)} rows lost ({lost[:3]}), "
                           f"{len(twice)} twice ({twice[:3]})")
    else:
        home.client.remove(script.name)


def campaign(folder: Path, seed: int, count: int) -> Iterator[tuple[int, Found]]:
    """Waves with so many kills in all, each with a service of its own that is there already; the numbers of the waves."""
    chance = random.Random(seed)
    starts = commands(folder)
    home = Home(next(starts), folder / "home")
    killed = number = 0
    while killed < count:
        home.spare = chance.choice((0, 1))
        out = folder / f"wave{number}"
        found = wave(home, out, f"{seed}-{number}", chance.choices(WAYS, k=min(chance.randint(1, 4), count - killed)))
        killed += found.kills.total()
        if not found.wrong:
            shutil.rmtree(out, ignore_errors=True)
        yield number, found
        number += 1
        if found.wrong:
            break
    home.command.signal(signal.SIGTERM)
    home.command.end()
    next(starts, None)      # nothing may be left
