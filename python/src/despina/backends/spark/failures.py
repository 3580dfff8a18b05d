"""What Spark raises, as an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from despina.errors import JobError

if TYPE_CHECKING:
    from despina.backends.spark.plan import Operator


@contextmanager
def told_of(operator: Operator) -> Iterator[None]:
    """Spark works for that operator.

    :raise JobError: Spark failed, in its own words
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise JobError("spark", f"operator {operator.id}: {error}") from error
    except Py4JJavaError as error:  # a job of which a task failed in a way that PySpark has no class for
        failed = error.java_exception.getCause() or error.java_exception
        raise JobError("spark", f"operator {operator.id}: {failed.getMessage() or failed.toString()}") from error


@contextmanager
def told_if_lost() -> Iterator[None]:
    """Spark's JVM is needed, to the end of its session.

    :raise JobError: it has ended, as when the system was short of memory
    """
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        yield
    except Py4JJavaError:
        raise
    except (Py4JError, ConnectionError) as error:
        raise JobError("spark_lost", f"Spark's JVM does not answer any more: {error}",
                       hint="what it said last stands above; was the machine short of memory?") from error
