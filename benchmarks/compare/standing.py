"""Who won: at each point Despina's row beside the best peer's, and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compare.catalogue import OURS, PEERS
from compare.works import CPU, LIVE_GROWTH, P50, P99, PER_S, RESIDENT_GROWTH, SLOW, Work, jobs, lower_is_better, relayed
from harness import Claim, Estimate, Metric, Point, Result, Table, bare, tables

FLAT_MB = 8
"""By so much memory may grow that is called flat: the engine's own tests allow it."""

KNOWN = {50: {"flink": 0.19, "hazelcast": 0.21, "storm": 0.059}, 1024: {"flink": 0.50, "hazelcast": 0.39, "storm": 0.26},
         10240: {"flink": 0.47, "hazelcast": 0.34, "storm": 0.24}}
"""Each peer's best relay by packet size, of the bare relay's, as measured by hand before there was a harness."""
KNOWN_LEAST = 0.75
"""Of that: a harness that shows a peer slower does it wrong."""


@dataclass(frozen=True)
class Standing:
    """One metric at one point.

    :ivar ratio: Despina's figure, of the best peer's
    :ivar won: ``yes``, ``no``, or ``within noise`` where the ratio's interval holds 1
    """

    point: Point
    metric: Metric
    ours: float
    rival: str
    theirs: float
    ratio: Estimate
    won: str


def of_engine(result: Result, *engines: str) -> list[str]:
    """The rows of these engines that do the same work as the others."""
    rows = {repeat.subject: repeat.raw["row"] for repeat in result.repeats if not repeat.failed}
    return [name for name in result.subjects if name in rows and rows[name]["engine"] in engines and rows[name]["comparable"]]


def ours(result: Result) -> str:
    """Despina's row; empty if there is none."""
    return next(iter(of_engine(result, OURS)), "")


def best(result: Result, metric: str, point: Point, engines: Sequence[str] = PEERS) -> str | None:
    """The row of these engines with the best median; None where none was measured."""
    found = {name: value for name in of_engine(result, *engines) if (value := result.median(metric, name, point)) is not None}
    if not found:
        return None
    return (min if lower_is_better(metric) else max)(found, key=lambda name: found[name])


def of_best(metric: str, point: Point, engines: Sequence[str] = PEERS) -> Callable[[Result], Estimate | None]:
    """Despina's figure, of the best of these engines' rows."""
    def found(result: Result) -> Estimate | None:
        rival = best(result, metric, point, engines)
        return result.ratio(metric, ours(result), rival, point) if rival else None
    return found


def standings(work: Work, result: Result) -> list[Standing]:
    """All points at which both were measured, by each metric that the work is judged by."""
    found = []
    for point in result.points():
        for metric in work.judged:
            rival, ratio = best(result, metric.name, point), of_best(metric.name, point)(result)
            if rival is not None and ratio is not None:
                mine, theirs = (result.median(metric.name, name, point) or 0.0 for name in (ours(result), rival))
                won = _bound("", of_best(metric.name, point), metric.name, 1)
                found.append(Standing(point, metric, mine, rival, theirs, ratio, tables.verdict(won, ratio)))
    return found


def _bound(text: str, found: Callable[[Result], Estimate | float | None], metric: str, bound: float) -> Claim:
    if lower_is_better(metric):
        return Claim(text, found, at_most=bound)
    return Claim(text, found, at_least=bound)


def table(found: Sequence[Standing]) -> Table:
    """A row per standing; what is not won in bold."""
    rows = [[tables.where(one.point) or "all", one.metric.label, tables.number(one.ours), one.rival, tables.number(one.theirs),
             tables.estimate(one.ratio), one.won if one.won == "yes" else f"**{one.won}**"] for one in found]
    return Table(["at", "figure", "Despina", "best peer", "its", "Despina's, of the best peer's", "won"], rows)


def _cheapest(result: Result) -> float | None:
    """Where processor time per packet compares worst with the cheapest peer's."""
    found = [ratio.value for point in result.points() if (ratio := of_best(CPU.name, point)(result)) is not None]
    return max(found, default=None)


def _of_ceiling(engine: str, point: Point) -> Callable[[Result], Estimate | None]:
    """The best row of an engine, of the bare relay's."""
    def found(result: Result) -> Estimate | None:
        row = best(result, PER_S.name, point, [engine])
        return result.ratio(PER_S.name, row, bare.RELAY, point) if row else None
    return found


def _growth(metric: Metric) -> Callable[[Result], Estimate | None]:
    return lambda result: result.estimate(metric.name, ours(result), SLOW)


def claims(work: Work) -> list[Claim]:
    """What must hold of a work."""
    def against(text: str, metric: Metric, point: Point, engines: Sequence[str], bound: float) -> Claim:
        return _bound(text, of_best(metric.name, point, engines), metric.name, bound)

    made = {
        "relay": [against("50 B: throughput, of the best peer's", PER_S, relayed(50), PEERS, 2.5),
                  against("50 B: throughput, of the best Storm row's", PER_S, relayed(50), ["storm"], 8),
                  *(claim for size in (1024, 10240) for claim in (
                      against(f"{size:,} B: throughput, of the best peer's", PER_S, relayed(size), PEERS, 1),
                      against(f"{size:,} B: throughput, of the bare relay's", PER_S, relayed(size), [bare.RELAY], 0.9))),
                  *(Claim(f"{size:,} B: {engine}'s best row, of the bare relay's ({share:g} measured by hand)",
                          _of_ceiling(engine, relayed(size)), at_least=round(KNOWN_LEAST * share, 3))
                    for size, shares in KNOWN.items() for engine, share in shares.items())],
        "rates": [against(f"20,000/s of 50 B: {metric.label}, of the best peer's", metric, relayed(50, 20_000), PEERS, 0.5)
                  for metric in (P50, P99)],
        "manufacturing": [against("32 jobs: throughput, of the best Storm row's", PER_S, jobs(32), ["storm"], 8)],
        "slow_sink": [Claim(metric.label, _growth(metric), at_most=FLAT_MB) for metric in (LIVE_GROWTH, RESIDENT_GROWTH)],
    }.get(work.name, [])
    if CPU in work.metrics:
        made.append(Claim("CPU-seconds per million, of the cheapest peer's, at the worst point", _cheapest, at_most=1))
    return made
