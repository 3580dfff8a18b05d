"""The operators on Spark, a module for each type: one list. Folds need none: the engine's own operator does their work."""

from despina.backends.spark.form import Sink, Translate
from despina.backends.spark.operators import (
    aggregate,
    collect_sink,
    console_sink,
    delay,
    discard_sink,
    explode,
    file_sink,
    file_source,
    filter,
    generator_source,
    join,
    latest,
    lookup,
    project,
    python,
    python_sink,
    python_source,
    relay,
    route,
    sort,
    top,
    union,
)

OPERATORS: dict[str, Translate] = {
    "generator_source": generator_source.translate,
    "file_source": file_source.translate,
    "python_source": python_source.translate,
    "relay": relay.translate,
    "delay": delay.translate,
    "project": project.translate,
    "filter": filter.translate,
    "python": python.translate,
    "route": route.translate,
    "explode": explode.translate,
    "union": union.translate,
    "aggregate": aggregate.translate,
    "top": top.translate,
    "sort": sort.translate,
    "latest": latest.translate,
    "join": join.translate,
    "lookup": lookup.translate,
}
SINKS: dict[str, Sink] = {
    "file_sink": Sink(file_sink.write, file_sink.check),
    "collect_sink": Sink(collect_sink.write),
    "console_sink": Sink(console_sink.write),
    "discard_sink": Sink(discard_sink.write),
    "python_sink": Sink(python_sink.write),
}
