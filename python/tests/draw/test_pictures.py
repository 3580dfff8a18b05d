from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import despina
from despina.draw import drawing, mermaid, svg
from despina.errors import RefusedError

SVG = "{http://www.w3.org/2000/svg}"
GRAPH: dict[str, Any] = {
    "name": "a & b", "doc": "What <it> is for.",
    "operators": {
        "end": {"type": "generator_source", "count": 3},
        "kept": {"type": "filter", "where": 'x < "5"', "doc": "Only the small ones."},
        "sink": {"type": "discard_sink", "parallelism": 2},
    },
    "links": [{"from": "end", "to": "kept"}, {"from": "kept.rejected", "to": "sink", "partition": {"type": "round_robin"}}],
}


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_every_graph_of_the_repository_can_be_drawn(repository: Path) -> None:
    for file in sorted((repository / "graphs").glob("*.graph.json")):
        graph = despina.load(file)
        shown = texts(graph.to_svg())
        assert set(graph.to_dict()["operators"]) <= set(shown)
        assert graph.name in shown
        assert graph.to_mermaid().count("-->") == len(graph.to_dict()["links"])


def test_svg_shows_ids_types_details_docs_ports_and_link_words() -> None:
    shown = texts(svg.render(drawing.of(GRAPH)))
    for words in ("a & b", "What <it> is for.", "kept", "filter", 'where: x < "5"', "Only the small ones.", "rejected",
                  "round_robin", "× 2", "count: 3"):
        assert words in shown


def test_svg_text_stays_inside_its_box() -> None:
    long = {"operators": {"x" * 40: {"type": "relay", "doc": "word " * 60}}, "links": []}
    box = drawing.of(long).boxes[0]
    width, height = svg._size(box)
    assert width >= 40 * 8
    assert height >= 14 * len(box.doc)
    assert all(len(line) <= drawing.DOC_WIDTH for line in box.doc)


def test_mermaid_escapes_texts_and_reserved_names() -> None:
    text = mermaid.render(drawing.of(GRAPH))
    assert '  end_(["<b>end</b><br/><i>generator_source</i><br/>count: 3"])' in text
    assert "where: x #lt; #quot;5#quot;" in text
    assert '  kept -->|"rejected round_robin"| sink' in text
    assert "  end_ --> kept" in text


def test_a_feedback_link_is_dashed_and_runs_back() -> None:
    loop = {"operators": {"a": {"type": "relay"}, "b": {"type": "relay"}},
            "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "a", "feedback": True}]}
    assert "b -.-> a" in mermaid.render(drawing.of(loop))
    assert 'class="link feedback"' in svg.render(drawing.of(loop))


@pytest.mark.parametrize("content", [{}, {"operators": {}}, {"operators": []}])
def test_nothing_to_draw_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="nothing to draw"):
        drawing.of(content)


def test_a_link_to_nowhere_is_refused() -> None:
    with pytest.raises(RefusedError, match="'b', which is no operator"):
        drawing.of({"operators": {"a": {"type": "relay"}}, "links": [{"from": "a", "to": "b"}]})
