"""Figures of the comparison, as PNG and SVG; lines differ by marker and dash, so that black and white will do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from compare.works import Work
from harness import Result
from harness.plots import short, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 120
MARKERS = "osD^vPX*<>h"
HATCHES = ("///", "", "...", "xxx", "\\\\\\", "ooo", "---", "+++")
DASHES = ("-", "--", "-.", ":")
GREYS = ("#000000", "#0b6fa4", "#c8501e", "#2e8b57", "#8a4fa8", "#b8860b", "#d1478c", "#777777", "#4f9da8", "#5c4033")

Draw = Callable[[Result, "Figure"], None]


def save(work: Work, result: Result, folder: Path) -> list[Path]:
    """Draws the work's figures; none without matplotlib.

    :return: PNG and SVG of each
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return []
    written = []
    for name, (size, draw) in FIGURES.get(work.name, {}).items():
        picture = Figure(figsize=size, dpi=DPI, layout="constrained")
        draw(result, picture)
        if result.about.get("mode") != "full":
            picture.text(0.995, 0.002, f"{result.about.get('mode')} run", ha="right", va="bottom", fontsize=7, color="#a33")
        for kind in ("png", "svg"):
            path = folder / f"compare_{work.name}_{name}.{kind}"
            picture.savefig(path, metadata={"Date": None} if kind == "svg" else None)
            written.append(path)
    return written


def panels(x: str, x_label: str, *shown: tuple[str, str], log_y: bool = True) -> Draw:
    """Metrics side by side over one key of the points, a line per row."""
    def draw(result: Result, picture: Figure) -> None:
        for k, (metric, label) in enumerate(shown):
            axes = picture.add_subplot(1, len(shown), k + 1)
            _lines(axes, result, x, metric)
            style(axes, "", x_label, label)
            if log_y:
                axes.set_yscale("log")
            xs = sorted({point[x] for point in result.points() if x in point})
            if len(xs) > 1:
                axes.set_xscale("log")
            axes.set_xticks(xs, [short(value) for value in xs], rotation=30)
            axes.minorticks_off()
        handles, labels = picture.axes[0].get_legend_handles_labels()
        picture.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8, frameon=False)
    return draw


def _lines(axes: Axes, result: Result, x: str, metric: str) -> None:
    for k, subject in enumerate(result.subjects):
        points = sorted((p for p in result.points() if x in p), key=lambda p: float(p[x]))
        found = [(p[x], result.median(metric, subject, p)) for p in points]
        xs = [at for at, value in found if value is not None]
        ys = [value for _, value in found if value is not None]
        axes.plot(xs, ys, color=GREYS[k % len(GREYS)], marker=MARKERS[k % len(MARKERS)], linestyle=DASHES[k % len(DASHES)],
                  markersize=5, linewidth=1.4, label=subject)


def bars(*shown: tuple[str, str]) -> Draw:
    """Metrics side by side, a hatched bar per row; dots are the repeats."""
    def draw(result: Result, picture: Figure) -> None:
        for k, (metric, label) in enumerate(shown):
            axes = picture.add_subplot(1, len(shown), k + 1)
            _bars(axes, result, metric)
            style(axes, "", label, "")
            axes.grid(False, axis="y")
    return draw


def _bars(axes: Axes, result: Result, metric: str) -> None:
    names: list[str] = []
    for k, subject in reversed(list(enumerate(result.subjects))):
        for point in result.points():
            values = result.values(metric, subject, point)
            if values:
                axes.barh(len(names), result.median(metric, subject, point) or 0.0, height=0.6, color="white",
                          edgecolor=GREYS[k % len(GREYS)], hatch=HATCHES[k % len(HATCHES)])
                axes.plot(values, [len(names)] * len(values), linestyle="", marker=".", color="black")
                names.append(subject)
    axes.set_yticks(range(len(names)), names)


def over_time(result: Result, picture: Figure) -> None:
    """Resident memory and the kernel's socket memory over the window, of each row's last run."""
    for k, (key, label) in enumerate((("resident_bytes", "resident MB"), ("socket_memory_bytes", "kernel socket MB"))):
        axes = picture.add_subplot(1, 2, k + 1)
        for n, subject in enumerate(result.subjects):
            runs = [r.raw["found"]["costs"][key] for r in result.repeats if r.subject == subject and r.values]
            if runs:
                axes.plot(range(1, len(runs[-1]) + 1), [value / 1e6 for value in runs[-1]], color=GREYS[n % len(GREYS)],
                          linestyle=DASHES[n % len(DASHES)], marker=MARKERS[n % len(MARKERS)], markevery=5, label=subject)
        style(axes, "", "seconds", label)
        axes.set_ylim(bottom=0)
    picture.axes[0].legend(fontsize=8, frameon=False)


FIGURES: dict[str, dict[str, tuple[tuple[float, float], Draw]]] = {
    "relay": {"sizes": ((13, 4.8), panels("packet_bytes", "packet bytes", ("per_s", "packets/s"),
                                          ("mbit_per_s", "Mbit/s on the wire, both hops"),
                                          ("cpu_s_per_million", "CPU-seconds per million packets")))},
    "rates": {"latency": ((13, 4.8), panels("rate_per_s", "packets/s", ("p50_ms", "median latency, ms"),
                                            ("p99_ms", "p99 latency, ms"),
                                            ("cpu_s_per_million", "CPU-seconds per million packets")))},
    "manufacturing": {
        "jobs": ((9, 4.8), panels("jobs", "concurrent jobs", ("per_s", "readings/s of all jobs"),
                                  ("mbit_per_s", "Mbit/s on the wire"))),
        "resources": ((9, 4.8), panels("jobs", "concurrent jobs", ("cpu_percent", "CPU, % of one core"),
                                       ("resident_mb", "resident MB"), log_y=False)),
    },
    "fixed_window": {"events": ((10, 4), bars(("per_s", "events/s"), ("cpu_s_per_million", "CPU-seconds per million events")))},
    "word_count": {"events": ((10, 4), bars(("per_s", "words/s"), ("cpu_s_per_million", "CPU-seconds per million words")))},
    "slow_sink": {"memory": ((10, 4), over_time)},
    "idle": {"cpu": ((10, 4), bars(("idle_cpu_percent", "operators' CPU, % of one core"), ("resident_mb", "resident MB")))},
}
"""By work, then by the figure's name: its size in inches and how it is drawn."""

