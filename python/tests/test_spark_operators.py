import json
from pathlib import Path

from despina.backends.spark.operators import OPERATORS, SINKS


def test_every_operator_type_has_a_spark_function(repository: Path) -> None:
    schema = json.loads((repository / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))
    assert {*OPERATORS, *SINKS} == {name.removeprefix("operator.") for name in schema["$defs"] if name.startswith("operator.")}
