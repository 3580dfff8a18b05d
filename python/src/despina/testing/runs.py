"""Runs the cases of a file, compares what comes with what is expected, and records it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from despina.columns import Columns
from despina.engine import Engine
from despina.errors import DespinaError, Diagnostic, GraphError, JobError, Place
from despina.graph import Graph, load
from despina.options import RunOptions
from despina.testing.file import Case, TestFile, key, meant
from despina.testing.rows import Row, quoted, unmatched, written
from despina.testing.stubs import Derived, Surgery

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

MOST_SHOWN = 10
"""Rows of a difference."""
WIDTH = 128
"""Of what is recorded, where it can be."""
ALL = 1 << 20
"""The most that an operator may say of the rows of a batch: no limit for rows that somebody has written."""


class Backend(Protocol):
    """What runs the graph of a case."""

    @property
    def engine(self) -> Engine:
        """What checks it."""

    def rows(self, graph: Graph, options: RunOptions, sinks: Sequence[str]) -> dict[str, pyarrow.Table]:
        """The rows that reach these sinks, when the input has ended."""


@dataclass(frozen=True)
class OnEngine:
    """The engine, which is given so many seconds for a case."""

    engine: Engine
    timeout_s: float

    def rows(self, graph: Graph, options: RunOptions, sinks: Sequence[str]) -> dict[str, pyarrow.Table]:
        """The rows that reach these sinks.

        :raise JobError: the job failed, or did not end in its time
        """
        import pyarrow
        job = graph.start(self.engine, options)
        with job:
            if not job.wait(self.timeout_s).ended:
                job.stop("now")
                raise JobError("timeout", f"the case did not end within {self.timeout_s:g} s",
                               'give rows to the sources that have no end, under "inputs"; or a longer --timeout')
            return {sink: pyarrow.table(job.rows(sink)) for sink in sinks}


@dataclass(frozen=True)
class OnSpark:
    """Spark itself, which starts for the first graph that is in order."""

    engine: Engine
    session: Callable[[], SparkSession]

    def rows(self, graph: Graph, options: RunOptions, sinks: Sequence[str]) -> dict[str, pyarrow.Table]:
        """The rows of the sinks' DataFrames.

        :raise JobError: a query failed
        """
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException
        asked = RunOptions(options.parameters, modules=options.modules or ())
        graph.check(asked, for_spark=True, engine=self.engine)
        session = self.session()
        if sizes := [each["batch_rows"] for each in graph.to_dict()["operators"].values() if _calls_python(each)
                     and "batch_rows" in each]:
            session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(min(sizes)))
        frames = graph.to_spark(session, asked.parameters, modules=options.modules or ())
        try:
            return {sink: frames[sink].toArrow() for sink in sinks}
        except (PySparkException, Py4JJavaError) as error:
            raise JobError("spark", str(error).partition("\n")[0]) from error


@dataclass(frozen=True)
class Difference:
    """Rows of a watched name that are not as expected; the first lines of it have a row each, ``-`` expected, ``+`` found."""

    name: str
    place: Place
    lines: Sequence[str]


@dataclass(frozen=True)
class Outcome:
    """How a case went: what differs, what kept it from running, and what would be recorded.

    :ivar batch_rows: how many rows the Python functions got at a time at most; None if there is no function, or all is well
    """

    case: Case
    differences: Sequence[Difference] = ()
    error: DespinaError | None = None
    found: Mapping[str, list[Row]] | None = None
    batch_rows: int | None = None

    @property
    def ok(self) -> bool:
        """Whether all is as expected."""
        return not self.differences and self.error is None


def run(tests: TestFile, backend: Backend, options: RunOptions, *, batches: Sequence[int] = (), record: bool = False
        ) -> Iterator[Outcome]:
    """Each case of a file. Relative paths of the graph are of its own folder, those of the options of the working directory.

    :param batches: a case that calls a Python function runs with each of these as its ``batch_rows``
    :param record: a case may lack its ``expect``: then every sink is watched
    """
    graph = load(tests.graph)
    here = replace(options, jars=None if options.jars is None else [Path(jar).absolute() for jar in options.jars])
    for case in tests.cases:
        yield _outcome(tests, case, graph, backend, here, batches, record)


def _outcome(tests: TestFile, case: Case, graph: Graph, backend: Backend, options: RunOptions, batches: Sequence[int],
             record: bool) -> Outcome:
    with chdir(tests.graph.parent):
        try:
            return _run(tests, case, graph, backend, options, batches, record)
        except DespinaError as error:
            return Outcome(case, error=error)


def _run(tests: TestFile, case: Case, graph: Graph, backend: Backend, options: RunOptions, batches: Sequence[int],
         record: bool) -> Outcome:
    given = case.texts
    content = graph.to_dict()
    declared = content.get("parameters", {})
    if strange := [name for name in given if name not in declared]:
        raise GraphError([tests.wrong(key(key(case.pointer, "parameters"), name), "parameter",
                                      f"the graph has no parameter `{name}`", meant(name, declared)) for name in strange])
    unset = [name for name, about in declared.items()
             if name not in given and not (isinstance(about, dict) and "default" in about)]
    wanted = replace(options, parameters=given | {name: f"unset_{name}" for name in unset})
    checked = graph.check(wanted, engine=backend.engine)
    assert checked.plan is not None
    expect = _watched(tests, case, checked.plan, record)
    whole = graph.whole(backend.engine)
    zone = checked.plan["settings"]["time_zone"]
    with TemporaryDirectory(prefix="despina-test-") as folder:
        derived = Surgery(tests, case, whole, checked.plan).derive(Path(folder), list(expect))
        _refuse_unset(tests, case, derived, unset)
        plan = derived.graph.check(wanted, engine=backend.engine, inputs=list(derived.stubs.values()))
        _refuse_unknown(tests, case, derived, plan.inputs)
        outcome = Outcome(case)
        for size, sized in _sizes(derived.graph, batches):
            try:
                tables = backend.rows(sized, wanted, list(derived.watched.values()))
            except JobError as error:
                return Outcome(case, error=_at_row(tests, case, derived, error), batch_rows=size)
            found = {name: (tables[sink], expect[name]) for name, sink in derived.watched.items()}
            outcome = _compare(tests, case, found, derived.summed, zone)
            if not outcome.ok:
                return replace(outcome, batch_rows=size)
        return outcome


def _sizes(graph: Graph, batches: Sequence[int]) -> Iterator[tuple[int | None, Graph]]:
    """The graph for each size of the batches that its Python functions get; as it is if there are none."""
    content = graph.to_dict()
    functions = [name for name, fields in content["operators"].items() if _calls_python(fields)
                 and "fixed_rows" not in fields]
    if not functions or not batches:
        yield None, graph
        return
    for size in batches:
        for name in functions:
            content["operators"][name]["batch_rows"] = size
        yield size, graph.with_content(content)


def _calls_python(operator: Mapping[str, Any]) -> bool:
    return bool(operator["type"] == "python")


def _at_row(tests: TestFile, case: Case, derived: Derived, error: JobError) -> JobError:
    """The error of a row that is no record of its port, at the row instead of a line of the file that was made of it."""
    for name, source in derived.stubs.items():
        place = re.search(rf"\S*/{re.escape(source)}\.jsonl:(\d+): ", error.message)
        if place is not None:
            pointer = key(key(key(case.pointer, "inputs"), name), int(place.group(1)) - 1)
            return type(error)(error.rule, f"row {place.group(1)} of `{name}`: {error.message[place.end():]}",
                               "the row must fit the columns of that stream", place=tests.place(pointer))
    return error


def _watched(tests: TestFile, case: Case, plan: Mapping[str, Any], record: bool) -> Mapping[str, list[Row]]:
    if case.expect:
        return case.expect
    if not record:
        raise GraphError([tests.wrong(case.pointer, "missing_field", f"the case `{case.name}` expects nothing",
                                      "despina test --record writes what comes")])
    return {operator["id"]: [] for operator in plan["operators"] if [one["name"] for one in operator["outputs"]] == ["errors"]}


def _refuse_unset(tests: TestFile, case: Case, derived: Derived, unset: Sequence[str]) -> None:
    """A parameter without a value must not be where the case runs."""
    running = json.dumps([derived.graph.to_dict()[part] for part in ("operators", "links")])
    used = [name for name in unset if f"${{{name}}}" in running]
    if used:
        raise GraphError([tests.wrong(case.pointer, "parameter", f"parameter `{name}` is not set, and the case `{case.name}` "
                                      "runs an operator that uses it", f'write "parameters": {{"{name}": "…"}} in the case')
                          for name in used])


def _refuse_unknown(tests: TestFile, case: Case, derived: Derived, schemas: Mapping[str, bytes]) -> None:
    """Columns of given rows that the stream does not have."""
    wrong = []
    for name, source in derived.stubs.items():
        columns = Columns.of_stream(schemas[source]).schema.names
        wrong += _unknown(tests, key(key(case.pointer, "inputs"), name), name, case.inputs[name], columns)
    if wrong:
        raise GraphError(wrong)


def _unknown(tests: TestFile, pointer: str, name: str, rows: Sequence[Row], columns: Sequence[str]) -> list[Diagnostic]:
    known = {column.lower() for column in columns}
    return [tests.wrong(key(key(pointer, index), column), "unknown_column", f"`{name}` has no column `{column}`",
                        meant(column, columns))
            for index, row in enumerate(rows) for column in row if column.lower() not in known]


def _compare(tests: TestFile, case: Case, watched: Mapping[str, tuple[pyarrow.Table, list[Row]]], summed: frozenset[str],
             zone: str) -> Outcome:
    differences, recorded, wrong = [], {}, []
    for name, (table, rows) in watched.items():
        pointer = key(key(case.pointer, "expect"), name)
        if unknown := _unknown(tests, pointer, name, rows, table.schema.names):
            wrong += unknown
            recorded[name] = [quoted(row) for row in _rows(table.to_pylist(), table.schema, zone)]
            continue
        found, expected = (_rows(each, table.schema, zone) for each in (table.to_pylist(), rows))
        inexact = [field.name for field in table.schema if name in summed and _has_doubles(field.type)]
        left = unmatched(found, expected, ordered=case.ordered, aggregates=inexact)
        # What is equal stays as it is written.
        recorded[name] = [quoted(row) for row in found] if left or not case.expect else rows
        if left:
            differences.append(Difference(name, tests.place(pointer), _lines(left, case.ordered)))
    return Outcome(case, differences, GraphError(wrong) if wrong else None, recorded)


def _rows(rows: Sequence[Row], schema: pyarrow.Schema, zone: str) -> list[Row]:
    """The rows with the columns of the schema, in its order and as a file has them; a column that is left out is NULL."""
    found = []
    for row in rows:
        values = {name.lower(): value for name, value in row.items()}
        found.append({field.name: written(values.get(field.name.lower()), field.type, zone) for field in schema})
    return found


def _has_doubles(kind: pyarrow.DataType) -> bool:
    import pyarrow.types as kinds
    return bool(kinds.is_floating(kind)) or any(_has_doubles(kind.field(k).type) for k in range(kind.num_fields))


def _lines(left: Sequence[tuple[int, Row | None, Row | None]], ordered: bool) -> list[str]:
    lines = []
    for index, found, expected in left[:MOST_SHOWN]:
        at = f"row {index + 1}: " if ordered else ""
        lines += [f"{sign} {at}{json.dumps(row, ensure_ascii=False)}" for sign, row in (("-", expected), ("+", found))
                  if row is not None]
    return [*lines, f"  and {len(left) - MOST_SHOWN} more"] if len(left) > MOST_SHOWN else lines


def record(tests: TestFile, outcomes: Sequence[Outcome]) -> bool:
    """Writes into the file what came in place of what was expected.

    :return: whether the file has changed
    """
    content = dict(tests.content)
    by_name = {outcome.case.name: outcome.found for outcome in outcomes if outcome.found is not None}
    content["cases"] = [{**case, "expect": by_name[case["name"]]} if case["name"] in by_name else case
                        for case in tests.content["cases"]]
    if content == tests.content:
        return False
    partial = tests.path.with_name(tests.path.name + ".partial")
    partial.write_text(_text(content) + "\n", encoding="utf-8")
    partial.replace(tests.path)
    return True


def _text(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON, each object and array in one line where it fits.

    :param before: how many characters stand in front of it in its line
    """
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or indent + before + len(flat) <= WIDTH:
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _text(item, indent + 2) for item in value) + "\n" + " " * indent + "]"
    members = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
    return "{\n" + ",\n".join(inner + head + _text(item, indent + 2, len(head)) for head, item in
                              zip(members, value.values(), strict=True)) + "\n" + " " * indent + "}"
