"""Numbers in words, and Markdown tables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.experiment import Claim, Experiment, Point, Published
from harness.result import Result
from harness.stats import PROMISED_ROUNDS, Estimate

UNITS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
MISSING = "–"


@dataclass(frozen=True)
class Table:
    """Headers and rows of text; the first column is aligned left, the others right."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.headers) for row in self.rows):
            raise ValueError(f"a row has not {len(self.headers)} cells")

    def markdown(self) -> str:
        """As Markdown, columns padded so that the text reads as well."""
        cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in (self.headers, *self.rows)]
        widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(self.headers))]

        def line(row: Sequence[str]) -> str:
            padded = [row[k].ljust(width) if k == 0 else row[k].rjust(width) for k, width in enumerate(widths)]
            return f"| {' | '.join(padded)} |"

        rule = ["-" * width if k == 0 else "-" * (width - 1) + ":" for k, width in enumerate(widths)]
        return "\n".join([line(cells[0]), line(rule), *map(line, cells[1:])]) + "\n"


def tight(page: str) -> str:
    """A page whose tables are not padded: half as long, and rendered alike."""
    rows = [re.sub(r" +(?=\|)|(?<=\|) +|-{2,}(?= *[:|])", lambda found: found[0][:1].strip(), row) if row.startswith("|") else row
            for row in page.split("\n")]
    return "\n".join(rows)


def number(value: float | None, digits: int = 3) -> str:
    """A number in so many significant digits, with k, M, G from ten thousand on; a dash for none."""
    if value is None or math.isnan(value):
        return MISSING
    if abs(value) >= 1e4:
        size, unit = next((size, unit) for size, unit in UNITS if abs(value) >= 0.9995 * size)
        return _plain(value / size, digits) + unit
    return _plain(value, digits)


def _plain(value: float, digits: int) -> str:
    if value == 0 or math.isinf(value):
        return "0" if value == 0 else str(value)
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:,.{min(max(0, digits - 1 - exponent), 6)}f}"


def estimate(found: Estimate | float | None, digits: int = 3) -> str:
    """A figure and its interval."""
    if found is None or isinstance(found, float | int):
        return number(found, digits)
    interval = "" if found.low is None or found.high is None else f" [{number(found.low, digits)}, {number(found.high, digits)}]"
    return number(found.value, digits) + interval


def usual(experiment: Experiment, found: Sequence[Mapping[str, Any]]) -> Table:
    """A row per point and subject: the medians, and the ratio to the baseline with its interval. ``*``: disturbed.

    :param found: of a summary
    """
    keys = list(dict.fromkeys(key for row in found for key in row["at"]))
    compared = experiment.compared or experiment.metrics[0].name
    label = next(metric.label for metric in experiment.metrics if metric.name == compared)
    headers = ["subject", *(key.replace("_", " ") for key in keys), *(metric.label for metric in experiment.metrics)]
    if experiment.baseline:
        headers.append(f"{label}: ratio to {experiment.baseline}")
    rows = []
    for one in found:
        row = [one["subject"] + ("*" if one.get("disturbed") else ""), *(cell(one["at"].get(key)) for key in keys)]
        row += [number(one.get(metric.name, [None])[0], metric.digits) for metric in experiment.metrics]
        if experiment.baseline:
            ratio = Estimate(*one["ratio"]) if "ratio" in one else None
            row.append("1" if one["subject"] == experiment.baseline else estimate(ratio))
        rows.append(row)
    return Table(headers, rows)


def to_baseline(experiment: Experiment, result: Result, subject: str, point: Point) -> Estimate | None:
    """The ratio to the baseline's figure; None for the baseline itself, and where it means nothing."""
    comparable = {each.name for each in experiment.subjects if each.comparable}
    if experiment.baseline is None or subject == experiment.baseline or subject not in comparable:
        return None
    return result.ratio(experiment.compared or experiment.metrics[0].name, subject, experiment.baseline, point)


def cell(value: object) -> str:
    """A point's value."""
    if value is None:
        return MISSING
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def where(point: Point) -> str:
    """A point in words."""
    return ", ".join(f"{key.replace('_', ' ')} {cell(value)}" for key, value in point.items())


def claims(asked: Sequence[Claim], result: Result) -> Table:
    """What must hold, what was found, and whether it does."""
    rows = []
    for claim in asked:
        found = claim.found(result)
        sign = f"≥ {number(claim.at_least)}" if claim.at_least is not None else f"≤ {number(claim.at_most)}"
        few = isinstance(found, Estimate) and found.rounds is not None and found.rounds < PROMISED_ROUNDS
        rounds = f" of {found.rounds} round{'s' if found.rounds != 1 else ''}" if few and isinstance(found, Estimate) else ""
        rows.append([claim.text, sign, estimate(found) + rounds, verdict(claim, found)])
    return Table(["claim", "asked", "found", "holds"], rows)


def verdict(claim: Claim, found: Estimate | float | None) -> str:
    """``yes`` or ``no``, with ``within noise`` where the threshold lies in the figure's interval; a dash for no figure."""
    if found is None:
        return MISSING
    if not isinstance(found, Estimate):
        found = Estimate(float(found))
    ends = [found.value, *(end for end in (found.low, found.high) if end is not None)]
    held = [_holds(claim, end) for end in ends]
    return ("yes" if held[0] else "no") + ("" if len(set(held)) == 1 else ", within noise")


def _holds(claim: Claim, figure: float) -> bool:
    return (claim.at_least is None or figure >= claim.at_least) and (claim.at_most is None or figure <= claim.at_most)


def published(figures: Sequence[Published], result: Result) -> Table:
    """The seeds' figures beside ours."""
    rows = []
    for theirs in figures:
        ours = theirs.ours(result)
        both = ours is not None and theirs.value
        rows.append([theirs.source, theirs.figure, MISSING if ours is None else f"{number(ours)} {theirs.unit}".strip(),
                     number(ours / theirs.value) if ours is not None and theirs.value and both else MISSING])
    return Table(["source", "their figure", "ours", "ratio"], rows)
