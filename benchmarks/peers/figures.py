"""Figures of the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import stats
from harness.experiment import Point
from harness.plots import log_x, log_y, plain, short, style
from harness.result import Result
from peers.roster import OURS
from peers.works import CPU, MBIT, PACED, PER_S, RELAY, SLOW_RATE, Work, where

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 120
ENGINES = {"despina": ("#000000", "o", ""), "bare relay": ("#777777", "x", "...."), "hazelcast": ("#2e8b57", "D", "///"),
           "flink": ("#0b6fa4", "^", "xxx"), "storm": ("#c8501e", "s", "\\\\\\"), "spark": ("#8a4fa8", "v", "---")}
"""Colour, marker and hatch: which engine it is."""
VARIANTS = {"default": (":", False), "micro-batch": (":", False), "tuned": ("-", True), "": ("-", True), "unpaced": ("-.", False),
            "batch": ("-", True), "windowed": ("--", True)}
OTHER = ("--", False)
"""Dash, and whether the marker is filled: which of its rows it is."""
NOTE = "#aa3333"
HOP = 0.01
"""What a row with a hop sends per packet at least, of what the row sends that sends most."""

Draw = Callable[[Result, "Figure"], None]


@dataclass(frozen=True)
class Picture:
    """A figure of a work.

    :ivar size: in inches
    :ivar words: what it shows, for those who do not see it too
    """

    size: tuple[float, float]
    words: str
    draw: Draw


def save(work: Work, result: Result, folder: Path) -> dict[Path, str]:
    """Draws the work's figures; none without matplotlib.

    :return: the PNG of each, and what it shows
    """
    return {path: figure.words for name, figure in FIGURES.get(work.name, {}).items()
            for path in _save(_png(work.name, name, folder), figure.size, partial(figure.draw, result), [result])}


def saved(work: str, folder: Path) -> dict[str, str]:
    """The work's figures that are in the folder: the names of their PNG, and what they show."""
    return {file.name: figure.words for name, figure in FIGURES.get(work, {}).items()
            if (file := _png(work, name, folder)).is_file()}


def _png(work: str, name: str, folder: Path) -> Path:
    return folder / f"compare_{work}_{name}.png"


def save_all(results: Mapping[str, Result], folder: Path) -> list[Path]:
    """Draws what is of several works, by name: NEPTUNE's Fig 7; none without matplotlib, or if one is missing."""
    if not {RELAY.name, PACED.name} <= results.keys():
        return []
    flat_out, paced = results[RELAY.name], results[PACED.name]
    return _save(folder / FIG7_FILE, WIDE, partial(fig7, flat_out, paced), [flat_out, paced],
                 origins({work: results[work] for work in (RELAY.name, PACED.name)}))


def origins(of: Mapping[str, Result]) -> list[str]:
    """By work on which machine, and on what day, it was measured; nothing where that is the same for all."""
    def machine(result: Result) -> list[Any]:
        return [result.about["machine"].get(key) for key in ("cpu", "cores", "memory_gb", "kernel", "java")]

    machines, days = [machine(result) for result in of.values()], [result.about["at"][:10] for result in of.values()]
    if all(each == machines[0] for each in machines) and len(set(days)) == 1:
        return []
    return [f"{work}: {cpu}, {cores} cores, {memory_gb} GB, Linux {kernel}, Java {java}, {day}"
            for work, (cpu, cores, memory_gb, kernel, java), day in zip(of, machines, days, strict=True)]


def _save(file: Path, size: tuple[float, float], draw: Callable[[Figure], None], of: Sequence[Result],
          noted: Sequence[str] = ()) -> list[Path]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return []
    picture = Figure(figsize=size, dpi=DPI, layout="constrained")
    draw(picture)
    if lines := [line for line in (*noted, "; ".join(limits(of))) if line]:
        _note("\n".join(lines), picture)
    picture.savefig(file)
    return [file]


def _note(text: str, picture: Figure) -> None:
    """Over the legend, which has a place of its own."""
    picture.legends[0].set_title(text)
    title = picture.legends[0].get_title()
    title.set_fontsize(7)
    title.set_color(NOTE)


def limits(of: Sequence[Result]) -> list[str]:
    """Why a figure of these tells less than one of a whole full run."""
    found = []
    modes = dict.fromkeys(str(result.about["mode"]) for result in of)
    if set(modes) != {"full"}:
        found.append(f"{' and '.join(modes)} run")
    enough = {len(kept) >= stats.FEWEST_ROUNDS for result in of for point in result.points() for name in result.subjects
              if (kept := result.kept(name, point))}
    if False in enough:
        part = " in part" if True in enough else ""
        found.append(f"fewer than {stats.FEWEST_ROUNDS} rounds{part}: no interval, no t-test")
    return found


def panels(x: str, x_label: str, *shown: tuple[str, str], **only: Any) -> Draw:
    """Metrics side by side over one key of the points, a line per row; only points with the values of ``only``."""
    def draw(result: Result, picture: Figure) -> None:
        for k, (metric, label) in enumerate(shown):
            panel(picture.add_subplot(1, len(shown), k + 1), (x, x_label), (metric, label), result.points(**only), result)
        legend(picture)
    return draw


def fig7(flat_out: Result, paced: Result, picture: Figure) -> None:
    """NEPTUNE's Fig 7: throughput, latency and bandwidth over packet sizes; latency at a rate that all bear."""
    slow = paced.points(rate_per_s=SLOW_RATE)
    for k, (metric, label, result, points) in enumerate((
            ("per_s", "packets/s, flat out", flat_out, flat_out.points()),
            ("p50_ms", f"median latency at {SLOW_RATE:,} packets/s, ms", paced, slow),
            ("mbit_per_s", "Mbit/s on the wire, both hops, flat out", flat_out, flat_out.points()))):
        panel(picture.add_subplot(1, 3, k + 1), ("packet_bytes", "packet bytes"), (metric, label), points, result)
    legend(picture)


def panel(axes: Axes, x: tuple[str, str], y: tuple[str, str], points: Sequence[Point], result: Result) -> None:
    """One metric over one key of these points; key and metric each with its label. Of bandwidth only what has a hop."""
    hopless = _lines(axes, result, x[0], y[0], points)
    style(axes, "", x[1], y[1])
    if hopless:
        axes.set_title(f"left out, without a hop: {', '.join(hopless)}", fontsize=7)
    xs = sorted({point[x[0]] for point in points})
    if len(xs) > 1:
        axes.set_xscale("log")
    axes.set_xticks(xs, [short(value) for value in xs], rotation=30)
    axes.minorticks_off()
    log_y(axes)


def legend(picture: Figure) -> None:
    """All rows of all panels, each once, below them."""
    found = {label: handle for axes in picture.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    picture.legend(list(found.values()), list(found), loc="outside lower center", ncols=5, fontsize=8, frameon=False)


def _lines(axes: Axes, result: Result, x: str, metric: str, points: Sequence[Point]) -> list[str]:
    """A line per row.

    :return: the rows of which points were left out
    """
    hopless = []
    for subject in result.subjects:
        found = [(p, value) for p in sorted(points, key=lambda p: float(p[x]))
                 if (value := result.median(metric, subject, p)) is not None]
        known = [(p[x], value) for p, value in found if metric != MBIT.name or _has_hop(result, subject, p)]
        if known:
            axes.plot(*zip(*known, strict=True), label=subject, **look(subject))
        if len(known) < len(found):
            hopless.append(subject)
    return hopless


def _has_hop(result: Result, subject: str, point: Point) -> bool:
    """Whether the row's packets crossed a network: some rows are fused, or shuffle through files."""
    def sent(name: str) -> float:
        mbit, per_s = (result.median(metric.name, name, point) for metric in (MBIT, PER_S))
        return mbit / per_s if mbit and per_s else 0.0

    return sent(subject) > HOP * max(map(sent, result.subjects))


def look(subject: str) -> dict[str, Any]:
    """How a row's line is drawn, the same in every figure: told apart in black and white by marker, filling and dash."""
    engine = next(name for name in ENGINES if subject.startswith(name))
    colour, marker, _ = ENGINES[engine]
    dash, filled = VARIANTS.get(subject.removeprefix(engine).strip(), OTHER)
    if engine == OURS:
        return {"color": colour, "marker": marker, "linestyle": "-", "linewidth": 2.4, "markersize": 6}
    return {"color": colour, "marker": marker, "linestyle": dash, "linewidth": 1.3, "markersize": 6,
            "markerfacecolor": colour if filled else "white"}


def bars(most: str, *shown: tuple[str, str]) -> Draw:
    """Metrics side by side, a hatched bar per row; dots are the repeats.

    :param most: of the points, the one with the greatest value of this key
    """
    def draw(result: Result, picture: Figure) -> None:
        point = max(result.points(), key=lambda p: float(p[most]))
        for k, (metric, label) in enumerate(shown):
            axes = picture.add_subplot(1, len(shown), k + 1)
            _bars(axes, result, metric, point)
            style(axes, where(point), label, "")
            axes.xaxis.set_major_formatter(lambda x, _: plain(x))
            axes.grid(False, axis="y")
        _legend_of_bars(picture)
    return draw


def _legend_of_bars(picture: Figure) -> None:
    """Rows have their names beside their bars."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    median = Patch(facecolor="white", edgecolor="black", label="median of the rounds")
    one = Line2D([], [], linestyle="", marker="o", markersize=4, color="black", label="one round")
    picture.legend(handles=[median, one], loc="outside lower center", ncols=2, fontsize=8, frameon=False)


def _bars(axes: Axes, result: Result, metric: str, point: Point) -> None:
    names: list[str] = []
    for subject in reversed(result.subjects):
        values = result.values(metric, subject, point)
        if values:
            colour, _, hatch = next(ENGINES[name] for name in ENGINES if subject.startswith(name))
            axes.barh(len(names), result.median(metric, subject, point) or 0.0, height=0.6, edgecolor=colour, hatch=hatch,
                      color=colour if subject.startswith(OURS) else "white")
            axes.plot(values, [len(names)] * len(values), linestyle="", marker="o", markersize=4, color="black",
                      markeredgecolor="white")
            names.append(subject)
    axes.set_yticks(range(len(names)), names)


def by_query(result: Result, picture: Figure) -> None:
    """Processor time by query, a marker per row; events that are made and those of files side by side, so far as measured."""
    origins = {"made": "events made in the run", "disk": "events read from csv", "avro": "events read from Avro",
               "parquet": "events read from Parquet"}
    there = [(points, label) for origin, label in origins.items() if (points := result.points(**{"from": origin}))]
    for k, (points, label) in enumerate(there):
        axes = picture.add_subplot(1, len(there), k + 1)
        values: list[float] = []
        for subject in result.subjects:
            found = [(value, place) for place, point in enumerate(points)
                     if (value := result.median(CPU.name, subject, point)) is not None]
            if found:
                axes.plot(*zip(*found, strict=True), label=subject, **{**look(subject), "linestyle": ""})
                values += [value for value, _ in found]
        style(axes, label, "CPU-seconds per million events", "")
        axes.set_yticks(range(len(points)), [point["query"] for point in points])
        axes.set_ylim(len(points) - 0.5, -0.5)
        if values:
            log_x(axes, values)
    legend(picture)


WIDE = (13, 4.8)
FIG7 = "NEPTUNE's Fig 7 with all engines: throughput, median latency and bandwidth over packet sizes"
"""What the figure of several works shows."""
FIG7_FILE = "compare_fig7.png"
FIGURES: dict[str, dict[str, Picture]] = {
    "rates": {"latency": Picture(
        WIDE, "Median and p99 latency and processor time per packet of 50 bytes over packets per second",
        panels("rate_per_s", "packets/s of 50 bytes", ("p50_ms", "median latency, ms"), ("p99_ms", "p99 latency, ms"),
               ("cpu_s_per_million", "CPU-seconds per million packets"), packet_bytes=50))},
    "nexmark": {"cpu": Picture(
        (13, 6), "Processor time per million events of NEXMark's queries, start and end not in it", by_query)},
    "manufacturing": {
        "fig9": Picture(
            (9, 4.8), "NEPTUNE's Fig 9 with all engines: readings per second of all jobs and bandwidth on the wire over "
            "concurrent jobs",
            panels("jobs", "concurrent jobs", ("per_s", "readings/s of all jobs"), ("mbit_per_s", "Mbit/s on the wire"))),
        "fig10": Picture(
            (10, 4.8), "NEPTUNE's Fig 10 with all engines: processor time and resident memory with the most concurrent jobs",
            bars("jobs", ("cpu_percent", "CPU, % of one core"), ("resident_mb", "resident MB"))),
    },
    "given_rate": {"fig10": Picture(
        (10, 3), "NEPTUNE's Fig 10 at one given rate: processor time and resident memory of Despina and Storm",
        bars("jobs", ("cpu_percent", "CPU, % of one core"), ("resident_mb", "resident MB")))},
}
"""By work, then by the figure's name: few, since all of them are kept."""
