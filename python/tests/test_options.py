"""The options of a run are found wrong where they are written: by the type checker, and again when they are used."""

from pathlib import Path

import pytest

from despina.errors import RefusedError
from despina.options import RunArguments, RunOptions, run_options


def test_the_arguments_are_the_options() -> None:
    assert RunArguments.__annotations__.keys() == RunOptions.__dataclass_fields__.keys()
    assert {name: str(getattr(kind, "__forward_arg__", kind)) for name, kind in RunArguments.__annotations__.items()} == {
        name: str(field.type) for name, field in RunOptions.__dataclass_fields__.items()}


SNIPPET = """
from pathlib import Path
from despina import Graph, operators as op

rows = op.FileSource("rows", path=Path("a.csv"), format="csv", schema="n BIGINT", options={"header": True})
rows >> op.Aggregate("sums", group_by="n", select="count(*) AS c") >> op.CollectSink("out")
graph = Graph.build("g", rows)
graph.run(duration_s=5, parameters={"n": 3}, inputs={"rows": [{"n": 1}]}).rows()[0]
graph.run(duratoin_s=5)
graph.run(duration_s="5")
graph.run(inputs={"rows": 7})
op.Aggregate("sums", parallelism="two", select="n")
"""


def test_a_type_checker_finds_what_is_misspelt(repository: Path, tmp_path: Path) -> None:
    from mypy import api
    script = tmp_path / "script.py"
    script.write_text(SNIPPET)
    out, _, _ = api.run(["--config-file", str(repository / "pyproject.toml"), "--no-error-summary", str(script)])
    found = [line.split(": error: ")[0].rpartition(":")[2] for line in out.splitlines() if ": error: " in line]
    assert found == ["9", "10", "11", "12"], out
    assert 'did you mean "duration_s"' in out.splitlines()[0], out


def test_an_option_that_is_misspelt_is_refused_with_a_hint() -> None:
    from despina.errors import RefusedError
    from despina.graph import Graph
    with pytest.raises(RefusedError) as raised:
        Graph("{}", "g").run(engine=object(), duratoin_s=5)  # type: ignore[arg-type,call-arg]
    assert raised.value.hint == "did you mean duration_s?"


def test_the_old_name_of_spool_is_told_with_the_new_one() -> None:
    with pytest.raises(RefusedError, match="serve= is called spool=") as raised:
        run_options({"serve": "out"})
    assert raised.value.hint == "spool='out'; service=URL runs a graph on a service"
