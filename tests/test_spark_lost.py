"""A Spark whose JVM ends under a run is an error in words."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

from despina.backends.spark.failures import told_if_lost
from despina.errors import JobError

GONE = ConnectionRefusedError(111, "refused")


@pytest.mark.parametrize("gone", [Py4JNetworkError("no answer"), Py4JError("an error occurred"), GONE])
def test_a_jvm_that_does_not_answer_is_told(gone: Exception) -> None:
    with pytest.raises(JobError, match="does not answer any more") as raised, told_if_lost():
        raise gone
    assert raised.value.rule == "spark_lost"


def test_what_is_told_of_it_already_stays_when_its_session_cannot_be_ended_either() -> None:
    @told_if_lost()
    def failing() -> None:
        try:
            raise JobError("spark", "operator x: out of disk")
        finally:
            raise GONE

    with pytest.raises(JobError, match="operator x: out of disk"):
        failing()


def test_an_output_that_nobody_reads_is_no_lost_spark() -> None:
    with pytest.raises(BrokenPipeError), told_if_lost():
        raise BrokenPipeError(32, "broken pipe")
