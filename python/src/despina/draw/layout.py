"""Where the boxes of a drawing stand: layers from left to right, few crossings, straight chains.

A small form of Sugiyama's method: layers by longest path, long arrows broken by invisible points, order within a layer by
the median of the neighbours, heights by averaging. Pure: sizes in, places out, the same for the same drawing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SWEEPS = 12
LAYER_GAP = 90.0
BOX_GAP = 26.0
POINT_GAP = 14.0
POINT_HEIGHT = 8.0


@dataclass
class Spot:
    """A box or an invisible point of a long arrow: its layer, its size, and the left upper corner it gets."""

    name: str
    layer: int
    width: float
    height: float
    box: bool = True
    x: float = 0.0
    y: float = 0.0
    before: list[Spot] = field(default_factory=list)
    after: list[Spot] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The height of its centre."""
        return self.y + self.height / 2


@dataclass(frozen=True)
class Layout:
    """Boxes by name, the points that each edge passes between its ends, and the whole size."""

    boxes: Mapping[str, Spot]
    routes: Sequence[Sequence[Spot]]
    width: float
    height: float


def arrange(sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]]) -> Layout:
    """Places boxes of these (width, height); edges that close a cycle run back and are routed without a say in the layers."""
    back = _closing(list(sizes), edges)
    layer_of = _layers(list(sizes), [edge for edge in edges if edge not in back])
    boxes = {name: Spot(name, layer_of[name], *size) for name, size in sizes.items()}
    layers: list[list[Spot]] = [[] for _ in range(max(layer_of.values()) + 1)]
    for spot in boxes.values():
        layers[spot.layer].append(spot)
    routes = [_route(boxes, layers, edge) if edge not in back and edge[0] != edge[1] else [] for edge in edges]
    _order(layers)
    width = _columns(layers)
    _rows(layers)
    lowest = min(spot.y for layer in layers for spot in layer)
    for layer in layers:
        for spot in layer:
            spot.y -= lowest
    return Layout(boxes, routes, width, max(spot.y + spot.height for layer in layers for spot in layer))


def _closing(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges that lead back to a box still being visited."""
    after = defaultdict(list)
    for start, end in edges:
        after[start].append(end)
    state: dict[str, int] = {}
    back = set()
    for root in names:
        stack = [(root, iter(after[root]))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            name, rest = stack[-1]
            for end in rest:
                if state.get(end) == 1:
                    back.add((name, end))
                elif end not in state:
                    state[end] = 1
                    stack.append((end, iter(after[end])))
                    break
            else:
                state[name] = 2
                stack.pop()
    return back


def _layers(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Longest path from the sources; a source then moves right, next to its first reader."""
    layer = dict.fromkeys(names, 0)
    for _ in names:
        changed = False
        for start, end in edges:
            if layer[end] <= layer[start]:
                layer[end] = layer[start] + 1
                changed = True
        if not changed:
            break
    fed = {end for _, end in edges}
    for name in names:
        readers = [layer[end] for start, end in edges if start == name]
        if name not in fed and readers:
            layer[name] = min(readers) - 1
    return layer


def _route(boxes: Mapping[str, Spot], layers: Sequence[list[Spot]], edge: tuple[str, str]) -> list[Spot]:
    start, end = boxes[edge[0]], boxes[edge[1]]
    points = [Spot("", layer, 0.0, POINT_HEIGHT, box=False) for layer in range(start.layer + 1, end.layer)]
    chain = [start, *points, end]
    for left, right in pairwise(chain):
        left.after.append(right)
        right.before.append(left)
    for point in points:
        layers[point.layer].append(point)
    return points


def _order(layers: Sequence[list[Spot]]) -> None:
    """Sweeps to and fro; keeps the order with the fewest crossings."""
    best = [list(layer) for layer in layers]
    fewest = _crossings(layers)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for layer in layers if forward else reversed(layers):
            _sort_by_neighbours(layer, layers, forward)
        if (crossings := _crossings(layers)) < fewest:
            fewest, best = crossings, [list(layer) for layer in layers]
    for layer, order in zip(layers, best, strict=True):
        layer[:] = order


def _sort_by_neighbours(layer: list[Spot], layers: Sequence[list[Spot]], forward: bool) -> None:
    position = {id(spot): index for one in layers for index, spot in enumerate(one)}

    def centre(spot: Spot) -> float:
        neighbours = spot.before if forward else spot.after
        if not neighbours:
            return position[id(spot)]
        return sum(position[id(n)] for n in neighbours) / len(neighbours)

    layer.sort(key=centre)


def _crossings(layers: Sequence[list[Spot]]) -> int:
    position = {id(spot): index for layer in layers for index, spot in enumerate(layer)}
    total = 0
    for layer in layers:
        pairs = [(position[id(spot)], position[id(end)]) for spot in layer for end in spot.after]
        total += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(pairs) for c, d in pairs[:i])
    return total


def _columns(layers: Sequence[list[Spot]]) -> float:
    x = 0.0
    for layer in layers:
        width = max((spot.width for spot in layer), default=0.0)
        for spot in layer:
            spot.x = x + (width - spot.width) / 2
        x += width + LAYER_GAP
    return x - LAYER_GAP


def _rows(layers: Sequence[list[Spot]]) -> None:
    """Starts packed, then pulls each box to the mean of its neighbours, sweep by sweep, as far as its own neighbours let it.

    First from one side at a time, which straightens chains, then from both, which centres a box between them.
    """
    for layer in layers:
        _pack(layer, [0.0] * len(layer))
    for sweep in range(2 * SWEEPS):
        forward = sweep % 2 == 0
        for layer in layers if forward else reversed(layers):
            sides = [spot.before if forward else spot.after for spot in layer]
            if sweep >= SWEEPS:
                sides = [spot.before + spot.after for spot in layer]
            _pack(layer, [_centre(near or [spot]) - spot.height / 2 for spot, near in zip(layer, sides, strict=True)])


def _centre(spots: Sequence[Spot]) -> float:
    return sum(spot.middle for spot in spots) / len(spots)


def _pack(layer: Sequence[Spot], wanted: Sequence[float]) -> None:
    """The nearest heights to the wanted ones that keep order and gaps: blocks that touch move to their mean together."""
    blocks: list[tuple[list[Spot], list[float], float]] = []   # spots, offsets within the block, top
    for spot, want in zip(layer, wanted, strict=True):
        blocks.append(([spot], [0.0], want))
        while len(blocks) > 1:
            (spots, offsets, top), (others, more, lower) = blocks[-2], blocks[-1]
            bottom = top + offsets[-1] + spots[-1].height + _gap(spots[-1], others[0])
            if bottom <= lower:
                break
            shift = bottom - top
            merged = (spots + others, offsets + [shift + o for o in more])
            top = (top * len(spots) + (lower - shift) * len(others)) / len(merged[0])
            blocks[-2:] = [(*merged, top)]
    for spots, offsets, top in blocks:
        for spot, offset in zip(spots, offsets, strict=True):
            spot.y = top + offset


def _gap(above: Spot, below: Spot) -> float:
    return BOX_GAP if above.box and below.box else POINT_GAP
