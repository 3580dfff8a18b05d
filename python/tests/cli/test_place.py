from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Despina = Callable[..., tuple[int, str, str]]
GRAPH: dict[str, Any] = {"format": 1, "name": "g", "operators": {
    "s": {"type": "generator_source", "rows": {"type": "select", "select": ["id AS n"]}, "count": 200000},
    "x": {"type": "filter", "where": "n % 2 = 0", "parallelism": 2}, "out": {"type": "discard_sink"}},
    "links": [{"from": "s", "to": "x"}, {"from": "x", "to": "out"}]}
MACHINES = {"format": 1, "resources": {"edge": {"machine": {"cpus": 1}}, "hall": {"machine": {"cpus": 8}}},
            "network": [{"between": ["edge", "hall"], "mbit_per_s": 1000}], "place": {"s": ["edge"]}}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "g.graph.json").write_text(json.dumps(GRAPH))
    (tmp_path / "machines.json").write_text(json.dumps(MACHINES))
    return tmp_path


def test_a_graph_is_placed_by_the_report_of_its_run(with_engine: Despina, files: Path) -> None:
    graph, report, deployment = files / "g.graph.json", files / "r.json", files / "g.deploy.json"
    assert with_engine("run", graph, "--quiet", "--report", report)[0] == 0
    assert [len(each["busy_ms"]) for each in json.loads(report.read_text())["operators"].values()] == [1, 2, 1]
    place = ("place", graph, "--on", files / "machines.json", "--from", report)
    code, out, err = with_engine(*place, "--rates", "s=1000", "-o", deployment)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("edge: ")
    written = json.loads(deployment.read_text())
    assert written["place"]["s"] == ["edge"]
    assert set(written["place"]) == {"s", "x", "out"}
    assert written["doc"].startswith("Placed by despina place for s=1000/s and the costs of r.json. The greatest share")
    assert with_engine("check", graph, "--deployment", deployment)[0] == 0
    code, out, _ = with_engine(*place, "--rates", "s=1e12", "--json")
    assert code == 1
    told = json.loads(out)
    assert told["too_much"]
    assert [each["resource"] for each in told["machines"]] == ["edge", "hall"]
    assert {name for each in told["tasks"] for name in each["operators"]} == {"s", "x", "out"}


def test_a_trial_says_what_operators_cost(with_engine: Despina, files: Path) -> None:
    written = files / "out.csv"
    graph = {**GRAPH, "operators": {**GRAPH["operators"], "out": {"type": "file_sink", "path": str(written), "format": "csv"}}}
    (files / "g.graph.json").write_text(json.dumps(graph))
    place = ("place", files / "g.graph.json", "--on", files / "machines.json", "--rates", "s=1000", "--try", "10s")
    code, out, err = with_engine(*place, "--json")      # its rows end before that
    assert (code, err, written.exists()) == (0, "", False)
    told = json.loads(out)
    assert "s=1000/s and the costs of a trial of" in told["deployment"]["doc"]
    assert {name for each in told["tasks"] for name in each["operators"]} == {"s", "x", "out"}
    assert with_engine(*place, "--from", files / "r.json")[2] == (
        "error[option]: --from and --try both say what operators cost\n  hint: leave one of them out\n")
    graph["operators"]["s"] = {"type": "tcp_source", "port": 0, "format": "csv", "schema": "n BIGINT"}
    (files / "g.graph.json").write_text(json.dumps(graph))
    code, _, err = with_engine(*place)
    assert (code, "a trial could take packets that `s` is not given again" in err) == (2, True)


def test_a_machine_that_was_measured_is_one_of_a_deployment(with_engine: Despina, files: Path) -> None:
    code, out, _ = with_engine("doctor", "--machine", "--measure", "--json")
    measured = json.loads(out)["machine"]
    assert (code, min(measured["loops_ns"].values()) > 0) == (0, True)
    (files / "machines.json").write_text(json.dumps({"format": 1, "resources": {"here": {"machine": measured}}}))
    assert with_engine("place", files / "g.graph.json", "--on", files / "machines.json", "--rates", "s=1")[0] == 0
    code, _, err = with_engine("doctor", "--measure")
    assert (code, err) == (2, "error[option]: --measure is of a machine\n  hint: despina doctor --machine --measure\n")


def test_what_is_wrong_is_told(with_engine: Despina, files: Path) -> None:
    place = ("place", files / "g.graph.json", "--on", files / "machines.json")
    assert with_engine(*place, "--rates", "s=none") == (
        2, "", "error[option]: Invalid value for --rates: s=none: 'none' is no number of packets per second\n"
        "  hint: see despina place --help\n")
    code, _, err = with_engine(*place, "--rates", "x=1,s=1")
    assert (code, "a rate is given for `x`, which is no source of the graph" in err) == (2, True)
    code, _, err = with_engine(*place)
    assert (code, "nothing says how much comes from `s`" in err) == (2, True)
    code, _, err = with_engine(*place, "--rates", "s=1", "--measured-on", "egde")
    assert (code, "hint: did you mean `edge`?" in err) == (2, True)


def test_a_machines_nodes_are_resources(with_engine: Despina, files: Path, tmp_path: Path) -> None:
    for file, text in {"sys/devices/system/cpu/online": "0-3", "proc/self/status": "Cpus_allowed_list:\t0-3",
                       **{f"sys/devices/system/node/node{k}/{name}": text for k in (0, 1)
                          for name, text in (("cpulist", f"{2 * k}-{2 * k + 1}"), ("meminfo", "MemTotal: 1000 kB"),
                                             ("distance", "10 21"))}}.items():
        (tmp_path / "other" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "other" / file).write_text(f"{text}\n")
    code, out, _ = with_engine("place", files / "g.graph.json", "--nodes", tmp_path / "other", "--rates", "s=1000", "--json")
    told = json.loads(out)["deployment"]
    assert (code, {name: each["node"] for name, each in told["resources"].items()}) == (0, {"node0": 0, "node1": 1})
    assert {name for places in told["place"].values() for name in places} == {"node0"}, "what fits in one node stays there"
    for both in (("--nodes", "--on", files / "machines.json"), ()):
        assert with_engine("place", files / "g.graph.json", "--rates", "s=1", *both)[2] == (
            "error[option]: --on FILE or --nodes says which machines there are\n  hint: name one of them\n")
