"""HiBench's fixed window, the query that UPM-CEP (seed 003) measured."""

from __future__ import annotations

from collections.abc import Callable

from harness import engine, graphs, java
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Published, Run, Subject

GROUPS = (100, 10_000, 1_000_000)
NUMBER, TEXT = "address as a number", "address as text"
ADDRESSES = {
    NUMBER: "CAST(pmod(id * 2654435761, {groups}) AS INT)",
    TEXT: "concat('10.', CAST(pmod(id * 2654435761, {groups}) AS STRING))",
}


def _subject(address: str) -> Callable[[Run], Measured]:
    def window(run: Run) -> Measured:
        parameters = {"ip": address.format(groups=run.point["groups"])}
        report = engine.timed(run, graphs.GRAPHS / "fixed_window.graph.json", parameters=parameters)
        return engine.measured(report, "per_ip")
    return window


def _point(groups: int) -> Point:
    return {"groups": groups}


def _claim(address: str, groups: int) -> Claim:
    return Claim(f"{groups:,} groups, {address}: events/s", lambda result: result.estimate("per_s", address, _point(groups)),
                 at_least=8e6)


EXPERIMENT = Experiment(
    name="fixed_window",
    doc="""Connections per IP address in windows of 30 s of event time: first and last time stamp and their number. The source
    makes a million connections per second of event time in a task of its own; so a window has 30 million, and fires all its
    groups at once. Addresses as the number that an IPv4 address is, and as text (where the source's making of strings is most
    of the work).""",
    subjects=tuple(Subject(name, _subject(address)) for name, address in ADDRESSES.items()),
    metrics=(engine.PER_S, engine.CPU),
    baseline=TEXT,
    full=Plan([_point(groups) for groups in GROUPS], seconds=6),
    quick=Plan([_point(10_000)], repeats=1, warm_up_s=4, seconds=4),
    published=(Published("003 UPM-CEP, Fig 13", "0.67 M events/s on one NUMA node (12 cores), placed by distance", 0.67e6,
                         "events/s", lambda result: result.median("per_s", NUMBER, _point(10_000))),),
    claims=tuple(_claim(address, groups) for address in ADDRESSES for groups in GROUPS),
    needs=(java.java_needed,),
    remarks="""With a million addresses 55 % of all samples (`jdk.ExecutionSample`) are of one load, the one that first touches a
    key's slot in a table of 8 MB; no other line takes more than 2 %. That limit is the memory's: addresses come in no order, and
    each look-up waits for the one before it.""",
)
