"""What Spark raises, as an error of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from despina.errors import DespinaError, JobError

if TYPE_CHECKING:
    from pyspark.errors import QueryContext

    from despina.backends.spark.plan import Operator


_NAMED = re.compile(r"(?:\[\w+\] )?operator (?P<id>[^\s:]+): (?P<rest>.*)", re.DOTALL)
"""What our own expressions and folds say when they fail inside Spark."""
_NAME = re.compile(r"[\w.`]*")


@contextmanager
def told_of(operator: Operator, suspects: Sequence[Operator] = ()) -> Iterator[None]:
    """Spark works for that operator.

    :param suspects: the operators that Spark works out together with it, itself among them: any of them may have failed

    :raise JobError: Spark failed, in its own words, at the place of the operator that failed as far as it is known
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except AnalysisException as error:      # before any row moves: of this operator's own frame, or of its output
        raise _error(str(error), operator, ()) from error
    except PySparkException as error:
        raise _error(str(error), operator, suspects, error.getQueryContext()) from error
    except Py4JJavaError as error:  # a job of which a task failed in a way that PySpark has no class for
        failed = error.java_exception.getCause() or error.java_exception
        raise _error(failed.getMessage() or failed.toString(), operator, suspects) from error


def _error(text: str, operator: Operator, suspects: Sequence[Operator], context: Sequence[QueryContext] = ()) -> JobError:
    failed: Operator | None = operator
    if suspects:
        named = _NAMED.fullmatch(text)
        failed = next((suspect for suspect in suspects if named and suspect.id == named["id"]), None)
        if named and failed:
            text = named["rest"]
        else:
            failed = _writer(context, suspects)
    place = (failed or operator).place
    who = f"operator {failed.id}" if failed else f"operator {operator.id}, or one before it"
    error = JobError("spark", f"{who}: {text}", place=place)
    error.operator = failed.id if failed else ""
    return error


def _writer(context: Sequence[QueryContext], suspects: Sequence[Operator]) -> Operator | None:
    """The only operator in whose fields the expression stands that Spark says has failed; a mere name says too little."""
    from pyspark.errors import QueryContextType

    for fragment in (each.fragment() for each in context if each.contextType() == QueryContextType.SQL):
        if not _NAME.fullmatch(fragment):
            writers = [suspect for suspect in suspects if any(fragment in text for text in _texts(suspect.fields))]
            if len(writers) == 1:
                return writers[0]
    return None


def _texts(field: Any) -> Iterator[str]:
    if isinstance(field, str):
        yield field
    elif isinstance(field, dict | list):
        for part in field.values() if isinstance(field, dict) else field:
            yield from _texts(part)


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
