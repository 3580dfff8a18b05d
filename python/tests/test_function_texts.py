"""What the texts of functions say, and that they are read, not run."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from despina import function_texts
from despina_worker.versions import version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(dedent("""
        import despina
        from math import sqrt, floor as down
        raise SystemExit("it was imported")


        def two(a, b, c=1):
            pass


        @despina.function(adds="x DOUBLE")
        def ours(a):
            pass


        @despina.source(schema="x DOUBLE")
        def brings(context):
            pass


        @despina.sink
        class Takes:
            def write(self, a, b=1):
                pass


        @cached
        def decorated(a):
            pass


        def many(a, *rest):
            pass


        async def later(a):
            pass


        class Later:
            async def process(self, a):
                pass


        table, other = {}, 1
        try:
            from fast import quick
        except ImportError:
            def quick(a):
                pass


        class Model:
            def open(self, context):
                pass

            def process(self, a):
                pass


        class Bare:
            def open(self, context):
                pass


        class Made:
            def __init__(self, path):
                pass

            def process(self, a):
                pass


        class Derived(Model):
            pass
    """))
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "open.py").write_text("from elsewhere import *\n")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme/__init__.py").write_text("raise SystemExit('it was imported')\n")
    (tmp_path / "acme/scale.py").write_text("def half(x):\n    return x / 2\n")
    return tmp_path


@pytest.mark.parametrize(("name", "needed", "optional"), [
    ("mine:two", ["a", "b"], ["c"]),
    ("mine:ours", ["a"], []),
    ("acme.scale:half", ["x"], []),
])
def test_parameters(folder: Path, name: str, needed: list[str], optional: list[str]) -> None:
    assert function_texts.facts(name, [folder]) == {"needed": needed, "optional": optional, "open": False, "async": False,
                                                    "told": False}


def test_of_a_class_its_methods_are_told_too(folder: Path) -> None:
    assert function_texts.facts("mine:Model", [folder]) == {"needed": ["a"], "optional": [], "open": False, "async": False,
                                                            "methods": ["open", "process"], "told": True}


def test_decorated_ends_are_read(folder: Path) -> None:
    said = {"open": False, "async": False}
    assert function_texts.facts("mine:brings", [folder], "python_source") == {"needed": ["context"], "optional": [], "told": True,
                                                                              **said}
    assert function_texts.facts("mine:Takes", [folder], "python_sink") == {
        "needed": ["a"], "optional": ["b"], "methods": ["write"], "told": False, **said}


@pytest.mark.parametrize(("text", "needed"), [
    ("@staticmethod\n def process(a, b): pass", ["a", "b"]), ("@classmethod\n def process(cls, a): pass", ["a"]),
    ("@cached\n def process(self, a): pass", None)])
def test_a_method_may_be_decorated(tmp_path: Path, text: str, needed: list[str] | None) -> None:
    (tmp_path / "one.py").write_text(f"class F:\n {text}")
    found = function_texts.facts("one:F", [tmp_path])
    assert (found["open"], found.get("needed"), found["methods"]) == (needed is None, needed, ["process"])


def test_a_method_without_self_is_told(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class F:\n def process(): pass")
    found = function_texts.facts("one:F", [tmp_path])
    assert found["problem"] == f"`process` of class `F` in {tmp_path / 'one.py'} takes no `self`"


@pytest.mark.parametrize(("kind", "text", "told"), [
    ("python", "def f(a): pass", False), ("python", "class f:\n def process(self, a): pass", False),
    ("python", "class f:\n open = other\n def process(self, a): pass", True),
    ("python", "class f(Other):\n def __init__(self): pass\n def process(self, a): pass", None),
    ("python_source", "def f(): pass", False), ("python_source", "def f(context=None): pass", True),
    ("python_source", "class f:\n def rows(self): pass", False),
    ("python_source", "class f:\n def rows(self, context): pass", True),
    ("python_sink", "class f:\n def open(self, context): pass\n def write(self, a): pass", True)])
def test_whether_options_reach_it(tmp_path: Path, kind: str, text: str, told: bool | None) -> None:
    (tmp_path / "one.py").write_text(text)
    assert function_texts.facts("one:f", [tmp_path], kind)["told"] is told


ENDS = """
class Port:
    def rows(self):
        pass

    def position(self):
        pass

    def seek(self, position):
        pass


class Iterated:
    def __iter__(self):
        pass


class Half:
    def rows(self):
        pass

    def seek(self, position):
        pass


class Table:
    def write(self, id):
        pass

    def prepare(self, epoch):
        pass

    def commit(self, epoch):
        pass


class Unshown:
    def write(self, id):
        pass

    def prepare(self, epoch):
        pass
"""


@pytest.mark.parametrize(("kind", "name", "needed", "methods"), [
    ("python_source", "Port", [], ["position", "rows", "seek"]),
    ("python_source", "Iterated", [], ["__iter__"]),
    ("python_sink", "Table", ["id"], ["commit", "prepare", "write"]),
])
def test_classes_of_sources_and_sinks(tmp_path: Path, kind: str, name: str, needed: list[str], methods: list[str]) -> None:
    (tmp_path / "ends.py").write_text(ENDS)
    found = function_texts.facts(f"ends:{name}", [tmp_path], kind)
    assert (found["needed"], found["methods"]) == (needed, methods)


@pytest.mark.parametrize(("kind", "name", "problem", "hint"), [
    ("python_source", "Table", "class `Table` in {file} has no `rows`", "only `rows` must be there"),
    ("python_sink", "Port", "class `Port` in {file} has no `write`", "only `write` must be there"),
    ("python_source", "Half", "class `Half` in {file} has `seek` and no `position`", "it needs both, or none of them"),
    ("python_sink", "Unshown", "class `Unshown` in {file} has `prepare` and no `commit`", "it needs both, or none of them"),
])
def test_classes_that_are_of_no_use_as_these(tmp_path: Path, kind: str, name: str, problem: str, hint: str) -> None:
    (tmp_path / "ends.py").write_text(ENDS)
    found = function_texts.facts(f"ends:{name}", [tmp_path], kind)
    assert found["problem"] == problem.format(file=tmp_path / "ends.py")
    assert found["hint"].endswith(hint)


def test_one_function_may_be_several_things_in_a_graph(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text(ENDS)
    graph = tmp_path / "g.json"
    graph.write_text(json.dumps({"operators": {"a": {"type": "python_source", "function": "ends:Port"},
                                               "b": {"type": "python_sink", "function": "ends:Port"}}}))
    known = function_texts.code(graph.read_text(), str(graph))
    assert known is not None
    assert "problem" not in known["functions"]["python_source ends:Port"]
    assert "problem" in known["functions"]["python_sink ends:Port"]


@pytest.mark.parametrize("name", ["mine:decorated", "mine:many", "mine:sqrt", "mine:down", "mine:table", "mine:other",
                                  "mine:Model.process", "mine:Derived", "open:whatever", "math:sqrt"])
def test_of_what_is_not_written_there_nothing_is_said(folder: Path, name: str) -> None:
    found = function_texts.facts(name, [folder])
    assert found["open"]
    assert found.get("problem") is None


@pytest.mark.parametrize(("name", "is_async"), [("mine:later", True), ("mine:two", False), ("mine:Model", False),
                                               ("mine:Later", True)])
def test_whether_calls_are_waited_for(folder: Path, name: str, is_async: bool) -> None:
    assert function_texts.facts(name, [folder])["async"] is is_async


@pytest.mark.parametrize(("name", "problem", "hint"), [
    ("mine:tow", "{folder}/mine.py has no `tow`", "did you mean `two`?"),
    ("mine:two.__globals__.get", "`__globals__` is a name of Python's own", "name a function or a class of the module"),
    ("mien:two", "there is no module `mien` beside the graph, nor is it installed", "did you mean `mine`?"),
    ("acme.scal:half", "there is no module `acme.scal` beside the graph, nor is it installed", "did you mean `scale`?"),
    ("mine.py:two", "there is no module `mine.py` beside the graph, nor is it installed", "name it as `import` does: `mine:two`"),
    ("acme/scale.py:half", "there is no module `acme/scale.py` beside the graph, nor is it installed",
     "name it as `import` does: `acme.scale:half`"),
    ("broken:f", "{folder}/broken.py, line 1: invalid syntax", None),
    ("mine:Bare", "class `Bare` in {folder}/mine.py has no `process`",
     "it has `open(context)`, `process` and `close()`; only `process` must be there"),
    ("mine:Made", "class `Made` in {folder}/mine.py is made without arguments, and its `__init__` wants `path`",
     "take what it needs in `open(context)`: `context.options`"),
])
def test_problems(folder: Path, name: str, problem: str, hint: str | None) -> None:
    found = function_texts.facts(name, [folder])
    assert found["problem"] == problem.format(folder=folder)
    assert found["hint"] == hint


def test_a_module_beside_the_graph_hides_an_installed_one_and_one_of_the_given_folders_hides_that(tmp_path: Path) -> None:
    graph = tmp_path / "g.json"
    called = {name: {"type": "python", "function": function} for name, function in (("a", "json:f"), ("b", "${f}"))}
    graph.write_text(json.dumps({"operators": called}))
    (tmp_path / "json.py").write_text("def f(beside):\n    pass\n")
    known = function_texts.code(graph.read_text(), str(graph))
    assert known is not None
    assert known["command"] == sys.executable
    assert known["functions"] == {"json:f": {"needed": ["beside"], "optional": [], "open": False, "async": False,
                                              "told": False}}
    (tmp_path / "more").mkdir()
    (tmp_path / "more/json.py").write_text("def f(given):\n    pass\n")
    known = function_texts.code(graph.read_text(), str(graph), [tmp_path / "more"])
    assert known is not None
    assert known["modules"] == [str(tmp_path / "more"), str(tmp_path)]
    assert known["functions"]["json:f"]["needed"] == ["given"]


def test_the_files_of_a_module_go_with_the_job_and_the_versions_of_all(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    texts = {"acme/__init__.py": "", "acme/scores.py": "from acme import unit\nimport json\ndef f(a):\n    pass\n",
             "acme/unit.py": "K = 3\n", "acme/other.py": ""}
    for place, text in texts.items():
        (tmp_path / place).write_text(text)
    graph = {"operators": {"a": {"type": "python", "function": "acme.scores:f"},
                           "b": {"type": "python_sink", "function": "pytest:f"}}}
    known = function_texts.code(json.dumps(graph), str(tmp_path / "g.json"), [tmp_path])
    assert known is not None
    assert {place: base64.b64decode(text).decode() for place, text in known["files"].items()} == {
        place: text for place, text in texts.items() if place != "acme/other.py"}
    assert known["versions"] == {
        **{module: f"sha256 {hashlib.sha256(texts[place].encode()).hexdigest()[:16]}" for module, place in (
            ("acme", "acme/__init__.py"), ("acme.scores", "acme/scores.py"), ("acme.unit", "acme/unit.py"))},
        "pytest": version("pytest", Path(pytest.__file__))}
    assert known["versions"]["pytest"].startswith(f"{pytest.__version__}, sha256 ")


def test_modules_that_are_too_large_do_not_go_with_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("def f(a):\n    return a\n")
    monkeypatch.setattr(function_texts, "MOST_BYTES", 10)
    known = function_texts.code('{"operators": {"a": {"type": "python", "function": "mine:f"}}}', "g.json", [tmp_path])
    assert known is not None
    assert (known["files"], list(known["versions"])) == ({}, ["mine"])
    assert known["unsent"] == ("no module came with the job: those that it imports have 23 bytes, of which `mine.py` has 23, and "
                               "no more than 10 go along: put them there, and name their folder by --modules")


def carried(graph: str, file: str, folders: Sequence[Path] = (), parameters: Mapping[str, object] | None = None
            ) -> tuple[list[str], list[str]]:
    """The places of the files that go with the job, and the modules whose versions do."""
    known = function_texts.code(graph, file, folders, parameters)
    assert known is not None
    return sorted(known["files"]), sorted(known["versions"])


@pytest.mark.parametrize(("given", "place"), [(None, "one"), ({"f": "two:f"}, "two"), ({"f": "${g}"}, None)])
def test_a_module_that_a_parameter_names_goes_with_the_job(tmp_path: Path, given: dict[str, object] | None, place: str | None
                                                           ) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("def f(a):\n    return a\n")
    graph = json.dumps({"parameters": {"f": {"type": "string", "default": "one:f"}},
                        "operators": {"a": {"type": "python", "function": "${f}"}}})
    assert carried(graph, "g.json", [tmp_path], given) == (([f"{place}.py"], [place]) if place else ([], []))


def test_a_module_that_cannot_be_read_does_not_go_with_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("def f(a):\n    return a\n")

    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert carried('{"operators": {"a": {"type": "python", "function": "mine:f"}}}', "g.json", [tmp_path]) == ([], [])


@pytest.mark.parametrize("name", ["{elsewhere}:f", "../:f", "..:f", ":f", "", ".mine:f", "mine.:f", f"{'m' * 300}:f", "a\0b:f"])
def test_what_is_no_module_is_looked_for_nowhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere.py").write_text("def f(a):\n    return a\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "mine.py").write_text("def f(a):\n    return a\n")
    named = name.format(elsewhere=tmp_path / "elsewhere")
    assert carried(json.dumps({"operators": {"a": {"type": "python", "function": named}}}), "g.json", [folder])[0] == []


def test_what_is_installed_does_not_go_with_the_job(tmp_path: Path) -> None:
    site = tmp_path / "lib/site-packages"
    site.mkdir(parents=True)
    (site / "mine.py").write_text("import other\ndef f(a):\n    return a\n")
    (site / "other.py").write_text("")
    assert carried('{"operators": {"a": {"type": "python", "function": "mine:f"}}}', "g.json", [site]) == ([], ["mine"])


def test_sparks_tasks_get_no_modules(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def f(a):\n    return a\n")
    words = function_texts.added({"streaming": True}, '{"operators": {"a": {"type": "python", "function": "mine:f"}}}', "g.json",
                                 [tmp_path])
    assert words["python"]["files"]
    found = function_texts.unsent(words)
    assert (found["streaming"], sorted(found["python"])) == (True, ["cells", "command", "functions", "modules"])
    assert function_texts.unsent({"streaming": True}) == {"streaming": True}


def test_of_a_function_that_a_parameter_names_nothing_is_said_but_what_runs_it(tmp_path: Path) -> None:
    known = function_texts.code('{"operators": {"a": {"type": "python", "function": "${f}"}}}', str(tmp_path / "g.json"))
    assert known is not None
    assert (known["command"], known["functions"]) == (sys.executable, {})


@pytest.mark.parametrize("text", ['{"operators": {}}', '"python"', "{", '["python"]'])
def test_a_graph_that_calls_none_says_nothing(text: str) -> None:
    assert function_texts.code(text, "g.json") is None
