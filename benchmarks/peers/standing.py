"""Who won: at each point Despina's row beside the best peer's, and what must hold."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from harness import bare, stats, tables
from harness.experiment import Claim, Metric, Point
from harness.result import Repeat, Result, ratio_of
from harness.stats import Estimate
from harness.tables import Table
from peers.nexmark.events import GENERATOR, MADE
from peers.roster import OURS, PEERS
from peers.tuning import TUNED
from peers.works import (
    CPU,
    KEPT_UP,
    LIVE_GROWTH,
    P50,
    P95,
    P99,
    P999,
    PACED,
    PER_S,
    RELAY,
    RESIDENT_GROWTH,
    SLOW,
    Work,
    lower_is_better,
    relayed,
    where,
)

FLAT_MB = 8
"""By so much memory may grow that is called flat: the engine's own tests allow it."""

KNOWN = {50: {"flink": 0.19, "hazelcast": 0.21, "storm": 0.059}, 1024: {"flink": 0.50, "hazelcast": 0.39, "storm": 0.26},
         10240: {"flink": 0.47, "hazelcast": 0.34, "storm": 0.24}}
"""Each peer's best relay by packet size, of the bare relay's, as measured by hand before there was a harness."""
KNOWN_MS = {P50: {"flink": 1.25, "hazelcast": 0.60, "storm": 1.46}, P99: {"flink": 3.05, "hazelcast": 2.63, "storm": 6.1}}
"""Each peer's best latency at 20,000/s of 50 bytes, as measured by hand."""
HAND_OFF_MS = {P50: 0.14, P99: 1.41}
"""The bare relay's with a hand-off at the same rate on a machine of the same kind while it was quiet, as the experiment
``latency`` has it: none was measured by hand, and without one milliseconds of two machines cannot be compared."""
HAND_OFF = f"{bare.RELAY} hand-off"
CEILINGS = {"bare relay": bare.RELAY, "unpaced bare relay": f"{bare.RELAY} unpaced"}
"""Rows of the bare relay, by what claims call them."""
TOLD = 0.03
"""CPU-seconds per million: less than that two runs of millions of events do not tell apart."""
KNOWN_LEAST = 0.75
"""Of that: a harness that shows a peer slower does it wrong."""
LONGEST_ROUND_S = 3600.0
"""All rows of a point have had their turn by then."""
LATENCY = frozenset(metric.name for metric in (P50, P95, P99, P999))


@dataclass(frozen=True)
class Standing:
    """One metric at one point.

    :ivar ratio: Despina's figure, of the best peer's
    :ivar won: ``yes`` or ``no``, with ``within noise`` where the ratio's interval holds 1
    """

    point: Point
    metric: Metric
    ours: float
    rival: str
    theirs: float
    ratio: Seen
    won: str

    @property
    def doubt(self) -> str:
        """Why that is not certain."""
        return self.ratio.doubt

    @property
    def is_won(self) -> bool:
        """Whether the figure itself is on Despina's side."""
        return self.won.startswith("yes")

    @property
    def is_plainly_won(self) -> bool:
        """Whether it is so beyond noise and doubt."""
        return self.won == "yes" and not self.doubt


@dataclass(frozen=True)
class Seen(Estimate):
    """A figure that knows what it stands on.

    :ivar rounds: that it is of
    :ivar disturbed: whether a run of it was disturbed, since there is no other
    :ivar late: whether Despina did not keep the rate at which it was measured
    :ivar apart: whether the two rows of a round ran so long after each other that the machine may have changed
    :ivar without: points that it should be of too, and that have no such figure
    """

    rounds: int = 0
    disturbed: bool = False
    late: bool = False
    apart: bool = False
    without: Sequence[str] = ()

    @property
    def doubt(self) -> str:
        """Why what it shows is not certain; empty if it is."""
        few = "" if self.rounds >= stats.FEWEST_ROUNDS else "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        none = f"none at {' and '.join(self.without)}" if self.without else ""
        words = ("disturbed" if self.disturbed else "", "rate not kept" if self.late else "", "hours apart" if self.apart else "")
        return ", ".join(filter(None, (few, *words, none)))


def of_engine(result: Result, *engines: str, untuned: bool = False) -> list[str]:
    """The rows of these engines that do the same work as the others.

    :param untuned: none with settings for this work
    """
    rows = {repeat.subject: repeat.raw["row"] for repeat in result.repeats if not repeat.failed}
    return [name for name in result.subjects if name in rows and rows[name]["engine"] in engines and rows[name]["comparable"]
            and not (untuned and rows[name]["variant"] == TUNED)]


def ours(result: Result) -> str:
    """Despina's row; empty if there is none."""
    return next(iter(of_engine(result, OURS)), "")


def late(result: Result, metric: str, row: str, point: Point) -> bool:
    """Whether a latency counts for nothing, since the row did not keep the rate at which it was measured."""
    share = result.median("share_of_rate", row, point) if metric in LATENCY else None
    return share is not None and share < KEPT_UP


def best(result: Result, metric: str, point: Point, engines: Sequence[str] = PEERS, *, untuned: bool = False) -> str | None:
    """The row of these engines with the best median; None where none was measured."""
    found = {name: value for name in of_engine(result, *engines, untuned=untuned)
             if (value := result.median(metric, name, point)) is not None and not late(result, metric, name, point)}
    if not found:
        return None
    return (min if lower_is_better(metric) else max)(found, key=lambda name: found[name])


def ratio(result: Result, metric: str, row: str, other: str, point: Point) -> Seen | None:
    """A row's figure, of another's; None where one of them was not measured.

    Of rounds that both have undisturbed; where there is none, of all that both have.
    """
    pairs = result.pairs(metric, row, other, point) or result.pairs(metric, row, other, point, disturbed=True)
    found = ratio_of(metric, pairs)
    if found is None:
        return None
    return Seen(found.value, found.low, found.high, len(pairs), any(each.disturbed for pair in pairs for each in pair),
                late(result, metric, row, point), any(map(_apart, pairs)))


def _apart(pair: tuple[Repeat, Repeat]) -> bool:
    """Whether one of them was made long after the other, as ``--resume`` may."""
    began = [datetime.fromisoformat(each.at) for each in pair if each.at]
    return len(began) == len(pair) and abs((began[0] - began[1]).total_seconds()) > LONGEST_ROUND_S


def of_best(metric: str, point: Point, engines: Sequence[str] = PEERS, *,
            untuned: bool = False) -> Callable[[Result], Seen | None]:
    """Despina's figure, of the best of these engines' rows."""
    def found(result: Result) -> Seen | None:
        rival = best(result, metric, point, engines, untuned=untuned)
        return ratio(result, metric, ours(result), rival, point) if rival else None
    return found


def standings(work: Work, result: Result) -> list[Standing]:
    """All points at which both were measured, by each metric that the work is judged by."""
    found = []
    for point in result.points():
        for metric in work.judged:
            rival, seen = best(result, metric.name, point), of_best(metric.name, point)(result)
            if rival is not None and seen is not None:
                mine, theirs = (result.median(metric.name, name, point) or 0.0 for name in (ours(result), rival))
                won = verdict(_bound("", of_best(metric.name, point), metric.name, 1), seen)
                found.append(Standing(point, metric, mine, rival, theirs, seen, won))
    return found


def verdict(claim: Claim, seen: Seen) -> str:
    """As the harness has it; and ``no`` for the latency of a rate that was not kept."""
    return "no" if seen.late else tables.verdict(claim, seen)


def doubted(word: str, doubt: str) -> str:
    """A verdict as tables show it: ``yes (1 round, disturbed)``."""
    return f"{word} ({doubt})" if doubt else word


def held(asked: Sequence[Claim], result: Result) -> Table:
    """As :func:`harness.tables.claims`; what was found in fewer than three rounds, or in disturbed ones, is no plain yes."""
    rows = []
    for claim in asked:
        seen = claim.found(result)
        *cells, word = tables.claims([replace(claim, found=partial(_known, seen))], result).rows[0]
        rows.append([*cells, doubted(verdict(claim, seen), seen.doubt) if isinstance(seen, Seen) else word])
    return Table(["claim", "asked", "found", "holds"], rows)


def _known(seen: Estimate | float | None, result: Result) -> Estimate | float | None:
    """What was found already: intervals take their time. The doubt says how few its rounds are, so the figure does not."""
    return Estimate(seen.value, seen.low, seen.high) if isinstance(seen, Seen) and seen.rounds < stats.FEWEST_ROUNDS else seen


def _bound(text: str, found: Callable[[Result], Seen | None], metric: str, bound: float) -> Claim:
    if lower_is_better(metric):
        return Claim(text, found, at_most=bound)
    return Claim(text, found, at_least=bound)


def table(found: Sequence[Standing]) -> Table:
    """A row per standing; what is not won in bold."""
    rows = [[where(one.point) or "all", one.metric.label, tables.number(one.ours), one.rival, tables.number(one.theirs),
             tables.estimate(one.ratio), doubted(one.won if one.is_won else f"**{one.won}**", one.doubt)] for one in found]
    return Table(["at", "figure", "Despina", "best peer", "its", "Despina's, of the best peer's", "won"], rows)


def _cheapest(result: Result) -> Seen | None:
    """Where processor time per packet compares worst with the cheapest peer's; as doubtful as the most doubtful point."""
    at = [(point, of_best(CPU.name, point)(result)) for point in result.points()]
    found = [seen for _, seen in at if seen is not None]
    worst = max(found, key=lambda seen: seen.value, default=None)
    if worst is None:
        return None
    highs = [seen.high for seen in found if seen.high is not None]
    # Another point's interval may reach higher than that of the point that looks worst.
    return replace(worst, high=max(highs, default=None), rounds=min(seen.rounds for seen in found),
                   late=any(seen.late for seen in found), disturbed=any(seen.disturbed for seen in found),
                   apart=any(seen.apart for seen in found), without=[where(point) for point, seen in at if seen is None])


def _of_storm(count: int) -> Callable[[Result], Seen | None]:
    """Despina's throughput with so many jobs, of the best Storm row's, whatever the length of their input."""
    def found(result: Result) -> Seen | None:
        point = result.only(jobs=count)
        return None if point is None else of_best(PER_S.name, point, ["storm"])(result)
    return found


def _of_ceiling(metric: Metric, engine: str, ceiling: str, point: Point) -> Callable[[Result], Seen | None]:
    """The best row of an engine, of a bare relay's."""
    def found(result: Result) -> Seen | None:
        row = best(result, metric.name, point, [engine])
        return ratio(result, metric.name, row, ceiling, point) if row else None
    return found


def _net_at(result: Result, point: Point, gen: Point) -> Seen | None:
    """Processor time of the cheapest Flink row without that for making the events, of Despina's; None where one is missing.

    :param gen: where events are made and no more; as many as it may be, since figures are per event
    """
    rows = [*((ours(result), at) for at in (point, gen)),
            *((best(result, CPU.name, at, ["flink"]) or "", at) for at in (point, gen))]
    mine, my_gen, theirs, their_gen = found = [result.median(CPU.name, row, at) for row, at in rows]
    if None in found:
        return None
    net, my_net = (theirs or 0) - (their_gen or 0), (mine or 0) - (my_gen or 0)
    return Seen(max(TOLD, net) / max(TOLD, my_net), rounds=min(len(result.kept(row, at)) for row, at in rows),
                disturbed=any(result.disturbed(row, at) for row, at in rows))


def _net(of: Callable[[Iterable[float]], float]) -> Callable[[Result], Seen | None]:
    """One figure of all queries over made events; as doubtful as the most doubtful of them."""
    def found(result: Result) -> Seen | None:
        points = {str(point["query"]): point for point in result.points(**{"from": MADE})}
        gen = points.pop(GENERATOR, None)
        at = [(query, None if gen is None else _net_at(result, point, gen)) for query, point in points.items()]
        seen = [each for _, each in at if each is not None]
        if not seen:
            return None
        return Seen(of(each.value for each in seen), rounds=min(each.rounds for each in seen),
                    disturbed=any(each.disturbed for each in seen), without=[query for query, each in at if each is None])
    return found


def _growth(metric: Metric) -> Callable[[Result], Seen | None]:
    def found(result: Result) -> Seen | None:
        row = ours(result)
        seen = result.estimate(metric.name, row, SLOW)
        rounds, disturbed = len(result.values(metric.name, row, SLOW)), result.disturbed(row, SLOW)
        return None if seen is None else Seen(seen.value, seen.low, seen.high, rounds, disturbed)
    return found


def _by_hand() -> list[Claim]:
    """Whether peers are no later here than when they were measured by hand, of the bare relay with a hand-off of the same run."""
    paced = relayed(50, 20_000)
    ratios: list[Claim] = []
    for metric, known in KNOWN_MS.items():
        for engine, millis in known.items():
            share = millis / HAND_OFF_MS[metric]
            text = (f"20,000/s of 50 B: {metric.label} of {engine}'s best row, of the bare relay's with a hand-off "
                    f"({share:.2g} from measures by hand)")
            ratios.append(_bound(text, _of_ceiling(metric, engine, HAND_OFF, paced), metric.name, round(share / KNOWN_LEAST, 2)))
    return ratios


def checks(work: Work) -> list[Claim]:
    """What must hold of the harness: peers are as fast in it as they were by hand."""
    if work.name == PACED.name:
        return _by_hand()
    if work.name != RELAY.name:
        return []
    return [Claim(f"{size:,} B: {engine}'s best row, of the bare relay's ({share:g} measured by hand)",
                  _of_ceiling(PER_S, engine, bare.RELAY, relayed(size)), at_least=round(KNOWN_LEAST * share, 3))
            for size, shares in KNOWN.items() for engine, share in shares.items()]


def claims(work: Work) -> list[Claim]:
    """What must hold of Despina."""
    def against(text: str, metric: Metric, point: Point, engines: Sequence[str], bound: float) -> Claim:
        return _bound(text, of_best(metric.name, point, engines), metric.name, bound)

    made = {
        "relay": [against("50 B: throughput, of the best peer's", PER_S, relayed(50), PEERS, 2.5),
                  against("50 B: throughput, of the best Storm row's", PER_S, relayed(50), ["storm"], 8),
                  *(claim for size in (1024, 10240) for claim in (
                      against(f"{size:,} B: throughput, of the best peer's", PER_S, relayed(size), PEERS, 1),
                      *(Claim(f"{size:,} B: throughput, of the {name}'s", _of_ceiling(PER_S, OURS, row, relayed(size)),
                              at_least=0.9) for name, row in CEILINGS.items())))],
        "rates": [_bound(f"20,000/s of 50 B: {metric.label}, of the best peer's{words}",
                         of_best(metric.name, relayed(50, 20_000), untuned=untuned), metric.name, 0.5)
                  for metric in (P50, P99) for words, untuned in (("", False), (" in one configuration for all works", True))],
        "manufacturing": [Claim("32 jobs: throughput, of the best Storm row's", _of_storm(32), at_least=8)],
        "nexmark": [
            Claim(f"Flink's CPU-seconds per million beyond {GENERATOR}'s ({TOLD:g} at least), of Despina's: geometric mean",
                  _net(statistics.geometric_mean), at_least=3),
            Claim("the same, of the worst query", _net(min), at_least=1.5)],
        "slow_sink": [Claim(metric.label, _growth(metric), at_most=FLAT_MB) for metric in (LIVE_GROWTH, RESIDENT_GROWTH)],
    }.get(work.name, [])
    if CPU in work.metrics:
        made.append(Claim("CPU-seconds per million, of the cheapest peer's, at the worst point", _cheapest, at_most=1))
    return made
