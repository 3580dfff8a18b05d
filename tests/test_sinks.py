"""Sinks on both sides: files byte for byte, and what is counted and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import despina
from despina.backends.spark import run as run_on_spark
from despina.engine import Engine
from despina.errors import JobError
from support.every import by_either

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 60
MOMENT = "timestamp_micros(1700000000000000 + id * 1000037) AS at"
PLAIN = [
    "id", MOMENT, "if(id % 7 = 0, NULL, id / 8) AS eighth", "CAST(id AS DECIMAL(12, 3)) / 7 AS seventh", "id % 3 = 0 AS third",
    "date_add(DATE '2024-02-27', CAST(id AS INT)) AS day", "if(id = 5, -0.0D, if(id = 6, double('NaN'), id * 1e20D)) AS large",
    "element_at(array('plain', '', NULL, 'a,b', 'say \"hi\"', 'back\\\\slash', ' around ', 'ü €', 'tab\\there', '#no'), "
    "CAST(id % 10 AS INT) + 1) AS words",
]
NESTED = [*PLAIN, "array(id, NULL, id + 1) AS list", "struct(id AS x, if(id % 2 = 0, NULL, 'odd') AS y) AS pair",
          "map('k', id) AS m"]
INTERVALS = ["id", "CAST(id AS INTERVAL HOUR) AS hours", "CAST(-id AS INTERVAL YEAR) AS years",
             "make_ym_interval(0, CAST(id AS INT)) AS ym",
             "make_dt_interval(0, 0, CAST(id AS INT), id / 8) AS ds",
             "CAST(if(id % 2 = 0, NULL, id || ':04.25') AS INTERVAL MINUTE TO SECOND) AS ms"]
FORMATS: dict[str, tuple[str, list[str], dict[str, str]]] = {
    "csv": ("csv", PLAIN, {}),
    "csv_intervals": ("csv", INTERVALS, {}),
    "csv_options": ("csv", PLAIN, {"sep": ";", "header": "true", "nullValue": "none", "quoteAll": "true",
                                   "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS"}),
    "json": ("json", NESTED, {}),
    "json_intervals": ("json", [*INTERVALS, "array(CAST(id AS INTERVAL DAY)) AS days"], {}),
    "json_options": ("json", NESTED, {"ignoreNullFields": "false", "timestampFormat": "yyyy/MM/dd HH:mm",
                                      "dateFormat": "dd.MM.yyyy"}),
    "text": ("text", ["concat('line ', id, ' ü €') AS value"], {}),
}


def written(folder: Path) -> list[bytes]:
    """All lines of the file, or of the folder's parts, sorted."""
    parts = [folder] if folder.is_file() else sorted(folder.glob("part-*"))
    return sorted(line for part in parts for line in part.read_bytes().splitlines(keepends=True))


def file_graph(name: str, single_file: bool) -> despina.Graph:
    """Generated rows into a file sink; two instances where it is a folder."""
    form, select, options = FORMATS[name]
    sink: dict[str, Any] = {"type": "file_sink", "path": "${path}", "format": form, "single_file": single_file}
    if options:
        sink["options"] = options
    source = {"type": "generator_source", "count": ROWS, "rows": {"type": "select", "select": select}}
    return despina.Graph.from_dict({
        "format": 1, "name": "files", "parameters": {"path": {}}, "settings": {"time_zone": "Europe/Berlin"},
        "operators": {"source": source, "sink": sink if single_file else {**sink, "parallelism": 2}},
        "links": [{"from": "source", "to": "sink"}],
    })


def test_a_fold_runs_beside_a_sink_on_another_file_system(spark: SparkSession) -> None:
    graph = json.loads((Path(__file__).parent / "cases" / "scan" / "generated" / "case.graph.json").read_text())
    graph["operators"]["far"] = {"type": "file_sink", "path": "s3a://nowhere/out", "format": "json"}
    graph["links"].append({"from": "runs", "to": "far"})
    frames = despina.Graph.from_dict(graph).to_spark(spark)
    assert frames["rows"].count() == frames["far"].count() > 0


@by_either
@pytest.mark.parametrize("single_file", [True, False], ids=["file", "folder"])
@pytest.mark.parametrize("name", FORMATS)
def test_files_are_sparks_byte_for_byte(
    name: str, single_file: bool, engine: Engine, spark: SparkSession, tmp_path: Path
) -> None:
    if "header" in FORMATS[name][2] and not single_file:
        pytest.skip("a header per part, and the parts are dealt differently")
    graph = file_graph(name, single_file)
    with graph.run(engine=engine, parameters={"path": str(tmp_path / "engine")}) as job:
        job.wait()
    report = run_on_spark(graph, spark, despina.RunOptions({"path": str(tmp_path / "spark")}))
    lines = written(tmp_path / "engine")
    assert len(lines) == ROWS + ("header" in FORMATS[name][2])
    assert lines == written(tmp_path / "spark")
    assert report["operators"]["sink"]["packets_in"] == job.report()["operators"]["sink"]["packets_in"] == ROWS


def test_console_and_discard_count_alike(engine: Engine, spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    graph = despina.Graph.from_dict({
        "format": 1, "name": "counted",
        "operators": {
            "source": {"type": "generator_source", "count": 40, "rows": {"type": "select", "select": ["id", "id % 2 AS odd"]}},
            "split": {"type": "filter", "where": "id < 3"},
            "shown": {"type": "console_sink"},
            "dropped": {"type": "discard_sink"},
        },
        "links": [{"from": "source", "to": "split"}, {"from": "split", "to": "shown"},
                  {"from": "split.rejected", "to": "dropped"}],
    })
    with graph.run(engine=engine) as job:
        job.wait()
    on_engine = capsys.readouterr().out
    report = run_on_spark(graph, spark)
    on_spark = capsys.readouterr().out
    expected = {"shown": 3, "dropped": 37}
    assert {sink: job.report()["operators"][sink]["packets_in"] for sink in expected} == expected
    assert {sink: report["operators"][sink]["packets_in"] for sink in expected} == expected
    for shown in (on_engine, on_spark):
        cells = [line.replace("|", " ").split() for line in shown.splitlines()]
        assert ["id", "odd"] in cells
        numbers = [row for row in cells if len(row) == 2 and all(cell.isdigit() for cell in row)]
        assert numbers == [["0", "0"], ["1", "1"], ["2", "0"]]


def test_a_fold_that_fails_on_spark_is_an_error_in_words(spark: SparkSession) -> None:
    source = {"type": "generator_source", "count": 3, "event_time": {"column": "ts", "order_by": ["id"]},
              "rows": {"type": "select", "select": ["id", "timestamp_seconds(id) AS ts"]}}
    fold = {"type": "scan", "state": {"n": {"initial": "1.0D", "next": "n / (2 - id)"}}, "select": ["next.n AS n"]}
    graph = despina.Graph.from_dict({
        "format": 1, "name": "fails", "operators": {"source": source, "fold": fold, "sink": {"type": "discard_sink"}},
        "links": [{"from": "source", "to": "fold"}, {"from": "fold", "to": "sink"}],
    })
    with pytest.raises(JobError, match=r": error\[spark\]: operator fold: \[DIVIDE_BY_ZERO\]") as raised:
        run_on_spark(graph, spark)
    assert "\tat " not in raised.value.message


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_both_consoles_print_times_alike(
        engine: Engine, spark: SparkSession, zone: str, capsys: pytest.CaptureFixture[str]) -> None:
    # The second and the third are the hour that Berlin has twice; the next has all digits, the last none of its year.
    moments = [1700000000000000, 1698537600000000, 1698541200000000, 1700000000500000, 1700000000000001, -1, 253402300799000000]
    select = ["id", f"timestamp_micros(element_at(array({', '.join(f'{m}L' for m in moments)}), CAST(id AS INT) + 1)) AS `at`",
              "TIMESTAMP_NTZ '2023-11-14 22:13:00' + make_dt_interval(0, 0, 0, id / 8) AS local"]
    graph = despina.Graph.from_dict({
        "format": 1, "name": "shows", "settings": {"time_zone": zone}, "operators": {
            "source": {"type": "generator_source", "count": len(moments), "rows": {"type": "select", "select": select}},
            "shown": {"type": "console_sink"}},
        "links": [{"from": "source", "to": "shown"}]})
    with graph.run(engine=engine) as job:
        job.wait()
    on_engine = capsys.readouterr().out
    run_on_spark(graph, spark)
    on_spark = capsys.readouterr().out
    told = [sorted(tuple(line.replace("|", " ").split()) for line in shown.splitlines() if "T" in line)
            for shown in (on_engine, on_spark)]
    assert len(told[0]) == len(moments)
    assert told[0] == told[1]
    assert ("0", "2023-11-14T22:13:20Z", "2023-11-14T22:13:00") in told[0]
