"""What the experiments of moving keys make of what they see."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import moves
from harness import owners
from harness.processes import RunError


def written(folder: Path, *parts: str) -> Path:
    for k, part in enumerate(parts):
        (folder / f"part-{k}.csv").write_text(part)
    return folder


def test_rows_that_are_missing_or_there_twice_are_counted(tmp_path: Path) -> None:
    assert moves.wrong(written(tmp_path, "0,1\n1,1\n2,1\n", "1,2\n0,2\n"), 3) == 0
    assert moves.wrong(written(tmp_path, "0,1\n1,1\n2,1\n", "1,2\n0,2\n0,2\n"), 3) == 2    # key 0 twice, key 2 not
    assert moves.wrong(written(tmp_path, "0,1\n1,1\n2,1\n", "1,2\n0,3\n"), 3) == 2
    with pytest.raises(RunError, match="no row was written"):
        moves.wrong(written(tmp_path, "", ""), 3)


def test_buckets_are_read_as_the_engine_tells_them() -> None:
    before, after = owners.of_ranges(["0-2, 7", "", "3-6"]), owners.of_ranges(["0-2", "7", "3-6"])
    assert before == {0: 0, 1: 0, 2: 0, 7: 0, 3: 2, 4: 2, 5: 2, 6: 2}
    assert owners.moved(before, after) == 1
    assert owners.moved(before, before) == 0


def test_silence_is_the_longest_time_between_rows() -> None:
    watch: Any = moves._Watch(SimpleNamespace())        # type: ignore[arg-type]
    watch._came = [0.0, 1.0, 1.25, 3.0, 3.5]
    assert watch.silent_ms(1.0, 3.5) == 1750
    assert watch.silent_ms(3.0, 6.0) == 2500
