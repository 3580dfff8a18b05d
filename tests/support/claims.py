"""Files of tests that several runs of pytest share: each takes the next one that no other has, so that they end together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

FOLDER = "DESPINA_TEST_CLAIMS"
"""The variable of the environment with the folder in which each run says what it has taken; without it a run has all."""


def run(session: pytest.Session) -> bool | None:
    """For ``pytest_runtestloop``: runs the tests of the files that no other run has taken.

    A file is taken before the last test of the one before runs: pytest must know which test comes next, for that says which
    fixtures stay.

    :return: None where there is nothing to share, or nothing to run
    """
    if FOLDER not in os.environ or session.testsfailed or session.config.option.collectonly:
        return None
    tests = taken(session.items, Path(os.environ[FOLDER]))
    test = next(tests, None)
    while test is not None:
        following = next(tests, None)
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        test = following
    return True


def taken(tests: Iterable[pytest.Item], folder: Path) -> Iterator[pytest.Item]:
    """Those of files that no other has taken, file by file: each is taken when its first test is asked for."""
    ours = dict[str, bool]()
    for file, of_file in groupby(tests, lambda test: test.nodeid.partition("::")[0]):
        if file not in ours:
            ours[file] = _take(folder / file.replace("/", "."))
        if ours[file]:
            yield from of_file


def _take(claim: Path) -> bool:
    try:
        claim.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
