"""Where each operator runs, as the cases say: ``docs/where-it-runs.md`` is made of their marks.

``python tests/support/marks.py`` writes it, and the page of the connectors' cases.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import connector_cases
from support.cases import FOLDER, Case, cases

PAGE = FOLDER.parents[1] / "docs" / "where-it-runs.md"
SCHEMA = FOLDER.parents[1] / "graphs" / "graph.schema.json"
DROPPED = "times up to 1970 are dropped there"
"""What keeps a case from being compared in streams that take it; docs/spark-streaming.md."""
TOGETHER = "graph"
"""The folder of cases that try several operators together."""
_ON_THE_ENGINE = "tests of the engine; Spark has no form of it"
ELSEWHERE = {
    "collect_sink": "in every case",
    "console_sink": "tests/test_sinks.py; on Spark it prints too",
    "discard_sink": "tests/test_sinks.py; on Spark it counts",
    "file_sink": "tests/test_sinks.py, tests/test_outputs.py",
    "spark_source": "tests/executors; what Spark writes to",
    **dict.fromkeys(("java", "java_source", "java_sink", "tcp_source", "tcp_sink", "http_source", "http_sink", "websocket_source",
                     "websocket_sink", "sql", "control", "http_poll_source", "http_stream_source"), _ON_THE_ENGINE),
    **dict.fromkeys(("jdbc_source", "jdbc_sink"), "tests/e2e/test_jdbc.py; Spark has its own, `jdbc`"),
    **dict.fromkeys(("mqtt_source", "mqtt_sink"), "tests/e2e/test_mqtt.py; Spark has none"),
    "nats_source": "tests/e2e/test_nats.py; Spark has none",
    "nats_sink": "tests/e2e/test_nats_sink.py; Spark has none",
    **dict.fromkeys(("zeromq_source", "zeromq_sink"), "tests/e2e/test_zeromq.py; Spark has none"),
    "delta_source": "tests/e2e/test_delta_source.py; Spark has none of its own",
    "delta_sink": "tests/e2e/test_delta.py; Spark has none of its own",
    "iceberg_source": "tests/e2e/test_iceberg.py; Spark has none of its own",
    "iceberg_sink": "tests/e2e/test_iceberg.py; Spark has none of its own",
    "opcua_source": "tests/e2e/test_opcua.py; Spark has none",
    **dict.fromkeys(("redis_source", "redis_sink"), "tests/e2e/test_redis.py; Spark has none"),
    **dict.fromkeys(("job_source", "job_sink"), "TwoJobsTest of the engine; Spark has a side of its own"),
    **dict.fromkeys(("connector_source", "connector_sink"), "tests/e2e/test_connector_example.py; Spark has no form of it"),
    **dict.fromkeys(("kafka_source", "kafka_sink"), "tests/e2e/test_kafka.py; Spark has its own, `kafka`"),
}
"""Types that have no cases of their own, and what tries them."""


def not_streamed(case: Case) -> str | None:
    """Why Spark has no streams of a case, in the words of the refusal; None where it has."""
    words = case.words()
    return words.get("not_streamed", words.get("not_on_spark"))


def kind(case: Case) -> str:
    """What of the operator a case tries: its window, its way to join, its format, and its clocks; empty if all have one kind."""
    operators: Iterable[dict[str, Any]] = json.loads(case.graph.read_text())["operators"].values()
    clocks = ["`per`"] if any("per" in operator.get("event_time", {}) for operator in operators) else []
    return ", ".join([*filter(None, [_kind(case, operators)]), *clocks])


def _kind(case: Case, operators: Iterable[dict[str, Any]]) -> str:
    for operator in operators:
        if operator["type"] == case.folder.parent.name:
            window = operator.get("window", {})
            if window:
                fired = ", `fire` or `late_within_ms`" if {"fire", "late_within_ms"} & set(window) else ""
                other = ", by another stream" if "on" in window else fired
                return f"window `{window['type']}`" + (", by the clock" if window.get("clock") == "processing" else other)
            if operator.get("clock") == "processing":
                return "by the clock"
            if operator["type"] == "aggregate":
                return f"`emit` `{operator.get('emit', 'final')}`"
            if "mode" in operator:
                return f"`mode` `{operator['mode']}`"
            if "format" in operator:
                return f"format `{operator['format']}`"
            other = "`from` `stream`" if operator.get("from", {}).get("type") == "stream" else ""
            return next((f"`{field}`" for field in ("as_of", "between_ms") if field in operator), other)
    return ""


def table() -> str:
    """A row for each operator type, and each kind of it."""
    rows: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases():
        if case.folder.parent.name != TOGETHER:
            rows[case.folder.parent.name, kind(case)].append(case)
    lines = ["| operator | | engine | executors | Spark batch | Spark streams |", "|---|---|---|---|---|---|"]
    for (operator, of), tried in sorted(rows.items(), key=lambda row: row[0]):
        batch = _cell([case.words().get("not_on_spark") for case in tried])
        streams = _cell([*map(not_streamed, tried)])
        lines.append(f"| `{operator}` | {of} | {len(tried)} | {len(tried)} | {batch} | {streams} |")
    return "\n".join(lines) + "\n"


def others() -> str:
    """The types without cases."""
    return "".join(f"- `{operator}`: {what}\n" for operator, what in sorted(ELSEWHERE.items()))


def types() -> set[str]:
    """Every operator type of the schema."""
    definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    return {name.removeprefix("operator.") for name, said in definitions.items() if "x-inputs" in said}


def page() -> str:
    """The whole page."""
    return f"""# Where each operator runs

Made from the contract cases: how many cases of each operator give the same rows on the engine, on the engine in Spark's
executors, on Spark as a batch, and on Spark as a stream, and in which words the others are refused there. Each case runs
on the engine through both drivers, as it is written and with no link fused. There each operator has four instances too, two
of Python's, where that is allowed and cannot change rows: not where keys have a clock each (`per`), where the order of rows
is compared, or where a link says how packets are dealt out. `make every` runs all cases everywhere. `make test` runs all with
more instances, every twentieth as it is written, every eighth on Spark, and in executors, where the engine is the same, one of
each operator.

{table()}
{others()}"""


def _cell(refusals: list[str | None]) -> str:
    said = sorted({refusal for refusal in refusals if refusal is not None})
    compared = str(refusals.count(None))
    return "; ".join([*([compared] if compared != "0" else []), *(f"not: “{words}”" for words in said)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    connector_cases.PAGE.write_text(connector_cases.page(), encoding="utf-8")
