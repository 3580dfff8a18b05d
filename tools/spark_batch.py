"""The manufacturing graph, translated to Spark, against the same job written by hand in PySpark.

    .venv/bin/python tools/spark_batch.py --rows 200000 1000000
    .venv/bin/python tools/spark_batch.py --input readings.txt

Both run in one Spark under the same settings, by turns; their rows must be equal. Prints medians of the processor time of this
process and Spark's, and of the time by the clock, and the ratio of both. Exits 1 if the graph takes more than ``LIMIT`` times the
processor time of the job by hand. The clock tells the same only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as f

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import despina
from despina.backends import spark as backend
from despina.backends.spark import session
from despina.testing.rows import differences
from support.cases import Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).resolve().parents[1]
GRAPHS = ROOT / "graphs"
PAIRS = ("05-08", "06-09", "07-10")
LIMIT = 1.3
COLUMNS = ("ts TIMESTAMP, index BIGINT, mf01 INT, mf02 INT, mf03 INT, pc13 INT, pc14 INT, pc15 INT, pc25 INT, pc26 INT, "
           "pc27 INT, res INT, bm05 INT, bm06 INT, bm07 INT, bm08 INT, bm09 INT, bm10 INT")
STATES = ("bm05", "bm06", "bm07", "bm08", "bm09", "bm10")
DAY_US = 86_400_000_000


def translated(spark: SparkSession, readings: Path, output: Path) -> None:
    """The graph, as ``despina run --on spark`` runs it."""
    backend.run(despina.load(GRAPHS / "manufacturing.graph.json"), spark,
                despina.RunOptions({"input": str(readings), "output": str(output)}))


def by_hand(spark: SparkSession, readings: Path, output: Path) -> None:
    """The job as one would write it who knows PySpark: one sort of the readings finds the changes of all six states, and from
    there on there are few rows.
    """
    lines = spark.read.schema(COLUMNS).option("sep", "\t").csv(str(readings))
    whole = Window.orderBy("ts", "index")
    before = whole.rowsBetween(Window.unboundedPreceding, -1)
    seen = lines.select("ts", "index", *STATES, *(f.last(s, ignorenulls=True).over(before).alias(f"old_{s}") for s in STATES))
    changed = [f.when(f.col(s) != f.col(f"old_{s}"), f.struct(
        f.lit(pair).alias("pair"), f.lit(valve).alias("valve"), f.col(s).alias("edge")))
        for pair in PAIRS for valve, s in enumerate(f"bm{number}" for number in pair.split("-"))]
    changes = seen.select("ts", "index", f.inline(f.filter(f.array(*changed), lambda change: change.isNotNull())))
    same_edge = Window.partitionBy("pair", "edge").orderBy("ts", "index", "valve")
    sensor_ts = f.last(f.when(f.col("valve") == 0, f.col("ts")), ignorenulls=True).over(same_edge)
    delays = changes.withColumn("sensor_ts", sensor_ts).where("valve = 1 AND sensor_ts IS NOT NULL").withColumn(
        "delay_us", f.unix_micros("ts") - f.unix_micros("sensor_ts"))
    day = Window.partitionBy("pair").orderBy(f.unix_micros("ts")).rangeBetween(-DAY_US, 0)
    x = (f.unix_micros("ts") - f.unix_micros(f.lit("2012-02-22T00:00:00Z").cast("timestamp"))) / 1e6
    slope = f.regr_slope("delay_us", x).over(day)
    oldest = f.min_by("delay_us", f.struct("ts", "index")).over(day)
    mean_x, mean_y = f.regr_avgx("delay_us", x).over(day), f.regr_avgy("delay_us", x).over(day)
    rows: DataFrame = delays.select(
        "ts", "pair", "edge", "delay_us", f.count("*").over(day).alias("n"), slope.alias("slope"),
        (mean_y + slope * (x - mean_x)).alias("trend_now"), (f.col("delay_us") > 1.01 * oldest).alias("alarm"))
    options = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "ignoreNullFields": "false"}
    rows.write.mode("overwrite").options(**options).json(str(output))


SUBJECTS: dict[str, Callable[[SparkSession, Path, Path], None]] = {"graph": translated, "by hand": by_hand}


@dataclass(frozen=True)
class Cost:
    """Seconds of one run."""

    processor: float
    clock: float


def processor_s(pid: int) -> float:
    """Of a process so far, in all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(name: str, spark: SparkSession, readings: Path, output: Path) -> Cost:
    """Runs a subject once."""
    jvm = spark._jvm
    assert jvm is not None
    pids = (os.getpid(), int(jvm.java.lang.ProcessHandle.current().pid()))
    jvm.java.lang.System.gc()       # nobody pays for another's garbage
    used, began = sum(map(processor_s, pids)), time.monotonic()
    SUBJECTS[name](spark, readings, output)
    return Cost(sum(map(processor_s, pids)) - used, time.monotonic() - began)


def read(folder: Path) -> list[Row]:
    """The rows that a subject has written."""
    return [json.loads(line) for part in folder.glob("part-*") for line in part.read_text().splitlines()]


def compare(spark: SparkSession, readings: Path, rounds: int, warm_ups: int) -> bool:
    """Runs the subjects by turns, and says whether the graph's cost is within the limit.

    :raise SystemExit: their rows differ
    """
    costs: dict[str, list[Cost]] = {name: [] for name in SUBJECTS}
    with tempfile.TemporaryDirectory(prefix="despina-spark-batch-") as folder:
        outputs = {name: Path(folder, name.replace(" ", "_")) for name in SUBJECTS}
        for number in range(rounds + warm_ups):
            for name in sorted(SUBJECTS, reverse=number % 2 == 1):
                cost = measured(name, spark, readings, outputs[name])
                if number >= warm_ups:
                    costs[name].append(cost)
        rows = {name: read(outputs[name]) for name in SUBJECTS}
    if found := differences(rows["graph"], rows["by hand"], ordered=False, aggregates=("slope", "trend_now")):
        raise SystemExit("the rows differ:\n" + "\n".join(found))
    processor = {name: statistics.median(cost.processor for cost in costs[name]) for name in SUBJECTS}
    clock = {name: statistics.median(cost.clock for cost in costs[name]) for name in SUBJECTS}
    for what, seconds in (("processor", processor), ("clock", clock)):
        told = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
        print(f"  {what:9} {told}: {seconds['graph'] / seconds['by hand']:.2f} times", flush=True)
    print(f"  {len(rows['graph']):,} rows, equal", flush=True)
    return processor["graph"] <= LIMIT * processor["by hand"]


def made(spark: SparkSession, rows: int, folder: Path) -> Path:
    """Readings made from a seed."""
    path = folder / f"readings_{rows}.txt"
    if not path.exists():
        graph = despina.load(GRAPHS / "manufacturing_input.graph.json")
        backend.run(graph, spark, despina.RunOptions({"rows": rows, "output": str(path)}))
    return path


def main() -> int:
    """Measures each size, or the given file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000, 1_000_000], help="readings to make (200000 1000000)")
    parser.add_argument("--input", type=Path, help="readings in the DEBS 2012 format, in place of made ones")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each that count (7)")
    parser.add_argument("--warm-ups", type=int, default=3, help="turns of each before (3)")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "spark_batch", help="where made readings stay")
    options = parser.parse_args()
    if options.input is not None and not options.input.is_file():
        print(f"there is no {options.input}: nothing was measured")
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    spark = session.start("local[2]", {"spark.sql.session.timeZone": "UTC"})
    try:
        fine = True
        for path in [options.input] if options.input else [made(spark, rows, options.folder) for rows in options.rows]:
            print(f"{path.name}, {path.stat().st_size / 1e6:,.0f} MB, {options.rounds} turns of each:", flush=True)
            fine &= compare(spark, path, options.rounds, options.warm_ups)
        return 0 if fine else 1
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
