"""Figures that look alike. Matplotlib is imported when one is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from despina.errors import StartError
from harness.experiment import Experiment, Figure, Metric, Point
from harness.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Picture

COLOURS = {"despina": "#0b6fa4", "bare relay": "#555555", "bare relay, hand-off": "#a0a0a0",
           "bare relay, unpaced": "#a0a0a0"}
OTHERS = ("#c8501e", "#2e8b57", "#8a4fa8", "#b8860b", "#d1478c", "#4f9da8")
MARKERS = "osD^vPX*"
DPI = 120


def save(experiment: Experiment, result: Result, folder: Path) -> list[Path]:
    """Draws every figure of an experiment as ``EXPERIMENT_FIGURE.png``.

    :raise StartError: there is no matplotlib
    """
    return [_save(experiment, figure, result, folder) for figure in experiment.figures]


def _save(experiment: Experiment, figure: Figure, result: Result, folder: Path) -> Path:
    try:
        from matplotlib.figure import Figure as NewPicture
    except ImportError:
        raise StartError("package_missing", "figures are drawn with matplotlib, which is not installed",
                         "pip install 'despina[bench]'") from None
    picture = NewPicture(figsize=figure.size, dpi=DPI, layout="constrained")
    figure.draw(result, picture)
    if not result.full:
        picture.set_layout_engine("constrained", rect=(0, 0.035, 1, 0.965))
        picture.text(0.995, 0.005, f"{result.about.get('mode')} run: shows that it works, no more", ha="right", va="bottom",
                     fontsize=7, color="#a33")
    path = folder / f"{experiment.name}_{figure.name}.png"
    picture.savefig(path)
    return path


@dataclass(frozen=True)
class Lines:
    """One panel of lines: a metric over one key of the points, a line per subject and per value of ``each``.

    :ivar where: only points with these values
    :ivar scale: what the metric is multiplied with, for the label's unit
    """

    x: str
    metric: Metric
    each: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    subjects: Sequence[str] | None = None
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    log_x: bool = True
    log_y: bool = False
    scale: float = 1.0


def lines(*panels: Lines) -> Callable[[Result, Picture], None]:
    """A figure of panels side by side; dots are the repeats, lines the medians."""
    def draw(result: Result, picture: Picture) -> None:
        for k, panel in enumerate(panels):
            _panel(picture.add_subplot(1, len(panels), k + 1), panel, result)
    return draw


def _panel(axes: Axes, panel: Lines, result: Result) -> None:
    kinds = list(dict.fromkeys(point.get(panel.each) for point in result.points(**panel.where))) if panel.each else [None]
    colour = colours(result.subjects, len(kinds) > 1)
    for subject, kind in itertools.product(panel.subjects or result.subjects, kinds):
        points = [p for p in result.points(**panel.where) if panel.each is None or p.get(panel.each) == kind]
        name = subject if kind is None else f"{subject}, {kind:,}" if isinstance(kind, int) else f"{subject}, {kind}"
        _line(axes, panel, result, (subject, points, name, next(colour)))
    style(axes, panel.title, panel.x_label or panel.x.replace("_", " "), panel.y_label or panel.metric.label)
    xs = sorted({point[panel.x] for point in result.points(**panel.where)})
    if panel.log_x and len(xs) > 1 and xs[0] > 0:
        axes.set_xscale("log", base=2)
        axes.set_xticks(xs, [short(x) for x in xs], rotation=30 if len(xs) > 7 else 0)
        axes.minorticks_off()
    elif len(xs) <= 12:
        axes.set_xticks(xs, [short(x) for x in xs])
    if panel.log_y:
        log_y(axes)
    else:
        axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * 1.03)
        axes.yaxis.set_major_formatter(lambda y, _: plain(y))
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend(fontsize=8, frameon=False)


def _line(axes: Axes, panel: Lines, result: Result, drawn: tuple[str, Sequence[Point], str, tuple[str, str]]) -> None:
    subject, points, name, (colour, marker) = drawn
    found = [(p[panel.x], [panel.scale * v for v in result.values(panel.metric.name, subject, p)],
              result.median(panel.metric.name, subject, p)) for p in points]
    found = sorted((f for f in found if f[2] is not None), key=lambda f: f[0])
    if not found:
        return
    axes.plot([x for x, _, _ in found], [panel.scale * (m or 0.0) for _, _, m in found], color=colour, marker=marker,
              markersize=5, linewidth=1.6, label=name)
    for x, values, _ in found:
        axes.plot([x] * len(values), values, linestyle="", marker=".", markersize=4, color=colour, alpha=0.35)


def colours(subjects: Sequence[str], many: bool = False) -> itertools.cycle[tuple[str, str]]:
    """A colour and marker per line, the same for a subject in every figure."""
    spare = itertools.cycle(OTHERS)
    if many:
        return itertools.cycle(list(zip((*COLOURS.values(), *OTHERS), itertools.cycle(MARKERS), strict=False)))
    return itertools.cycle([(COLOURS.get(s) or next(spare), m) for s, m in zip(subjects, itertools.cycle(MARKERS), strict=False)])


def style(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """Titles, labels and a light grid."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(True, which="major", color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def log_y(axes: Axes) -> None:
    """A logarithmic y axis with plain numbers at 1, 2 and 5."""
    axes.set_yscale("log")
    _numbered(axes, "y", axes.yaxis)


def log_x(axes: Axes, values: Sequence[float]) -> None:
    """As :func:`log_y`, so wide around these values that it has such a number."""
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 2, max(values) * 2)
    _numbered(axes, "x", axes.xaxis)


def _numbered(axes: Axes, which: Literal["x", "y"], axis: Axis) -> None:
    axis.set_major_formatter(lambda value, _: short(value))
    axis.set_minor_formatter(lambda value, _: short(value) if f"{value:.0e}"[0] in "25" else "")
    axes.tick_params(axis=which, which="minor", labelsize=7)


def plain(value: float) -> str:
    """A tick of a linear axis: 0.05, 250, 12.5 k, 30 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= 10 * size or (abs(value) >= size > 1e3):
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def short(value: float) -> str:
    """A tick: 64 k, 1 M (by 1024 where it is a power of two)."""
    for size, unit in ((1 << 20, " M"), (1 << 10, " k"), (1e6, " M"), (1e3, " k")):
        if value >= size and (value % size == 0 or (size % 10 == 0 and value % (size / 10) == 0)):
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def percentiles(each: str, title: str) -> Callable[[Result, Picture], None]:
    """A figure with a panel per value of ``each``: latency over percentiles, a line per subject.

    :param title: of a panel, with the value for ``{}``
    """
    labels = {"p50_ms": "50", "p95_ms": "95", "p99_ms": "99", "p999_ms": "99.9"}

    def draw(result: Result, picture: Picture) -> None:
        values = list(dict.fromkeys(point[each] for point in result.points()))
        for k, value in enumerate(values):
            axes = picture.add_subplot(1, len(values), k + 1)
            point = result.points(**{each: value})[0]
            for subject, (colour, marker) in zip(result.subjects, colours(result.subjects), strict=False):
                heights = [result.median(name, subject, point) for name in labels]
                if None in heights:
                    continue
                axes.plot(range(len(labels)), [h or 0.0 for h in heights], color=colour, marker=marker, label=subject)
                for x, name in enumerate(labels):
                    repeats = result.values(name, subject, point)
                    axes.plot([x] * len(repeats), repeats, linestyle="", marker=".", markersize=4, color=colour, alpha=0.35)
            log_y(axes)
            style(axes, title.format(value), "percentile", "ms from due time to sink")
            axes.set_xticks(range(len(labels)), list(labels.values()))
            axes.legend(fontsize=8, frameon=False)
    return draw


def bars(metric: Metric, each: str) -> Callable[[Result, Picture], None]:
    """A figure with a group of bars for each value of ``each``, a bar for each subject; its scale is logarithmic."""
    def draw(result: Result, picture: Picture) -> None:
        axes = picture.add_subplot()
        points = result.points()
        width = 0.8 / max(1, len(result.subjects))
        for k, (subject, (colour, _)) in enumerate(zip(result.subjects, colours(result.subjects), strict=False)):
            found = [(x, result.median(metric.name, subject, point)) for x, point in enumerate(points)]
            there = [(x + (k + 0.5) * width - 0.4, height) for x, height in found if height is not None]
            if there:
                axes.bar([x for x, _ in there], [height for _, height in there], width, color=colour, label=subject)
        log_y(axes)
        style(axes, "", each.replace("_", " "), metric.label)
        axes.set_xticks(range(len(points)), [str(point[each]) for point in points])
        axes.legend(fontsize=8, frameon=False)
    return draw
