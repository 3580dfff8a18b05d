"""Spark's part of a graph while it runs."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from despina.backends import spark as backend
from despina.backends.connect import job_options
from despina.backends.connect.peer import Job as Address
from despina.backends.connect.peer import Rows
from despina.backends.spark import sinks
from despina.backends.spark.failures import told_if_lost, told_of
from despina.backends.spark.form import Form
from despina.backends.spark.operators import SINKS
from despina.backends.spark.session import gateway_class, in_session
from despina.backends.spark.views import kept
from despina.backends.split import checkpoints
from despina.backends.split.checkpoints import Checkpoints
from despina.backends.split.queries import Query
from despina.errors import DespinaError, JobError
from despina.job import Status
from despina.options import RunOptions
from despina.state import address

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

    from despina.backends.spark.plan import Operator, Plan
    from despina.backends.spark.translate import Translated
    from despina.backends.split.cut import Parts
    from despina.engine import Engine
    from despina.graph import Graph
    from despina.job import Job

FORMAT = "despina"
LOOK_S = 0.2
LOOK_MS = 200
END_MS = 3000
"""How long the job's end, whose rows are gone then, may come after a query has missed them."""


class SparkPart:
    """Runs on a thread of its own beside the engine's job, which it ends if it fails.

    :ivar failure: why it has failed; None if it has not
    :ivar counts: by sink on Spark, how many rows it has had: of batches only
    :ivar queries: those of its sinks, of streams only
    :ivar keeps_state: whether both parts go on where they were, when a part of one is lost or the program is run again
    """

    def __init__(self, graph: Graph, parts: Parts, job: Job, engine: Engine, spark: SparkSession,
                 options: RunOptions) -> None:
        self.failure: DespinaError | None = None
        self.counts: dict[str, int] = {}
        self.queries: list[Query] = []
        self.keeps_state = options.state is not None
        self._graph = graph
        self._parts = parts
        self._options = RunOptions(parts.spark.parameters, modules=options.modules)
        self._state = options.state
        self._job = job
        self._engine = engine
        self._spark = spark
        self._group = f"{job.id} on Spark"
        self._stopping = threading.Event()
        self._folder = Path()   # until it runs
        self._thread = threading.Thread(target=self._run, name="despina-spark-part", daemon=True)

    def start(self) -> None:
        """Begins, and returns at once."""
        self._thread.start()

    def report(self) -> dict[str, dict[str, int]]:
        """What the job's report has of it."""
        restarts = {query.sink: query.restarts for query in self.queries if query.restarts}
        return {"on_spark": dict(self.counts)} | ({"restarts_on_spark": restarts} if restarts else {})

    def stop(self) -> None:
        """Ends it: streams at once, a batch as soon as Spark lets it go."""
        self._stopping.set()
        if not self._parts.streaming:
            self._spark.sparkContext.cancelJobGroup(self._group)

    def join(self) -> None:
        """Waits for its end."""
        while self._thread.is_alive():
            self._thread.join(LOOK_S)

    def _run(self) -> None:
        try:
            with told_if_lost(), checkpoints.folder(self._state, self._graph.name) as self._folder, \
                    self._job.file(self._folder / "job.json"):
                gateway_class(self._spark)      # our jar is in its session
                if self._parts.streaming:
                    self._stream()
                else:
                    self._spark.sparkContext.setJobGroup(self._group, f"{self._graph.name}: the part on Spark", True)
                    self._batch()
        except DespinaError as error:
            self._fail(error)
        except Exception as error:      # of Spark, in its words
            self._fail(JobError("spark", str(error)))

    def _fail(self, error: DespinaError) -> None:
        if self._stopping.is_set():
            return
        self.failure = error
        with suppress(DespinaError):    # its engine has ended
            self._engine.stop(self._job.id, "now")

    def _frames(self, form: Form) -> tuple[Plan, Translated]:
        reader = self._spark.readStream if form is Form.STREAMING else self._spark.read
        inputs = {id_: reader.format(FORMAT).option("job", str(self._folder / "job.json")).option("output", id_)
                  .option("readers", max(1, queries)).load() for id_, queries in self._parts.to_spark.items()}
        return backend.planned(self._graph, self._spark, self._options, inputs, form)

    def _batch(self) -> None:
        """Sink by sink: what the engine must have before it gives Spark more comes first."""
        plan, made = self._frames(Form.BATCH)
        targets = sorted((operator for operator in plan.operators if operator.type in SINKS),
                         key=lambda operator: self._parts.depths[operator.id])
        for operator in targets:
            if operator.id not in self._parts.to_engine:
                sinks.check(operator, self._spark)
        with ExitStack() as caches:
            for frame in made.shared:
                caches.enter_context(kept(frame))
            for operator in targets:
                if operator.id in self._parts.to_engine:
                    self._give(operator, made.results[operator.id], plan)
                else:
                    self.counts[operator.id] = sinks.write(operator, made.results[operator.id], made.graph,
                                                           plan.before(operator.id))
        self._let_go()

    def _give(self, operator: Operator, frame: DataFrame, plan: Plan) -> None:
        """All rows of a source of the engine's, and its end."""
        mine = in_session(self._spark, {operator.id: frame})[operator.id]
        with told_of(operator, plan.before(operator.id)):
            mine.write.format(FORMAT).mode("append").options(**self._way(operator)).save()
        self._job.end_input(operator.id)

    def _way(self, operator: Operator) -> dict[str, str]:
        return {"job": str(self._folder / "job.json"), "input": operator.id}

    def _let_go(self) -> None:
        """Spark has read all rows, which the job kept since Spark may read a batch twice."""
        options = job_options(self._job)
        job = Address(options["address"], options["job"], options["secret"], options.get("tls", ""))
        for output in self._parts.to_spark:
            found = job.locate(output)
            for instance in range(len(found.instances)):
                rows = Rows(job, found, instance)
                rows.cut(rows.state().rows)
                rows.close()

    def _stream(self) -> None:
        places = self._checkpoints()
        if places is None:
            return
        plan, made = self._frames(Form.STREAMING)
        for operator in plan.operators:
            if operator.type in SINKS:
                frame = in_session(self._spark, {operator.id: made.results[operator.id]})[operator.id]
                self.queries.append(Query(operator.id, partial(self._query, operator, frame, plan, places),
                                          partial(places.note, operator.id)))
        try:
            for query in self.queries:
                query.begin()
            self._watch()
        finally:
            for query in self.queries:
                query.stop()

    def _checkpoints(self) -> Checkpoints | None:
        """Of this run, or of the state, which is known when the job runs. None where it has ended before."""
        if self._state is None:
            return Checkpoints(self._spark, f"file:{self._folder}")
        while not (status := self._status(LOOK_MS)).epoch:
            if status.ended or self._stopping.is_set():
                return None
        found = self._engine.state("ls", address(self._state), {"graph": self._graph.name})
        of_graph = found["graphs"][0]
        return Checkpoints.beside(self._spark, f"{found['folder']}/{of_graph['path']}", str(of_graph["id"]))

    def _query(self, operator: Operator, frame: DataFrame, plan: Plan, places: Checkpoints) -> StreamingQuery:
        """That of a sink, which goes on where its checkpoint is."""
        with told_of(operator, plan.before(operator.id)):
            places.refuse_lost(operator)
            if operator.type == "file_sink":
                places.refuse_other_rows(operator)
            writer = frame.writeStream.option("checkpointLocation", places.of(operator.id))
            query = self._written(operator, writer.queryName(f"{self._job.id}: {operator.id}")).start()
            places.note(operator.id)
            return query

    def _written(self, operator: Operator, writer: DataStreamWriter) -> DataStreamWriter:
        if operator.id in self._parts.to_engine:
            return writer.format(FORMAT).options(**self._way(operator))
        if operator.type == "file_sink":
            options = {name: str(value) for name, value in operator.fields.get("options", {}).items()}
            return writer.format(operator.fields["format"]).options(**options).option("path", operator.fields["path"])
        return writer.format("console" if operator.type == "console_sink" else "noop")

    def _watch(self) -> None:
        """Until the job has ended, or a query fails for good. With a state others begin again, as the job itself does.

        :raise JobError: a query failed while the job ran
        """
        while not self._stopping.wait(LOOK_S):
            status = self._status(0)
            if status.ended:
                return
            for query in self.queries:
                query.look(status, time.monotonic())
                failed = query.failure
                if failed is not None and not self._ends(status):
                    self._has_failed(query, failed, status)

    def _has_failed(self, query: Query, why: str, status: Status) -> None:
        if not self.keeps_state:
            raise JobError("spark", why)
        query.again(why, status, time.monotonic())

    def _ends(self, status: Status) -> bool:
        """Whether a query missed its rows because the job ends: that may come later."""
        if not self.keeps_state and status.state != "draining":
            status = self._status(END_MS)
        return status.state == "draining" or status.ended

    def _status(self, wait_ms: int) -> Status:
        return Status.from_dict(self._engine.wait(self._job.id, wait_ms))
