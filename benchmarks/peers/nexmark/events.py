"""The events: their graph, the graph of a query over them, and files of them, made once."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from despina.errors import DespinaError
from harness import engine
from harness.engine import Command
from harness.graphs import ROOT
from peers.contract import Kit, UnavailableError
from peers.manufacturing import Input

Json = dict[str, Any]

GRAPHS = ROOT / "graphs" / "nexmark"
EVENTS = GRAPHS / "nexmark_events.graph.json"
MADE = "made"
"""Each run makes its events, all columns of all of them, and throws away what the query does not ask for."""
DISK = "disk"
"""Each run reads csv."""
PARQUET = "parquet"
"""Each run reads Parquet."""
AVRO = "avro"
"""Each run reads Avro: rows in binary."""
FORMATS = {DISK: "csv", PARQUET: "parquet", AVRO: "avro"}
"""Of what is read; else events are made."""
ENDINGS = {DISK: "", PARQUET: "-parquet", AVRO: "-avro"}
"""Of the folders of these files: ``300000``, ``300000-parquet``."""
GENERATOR = "gen"
"""The query that asks for nothing: what the events cost."""
CHECKED = 300_000
"""So many events' rows are compared by value before a query is timed: half a minute of event time."""
PART = 5
"""A second run has so many times the events of the first: what both have, starting and ending, is not in the difference."""
WHEN = {"gap_us": "100", "whole_us": "1000", "seed": "1", "open_ms": "100", "gap_ms": "101"}
"""Ten thousand events a second, as Beam has them, cut to milliseconds, as Flink has them; an auction lasts 100 ms at most."""
TIME_FORMAT = "yyyy-MM-dd HH:mm:ss.SSS"
"""As SQL has it, which every engine reads."""
KINDS = {"persons": "person", "auctions": "auction", "bids": "bid"}
"""By the name of a query's source, which is a folder's as well: the operator of the events' graph that makes them."""
LIMIT_S = 1800.0


def graph(query: str, events: int, folder: Path | None, output: Path | None, form: str = "csv") -> Json:
    """A query over so many events.

    :param folder: where their files are; None: they are made
    :param output: where rows are written; None: they are thrown away
    :param form: the files' format
    """
    found = _made() if folder is None else {"operators": {}, "links": [], "parameters": {}}
    if query != GENERATOR:
        asked = json.loads((GRAPHS / f"{query}.graph.json").read_text())
        asked["operators"] = {name: operator for name, operator in asked["operators"].items() if folder or name not in KINDS}
        if folder is None:
            asked["links"] = [{**link, "from": KINDS.get(link["from"], link["from"])} for link in asked["links"]]
        for name in KINDS.keys() & asked["operators"].keys():
            asked["operators"][name] |= {"path": str(folder) + f"/{name}", "format": form}
        asked["operators"]["result"] = _result(output)
        found = {key: type(part)([*part, *asked[key]]) if isinstance(part, list) else part | asked[key]
                 for key, part in found.items()}
    unused = [made for made in KINDS.values()
              if made in found["operators"] and all(link["from"] != made for link in found["links"])]
    found["operators"] |= {f"no_{made}": {"type": "discard_sink"} for made in unused}
    found["links"] += [{"from": made, "to": f"no_{made}"} for made in unused]
    return _fixed({"format": 1, "name": query, **found}, {"events": str(events), **WHEN})


def _made() -> Json:
    """The events' graph without its sinks."""
    found = json.loads(EVENTS.read_text())
    for sink in KINDS:
        del found["operators"][sink]
    return {"operators": found["operators"], "links": [link for link in found["links"] if link["to"] not in KINDS],
            "parameters": found["parameters"]}


def _result(output: Path | None) -> Json:
    return {"type": "discard_sink"} if output is None else {"type": "file_sink", "path": str(output), "format": "json"}


def _fixed(content: Json, values: Mapping[str, str]) -> Json:
    """The graph with these values as defaults of its parameters, of which those that it does not name are left out."""
    parameters = content.pop("parameters")
    text = json.dumps(content)
    named = {name: {**told, "default": values.get(name, told["default"])} for name, told in parameters.items()
             if f"${{{name}}}" in text}
    return {**content, "parameters": named}


def read_at(point: Mapping[str, Any]) -> list[str]:
    """The folders of files that are read at a point, if only by who compares rows."""
    ending = ENDINGS.get(point["from"])
    sizes = [] if ending is None else [CHECKED, point["events"] // PART, point["events"]]
    return list(dict.fromkeys([str(CHECKED), *(f"{events}{ending}" for events in sizes)]))


def prepared(kit: Kit, folders: Iterable[str]) -> Input:
    """A folder with those folders, each with the files of so many events, by kind: ``EVENTS/persons`` and so on.

    Made at first use and kept: for this graph and these settings, and only when all of it was made.
    """
    made_by = hashlib.sha256(b"\0".join((EVENTS.read_bytes(), json.dumps([WHEN, TIME_FORMAT]).encode()))).hexdigest()[:12]
    home = kit.cache / "inputs" / f"nexmark-{made_by}"
    wanted = sorted(set(folders))
    for name in wanted:
        folder = home / name
        if not folder.is_dir():
            count, _, form = name.partition("-")
            kit.tell(f"nexmark: making {int(count):,} events")
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            _write(part, int(count), form or "csv")
            part.rename(folder)
    return Input(home, 0, {}, [home / name for name in wanted])


def _write(folder: Path, events: int, form: str) -> None:
    content = _made()
    options = {"options": {"timestampFormat": TIME_FORMAT}} if form == "csv" else {}
    for sink, made in KINDS.items():
        content["operators"][sink] = {"type": "file_sink", "path": str(folder / sink), "format": form, **options}
        content["links"].append({"from": made, "to": sink})
    content = _fixed({"format": 1, "name": "nexmark_events", **content}, {"events": str(events), **WHEN})
    try:
        engine.run(Command(content, limit_s=LIMIT_S), folder)
    except DespinaError as failed:
        raise UnavailableError(f"the events cannot be made: {failed}") from failed
