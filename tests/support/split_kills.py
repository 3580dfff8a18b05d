"""A graph with a state of which Spark runs a part, and whose parts are killed again and again. Its rows go from the engine to
Spark and back, and into a sink on each: each row must be once in both.
"""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.graphs import Fields, rows, write
from support.processes import Command, alive, until
from support.written import written_rows

RATE_PER_S = 1_000
PATIENCE_S = 300.0
KEYS = 7
RESOURCE, COORDINATOR, DRIVER, QUERY = "a resource", "the coordinator", "the driver", "a query"
WEIGHTS = {RESOURCE: 5, COORDINATOR: 2, DRIVER: 2, QUERY: 4}
ONE: Fields = {"format": 1, "resources": {"far": {"start": "child"}},
               "place": {"doubled": ["spark"], "on_disk": ["spark"], "*": ["far"]}}
DEPLOYMENT: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
                      "place": {"readings": ["near"], "doubled": ["spark"], "on_disk": ["spark"], "*": ["far"]}}
PROGRAM = """
import sys
from pathlib import Path
import despina
from despina.backends.spark import session

folder = Path(sys.argv[1])
spark = session.start("local[2]")
job = despina.load(folder / "g.json").run(deployment=folder / "d.json", state=folder / "state", epoch_ms=100)
(folder / "runs").touch()
while not (folder / "stop").exists():
    job.wait(0.2)
    if (folder / "cancel").exists():
        spark.sparkContext.cancelAllJobs()
        (folder / "cancel").unlink()
job.stop()
job.wait()
print(job.report().get("restarts_on_spark", {}))
"""


@dataclass
class Found:
    """What both sinks have had.

    :ivar shown: how many rows the engine's sink and Spark's had, when they were last looked at
    """

    done: Counter[str] = field(default_factory=Counter)
    shown: tuple[int, int] = (0, 0)
    rows: int = 0
    wrong: list[str] = field(default_factory=list)


def graph(folder: Path) -> Fields:
    """Rows that Spark doubles, and that the engine counts by key and Spark writes."""
    return {"format": 1, "name": "split kills",
            "operators": {
                "readings": rows(None, "id", f"id % {KEYS} AS k", rate_per_s=RATE_PER_S),
                "doubled": {"type": "project", "select": ["id", "k", "id * 2 AS d"]},
                "counted": {"type": "aggregate", "group_by": ["k"], "emit": "each", "select": ["id", "k", "d", "count(*) AS c"],
                            "accept": ["order"]},
                "out": {"type": "file_sink", "path": str(folder / "out"), "format": "json", "roll_every_ms": 200},
                "on_disk": {"type": "file_sink", "path": str(folder / "rows"), "format": "json"}},
            "links": [{"from": source, "to": target} for source, target in (
                ("readings", "doubled"), ("doubled", "counted"), ("counted", "out"), ("doubled", "on_disk"))]}


def prepare(folder: Path, deployment: Fields) -> None:
    """Writes the graph and its deployment."""
    write(folder / "g.json", graph(folder))
    write(folder / "d.json", deployment)


def arguments(folder: Path) -> list[str | Path]:
    """Of the command that runs the graph."""
    return ["run", folder / "g.json", "--deployment", folder / "d.json", "--state", folder / "state", "--epoch-ms", "100",
            "--master", "local[2]", "--quiet"]


def start(folder: Path) -> Command:
    """A program of its own that runs the graph, once it does."""
    prepare(folder, DEPLOYMENT)
    (folder / "program.py").write_text(PROGRAM)
    for before in ("runs", "stop"):
        (folder / before).unlink(missing_ok=True)
    program = Command(folder, folder, program=[folder / "program.py"])
    try:
        until(lambda: (folder / "runs").exists() or not alive(program.pid), "job of the program", PATIENCE_S)
        assert (folder / "runs").exists(), program.err()
    except AssertionError:
        program.clear()
        raise
    return program


def await_rows(folder: Path) -> tuple[int, int]:
    """Until both sinks have rows that they do not have now.

    :return: how many they have then
    """
    engines, sparks = len(of_engine(folder)), len(of_spark(folder))

    def more() -> tuple[int, int] | None:
        now = len(of_engine(folder)), len(of_spark(folder))
        return now if now[0] > engines and now[1] > sparks else None

    found = until(more, "row that is new in both", PATIENCE_S)
    assert found is not None
    return found


def strike(folder: Path, program: Command, what: str, dice: random.Random) -> bool:
    """Does that to one of them.

    :return: whether the program goes on
    """
    if what == QUERY:
        (folder / "cancel").touch()
        until(lambda: not (folder / "cancel").exists(), "query that is cancelled")
        return True
    if what == RESOURCE:
        _kill(*dice.sample(program.jvms("ResourceMain"), 1))
        return True
    _kill(*program.jvms("GatewayMain"), *([] if what == COORDINATOR else [program.pid, *_sparks(program)]))
    until(lambda: not program.processes(), "end of what is left of the program")
    program.clear()
    return False


def _sparks(program: Command) -> list[int]:
    return [pid for pid in program.processes() if b"SparkSubmit" in _command(pid)]


def _command(pid: int) -> bytes:
    with suppress(OSError):     # it may have ended meanwhile
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def run(folder: Path, blows: int, seed: int) -> Found:
    """So many blows, each when new rows have come since the one before. Then it is stopped and goes on once more: rows on their
    way at a stop are in the state, and would be missing behind it.
    """
    found, dice = Found(), random.Random(seed)
    program = start(folder)
    try:
        for _ in range(blows):
            found.shown = await_rows(folder)
            what = dice.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            found.done[what] += 1
            if not strike(folder, program, what, dice):
                program = start(folder)
        _stop(folder, program, found)
        program.clear()
        program = start(folder)
        _stop(folder, program, found)
    except AssertionError as late:
        found.wrong.append(f"{late}: {program.err()[-2000:]}")
    finally:
        program.clear()
    return compare(folder, found)


def _stop(folder: Path, program: Command, found: Found) -> None:
    """Ends it when new rows have come."""
    found.shown = await_rows(folder)
    (folder / "stop").touch()
    ended = program.end(PATIENCE_S)
    if ended.code != 0:
        found.wrong.append(f"the program ended with {ended.code}: {ended.err[-2000:]}")


def compare(folder: Path, found: Found) -> Found:
    """Each sink has the rows up to some one, once, and none fewer than it has shown before; the engine has counted them in their
    order.
    """
    counted = of_engine(folder)
    for name, ids, shown in (("the engine's sink", [row["id"] for row in counted], found.shown[0]),
                             ("Spark's sink", of_spark(folder), found.shown[1])):
        found.wrong += [f"{name}: {shown - len(ids)} rows are gone of {shown} that it has shown"] if len(ids) < shown else []
        times = Counter(ids)
        twice, missing = [one for one, count in times.items() if count > 1], set(range(len(times))) - times.keys()
        found.wrong += [f"{name}: {len(twice)} rows came more than once, as {min(twice)}"] if twice else []
        found.wrong += [f"{name}: {len(missing)} rows are missing, as {min(missing)}"] if missing else []
    wrong = [row for row in counted if (row["c"], row["d"]) != (row["id"] // KEYS + 1, 2 * row["id"])]
    found.wrong += [f"{len(wrong)} rows are counted wrong, as {wrong[0]}"] if wrong else []
    found.rows = len(counted)
    return found


def of_engine(folder: Path) -> list[dict[str, int]]:
    """What the engine's sink shows."""
    return written_rows(folder / "out")


def of_spark(folder: Path) -> list[int]:
    """The ids in Spark's sink: its log says which files count, and leaves out those of batches that were not committed."""
    return [json.loads(line)["id"] for name in _named(folder / "rows" / "_spark_metadata")
            for line in Path(name).read_text().splitlines()]


def _named(log: Path) -> set[str]:
    while True:
        batches = [batch for batch in log.iterdir() if not batch.name.startswith(".")] if log.is_dir() else []
        with suppress(FileNotFoundError):       # Spark has just gathered older files of its log in one, and deleted them
            return {json.loads(line)["path"].removeprefix("file://")
                    for batch in batches for line in batch.read_text().splitlines()[1:]}
