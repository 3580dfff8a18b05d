"""What Spark raises, as an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from despina.errors import DespinaError, JobError

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


def _told_before(error: BaseException) -> DespinaError | None:
    context = error.__context__
    while context is not None and not isinstance(context, DespinaError):
        context = context.__context__
    return context


@contextmanager
def told_if_lost() -> Iterator[None]:
    """Spark's JVM is needed, to the end of its session.

    :raise JobError: it has ended, as when the system was short of memory
    """
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        yield
    except (Py4JJavaError, BrokenPipeError):    # of Spark's JVM py4j tells in its own words: that pipe is our output
        raise
    except (Py4JError, ConnectionError) as error:
        if (told := _told_before(error)) is not None:   # the session could not be ended either
            raise told from None
        raise JobError("spark_lost", f"Spark's JVM does not answer any more: {error}",
                       hint="see its last output above; was the machine short of memory?") from error
