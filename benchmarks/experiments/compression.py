"""NEPTUNE's III-B5: what compression gives and costs, by data and by link, with Tukey's HSD."""

from __future__ import annotations

from collections.abc import Callable

from despina.errors import StartError
from harness import engine, hop, java, readings, stats, tables
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Published, Run, Subject
from harness.result import Result
from harness.stats import Estimate
from harness.tables import Table

MODES = ("never", "always", "entropy", "adaptive")
DATA = ("readings", "random")
LINKS = (hop.LOOPBACK, hop.GIGABIT)
SIZE = readings.PACKET_BYTES - 1
MOST_MORE = 1.05
GAIN_UNIT = "times never's packets/s with always, over 1 Gbit/s"


def statsmodels_needed() -> None:
    """The need of Tukey's HSD.

    :raise StartError: there is no statsmodels
    """
    try:
        import statsmodels.stats.multicomp  # noqa: F401
    except ImportError:
        raise StartError("package_missing", "Tukey's HSD is from statsmodels, which is not installed",
                         "pip install 'despina[bench]'") from None


def _mode(compression: str) -> Callable[[Run], Measured]:
    def measure(run: Run) -> Measured:
        return hop.measured(run, run.point["link"], hop.graph(run.point["data"], SIZE, compression), SIZE)
    return measure


def _at(data: str, link: str) -> Point:
    return {"data": data, "link": link}


def tukey(result: Result, point: Point, metric: str = "per_s") -> dict[tuple[str, str], float]:
    """P-values of all pairs of modes at a point: that means so far apart come by chance. Empty where a mode has one repeat."""
    from statsmodels.stats.multicomp import pairwise_tukeyhsd
    values = {mode: result.values(metric, mode, point) for mode in MODES}
    if any(len(found) < 2 for found in values.values()):
        return {}
    groups = [mode for mode, found in values.items() for _ in found]
    test = pairwise_tukeyhsd([value for found in values.values() for value in found], groups)
    names = [str(name) for name in test.groupsunique]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1:]]
    return {pair: float(p) for pair, p in zip(pairs, test.pvalues, strict=True)}


def against_never(result: Result, point: Point, mode: str) -> float | None:
    """The p-value of a mode's throughput and that of no compression."""
    found = tukey(result, point)
    return next((p for pair, p in found.items() if set(pair) == {mode, "never"}), None)


def _published(data: str) -> Callable[[Result], float | None]:
    """The gain of compressing always over the slow link."""
    def found(result: Result) -> float | None:
        gain = result.ratio("per_s", "always", "never", _at(data, hop.GIGABIT))
        return gain.value if gain else None
    return found


def _p(value: float | None) -> str:
    return tables.MISSING if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def table(result: Result) -> Table:
    """A row per point and mode, with the p-value of its throughput against no compression."""
    rows = []
    for point in result.points():
        for mode in result.subjects:
            star = "*" if result.disturbed(mode, point) else ""
            row = [f"{point['data']}, {point['link']}, {mode}{star}"]
            row += [tables.number(result.median(metric.name, mode, point)) for metric in EXPERIMENT.metrics]
            row.append(tables.estimate(result.ratio(engine.CPU.name, mode, "never", point)))
            row.append(tables.MISSING if mode == "never" else _p(against_never(result, point, mode)))
            rows.append(row)
    return Table(["data, link, compression", *(metric.label for metric in EXPERIMENT.metrics), "CPU: ratio to never",
                  "p against never (Tukey, packets/s)"], rows)


def _cost(data: str) -> Claim:
    def found(result: Result) -> Estimate | None:
        """The median of pairs' ratios: never and adaptive of one round share the machine's mood."""
        point = _at(data, hop.LOOPBACK)
        never, adaptive = result.kept("never", point), result.kept("adaptive", point)
        pairs = [adaptive[k].values[engine.CPU.name] / never[k].values[engine.CPU.name] for k in adaptive if k in never]
        return stats.median(pairs) if pairs else None
    return Claim(f"{data} on loopback: CPU per packet of adaptive, of never's (median of the pairs)", found, at_most=MOST_MORE)


def _gain(result: Result) -> Estimate | None:
    return result.ratio("per_s", "adaptive", "never", _at("readings", hop.GIGABIT))


EXPERIMENT = Experiment(
    name="compression",
    doc=f"""DEBS 2012 readings and packets of random bytes of the same size ({SIZE} B), one hop between two resources, on loopback
    and over a link of 1 Gbit/s: uncompressed, always compressed, by NEPTUNE's entropy rule, and `adaptive`, the default. Tukey's
    honestly significant difference over all pairs of modes. Where no link may be made,
    loopback is measured.""",
    subjects=tuple(Subject(mode, _mode(mode), 4) for mode in MODES),
    metrics=(engine.PER_S, hop.RAW, engine.MBIT, hop.SAVED, engine.CPU),
    full=Plan([_at(data, link) for link in LINKS for data in DATA], repeats=10, warm_up_s=4, seconds=4),
    quick=Plan([_at("readings", hop.LOOPBACK)], repeats=1, warm_up_s=2, seconds=1.5),
    published=(
        Published("001 NEPTUNE, III-B5", "random: compressing loses, p < 0.0001", None, GAIN_UNIT, _published("random")),
        Published("001 NEPTUNE, III-B5", "sensors: no evidence of an effect, p > 0.1561", None, GAIN_UNIT,
                  _published("readings")),
    ),
    claims=(
        *(_cost(data) for data in DATA),
        Claim("readings over 1 Gbit/s: packets/s of adaptive, of never's", _gain, at_least=4.0),
        Claim("random over 1 Gbit/s: packets/s of adaptive, of never's",
              lambda result: result.ratio("per_s", "adaptive", "never", _at("random", hop.GIGABIT)), at_least=0.98),
    ),
    table=table,
    needs=(java.java_needed, readings.needed, statsmodels_needed),
    remarks="""Before LZ4 sees them the bytes of a segment are shuffled, so that numbers, lengths and times shrink even of packets
    with a random payload; what else was tried, and how small and how fast each form is, stands in docs/design/020. On loopback
    `adaptive` compresses nothing, by the bytes on the wire, so what its pairs with `never` differ by there is the machine's
    scatter (up to 1.39 in single pairs of readings). Runs of one round share the machine's mood: the median of the pairs is
    judged. The ratio of medians is in the table.""",
)
