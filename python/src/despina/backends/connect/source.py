"""Spark's Python data source ``despina``: the rows that reach an output of a running job, where Spark has no jar of ours, as over
Spark Connect. Spark runs it on its own machines, from what :func:`despina.register_source` has sent there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from despina.backends.connect.peer import Job, Located, PeerError, Rows, State

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql.types import StructType

POLL_S = 0.05
NAMES = ("address", "job", "secret", "tls", "output", "maxRowsPerTrigger")
RESTARTED = ("this query's checkpoint is of another job, whose rows are gone\n"
             "  hint: take another checkpointLocation; all that this job still keeps comes then")


class JobSource(DataSource):  # type: ignore[misc]  # pyspark has no types here
    """``format("despina")``.

    Its options are those of :func:`despina.job_options`, and ``output``, the id of the sink whose rows are read (of the one that
    the job serves, if it is left out), and ``maxRowsPerTrigger``.
    """

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        known = {name.lower(): name for name in NAMES}
        given = {known.get(name.lower(), name): value for name, value in options.items()}
        if unknown := sorted(set(given) - set(NAMES)):
            raise PeerError(f'format("despina") has no option `{unknown[0]}`: it is one of {", ".join(NAMES)}')
        for name in ("address", "job", "secret"):
            if not given.get(name):
                raise PeerError(f'format("despina") needs option("{name}", …)\n'
                                "  hint: .options(**despina.job_options(FILE)), of what `despina run --job-file FILE` wrote")
        self._job = Job(given["address"], given["job"], given["secret"], given.get("tls", ""))
        self._output = given.get("output", "")
        self._most = given.get("maxRowsPerTrigger", "")
        if self._most and not (self._most.isdecimal() and int(self._most) > 0):
            raise PeerError(f"maxRowsPerTrigger={self._most} is no number from 1 on")

    @classmethod
    def name(cls) -> str:
        """As Spark knows it."""
        return "despina"

    def schema(self) -> str:
        """Of the output, as the job says."""
        return self._job.locate(self._output).schema

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads all rows of a job that ends."""
        return JobReader(self._job, self._job.locate(self._output), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  Spark's name
        """Reads rows as they come, in micro-batches."""
        return JobStreamReader(self._job, self._job.locate(self._output), schema, int(self._most or 0))


@dataclass(frozen=True)
class Range:
    """The part of an instance's rows that a task reads; ``end`` is -1 for all to the end."""

    located: Located
    instance: int
    begin: int
    end: int


class JobReader(DataSourceReader):  # type: ignore[misc]
    """Rows of a job to their end."""

    def __init__(self, job: Job, located: Located, schema: StructType) -> None:
        self._job = job
        self._located = located
        self._schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        """One for each instance of the output."""
        return [InputPartition(Range(self._located, instance, 0, -1)) for instance in range(len(self._located.instances))]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """The rows of one, as they come."""
        wanted: Range = partition.value
        rows = Rows(self._job, wanted.located, wanted.instance)
        at = 0
        while not (state := rows.state()).ended or at < state.rows:
            if at == state.rows:
                time.sleep(POLL_S)
            for batch in _batches(rows, at, state.rows, self._schema):
                at += batch.num_rows
                yield batch
        rows.close()


class JobStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Rows of a job as they come. An offset is ``{"generation": id, "rows": [number per instance]}``."""

    def __init__(self, job: Job, located: Located, schema: StructType, most: int) -> None:
        self._job = job
        self._located = located
        self._schema = schema
        self._most = most
        self._rows: list[Rows] = []
        self._last: list[int] | None = None
        self._ended: list[State] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """The first rows that the job still keeps."""
        return self._offset([state.first for state in self._states()])

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """``maxRowsPerTrigger``."""
        return ReadMaxRows(self._most) if self._most else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """What is there now is all that will be read."""
        self._last = [state.rows for state in self._states()]

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """What is there, to within the limit. Spark has done with what is before the start."""
        begin = self._here(start)
        end = self._last or [state.rows for state in self._states()]
        self.commit(start)
        if isinstance(limit, ReadMaxRows):
            end = _within(limit.max_rows, begin, end)
        return self._offset(end)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """One for each instance that has rows."""
        begins, ends = self._here(start), self._here(end)
        return [InputPartition(Range(self._located, k, begins[k], ends[k]))
                for k in range(len(begins)) if begins[k] < ends[k]]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """The rows of one."""
        wanted: Range = partition.value
        rows = Rows(self._job, wanted.located, wanted.instance)
        yield from _batches(rows, wanted.begin, wanted.end, self._schema)
        rows.close()

    def commit(self, end: dict[str, Any]) -> None:
        """Gives those rows back to the disk. Before the end is seen, the last row stays: a job whose rows are all cut may end at
        any time, and could then not be asked for the end.
        """
        for k, (state, row) in enumerate(zip(self._states(), self._here(end), strict=True)):
            until = row if self._ended else min(row, state.rows - 1)
            if until > state.first:
                self._all()[k].cut(until)
                if self._ended:
                    self._ended[k] = replace(state, first=until)

    def _states(self) -> list[State]:
        """How the instances stand. Once all have ended, their job may end, and is not asked any more."""
        if self._ended is None:
            states = [rows.state() for rows in self._all()]
            if not all(state.ended for state in states):
                return states
            self._ended = states
        return self._ended

    def _all(self) -> list[Rows]:
        if not self._rows:
            self._rows = [Rows(self._job, self._located, instance) for instance in range(len(self._located.instances))]
        return self._rows

    def _offset(self, rows: list[int]) -> dict[str, Any]:
        return {"generation": self._located.generation, "rows": rows}

    def _here(self, offset: Mapping[str, Any]) -> list[int]:
        if offset["generation"] != self._located.generation:
            raise PeerError(RESTARTED)
        return list(offset["rows"])

    def stop(self) -> None:
        """Leaves the job and its rows as they are."""
        for rows in self._rows:
            rows.close()
        self._rows = []


def _within(most: int, begin: list[int], end: list[int]) -> list[int]:
    """Ends that leave so many rows in all, in fair shares."""
    ends, left = list(begin), most
    for rest, k in enumerate(sorted(range(len(end)), key=lambda k: end[k] - begin[k])):
        ends[k] += min(end[k] - begin[k], left // (len(end) - rest))
        left -= ends[k] - begin[k]
    return ends


def _batches(rows: Rows, begin: int, end: int, schema: StructType) -> Iterator[pyarrow.RecordBatch]:
    """Those rows, with the very Arrow schema that Spark wants."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    wanted = to_arrow_schema(schema, timezone="UTC")
    while begin < end:
        for batch in pyarrow.ipc.open_stream(rows.arrow(begin, end)):
            begin += batch.num_rows
            columns = [column if column.type == field.type else column.cast(field.type)
                       for column, field in zip(batch.columns, wanted, strict=True)]
            yield pyarrow.RecordBatch.from_arrays(columns, schema=wanted)
