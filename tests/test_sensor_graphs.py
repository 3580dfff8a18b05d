"""The graphs for sensors over some thousand readings, real ones where they are here, against plain Python."""

from __future__ import annotations

import csv
import math
import os
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.testing.rows import differences
from support.cases import Row
from support.manufacturing_oracle import micros
from support.written import written_rows

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DESPINA_DATA", ROOT.parent / "shared" / "data"))
SECOND = 1_000_000
DAY = 86_400 * SECOND
PHASES = ("mf01", "mf02", "mf03")

pytestmark = pytest.mark.parametrize("engine", ["py4j"], indirect=True)


def run(engine: Engine, name: str, **parameters: str) -> None:
    """Runs a graph to its end."""
    with despina.load(ROOT / "graphs" / f"{name}.graph.json").run(engine=engine, parameters=parameters) as job:
        job.wait()


def written(folder: Path) -> list[Row]:
    """The rows of a file sink, times in microseconds."""
    rows = written_rows(folder)
    return [{k: micros(v) if isinstance(v, str) and "T" in v else v for k, v in row.items()} for row in rows]


def real(name: str) -> Path:
    """A file of real data."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no real data at {path}; DESPINA_DATA names the folder")
    return path


def power(path: Path) -> list[Row]:
    """Time, index and the three main phases of each reading."""
    with path.open() as lines:
        return [{"ts": micros(ts), **{k: int(v) for k, v in zip(("index", *PHASES), cells, strict=False)}}
                for ts, *cells in csv.reader(lines, delimiter="\t")]


def by_second(readings: list[Row]) -> dict[int, list[Row]]:
    """The readings that begin in each second since 1970."""
    seconds = defaultdict(list)
    for reading in readings:
        seconds[reading["ts"] // SECOND].append(reading)
    return seconds


def means(readings: list[Row]) -> Row:
    return {phase: sum(reading[phase] for reading in readings) / len(readings) for phase in PHASES}


def test_phase_averages(engine: Engine, tmp_path: Path) -> None:
    run(engine, "manufacturing_input", rows="9000", output=str(tmp_path / "readings.txt"))
    run(engine, "phase_averages", input=str(tmp_path / "readings.txt"), output=str(tmp_path / "out"))
    seconds = by_second(power(tmp_path / "readings.txt"))
    expected = [{"second": at * SECOND, **means(readings)} for at, readings in seconds.items()]
    assert differences(written(tmp_path / "out/seconds"), expected, ordered=False, aggregates=PHASES) == []
    minutes = []
    for until in range(min(seconds) + 1, max(seconds) + 61):
        readings = [reading for at in range(until - 60, until) for reading in seconds.get(at, [])]
        minutes.append({"until": until * SECOND, "readings": len(readings), **means(readings)})
    assert differences(written(tmp_path / "out/minutes"), minutes, ordered=False, aggregates=PHASES) == []


def test_power_violations(engine: Engine, tmp_path: Path) -> None:
    path = real("debs2012/DEBS2012-small.txt")
    run(engine, "power_violations", input=str(path), output=str(tmp_path / "out"))
    readings = power(path)
    violations = {}
    for at, near in by_second(readings).items():
        phases = [phase for phase in PHASES
                  if max(r[phase] for r in near) - min(r[phase] for r in near) > 0.3 * (sum(r[phase] for r in near) / len(near))]
        if phases:
            violations[(at + 1) * SECOND - 1] = phases
    expected = []
    for reading in readings:
        around = [(max(reading["ts"], at), at) for at in violations if at - 20 * SECOND <= reading["ts"] <= at + 70 * SECOND]
        if around:
            known, violation = min(around)
            expected.append({"known": known, **reading, "violation": violation, "phases": violations[violation]})
    assert len(expected) > 1000
    assert differences(written(tmp_path / "out"), expected, ordered=False) == []


def deviation(values: list[float]) -> float:
    """Of a sample. That of ``statistics`` adds up fractions, which takes ten times as long."""
    mean = statistics.fmean(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


@pytest.mark.parametrize("file", ["machine_temperature_system_failure", "ambient_temperature_system_failure"])
def test_temperature_anomaly(engine: Engine, tmp_path: Path, file: str) -> None:
    path = real(f"nab/{file}.csv")
    run(engine, "temperature_anomaly", input=str(path), output=str(tmp_path / "out"), spreads="3.5")
    with path.open() as lines:
        readings = sorted((micros(row["timestamp"].replace(" ", "T") + "Z"), float(row["value"]))
                          for row in csv.DictReader(lines))
    expected = []
    first = 0
    for k, (ts, value) in enumerate(readings):
        last = k
        while last + 1 < len(readings) and readings[last + 1][0] == ts:
            last += 1
        while readings[first][0] < ts - DAY:
            first += 1
        day = [v for _, v in readings[first:last + 1]]
        if len(day) >= 12 and abs(value - statistics.fmean(day)) > 3.5 * deviation(day):
            expected.append((ts, value))
    assert expected
    assert sorted((row["timestamp"], row["value"]) for row in written(tmp_path / "out")) == expected
