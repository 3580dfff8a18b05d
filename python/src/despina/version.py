"""The version of this package and of the Spark it is built for."""

VERSION = "0.2.0"

SPARK_MINOR = "4.3"
"""The only pyspark minor whose jars the engine runs on (pinned in pyproject.toml too)."""

JAVA_FLOOR = 17
"""The oldest Java that runs the engine."""
