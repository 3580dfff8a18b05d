"""A graph with every operator over columns of odd names, such as loggers, spreadsheets and databases give them.

Each row leaves as JSON, beside the operator that it comes from: one query compares them all, and the names of their columns too.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Fields = dict[str, Any]

NAMES = (
    "node.ts", "a.b.c", ".", "event time", " lead", "trail ", "event-time", "v[0]", "(y)", "{x}", "back`tick", "`", "``", "it's",
    'say "so"', "50 %", "°C", "Größe", "straße", "温度", "🌡", "é", "1st", "1e5", "0", "SELECT", "order", "null", "true", "left",
    "current_date", "window.start", "next", "previous.", "point", "packet", "a,b", "a;b", "k=v", "back\\slash",
    "tab\tbed", "two\nlines", "$1", "#", "*", "@", "/path/", "--no", "x AS y", "UPPER", "miXed Case", "long" * 60,
)
"""None is another without its case. Two names alike but for the case are refused, wherever they meet."""
KEYS = ("a", "b", None)
ROWS = 60
STEP_MS = 400


def quoted(name: str) -> str:
    """As SQL has it."""
    return "`" + name.replace("`", "``") + "`"


def write(folder: Path, seed: int) -> None:
    """The rows of the source, and the table of the lookup."""
    chance = random.Random(seed)
    time, number, key, value = names(seed)[:4]
    with (folder / "rows.json").open("w") as file:
        for k in range(ROWS):
            at = 1_700_000_000_000 + k // 2 * STEP_MS
            row = {time: f"{stamp(at)}", number: k, key: chance.choice(KEYS), value: chance.randint(-9, 9)}
            file.write(json.dumps(row) + "\n")
    with (folder / "table.json").open("w") as file:
        for letter in ("a", "b"):
            file.write(json.dumps({key: letter, value: ord(letter)}) + "\n")


def stamp(ms: int) -> str:
    """A time as text, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def names(seed: int) -> list[str]:
    """The names of the graph's columns: time, number, key and value, then those that operators make."""
    return random.Random(seed).sample(NAMES, len(NAMES))


class _Graph:
    """Operators behind one source, and what becomes of their rows."""

    def __init__(self) -> None:
        self.operators: Fields = {}
        self.links: list[Fields] = []

    def add(self, name: str, operator: Fields, *sources: str) -> None:
        """An operator whose input comes from these; ``left`` and ``right`` of a join."""
        self.operators[name] = operator
        ports = [f"{name}.left", f"{name}.right"] if operator["type"] == "join" else [name] * len(sources)
        self.links += [{"from": source, "to": port} for source, port in zip(sources, ports, strict=True)]

    def show(self, *ports: str) -> None:
        """What leaves there reaches the sink."""
        for port in ports:
            text = port.replace(".", "_") + "_row"
            self.add(text, {"type": "project", "select": [f"'{port}' AS port", "to_json(struct(*)) AS row"]}, port)
            self.links.append({"from": text, "to": "rows"})


def graph(seed: int, folder: Path, *, streams: bool) -> Fields:
    """:param streams: without what waits for the end of the input, which Spark's streams do not have"""
    made, (time, number, key, value, *others) = _Graph(), names(seed)
    t, n, k, v = (quoted(name) for name in (time, number, key, value))
    new = [quoted(name) for name in others]
    made.operators["rows"] = {"type": "collect_sink"}
    made.operators["source"] = {
        "type": "file_source", "path": str(folder / "rows.json"), "format": "json",
        "schema": ", ".join(_fields([t, n, k, v])), "event_time": {"column": time, "order_by": [number]}}
    _rowwise(made, (t, n, k, v), others)
    _folds(made, value, (t, n, k, v), new)
    _windows(made, (t, n, k, v), new)
    _joins(made, (t, n, k, v), new)
    made.add("named", {"type": "lookup", "key": {key: k}, "how": "left", "from": {
        "type": "file", "path": str(folder / "table.json"), "format": "json", "schema": f"{k} STRING, {v} INT"},
        "select": [t, f"packet.{k}", f"table.{v} AS {new[0]}"]}, "source")
    made.show("named")
    if not streams:
        made.add("in_all", {"type": "aggregate", "group_by": [k],
                            "select": [k, f"sum({v}) AS {new[0]}", f"min({t}) AS {new[1]}"]}, "source")
        made.add("whole", {"type": "sort", "by": [f"{v} DESC", n]}, "source")
        made.show("in_all", "whole")
    return {"format": 1, "name": f"odd_names_{seed}", "operators": made.operators, "links": made.links}


FORMATS: dict[str, Fields] = {"csv": {"format": "csv", "options": {"header": "true"}}, "json": {"format": "json"},
                              "parquet": {"format": "parquet"}}


def _fields(columns: list[str]) -> list[str]:
    """The fields of the source's schema."""
    return [f"{column} {kind}" for column, kind in zip(columns, ("TIMESTAMP", "BIGINT", "STRING", "INT"), strict=True)]


def files(folder: Path, into: Path) -> Fields:
    """The source's rows of seed 0 in files of each format."""
    columns = [quoted(name) for name in names(0)[:4]]
    operators: Fields = {"source": {"type": "file_source", "path": str(folder / "rows.json"), "format": "json",
                                    "schema": ", ".join(_fields(columns))}}
    operators |= {sink: {"type": "file_sink", "path": str(into / sink), **written} for sink, written in FORMATS.items()}
    return {"format": 1, "name": "odd_names_written", "operators": operators,
            "links": [{"from": "source", "to": sink} for sink in FORMATS]}


def read_again(folder: Path) -> Fields:
    """The rows of the files of each format; those of csv in columns that the header names."""
    columns = [quoted(name) for name in names(0)[:4]]
    made = _Graph()
    made.operators["rows"] = {"type": "collect_sink"}
    for source, written in FORMATS.items():
        by, fields = ({"columns_by": "name"}, _fields(columns)[::-1]) if source == "csv" else ({}, _fields(columns))
        made.add(source, {"type": "file_source", "path": str(folder / source), **written, **by, "schema": ", ".join(fields)})
        made.add(f"{source}_same", {"type": "project", "select": columns}, source)
        made.show(f"{source}_same")
    return {"format": 1, "name": "odd_names_read", "operators": made.operators, "links": made.links}


def _rowwise(made: _Graph, columns: tuple[str, str, str, str], others: list[str]) -> None:
    t, n, k, v = columns
    made.add("renamed", {"type": "project", "select": [f"{t} AS {quoted(others[0])}", f"{n} AS {quoted(others[1])}", k,
                                                       f"{v} + 1 AS {quoted(others[2])}"]}, "source")
    made.add("kept", {"type": "filter", "where": f"{v} > 0"}, "source")
    made.add("ways", {"type": "route", "cases": {"low": f"{v} < 0", "nobody": f"{k} IS NULL"}}, "source")
    made.add("each", {"type": "explode", "of": f"array({v}, {n})", "as": others[3]}, "source")
    made.add("again", {"type": "union"}, "kept", "kept.rejected")
    made.show("renamed", "ways.low", "ways.nobody", "each", "again")
    made.add("of_renamed", {
        "type": "aggregate", "group_by": [quoted(others[2])], "window": {"type": "sliding", "size_ms": 3000, "slide_ms": 1000},
        "select": [f"window_time AS {quoted(others[4])}", f"{quoted(others[2])} AS {quoted(others[5])}",
                   f"count(*) AS {quoted(others[6])}"]}, "renamed")
    made.show("of_renamed")


def _folds(made: _Graph, value: str, columns: tuple[str, str, str, str], new: list[str]) -> None:
    t, n, k, v = columns
    made.add("once", {"type": "deduplicate", "by": [k, v], "within_ms": 2000}, "source")
    made.add("moved", {"type": "changes", "group_by": [k], "of": v, "tolerance": 2, "select": ["*", f"previous AS {new[0]}"]},
             "source")
    made.add("silent", {"type": "absence", "group_by": [k], "within_ms": 1000,
                        "select": [f"absence.at AS {new[0]}", f"{v} AS {new[2]}"]}, "source")
    made.add("points", {"type": "resample", "group_by": [k], "every_ms": 700, "ends_after_ms": 5000,
                        "fill": {value: {"type": "linear"}}}, "source")
    made.add("found", {"type": "pattern", "group_by": [k], "within_ms": 4000, "steps": [
        {"name": "a", "where": f"{v} < 0"}, {"name": "b", "where": f"{v} > a.{v}", "at_least": 1, "at_most": 3}],
        "select": [f"a.{t} AS {new[0]}", f"first(b.{n}) AS {new[1]}", f"last(b.{v}) AS {new[2]}",
                   f"count(b) AS {new[3]}"]}, "source")
    made.add("folded", {"type": "scan", "group_by": [k], "state": {"total": {"initial": "0L", "next": f"total + {v}"}},
                        "select": ["*", f"next.total AS {new[0]}"]}, "source")
    made.add("of_folded", {"type": "aggregate", "window": {"type": "session", "gap_ms": 1000}, "group_by": [new[0]],
                           "select": [f"{new[0]}", f"window.start AS {new[1]}", f"max({t}) AS {new[2]}"]}, "folded")
    made.add("newest", {"type": "latest", "group_by": [k], "every_ms": 2000}, "source")
    made.add("greatest", {"type": "top", "n": 2, "by": [f"{v} DESC", n], "group_by": [k],
                          "window": {"type": "tumbling", "size_ms": 5000}}, "source")
    made.add("sorted", {"type": "sort", "by": [v, n], "window": {"type": "tumbling", "size_ms": 5000},
                        "select": [f"{v} AS {new[0]}", n, f"window.end AS {new[1]}"]}, "source")
    made.show("once", "moved", "silent", "points", "found", "folded", "of_folded", "newest", "greatest", "sorted")


def _windows(made: _Graph, columns: tuple[str, str, str, str], new: list[str]) -> None:
    t, n, k, v = columns
    select = [f"window_time AS {new[0]}", f"{k} AS {new[1]}", f"sum({v}) AS {new[2]}", f"first({n}) AS {new[3]}"]
    windows: Fields = {
        "tumbling": {"type": "tumbling", "size_ms": 3000}, "session": {"type": "session", "gap_ms": 900},
        "counted": {"type": "count", "size": 3}, "states": {"type": "control", "open": f"{v} > 3", "close": f"{v} < 0"}}
    for name, window in windows.items():
        made.add(name, {"type": "aggregate", "group_by": [k], "window": window,
                        "select": select if name == "tumbling" else [f"window.start AS {new[0]}", *select[1:]]}, "source")
    made.add("progress", {"type": "aggregate", "window": {"type": "progress", "by": n, "size": 10},
                          "select": [f"window.from AS {new[0]}", f"count({v}) AS {new[1]}"]}, "source")
    made.add("trailing", {"type": "aggregate", "group_by": [k], "window": {"type": "trailing", "size_ms": 1500},
                          "select": [t, n, f"sum({v}) AS {new[0]}"]}, "source")
    made.add("kinds", {"type": "aggregate", "group_by": [f"{k} AS {new[0]}"], "window": {"type": "tumbling", "size_ms": 3000},
                       "select": [f"window.end AS {new[1]}", new[0], f"count(DISTINCT {v}) AS {new[2]}"]}, "source")
    made.show(*windows, "progress", "trailing", "kinds")


def _joins(made: _Graph, columns: tuple[str, str, str, str], new: list[str]) -> None:
    t, n, k, v = columns
    ways: dict[str, Fields] = {"near": {"between_ms": {"from": 0, "to": 400}, "how": "left"},
                               "as_of": {"as_of": {"max_age_ms": 3000}, "how": "left"},
                               "together": {"window": {"type": "tumbling", "size_ms": 2000}, "how": "full"}}
    for name, way in ways.items():
        made.add(name, {"type": "join", **way, "on": f"left.{k} = right.{k}" + (f" AND left.{v} < right.{v}"
                 if name != "as_of" else ""), "select": [f"left.{t} AS {new[0]}", f"left.{n}", f"right.{v} AS {new[1]}"]},
                 "source", "kept")
    made.show(*ways)
