"""The Spark form of an operator: what it is given, and what it gives. ``operators`` has one for each type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.backends.spark.folds import Folds, GraphText
    from despina.backends.spark.plan import Operator

JUDGED = "(judged)"
"""What the ports of a filter or a route have in common, as if it were a port too; no port can have this name."""
CALLED = "(called)"
"""The same of the ports of a Python function or source. It is called once for both, though they come together in one sink."""

Frames = dict[str, "DataFrame"]
"""Frames by port."""


class Form(Enum):
    """What a graph becomes on Spark."""

    BATCH = "batch"
    STREAMING = "streaming"


@dataclass(frozen=True)
class Call:
    """One operator that is to become frames, and the frames at its inputs."""

    operator: Operator
    inputs: Frames
    spark: SparkSession
    graph: GraphText
    folds: Folds
    form: Form = Form.BATCH

    @property
    def is_streaming(self) -> bool:
        """Whether the frames are streams."""
        return self.form is Form.STREAMING

    @property
    def frame(self) -> DataFrame:
        """Of the operator's one input."""
        return self.inputs["in"]


Translate = Callable[[Call], Frames]
"""The frames at an operator's outputs."""


def writes_anywhere(operator: Operator, spark: SparkSession) -> None:
    """The check of a sink that nothing can keep from writing."""


@dataclass(frozen=True)
class Sink:
    """A sink: ``write`` brings a frame of that graph to it and gives the number of its rows; ``check`` raises JobError if it may
    not write.
    """

    write: Callable[[Operator, DataFrame, GraphText], int]
    check: Callable[[Operator, SparkSession], None] = writes_anywhere
