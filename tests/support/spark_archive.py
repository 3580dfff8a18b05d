"""A class archive for the Sparks that tests start: each loads the same eight thousand classes, for a third of its time.

``python -m support.spark_archive`` makes it, once for an installation; where there is none, tests run without.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from despina import installed
from despina.archive import digest
from support.java import SMALL

BUILD = Path(__file__).resolve().parents[2] / "build"
SILENT = "-Xlog:disable"
"""Java warns of each class that it leaves out."""
QUERIES = ("SELECT id % 3 AS k, sum(id) AS s, max(struct(id)) AS m FROM range(1000) WHERE id > 3 GROUP BY 1 ORDER BY 1",
           "SELECT a.id, sum(b.id) OVER (PARTITION BY a.id % 3 ORDER BY a.id) s FROM range(9) a JOIN range(5) b ON a.id < b.id")


def file() -> Path:
    """Where it is, or would be: another Java, or other jars, have another."""
    jars = sorted(str(jar) for jar in installed.spark_jars().glob("*.jar"))
    return BUILD / f"spark-{digest(installed.find_java().full_version, jars)}.jsa"


def options() -> str:
    """The options of a Spark's JVM in tests."""
    made = file()
    return f"{SMALL} -Xshare:auto -XX:SharedArchiveFile={made} {SILENT}" if made.is_file() else SMALL


def main() -> None:
    """Runs some queries, and has the JVM write what it has loaded."""
    from despina.backends.spark import session

    made = file()
    java = installed.find_java()
    if made.is_file() or not java.shares_classes:
        return
    spark = session.start("local[2]", {"spark.driver.extraJavaOptions": f"{SMALL} -XX:+RecordDynamicDumpInfo {SILENT}",
                                       "spark.sql.shuffle.partitions": "2"})
    for query in QUERIES:
        spark.sql(query).toArrow()
    pid = str(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
    partial = made.with_suffix(".part")
    made.parent.mkdir(exist_ok=True)
    partial.unlink(missing_ok=True)
    tool = Path(java.executable).resolve().with_name("jcmd")
    subprocess.run([tool, pid, "VM.cds", "dynamic_dump", partial], check=False, capture_output=True)
    spark.stop()
    if partial.is_file():
        partial.rename(made)


if __name__ == "__main__":
    main()
