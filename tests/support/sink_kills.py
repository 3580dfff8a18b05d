"""A query that writes to a running job and is stopped and killed again and again, on a cluster its executors too, and which rows
the job has had in the end.
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
from dataclasses import dataclass, field
from pathlib import Path

from despina.engine import Engine
from despina.graph import Graph, RunOptions
from despina.job import Job
from support import spark_executors
from support.graphs import Fields, chain
from support.processes import SOURCE, TESTS, alive, until

EPOCH_ROWS = 500
MOST_PAUSE_S = 0.5
"""From a query's first epoch to its end."""
STOPS = 4
"""Queries of one driver that are stopped, before the driver is killed."""
LOCAL = "local[2]"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(TESTS)]), "SPARK_LOCAL_IP": "127.0.0.1"}
TWO: Fields = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
               "place": {"source": ["near", "far"], "*": ["far"]}}

DRIVER = """
import json
import os
import random
import signal
import sys
import time
from pyspark.sql import SparkSession
import despina
from support.spark_executors import CONFIGURATION, executors

options, checkpoint, seed, (stops, epoch_rows) = *sys.argv[1:4], map(int, sys.argv[4:6])
chance, master = random.Random(seed), sys.argv[8]
spark = (SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.jars", despina.spark_jar()).config(map=CONFIGURATION)
         .getOrCreate())
jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
rows = spark.readStream.format("rate-micro-batch").options(rowsPerBatch=epoch_rows, numPartitions=3).load().select("value")


def begun():
    query = (rows.writeStream.format("despina").options(**json.loads(options)).option("checkpointLocation", checkpoint).start())
    while not query.recentProgress:
        if query.awaitTermination(0.02):
            sys.exit("the query ended")
    return query


def lose_an_executor(query):
    while not (living := executors(jvm)):
        time.sleep(0.02)
    os.kill(chance.choice(living), signal.SIGKILL)
    done = query.lastProgress["batchId"]
    while query.lastProgress["batchId"] < done + 2:
        if query.awaitTermination(0.02):
            sys.exit("the query ended")


for _ in range(stops):
    query = begun()
    time.sleep(chance.uniform(0, float(sys.argv[6])))
    if not master.startswith("local["):
        lose_an_executor(query)
        time.sleep(chance.uniform(0, float(sys.argv[6])))
    query.stop()
    print("stopped", flush=True)
query = begun()
print(jvm, flush=True)
if sys.argv[7]:
    query.stop()
    sys.exit()
query.awaitTermination()
"""


@dataclass
class Found:
    """What the job has had."""

    stops: int = 0
    executors: int = 0
    kills: int = 0
    rows: int = 0
    epochs: int = 0
    """That Spark knows as committed."""
    wrong: list[str] = field(default_factory=list)


def graph(folder: Path) -> Fields:
    """What comes goes to ``rows.csv``."""
    return chain(("source", {"type": "spark_source", "schema": "value BIGINT", "parallelism": 2}),
                 ("sink", {"type": "file_sink", "path": str(folder / "rows.csv"), "format": "csv"}), name="given")


def start(engine: Engine, folder: Path) -> Job:
    """The job, on two resources, whose file is ``job.json``."""
    return Graph.from_dict(graph(folder)).start(engine, RunOptions(deployment=TWO))


def driver(folder: Path, options: Fields, stops: int, seed: str, ends: bool = False, master: str = LOCAL) -> list[str]:
    """The command of a driver whose query writes as the options say, and is stopped so often; then it ends, or goes on. On a
    cluster, each loses an executor before it is stopped.
    """
    return [sys.executable, "-c", DRIVER, json.dumps(options), str(folder / "checkpoint"), seed, str(stops),
            str(EPOCH_ROWS), str(MOST_PAUSE_S), "ends" if ends else "", master]


def kill_a_driver(folder: Path, options: Fields, stops: int, seed: str, master: str = LOCAL) -> None:
    """Starts a driver whose query is stopped so often at random moments, and kills it at another."""
    command = driver(folder, options, stops, seed, master=master)
    errors = folder / "errors"
    with errors.open("w") as told_on, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told_on, text=True,
                                                       env=ENVIRONMENT) as script:
        assert script.stdout is not None
        told = [script.stdout.readline().strip() for _ in range(stops + 1)]
        if not told[-1].isdigit():
            raise AssertionError(f"the driver did not come so far: {told} {errors.read_text()}")
        time.sleep(random.Random(seed).uniform(0, MOST_PAUSE_S))
        os.kill(int(told[-1]), signal.SIGKILL)
        script.kill()


def look(job: Job, folder: Path, found: Found) -> Found:
    """Ends the input, and compares."""
    job.end_input("source")
    job.wait(120)
    return compare(folder, found)


def compare(folder: Path, found: Found) -> Found:
    """Holds what came against what Spark has committed."""
    values = Counter(int(line) for part in (folder / "rows.csv").glob("part*") for line in part.read_text().split())
    found.rows = values.total()
    found.epochs = len([path for path in (folder / "checkpoint" / "commits").iterdir() if path.name.isdigit()])
    twice = [value for value, times in values.items() if times > 1]
    missing = set(range(max(len(values), found.epochs * EPOCH_ROWS))) - values.keys()
    found.wrong += [f"{len(twice)} rows came more than once, as {min(twice)}"] if twice else []
    found.wrong += [f"{len(missing)} rows are missing, as {min(missing)}"] if missing else []
    return found


def run(engine: Engine, folder: Path, kills: int, seed: int) -> Found:
    """So often the query is stopped or, each fifth time, its driver killed, between which it goes on from its checkpoint. Each
    query that is stopped has lost an executor before.
    """
    found = Found()
    with start(engine, folder) as job, job.file(folder / "job.json"):
        while found.stops + found.kills < kills:
            stops = min(STOPS, kills - found.stops - found.kills - 1)
            kill_a_driver(folder, {"job": str(folder / "job.json")}, stops, f"{seed}.{found.kills}", spark_executors.MASTER)
            found.stops += stops
            found.executors += stops
            found.kills += 1
        return look(job, folder, found)


def run_with_state(folder: Path, kills: int, seed: int) -> Found:
    """The same where each query has a job of its own in its driver, which goes on from its state."""
    found = Found()
    (folder / "given.graph.json").write_text(json.dumps(graph(folder)))
    options: Fields = {"graph": str(folder / "given.graph.json"), "state": str(folder / "state"), "epochMs": "200"}
    while found.stops + found.kills < kills:
        stops = min(STOPS, kills - found.stops - found.kills - 1)
        kill_a_driver(folder, options, stops, f"{seed}.{found.kills}")
        found.stops += stops
        found.kills += 1
    last = subprocess.run(driver(folder, options, 0, str(seed), ends=True), check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    # the job shows its last rows as it ends, in a JVM that may outlive its Python
    until(lambda: not alive(int(last.stdout)), "end of the driver's JVM")
    return compare(folder, found)
