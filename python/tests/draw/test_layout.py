from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from despina.draw.layout import Layout, arrange

NAMES = [f"n{i}" for i in range(9)]
SIZE = st.tuples(st.integers(40, 200).map(float), st.integers(20, 120).map(float))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]:
    names = NAMES[:draw(st.integers(1, len(NAMES)))]
    sizes = {name: draw(SIZE) for name in names}
    end = st.sampled_from(names)
    return sizes, draw(st.lists(st.tuples(end, end), max_size=14))


def overlaps(layout: Layout) -> list[tuple[str, str]]:
    def apart(a: str, b: str) -> bool:
        p, q = layout.boxes[a], layout.boxes[b]
        return (p.x + p.width <= q.x or q.x + q.width <= p.x or p.y + p.height <= q.y + 1e-6 or q.y + q.height <= p.y + 1e-6)
    return [(a, b) for a, b in combinations(layout.boxes, 2) if not apart(a, b)]


@given(graphs())
def test_boxes_never_overlap_and_lie_inside(graph: tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]) -> None:
    layout = arrange(*graph)
    assert overlaps(layout) == []
    for spot in layout.boxes.values():
        assert spot.x >= -1e-6
        assert spot.y >= -1e-6
        assert spot.x + spot.width <= layout.width + 1e-6
        assert spot.y + spot.height <= layout.height + 1e-6


@given(graphs())
def test_links_run_to_the_right_unless_they_close_a_cycle(
        graph: tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]) -> None:
    sizes, edges = graph
    forward = [(a, b) for a, b in edges if a < b]
    layout = arrange(sizes, forward)
    assert all(layout.boxes[a].layer < layout.boxes[b].layer for a, b in forward)
    for (a, b), route in zip(forward, layout.routes, strict=True):
        assert [point.layer for point in route] == list(range(layout.boxes[a].layer + 1, layout.boxes[b].layer))


def test_a_chain_is_straight() -> None:
    layout = arrange({"a": (80, 40), "b": (90, 80), "c": (80, 20)}, [("a", "b"), ("b", "c")])
    assert len({round(spot.middle, 3) for spot in layout.boxes.values()}) == 1


def test_a_fan_is_centred_and_uncrossed() -> None:
    sizes = dict.fromkeys(["s", "x", "y", "z", "t"], (80.0, 40.0))
    layout = arrange(sizes, [("s", "z"), ("s", "x"), ("s", "y"), ("y", "t"), ("x", "t"), ("z", "t")])
    middles = sorted(layout.boxes[name].middle for name in "xyz")
    assert round(layout.boxes["s"].middle, 3) == round(middles[1], 3) == round(layout.boxes["t"].middle, 3)


def test_a_source_stands_next_to_its_first_reader() -> None:
    sizes = dict.fromkeys(["a", "b", "c", "late"], (80.0, 40.0))
    layout = arrange(sizes, [("a", "b"), ("b", "c"), ("late", "c")])
    assert layout.boxes["late"].layer == layout.boxes["b"].layer


def test_the_same_drawing_gives_the_same_layout() -> None:
    sizes = dict.fromkeys(NAMES, (80.0, 40.0))
    edges = [(NAMES[i], NAMES[(3 * i + 1) % 9]) for i in range(9)]
    first, second = arrange(sizes, edges), arrange(sizes, edges)
    assert [(s.x, s.y) for s in first.boxes.values()] == [(s.x, s.y) for s in second.boxes.values()]
