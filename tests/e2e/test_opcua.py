"""``opcua_source`` with a server of Milo's: what a graph gets, and what is said where something is wrong.

What breaks and begins anew is tried in the connector's own tests, ``connectors/opcua``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from despina.engine import Engine
from despina.graph import Graph, RunOptions, load
from e2e.conftest import Call
from support import opcua
from support.graphs import Fields, chain, write
from support.opcua import source
from support.processes import free_port, over, until

COLLECTED: Fields = {"type": "collect_sink"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of a small plant, whose first pump counts its temperature up."""
    with opcua.running() as plant:
        yield plant.url


def test_changes_are_rows_and_all_come(engine: Engine, server: str, tmp_path: Path) -> None:
    fields = source(server, "/Plant/{line}/{device}/Temperature", schema="celsius DOUBLE",
                    metadata={"path": "p", "status": "s", "time": "t"})
    graph = Graph.from_dict(chain(("in", fields), ("out", COLLECTED), name="read"))
    with graph.start(engine, RunOptions(state=tmp_path / "state")) as job:
        until(lambda: job.poll().operators["out"]["packets_in"] >= 20, "20 rows", ended=over(job))
        job.stop()
        job.wait()
        rows = job.rows("out").to_pylist()
    counted = [row["celsius"] for row in rows if row["line"] == "line1" and row["device"] == "pump"]
    assert counted == [counted[0] + number for number in range(len(counted))]
    others = [row for row in rows if row["device"] == "oven"]
    assert [(row["p"], row["celsius"], row["s"]) for row in sorted(others, key=lambda row: str(row["p"]))] == [
        (f"/Plant/line{number}/oven/Temperature", 20.0, "Good") for number in (1, 2)]
    assert all(row["t"].year >= 2020 for row in rows)


@pytest.mark.connector("opcua", "two")
def test_two_jobs_of_one_graph_do_not_disturb_each_other(engine: Engine, server: str, tmp_path: Path) -> None:
    """Each has a session and a subscription of its own."""
    graph = Graph.from_dict(chain(("in", source(server, "/Plant/line1/pump/Temperature", schema="celsius DOUBLE")),
                                  ("out", COLLECTED), name="two"))
    with graph.start(engine, RunOptions(state=tmp_path / "one")) as one, \
            graph.start(engine, RunOptions(state=tmp_path / "other")) as other:
        for job in (one, other):
            until(lambda job=job: job.poll().operators["out"]["packets_in"] >= 10, "10 rows",  # type: ignore[misc]
                  ended=over(job))
        for job in (one, other):
            job.stop()
            job.wait()
            celsius = [row["celsius"] for row in job.rows("out").to_pylist()]
            assert celsius == [celsius[0] + number for number in range(len(celsius))]
            assert len(celsius) >= 10


@pytest.mark.connector("opcua", "jobs", "phases")
def test_what_changes_while_the_job_is_away_comes_from_the_history(engine: Engine, server: str, tmp_path: Path) -> None:
    fields = source(server, "/Plant/line1/pump/Temperature", schema="celsius DOUBLE", history=True)
    graph = Graph.from_dict(chain(("in", fields), ("out", COLLECTED), name="history"))

    modes: tuple[Literal["drain", "now", "flush"], ...] = ("drain", "now", "flush")

    def celsius_of_a_run(mode: Literal["drain", "now", "flush"]) -> list[float]:
        with graph.start(engine, RunOptions(state=tmp_path / "state")) as job:
            until(lambda: job.poll().operators["out"]["packets_in"] >= 10, "10 rows", ended=over(job))
            job.stop(mode=mode)
            job.wait()
            return [row["celsius"] for row in job.rows("out").to_pylist()]

    celsius = [each for mode in modes for each in celsius_of_a_run(mode)]
    assert celsius == [celsius[0] + number for number in range(len(celsius))]


def test_the_history_is_read_up_to_an_instant(engine: Engine, server: str) -> None:
    begin = datetime.now(UTC).isoformat()
    pump = source(server, "/Plant/line1/pump/Temperature", schema="celsius DOUBLE")
    with Graph.from_dict(chain(("in", pump), ("out", COLLECTED), name="now")).start(engine, RunOptions()) as job:
        until(lambda: job.poll().operators["out"]["packets_in"] >= 5, "5 rows", ended=over(job))
        job.stop()
        job.wait()
    fields = pump | {"history": True, "history_from": begin, "history_to": datetime.now(UTC).isoformat()}
    with Graph.from_dict(chain(("in", fields), ("out", COLLECTED), name="past")).start(engine, RunOptions()) as job:
        job.wait()
        celsius = [row["celsius"] for row in job.rows("out").to_pylist()]
    assert celsius == [celsius[0] + number for number in range(len(celsius))]
    assert len(celsius) > 1


@pytest.mark.connector("opcua", "stubbed")
@pytest.mark.connector("iceberg", "stubbed")
def test_values_of_a_plant_reach_an_iceberg_table(call: Call, engine: Engine, server: str, tmp_path: Path) -> None:
    """``despina new --template opcua-to-iceberg``."""
    iceberg = pytest.importorskip("pyiceberg.table", reason="it reads the table, and is of the extra dev")
    assert call("new", "--template", "opcua-to-iceberg", ".").code == 0
    assert call("test", ".").code == 0
    values, name = {"server": server, "table": str(tmp_path / "lake/readings")}, "opcua-to-iceberg.graph.json"
    tried = call("check", name, "--connect", *(word for key, value in values.items() for word in ("--set", f"{key}={value}")))
    assert tried.code == 0, tried.err
    hint = tmp_path / "lake/readings/metadata/version-hint.text"
    with load(tmp_path / name).start(engine, RunOptions(parameters=values, state=str(tmp_path / "state"), epoch_ms=100)) as job:
        until(lambda: hint.exists() and int(hint.read_text()) >= 3, "three versions", ended=over(job))
        job.stop()
        job.wait()
    table = iceberg.StaticTable.from_metadata(str(hint.with_name(f"v{hint.read_text()}.metadata.json")))
    pump = [row for row in table.scan().to_arrow().to_pylist() if (row["line"], row["device"]) == ("line1", "pump")]
    celsius = sorted(row["celsius"] for row in pump)
    assert celsius == [celsius[0] + number for number in range(len(celsius))]
    assert [field.name for field in table.spec().fields] == ["ts_day"]


def test_a_structure_is_a_struct(engine: Engine, server: str) -> None:
    fields = source(server, "/Plant/line1/Pose", schema="pose STRUCT<x: DOUBLE, y: DOUBLE>")
    with Graph.from_dict(chain(("in", fields), ("out", COLLECTED), name="pose")).start(engine, RunOptions()) as job:
        until(lambda: job.poll().operators["out"]["packets_in"] >= 1, "a row", ended=over(job))
        job.stop()
        job.wait()
        assert job.rows("out").to_pylist() == [{"pose": {"x": 1.0, "y": 2.0}}]


@pytest.mark.connector("opcua", "bad", "tried")
def test_what_does_not_fit_is_told(call: Call, server: str, tmp_path: Path) -> None:
    other = source(server, "/Plant/line1/oven/State", schema="n DOUBLE")
    ended = call("run", write(tmp_path / "g.json", chain(("in", other), ("out", {"type": "discard_sink"}))))
    assert ended.code == 1
    assert "ns=2;s=line1.oven.State: " in ended.err, ended.err
    graph = write(tmp_path / "g.json", chain(("in", source(server, "ns=2;s=none", "/Plant/*/pump/*")),
                                             ("out", {"type": "discard_sink"})))
    ended = call("check", graph, "--connect")
    assert ended.code == 1
    assert "not all `nodes` are at" in ended.out + ended.err
    assert "ns=2;s=none (Bad_NodeIdUnknown)" in ended.out + ended.err


@pytest.mark.connector("opcua", "promise", "spark", "absent")
def test_what_it_promises_what_spark_lacks_and_that_nobody_is_there(call: Call, tmp_path: Path) -> None:
    away = source(f"opc.tcp://127.0.0.1:{free_port()}", "/Plant/*/*/Temperature", connect_ms=1000)
    graph = write(tmp_path / "g.json", chain(("in", away), ("out", {"type": "discard_sink"})))
    told = call("check", graph, "--guarantee", "--json")
    assert '"none"' in told.out
    assert "Spark has no source for OPC UA" in call("check", graph, "--for", "spark").err
    ended = call("run", graph)
    assert ended.code == 1
    assert "`server`" in ended.err


@pytest.mark.connector("opcua", "schema")
def test_the_type_of_values_is_found(call: Call, server: str) -> None:
    asked = call("schema", f"{server}?nodes=/Plant/{{line}}/oven/Temperature", "--wait", "60", "--field", "publish_ms=20")
    assert asked.code == 0, asked.err
    found = json.loads(asked.out)
    assert (found["nodes"], found["schema"]) == (["/Plant/{line}/oven/Temperature"], "value DOUBLE")
    mixed = json.loads(call("schema", f"{server}?nodes=/Plant/line1/oven/Temperature&nodes=/Plant/line1/oven/State", "--wait",
                            "60", "--field", "publish_ms=20").out)
    assert mixed["schema"] == "value STRING"
