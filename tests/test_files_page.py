"""The graph of docs/files.md, with files as the page says."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import despina
from despina.engine import Engine
from support.processes import until

PAGE = Path(__file__).resolve().parents[1] / "docs" / "files.md"


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_packed_logs_are_archived_as_they_come(engine: Engine, tmp_path: Path) -> None:
    block = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    written = json.loads(block[1])
    written["operators"]["archive"]["roll_every_ms"] = 1
    logs, archive = tmp_path / "logs", tmp_path / "archive"
    logs.mkdir()

    def come(name: str, *celsius: float) -> None:
        lines = "".join(f"2024-01-01T00:00:0{k}Z,d,{value}\n" for k, value in enumerate(celsius))
        (logs / ".coming").write_bytes(gzip.compress(f"ts,device,celsius\n{lines}".encode()))
        (logs / ".coming").rename(logs / f"{name}.csv.gz")

    def archived() -> list[float]:
        tables = [pq.read_table(file) for file in archive.glob("part-*.zstd.parquet")]
        return sorted(value for table in tables for value in table["celsius"].to_pylist())

    come("a", 19.0, 21.0)
    with despina.Graph.from_dict(written).run(engine=engine, parameters={"logs": str(logs), "archive": str(archive)}) as job:
        until(lambda: archived() == [21.0], "first file")
        come("b", 25.5, 1.0, 30.0)
        until(lambda: archived() == [21.0, 25.5, 30.0], "second file")
        job.stop()


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_folders_give_a_column(engine: Engine, tmp_path: Path) -> None:
    written = json.loads(re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1])
    for day in ("2024-02-29", "2024-03-01", "2024-03-02"):
        (tmp_path / "readings" / f"day={day}").mkdir(parents=True)
        (tmp_path / "readings" / f"day={day}" / "a.csv").write_text(f"{day[-1]},21.5\n")
    found = despina.Graph.from_dict(written).run(engine=engine, parameters={"folder": str(tmp_path)}).rows("rows").to_pylist()
    assert [(row["day"].isoformat(), row["device"]) for row in found] == [("2024-03-01", 1), ("2024-03-02", 2)]
