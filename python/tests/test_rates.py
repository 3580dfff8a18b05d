import pytest

from despina.job import Status
from despina.rates import Rates


def at(seconds: float, packets: int, queued: int = 0, **operator: list[int]) -> Status:
    return Status("running", seconds, operators={"a": {"packets_in": packets, "packets_out": 2 * packets, **operator}},
                  links={"a->b": {"packets": packets, "bytes": 50 * packets, "queued_bytes": 3 * queued, "capacity_bytes": 300,
                                  "fill": queued / 100, "paused": queued > 50}})


def test_a_rate_is_the_difference_of_two_statuses() -> None:
    rates = Rates()
    rates.add(at(1.0, 100))
    assert rates.operators()[0].in_per_s == 0
    rates.add(at(1.5, 600))
    assert (rates.operators()[0].in_per_s, rates.operators()[0].out_per_s) == (1000, 2000)
    assert rates.operators()[0].busiest_per_s == 2000


def test_only_the_last_second_counts() -> None:
    rates = Rates()
    for tick in range(40):
        rates.add(at(tick / 10, 100 * tick if tick < 20 else 2000 + 10 * (tick - 20)))
    assert rates.operators()[0].in_per_s == pytest.approx(100)


def test_a_status_of_the_same_moment_replaces_the_last() -> None:
    rates = Rates()
    rates.add(at(1.0, 100))
    rates.add(at(2.0, 200))
    rates.add(at(2.0, 300))
    assert rates.operators()[0].in_per_s == 200


def test_links_show_bytes_fill_and_pause() -> None:
    rates = Rates()
    rates.add(at(1.0, 0))
    rates.add(at(2.0, 10, queued=75))
    link = rates.links()[0]
    assert (link.packets_per_s, link.bytes_per_s, link.fill, link.paused) == (10, 500, 0.75, True)


def test_the_busiest_task_and_the_one_that_waits_most_are_told() -> None:
    rates = Rates()
    rates.add(at(1.0, 0, busy_ms=[100, 900], paused_ms=[0, 0]))
    rates.add(at(2.0, 0, busy_ms=[850, 1000], paused_ms=[20, 4000]))
    assert (rates.operators()[0].busy, rates.operators()[0].paused) == (0.75, 1.0)
    rates.add(at(3.0, 0, busy_ms=[850, 1000, 0], paused_ms=[20, 4000, 0]))
    assert rates.operators()[0].busy == 0, "of a task that has begun nothing is known"


def test_nothing_seen_is_nothing_shown() -> None:
    assert Rates().operators() == []
    assert Rates().links() == []
