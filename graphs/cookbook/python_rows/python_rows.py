"""Rows from Python through a graph and back: a function of yours on each batch that comes out."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import despina

START = datetime(2026, 3, 1, 8, tzinfo=UTC)


def readings() -> Iterator[dict[str, Any]]:
    """Whatever gives rows: a queue, a socket, a data frame, a generator as this."""
    for second in range(0, 180, 5):
        ts = START + timedelta(seconds=second)
        yield {"ts": ts, "device": "oven", "celsius": 180 + second / 60}
        yield {"ts": ts, "device": "fridge", "celsius": 4 + second % 30 / 10}


def judge(row: dict[str, Any]) -> str:
    """Stands for a model of yours."""
    return "watch" if row["spread"] > 1 else "fine"


with despina.load("python_rows.graph.json").run(inputs={"readings": readings()}) as job:
    for batch in job.batches():
        for row in batch.to_pylist():
            print(f"{row['minute']:%H:%M} {row['device']:6} {row['mean']:7.2f} {judge(row)}")
