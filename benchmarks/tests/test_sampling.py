"""What the comparison sees of processes, and the figures it makes of that, on made-up output."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import sampling
from harness.experiment import Point
from harness.processes import Processes, RunError
from peers import probe
from peers.contract import Trial, Variant

SS = """\
ESTAB 0 0 127.0.0.1:5701 127.0.0.1:40000 users:(("java",pid=11,fd=9)) \
skmem:(r100,rb131072,t20,tb2626560,f5,w20,o0,bl0,d0) cubic bytes_sent:1000 bytes_acked:900 bytes_received:5 segs_out:3
ESTAB 0 0 127.0.0.1:40000 127.0.0.1:5701 users:(("java",pid=12,fd=7)) \
skmem:(r1,rb131072,t2,tb2626560,f1,w2,o0,bl0,d0) cubic bytes_sent:30 bytes_received:900
ESTAB 0 0 127.0.0.1:22 127.0.0.1:9 users:(("sshd",pid=99,fd=3)) skmem:(r7,rb1,t7,tb1) cubic bytes_sent:555
"""
TOLD = {"pid": 11, "begin_ns": 1_000_000_000, "end_ns": 3_000_000_000, "count": 4_000_000, "total": 9_000_000,
        "per_second": [2_000_000, 2_000_000], "reordered": 3, "missing": 1, "damaged": 0,
        "latency_ms": {"count": 10, "p50": 0.5, "p95": 0.8, "p99": 1.5, "p999": 2.0, "max": 9.0}}
COSTS = sampling.Costs(2.0, 2.0, {11: 1.0, 12: 0.5}, 416_000_000, 2.0, [10_000_000, 20_000_000])


def trial(folder: Path, point: Point, work: str = "rates") -> Trial:
    return Trial(work, point, Variant("default"), folder, Processes(folder / "running", folder), 0.0, 1.0)


def test_sockets_of_our_processes_are_added_up_and_no_others() -> None:
    assert sampling.parse_sockets(SS, [11, 12], 7.0) == sampling.Sockets(7.0, 1030, 129)
    assert sampling.parse_sockets(SS, [12], 7.0) == sampling.Sockets(7.0, 30, 4)
    assert sampling.parse_sockets(SS.replace(",f5,", ",f4294967290,"), [11, 12], 7.0) == sampling.Sockets(7.0, 1030, 118)
    assert sampling.parse_sockets(SS.replace("bl0", "bl50"), [12], 7.0) == sampling.Sockets(7.0, 30, 54)
    assert sampling.parse_sockets("", [11], 7.0) == sampling.Sockets(7.0, 0, 0)


def test_bytes_are_divided_by_the_time_between_the_lists_that_they_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def listed(pids: Iterable[int]) -> sampling.Sockets:
        if threading.current_thread() is threading.main_thread():
            return sampling.Sockets(9.5, 9000, 1)
        begun.wait()        # a list may take long: what is watched has begun meanwhile
        return sampling.Sockets(5.0, 5000, 1)

    monkeypatch.setattr(sampling, "sockets", listed)
    watch = sampling.Watch([os.getpid()], 4.0, 60)
    begun.set()
    costs = watch.end()
    assert (costs.wire_bytes, costs.wire_s) == (4000, 4.5)


def test_what_was_watched_for_a_part_of_the_window_gives_no_figures_of_costs(tmp_path: Path) -> None:
    shortly = replace(COSTS, asked_s=2.3)
    assert shortly.cores is None
    assert shortly.sent_per_s is None
    assert replace(COSTS, wire_s=1.7).sent_per_s is None
    assert replace(COSTS, wire_s=2.3).sent_per_s is None
    assert replace(COSTS, wire_s=1.9).sent_per_s == pytest.approx(416_000_000 / 1.9)
    found = probe.measured(trial(tmp_path, {"packet_bytes": 50}), TOLD, shortly, {})
    assert found.values["per_s"] == 2_000_000
    assert not {"cpu_s_per_million", "mbit_per_s", "wire_bytes_per_packet"} & found.values.keys()
    assert found.raw["costs"]["asked_s"] == 2.3


def test_a_process_that_ended_meanwhile_took_what_it_was_seen_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = threading.Event()
    of_watcher = iter([{7: 5.0, 8: 1.0}, {8: 4.0}])

    def spent(pids: Iterable[int]) -> dict[int, float]:
        if threading.current_thread() is threading.main_thread():
            return next(of_watcher)
        seen.set()
        return {7: 6.5, 8: 2.0}

    monkeypatch.setattr(sampling, "cpu_seconds", spent)
    monkeypatch.setattr(sampling, "sockets", lambda pids: sampling.Sockets(1.0, 10, 1))
    watch = sampling.Watch([7, 8], 1.0, 0.001)
    assert seen.wait(10)
    costs = watch.end()
    assert costs.cpu_s == {7: 1.5, 8: 3.0}
    assert costs.wire_bytes is None


def test_each_sample_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = threading.Semaphore(0)

    def sockets(pids: Iterable[int]) -> sampling.Sockets:
        listed.release()
        return sampling.Sockets(time.monotonic(), 10, 1)

    monkeypatch.setattr(sampling, "sockets", sockets)
    watch = sampling.Watch([os.getpid()], 1.0, 0.001)
    for _ in range(4):      # the first is of before
        assert listed.acquire(timeout=10)
    costs = watch.end()
    assert len(costs.resident_s) == len(costs.resident_bytes) >= 2
    assert len(costs.socket_memory_s) == len(costs.socket_memory_bytes) >= 2
    assert costs.resident_s == sorted(costs.resident_s)
    assert all(0 < at <= later for at, later in zip(costs.resident_s, costs.socket_memory_s, strict=False))
    assert probe.raw_costs(costs, {})["resident_s"] == costs.resident_s


def test_flags_are_told_without_the_machine_s_folders() -> None:
    words = ["java", "-Xmx2g", "-XX:SharedArchiveFile=/home/me/.cache/classes.jsa", "-cp", "/a/b.jar", "-XX:+UseParallelGC"]
    assert sampling.jvm_flags(words) == ["-Xmx2g", "-XX:SharedArchiveFile=classes.jsa", "-XX:+UseParallelGC"]


def test_figures_of_what_a_meter_told_and_the_kernel_counted(tmp_path: Path) -> None:
    asked = trial(tmp_path, {"packet_bytes": 50, "rate_per_s": 4_000_000})
    found = probe.measured(asked, TOLD, COSTS, {11: ["sink", "source"], 12: ["relay"]})
    assert found.values == pytest.approx({
        "per_s": 2_000_000, "cpu_s_per_million": 0.375, "mbit_per_s": 1664, "wire_bytes_per_packet": 104, "resident_mb": 20,
        "p50_ms": 0.5, "p95_ms": 0.8, "p99_ms": 1.5, "p999_ms": 2.0, "max_ms": 9.0, "reordered": 3, "missing": 1,
        "share_of_rate": 0.5})
    assert found.raw["costs"]["cpu_s"] == {"sink+source": 1.0, "relay": 0.5}


@pytest.mark.parametrize(("told", "reason"), [({**TOLD, "damaged": 2}, "damaged"),
                                              ({**TOLD, "doubled": 1}, "came twice"), ({**TOLD, "count": 0}, "no packet")])
def test_output_that_is_wrong_gives_no_figure(tmp_path: Path, told: dict[str, Any], reason: str) -> None:
    with pytest.raises(RunError, match=reason):
        probe.measured(trial(tmp_path, {"packet_bytes": 50}), told, COSTS, {})


def test_a_relay_that_leaves_out_a_hop_gives_no_figure(tmp_path: Path) -> None:
    near = replace(COSTS, wire_bytes=216_000_000)
    with pytest.raises(RunError, match="54 bytes on the wire per packet; over two hops it would be 75 at least"):
        probe.measured(trial(tmp_path, {"packet_bytes": 50}, "relay"), TOLD, near, {})
    by_files = replace(trial(tmp_path, {"packet_bytes": 50}, "relay"), variant=Variant("micro-batch", over_tcp=False))
    assert probe.measured(by_files, TOLD, near, {}).values["per_s"] == 2_000_000


def test_processes_announce_their_roles_by_files(tmp_path: Path) -> None:
    for name in ("source.11.pid", "sink.11.pid", "relay.12.pid", "nimbus.pid", "window"):
        (tmp_path / name).touch()
    assert probe.operator_pids(tmp_path) == {12: ["relay"], 11: ["sink", "source"]}


def test_a_job_that_fails_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "failed").write_text("no class Xyz")
    with pytest.raises(RunError, match="no class Xyz"):
        probe.wait_for_file(trial(tmp_path, {}), "never")


def test_settings_reach_java_in_the_order_point_variant_rest(tmp_path: Path) -> None:
    asked = Trial("relay", {"packet_bytes": 50, "a": 1}, Variant("tuned", {"a": 2, "b": 3}), tmp_path,
                  Processes(tmp_path / "running", tmp_path), 0, 0)
    file = asked.write_settings({"b": 4})
    assert file.read_text().splitlines() == ["work=relay", "packet_bytes=50", "a=2", "b=4"]


def test_what_an_engine_is_configured_with_is_kept_but_for_paths(tmp_path: Path) -> None:
    made = trial(tmp_path, {})
    made.keep_configuration({"master": "local[2]", "seeds": ["127.0.0.1"], "flags": "-Xmx2g -Dlog=/var/x", "dir": str(tmp_path),
                             "modules": "--add-opens=java.base/sun.nio=ALL"})
    assert made.configuration == {"master": "local[2]", "seeds": ["127.0.0.1"], "modules": "--add-opens=java.base/sun.nio=ALL"}


def test_a_run_whose_sockets_were_gone_at_the_last_look_says_so(tmp_path: Path) -> None:
    gone = replace(COSTS, wire_bytes=-1_000_000)
    with pytest.raises(RunError, match="closed its connections before its sockets were listed"):
        probe.measured(trial(tmp_path, {"packet_bytes": 50}, "relay"), TOLD, gone, {})
