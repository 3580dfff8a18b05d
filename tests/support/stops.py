"""A graph in which packets wait when it is stopped: its source follows a file whose last rows nothing comes behind."""

from __future__ import annotations

from pathlib import Path

from support.graphs import Fields

ROWS = 12
ONCE = 8
"""Rows that have left ``once``: the watermark has passed them."""


def waiting(file: Path, sink: Fields) -> Fields:
    """Twelve readings, a second apart, with a watermark three seconds behind: ``once`` holds 4, ``windows`` 7 in 2 windows.

    :param sink: of both ends
    """
    lines = (f"2026-11-26T09:00:{n:02}Z,a,{n}" for n in range(ROWS))
    file.write_text("\n".join(["ts,device,seq", *lines, ""]))
    return {
        "format": 1, "name": "waiting",
        "operators": {
            "source": {"type": "file_source", "path": str(file), "format": "csv", "options": {"header": "true"}, "follow": True,
                       "schema": "ts TIMESTAMP, device STRING, seq BIGINT",
                       "event_time": {"column": "ts", "max_delay_ms": 3000, "order_by": ["seq"]}},
            "once": {"type": "deduplicate", "by": ["device", "seq"], "within_ms": 600_000, "accept": ["late"]},
            "windows": {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 5000},
                        "select": ["device", "count(*) AS n"], "accept": ["late"]},
            "rows": sink,
            "counts": sink,
        },
        "links": [{"from": "source", "to": "once"}, {"from": "source", "to": "windows"}, {"from": "once", "to": "rows"},
                  {"from": "windows", "to": "counts"}],
    }
