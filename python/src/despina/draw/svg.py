"""A drawing as an SVG picture, for a light page and, by ``prefers-color-scheme``, a dark one."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from html import escape
from itertools import pairwise

from despina.draw import layout
from despina.draw.drawing import Arrow, Box, Drawing

MARGIN = 24.0
PADDING = 12.0
TITLE_LINE, DETAIL_LINE, DOC_LINE = 19.0, 15.0, 14.0
TITLE_CHARACTER, DETAIL_CHARACTER, DOC_CHARACTER = 8.4, 6.7, 5.9
HEAD_LINE = 17.0
NAME_CHARACTER = 10.2
HEAD_WIDTH = 320.0
"""How wide the words above the boxes may make a narrow picture."""
LABEL_CHARACTER = 6.2

STYLE = """
  svg { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; background: #ffffff }
  .box { fill: #f7f9fc; stroke: #5b7083; stroke-width: 1.2 } .source { fill: #e7f3ec; stroke: #3f7d5a }
  .sink { fill: #fbefe3; stroke: #a86a2d } .id { font-size: 14px; font-weight: 600; fill: #17212b }
  .type { font-size: 12px; fill: #5b7083 } .detail { font: 11px ui-monospace, "DejaVu Sans Mono", monospace; fill: #33424f }
  .doc { font-size: 11px; font-style: italic; fill: #6b7a88 } .link { fill: none; stroke: #5b7083; stroke-width: 1.4 }
  .label { font-size: 11px; fill: #3b4a57 } .tip { fill: #5b7083 }
  .plate { fill: #ffffff; opacity: 0.85 } .name { font-size: 17px; font-weight: 600; fill: #17212b }
  @media (prefers-color-scheme: dark) {
    svg { background: #14191f } .box { fill: #1e2730 } .source { fill: #1b2e24 } .sink { fill: #33271a }
    .id, .name { fill: #e8eef4 } .detail, .label { fill: #c3ced9 } .type, .doc { fill: #93a3b3 } .plate { fill: #14191f }
  }
"""


def render(drawing: Drawing) -> str:
    """The picture's text."""
    sizes = {box.id: _size(box) for box in drawing.boxes}
    placed = layout.arrange(sizes, [(arrow.start, arrow.end) for arrow in drawing.arrows])
    words = max(len(drawing.name) * NAME_CHARACTER, min(len(drawing.doc) * DOC_CHARACTER, HEAD_WIDTH))
    width = max(placed.width, words) + 2 * MARGIN
    head = textwrap.wrap(drawing.doc, max(40, int((width - 2 * MARGIN) / DOC_CHARACTER)))
    top = MARGIN + 24.0 + HEAD_LINE * len(head)
    height = top + placed.height + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(drawing.name)}">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>',
        f'<text class="name" x="{MARGIN}" y="{MARGIN + 12}">{escape(drawing.name)}</text>',
    ]
    parts += [f'<text class="doc" x="{MARGIN}" y="{MARGIN + 14 + HEAD_LINE * (i + 1):.0f}">{escape(line)}</text>'
              for i, line in enumerate(head)]
    parts.append(f'<g transform="translate({MARGIN} {top + MARGIN / 2:.0f})">')
    labels: list[str] = []
    parts += _links(drawing, placed, labels)
    parts += [_draw(box, placed.boxes[box.id]) for box in drawing.boxes]
    return "\n".join([*parts, *labels, "</g>", "</svg>"]) + "\n"


def _size(box: Box) -> tuple[float, float]:
    width = max([len(box.id) * TITLE_CHARACTER, len(box.type) * DETAIL_CHARACTER,
                 *(len(line) * DETAIL_CHARACTER for line in box.details), *(len(line) * DOC_CHARACTER for line in box.doc)])
    height = TITLE_LINE + DETAIL_LINE + DETAIL_LINE * len(box.details) + DOC_LINE * len(box.doc) + (4.0 if box.doc else 0.0)
    return max(width, 90.0) + 2 * PADDING, height + 1.4 * PADDING


def _draw(box: Box, spot: layout.Spot) -> str:
    x, y = spot.x + PADDING, spot.y + PADDING + 9
    lines = [f'<g><title>{escape(" ".join(box.doc) or box.id)}</title>',
             f'<rect class="box {box.kind}" x="{spot.x:.1f}" y="{spot.y:.1f}" width="{spot.width:.1f}" '
             f'height="{spot.height:.1f}" rx="{12 if box.kind else 4}"/>',
             f'<text class="id" x="{x:.1f}" y="{y:.1f}">{escape(box.id)}</text>']
    y += TITLE_LINE - 3
    lines.append(f'<text class="type" x="{x:.1f}" y="{y:.1f}">{escape(box.type)}</text>')
    for detail in box.details:
        y += DETAIL_LINE
        lines.append(f'<text class="detail" x="{x:.1f}" y="{y:.1f}">{escape(detail)}</text>')
    y += 4
    for line in box.doc:
        y += DOC_LINE
        lines.append(f'<text class="doc" x="{x:.1f}" y="{y:.1f}">{escape(line)}</text>')
    return "\n".join([*lines, "</g>"])


def _links(drawing: Drawing, placed: layout.Layout, labels: list[str]) -> list[str]:
    """The arrows; where several leave or reach a box they share its side evenly, in the order of their other ends."""
    leave, reach = defaultdict(list), defaultdict(list)
    for index, arrow in enumerate(drawing.arrows):
        route = placed.routes[index]
        leave[arrow.start].append((route[0].middle if route else placed.boxes[arrow.end].middle, index))
        reach[arrow.end].append((route[-1].middle if route else placed.boxes[arrow.start].middle, index))
    starts = {i: y for name, ends in leave.items() for i, y in _spread(placed.boxes[name], sorted(ends))}
    ends = {i: y for name, sides in reach.items() for i, y in _spread(placed.boxes[name], sorted(sides))}
    lines = []
    for index, arrow in enumerate(drawing.arrows):
        start, end = placed.boxes[arrow.start], placed.boxes[arrow.end]
        points = [(start.x + start.width, starts[index])]
        points += [(spot.x, spot.middle) for spot in placed.routes[index]]
        points.append((end.x - 1, ends[index]))
        path = _back(points[0], points[-1], placed.height) if points[0][0] >= points[-1][0] else _curve(points)
        lines.append(f'<path class="link" d="{path}" marker-end="url(#tip)"/>')
        labels += _labels(arrow, points)
    return lines


def _spread(box: layout.Spot, ends: list[tuple[float, int]]) -> list[tuple[int, float]]:
    step = min(22.0, box.height / (len(ends) + 1))
    first = box.middle - step * (len(ends) - 1) / 2
    return [(index, first + step * position) for position, (_, index) in enumerate(ends)]


def _curve(points: list[tuple[float, float]]) -> str:
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (x + to_x) / 2
        parts.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}")
    return " ".join(parts)


def _back(start: tuple[float, float], end: tuple[float, float], height: float) -> str:
    """A link that leads back, in a graph that check would refuse, runs underneath."""
    low = height + 14
    return (f"M{start[0]:.1f} {start[1]:.1f} C{start[0] + 40:.1f} {start[1]:.1f} {start[0] + 40:.1f} {low:.1f} "
            f"{start[0]:.1f} {low:.1f} L{end[0]:.1f} {low:.1f} C{end[0] - 40:.1f} {low:.1f} {end[0] - 40:.1f} {end[1]:.1f} "
            f"{end[0]:.1f} {end[1]:.1f}")


def _labels(arrow: Arrow, points: list[tuple[float, float]]) -> list[str]:
    """Port names at their ends, a link's own words in its middle."""
    (x, y), (end_x, end_y) = points[0], points[-1]
    found = [(arrow.start_port, x + 6, y - 5, "start"), (arrow.end_port, end_x - 12, end_y - 5, "end")]
    half = points[len(points) // 2 - 1], points[len(points) // 2]
    found.append((arrow.label, (half[0][0] + half[1][0]) / 2, (half[0][1] + half[1][1]) / 2 - 5, "middle"))
    parts = []
    for text, at_x, at_y, anchor in found:
        if text:
            wide = len(text) * LABEL_CHARACTER
            left = at_x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            parts.append(f'<rect class="plate" x="{left - 2:.1f}" y="{at_y - 10:.1f}" '
                         f'width="{wide + 4:.1f}" height="13" rx="2"/>'
                         f'<text class="label" text-anchor="{anchor}" x="{at_x:.1f}" y="{at_y:.1f}">{escape(text)}</text>')
    return parts
