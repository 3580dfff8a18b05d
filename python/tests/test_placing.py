from __future__ import annotations

from pathlib import Path
from typing import Any

from despina.placing import Known, Proposal, without_sinks

ANSWER: dict[str, Any] = {
    "place": {"s": ["edge"], "x": ["far-0", "far-1"]},
    "machines": [{"resource": "edge", "busy": 0.4, "cpus": 2.0}, {"resource": "far-0", "busy": 0.5, "cpus": 4.0},
                 {"resource": "far-1", "busy": 0.5, "cpus": 4.0}],
    "ways": [{"from": "edge", "to": "far-0", "bytes_per_s": 125000.0, "share": 0.01}],
    "tasks": [{"resource": "edge", "operators": ["s", "y"], "instance": 0, "busy": 0.4},
              {"resource": "far-0", "operators": ["x"], "instance": 0, "busy": 0.5},
              {"resource": "far-1", "operators": ["x"], "instance": 1, "busy": 0.5}],
    "greatest": 0.5}
TOO_MUCH: dict[str, Any] = {
    **ANSWER, "greatest": 3.0, "machines": [{"resource": "edge", "busy": 3.0, "cpus": 2.0}],
    "ways": [{"from": "edge", "to": "far", "bytes_per_s": 3.75e6, "share": 3.0}],
    "tasks": [{"resource": "edge", "operators": ["s", "y"], "instance": 0, "busy": 1.5}]}


def test_a_deployment_says_why() -> None:
    written = {"format": 1, "resources": {"edge": {"cores": 2}, "far": {"count": 2}}, "place": {"s": ["edge"]}}
    deployment = Proposal.of(ANSWER, ()).deployment(written, Known({"s": 2e4}, Path("run.json")))
    assert deployment["place"] == ANSWER["place"]
    assert deployment["resources"] == {
        "edge": {"cores": 2, "doc": "edge: 0.40 of 2 processors busy, s+y 0.40"},
        "far": {"count": 2, "doc": "far-0: 0.50 of 4 processors busy, x 0.50; far-1: 0.50 of 4 processors busy, x[1] 0.50"}}
    assert deployment["doc"] == (
        "Placed by despina place for s=20000/s and the costs of run.json. The greatest share of a processor, a thread or the "
        "network is 0.50: 2 times as much would fit. From edge to far-0: 1 Mbit/s, 0.01 of what there is.")
    assert "doc" not in written
    assert str(Known({}, "runs/run.json")) == "the rates and costs of run.json"
    assert str(Known({"s": 1}, {"measured_s": 1.0004})) == "s=1/s and the costs of a trial of 1 s"


def test_what_does_not_fit_is_named() -> None:
    proposal = Proposal.of(TOO_MUCH, ())
    assert proposal.too_much() == [
        "edge has 2 processors, and 3.00 would be busy",
        "s has one thread for each instance, and instance 0 on edge would need 1.50 of it: give it more parallelism",
        "from edge to far: 30 Mbit/s, 3.00 of what there is"]
    assert proposal.lines()[-1].startswith("It does not fit: edge has 2 processors")


def test_a_trial_writes_nothing() -> None:
    def planned(name: str, *outputs: str) -> dict[str, Any]:
        return {"id": name, "parallelism": 2, "outputs": [{"name": each} for each in (*outputs, "errors")]}
    kept: dict[str, Any] = {"type": "filter", "where": "n > 0"}
    graph: dict[str, Any] = {
        "format": 1, "settings": {"guarantee": "exactly_once", "queue_target_ms": 5},
        "operators": {"s": {"type": "any_source"}, "x": kept, "out": {"type": "file_sink", "path": "never"}, "late": kept,
                      "bad": {"type": "console_sink"}},
        "links": [{"from": "s", "to": "x"}, {"from": "x", "to": "out", "partition": {"type": "round_robin"}},
                  {"from": "out.errors", "to": "late"}, {"from": "late", "to": "bad"}]}
    plan = {"operators": [planned("s", "out"), planned("x", "out"), planned("out"), planned("late", "out"), planned("bad")],
            "links": [{"from": "s", "to": "x"}, {"from": "x", "to": "out"}, {"from": "out", "to": "late"},
                      {"from": "late", "to": "bad"}]}
    assert without_sinks(graph, plan) == {
        "format": 1, "settings": {"queue_target_ms": 5},
        "operators": {"s": {"type": "any_source"}, "x": kept, "out": {"type": "discard_sink", "parallelism": 2}},
        "links": [graph["links"][0], {**graph["links"][1], "fuse": False}]}
