"""The micro-benchmarks' page: what is made of JMH's JSON, and twins that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from harness import book, micro


def row(method: str, score: float, ends: tuple[str, ...] = (), **params: str) -> dict[str, Any]:
    """As JMH writes it."""
    metric = {"score": score, "scoreError": score / 10, "scoreUnit": "us/op"}
    return {"benchmark": f"io.despina.wire.{method}", "params": params, "primaryMetric": metric,
            "secondaryMetrics": dict.fromkeys(ends, metric)}


def kept(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"at": "2026-01-01T00:00:00Z", "machine": {"cpu": "some"}, "scores": [vars(micro.Score.of(each)) for each in rows]}


def cells(page: str, name: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith(f"| {name} ")]


def test_a_score_is_held_to_its_twin_at_the_same_parameters() -> None:
    scores = {("encode", "NEVER"): 12.0, ("copyIn", "NEVER"): 6.0, ("encode", "ALWAYS"): 90.0, ("copyIn", "ALWAYS"): 9.0}
    page = micro.section(kept(*(row(f"FrameBenchmark.{method}", score, mode=mode) for (method, mode), score in scores.items())))
    assert cells(page, "Frame: encode") == [["Frame: encode", "mode never", "12.0 us/op", "1.20", "2.00"],
                                            ["Frame: encode", "mode always", "90.0 us/op", "9.00", "10.0"]]
    assert [each[-1] for each in cells(page, "Frame: copyIn")] == ["–", "–"]


def test_a_twin_may_be_the_same_method_at_other_parameters() -> None:
    page = micro.section(kept(row("ExpressionBenchmark.filter", 30.0, form="INTERPRETED"),
                              row("ExpressionBenchmark.filter", 3.0, form="BY_HAND")))
    assert [each[-1] for each in cells(page, "Expression: filter")] == ["10.0", "–"]


def test_a_hand_over_is_counted_once_though_both_threads_count_it() -> None:
    score = micro.Score.of(row("HandOverBenchmark.handOver", 40.0, ("send", "receive")))
    assert (score.score, score.error) == (20.0, 2.0)


def test_what_has_no_twin_has_no_ratio() -> None:
    page = micro.section(kept(row("FlowBenchmark.relay", 3.0), row("FrameBenchmark.encode", 5.0)))
    assert cells(page, "Flow: relay")[0][-1] == cells(page, "Frame: encode")[0][-1] == "–"


def test_the_page_of_results_ends_with_them(tmp_path: Path) -> None:
    book.save(kept(row("FlowBenchmark.relay", 3.0)), tmp_path / "micro.json")
    book.results(tmp_path, tmp_path / "RESULTS.md")
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert page.partition("## Micro-benchmarks")[2].count("Flow: relay") == 1


@pytest.mark.parametrize("name", micro.TWINS)
def test_every_twin_is_a_method_beside_its_benchmark(name: str) -> None:
    class_name, _, method = name.partition(".")
    (source,) = micro.SOURCES.rglob(f"{class_name}.java")
    text = source.read_text(encoding="utf-8")
    methods = set(re.findall(r"    public \S+ (\w+)\(", text)) | set(re.findall(r'@Group\("(\w+)"\)', text))
    assert {method, micro.TWINS[name].method} <= methods
    for key, value in micro.TWINS[name].parameters.items():
        assert re.search(rf"\b{value}\b", text), (key, value)
