"""Names that become places, and points that become areas."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

from harness import engine, graphs, java, spending
from harness.experiment import Claim, Experiment, Measured, Plan, Point, Run, Subject

PLACES = 100_000
SIDE = 100
"""Areas lie in so many rows and columns."""
STEP = 0.1
"""Degrees from one to the next; each is as wide."""
CORNERS = 16
EXACT, FOLDED, FUZZY, AREAS = "exact names", "folded names", "names with an error", "areas"
NAMES = {EXACT: "concat('Town ', {k})", FOLDED: "concat('TOWN ', {k})", FUZZY: "concat('Towm ', {k})"}


def _gazetteer(lab: Path) -> Path:
    """So many places in GeoNames' table format, which a name finds at once."""
    file = lab / "places.txt"
    if not file.is_file():
        rows = ((k, f"Town {k:06}", f"Town {k:06}", "", k % 170 - 85, k % 360 - 180, "P", "PPL", "DE", "", "", "", "", "", k, "",
                 "", "Europe/Berlin", "2026-01-01") for k in range(PLACES))
        file.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return file


def _areas(lab: Path) -> Path:
    """Areas of sixteen corners, side by side."""
    file = lab / "areas.geojson"
    if not file.is_file():
        turns = [2 * math.pi * k / CORNERS for k in [*range(CORNERS), 0]]
        rings = [[[(column + math.cos(turn) / 2) * STEP, (row + math.sin(turn) / 2) * STEP] for turn in turns]
                 for row in range(SIDE) for column in range(SIDE)]
        features = [{"type": "Feature", "properties": {"zone": k}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
                    for k, ring in enumerate(rings)]
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def _graph(select: list[str], asking: graphs.Json) -> graphs.Json:
    source = {"type": "generator_source", "rows": {"type": "select", "select": select}}
    return {"format": 1, "name": "places", "operators": {"source": source, "asked": asking, "sink": {"type": "discard_sink"}},
            "links": [{"from": "source", "to": "asked", "fuse": False}, {"from": "asked", "to": "sink"}]}


def _names(which: str) -> Callable[[Run], Measured]:
    def measure(run: Run) -> Measured:
        number = f"lpad(CAST(pmod(id * 2654435761, {PLACES}) AS STRING), 6, '0')"
        asking = {"type": "geocode", "name": "asked", "path": str(_gazetteer(run.lab)),
                  "edit_distance": 1 if which == FUZZY else 0, "select": ["latitude", "longitude"]}
        return spending.in_a_graph(run, _graph([f"{NAMES[which].format(k=number)} AS asked"], asking))
    return measure


def areas(run: Run) -> Measured:
    """Points over all areas and between them."""
    select = [f"pmod(id * 2654435761, 1000003) / 1000003D * {SIDE * STEP} AS x",
              f"pmod(id * 40503, 1000033) / 1000033D * {SIDE * STEP} AS y"]
    asking = {"type": "lookup", "key": {"latitude": "y", "longitude": "x"}, "select": ["x", "zone"],
              "from": {"type": "areas", "path": str(_areas(run.lab)), "schema": "zone INT"}}
    return spending.in_a_graph(run, _graph(select, asking))


POINT: Point = {}
EXPERIMENT = Experiment(
    name="places",
    doc=f"""Names that `geocode` finds among {PLACES:,} places, as they are written, by case alone, and with one letter wrong;
    and points that a `lookup` finds in {SIDE * SIDE:,} areas of sixteen corners, which three of four points hit. The
    source makes names and points in a task of its own. What is counted begins some time after the first row, when the file has
    been read. Processor time is that of the whole JVM.""",
    subjects=(*(Subject(name, _names(name), 5) for name in NAMES), Subject(AREAS, areas, 5)),
    metrics=(engine.PER_S, engine.CPU, spending.RESIDENT),
    full=Plan([POINT], warm_up_s=5, seconds=6),
    quick=Plan([POINT], repeats=1, warm_up_s=1, seconds=1),
    claims=(
        Claim("exact names/s", lambda result: result.estimate("per_s", EXACT, POINT), at_least=1e6),
        Claim("points/s in 10,000 areas", lambda result: result.estimate("per_s", AREAS, POINT), at_least=1e6),
    ),
    needs=(java.java_needed,),
)
