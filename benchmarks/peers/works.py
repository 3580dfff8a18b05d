"""The work that every engine does: what is asked at which points, what is measured, how much of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from harness import tables
from harness.experiment import Metric, Plan, Point
from harness.result import Result

PER_S = Metric("per_s", "packets/s")
CPU = Metric("cpu_s_per_million", "CPU-s per million")
MBIT = Metric("mbit_per_s", "Mbit/s on the wire")
WIRE = Metric("wire_bytes_per_packet", "bytes on the wire per packet")
P50 = Metric("p50_ms", "p50 ms")
P95 = Metric("p95_ms", "p95 ms")
P99 = Metric("p99_ms", "p99 ms")
P999 = Metric("p999_ms", "p99.9 ms")
RESIDENT = Metric("resident_mb", "resident MB")
REORDERED = Metric("reordered", "reordered")
MISSING = Metric("missing", "missing")

EVENTS = Metric("per_s", "events/s")
LIVE = Metric("live_mb", "live heap MB at the end")
LIVE_GROWTH = Metric("live_growth_mb", "live heap: growth MB")
RESIDENT_GROWTH = Metric("resident_growth_mb", "resident: growth MB")
SOCKETS = Metric("socket_mb", "kernel socket MB, greatest")
IDLE_CPU = Metric("idle_cpu_percent", "operators' CPU, % of one core")
ALL_CPU = Metric("all_cpu_percent", "all processes' CPU, % of one core")
SLOWEST = Metric("slowest_share", "slowest job, of the mean")
CPU_PERCENT = Metric("cpu_percent", "CPU, % of one core")
READINGS = Metric("per_s", "readings/s of all jobs")

SIZES = (50, 100, 200, 400, 1024, 4096, 10240)
EDGES = (50, 1024, 10240)
NEVER = -1
"""The rate at which no packet comes."""
SLOW: Point = {"packet_bytes": 1024, "sleep_ms": 1}
SLOW_RATE = 1_000
"""So low that every engine bears it at every packet size."""
RATES = (20_000, SLOW_RATE, 200_000)
JOBS = (32, 1, 8, 2, 4, 16)
"""What tells most comes first, here as in every plan: a run that is stopped has it."""
ROWS = 60_000_000
"""Of each job's input, 11 GB: it ends after the window. One job alone reads most: at 1.9 M/s 50 M in the 26 s from its start to
the end of a full run's window. Many jobs together read as much, so less of it each."""
GIVEN_RATE = 50_000
"""Readings per second of the job, of which Storm on one core bears some 200,000."""
GIVEN_ROWS = 5_000_000
"""As much in 100 s: from the start of Storm's to the end of a full run's window are 60."""
QUICK_ROWS = 16_000_000
"""As much for the two jobs of a quick run, in 16 s."""
SMALL_BYTES = 512
"""Packets up to it go best with long queues; larger ones fill heaps with them."""
MANY_JOBS = 4
"""From so many on an engine has more operators than a machine has cores for: hundreds of them."""
KEPT_UP = 0.99
"""Of the asked rate: a row through which less goes has not done the work, whatever its latency."""
PEAK = Metric("peak_mb", "peak resident MB")
FIXED = Metric("fixed_cpu_s", "CPU-s of start and end")
QUERIES = ("gen", "q0", "q1", "q2", "q3", "q4", "q5", "q7", "q8", "q9", "q11", "q12", "q14", "q17", "q18", "q19", "q20", "q22")
"""NEXMark's; ``gen`` makes the events and no more."""
TELLING = ("gen", "q0", "q3", "q5", "q7", "q9", "q11", "q18")
"""Queries of each kind: none, a row each, joins, windows, sessions, state that grows."""
LIGHT = ("gen", "q0", "q1", "q2", "q3", "q8", "q14", "q20")
"""Queries that keep little: so quick that what a JVM still compiles would show in few events."""
QUERIED = 5_000_000
"""Events of one run."""
MORE_EVENTS = 4
"""So many times as many where a light query makes its own."""
ATTEMPTS = 2
"""A run that others disturbed is made again, once."""


def lower_is_better(metric: str) -> bool:
    """Of all metrics but throughput."""
    return metric != PER_S.name


@dataclass(frozen=True)
class Work:
    """One work.

    :ivar judged: the metrics by which a row is won or not, :attr:`compared` the first; never resident memory, since heaps differ
    :ivar short: of ``--short``: fewer points, for less time, with everything else as in the full plan
    :ivar verified: how a row's output was verified before it counts
    :ivar tuned_as: the work whose sweep holds for the tuned rows; none if there are none
    :ivar sweep: where settings are tried; empty for a work without a sweep of its own
    :ivar chosen_by: the metric by which a sweep's best is chosen
    :ivar remarks: what limits Despina's row, and how that is known
    :ivar ends: whether a run ends by itself: then there is no warm-up and no window of so many seconds
    :ivar does: the work that engines are asked for, where it is that of another name
    :ivar engines: those that do it; all that can if none is named
    """

    name: str
    doc: str
    metrics: Sequence[Metric]
    judged: Sequence[Metric]
    full: Plan
    short: Plan
    quick: Plan
    verified: str
    tuned_as: str = ""
    sweep: Plan = field(default_factory=lambda: Plan([]))
    chosen_by: str = PER_S.name
    remarks: str = ""
    ends: bool = False
    does: str = ""
    engines: Sequence[str] = ()

    @property
    def asked(self) -> str:
        """The work that engines are asked for."""
        return self.does or self.name

    @property
    def compared(self) -> str:
        """The metric of the ratio to Despina's row."""
        return self.judged[0].name

    def plan(self, mode: str) -> Plan:
        """Of a mode: ``full``, ``short`` or ``quick``."""
        plans = {"short": self.short, "quick": self.quick}
        return plans.get(mode, self.full)


def sweep(*points: Point) -> Plan:
    """How long a setting is tried: no longer than is needed to tell settings apart; engines that need a longer warm-up get it."""
    return Plan(points, repeats=1, warm_up_s=10, seconds=5, attempts=ATTEMPTS)


def full(points: Sequence[Point], seconds: float = 15, warm_up_s: float = 10) -> Plan:
    """Three rounds."""
    return Plan(points, repeats=3, warm_up_s=warm_up_s, seconds=seconds, attempts=ATTEMPTS)


def short(*points: Point, seconds: float = 8) -> Plan:
    """Three rounds of less; engines that need a longer warm-up get it here too."""
    return Plan(points, repeats=3, warm_up_s=5, seconds=seconds, attempts=ATTEMPTS)


def quick(*points: Point, seconds: float = 5, warm_up_s: float = 4) -> Plan:
    """One round, warmed up as little for all: shows that it works, no more."""
    return Plan(points, repeats=1, warm_up_s=warm_up_s, seconds=seconds, attempts=1)


def relayed(packet_bytes: int, rate_per_s: int | None = None) -> Point:
    """A point of the relay, flat out or at a rate."""
    return {"packet_bytes": packet_bytes} | ({} if rate_per_s is None else {"rate_per_s": rate_per_s})


def of_events(plan: Plan, events: int | None) -> Plan:
    """The plan over so many events, where its points say how many there are."""
    return plan if events is None else replace(plan, points=[
        {**point, "events": events} if "events" in point else point for point in plan.points])


def covers(work: Work, result: Result, failed: bool = False) -> bool:
    """Whether a result has at least the full plan's rounds, at all of its points, of all rows that were begun there.

    :param failed: whether runs that failed count too
    """
    rounds: dict[tuple[str, str], set[int]] = {}
    for repeat in result.repeats:
        made = rounds.setdefault((repeat.subject, _key(repeat.point)), set())
        if failed or not repeat.failed:
            made.add(repeat.repeat)
    rows, points = ({key[k] for key in rounds} for k in (0, 1))
    planned = {_key(point) for point in work.full.points}
    return (set(result.subjects) <= rows and planned <= points
            and all(len(made) >= work.full.repeats for (_, point), made in rounds.items() if point in planned))


def is_full(work: Work, result: Result) -> bool:
    """Whether a result is a whole full one, failed runs and all: it gives way to none that is less."""
    return result.full and covers(work, result, failed=True)


def _key(point: Point) -> str:
    return json.dumps(point, sort_keys=True)


def where(point: Point) -> str:
    """A point in words, but for the length of the input, which is the same at all points."""
    return tables.where({key: value for key, value in point.items() if key not in ("rows", "events")})


def asked(origin: str, queries: Sequence[str] = QUERIES, events: int | None = None) -> list[Point]:
    """A point for each query, over events that are ``made``, on ``disk``, in ``avro`` or in ``parquet``: of files there is no
    ``gen``.

    :param events: of each; if it is left out, as many as tell a query's figures from those of its compiling
    """
    return [{"query": query, "from": origin, "events": events or _told_apart(query, origin)}
            for query in queries if query != "gen" or origin == "made"]


def _told_apart(query: str, origin: str) -> int:
    return QUERIED * MORE_EVENTS if query in LIGHT and origin == "made" else QUERIED


def jobs(count: int, rows: int = ROWS) -> Point:
    """So many manufacturing jobs, each with an input of so many readings."""
    return {"jobs": count, "rows": rows}


def given(rate_per_s: int) -> Point:
    """One such job at a rate."""
    return {**jobs(1, GIVEN_ROWS), "rate_per_s": rate_per_s}


RELAY = Work(
    "relay",
    "Source and sink in one JVM, the relay in another, both hops TCP, flat out, at most once.",
    (PER_S, CPU, MBIT, WIRE, RESIDENT, REORDERED, MISSING), (PER_S, CPU),
    full([relayed(size) for size in SIZES]), short(*map(relayed, EDGES)), quick(relayed(50)),
    "every sequence number, and the payload of every 16th packet",
    tuned_as="relay", sweep=sweep(relayed(50), relayed(10240)),
    remarks="""What limits Despina at 50 bytes, by a profile at 18 M packets/s on two cores: half of the processor time is the
    kernel's, and about half of that wake-ups and soft interrupts of loopback TCP; of 45 ns of Java per packet 17 are copies and
    checksums. At 10,240 bytes it is bytes that cost, not packets: besides the kernel's copies Despina copies each byte four times
    between sockets and segments and goes over it with three checksums, where the bare relay copies it once. The bare relay as
    anybody writes it has the system's TCP, as the peers have. Where that paces (BBR) it is no true ceiling, since Despina has its
    loopback connections not paced: "bare relay unpaced" has that too, by a call that Java's own API does not offer. By a profile
    at 1,024 bytes, of the engine before its writes grew (nanoseconds of processor time per packet: 1,060 beside 540), Despina's
    copies outside the kernel take 170, its checksums 60, and the kernel's copies 310 beside 180, though the kernel copies as
    often: what Despina has under way fits into no core's cache.""",
)

PACED = Work(
    "rates",
    """The same relay at fixed rates; latency from the time at which each packet was due, source to sink. 50-byte packets at
    all rates, larger ones at a rate that every engine bears.""",
    (P50, P95, P99, P999, CPU, PER_S, REORDERED, MISSING), (P50, P99, CPU),
    full([*(relayed(50, rate) for rate in RATES), *(relayed(size, SLOW_RATE) for size in SIZES if size != 50)]),
    short(relayed(50, 20_000), relayed(50, SLOW_RATE), relayed(10240, SLOW_RATE)), quick(relayed(50, 20_000)),
    "every sequence number, and the payload of every 16th packet",
    tuned_as="rates", sweep=sweep(relayed(50, 20_000)), chosen_by=P95.name,
    remarks="""Less processor time than Despina's take only rows that gather packets for long: Spark's micro-batches and Flink's
    buffers of 100 ms, whose latency is a hundred times as high or more. At 20,000/s most of Despina's median is its tick: what
    becomes due within 150 us travels as one frame, which is why its processor time is low. Tuned rows are tuned for this
    rate alone; Despina has the settings of all its other rows.""",
)

MANUFACTURING = Work(
    "manufacturing",
    """DEBS 2012, query 1, as NEPTUNE ran it: twelve operators between a file of readings (source and parser in one JVM) and a
    file of delays, and so many such jobs at once. Throughput is of all jobs together, counted where the readings arrive at the
    first operator after the parser; a job that reaches the end of its input within the window counts up to there.""",
    (READINGS, CPU, MBIT, SLOWEST, CPU_PERCENT, RESIDENT), (READINGS, CPU),
    full([*map(jobs, JOBS)], warm_up_s=5), short(*map(jobs, JOBS[:3])),
    quick(jobs(2, QUICK_ROWS), warm_up_s=10),
    "all rows put out, against those of a run of Despina in one process, which its tests hold to an independent oracle",
    tuned_as="manufacturing", sweep=sweep(jobs(32), jobs(8), jobs(1)),
    remarks="""With one job each side of Despina takes nearly a core: the source, which parses, projects and copies each reading
    for six operators beyond the network, and those six. Storm's default row ends in its own threads with many jobs: hundreds of
    operators that wait look a thousand times a second whether something has come; its tuned row has them look seldom from four
    jobs on. Flink's tuned row has segments of 512 KB, and from four jobs on 1 GB for them in each TaskManager.""",
)

GIVEN = Work(
    "given_rate",
    f"""One manufacturing job at {GIVEN_RATE:,} readings/s on Despina and on Storm, as NEPTUNE's Fig 10 has them: what the
    same work costs.""",
    (CPU_PERCENT, RESIDENT, CPU, READINGS, MBIT), (CPU_PERCENT,),
    Plan([given(GIVEN_RATE)], repeats=5, warm_up_s=5, seconds=12, attempts=ATTEMPTS), short(given(GIVEN_RATE)),
    quick(given(GIVEN_RATE)),
    f"all rows put out, as those of the manufacturing jobs; a run at less than {KEPT_UP} of the rate fails",
    tuned_as="manufacturing", does="manufacturing", engines=("despina", "storm"),
)

FIXED_WINDOW = Work(
    "fixed_window",
    """HiBench's fixed window: of visits by 10,000 addresses, per address and 30 s of event time the first time and the count.
    Source and sink in one JVM, the window in another. Peers count in a hash map of our own, which costs less than their own
    windows.""",
    (EVENTS, CPU, MBIT, RESIDENT), (EVENTS, CPU),
    full([{}]), short({}), quick({}),
    "every window that was put out: its rows, the sum of counts, the sum of first times",
    tuned_as="fixed_window", sweep=sweep({}),
    remarks="""Windows are bound by one core on Despina as on Flink, whose tuned row has segments of 128 KB.""",
)

WORD_COUNT = Work(
    "word_count",
    """HiBench's word count: lines of ten words, read into memory and sent again and again, are split, and each word gives a row
    with its new count. Source and sink in one JVM, splitting and counting in another.""",
    (EVENTS, CPU, MBIT, RESIDENT), (EVENTS, CPU),
    full([{}]), short({}), quick({}),
    "each word's counts are 1, 2, 3 …, and all of them together those of the lines so far: peers hold each count to the one "
    "before, and all when the lines have come once more; Despina the counts to their number, last and sum, and all at the end",
    tuned_as="fixed_window",
    remarks="""Splitting and counting are bound by one core. Of Despina's time there, 71 ns a word, some 15 go to cutting the
    word from its line and 40 to its count and the row of it (the micro-benchmarks `split` and `count`), the rest to what comes
    and goes by TCP. Flink's tuned row has segments of 128 KB.""",
)

SLOW_SINK = Work(
    "slow_sink",
    """The relay flat out into a sink that sleeps 1 ms per packet: what is queued, and whether memory stays flat. Live memory is
    what a full collection leaves, at the window's begin and at its end.""",
    (PER_S, LIVE, LIVE_GROWTH, RESIDENT, RESIDENT_GROWTH, SOCKETS, REORDERED, MISSING), (LIVE,),
    full([SLOW], seconds=60), short(SLOW, seconds=20), quick(SLOW, seconds=10),
    "every sequence number, and the payload of every 16th packet",
    tuned_as="relay",
)

IDLE = Work(
    "idle",
    "The relay deployed, and no packet: processor time of the operators' processes, and of all processes of the engine.",
    (IDLE_CPU, ALL_CPU, RESIDENT), (IDLE_CPU,),
    full([relayed(50, NEVER)], seconds=20, warm_up_s=15), short(relayed(50, NEVER), seconds=10),
    quick(relayed(50, NEVER), warm_up_s=5),
    "nothing to verify",
    tuned_as="idle", sweep=sweep(relayed(50, NEVER)), chosen_by=IDLE_CPU.name,
)

NEXMARK = Work(
    "nexmark",
    """NEXMark's queries, each in one process: over events that the run makes itself, all columns of all of them (``gen`` does
    nothing else), and over csv, Avro and Parquet on disk, where what it takes to make events is not in the figures. A query runs
    over a fifth of the events, again over a fifth, and over all of them; what is shown is of the difference of the last two, so
    that start, planning, what a JVM compiles first and the end are not in it, and are shown beside.""",
    (CPU, EVENTS, PEAK, FIXED), (CPU, EVENTS),
    Plan([point for origin in ("made", "disk", "avro", "parquet") for point in asked(origin)], repeats=3, warm_up_s=0, seconds=10,
         attempts=ATTEMPTS),
    Plan(asked("made", TELLING), repeats=3, warm_up_s=0, seconds=10, attempts=ATTEMPTS),
    Plan(asked("made", ("q5",), 1_000_000), repeats=1, warm_up_s=0, seconds=5, attempts=1),
    "in each run all rows of 300,000 events, by value, against plain Python; of q12, whose windows go by the wall clock, the "
    "counts added up by bidder", ends=True,
)

WORKS = {work.name: work for work in (RELAY, PACED, MANUFACTURING, GIVEN, FIXED_WINDOW, WORD_COUNT, SLOW_SINK, IDLE, NEXMARK)}
