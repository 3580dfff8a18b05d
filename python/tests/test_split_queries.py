"""When a query of Spark's part of a graph begins again, when it has failed too often, and where its checkpoint lies."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from despina.backends.split import checkpoints
from despina.backends.split.checkpoints import Checkpoints
from despina.backends.split.queries import Failures, Query
from despina.errors import JobError, RefusedError
from despina.job import Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery


def test_a_third_failure_in_a_row_is_the_last() -> None:
    failures = Failures()
    assert [failures.pause_s(1, moved_on=False) for _ in range(3)] == [0.0, 1.0, None]


def test_a_batch_in_between_begins_the_count_anew() -> None:
    failures = Failures()
    assert [failures.pause_s(1, moved_on=moved) for moved in (False, False, True, False, False)] == [0.0, 1.0, 0.0, 1.0, None]


def test_a_loss_of_the_job_is_no_failure_of_the_query() -> None:
    failures = Failures()
    assert [failures.pause_s(attempt, moved_on=False) for attempt in (1, 1, 2, 3, 3, 3)] == [0.0, 1.0, 0.0, 0.0, 1.0, None]


class Run:
    """A run of a query."""

    def __init__(self, error: str | None = None, batches: int = 0) -> None:
        self.isActive = error is None
        self.error = error
        self.recentProgress = [{"durationMs": {"addBatch": 1}}] * batches + [{"durationMs": {"latestOffset": 1}}]
        self.lastProgress = self.recentProgress[-1]

    def exception(self) -> str | None:
        return self.error or None

    def stop(self) -> None:
        self.isActive = False


def query(*runs: Run | Exception) -> Query:
    left = list(runs)

    def start() -> StreamingQuery:
        one: Any = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return cast("StreamingQuery", one)

    made = Query("out", start, lambda: None)
    made.begin()
    return made


def told(of: Query) -> str | None:
    return of.failure


RUNNING = Status("running", attempt=1)


def test_a_query_begins_again_when_that_is_due_and_the_job_runs() -> None:
    one = query(Run("rows are gone"), Run("rows are gone"), Run())
    one.again(one.failure or "", RUNNING, 10.0)
    assert told(one) is None, "it is about to begin again"
    one.look(Status("restarting", attempt=1), 10.0)
    assert one.restarts == 0
    one.look(RUNNING, 10.0)
    assert (one.restarts, told(one)) == (1, "rows are gone")
    one.again("rows are gone", RUNNING, 11.0)
    one.look(RUNNING, 11.9)
    assert one.restarts == 1
    one.look(RUNNING, 12.0)
    assert (one.restarts, told(one)) == (2, None)


def test_what_cannot_be_started_again_has_failed_again() -> None:
    refused = JobError("spark", "no such file")
    one = query(Run("rows are gone"), refused, refused)
    one.again(one.failure or "", RUNNING, 0.0)
    one.look(RUNNING, 0.0)
    with pytest.raises(JobError, match=r"the query of `out` has failed 3 times in a row: .*no such file"):
        one.look(RUNNING, 1.0)


def test_a_query_that_somebody_else_has_stopped_is_told() -> None:
    assert query(Run("")).failure == "somebody has stopped it"


def test_a_query_that_has_completed_batches_is_not_at_its_end() -> None:
    one = query(*[Run("rows are gone", batches=1) for _ in range(6)], Run())
    for second in range(6):
        one.again(one.failure or "", RUNNING, float(second))
        one.look(RUNNING, float(second))
    assert (one.restarts, told(one)) == (6, None)


def test_its_first_batch_since_it_began_is_told() -> None:
    told: list[str] = []
    run = Run()
    one = Query("out", lambda: cast("StreamingQuery", run), lambda: told.append("a batch"))
    one.begin()
    one.look(RUNNING, 0.0)
    assert not told
    run.lastProgress = {"durationMs": {"addBatch": 1}}
    one.look(RUNNING, 1.0)
    one.look(RUNNING, 2.0)
    assert told == ["a batch"]


@pytest.mark.parametrize(("noted", "offsets", "commits", "there", "words"), [
    ((), (), (), (), None),         # it was killed before its first batch
    (("offsets", "commits"), (3, 4), (3,), ("offsets", "commits"), None),
    (("offsets", "commits"), (3, 4), (3, 4), ("offsets", "commits", "state"), None),
    (("offsets", "commits"), (), (), (), "has no `offsets` any more"),
    (("offsets", "commits"), (3,), (), ("offsets",), "has no `commits` any more"),
    (("offsets", "sources"), (3,), (), ("offsets",), "has no `sources` any more"),
    (("offsets", "state"), (3,), (), ("offsets",), "has no `state` any more"),
    ((), (3,), (3, 4), ("offsets", "commits"), "has no offsets of batch 4, which is done"),
    ((), (), (0,), ("commits",), "has no offsets of batch 0, which is done"),
])
def test_what_is_gone_of_a_checkpoint_is_told(noted: tuple[str, ...], offsets: tuple[int, ...], commits: tuple[int, ...],
                                             there: tuple[str, ...], words: str | None) -> None:
    assert checkpoints.gone(noted, offsets, commits, there) == words


def test_a_batch_counts_whose_report_spark_has_forgotten() -> None:
    runs = [Run() for _ in range(6)]
    one = query(*runs, Run())
    for second, run in enumerate(runs):
        run.lastProgress = {"durationMs": {"addBatch": 1}}
        one.look(RUNNING, float(second))
        run.recentProgress = [{"durationMs": {"latestOffset": 1}}] * 100
        run.isActive, run.error = False, "rows are gone"
        one.again(one.failure or "", RUNNING, float(second))
        one.look(RUNNING, float(second))
    assert (one.restarts, told(one)) == (6, None)


def session(master: str = "local[2]", at: str | None = None) -> SparkSession:
    """One that is told where checkpoints lie, or is not."""
    conf = {} if at is None else {checkpoints.SETTING: at}
    return cast("SparkSession", SimpleNamespace(conf=conf, sparkContext=SimpleNamespace(master=master)))


def test_checkpoints_lie_in_the_state_and_those_of_jobs_that_began_before_go(tmp_path: Path) -> None:
    for identity in ("before", "now"):
        (tmp_path / "g" / "queries" / identity / "out").mkdir(parents=True)
    found = Checkpoints.beside(session(), f"{tmp_path}/g/", "now")
    assert found.of("out") == f"file:{tmp_path}/g/queries/now/out"
    assert [each.name for each in (tmp_path / "g" / "queries").iterdir()] == ["now"]


def test_checkpoints_lie_where_spark_is_told_or_at_the_address_of_the_state(tmp_path: Path) -> None:
    (tmp_path / "g" / "queries" / "before").mkdir(parents=True)
    assert Checkpoints.beside(session(at="hdfs://one/all/"), f"{tmp_path}/g/", "now").of("out") == "hdfs://one/all/now/out"
    assert (tmp_path / "g" / "queries" / "before").exists(), "nothing of what lies here is looked at"
    assert Checkpoints.beside(session(), "s3a://one/state/g/", "now").of("out") == "s3a://one/state/g/queries/now/out"


def test_checkpoints_stay_where_they_are(tmp_path: Path) -> None:
    """In another place the queries would begin anew, and the engine goes on."""
    state = f"{tmp_path}/g/"
    Checkpoints.beside(session(), state, "now")
    Checkpoints.beside(session(at="hdfs://one/all"), state, "now")      # no query has begun
    assert Checkpoints.beside(session(at="hdfs://one/all/"), state, "now").of("out") == "hdfs://one/all/now/out"
    here = tmp_path / "g" / "queries"
    for other, told in (("hdfs://two/all", "hdfs://two/all/now"), (None, f"{here}/now")):
        with pytest.raises(RefusedError, match="lie in hdfs://one/all/now, and now they would be looked for in") as raised:
            Checkpoints.beside(session(at=other), state, "now")
        assert f"{told}: the queries would begin anew" in str(raised.value)
        assert f"remove {here}/now/.elsewhere;" in raised.value.hint
    assert Checkpoints.beside(session(), state, "anew").of("out") == f"file:{here}/anew/out"
    (here / "anew" / "out").mkdir(parents=True)
    with pytest.raises(RefusedError, match=f"lie in {here}/anew, and .* looked for in hdfs://one/all/anew:") as raised:
        Checkpoints.beside(session(at="hdfs://one/all"), state, "anew")
    assert f"remove {here}/anew; or begin anew" in raised.value.hint


def test_the_file_of_the_next_run_stays_when_one_ends(tmp_path: Path) -> None:
    with checkpoints.folder(tmp_path, "a b") as folder:
        with checkpoints.folder(tmp_path, "a b") as of_next:
            assert folder == of_next == tmp_path / ".a%20b.part"
            (folder / "job.json").touch()
        assert (folder / "job.json").exists()
        (folder / "job.json").unlink()
    assert not folder.exists()
    with checkpoints.folder(None, "a b") as folder:
        (folder / "out").mkdir()
    assert not folder.exists()


def test_executors_that_may_be_elsewhere_need_checkpoints_that_all_of_them_see(tmp_path: Path) -> None:
    checkpoints.refuse_cluster(session("spark://one:7077", at="hdfs://one/all"), tmp_path)
    checkpoints.refuse_cluster(session("spark://one:7077"), "s3a://one/state")
    checkpoints.refuse_cluster(session(), tmp_path)
    with pytest.raises(RefusedError, match="the executors of spark://one:7077 may be on other machines") as raised:
        checkpoints.refuse_cluster(session("spark://one:7077"), tmp_path)
    assert f"{checkpoints.SETTING}=hdfs://" in raised.value.hint
