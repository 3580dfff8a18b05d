"""What the benchmarks read from ``/proc`` and ``ss``, and counts over time."""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import series
from harness.load import Load, Process, Watch, own, processes
from harness.sampling import Sockets, parse_sockets, usage

STAT = "4711 (a b) c (d) S 77 1 1 0 -1 4194560 1 2 3 4 500 60 7 8 20 0 30 0 123456 1 1 1 1 1 1 1 1 1 1 1 1 1 17 1 0 0 0 0 0"
SS = """ESTAB 1448   0   127.0.0.1:4000 127.0.0.1:5000 users:(("java",pid=11,fd=9))
\t skmem:(r2304,rb1048576,t0,tb1048576,f1792,w0,o0,bl64,d0)
ESTAB 0      500 127.0.0.1:5000 127.0.0.1:4000 users:(("java",pid=12,fd=8),("java",pid=11,fd=3))
\t skmem:(r0,rb1048576,t0,tb1048576,f0,w700,o0,bl0,d0)
ESTAB 9      9   127.0.0.1:22   127.0.0.1:23 users:(("sshd",pid=99,fd=8))
\t skmem:(r9,rb1,t0,tb1,f9,w9,o0,bl9,d0)
TIME-WAIT 0 0 127.0.0.1:1 127.0.0.1:2
"""


FAMILY = [Process(pid, parent, 0, 0, 0) for pid, parent in ((1, 0), (5, 1), (9, 5), (12, 9), (6, 1))]
MUCH = 10**6


def moments() -> st.SearchStrategy[list[list[float]]]:
    steps = st.lists(st.tuples(st.floats(0.01, 10), st.floats(0, 1e6)), min_size=2, max_size=20)
    return steps.map(lambda found: [list(pair) for pair in zip(*(itertools.accumulate(each) for each in zip(*found, strict=True)),
                                                                strict=True)])


@given(moments())
def test_the_count_at_a_known_moment_is_the_one_told(known: list[list[float]]) -> None:
    assert all(series.at(known, t) == pytest.approx(count) for t, count in known)


@given(moments(), st.floats(0, 1), st.floats(0, 1))
def test_rates_of_parts_add_up(known: list[list[float]], a: float, b: float) -> None:
    first, last = known[0][0], known[-1][0]
    low, high = sorted((first + a * (last - first), first + b * (last - first)))
    parts = sum(series.rate(known, x, y) * (y - x) for x, y in itertools.pairwise((first, low, high, last)) if y > x)
    assert parts == pytest.approx(known[-1][1] - known[0][1], rel=1e-6, abs=1e-3)


@given(st.floats(0.1, 1e6), st.floats(0.5, 3), st.floats(0.1, 1))
def test_windows_of_a_steady_count_all_have_its_rate(rate: float, window_s: float, step_s: float) -> None:
    steady = [[t / 2, rate * t / 2] for t in range(20)]
    found = series.rates(steady, window_s, step_s)
    assert len(found) > 5
    assert [per_s for _, per_s in found] == pytest.approx([rate] * len(found))


def test_a_process_is_read_whatever_its_name_holds() -> None:
    assert Process.parse(STAT) == Process(4711, 77, 123456, 500 + 60, 7 + 8)


def test_own_are_a_process_and_all_that_came_of_it() -> None:
    assert [process.pid for process in own(FAMILY, {5})] == [5, 9, 12]


def others(monkeypatch: pytest.MonkeyPatch, *looks: list[Process]) -> float:
    """The share of others, of process 9, that saw these, one after the other."""
    left, seen = list(looks), threading.Event()

    def look() -> list[Process]:
        if len(left) > 1:
            return left.pop(0)
        seen.set()
        return left[0]

    monkeypatch.setattr("harness.load.processes", look)
    monkeypatch.setattr("os.getpid", lambda: 9)
    with Watch(0.001) as watch:
        assert seen.wait(10)
    monkeypatch.undo()
    return watch.load.others


def test_what_ancestors_waited_for_is_nobody_s_work(monkeypatch: pytest.MonkeyPatch) -> None:
    reaped = [replace(process, waited_for=MUCH if process.pid in (1, 5) else 0) for process in FAMILY]
    assert others(monkeypatch, FAMILY, reaped) == 0
    assert others(monkeypatch, FAMILY, [replace(process, waited_for=MUCH if process.pid == 6 else 0) for process in FAMILY]) > 1


def test_work_of_others_counts_also_when_they_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    worked = [replace(process, ticks=MUCH if process.pid == 6 else 0) for process in FAMILY]
    assert others(monkeypatch, FAMILY, worked) > 1
    assert others(monkeypatch, FAMILY, worked, FAMILY[:-1]) > 1
    shell, child = Process(20, 1, 0, 0, 0), Process(21, 20, 0, MUCH, 0)
    assert others(monkeypatch, FAMILY, [*FAMILY, shell, child], FAMILY) > 1         # both gone within one look
    assert others(monkeypatch, FAMILY, [replace(process, ticks=MUCH if process.pid == 12 else 0) for process in FAMILY]) == 0


@pytest.mark.parametrize(("load", "says"), [(Load(0, 0), ""), (Load(0.01, 0.02), ""), (Load(0.1, 0), "10% .* stolen"),
                                            (Load(0, 0.5), "other processes took 50%")])
def test_a_disturbed_repeat_says_why(load: Load, says: str) -> None:
    assert bool(load.disturbed) == bool(says)
    assert re.search(says, load.disturbed)


def test_ones_own_work_does_not_disturb() -> None:
    ended = threading.Event()
    with Watch(0.01) as watch:
        worker = threading.Thread(target=lambda: ended.wait() or None)
        worker.start()
        deadline = time.process_time() + 0.2
        while time.process_time() < deadline:
            pass
        mine = next(process for process in processes() if process.pid == os.getpid())
        ended.set()
        worker.join()
    assert mine.ticks > 0
    assert watch.load.others < 1


def test_what_lies_between_two_processes_is_counted_at_both_ends() -> None:
    said = """ESTAB 700 0 127.0.0.1:5001 127.0.0.1:40001 users:(("java",pid=11,fd=7)) skmem:(r700,rb9,t0,tb9,f0,w0,o0,bl0,d0)
ESTAB 0 300 127.0.0.1:40001 127.0.0.1:5001 users:(("java",pid=12,fd=8)) skmem:(r0,rb9,t0,tb9,f0,w300,o0,bl0,d0)
ESTAB 50 0 127.0.0.1:5001 127.0.0.1:40002 users:(("java",pid=11,fd=9)) skmem:(r50,rb9,t0,tb9,f0,w0,o0,bl0,d0)
ESTAB 0 5 127.0.0.1:40003 127.0.0.1:6000 users:(("java",pid=11,fd=9)) skmem:(r0,rb9,t0,tb9,f0,w5,o0,bl0,d0)
ESTAB 7 0 127.0.0.1:6000 127.0.0.1:40003 users:(("java",pid=13,fd=9)) skmem:(r7,rb9,t0,tb9,f0,w0,o0,bl0,d0)
"""
    assert parse_sockets(said, [11, 12], 7.0).between == {frozenset({11, 12}): 1000, frozenset({11}): 55}
    assert parse_sockets(said, [11, 12, 13], 7.0).between == {frozenset({11, 12}): 1000, frozenset({11}): 50,
                                                              frozenset({11, 13}): 12}


def test_sockets_are_those_of_the_processes_asked_for() -> None:
    assert parse_sockets(SS, [11], 7.0) == Sockets(7.0, 0, 2304 + 1792 + 64 + 700)
    assert parse_sockets(SS, [12], 7.0) == Sockets(7.0, 0, 700)
    assert parse_sockets(SS, [13], 7.0) == Sockets(7.0, 0, 0)
    assert parse_sockets("", [11], 7.0) == Sockets(7.0, 0, 0)
    assert parse_sockets(SS.replace("f1792", "f4294966272"), [11], 7.0) == Sockets(7.0, 0, 2304 - 1024 + 64 + 700)


def test_usage_of_this_process() -> None:
    found = usage([os.getpid()])
    assert found.resident_bytes > 1 << 20
    assert found.cpu_s > 0
    assert found.threads >= 1
    assert usage([]).resident_bytes == 0
