"""ISE's Fig 3 for each of its operators: how old records are behind them, with 2 to 16 instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from harness import engine, graphs, java, plots
from harness.experiment import Experiment, Figure, Measured, Plan, Point, Published, Run, Subject
from harness.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

RATE = 1000
"""Records per second of each instance."""
INSTANCES = (2, 4, 8, 16)
STEPS: dict[str, graphs.Json] = {
    "projection": {"type": "project", "select": ["id", "sensor", "celsius"]},
    "selection": {"type": "filter", "where": "celsius > -100"},
    "constant": {"type": "project", "select": ["*", "'line 7' AS place"]},
    "tokenizer": {"type": "explode", "of": "split(sensor, '-')", "as": "token"},
}
BIN_MS = 0.1
MOST_MS = 4.0


def _subject(step: str) -> Callable[[Run], Measured]:
    def measure(run: Run) -> Measured:
        count = run.point["instances"]
        rows = ["id", "concat('sensor-', id % 100) AS sensor", "20 + 5 * sin(id / 50D) AS celsius", "id % 7 AS line"]
        graph = {"format": 1, "name": "step", "operators": {
            "source": {"type": "generator_source", "rate_per_s": RATE * count, "rows": {"type": "select", "select": rows}},
            "step": {**STEPS[step], "parallelism": count}, "collector": {"type": "discard_sink", "parallelism": count}},
            "links": [{"from": "source", "to": "step"}, {"from": "step", "to": "collector", "fuse": False}]}
        report = engine.timed(run, graph, graphs.deployment({"source": ["near"], "step": ["far"], "collector": ["near"]}))
        return engine.measured(report, sink="collector")
    return measure


def histogram(result: Result, picture: Picture) -> None:
    """A panel for each step: the share of records by their age, a line for each number of instances."""
    for k, step in enumerate(STEPS):
        axes = picture.add_subplot(1, len(STEPS), k + 1)
        for (colour, _), point in zip(plots.colours(result.subjects, many=True), result.points(), strict=False):
            middle = result.middle(step, point, "p50_ms")
            if middle is not None:
                ages, shares = shares_of(middle.raw["latency_ms"]["collector"]["percents"])
                axes.step(ages, shares, where="mid", color=colour, label=f"{point['instances']} instances")
        plots.style(axes, step, "ms from due time to collector", "% of records" if not k else "")
        axes.set_xlim(0, MOST_MS)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8, frameon=False)


def shares_of(percents: list[float]) -> tuple[list[float], list[float]]:
    """Of ages at 1 % to 99 % the middles of equal bins, and how many per cent of the records are in each."""
    bins = round(MOST_MS / BIN_MS)
    shares = [0.0] * bins
    for low, high in zip([0.0, *percents], percents, strict=False):
        first, last = min(int(low / BIN_MS), bins), min(int(high / BIN_MS), bins)
        for k in range(first, min(last + 1, bins)):
            overlap = min(high, (k + 1) * BIN_MS) - max(low, k * BIN_MS)
            shares[k] += overlap / (high - low) if high > low else 1.0
    return [(k + 0.5) * BIN_MS for k in range(bins)], shares


def _at(instances: int) -> Point:
    return {"instances": instances}


EXPERIMENT = Experiment(
    name="ise_steps",
    doc=f"""Records of four fields, {RATE:,} a second for each instance, to a projection, a selection, a constant and a
    tokenizer (two tokens of each) in another process, and back to a collector of as many instances: how old they are there,
    from their due times. ISE's ages begin at the step.""",
    subjects=tuple(Subject(step, _subject(step), 3) for step in STEPS),
    metrics=(engine.P50, engine.P95, engine.P99, engine.CPU),
    baseline="projection",
    full=Plan([_at(INSTANCES[0]), _at(INSTANCES[-1])], repeats=3, warm_up_s=4, seconds=5),
    long=Plan([_at(count) for count in INSTANCES], warm_up_s=6, seconds=8),
    quick=Plan([_at(2)], repeats=1, warm_up_s=1.5, seconds=2),
    published=(
        Published("002 ISE, Fig 3", "median 1.2 ms", 1.2, "ms, tokenizer of 16 instances",
                  lambda result: result.median("p50_ms", "tokenizer", _at(16))),
        Published("002 ISE, Fig 3", "95 % within 3 ms", 3, "ms, tokenizer of 16 instances",
                  lambda result: result.median("p95_ms", "tokenizer", _at(16))),
    ),
    figures=(Figure("ages", histogram, (16, 4.2)),),
    needs=(java.java_needed,),
    remarks="""Three rounds: no claim is made of it. The long plan has 4 and 8 instances, too.""",
)
