"""Rows of a table for each row of a stream: a join with a table that is read as a batch, and sent to every task."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from despina.backends.spark.form import Form
from despina.backends.spark.operators import each, file_source
from despina.backends.spark.plan import Port
from despina.backends.spark.views import listed, queried, quoted, without

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from despina.backends.spark.form import Call, Frames

def translate(call: Call) -> Frames:
    """An inner or left join; in streams too, since the table is none.

    The table's columns have other names until it is joined, because a bare name in a key is the packet's. Then both sides are
    columns, and structs by the sides' names too, so that a select list finds a column by either. The engine's own operator finds
    areas.
    """
    if call.operator.fields["from"]["type"] == "areas":
        return each.translate(call)
    fields, table = call.operator.fields, _table(call)
    packet, names = [quoted(column) for column in call.frame.columns], [quoted(column) for column in table.columns]
    hidden = [f"_despina_{place}" for place in range(len(names))]
    how = {"left": "LEFT", "inner": "INNER"}[fields.get("how", "left")]
    on = " AND ".join(f"({a}\n) = ({b}\n)" for a, b in zip(fields["keys"]["packet"], fields["keys"]["table"], strict=True))
    joined = f"SELECT /*+ BROADCAST(`table`) */ * FROM `in` AS packet {how} JOIN `looked_up` AS `table` ON {on}"
    row = [f"{place} AS {name}" for place, name in zip(hidden, names, strict=True)]
    structs = f"struct({listed(packet)}) AS packet, struct({listed(row)}) AS `table`"
    sides = f"SELECT {listed([*packet, *row])}, {structs} FROM ({joined})"
    others = [name for place, name in enumerate(names) if place not in fields["key_columns"]]
    select = without(fields["select"], ["packet", "`table`"], call.spark) if "select" in fields else [
        "packet.*", *(f"`table`.{name}" for name in others)]
    frames = {"in": call.frame, "looked_up": table.toDF(*hidden)}
    return {"out": queried(f"SELECT {listed(select)} FROM ({sides})", frames, call.spark)}


def _table(call: Call) -> DataFrame:
    """The table's rows, read by the rules of a ``file_source`` that fails on a bad record."""
    written = call.operator.fields["from"]
    source = replace(call.operator, type="file_source", on_error="fail", fields=written, inputs={},
                     outputs={"out": Port("out", written["schema"], linked=True, event_time=None)})
    return file_source.translate(replace(call, operator=source, inputs={}, form=Form.BATCH))["out"]
