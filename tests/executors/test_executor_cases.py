"""Every contract case on executors: the rows that the engine and Spark give."""

from __future__ import annotations

import pytest

from despina.engine import Engine
from support.cases import Case, cases
from support.contract import run_on_engine


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_executors(case: Case, engine: Engine) -> None:
    run_on_engine(case, engine)
