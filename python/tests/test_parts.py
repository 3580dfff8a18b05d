"""Parts of graphs: in files, written in Python, and what is told of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import despina
from despina import operators as op
from despina import parts
from despina.engine import Engine
from despina.errors import GraphError, JobError, Place, RefusedError
from despina.graph import Graph
from despina.parts import Part

PART = {"format": 1, "parameters": {"least": {}}, "inputs": {"in": ["kept"]}, "outputs": {"out": "kept"},
        "operators": {"kept": {"type": "filter", "where": "id > ${least}"}}, "links": []}


def using(path: str, least: str = "3") -> dict[str, Any]:
    return {"format": 1, "name": "g", "parts": {"high": {"type": "file", "path": path}},
            "operators": {"rows": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 10},
                          "first": {"type": "part", "part": "high", "parameters": {"least": least}},
                          "second": {"type": "part", "part": "high", "parameters": {"least": least}},
                          "out": {"type": "collect_sink"}},
            "links": [{"from": "rows", "to": "first"}, {"from": "first", "to": "second"}, {"from": "second", "to": "out"}]}


def written(folder: Path, least: str = "3", part: Any = None) -> Graph:
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "high.part.json").write_text(json.dumps(PART if part is None else part))
    (folder / "g.graph.json").write_text(json.dumps(using("parts/high.part.json", least)))
    return despina.load(folder / "g.graph.json")


def here() -> int:
    return sys._getframe(1).f_lineno


def changes() -> Part:
    scan = op.Scan("scan", state={"last": op.State(initial="${signal}", next="coalesce(${signal}, last)")},
                   emit_when="${signal} <> last", select=["id", "${signal} AS edge"])
    return despina.part("changes", inputs={"in": scan}, outputs={"out": scan, "late": scan.late}, doc="each change",
                        parameters={"signal": op.Parameter(doc="a column"), "other": 2, "more": {}})


def test_a_part_is_written_once_and_used_by_calling_it() -> None:
    made = changes()
    rows = op.GeneratorSource("rows", rows=op.SelectRows(select=["id"]))
    rows >> made("a", signal="id", more=True) >> op.DiscardSink("out")
    rows >> made("b", signal="id", doc="again").port("in")
    content = Graph.build("g", rows).to_dict()
    assert list(content["parts"]) == ["changes"]
    part = content["parts"]["changes"]
    assert (part["inputs"], part["outputs"]) == ({"in": ["scan"]}, {"out": "scan", "late": "scan.late"})
    assert part["parameters"] == {"signal": {"doc": "a column"}, "other": {"default": "2"}, "more": {}}
    assert content["operators"]["a"] == {"type": "part", "part": "changes", "parameters": {"signal": "id", "more": "true"}}
    assert content["operators"]["b"]["doc"] == "again"
    assert {"from": "rows", "to": "b"} in content["links"]


def test_a_part_brings_those_that_it_uses_and_no_other_of_their_names() -> None:
    inner = changes()
    use = inner("inner", signal="id", more=1)
    outer = despina.part("outer", inputs={"in": [use]}, outputs={"out": use})
    rows = op.GeneratorSource("rows", rows=op.SelectRows(select=["id"]))
    rows >> outer("o") >> op.DiscardSink("out")
    assert list(Graph.build("g", rows).to_dict()["parts"]) == ["outer", "changes"]
    rows >> despina.part("changes", path="changes.part.json")("other") >> op.DiscardSink("out2")
    with pytest.raises(RefusedError, match="two parts have the name 'changes'"):
        Graph.build("g", rows)


def test_what_is_wrong_is_told_at_the_lines_of_the_program(real_engine: Engine) -> None:
    made, kept = here(), op.Filter("kept", where="${column} > 3")
    high = despina.part("high", inputs={"in": kept}, outputs={"out": kept}, parameters={"column": {}})
    rows = op.GeneratorSource("rows", rows=op.SelectRows(select=["id"]), count=3)
    used, first = here(), high("first", column="ix")
    rows >> first >> op.DiscardSink("out")
    with pytest.raises(GraphError) as raised:
        Graph.build("g", rows).check(engine=real_engine)
    found, = raised.value.diagnostics
    assert (found.rule, found.operator, found.place.line) == ("unknown_column", "first_kept", made)
    assert [(each.pointer, each.place.line) for each in found.used] == [("/operators/first", used)]
    assert f"operator first_kept, used at {found.place.file}:{used})" in str(found)


def test_a_part_in_a_file_is_told_of_by_both_places(real_engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(GraphError) as raised:
        written(tmp_path, "x").check(engine=real_engine)
    found, = raised.value.diagnostics
    text = json.dumps(PART)
    assert found.place == Place(str(tmp_path / "parts" / "high.part.json"), 1, text.index("${least}") + 1)
    assert found.operator == "first_kept"
    assert found.as_dict()["used"][0]["pointer"] == "/operators/first"
    assert str(found).partition("\n")[0].endswith(f"used at {tmp_path / 'g.graph.json'}:1:{found.used[0].place.column})")


def test_what_is_wrong_in_each_use_is_told_once(real_engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(GraphError) as raised:
        written(tmp_path, part={**PART, "operators": {"kept": {"type": "filter", "were": "id > ${least}"}}}).check(
            engine=real_engine)
    found, = raised.value.diagnostics
    assert (found.rule, found.more, found.as_dict()["more"]) == ("unknown_field", 1, 1)
    assert str(found).partition("\n")[0].endswith(", and in 1 more use)")


def test_a_part_that_cannot_be_read_is_told_where_it_is_named(real_engine: Engine, tmp_path: Path) -> None:
    graph = written(tmp_path)
    (tmp_path / "parts" / "high.part.json").unlink()
    assert graph.check(engine=real_engine).ok, "it was read with the graph"
    with pytest.raises(GraphError, match=r"the file `parts/high.part.json` cannot be read: no part file here") as raised:
        despina.load(tmp_path / "g.graph.json").check(engine=real_engine)
    assert raised.value.diagnostics[0].pointer == "/parts/high/path"


def test_a_graph_without_its_parts_is_one_as_any_other(real_engine: Engine, tmp_path: Path) -> None:
    graph = written(tmp_path)
    whole = graph.whole(real_engine)
    assert whole.whole(real_engine) is whole
    assert list(whole.to_dict()["operators"]) == ["rows", "first_kept", "second_kept", "out"]
    assert whole.to_dict()["operators"]["first_kept"] == {"type": "filter", "where": "id > 3"}
    assert whole.place_of("second_kept", 0, 0).line == 1
    with graph.run(engine=real_engine) as job:
        rows = job.rows("out")
        job.wait()
    assert [row["id"] for row in rows.to_pylist()] == [4, 5, 6, 7, 8, 9]
    assert set(job.report()["operators"]) == {"rows", "first_kept", "second_kept", "out"}


def test_warnings_of_a_job_say_where_in_the_part_they_are(real_engine: Engine, tmp_path: Path) -> None:
    graph = written(tmp_path, part={**PART, "parameters": {"least": {}, "most": {"default": "1"}}})
    with graph.start(real_engine, despina.RunOptions()) as job:
        job.wait()
    warning, = job.warnings
    assert (warning.rule, warning.pointer) == ("unused", "/parameters/most")
    assert warning.place.file == str(tmp_path / "parts" / "high.part.json")


def test_a_graph_is_saved_with_the_files_of_its_parts(real_engine: Engine, tmp_path: Path) -> None:
    graph, folder = written(tmp_path), tmp_path / "copy"
    graph.save(folder / "g.graph.json", real_engine)
    assert json.loads((folder / "parts" / "high.part.json").read_text()) == PART
    assert despina.load(folder / "g.graph.json").check(engine=real_engine).ok
    graph.save(folder / "g.graph.json", real_engine)
    (folder / "parts" / "high.part.json").write_text("{}")
    with pytest.raises(RefusedError, match="has other content"):
        graph.save(folder / "g.graph.json", real_engine)


def test_a_graph_is_saved_in_its_own_folder_whatever_became_of_the_files_there(real_engine: Engine, tmp_path: Path) -> None:
    graph = written(tmp_path)
    (tmp_path / "parts" / "high.part.json").write_text(json.dumps(PART, indent=1))
    graph.save(tmp_path / "g.graph.json", real_engine)
    assert (tmp_path / "parts" / "high.part.json").read_text() == json.dumps(PART, indent=1)


def test_a_failed_job_names_the_place_in_the_graph_that_the_user_wrote(real_engine: Engine, tmp_path: Path) -> None:
    graph = written(tmp_path, "id / (id - 2)")
    (tmp_path / "g.graph.json").write_text(graph.text.replace('"second": {"type": "part"', '\n"second": {"type": "part"'))
    with pytest.raises(JobError) as raised, despina.load(tmp_path / "g.graph.json").run(engine=real_engine) as job:
        job.wait()
    assert (raised.value.operator, raised.value.place) == ("first_kept", Place(
        str(tmp_path / "g.graph.json"), 1, graph.text.index('{"type": "part"') + 1))


@pytest.mark.parametrize("text", [r'{"p\u0061rts": {}}', r'{"\u0070arts": {}, "x": 1}' + "\x1e{}", r'["\u0061"'])
def test_a_name_with_escapes_is_read(text: str) -> None:
    assert parts.has_any(text)
    assert not parts.has_any(r'{"name": "\u0070arts"}')


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x" * 300])
def test_a_file_that_no_file_can_be_is_told_where_it_is_named(real_engine: Engine, path: str, tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text(json.dumps(using(path)))
    with pytest.raises(GraphError, match=r"cannot be read: (no file has such a name|the part file cannot be read)"):
        despina.load(tmp_path / "g.json").check(engine=real_engine)
    assert Graph('{"parts": ' + "[" * 5_000, "g").file == "g", "it is read when it is checked"


def test_a_picture_has_a_box_for_each_use(tmp_path: Path) -> None:
    drawn = written(tmp_path).to_mermaid()
    assert "<b>first</b><br/><i>part</i><br/>part: high<br/>parameters: least 3" in drawn
    assert "kept" not in drawn
