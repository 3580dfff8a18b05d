"""What the time from a command to its first packet went to, in words."""

from __future__ import annotations

from collections.abc import Mapping

STEPS = {
    "jvm_ms": "Python: the command and its modules, until Java starts",
    "asked_ms": "Java: its start, its classes, the connection to it",
    "planned_ms": "the plan: types of expressions, checks",
    "compiled_ms": "code of expressions for the processes of the deployment",
    "joined_ms": "the resources: their start, or the wait for them",
    "ready_ms": "the tasks: code of expressions, channels",
    "opened_ms": "the operators open: files, servers, state",
    "first_packet_ms": "the first packet, from a source to a sink",
}
"""By the report's word, in the order in which they are reached: what the time before it went to."""


def lines(timing: Mapping[str, int]) -> list[str]:
    """A line for the whole, and one for each step; none if nothing is known.

    What goes on at the same time as another step has only the time by which it took longer.

    :param timing: of a report: milliseconds since the command began
    """
    if not timing:
        return []
    reached = sorted((timing[word], place, word) for place, word in enumerate(STEPS) if word in timing)
    whole = (f"{_seconds(timing['first_packet_ms'])} to the first packet" if "first_packet_ms" in timing
             else "no packet has come to a sink")
    found, before = [f"start: {whole}"], 0
    for at, _, word in reached:
        found.append(f"  {_seconds(at - before)}  {STEPS[word]}")
        before = at
    return found


def _seconds(millis: int) -> str:
    return f"{millis / 1000:.2f} s"
