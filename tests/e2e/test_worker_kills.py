"""The campaign of ``tools/soak.py --only workers``, in small."""

from __future__ import annotations

import random
from pathlib import Path

from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from support import worker_kills
from support.every import in_every


@in_every
def test_no_row_is_another_for_processes_that_end(engine: Engine, driver: Py4jDriver, tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(worker_kills.FUNCTIONS)
    [case] = [case for case in worker_kills.CASES if case.name == "state, small batches"]
    found = worker_kills.round_of(engine, driver.pid, tmp_path, case, [random.Random(seed) for seed in (1, 0, 3)])
    assert found.wrong == []
    assert found.ways == {worker_kills.KILL: 1, worker_kills.EXIT: 1, worker_kills.SWELL: 1}
    assert found.rows > 0


def test_a_row_that_differs_is_found(engine: Engine, driver: Py4jDriver, tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(worker_kills.FUNCTIONS)
    case = worker_kills.Case("off by one", {"function": "killed:twice", "adds": "v BIGINT"}, lambda k: [(k, 2 * k + (k == 3))])
    found = worker_kills.round_of(engine, driver.pid, tmp_path, case, [])
    assert [each.partition(";")[2] for each in found.wrong] == [" row 3 is [(3, 6)], and should be [(3, 7)]"]
