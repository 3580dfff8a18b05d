"""The engine and Spark find the same files, whatever their names, and tell of what is not there in the same words."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import despina
from despina.engine import Engine
from despina.errors import JobError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ODD = ["2024-03-01T10:00:00", "a*", "b?", "c d", "e%3Af", "g#h", "[i]", "{j,k}", "\\l", "é", "'m'", "n=o", "p+q&r"]
SCHEMA = {"csv": "v INT, day DATE", "json": "v INT, day DATE", "parquet": "day DATE, v INT"}


def graph(path: Path | str, form: str, where: str = "true") -> despina.Graph:
    """What a path holds, filtered."""
    return despina.Graph.from_dict({
        "format": 1, "name": "found",
        "operators": {"source": {"type": "file_source", "path": str(path), "format": form, "schema": SCHEMA[form]},
                      "some": {"type": "filter", "where": where}, "rows": {"type": "collect_sink"}},
        "links": [{"from": "source", "to": "some"}, {"from": "some", "to": "rows"}]})


def write(file: Path, form: str, v: int) -> None:
    """A file with one row."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if form == "parquet":
        pq.write_table(pa.table({"v": pa.array([v], pa.int32())}), file)
    else:
        file.write_text(f"{v}\n" if form == "csv" else f'{{"v": {v}}}\n')


def both(found: despina.Graph, engine: Engine, spark: SparkSession) -> list[Counter[tuple[int, str | None]]]:
    """How often each row comes out, on the engine and on Spark."""
    tables = [found.run(engine=engine).rows("rows"), found.to_spark(spark)["rows"].toArrow()]
    return [Counter((row["v"], row["day"] and row["day"].isoformat()) for row in table.to_pylist()) for table in tables]


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_names_of_every_kind(form: str, engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    for v, name in enumerate(ODD):
        write(tmp_path / "day=2024-03-01" / f"{name}.x", form, v)
        write(tmp_path / "day=2024-03-02" / f"ü={name}" / "a.x", form, v + 100)
    expected = Counter({(v + more, day): 1 for v in range(len(ODD)) for more, day in ((0, "2024-03-01"), (100, "2024-03-02"))})
    assert both(graph(tmp_path, form), engine, spark) == [expected] * 2
    march = Counter({(v + 100, "2024-03-02"): 1 for v in range(len(ODD) - 3)})
    assert both(graph(tmp_path, form, "day > DATE'2024-03-01' AND v < 110"), engine, spark) == [march] * 2


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_random_folders_and_globs(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(26)
    names = ["a", "b1", "_h", ".h", "day=2024-03-01", "day=2024-03-02", "k=1", "_k=2", "c d", "[x]", "e._COPYING_"]
    globs = ["*", "[^b]*", "{a,day=*}", "?1", "day=*", "k=1", "\\[x\\]", "*/*", "{a,k=1}/*"]
    seen = 0
    for tree in range(8):
        for v in range(10):
            file = tmp_path / f"{tree}" / "/".join(chance.choices(names, k=chance.randint(1, 3)))
            if not file.exists() and not any(above.is_file() for above in file.parents):
                write(file, "json", v)
        path = str(tmp_path / f"{tree}") + chance.choice(["", f"/{chance.choice(globs)}"])
        try:
            on_engine, on_spark = both(graph(path, "json"), engine, spark)
        except JobError as error:
            why = "no file" if "no file" in error.message else "two of its folders give the column `day`"
            with pytest.raises(Exception, match=why):
                graph(path, "json").to_spark(spark)
        else:
            assert on_engine == on_spark, path
            seen += len(on_engine)
    assert seen > 8


@pytest.mark.parametrize("engine", ["py4j"], indirect=True)
def test_what_is_not_there(engine: Engine, spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    for path, words in (("none.csv", "no such file or folder: "), ("none/*.csv", "no file matches "),
                        ("*.csv", "no file matches "), ("folder", "are read by a glob: "),
                        ("folder/[", "is no pattern of names: ")):
        with pytest.raises(JobError, match=words):
            graph(tmp_path / path, "csv").run(engine=engine).wait()
        with pytest.raises(Exception, match=words):
            graph(tmp_path / path, "csv").to_spark(spark)
