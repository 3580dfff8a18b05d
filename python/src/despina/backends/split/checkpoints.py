"""Where the queries of Spark's part keep how far they are, if the graph keeps a state: beside the engine's."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote

from despina.errors import RefusedError
from despina.options import listed
from despina.state import address

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.backends.spark.plan import Operator
    from despina.backends.split.cut import Parts
    from despina.options import RunOptions

FOLDER = "queries"
BEGUN = "queries.begun"
"""By query, a folder says that it has a checkpoint, and empty folders in it say of which parts: beside the checkpoints, so that
they are missed where all are gone.
"""
PARTS = ("offsets", "commits", "sources", "state")
"""Folders of a checkpoint: which rows each batch has; which batches are done; what sources remember; what operators keep. Without
the first Spark begins anew, and says nothing.
"""
SETTING = "spark.sql.streaming.checkpointLocation"
"""Spark's own: an address for the checkpoints of all queries that name none."""
_LOG = "_spark_metadata"
"""In which Spark writes what each batch has added to a folder of files."""
_ELSEWHERE = ".elsewhere"
"""In the place of checkpoints that lie elsewhere: says where."""


def refuse(options: RunOptions, parts: Parts) -> None:
    """What a graph of which Spark runs a part cannot do with a state.

    :raise RefusedError: one of these is asked for
    """
    if options.state is None:
        return
    if not parts.streaming:
        raise RefusedError("state", "all sources of the graph have an end, so Spark's part is batches, and keeps no state: a "
                           "batch that is run again gives its rows anew, in another order, and the engine's part may have some",
                           "leave `state` out; or place all operators on the engine")
    if parts.to_spark and _is_elsewhere(options.state):
        raise RefusedError("state", f"rows of `{next(iter(parts.to_spark))}` wait for Spark in a log, and a state at an address "
                           "has none: the next attempt of the job would give them other numbers",
                           "name a folder of this machine; or place the sources of the graph on Spark, too")
    if options.from_ is not None:
        refuse_earlier(str(options.from_))
    if options.delivery is not None:
        raise RefusedError("delivery", "where Spark runs a part of a graph with a state, it has each row once, when its epoch is "
                           f"complete, and delivery={options.delivery} is not for such a graph", "leave delivery out")
    if options.on_stop == "flush":
        refuse_flush()
    _refuse_changes(options, parts)


def refuse_earlier(begin: str) -> NoReturn:
    """To go on from there is not what both parts could do.

    :raise RefusedError: always
    """
    raise RefusedError("state", f"Spark runs a part of the graph, which cannot go on from {begin}: the checkpoints of Spark's "
                       "queries are in no savepoint and no epoch, and do not go back to an earlier batch",
                       "go on from the newest epoch, without --from; or begin anew, with --from-start")


def refuse_flush() -> NoReturn:
    """The engine says the same of a command that stops the job.

    :raise RefusedError: always
    """
    raise RefusedError("stop_mode", "flush ends the job as the end of its input does, and Spark's queries know no such end: rows "
                       "on their way to Spark would not come back",
                       "stop it with the mode drain: windows stay open for the next run")


def _refuse_changes(options: RunOptions, parts: Parts) -> None:
    changed = {*(listed(options.drop) or ()), *(options.rename or {}), *(options.rename or {}).values()}
    for id_ in sorted(changed.intersection({*parts.to_spark, *parts.to_engine})):
        raise RefusedError("state", f"`{id_}` carries rows between the engine and Spark, whose query counts them: it can be "
                           "neither dropped nor renamed", "keep the operator's id; or begin anew, with --from-start",
                           parts.places[id_])


def refuse_cluster(spark: SparkSession, state: str | Path) -> None:
    """Executors keep what operators have in the checkpoints, so all of them must see these.

    :raise RefusedError: they may be on other machines, and the state is a folder of this one
    """
    master = spark.sparkContext.master
    if not master.startswith("local") and not _is_elsewhere(state) and spark.conf.get(SETTING, None) is None:
        raise RefusedError("state", f"the executors of {master} may be on other machines, and the checkpoints of Spark's queries "
                           f"would lie in {address(state)} on this one",
                           f"say where all of them find the checkpoints: {SETTING}=hdfs://… among Spark's settings")


def gone(noted: Collection[str], offsets: Collection[int], commits: Collection[int], there: Collection[str]) -> str | None:
    """What is missing of a checkpoint: a part that it had, or the offsets of a batch that is done. Spark would give that batch's
    number to other rows, which sinks then take for written.

    :param noted: the parts that it had
    :param offsets: numbers of batches, as ``commits``
    :param there: the parts that it has
    :return: in words; None for nothing
    """
    for part in PARTS:
        if part in noted and part not in there:
            return f"has no `{part}` any more"
    if max(commits, default=-1) > max(offsets, default=-1):
        return f"has no offsets of batch {max(commits)}, which is done"
    return None


@contextmanager
def folder(state: str | Path | None, graph: str) -> Iterator[Path]:
    """For what lasts as long as a run: beside the graph's state, so that a run which is killed leaves it to the next. Among the
    temporary files, where there is no such place on this machine.
    """
    if state is None or _is_elsewhere(state):
        made = Path(tempfile.mkdtemp(prefix="despina-split-"))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)
        return
    made = Path(address(state), f".{quote(graph, safe='')}.part")
    made.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield made
    finally:
        with suppress(OSError):     # the next run has begun, and has its own file there
            made.rmdir()


def _is_elsewhere(state: str | Path) -> bool:
    return ":" in address(state).partition("/")[0]


class Checkpoints:
    """By query, its checkpoint, in a folder that has the id of the job's state: a job that begins anew has another one."""

    def __init__(self, spark: SparkSession, root: str, begun: str | None = None) -> None:
        """:param begun: says which of them are there; None where they do not outlive the run"""
        self._spark = spark
        self._root = root
        self._begun = begun

    @classmethod
    def beside(cls, spark: SparkSession, state: str, identity: str) -> Checkpoints:
        """Below the state of a job, or where Spark's settings say that checkpoints lie.

        :param state: the folder of the graph: a path or an address
        :param identity: of the state
        :raise RefusedError: those of an earlier run lie in another place
        """
        said = spark.conf.get(SETTING, None)
        if _is_elsewhere(state):
            place = said or f"{state.rstrip('/')}/{FOLDER}"
            return cls(spark, f"{place.rstrip('/')}/{identity}", f"{state.rstrip('/')}/{BEGUN}/{identity}")
        here = Path(state, FOLDER, identity)
        root = None if said is None else f"{said.rstrip('/')}/{identity}"
        _refuse_other_place(here, root)
        if root is None:
            _clear(here.parent, identity)
        _clear(Path(state, BEGUN), identity)
        return cls(spark, root or f"file:{here}", f"file:{Path(state, BEGUN, identity)}")

    def of(self, sink: str) -> str:
        """The checkpoint of the query of that sink."""
        return f"{self._root}/{sink}"

    def refuse_lost(self, sink: Operator) -> None:
        """A query whose checkpoint somebody has removed would begin anew: with rows that it has had, or without some. So it may
        if a part of it is gone.

        :raise RefusedError: that is so
        """
        if self._begun is None or not self._exists(f"{self._begun}/{sink.id}"):
            return
        place = self.of(sink.id)
        lost: str | None = f"is not in {place}, where it was"
        if self._has(sink.id):
            missing = gone(self._names(f"{self._begun}/{sink.id}"), self._batches(sink.id, "offsets"),
                           self._batches(sink.id, "commits"), self._parts(sink.id))
            lost = None if missing is None else f"in {place} {missing}"
        if lost is not None:
            raise RefusedError("state", f"operator {sink.id}: the checkpoint of its query {lost}: the query would not go on "
                               "where it was, as the engine does",
                               "bring it back from a copy; or begin anew, with --from-start", sink.place)

    def note(self, sink: str) -> None:
        """The query of that sink has begun, or has done a batch, and Spark has made its checkpoint, or parts of it."""
        if self._begun is not None and self._has(sink):
            for each in ("", *self._parts(sink)):
                files, path = self._found(f"{self._begun}/{sink}/{each}")
                files.mkdirs(path)

    def _parts(self, sink: str) -> list[str]:
        """Those of its checkpoint that are not empty."""
        return [part for part in PARTS if self._names(f"{self.of(sink)}/{part}")]

    def _batches(self, sink: str, part: str) -> list[int]:
        return [int(name) for name in self._names(f"{self.of(sink)}/{part}") if name.isdigit()]

    def _names(self, folder: str) -> list[str]:
        """What lies there, without hidden files; nothing if there is no such folder."""
        if not self._exists(folder):
            return []
        files, path = self._found(folder)
        names = [str(each.getPath().getName()) for each in files.listStatus(path)]
        return [name for name in names if not name.startswith(".")]

    def _has(self, sink: str) -> bool:
        return self._exists(f"{self.of(sink)}/metadata")

    def refuse_other_rows(self, sink: Operator) -> None:
        """A folder of files has a log of the batches in it, by their numbers, which begin anew with each checkpoint. Spark takes
        a batch for written whose number is there, so those of a new query would be missing.

        :raise RefusedError: the folder has what a query of another checkpoint has written
        """
        path = str(sink.fields["path"])
        if self._has_batches(f"{path}/{_LOG}") and not self._has(sink.id):
            raise RefusedError("output", f"operator {sink.id}: {path} has the rows of an earlier query, which this one does not "
                               "go on with: Spark would leave out as many of its batches as are there",
                               "name another folder, or remove that one", sink.place)

    def _has_batches(self, log: str) -> bool:
        """A query makes the log as it starts, before it has a batch."""
        return any(name[0].isdigit() for name in self._names(log))

    def _exists(self, path: str) -> bool:
        files, found = self._found(path)
        return bool(files.exists(found))

    def _found(self, path: str) -> tuple[Any, Any]:
        """Its file system, as Spark finds it, and the path there."""
        java: Any = self._spark._jvm
        found = java.org.apache.hadoop.fs.Path(path)
        return found.getFileSystem(self._spark._jsparkSession.sessionState().newHadoopConf()), found


def _refuse_other_place(here: Path, root: str | None) -> None:
    """Queries that do not find their checkpoints begin anew, where the engine goes on.

    :param here: where they lie if Spark's settings say nothing
    :param root: where these say that they lie; None if they say nothing
    :raise RefusedError: those of an earlier run do not lie there
    """
    note = here / _ELSEWHERE
    before = note.read_text(encoding="utf-8") if note.exists() else str(here) if here.is_dir() and any(here.iterdir()) else None
    if before is not None and before != (root or str(here)):
        raise RefusedError("state", f"the checkpoints of Spark's queries lie in {before}, and now they would be looked for in "
                           f"{root or here}: the queries would begin anew, where the engine goes on",
                           f"have {SETTING} among Spark's settings as it was; or copy them there, and remove "
                           f"{note if note.exists() else here}; or begin anew, with --from-start")
    if root is not None and before is None:
        here.mkdir(parents=True, exist_ok=True)
        partial = note.with_name(f"{_ELSEWHERE}.partial")
        partial.write_text(root, encoding="utf-8")
        partial.replace(note)


def _clear(folder: Path, identity: str) -> None:
    """Of jobs that began before this one, whose rows had other numbers."""
    for each in folder.iterdir() if folder.is_dir() else ():
        if each.name != identity:
            shutil.rmtree(each, ignore_errors=True)
