"""What a manufacturing job put out is held to what it must put out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compare import manufacturing, probe
from compare.manufacturing import Input
from compare.processes import RunError
from compare.sampling import Costs

FIRST: dict[str, Any] = {"ts": "2012-02-22T16:46:28.440681Z", "pair": "06-09", "edge": 0, "delay_us": 159933, "n": 1,
                         "slope": None, "trend_now": None, "alarm": False}
SECOND: dict[str, Any] = {**FIRST, "ts": "2012-02-22T16:46:32.590877Z", "edge": 1, "delay_us": 120438, "n": 2,
                          "slope": -9516.41801977012, "trend_now": 120438.0}
OTHER = {**FIRST, "pair": "05-08"}
WANTED = Input(Path("readings.txt"), 1000, {"06-09": [FIRST, SECOND], "05-08": [OTHER]})


def written(folder: Path, rows: Sequence[dict[str, Any]], name: str = "delays-0.json") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_all_rows_in_any_order_are_right(tmp_path: Path) -> None:
    assert manufacturing.verify([written(tmp_path, [SECOND, OTHER, FIRST])], WANTED, [1000]) == 3


def test_a_job_that_was_stopped_has_put_out_the_first_rows(tmp_path: Path) -> None:
    assert manufacturing.verify([written(tmp_path, [FIRST])], WANTED, [500]) == 1


def test_a_line_that_was_cut_is_no_row(tmp_path: Path) -> None:
    file = written(tmp_path, [FIRST])
    file.write_text(file.read_text() + '{"ts": "2012')
    assert manufacturing.verify([file], WANTED, [0]) == 1


def test_parts_of_a_folder_are_read_together(tmp_path: Path) -> None:
    for name, row in (("part-0", SECOND), ("part-1", FIRST)):
        written(tmp_path, [row], name)
    assert manufacturing.verify([tmp_path], WANTED, [1000]) == 2


def test_sums_added_up_in_another_order_are_equal(tmp_path: Path) -> None:
    rows = [FIRST, {**SECOND, "slope": SECOND["slope"] * (1 + 1e-9)}]
    assert manufacturing.verify([written(tmp_path, rows)], WANTED, [1000]) == 2


@pytest.mark.parametrize(("rows", "reason"), [
    ([SECOND], "where"),                                    # the first was left out
    ([{**FIRST, "delay_us": 159934}], "where"),
    ([FIRST, {**SECOND, "slope": -9516.5}], "where"),
    ([FIRST, {**SECOND, "slope": None}], "where"),
    ([FIRST, SECOND, SECOND], "3 rows"),
    ([{**FIRST, "pair": "07-10"}], "1 rows"),
    ([], "no row"),
])
def test_what_is_wrong_is_found(tmp_path: Path, rows: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(RunError, match=reason):
        manufacturing.verify([written(tmp_path, rows)], WANTED, [0])


def test_operators_that_lag_behind_the_parser_give_no_figure(tmp_path: Path) -> None:
    many = [{**FIRST, "ts": f"2012-02-22T16:46:{second}.440681Z", "n": second} for second in range(10, 50)]
    wanted = Input(Path("readings.txt"), 1000, {"06-09": many})
    first, second = written(tmp_path, many[:20], "delays-0.json"), written(tmp_path, many[:9], "delays-1.json")
    assert manufacturing.verify([first, second], wanted, [500, 250]) == 29
    with pytest.raises(RunError, match="job 1 put out 9 rows of 06-09; the 500 readings of the window have 19"):
        manufacturing.verify([first, second], wanted, [500, 500])


def test_rates_of_jobs_add_up() -> None:
    found = probe.of_rates([100.0, 300.0], 10.0, Costs(10.0, {1: 4.0}, 5_000_000, [1_000_000]), {})
    assert found.values == pytest.approx({"per_s": 400, "slowest_share": 0.5, "cpu_s_per_million": 1000, "mbit_per_s": 4,
                                          "cpu_percent": 40, "resident_mb": 1})


def test_costs_of_a_window_that_a_job_did_not_fill_are_not_divided_by_its_rate() -> None:
    found = probe.of_rates([100.0], 5.0, Costs(10.0, {1: 4.0}, 5_000_000), {})
    assert "cpu_s_per_million" not in found.values
    assert "mbit_per_s" not in found.values
