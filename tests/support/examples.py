"""Examples of single operators as whole graphs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TYPES = json.loads((ROOT / "graphs" / "graph.schema.json").read_text(encoding="utf-8"))["$defs"]
COLUMNS = re.findall(r"^ *`(ts TIMESTAMP, .*)`,$", (ROOT / "docs" / "reference" / "README.md").read_text(encoding="utf-8"),
                     re.MULTILINE)[0]


def within(entry: dict[str, Any], ports: dict[str, Any]) -> dict[str, Any]:
    """A graph of the example, a source for each of its inputs, and a sink for each output that wants a link."""
    name = next(iter(entry))
    columns = f"{COLUMNS}, command STRING" if entry[name]["type"] == "control" else COLUMNS
    source = {"type": "file_source", "path": "in.jsonl", "format": "json", "schema": columns,
              "event_time": {"column": "ts", "order_by": ["id"]}}
    # the ids of two sources do not tell which of two packets of one time is first
    other = source | {"event_time": {"column": "ts", "order_by": ["id", "ts"]}}
    inputs = {f"source_{port}": port for port in ports["x-inputs"]}
    declared = entry[name].get(ports.get("x-ports-of"), {})
    outputs = {f"sink_{port}": port for port in [*declared, *ports["x-outputs"]] if port != "errors"}
    return {
        "format": 1, "name": "example",
        "operators": {**entry, **{source_id: other if port == "right" else source for source_id, port in inputs.items()},
                      **{sink: {"type": "discard_sink"} for sink in outputs}},
        "links": [{"from": source, "to": f"{name}.{port}"} for source, port in inputs.items()]
        + [{"from": f"{name}.{port}", "to": sink} for sink, port in outputs.items()],
    }
