"""The areas that the engine finds for points are those that shapely finds."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from despina.engine import Engine
from despina.graph import Graph
from support.graphs import chain

shapely = pytest.importorskip("shapely", reason="pip install shapely: areas are compared with those that it finds")
AREAS, POINTS = 80, 4_000
SPREAD = 40.0
"""Degrees around 0, 0."""


def ring(dice: random.Random, longitude: float, latitude: float, radius: float) -> list[list[float]]:
    """A ring that does not cross itself, with corners around a centre."""
    count = dice.randrange(5, 14)
    turns = [(k + dice.uniform(0, 0.9)) * 2 * math.pi / count for k in range(count)]
    corners = [[longitude + math.cos(turn) * far, latitude + math.sin(turn) * far]
               for turn in turns for far in [radius * dice.uniform(0.5, 1)]]
    return [*corners, corners[0]]


def polygon(dice: random.Random) -> list[list[list[float]]]:
    """A square with notched sides, perhaps with a hole."""
    x, y, size = dice.uniform(-SPREAD, SPREAD), dice.uniform(-SPREAD, SPREAD), dice.uniform(1, 12)
    notch = [x, y - size * dice.uniform(0.5, 0.9)]
    outer = [[x - size, y - size], notch, [x + size, y - size], [x + size, y + size], [x - size, y + size], [x - size, y - size]]
    return [outer, ring(dice, x, y, size * 0.3)] if dice.random() < 0.5 else [outer]


def geometry(dice: random.Random) -> dict[str, Any]:
    if dice.random() < 0.7:
        return {"type": "Polygon", "coordinates": polygon(dice)}
    first = polygon(dice)
    far = [[[x - 3 * SPREAD, y] for x, y in one] for one in polygon(dice)]
    return {"type": "MultiPolygon", "coordinates": [first, far]}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def points(dice: random.Random, corners: list[list[float]]) -> list[dict[str, Any]]:
    """Anywhere, and exactly on corners."""
    anywhere = [[dice.uniform(-1.5 * SPREAD, 1.5 * SPREAD) for _ in range(2)] for _ in range(POINTS)]
    return [{"id": k, "x": x, "y": y} for k, (x, y) in enumerate([*anywhere, *dice.sample(corners, len(corners) // 4)])]


def run(engine: Engine, folder: Path, rows: list[dict[str, Any]], operator: dict[str, Any]) -> list[dict[str, Any]]:
    source = {"type": "file_source", "path": str(write(folder / "in.jsonl", rows)), "format": "json",
              "schema": "id INT, x DOUBLE, y DOUBLE"}
    graph = Graph.from_dict(chain(("source", source), ("found", operator), ("rows", {"type": "collect_sink"}), name="places"))
    with graph.run(engine=engine) as job:
        return list(job.rows())


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_areas_are_those_of_shapely(engine: Engine, tmp_path: Path) -> None:
    dice = random.Random(3)
    shapes = [geometry(dice) for _ in range(AREAS)]
    file = tmp_path / "areas.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": k}, "geometry": shape} for k, shape in enumerate(shapes)]}), encoding="utf-8")
    known = [shapely.geometry.shape(shape) for shape in shapes]
    corners = [corner for shape in shapes if shape["type"] == "Polygon" for one in shape["coordinates"] for corner in one]
    rows = points(dice, corners)
    found = run(engine, tmp_path, rows, {"type": "lookup", "key": {"latitude": "y", "longitude": "x"}, "how": "inner",
                                         "from": {"type": "areas", "path": str(file), "schema": "name INT"},
                                         "select": ["id", "name"]})
    spots = shapely.points([row["x"] for row in rows], [row["y"] for row in rows])
    wanted = {(rows[at]["id"], k) for k, area in enumerate(known) for at in shapely.covers(area, spots).nonzero()[0]}
    assert {(row["id"], row["name"]) for row in found} == wanted
    assert len(wanted) > POINTS / 10

