"""Which files a graph's functions have, and when they have changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from despina.function_files import MOST_CHARACTERS, Watch, files, filled
from despina.function_texts import watch

GRAPH = {"operators": {
    "rows": {"type": "generator_source"},
    "scored": {"type": "python", "function": "plant.scores:Model", "options": {"model": "${model}", "limit": "20"}},
    "cell": {"type": "python", "function": "__main__:f"},
    "scaled": {"type": "python", "function": "units:scaled"}}}


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "__init__.py").write_text("")
    (tmp_path / "plant" / "scores.py").write_text("import numpy\nfrom . import limits\nfrom units import scaled\n")
    (tmp_path / "plant" / "limits.py").write_text("from plant import scores\nLIMIT = 1\n")
    (tmp_path / "units.py").write_text("import json\n\ndef scaled(a):\n    return a\n")
    (tmp_path / "a.model").write_text("a")
    return tmp_path


def watched() -> Watch:
    return watch(json.dumps(GRAPH), "g.json", parameters={"model": "a.model"})


def test_the_modules_are_watched_and_what_they_import_and_options_name(plant: Path) -> None:
    files = watched()
    assert files.operators == ["scored", "scaled"]
    for name, operators in {"plant/__init__.py": ["scored"], "plant/scores.py": ["scored"], "plant/limits.py": ["scored"],
                            "units.py": ["scored", "scaled"], "a.model": ["scored"]}.items():
        assert files.changed() == []
        (plant / name).write_text((plant / name).read_text() + "\n# changed")
        assert files.changed() == [], "it may be written to still"
        assert files.changed() == operators, name
        assert files.changed() == []


ENDS = """
class Placed:
    def rows(self): ...
    def position(self): ...
    def seek(self, position): ...

class Unplaced:
    def rows(self): ...

class Holding:
    def write(self, a): ...
    def flush(self): ...

class Writing:
    def write(self, a): ...

def written(a): ...
"""


def test_of_sources_and_sinks_those_are_watched_that_another_process_can_go_on_for(plant: Path) -> None:
    (plant / "ends.py").write_text(ENDS)
    kinds = {"Placed": "python_source", "Unplaced": "python_source", "Holding": "python_sink", "Writing": "python_sink",
             "written": "python_sink", "Missing": "python_sink"}
    graph = {"operators": {name: {"type": kind, "function": f"ends:{name}"} for name, kind in kinds.items()}}
    assert watch(json.dumps(graph), "g.json").operators == ["Placed", "Writing", "written"]


def test_a_value_of_a_parameter_is_not_filled_in_again() -> None:
    """One that has two of the next, and so on, would fill the memory of the service that is sent the graph."""
    declared = {f"p{k}": {"default": f"${{p{k + 1}}}${{p{k + 1}}}"} for k in range(20)}
    content = {"parameters": declared, "operators": {"a": "${p0}", "b": "$${p0}", "c": "${lost} ${q}"}}
    found = json.loads(filled(json.dumps(content), {"q": 'a"\n'}))["operators"]
    assert found == {"a": "${p1}${p1}", "b": "$${p0}", "c": '${lost} a"\n'}
    with pytest.raises(ValueError, match="too long"):
        filled(json.dumps(content), {"p0": "x" * (MOST_CHARACTERS + 1)})


def test_a_file_that_is_away_for_a_while_has_not_changed_yet(plant: Path) -> None:
    files = watched()
    (plant / "units.py").rename(plant / "other.py")
    assert files.changed() == files.changed() == files.changed() == []
    (plant / "other.py").write_text("def scaled(a):\n    return 2 * a\n")
    (plant / "other.py").rename(plant / "units.py")
    assert files.changed() == []
    assert files.changed() == ["scored", "scaled"]


def test_what_a_module_imports_from_now_on_is_watched_too(plant: Path) -> None:
    files = watched()
    (plant / "units.py").write_text("import more\n")
    (plant / "more.py").write_text("A = 1\n")
    assert [files.changed(), files.changed()] == [[], ["scored", "scaled"]]
    (plant / "more.py").write_text("A = 12\n")
    assert [files.changed(), files.changed()] == [[], ["scored", "scaled"]]


def test_a_module_that_is_no_python_is_watched_all_the_same(plant: Path) -> None:
    (plant / "units.py").write_text("def scaled(a:\n")
    files = watched()
    (plant / "units.py").write_text("def scaled(a):\n    return a\n")
    assert [files.changed(), files.changed()] == [[], ["scored", "scaled"]]


@pytest.mark.parametrize("text", ["{", "[]", '{"operators": {"a": {"type": "python"}}}', '{"operators": {"a": 1}}'])
def test_what_is_wrong_with_a_graph_is_for_others_to_say(text: str) -> None:
    assert files(text, []) == {}


def test_a_file_is_found_by_the_default_of_a_parameter_and_a_long_text_is_no_file(tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    model.write_text("")
    graph = {"parameters": {"model": {"default": str(model)}},
             "operators": {"a": {"type": "python", "function": "m:f", "options": {"model": "${model}", "prompt": "x" * 300}}}}
    assert files(json.dumps(graph), []) == {"a": {model}}


def test_a_file_that_is_gone_for_good_keeps_no_other_from_being_watched(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("1")
    other.write_text("1")
    watch = Watch(lambda: {"a": frozenset({one, other})})
    one.unlink()
    other.write_text("22")
    assert [watch.changed(), watch.changed(), watch.changed()] == [[], ["a"], []]
