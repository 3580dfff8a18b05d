import json
from pathlib import Path

from despina.backends.spark.operators import OPERATORS, SINKS, WITHOUT_FORM


def test_every_operator_type_has_a_spark_function_or_is_refused(repository: Path) -> None:
    schema = json.loads((repository / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))
    types = {name.removeprefix("operator.") for name in schema["$defs"] if name.startswith("operator.")}
    assert {*OPERATORS, *SINKS, *WITHOUT_FORM} == types
