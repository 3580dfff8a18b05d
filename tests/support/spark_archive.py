"""A class archive for the Sparks that tests start: each loads the same fourteen thousand classes, for a third of its time.

``python -m support.spark_archive`` makes it, once for an installation; where there is none, tests run without.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from despina import installed
from despina.archive import digest
from support.java import SMALL
from support.processes import alive, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUILD = Path(__file__).resolve().parents[2] / "build"
SILENT = "-Xlog:disable"
"""Java warns of each class that it leaves out."""
QUERIES = ("SELECT id % 3 AS k, sum(id) AS s, max(struct(id)) AS m FROM range(1000) WHERE id > 3 GROUP BY 1 ORDER BY 1",
           "SELECT a.id, sum(b.id) OVER (PARTITION BY a.id % 3 ORDER BY a.id) s FROM range(9) a JOIN range(5) b ON a.id < b.id")
PLAIN = {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "false",
         "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Settings for small data: what plans anew at run time and what compiles code costs more than it saves."""
END_S = 300.0
"""How long it may take to write what it has loaded."""
FORMATS = ("parquet", "json", "csv")


USUAL = {"PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
"""Environment of a Spark with its own settings, as a user has it: one of a command, and one of a script, are started so."""


def file() -> Path:
    """Where it is, or would be: another Java, or other jars, have another."""
    jars = sorted(str(jar) for jar in installed.spark_jars().glob("*.jar"))
    return BUILD / f"spark-{digest(installed.find_java().full_version, jars)}.jsa"


def options(usual: str = SMALL) -> str:
    """The options of a Spark's JVM in tests, an executor's too.

    :param usual: those where there is no archive
    """
    made = file()
    return f"{usual} -Xshare:auto -XX:SharedArchiveFile={made} {SILENT}" if made.is_file() else usual


def arguments() -> str:
    """What ``PYSPARK_SUBMIT_ARGS`` is for a Spark that a script starts with the settings for small data."""
    return " ".join([*(f"--conf {name}={value}" for name, value in PLAIN.items()), "pyspark-shell"])


def main() -> None:
    """Runs some queries in a JVM that writes as it ends what it has loaded. A running JVM would leave out the classes that
    nothing has linked yet.
    """
    from despina.backends.spark import session

    made = file()
    java = installed.find_java()
    if made.is_file() or not java.shares_classes:
        return
    partial = made.with_suffix(".part")
    made.parent.mkdir(exist_ok=True)
    partial.unlink(missing_ok=True)
    spark = session.start("local[2]", {"spark.driver.extraJavaOptions": f"{SMALL} -XX:ArchiveClassesAtExit={partial} {SILENT}",
                                       **PLAIN})
    jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    for query in QUERIES:
        spark.sql(query).toArrow()
    with tempfile.TemporaryDirectory() as folder:
        files(spark, folder)
    spark.stop()
    spark.sparkContext._gateway.shutdown()
    spark.sparkContext._gateway.proc.stdin.close()      # its JVM's life line
    until(lambda: not alive(jvm), "end of Spark", END_S)
    if partial.is_file():
        partial.rename(made)


def files(spark: SparkSession, folder: str) -> None:
    """Writes and reads files of each format, and reads one as a stream."""
    schema = "id BIGINT, word STRING"
    for form in FORMATS:
        spark.range(10).selectExpr("id", "concat('w', id) AS word").write.format(form).save(f"{folder}/{form}")
        spark.read.schema(schema).format(form).load(f"{folder}/{form}").toArrow()
    stream = spark.readStream.schema(schema).json(f"{folder}/json")
    writer = stream.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint")
    writer.trigger(availableNow=True).start(f"{folder}/out").awaitTermination()


if __name__ == "__main__":
    main()
