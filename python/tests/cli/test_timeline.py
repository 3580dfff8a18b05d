"""``despina run --timing``: the start in words."""

from __future__ import annotations

from despina.cli import timeline


def test_each_step_has_the_time_since_the_one_before() -> None:
    found = timeline.lines({"jvm_ms": 100, "asked_ms": 500, "planned_ms": 620, "joined_ms": 620, "ready_ms": 700,
                            "opened_ms": 710, "first_packet_ms": 760})
    assert found[0] == "start: 0.76 s to the first packet"
    assert [line.split()[0] for line in found[1:]] == ["0.10", "0.40", "0.12", "0.00", "0.08", "0.01", "0.05"]


def test_what_went_on_at_the_same_time_is_told_in_the_order_in_which_it_was_done() -> None:
    found = timeline.lines({"asked_ms": 0, "planned_ms": 300, "compiled_ms": 900, "joined_ms": 800, "ready_ms": 950})
    assert found[0] == "start: no packet has come to a sink"
    assert [(line.split()[0], line.split("  ")[2].partition(":")[0]) for line in found[3:]] == [
        ("0.50", "the resources"), ("0.10", "code of expressions for the processes of the deployment"), ("0.05", "the tasks")]


def test_of_a_job_that_was_restarted_nothing_is_told() -> None:
    assert timeline.lines({}) == []
