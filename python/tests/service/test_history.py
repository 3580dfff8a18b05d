"""How a run went: what is recorded of two looks at its counters, and what the files of fixed size give back."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from despina.errors import StartError
from despina.service import history, series
from despina.service.history import Recorder, Ring
from despina.service.series import Look, between
from support.service import Service

LINK = "source->sink"
AT = 1_700_000_000.0


def counters(packets: int, attempt: int = 1, **link: Any) -> dict[str, Any]:
    """A status with so many packets through one link."""
    none = {"packets_in": 0, "packets_out": 0, "errors": 0}
    return {"attempt": attempt,
            "operators": {"source": {**none, "packets_out": packets},
                          "sink": {**none, "packets_in": packets, "errors": 1, "watermark_us": (AT - 2) * 1e6}},
            "links": {LINK: {"packets": packets, "bytes": packets * 10, "bytes_on_wire": packets * 2, "queued_bytes": 32,
                             "capacity_bytes": 64, "fill": 0.5, "senders": 1, "paused_ms": 0, **link}}}


def look(second: float, status: dict[str, Any], **resources: tuple[float, int]) -> Look:
    used = {name: {"pid": 1, "cpu_s": cpu, "memory_bytes": size} for name, (cpu, size) in resources.items()}
    return Look(AT + second, second, {**status, **({"resources": used} if used else {})})


def test_rates_and_shares_are_of_the_time_between_two_looks() -> None:
    found = between(look(0, counters(0), child=(1.0, 5)), look(2, counters(500, paused_ms=500), child=(2.0, 7), other=(9.0, 9)))
    assert found[f"link/{LINK}/packets"] == found["job/in"] == found["job/out"] == found["operator/sink/in"] == 250
    assert (found[f"link/{LINK}/bytes"], found[f"link/{LINK}/wire"]) == (2500, 500)
    assert (found[f"link/{LINK}/paused"], found[f"link/{LINK}/fill"]) == (0.25, 0.5)
    assert found["job/lag"] == found["operator/sink/lag"] == 4
    assert "operator/source/lag" not in found
    assert (found["resource/child/cpu"], found["job/cpu"], found["job/memory"]) == (0.5, 0.5, 7.0)
    assert "resource/other/cpu" not in found        # nothing is known of its time before


def test_an_attempt_that_begins_again_has_no_rate_of_the_one_before() -> None:
    assert between(look(0, counters(900)), look(1, counters(3, attempt=2))) == {}
    assert between(look(1, counters(1)), look(1, counters(2))) == {}


def test_a_link_waits_for_the_mean_of_its_senders_and_is_as_full_as_its_fullest_queue() -> None:
    found = between(look(0, counters(0, senders=4)), look(1, counters(0, senders=4, paused_ms=1000, queued_bytes=120, fill=0.75)))
    assert (found[f"link/{LINK}/paused"], found[f"link/{LINK}/fill"]) == (0.25, 0.75)
    assert between(look(0, counters(0)), look(1, counters(0, paused_ms=9100)))[f"link/{LINK}/paused"] == 1
    fused = between(look(0, counters(0, senders=0)), look(1, counters(0, senders=0)))
    assert not {f"link/{LINK}/paused", f"link/{LINK}/fill"} & fused.keys()


def test_time_of_tasks_latency_and_what_waits_are_told_where_they_are_known() -> None:
    def told(second: float, **source: Any) -> Look:
        status = counters(0)
        status["operators"]["source"].update(source)
        status["operators"]["sink"]["latency_p99_ms"] = 12.5
        return look(second, status)
    found = between(told(0, busy_ms=[0, 500], paused_ms=[0, 0], behind_records=5),
                    told(2, busy_ms=[1000, 700], paused_ms=[100, 0], behind_records=7, behind_bytes=0))
    part = "operator/source/"
    assert {name.removeprefix(part): value for name, value in found.items() if name.startswith(part)} == {
        "in": 0, "out": 0, "errors": 0, "busy": 0.5, "paused": 0.05, "behind_records": 7, "behind_bytes": 0}
    assert found["operator/sink/latency"] == found["job/latency"] == 0.0125
    assert found["job/busy"] == 0.5
    more = between(told(0, busy_ms=[0, 500]), told(1, busy_ms=[1, 2, 3]))
    assert "operator/source/busy" not in more, "a task more has begun"


def test_what_an_earlier_start_has_counted_is_no_rate() -> None:
    restored = {"state": "running", "epoch": {"restored_from": 3}}
    assert between(look(0, {**counters(0), "state": "deploying"}), look(1, counters(1_000_000))) == {}
    part = {**counters(0), **restored}
    part["operators"]["source"]["packets_out"] = 999_000        # its state is there, and that of the sink is not
    assert between(look(0, part), look(1, {**counters(1_000_000), **restored})) == {}
    assert between(look(0, {**counters(5), **restored}), look(1, {**counters(9), **restored}))["job/in"] == 4


def test_every_name_is_declared() -> None:
    named = series.names({**counters(1), "resources": {"child": {"pid": 1}}})
    assert named[0] == "job/in"
    assert len(named) == len(set(named)) == 8 + 2 + 2 * 6 + 5
    some = counters(1)
    some["operators"]["sink"].update(latency_p99_ms=1.0, behind_records=1)
    assert set(series.names(some)) - set(named) == {"operator/sink/latency", "operator/sink/behind_records"}
    assert {series.series_of(name).unit for name in named} == {"packets/s", "bytes/s", "1/s", "share", "s", "cores", "bytes"}


def test_a_ring_keeps_the_last_rows_in_their_order(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "10.ring", 10)
    rows = history.STEPS[10]
    for number in (0, 1, rows, rows + 1, rows + 3):
        ring.write(["a", "b", "c"], number * 10_000, {"a": number, "c": 0.1})
    times, values = ring.read(["a", "b", "c"], 0, (rows + 3) * 10_000)
    assert times == [rows * 10_000, (rows + 1) * 10_000, (rows + 3) * 10_000]
    assert values == {"a": [rows, rows + 1, rows + 3], "b": [None] * 3, "c": [0.1] * 3}
    assert ring.read(["a"], times[1], times[2])[0] == times[2:]
    assert ring.read(["a"], 0, times[1])[0] == times[:2]       # what a clock that was set back has left is of the future


def test_a_ring_is_of_fixed_size_and_one_that_is_cut_or_of_others_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "1.ring"
    ring = Ring(path, 1)
    for number in range(2000):
        ring.write(["a"], number * 1000, {"a": 1.0})
    full = path.stat().st_size
    assert full < 1000 + history.STEPS[1] * 16
    path.write_bytes(path.read_bytes()[:-7])
    assert len(ring.read(["a"], 0, 1_999_000)[0]) >= history.STEPS[1] - 1
    ring.write(["a", "b"], 5000, {"b": math.inf})
    assert ring.read(["a", "b"], 0, 5000) == ([5000], {"a": [None], "b": [math.inf]})
    path.write_bytes(b"{no ring")
    assert ring.read(["a"], 0, 10**15)[0] == []
    assert ring.series() == []


@pytest.fixture
def recorded(service: Service) -> Callable[[float, int], None]:
    """Has the recorder look at a second at which so many packets have passed."""
    now = {"at": 0.0}
    service.submit()
    job = service.jobs.one("numbers")
    service.jobs.recorder = Recorder(service.jobs.all, lambda: now["at"], lambda: AT + now["at"])

    def at(second: float, packets: int) -> None:
        now["at"] = second
        assert job.status() is not None     # as another asks who looks, and then it is shared for a while
        service.engine.named().counters = counters(packets)
        service.jobs.recorder.look()
    return at


def test_a_run_is_recorded_and_told_over_the_interface(service: Service, recorded: Callable[[float, int], None],
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    for second in range(25):
        recorded(second, second * 100 + (1000 if second >= 15 else 0))
    monkeypatch.setattr("despina.service.views.time", SimpleNamespace(time_ns=lambda: int((AT + 25) * 1e9)))
    found = service.ask("GET", f"/jobs/numbers/history?series=job/in&series=link/{LINK}/fill", role="view").json()
    assert found["step_s"] == 1
    assert found["at_ms"] == [int(AT * 1000) + second * 1000 for second in range(1, 25)]
    assert found["values"]["job/in"][13:16] == [100, 1100, 100]
    assert set(found["values"][f"link/{LINK}/fill"]) == {0.5}
    coarse = service.ask("GET", "/jobs/numbers/history?step=10").json()
    assert coarse["values"]["job/in"] == [100, 200]
    assert coarse["values"]["job/lag"] == [11, 21]        # the worst of its seconds, not their mean
    assert service.ask("GET", "/jobs/numbers/history?step=60").json()["at_ms"] == []
    after = int(AT * 1000) + 20_000
    assert len(service.ask("GET", f"/jobs/numbers/history?after_ms={after}").json()["at_ms"]) == 4


def test_the_last_periods_of_a_start_are_written_and_the_next_start_goes_on_with_them(
        service: Service, recorded: Callable[[float, int], None]) -> None:
    job = service.jobs.one("numbers")
    ring = Ring(job.run.folder / "history" / "10.ring", 10)
    until_ms = int(AT * 1000) + 60_000
    for second in range(6):
        recorded(second, second * 100)
    assert ring.read(["job/in"], 0, until_ms) == ([], {"job/in": []})
    service.engine.become("done")
    service.until("numbers", "done")
    service.jobs.recorder.look()
    end = int(AT) // 10 * 10_000 + 10_000
    assert ring.read(["job/in"], 0, until_ms) == ([end], {"job/in": [100]})
    service.ask("POST", "/jobs/numbers/start", {"from_start": True})
    service.until("numbers", "running")
    recorded(7, 0)
    recorded(8, 700)
    service.jobs.recorder.close()
    assert ring.read(["job/in"], 0, until_ms) == ([end], {"job/in": [200]}), "five seconds of 100, and one of 700"


def test_the_periods_that_a_killed_service_has_begun_are_those_of_the_next(
        service: Service, recorded: Callable[[float, int], None]) -> None:
    for second in range(4):
        recorded(second, second * 100)
    folder = service.jobs.one("numbers").run.folder / "history"
    os.utime(folder / "1.ring", (AT + 3, AT + 3))
    before = service.jobs.recorder
    service.jobs.recorder = Recorder(service.jobs.all, before._clock, before._wall)
    recorded(5, 700)
    recorded(6, 1300)
    service.jobs.recorder.close()
    found = Ring(folder / "10.ring", 10).read(["job/in"], 0, int(AT * 1000) + 60_000)
    assert found[1] == {"job/in": [225]}, "three seconds of 100, and one of 600"


def test_what_is_no_series_is_refused_with_those_that_are(service: Service, recorded: Callable[[float, int], None]) -> None:
    recorded(0, 0)
    recorded(1, 5)
    answer = service.ask("GET", "/jobs/numbers/history?series=operator/snk/in")
    assert answer.status_code == 422
    assert "job/in" in answer.text
    asked = "&".join(f"series=job/in&x={number}" for number in range(history.MOST_ASKED + 1))
    assert service.ask("GET", f"/jobs/numbers/history?{asked}").status_code == 422
    assert service.ask("GET", "/jobs/numbers/history?step=5").status_code == 422


def test_a_process_that_joins_is_recorded_and_a_service_that_comes_back_goes_on(
        service: Service, recorded: Callable[[float, int], None]) -> None:
    recorded(0, 0)
    recorded(1, 5)
    ring = Ring(service.jobs.one("numbers").run.folder / "history" / "1.ring", 1)
    known = ring.series()
    before = service.jobs.recorder
    service.jobs.recorder = Recorder(service.jobs.all, before._clock, before._wall)
    recorded(2, 10)
    recorded(3, 15)
    assert ring.series() == known
    service.engine.named().counting = lambda: {"resources": {"joined": {"pid": 1}}}
    recorded(4, 20)
    assert ring.series() == [*known, "resource/joined/cpu", "resource/joined/memory"]
    times, values = ring.read(["job/in", "resource/joined/cpu"], 0, int(AT * 1000) + 9000)
    assert [at // 1000 - int(AT) for at in times] == [1, 3, 4]
    assert values == {"job/in": [5] * 3, "resource/joined/cpu": [None] * 3}


def test_nothing_is_recorded_of_jobs_that_do_not_run_or_of_a_disk_that_is_full(
        service: Service, recorded: Callable[[float, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    job = service.jobs.one("numbers")
    recorded(0, 0)

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")
    with monkeypatch.context() as patched:
        patched.setattr(Ring, "write", full)
        recorded(1, 5)
    assert service.jobs.recorder.values(job)["job/in"] == 5
    service.engine.become("done")
    service.until("numbers", "done")
    service.jobs.recorder.look()
    assert service.jobs.recorder.values(job) == {}
    assert history.read(job, 1, [], 0, 10**15) == ([], {})


def test_events_say_who_asked_and_what_became_of_it(service: Service) -> None:
    service.submit()
    service.ask("POST", "/jobs/numbers/stop", role="operate")
    service.until("numbers", "stopped")
    service.ask("POST", "/jobs/numbers/start", {"from_start": True}, role="operate")
    service.until("numbers", "running")
    service.engine.become("failed", rule="job", message="no more")
    service.until("numbers", "failed")
    service.ask("DELETE", "/jobs/numbers")
    found = service.ask("GET", "/events", role="view").json()
    told = [(line["what"], line["who"], line["level"]) for line in found["lines"] if line["what"] != "draining"]
    assert told == [("start", "admin2", "info"), ("running", "", "info"), ("stop", "operate1", "info"), ("stopped", "", "info"),
                    ("start", "operate1", "info"), ("running", "", "info"), ("failed", "", "error"), ("remove", "admin2", "info")]
    assert found["lines"][0]["text"] == "submitted"
    assert "from the beginning" in found["lines"][-4]["text"]
    assert service.ask("GET", f"/events?after={found['next']}").json()["lines"] == []


def test_rates_of_a_job_that_is_not_heard_any_more_are_not_told_for_ever(
        service: Service, recorded: Callable[[float, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    job = service.jobs.one("numbers")
    recorded(0, 0)
    recorded(1, 5)

    def busy(identifier: str) -> Any:
        raise StartError("engine_call", "it did not answer")
    with monkeypatch.context() as patched:
        patched.setattr(service.engine, "status", busy)
        recorded(2, 9)
        assert service.jobs.recorder.values(job)["job/in"] == 5
        recorded(2 + history.KNOWN_S, 9)
        assert service.jobs.recorder.values(job) == {}
    recorded(11, 25)
    assert service.jobs.recorder.values(job)["job/in"] == 2


def test_two_looks_of_one_moment_are_one(service: Service, recorded: Callable[[float, int], None]) -> None:
    recorded(0, 0)
    recorded(1, 5)
    recorded(1.001, 6)
    recorded(2, 11)
    assert service.jobs.recorder.values(service.jobs.one("numbers"))["job/in"] == 6


def test_of_a_large_graph_the_first_series_are_kept_and_all_are_told(
        service: Service, recorded: Callable[[float, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_SERIES", 3)
    for second in range(12):
        recorded(second, second * 5)
    job = service.jobs.one("numbers")
    assert len(service.jobs.recorder.values(job)) > 3
    for step_s in (1, 10):
        assert Ring(job.run.folder / f"history/{step_s}.ring", step_s).series() == ["job/in", "job/out", "job/errors"]


@pytest.mark.parametrize("known", [1, 2, 3])
def test_rows_stay_when_a_series_is_added_and_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                 known: int) -> None:
    monkeypatch.setattr(history, "_BLOCK_BYTES", 1)
    ring = Ring(tmp_path / "60.ring", 60)
    before = ["a", "b", "c"][:known]
    for number in (1, 2, history.STEPS[60] - 1):
        ring.write(before, number * 60_000, dict.fromkeys(before, float(number)))
    after = [*before, "new", "newer"]
    ring.write(after, 180_000, dict.fromkeys(after, 3.0))
    times, values = ring.read(after, 0, history.STEPS[60] * 60_000)
    assert times == [60_000, 120_000, 180_000, (history.STEPS[60] - 1) * 60_000]
    assert values == {**{name: [1.0, 2.0, 3.0, history.STEPS[60] - 1.0] for name in before},
                      **{name: [None, None, 3.0, None] for name in ("new", "newer")}}
    assert [path.name for path in tmp_path.iterdir()] == ["60.ring"]


def test_a_ring_that_cannot_be_made_larger_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring(tmp_path / "1.ring", 1)
    ring.write(["a"], 1000, {"a": 1.0})

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            ring.write(["a", "b"], 2000, {"b": 2.0})
    assert ring.read(["a"], 0, 9000) == ([1000], {"a": [1.0]})
