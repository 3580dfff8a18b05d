import io
import threading
from dataclasses import replace

import pytest

from despina import rates
from despina.cli import view
from despina.job import Status


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at(seconds: float, packets: int, state: str = "running", id: str = "source") -> Status:
    return Status.from_dict({
        "state": state, "elapsed_s": seconds, "first_packet_s": 0.42,
        "operators": {id: {"packets_in": 0, "packets_out": packets, "errors": 0, "late": 0},
                      "sink": {"packets_in": packets, "packets_out": 0, "errors": 3, "late": 0}},
        "links": {"source->sink": {"packets": packets, "bytes": packets * 50, "queued_bytes": 80, "fill": 0.8,
                                   "paused": True}}})


def test_the_stream_chooses_the_view() -> None:
    assert isinstance(view.choose(io.StringIO(), False, 0), view.Plain)
    assert isinstance(view.choose(Terminal(), False, 0), view.Live)
    assert type(view.choose(Terminal(), True, 0)) is view.Quiet


def test_plain_lines_come_every_two_seconds_of_the_job() -> None:
    stream = io.StringIO()
    shown = view.Plain(stream, 0)
    for tick in range(50):
        shown.update(at(tick / 10, tick * 100_000))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[1] == "     2.0 s  running  source 1.00 M/s, sink 1.00 M/s  paused: source->sink"


def test_plain_tells_who_is_awaited_after_a_second_and_then_every_five() -> None:
    stream = io.StringIO()
    shown = view.Plain(stream, 0)
    told = []
    for tick in range(26):
        shown.update(Status("deploying", tick / 2, awaited={"far": "despina resource --name far"}))
        if "waiting for" in stream.getvalue():
            told.append(tick / 2)
            assert "waiting for resource far to join: despina resource --name far\n" in stream.getvalue()
        stream.truncate(0)
        stream.seek(0)
    assert told == [1.0, 6.0, 11.0]


def test_plain_tells_what_is_waited_for_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    shown = view.Plain(stream, 5_000)
    monkeypatch.setattr("time.time", lambda: 5.25)
    for words in ("starting Spark", "waiting for executors (1 of 2)", "waiting for executors (1 of 2)"):
        shown.phase(words)
    for phase in ("starting resources (0 of 2)", "starting resources (0 of 2)", "preparing operators (1 of 2)"):
        shown.update(Status("deploying", 0.5, phase=phase))
    shown.update(Status("running", 0.5))
    shown.stopped()
    assert stream.getvalue().splitlines() == [
        "     0.2 s  starting Spark", "     0.2 s  waiting for executors (1 of 2)",
        "     0.5 s  deploying: starting resources (0 of 2)", "     0.5 s  deploying: preparing operators (1 of 2)",
        "     0.5 s  running", "stopped after 0.2 s, running"]


def test_what_the_time_of_a_restart_went_to_is_told_once() -> None:
    stream = io.StringIO()
    shown = view.Plain(stream, 0)
    last = {"why": {"message": "resource `far` was lost"}, "ended_ms": 50, "claimed_ms": 120, "deployed_ms": 300,
            "restored_ms": None, "first_row_ms": None}
    for changes in ({}, {"first_row_ms": 620}, {"restored_ms": 450, "first_row_ms": 620}, {"restored_ms": 450,
                                                                                          "first_row_ms": 620}):
        shown.update(Status("running", 1.0, restarts=1, last_restart=last | changes))
    assert [line for line in stream.getvalue().splitlines() if "loss" in line] == [
        "first new row 0.62 s after the loss was seen: the old attempt had ended after 0.05 s, the next one was claimed after "
        "0.12 s, deployed after 0.30 s and restored after 0.45 s"]


def test_what_is_waited_for_is_said_again_every_ten_seconds() -> None:
    told: list[tuple[str, float]] = []
    now = [100.0]
    waiting = view.Waiting(lambda words, for_s: told.append((words, for_s)), 10.0, lambda: now[0])
    waiting.begin("starting Spark")
    for _ in range(25):
        now[0] += 1.0
        waiting.look()
        waiting.begin("starting Spark")
    waiting.begin("waiting for executors (0 of 1)")
    now[0] += 9.0
    waiting.look()
    waiting.end()
    now[0] += 100.0
    waiting.look()
    assert told == [("starting Spark", 0.0), ("starting Spark", 10.0), ("starting Spark", 20.0),
                    ("waiting for executors (0 of 1)", 0.0)]


def test_plain_says_how_long_something_is_waited_for_until_there_is_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    again = "starting Spark, for 0 s so far"
    twice = threading.Event()

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            written = super().write(text)
            if self.getvalue().count(again) >= 2:
                twice.set()
            return written

    stream = Stream()
    monkeypatch.setattr(view, "PHASE_EVERY_S", 0.02)
    monkeypatch.setattr(view, "TOLD_FROM_S", 0.0)
    others = set(threading.enumerate())     # another test's may not have ended
    with view.Plain(stream, 0) as shown:
        shown.phase("starting Spark")
        assert twice.wait(30)
        reporters = [thread for thread in threading.enumerate() if thread.name == "despina-phase" and thread not in others]
        shown.update(at(0.5, 10))
        for reporter in reporters:
            reporter.join(30)
        assert not any(reporter.is_alive() for reporter in reporters), "a job has lines of its own"
    assert len(reporters) == 1


def test_plain_tells_each_new_state_and_the_end() -> None:
    stream = io.StringIO()
    shown = view.Plain(stream, 0)
    for state in ("deploying", "running", "draining", "done"):
        shown.update(at(0.1, 10, state))
    shown.summary(at(0.5, 1000, "done"))
    lines = stream.getvalue().splitlines()
    assert [line.split()[2] for line in lines[:3]] == ["deploying", "running", "draining"]
    assert lines[3:] == ["done after 0.5 s, first packet after 0.42 s", "  source: 0 in, 1,000 out",
                         "  sink: 1,000 in, 0 out, 3 errors"]


def test_the_live_table_shows_rates_fill_and_pause() -> None:
    stream = Terminal()
    shown = view.Live(stream, 0)
    with shown:
        shown.update(at(1.0, 0))
        shown.update(at(2.0, 1_500_000))
        drawn = stream.getvalue()
    assert "1.50 M/s" in drawn
    assert "source->sink" in drawn
    assert "████████░░" in drawn
    assert "paused" in drawn
    shown.summary(at(2.0, 1_500_000, "done"))
    assert "1,500,000" in stream.getvalue()


def test_a_narrow_terminal_cuts_names_and_no_numbers() -> None:
    from rich.console import Console

    stream = io.StringIO()
    followed = rates.Rates()
    for seconds, packets in ((1.0, 0), (2.0, 1_500_000)):
        followed.add(at(seconds, packets, id="an_operator_with_a_long_name"))
    Console(file=stream, width=60).print(view.tables(at(2.0, 1_500_000), followed))
    assert [line.split() for line in stream.getvalue().splitlines()[2:4]] == [
        ["an_operat…", "0/s", "1.50", "M/s", "0", "1,500,000"], ["sink", "1.50", "M/s", "0/s", "1,500,000", "0", "3"]]


def test_the_tables_have_a_line_between_them_and_no_column_of_nothing() -> None:
    from rich.console import Console

    stream = io.StringIO()
    followed = rates.Rates()
    followed.add(at(1.0, 5))
    Console(file=stream, width=100).print(view.tables(at(1.0, 5), followed))
    lines = [line.split() for line in stream.getvalue().splitlines()]
    assert lines[1] == ["operator", "in/s", "out/s", "in", "out", "errors"]
    assert lines[4:6] == [[], ["link", "packets/s", "MB/s", "buffer"]]


def test_what_tasks_do_with_their_time_is_shown_where_it_is_known() -> None:
    from rich.console import Console

    stream = io.StringIO()
    followed = rates.Rates()
    for seconds in (1.0, 2.0):
        status = at(seconds, 5)
        told = {"source": {"busy_ms": [int(seconds * 250)], "paused_ms": [int(seconds * 500)], "behind_records": 1234},
                "sink": {"busy_ms": [0], "paused_ms": [0], "latency_p99_ms": 1.625}}
        status = replace(status, operators={name: {**counters, **told[name]} for name, counters in status.operators.items()})
        followed.add(status)
    Console(file=stream, width=120).print(view.tables(status, followed))
    lines = [line.split() for line in stream.getvalue().splitlines()]
    assert lines[1] == ["operator", "in/s", "out/s", "in", "out", "busy", "paused", "latency", "behind", "errors"]
    assert lines[2][5:] == ["25%", "50%", "1,234"]
    assert lines[3][5:] == ["0%", "1.62", "ms", "3"]


def test_rows_reach_a_file_past_the_live_table(capsys: pytest.CaptureFixture[str]) -> None:
    stream = Terminal()
    with view.Live(stream, 0) as shown:
        shown.update(at(1.0, 0))
        print("a row")
    assert capsys.readouterr().out == "a row\n"
    assert "a row" not in stream.getvalue()


@pytest.mark.parametrize(("per_s", "text"), [
    (0, "0/s"), (999.4, "999/s"), (999.6, "1.00 k/s"), (9_999, "10.0 k/s"), (12_345, "12.3 k/s"), (999_600, "1.00 M/s"),
    (1_500_000, "1.50 M/s"), (123_456_789, "123 M/s"),
])
def test_rates_have_three_digits(per_s: float, text: str) -> None:
    assert rates.rate(per_s) == text


def test_the_end_tells_the_first_record_that_an_operator_skipped() -> None:
    status = Status.from_dict({"state": "done", "elapsed_s": 1.0,
                               "operators": {"orders": {"packets_in": 0, "packets_out": 4, "errors": 2, "late": 1,
                                                        "counters": {"unknown_units": 1234}}},
                               "skipped": {"orders": "in.csv:5: no \x1b[31mnumber: three"}})
    plain, live = io.StringIO(), io.StringIO()
    view.Plain(plain, 0).summary(status)
    told = "orders: 0 in, 4 out, 1 late and dropped, 2 skipped, unknown_units 1,234, " \
        "the first: in.csv:5: no \ufffd[31mnumber: three"
    assert f"  {told}\n" in plain.getvalue()
    linked = replace(status, links={"orders.late->file": {}})
    assert view.totals(linked, "orders").startswith("0 in, 4 out, 1 late, 2 skipped")
    view.Live(live, 0).summary(status)
    assert told in live.getvalue().replace("\n", " ").replace("  ", " ")
