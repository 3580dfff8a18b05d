"""``to_spark`` on a session of the user's that was started without our jar."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import despina
from despina.testing.rows import differences
from support import spark_archive
from support.cases import Case
from support.every import in_every

PACKAGE = Path(despina.__file__).resolve().parent.parent
CASE = Case(Path(__file__).resolve().parent / "cases" / "scan" / "groups")
SCRIPT = """
import json, sys
from pyspark.sql import SparkSession
import despina

spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
         .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.sql.shuffle.partitions", "2").getOrCreate())
assert "despina" not in spark.conf.get("spark.jars", "")
for _ in range(2):   # the second time the jar is there already
    rows = despina.load(sys.argv[1]).to_spark(spark, {"folder": sys.argv[2]})["rows"].toArrow().to_pylist()
print("ROWS", json.dumps(rows, default=lambda moment: moment.isoformat()))
spark.stop()
"""


@in_every      # the sessions of examples/pyspark have no jar of ours either, and CI runs them
def test_the_jar_is_added_to_a_live_session() -> None:
    command = [sys.executable, "-c", SCRIPT, str(CASE.graph), str(CASE.folder)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(PACKAGE), **spark_archive.USUAL}, capture_output=True,
                          text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("ROWS "))[5:])
    for row in rows:
        row["ts"] = datetime.fromisoformat(row["ts"])
    assert differences(rows, CASE.expected()["rows"], ordered=False) == []
