"""Jobs that keep their state, and what is killed under them: each row comes out once. `tools/soak.py --only kills` does more."""

import signal
from pathlib import Path

import pytest

from support import kills
from support.kills import COORDINATOR, RESOURCE, Plan
from support.memory import QUICK

PLANS = {
    "a resource, and a spare takes its part": Plan("tumbling", 2, 2, False, 1, "wait", 200, RESOURCE, 1.2, None,
                                                   way="http in"),
    "a resource, and another while the job goes on": Plan("join in time", 2, 2, True, 0, "wait", 100, RESOURCE, 0.8, 0.3),
    "a resource that is stopped": Plan("scan", 2, 2, False, 0, "wait", 200, RESOURCE, 1.0, None, signal.SIGSTOP,
                                       "http out"),
    "the coordinator": Plan("session", 2, 2, True, 0, "wait", 200, COORDINATOR, 1.4, None, way="python in"),
}
TURNS = 3
"""A busy machine may hit a job too late that lasts three seconds."""


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_nothing_is_lost_or_doubled(plan: Plan, tmp_path: Path) -> None:
    for turn in range(TURNS):
        found = kills.run(tmp_path / f"round {turn}", 1, 0, plan, **QUICK)
        assert not found.wrong, f"{found.wrong}\n{found.told}"
        if found.kills == (1 if plan.again_s is None else 2):
            return
    pytest.fail(f"{TURNS} jobs had ended before they were hit")
