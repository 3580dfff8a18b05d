import json
import numbers
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from despina import operators as op
from despina.builder import Operator
from despina.engine import Engine
from despina.errors import GraphError, RefusedError
from despina.graph import Graph, RunOptions


def here() -> int:
    import sys
    return sys._getframe(1).f_lineno


def power_alarm() -> Graph:
    """graphs/power_alarm.graph.json, written in Python."""
    readings = op.FileSource(
        "readings", path="${input}", format="csv", options={"sep": "\t"},
        schema="ts TIMESTAMP, index BIGINT, mf01 INT, mf02 INT, mf03 INT", columns=56, extra_columns="ignore",
        event_time=op.EventTime(column="ts", max_delay_ms=100, order_by=["index"]))
    per_second = op.Aggregate(
        "per_second", window=op.TumblingWindow(size_ms=1000),
        select=["window.start AS second", "count(*) AS n", "avg(mf01) AS mean", "max(mf01) - min(mf01) AS swing"])
    swings = op.Filter("swings", where="swing > 0.3 * mean")
    readings >> per_second >> swings >> op.FileSink("alarms", path="${output}", format="json")
    return Graph.build(
        "power_alarm", readings, doc="One-second averages of a main phase, and an alarm when it swings.",
        parameters={"input": op.Parameter(doc="DEBS 2012 text file"),
                    "output": op.Parameter(doc="folder for the alarms", default="alarms")},
        settings=op.Settings(time_zone="UTC"))


def test_a_built_graph_has_the_content_of_the_file(repository: Path) -> None:
    file = json.loads((repository / "graphs" / "power_alarm.graph.json").read_text())
    assert power_alarm().to_dict() == file
    assert list(power_alarm().to_dict()["operators"]) == list(file["operators"])


def test_a_built_graph_saves_the_same_bytes_as_the_file(repository: Path, real_engine: Engine, tmp_path: Path) -> None:
    file = repository / "graphs" / "power_alarm.graph.json"
    power_alarm().save(tmp_path / "g.json", real_engine)
    assert (tmp_path / "g.json").read_bytes() == Graph(file.read_text(), "g").canonical(real_engine).encode()


def test_ports_and_link_options_are_written_as_in_the_file() -> None:
    source, kept = op.GeneratorSource("s", rows=op.SelectRows(select=["id AS n"])), op.Filter("kept", where="n > 3")
    join, sink = op.Join("pair", between_ms=op.BetweenMs(from_=-5, to=5)), op.DiscardSink("sink")
    source.to(kept, partition=op.HashPartition(by=["n"]), fuse=False, doc="spread")
    kept >> join.left
    kept.rejected >> join.right
    join.late.to(sink, buffer=op.Buffer(mode="timed", capacity_bytes=op.param("bytes")))
    content = Graph.build("g", sink, parameters={"bytes": 4096, "on": True}).to_dict()
    assert content["links"] == [
        {"from": "s", "to": "kept", "partition": {"type": "hash", "by": ["n"]}, "fuse": False, "doc": "spread"},
        {"from": "kept", "to": "pair.left"},
        {"from": "kept.rejected", "to": "pair.right"},
        {"from": "pair.late", "to": "sink", "buffer": {"mode": "timed", "capacity_bytes": "${bytes}"}},
    ]
    assert content["operators"]["pair"] == {"type": "join", "between_ms": {"from": -5, "to": 5}}
    assert content["parameters"] == {"bytes": {"default": "4096"}, "on": {"default": "true"}}


def test_the_cases_of_a_route_are_its_ports() -> None:
    parts = op.Route("parts", cases={"small": "n < 3", "large": ["n > 30", "AND n < 50"]})
    op.GeneratorSource("s", rows=op.SelectRows(select=["id AS n"])) >> parts
    parts.port("small") >> op.DiscardSink("sink")
    parts.otherwise >> op.DiscardSink("others")
    content = Graph.build("g", parts).to_dict()
    assert content["operators"]["parts"]["cases"] == {"small": "n < 3", "large": ["n > 30", "AND n < 50"]}
    assert [link["from"] for link in content["links"]] == ["s", "parts.small", "parts.otherwise"]


def test_chaining_gives_the_last_operator() -> None:
    a, b, c = (op.Relay(name) for name in "abc")
    assert (a >> b >> c) is c
    assert a.port("out").to(b) is b


def test_all_that_is_linked_belongs_to_the_graph_in_the_order_of_making() -> None:
    a, b, c = (op.Relay(name) for name in "abc")
    c >> a
    b >> c
    for start in (a, b, c):
        content = Graph.build("g", start).to_dict()
        assert list(content["operators"]) == ["a", "b", "c"]
        assert [link["from"] for link in content["links"]] == ["c", "b"]


def test_a_link_to_oneself_is_written_once() -> None:
    a = op.Relay("a")
    a >> a
    assert Graph.build("g", a).to_dict()["links"] == [{"from": "a", "to": "a"}]


def test_two_operators_with_one_id_are_refused_at_the_second() -> None:
    first = op.Relay("twin")
    second = op.Relay("twin"); line = here()  # noqa: E702
    first >> second
    with pytest.raises(RefusedError, match="two operators have the id 'twin'") as raised:
        Graph.build("g", first)
    assert raised.value.place is not None
    assert raised.value.place.line == line


class Shell:
    """Counts the executions of cells, as IPython's shell does."""

    def __init__(self) -> None:
        self.execution_count = 0

    def run(self, cell: str, names: dict[str, Any]) -> None:
        self.execution_count += 1
        exec(cell, names)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell, ipython = Shell(), ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shell


SOURCE = "s = op.GeneratorSource('s', rows=op.SelectRows(select='id AS n'))"
BRANCH = "kept = op.Filter('kept', where='n > 3'); s >> kept >> op.CollectSink('c')"


@pytest.mark.parametrize("again", [BRANCH, BRANCH.replace("> 3", "> 4"), BRANCH.replace("'c'", "'d'")])
def test_a_cell_that_is_run_again_takes_the_place_of_what_it_made(shell: Shell, again: str) -> None:
    names: dict[str, Any] = {"op": op}
    shell.run(SOURCE, names)
    once = dict(names)
    exec(again, once)
    wanted = Graph.build("g", once["kept"]).to_dict()
    names["s"].links.clear()
    shell.run(BRANCH, names)
    old = names["kept"]
    shell.run(again, names)
    for start in (names["s"], names["kept"], old):
        assert Graph.build("g", start).to_dict() == wanted


def test_a_link_that_a_cell_makes_again_is_there_once(shell: Shell) -> None:
    names: dict[str, Any] = {"op": op}
    shell.run(SOURCE + "; c = op.CollectSink('c')", names)
    shell.run("s >> c", names)
    shell.run("s.to(c, fuse=False)", names)
    assert Graph.build("g", names["s"]).to_dict()["links"] == [{"from": "s", "to": "c", "fuse": False}]
    shell.run("s >> c; s >> c", names)
    assert len(Graph.build("g", names["s"]).to_dict()["links"]) == 2      # for check to refuse


def test_one_execution_has_no_id_twice_and_one_that_begins_anew_forgets(shell: Shell) -> None:
    names: dict[str, Any] = {"op": op}
    shell.run(SOURCE, names)
    shell.run("for _ in range(2): s >> op.CollectSink('c')", names)
    with pytest.raises(RefusedError, match="two operators have the id 'c'"):
        Graph.build("g", names["s"])
    shell.run(SOURCE, names)
    shell.run(BRANCH, names)
    assert list(Graph.build("g", names["s"]).to_dict()["operators"]) == ["s", "kept", "c"]


class Whole:
    """A whole number of a library's own, as NumPy's are."""

    def __int__(self) -> int:
        return 7


numbers.Integral.register(Whole)


def test_paths_and_numbers_of_other_libraries_are_written_as_what_they_are() -> None:
    rows = op.FileSource("rows", path=Path("in") / "a.csv", format="csv", schema="n INT",
                         columns=Whole())  # type: ignore[arg-type]
    content = Graph.build("paths", rows).to_dict()["operators"]["rows"]
    assert (content["path"], content["columns"]) == ("in/a.csv", 7)


def test_one_text_stands_for_a_list_and_values_of_options_for_their_texts() -> None:
    rows = op.FileSource("rows", path=Path("a.csv"), format="csv", schema="device STRING, x DOUBLE",
                         options={"header": True, "maxColumns": 3, "sep": ";"})
    means = op.Aggregate("means", group_by="device", select="avg(x) AS mean", window=op.TumblingWindow(size_ms=1000))
    rows.to(means, partition=op.HashPartition(by="device")) >> op.FileSink("out", path=Path("out"), format="json")
    content = Graph.build("short", rows).to_dict()
    assert content["operators"]["rows"]["path"] == "a.csv"
    assert content["operators"]["rows"]["options"] == {"header": "true", "maxColumns": "3", "sep": ";"}
    assert content["operators"]["means"]["group_by"] == ["device"]
    assert content["operators"]["means"]["select"] == ["avg(x) AS mean"]
    assert content["links"][0]["partition"]["by"] == ["device"]
    assert op.EventTime(column="ts", order_by="n").content() == {"column": "ts", "order_by": ["n"]}


def test_what_json_has_no_form_for_is_refused_at_its_line() -> None:
    line = here() + 1
    rows = op.FileSource("rows", path="in", format="text", options={"lineSep": b"x"})  # type: ignore[dict-item]
    with pytest.raises(RefusedError) as raised:
        Graph.build("bytes", rows)
    assert (raised.value.rule, raised.value.place and raised.value.place.line) == ("type", line)
    assert raised.value.message == "operator 'rows': options.lineSep is b'x', of type bytes, which JSON has no form for"
    with pytest.raises(RefusedError, match=r"content\.operators\.a\.at is"):
        Graph.from_dict({"operators": {"a": {"at": {1, 2}}}})
    with pytest.raises(RefusedError, match=r"content\.x is nan"):
        Graph.from_dict({"x": float("nan")})
    with pytest.raises(RefusedError, match="x: a parameter cannot be None"):
        RunOptions({"x": None}).for_gateway()  # type: ignore[dict-item]


def test_linking_to_something_else_is_refused() -> None:
    with pytest.raises(RefusedError, match="'b' is not an operator"):
        op.Relay("a") >> "b"  # type: ignore[operator]


def test_a_missing_field_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="where"):
        op.Filter("f")  # type: ignore[call-arg]


def test_errors_name_the_users_line(real_engine: Engine) -> None:
    source = op.GeneratorSource("numbers", rows=op.SelectRows(select=["id AS n"]), count=3)
    wrong = op.Filter("wrong", where="m > 3"); operator_line = here()  # noqa: E702
    source >> wrong
    wrong.port("nowhere") >> op.DiscardSink("sink"); link_line = here()  # noqa: E702
    with pytest.raises(GraphError) as raised:
        Graph.build("g", source).check(engine=real_engine)
    lines = {(Path(d.place.file).name, d.place.line) for d in raised.value.diagnostics if d.severity == "error"}
    assert lines <= {("test_builder.py", operator_line), ("test_builder.py", link_line)}
    assert ("test_builder.py", link_line) in lines


def test_every_word_of_the_schema_has_a_class(repository: Path) -> None:
    schema: dict[str, Any] = json.loads((repository / "graphs" / "graph.schema.json").read_text())
    types = {name.removeprefix("operator.") for name, said in schema["$defs"].items() if "x-inputs" in said}
    classes = {one.TYPE for one in vars(op).values() if isinstance(one, type) and issubclass(one, Operator) and one.TYPE}
    assert classes == types


def test_the_classes_are_current_with_the_schema(repository: Path) -> None:
    import importlib.util
    spec = importlib.util.spec_from_file_location("generate_operators", repository / "tools" / "generate_operators.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    schema = json.loads((repository / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))
    current = (repository / "python" / "src" / "despina" / "operators.py").read_text(encoding="utf-8")
    assert generator.render(schema) == current, "run .venv/bin/python tools/generate_operators.py"


def test_built_content_fits_the_schema(repository: Path) -> None:
    import jsonschema
    schema = json.loads((repository / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(power_alarm().to_dict(), schema)


def test_a_warning_is_accepted_where_the_operator_is_made() -> None:
    source = op.GeneratorSource("source", rows=op.SelectRows(select=["id"]))
    source >> op.Aggregate("sums", select="count(*) AS n", accept=["late"])
    assert Graph.build("g", source).to_dict()["operators"]["sums"]["accept"] == ["late"]
