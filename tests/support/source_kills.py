"""A query over a job that keeps its state, stopped and killed again and again, with its executors. The job lives in the JVM of
its driver and in children, and goes on from its state as the query from its checkpoint. Each row must be in the table once.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from support import sink_kills
from support.graphs import Fields, chain, rows, write
from support.processes import children, main_class
from support.spark_executors import executors

RATE_PER_S = 2_000
KEYS = 7
STOPS, RESOURCES, DRIVERS = "the query is stopped", "a resource is killed", "the driver is killed"
EXECUTORS = "an executor is killed"
WEIGHTS = {STOPS: 5, RESOURCES: 2, DRIVERS: 2, EXECUTORS: 5}
MOST_PAUSE_S = 1.5
"""From a query's first rows to what happens to it."""
BLOW_S = 4
"""How long the rows last for each blow. On a busy machine a blow takes longer, and the job may end before the last of them."""
STATE_ENDED = "[state_ended]"
DEPLOYMENT: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
                      "place": {"source": ["near"], "*": ["far"]}}

DRIVER = """
import sys
from pyspark.sql import SparkSession
import despina
from support.spark_executors import CONFIGURATION, MASTER

folder = sys.argv[1]
spark = (SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.jars", despina.spark_jar()).config(map=CONFIGURATION)
         .getOrCreate())
rows = (spark.readStream.format("despina").option("graph", folder + "/g.json").option("output", "counted")
        .option("deployment", folder + "/d.json").option("state", folder + "/state").option("epochMs", 100)
        .option("onEnd", "stop").load())


def begun():
    query = rows.writeStream.format("json").option("checkpointLocation", folder + "/checkpoint").start(folder + "/rows")
    while not any(progress["numInputRows"] for progress in query.recentProgress) and query.isActive:
        query.awaitTermination(0.02)
    return query


query = begun()
print(spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)
for line in sys.stdin:
    query.stop()
    query = begun()
    print("again", flush=True)
query.awaitTermination()
print("ended", flush=True)
"""


@dataclass
class Found:
    """What the table has had."""

    done: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    wrong: list[str] = field(default_factory=list)


def graph(count: int) -> Fields:
    """Rows that are counted by key."""
    counted: Fields = {"type": "aggregate", "group_by": ["k"], "emit": "each", "select": ["id", "k", "count(*) AS c"]}
    return chain(("source", rows(count, "id", f"id % {KEYS} AS k", rate_per_s=RATE_PER_S)), ("count", counted),
                 ("counted", {"type": "discard_sink"}), links={"fuse": False}, name="given")


def run(folder: Path, blows: int, seed: int) -> Found:
    """So many blows, then to the end; fewer if the job has ended before."""
    found, dice = Found(), random.Random(seed)
    count = RATE_PER_S * BLOW_S * blows
    write(folder / "g.json", graph(count))
    write(folder / "d.json", DEPLOYMENT)
    try:
        while not _drive(folder, blows, dice, found):
            continue
    except AssertionError:
        if STATE_ENDED not in (folder / "errors").read_text():
            raise
    _compare(folder, count, found)
    return found


def _drive(folder: Path, blows: int, dice: random.Random, found: Found) -> bool:
    """One driver, until it is killed or the job has ended.

    :return: whether it has ended
    """
    errors = folder / "errors"
    with errors.open("a") as told_on, subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told_on, text=True,
            env=sink_kills.ENVIRONMENT) as script:
        assert script.stdout is not None
        assert script.stdin is not None
        line = script.stdout.readline().strip()
        if not line.isdigit():
            raise AssertionError(f"the driver did not come so far: {line} {errors.read_text()[-3000:]}")
        jvm = int(line)
        while True:
            over = sum(found.done.values()) >= blows
            time.sleep(dice.uniform(0, MOST_PAUSE_S))
            blow = "" if over else dice.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            if over:
                script.stdin.close()
                break
            if script.poll() is not None:
                raise AssertionError(f"the query has failed: {errors.read_text()[-1000:]}")
            victims = _resources(jvm) if blow == RESOURCES else executors(jvm) if blow == EXECUTORS else [jvm]
            if not victims:
                continue        # others are being started in their place
            found.done[blow] += 1
            if blow != STOPS:
                _kill(dice.choice(victims))
            if blow == DRIVERS:
                script.kill()
                break
            if blow == STOPS:
                script.stdin.write("\n")
                script.stdin.flush()
                assert script.stdout.readline().strip() == "again", errors.read_text()[-3000:]
        if over:
            assert "ended" in script.stdout.read(), errors.read_text()[-3000:]
        return over


def _resources(jvm: int) -> list[int]:
    return [pid for pid in children(jvm) if main_class(pid) == "ResourceMain"]


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _compare(folder: Path, count: int, found: Found) -> None:
    """Spark's own log of the table says which files count."""
    log = folder / "rows" / "_spark_metadata"
    files = {json.loads(line)["path"].removeprefix("file://") for batch in log.iterdir() if not batch.name.startswith(".")
             for line in batch.read_text().splitlines()[1:]}
    seen = [json.loads(line) for file in sorted(files) for line in Path(file).read_text().splitlines()]
    ids = Counter(row["id"] for row in seen)
    found.rows = len(seen)
    twice, missing = [one for one, times in ids.items() if times > 1], set(range(count)) - ids.keys()
    found.wrong += [f"{len(twice)} rows came more than once, as {min(twice)}"] if twice else []
    found.wrong += [f"{len(missing)} rows are missing, as {min(missing)}"] if missing else []
    wrong = [row for row in seen if row["c"] != row["id"] // KEYS + 1]
    found.wrong += [f"{len(wrong)} rows are counted wrong, as {wrong[0]}"] if wrong else []
