"""A user's Python function as Spark's tasks find it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from despina_worker.service import fresh, imported

if TYPE_CHECKING:
    import pyarrow as pa

    from despina.backends.spark.folds import GraphText
    from despina.backends.spark.plan import Operator


@dataclass(frozen=True)
class UserFunction:
    """What an operator says of its function. Spark pickles it.

    ``skips``: whether a bad record is left out. ``modules``: the folders of modules. ``cell``: the code of one that is of no
    module.
    """

    id: str
    name: str
    options: dict[str, str]
    skips: bool
    modules: list[str]
    cell: str | None

    @classmethod
    def of(cls, operator: Operator, graph: GraphText) -> UserFunction:
        """The operator's, of that graph."""
        python = json.loads(graph.options)["python"]
        fields = operator.fields
        return cls(operator.id, fields["function"], fields.get("options", {}), operator.on_error != "fail", python["modules"],
                   python["cells"].get(fields["function"]))

    def found(self) -> Any:
        """The function or class itself, here in a task.

        :raise RefusedError: of the worker's errors: there is none
        """
        if self.cell is None:
            fresh(self.name, self.modules)
        return imported(self.name, self.cell)

    def place(self, instance: int, instances: int) -> dict[str, Any]:
        """Where it runs, for its context."""
        return {"operator": self.id, "instance": instance, "instances": instances}

    def failed(self, why: str) -> NoReturn:
        """Ends the task, and so the job."""
        raise RuntimeError(f"{self.name} (operator {self.id}): {why}")


def arrow(schema: Any) -> pa.Schema:
    """Columns of Spark's as the engine gives them to a worker: times in UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema, timezone="UTC")
