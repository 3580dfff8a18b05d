from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import despina
from despina.draw import drawing, mermaid, plan, svg
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


@pytest.mark.parametrize(("fields", "detail"), [
    ({"window": {"type": "trailing", "size_ms": 86_400_000}}, "window: trailing size 24 h"),
    ({"window": {"type": "sliding", "size_ms": 90_000, "slide_ms": 1500}}, "window: sliding size 90 s slide 1…"),
    ({"window": {"type": "tumbling", "size_ms": 120_000}}, "window: tumbling size 2 min"),
    ({"window": {"type": "tumbling", "size_ms": "${size}"}}, "window: tumbling size ${size}"),
    ({"between_ms": {"from": -1000, "to": 0}}, "between: from -1 s to 0 ms"),
    ({"sleep_ms": 0.5}, "sleep: 0.5 ms"),
    ({"of": "split(replace(lower(text),'-',''),'x')"}, "of: split(replace(lower(text),'-'…"),
    ({"as_of": {}}, "as_of: newest before"), ({"as_of": {"max_age_ms": 5000}}, "as_of: max_age 5 s"),
    ({"rows": {"type": "select", "select": ["id AS n"]}}, "rows: select id AS n"),
])
def test_spans_of_time_have_units_and_no_word_stands_twice(fields: dict[str, Any], detail: str) -> None:
    assert drawing.of({"operators": {"a": {"type": "relay", **fields}}, "links": []}).boxes[0].details == (detail,)


def test_what_reaches_outside_is_shown_first() -> None:
    written = {"in": {"type": "tcp_source", "format": "csv", "port": "${port}", "host": "0.0.0.0"},
               "out": {"type": "http_sink", "format": "json", "url": "${url}"}}
    shown = {box.id: box.details for box in drawing.of({"operators": written, "links": []}).boxes}
    assert shown == {"in": ("port: 0.0.0.0:${port}", "format: csv"), "out": ("url: ${url}", "format: json")}


def test_a_picture_is_as_wide_as_its_boxes_or_its_words() -> None:
    narrow = {"name": "g", "operators": {"a": {"type": "relay"}}, "links": []}
    wide = [float(svg.render(drawing.of(graph)).split('width="')[1].split('"')[0])
            for graph in (narrow, narrow | {"name": "g" * 30})]
    assert wide[0] < 200 < 300 < wide[1]


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


def test_mermaid_shows_what_the_graph_is_for() -> None:
    assert mermaid.render(drawing.of(GRAPH)).splitlines()[1] == 'title: "a & b: What <it> is for."'
    assert mermaid.render(drawing.of({**GRAPH, "doc": "Two\n\"lines\"."})).splitlines()[1] == 'title: "a & b: Two \\"lines\\"."'


def test_a_cycle_is_drawn() -> None:
    cycle = {"operators": {"a": {"type": "relay"}, "b": {"type": "relay"}},
             "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]}
    assert "b --> a" in mermaid.render(drawing.of(cycle))
    assert svg.render(drawing.of(cycle)).count('class="link"') == 2


def test_a_parallelism_that_a_parameter_gives_is_shown_as_it_is_written() -> None:
    several = {"operators": {"a": {"type": "relay", "parallelism": "${n}"}}}
    assert drawing.of(several).boxes[0].details == ("× ${n}",)


@pytest.mark.parametrize("content", [{}, {"operators": {}}, {"operators": []}])
def test_nothing_to_draw_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="nothing to draw"):
        drawing.of(content)


@pytest.mark.parametrize(("text", "words"), [
    ("[]", "the graph is not an object"), ("7", "the graph is not an object"),
    ('{"operators": {"a": []}}', "operator a is not an object"),
    ('{"operators": {"a": {}}, "links": [7]}', "link 0 is not an object"),
    ('{"operators": {"a": {}}, "links": {}}', "`links` is not an array"),
])
def test_what_is_no_graph_is_refused(text: str, words: str) -> None:
    with pytest.raises(RefusedError, match=words) as raised:
        despina.Graph(text, "g.json").to_mermaid()
    assert raised.value.rule == "draw"


def test_a_link_to_nowhere_is_refused() -> None:
    with pytest.raises(RefusedError, match="'b', which is not an operator"):
        drawing.of({"operators": {"a": {"type": "relay"}}, "links": [{"from": "a", "to": "b"}]})


def test_a_plan_says_how_many_instances_wait_for_keys() -> None:
    counts = {"id": "counts", "type": "scan", "parallelism": 2, "most_instances": 4}
    drawn = plan.of({"name": "g", "doc": "", "operators": [counts], "chains": [["counts"]], "links": []})
    assert drawn.boxes[0].details == ("× 4 instances, 2 at the start",)
    written = {"counts": {"type": "scan", "parallelism": 2, "most_instances": 4}}
    assert drawing.of({"name": "g", "operators": written, "links": []}).boxes[0].details == ("× 2 of 4",)
