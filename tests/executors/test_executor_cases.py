"""The contract cases on executors: the rows that the engine and Spark give."""

from __future__ import annotations

import pytest

from despina.engine import Engine
from support.cases import Case, cases
from support.contract import run_on_engine


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The first case of each second operator, or every one."""
    found = cases()
    if not metafunc.config.getoption("--every-case"):
        found = list({case.folder.parent.name: case for case in reversed(found)}.values())[::2]
    metafunc.parametrize("case", found, ids=lambda case: case.name)


def test_executors(case: Case, engine: Engine) -> None:
    run_on_engine(case, engine)
