import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow
import pytest

from despina import job as job_module
from despina import notebook
from despina.engine import Engine
from despina.errors import JobError, RefusedError, StartError
from despina.job import Job, Status
from despina.rows import Rows

if TYPE_CHECKING:
    from despina.backends.split.part import SparkPart

Scripted = Callable[..., tuple[Engine, Any]]
AStatus = Callable[..., dict[str, Any]]


def stream(*numbers: int) -> bytes:
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"n": pyarrow.array(numbers, pyarrow.int64())})
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def test_wait_returns_the_last_status(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("deploying"), a_status("running"), a_status("done", 2.5)]})
    seen: list[str] = []
    last = Job(engine, "j1", "g").wait(watch=lambda status: seen.append(status.state))
    assert (last.state, last.elapsed_s) == ("done", 2.5)
    assert seen == ["deploying", "running", "done"]
    assert {asked[1] for asked in driver.asked} == {"j1"}


def test_a_job_that_goes_on_after_a_loss_says_why(scripted: Scripted, a_status: AStatus) -> None:
    why = {"rule": "resource_lost", "message": "resource `far` was lost: process 7 ended with signal 9; its last words:\n  x"}
    restarting = a_status("restarting", attempt=2, restarts=1, last_restart={"why": why}, phase="starting resources (1 of 2)")
    engine, _ = scripted(**{"await": [restarting, a_status("done", attempt=2, restarts=1, last_restart={"why": why})]})
    seen: list[str] = []
    job = Job(engine, "j1", "g")
    last = job.wait(watch=lambda status: seen.append(status.standing))
    assert seen == ["restarting, starting resources (1 of 2), because resource `far` was lost: process 7 ended with signal 9; "
                    "its last words:", "done"]
    assert (last.attempt, last.restarts) == (2, 1)
    assert (job.attempt, job.restarts) == (2, 1)


def test_a_watcher_is_given_the_counters_of_now(scripted: Scripted, a_status: AStatus) -> None:
    def counted(packets: int) -> dict[str, Any]:
        return a_status("running", operators={"sink": {"packets_in": packets}})

    engine, _ = scripted(**{"await": [counted(1), counted(1), a_status("done", operators={"sink": {"packets_in": 9}})]},
                         status=[counted(5), counted(7)])
    seen: list[int] = []
    Job(engine, "j1", "g").wait(watch=lambda status: seen.append(status.operators["sink"]["packets_in"]))
    assert seen == [5, 7, 9]


def test_nothing_is_asked_of_resources_while_nobody_watches(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("running"), a_status("running"), a_status("done")]})
    Job(engine, "j1", "g").wait()
    assert "status" not in [asked[0] for asked in driver.asked]


def test_a_job_that_ends_while_its_counters_are_asked_for_has_given_all_rows(scripted: Scripted, a_status: AStatus) -> None:
    rows = {"collected": {"out": {"rows": 3, "waiting_bytes": 0}}}
    engine, _ = scripted(**{"await": [a_status("running")]}, status=[a_status("done", **rows)], collected=[stream(3), b""])
    job = Job(engine, "j1", "g")
    assert job.poll().ended
    assert [len(each) for each in job._streams.values()] == [1]


def test_wait_gives_up_after_its_time(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("running")]})
    assert Job(engine, "j1", "g").wait(timeout_s=0).state == "running"
    assert driver.asked[0] == ("await", "j1", "0")


@pytest.mark.parametrize(("rule", "kind"), [("file_sink", JobError), ("resource_start", StartError)])
def test_a_failed_job_raises_its_error(scripted: Scripted, a_status: AStatus, rule: str, kind: type[Exception]) -> None:
    failed = a_status("failed", error={"rule": rule, "message": "disk full", "hint": "free some"})
    engine, _ = scripted(**{"await": [failed]})
    with pytest.raises(kind, match="disk full") as raised:
        Job(engine, "j1", "g").wait()
    assert type(raised.value) is kind


def test_ctrl_c_stops_as_the_run_says_and_then_interrupts(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [KeyboardInterrupt(), a_status("draining"), a_status("stopped")]})
    with pytest.raises(KeyboardInterrupt):
        Job(engine, "j1", "g").wait()
    assert [asked[1:] for asked in driver.asked if asked[0] == "stop"] == [("j1", "")]


def test_a_ctrl_c_before_the_first_look_stops_it_too(scripted: Scripted, a_status: AStatus,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """It was lost: the job ran on, and who called believed it to end."""
    engine, driver = scripted(**{"await": [a_status("draining"), a_status("stopped")]})
    looks = iter([KeyboardInterrupt()])

    def watch(_: str) -> None:
        for interrupt in looks:
            raise interrupt

    monkeypatch.setattr(notebook, "watch", watch)
    with pytest.raises(KeyboardInterrupt):
        Job(engine, "j1", "g").wait()
    assert [asked[1:] for asked in driver.asked if asked[0] == "stop"] == [("j1", "")]


def test_a_second_ctrl_c_ends_at_once(scripted: Scripted, a_status: AStatus) -> None:
    interrupts = [KeyboardInterrupt(), a_status("draining"), KeyboardInterrupt(), a_status("stopped")]
    engine, driver = scripted(**{"await": interrupts})
    told: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        Job(engine, "j1", "g").wait(interrupted=lambda: told.append(sum(asked[0] == "stop" for asked in driver.asked)))
    assert [asked[2] for asked in driver.asked if asked[0] == "stop"] == ["", "now"]
    assert told == [1], "at the first, once the job knows"


FULL = {"rule": "file_sink", "message": "disk full"}


def test_a_job_that_fails_while_ctrl_c_drains_it_says_why(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(**{"await": [KeyboardInterrupt(), a_status("draining"), a_status("failed", error=FULL)]})
    with pytest.raises(KeyboardInterrupt) as raised:
        Job(engine, "j1", "g").wait()
    assert isinstance(raised.value.__cause__, JobError)
    assert raised.value.__cause__.message == "disk full"


def test_a_failure_that_nobody_has_seen_is_raised_where_the_block_is_left(scripted: Scripted, a_status: AStatus) -> None:
    ended, _ = scripted(status=[a_status("failed", error=FULL)], **{"await": [a_status("failed", error=FULL)]})
    with pytest.raises(JobError, match="disk full"), Job(ended, "j1", "g") as job:
        assert job.counters.ended
    draining, _ = scripted(status=[a_status("running")], **{"await": [a_status("draining"), a_status("failed", error=FULL)]})
    with pytest.raises(JobError, match="disk full"), Job(draining, "j1", "g"):
        pass


def test_a_failure_that_was_raised_is_not_raised_again(scripted: Scripted, a_status: AStatus) -> None:
    failed = a_status("failed", error=FULL)
    engine, _ = scripted(status=[failed], **{"await": [failed]})
    with Job(engine, "j1", "g") as job, pytest.raises(JobError, match="disk full"):
        job.wait()
    with pytest.raises(ValueError, match="mine"), Job(engine, "j1", "g"):
        raise ValueError("mine")


def test_take_raises_the_failure_after_the_last_rows(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(**{"await": [a_status("failed", error=FULL, collected={"out": {"rows": 1, "waiting_bytes": 0}})]},
                         collected=[stream(1), b""])
    job = Job(engine, "j1", "g")
    assert [row["n"] for row in job.take()] == [1]
    with pytest.raises(JobError, match="disk full"):
        job.take()


def test_rows_wait_for_the_end_and_join_what_came(scripted: Scripted, a_status: AStatus) -> None:
    some = {"out": {"rows": 3, "waiting_bytes": 0}}
    engine, _ = scripted(**{"await": [a_status("running", collected=some), a_status("done", collected=some)]},
                         collected=[stream(1), stream(2), b"", stream(3), b""])
    job = Job(engine, "j1", "g")
    assert job.rows().to_pylist() == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert job.rows("out").column_names == ["n"]


SINK = {"collected": {"out": {"rows": 0, "waiting_bytes": 0}}}


def test_batches_give_what_comes_between_the_last_look_and_the_end(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(
        **{"await": [a_status("running", **SINK), a_status("running", **SINK), a_status("done", **SINK)]},
        collected=[stream(1), b"", stream(), b"", stream(2, 3), b""])
    assert [[row["n"] for row in rows] for rows in Job(engine, "j1", "g").batches()] == [[1], [2, 3]]


def test_a_loop_that_is_left_leaves_the_job_and_its_rows(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("running", **SINK), a_status("done", **SINK)]},
                              collected=[stream(1), b"", stream(2), b"", b""])
    job = Job(engine, "j1", "g")
    for rows in job.batches("out"):
        assert list(rows) == [{"n": 1}]
        break
    assert driver.methods() == []
    assert [list(rows) for rows in job.batches()] == [[{"n": 2}]]
    assert list(job.batches()) == []


def test_batches_raise_the_failure_after_the_last_rows(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(**{"await": [a_status("failed", error=FULL, **SINK)]}, collected=[stream(1, 2), b""])
    seen: list[int] = []
    with pytest.raises(JobError, match="disk full"):
        for rows in Job(engine, "j1", "g").batches():
            seen.append(len(rows))
    assert seen == [2]


def test_where_no_rows_come_in_time_a_batch_without_rows_does(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("running", **SINK), a_status("done", **SINK)]}, collected=[stream(), b""])
    assert [len(rows) for rows in Job(engine, "j1", "g").batches(timeout_s=0)] == [0]
    assert "awaitRows" not in driver.methods()
    engine, driver = scripted(**{"await": [a_status("running", **SINK), a_status("done", **SINK)]}, collected=[stream(), b""])
    assert list(Job(engine, "j1", "g").batches()) == []
    assert driver.methods() == ["awaitRows"]


def test_take_gives_each_row_once_and_rows_what_is_left(scripted: Scripted, a_status: AStatus) -> None:
    some = {"out": {"rows": 1, "waiting_bytes": 0}}
    engine, _ = scripted(**{"await": [a_status("running", collected=some)] * 3 + [a_status("done", collected=some)]},
                         collected=[stream(1), b"", b"", stream(2, 3), b"", stream(4), b""])
    job = Job(engine, "j1", "g")
    assert [row["n"] for row in job.take()] == [1]
    assert list(job.take()) == []
    assert [row["n"] for row in job.take()] == [2, 3]
    assert [row["n"] for row in job.rows()] == [4]
    assert [row["n"] for row in job.rows()] == [4]
    assert [row["n"] for row in job.take()] == [4]
    assert job.rows().column_names == ["n"]
    assert len(job.rows()) == 0


def test_a_stream_without_end_is_taken_and_forgotten(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(**{"await": [a_status("running", collected={"out": {"rows": 3, "waiting_bytes": 0}})]},
                         collected=[stream(1, 2, 3), b""] * 50 + [b""])
    job = Job(engine, "j1", "g")
    assert sum(len(job.take()) for _ in range(50)) == 150
    assert job._streams == {"out": []}
    assert job._columns["out"].to_arrow().nbytes == 0


def test_a_sink_that_fills_as_fast_as_it_is_read_does_not_hold_a_look_up(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "WAIT_SLICE_MS", 0)
    engine, driver = scripted(**{"await": [a_status("running", collected={"out": {"rows": 1, "waiting_bytes": 1}})]},
                              collected=[stream(1)])
    Job(engine, "j1", "g").poll()
    assert [asked[0] for asked in driver.asked].count("collected") == 1


def test_a_long_look_up_can_be_interrupted_between_its_slices(scripted: Scripted, a_status: AStatus) -> None:
    def interrupted() -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return a_status("running")

    engine, driver = scripted(**{"await": [a_status("running"), interrupted, a_status("running")]})
    with pytest.raises(KeyboardInterrupt):
        Job(engine, "j1", "g").poll(600)
    assert [asked for asked in driver.asked if asked[0] == "await"] == [("await", "j1", str(job_module.WAIT_SLICE_MS))] * 2


def test_a_long_look_up_sees_the_end(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [a_status("running"), a_status("running"), a_status("done")]})
    assert Job(engine, "j1", "g").poll(600).state == "done"
    assert [asked[0] for asked in driver.asked].count("await") == 3


def test_rows_whose_taking_was_interrupted_come_with_the_next(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(rows: Rows) -> Rows:
        os.kill(os.getpid(), signal.SIGINT)
        return none(rows)

    none = Rows.none
    running = a_status("running", collected={"out": {"rows": 1, "waiting_bytes": 0}})
    engine, _ = scripted(**{"await": [running]}, collected=[stream(1), b"", stream(2), b""])
    job = Job(engine, "j1", "g")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Rows, "none", interrupted)
        job.take()
    assert job.take().to_pylist() == [{"n": 1}, {"n": 2}]
    assert job.take().to_pylist() == []


def test_a_block_whose_leaving_is_interrupted_stops_the_job_at_once(scripted: Scripted, a_status: AStatus) -> None:
    engine, driver = scripted(**{"await": [KeyboardInterrupt(), a_status("stopped")]})
    with pytest.raises(KeyboardInterrupt), Job(engine, "j1", "g"):
        pass
    assert [asked[1:] for asked in driver.asked if asked[0] == "stop"] == [("j1", "now")]


def test_an_unknown_sink_is_refused_by_name(scripted: Scripted, a_status: AStatus) -> None:
    two = {"a": {"rows": 0, "waiting_bytes": 0}, "b": {"rows": 0, "waiting_bytes": 0}}
    engine, _ = scripted(**{"await": [a_status("done", collected=two)]}, collected=[stream(), b"", stream(), b""])
    job = Job(engine, "j1", "g")
    with pytest.raises(RefusedError, match="no collect_sink 'c' in g") as raised:
        job.rows("c")
    assert raised.value.hint == "its collect sinks: a, b"
    with pytest.raises(RefusedError, match="no sink is given"):
        job.rows()


def test_without_keeping_rows_only_the_first_ones_stay(
        scripted: Scripted, a_status: AStatus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "SAMPLE_BYTES", len(stream()) + 1)
    some = {"out": {"rows": 3, "waiting_bytes": 0}}
    engine, _ = scripted(**{"await": [a_status("done", collected=some)]},
                         collected=[stream(), stream(1), stream(2), stream(3), b""])
    assert list(Job(engine, "j1", "g", keep_rows=False).rows()) == [{"n": 1}]


def test_console_lines_go_to_standard_output(scripted: Scripted, a_status: AStatus, capsys: pytest.CaptureFixture[str]) -> None:
    engine, _ = scripted(**{"await": [a_status("running"), a_status("done")]},
                         console=[{"lines": ["one", "two"], "sinks": ["a", "a"]}, {"lines": ["three"], "sinks": ["b"]}])
    Job(engine, "j1", "g").wait()
    assert capsys.readouterr().out == "one\ntwo\nthree\n"


@pytest.mark.parametrize(("raised", "mode"), [(None, ""), (ValueError("mine"), "now")])
def test_leaving_the_block_stops_the_job(scripted: Scripted, a_status: AStatus, raised: Exception | None, mode: str) -> None:
    engine, driver = scripted(**{"await": [a_status("running"), a_status("draining"), a_status("stopped")]})
    if raised is None:
        with Job(engine, "j1", "g"):
            pass
    else:
        with pytest.raises(ValueError, match="mine"), Job(engine, "j1", "g"):
            raise raised
    assert driver.methods() == ["stop"]
    assert [asked[2] for asked in driver.asked if asked[0] == "stop"] == [mode]
    assert [asked[0] for asked in driver.asked].count("await") == 3


def test_leaving_the_block_after_the_end_takes_over_what_is_left(
        scripted: Scripted, a_status: AStatus, capsys: pytest.CaptureFixture[str]) -> None:
    engine, driver = scripted(**{"await": [a_status("done", collected={"out": {"rows": 1, "waiting_bytes": 8}})]},
                              console=[{"lines": ["the last words"], "sinks": ["a"]}, {"lines": [], "sinks": []}],
                              collected=[stream(1), b""])
    with Job(engine, "j1", "g") as job:
        pass
    assert capsys.readouterr().out == "the last words\n"
    assert driver.methods() == []
    assert job.rows().to_pylist() == [{"n": 1}]


def test_a_mode_that_does_not_exist_is_refused(scripted: Scripted) -> None:
    with pytest.raises(RefusedError, match="unknown way to stop"):
        Job(scripted()[0], "j1", "g").stop("gently")  # type: ignore[arg-type]


def test_a_notebook_shows_the_counters(scripted: Scripted, a_status: AStatus) -> None:
    counters = {"read": {"packets_in": 0, "packets_out": 1234567, "errors": 0, "late": 0}}
    engine, _ = scripted(status=[a_status("running", 3.25, operators=counters)])
    shown = Job(engine, "j1", "g")._repr_html_()
    assert "1,234,567" in shown
    assert ">running</span>, 3.2 s" in shown
    assert Status.from_dict(a_status("running")).ended is False
    assert repr(Status.from_dict(a_status("running", 3.25, operators=counters))) == "Status(running, 3.2 s; read 1,234,567)"
    assert repr(Status.from_dict(a_status("done"))) == "Status(done, 1.0 s)"


def test_a_notebook_shows_a_name_as_text(scripted: Scripted, a_status: AStatus) -> None:
    engine, _ = scripted(status=[a_status("running")])
    assert Job(engine, "j1", "<i>a & b</i>")._repr_html_().startswith("<div><b>&lt;i&gt;a &amp; b&lt;/i&gt;</b>")


def test_a_job_file_is_for_its_owner_and_as_long_as_the_block(scripted: Scripted, tmp_path: Path) -> None:
    address = {"host": "127.0.0.1", "port": 7, "job": "j1", "secret": "s"}
    engine, _ = scripted(address=[address, address])
    target = tmp_path / "job.json"
    with Job(engine, "j1", "g").file(target):
        assert json.loads(target.read_text()) == address
        assert target.stat().st_mode & 0o777 == 0o600
        assert [path.name for path in tmp_path.iterdir()] == ["job.json"]
    assert not target.exists()
    with Job(engine, "j1", "g").file(target):
        target.write_text("of another job")
    assert target.exists(), "what another job has written there stays"


def test_a_job_file_that_cannot_be_written_is_refused_in_words(scripted: Scripted, tmp_path: Path) -> None:
    engine, _ = scripted(address=[{"job": "j1"}])
    with pytest.raises(RefusedError, match="the job file cannot be written: No such file or directory"), \
            Job(engine, "j1", "g").file(tmp_path / "none" / "job.json"):
        pass


class OnSpark:
    """Spark's part of a job, which only notes that it was stopped."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def stop(self) -> None:
        self._driver.asked.append(("stop on Spark",))


def test_a_job_whose_savepoint_is_refused_goes_on_on_spark_too(scripted: Scripted) -> None:
    engine, driver = scripted(savepoint=[{"error": {"rule": "savepoint", "message": "j1 keeps no state"}}])
    job = Job(engine, "j1", "g")
    job.part = cast("SparkPart", OnSpark(driver))
    with pytest.raises(RefusedError, match="keeps no state"):
        job.stop(savepoint="saved")
    assert driver.methods() == ["savepoint"]


def test_the_part_on_spark_is_stopped_before_the_savepoint_is_waited_for(scripted: Scripted, a_status: AStatus) -> None:
    written = {"done": True, "folder": "saved", "epoch": 7, "bytes": 5}
    engine, driver = scripted(awaitSavepoint=[{"done": False}, written], **{"await": [a_status("draining")]})
    job = Job(engine, "j1", "g")
    job.part = cast("SparkPart", OnSpark(driver))
    job.stop(savepoint="saved")
    assert driver.methods() == ["savepoint", "stop on Spark", "awaitSavepoint", "awaitSavepoint"]
