"""Jobs that keep their state, and what is killed under them: each row comes out once. `tools/soak.py --only kills` does more."""

import signal
from pathlib import Path

import pytest

from despina import engine as engines
from despina.engine import Engine
from support import kill_crowd, kills
from support.kill_crowd import plan
from support.kills import COORDINATOR, LATE, PER_KEY, RESOURCE, Plan
from support.memory import QUICK

PLANS = {
    "a resource, and a spare takes its part": Plan("tumbling", 2, 2, False, 1, "wait", 200, RESOURCE, 1.2, (),
                                                   way="http in"),
    "a resource that is stopped": Plan("scan", 2, 2, False, 0, "wait", 200, RESOURCE, 1.0, (), signal.SIGSTOP,
                                       "http out"),
    "the coordinator": Plan("session", 2, 2, True, 0, "wait", 200, COORDINATOR, 1.4, (), way="python in"),
}
TURNS = 3
"""A busy machine may hit a job too late that lasts three seconds."""
CROWD = [plan("join in time", "http in"), plan(PER_KEY, "tcp in"), plan(LATE, "http in", on_loss="move"),
         plan("delay", "websocket in"), plan("sliding", "http in and tcp out"), plan("session", "tcp in and http out"),
         plan("control", "http in and websocket out", on_loss="move"), plan("deduplicate", "websocket in and http out", 4),
         plan("pattern", "tcp in"), plan("top", "http in"), plan("sort", "websocket in"), plan("scan", "tcp in", 4),
         plan("as of", "http in"), plan("trailing", "websocket in")]


@pytest.fixture(autouse=True)
def one_engine(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked beside the jobs that are killed needs no JVM of its own."""
    monkeypatch.setattr(engines, "start", lambda driver="py4j", **options: engine)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_nothing_is_lost_or_doubled(plan: Plan, tmp_path: Path) -> None:
    for turn in range(TURNS):
        found = kills.run(tmp_path / f"round {turn}", 1, 0, plan, **QUICK)
        assert not found.wrong, f"{found.wrong}\n{found.told}"
        if found.kills == 1 + len(plan.again_s):
            return
    pytest.fail(f"{TURNS} jobs had ended before they were hit")


def test_nothing_is_lost_or_doubled_where_jobs_share_what_is_killed(engine: Engine, tmp_path: Path) -> None:
    found = kill_crowd.run(engine, tmp_path, CROWD, 1)
    assert not [f"{each.plan}: {each.wrong}" for each in found if each.wrong]
    assert all(each.kills for each in found), "none ends before the first kill, and each has a part in both resources then"
    assert sum(each.kills for each in found) >= 2 * len(CROWD) - 2, "two jobs have one resource where a part has moved"
