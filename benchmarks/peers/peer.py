"""How the peers are measured, work by work: they all run the shared Java, so they all leave the same files."""

from __future__ import annotations

import time
from dataclasses import replace

from harness.experiment import Measured
from harness.processes import RunError
from peers import heaps, manufacturing, probe
from peers.contract import Trial

SETTLE_S = 1.0
"""After the pause of the collection at the window's begin."""


def sample(trial: Trial) -> Measured:
    """Measures and verifies a run."""
    how = {"idle": probe.idle, "manufacturing": _manufacturing, "slow_sink": _slow_sink, "fixed_window": _checked,
           "word_count": _checked}
    return how.get(trial.work, probe.sample)(trial)


def _manufacturing(trial: Trial) -> Measured:
    jobs = trial.point["jobs"]
    found = probe.sample_jobs(trial, "readings", [trial.folder / f"readings-{job}.first" for job in range(jobs)])
    assert trial.input is not None
    rows = manufacturing.verify([trial.folder / f"delays-{job}.json" for job in range(jobs)], trial.input,
                                [told["count"] for told in found.raw["told"]])
    return Measured(found.values, {**found.raw, "rows_verified": rows})


def _checked(trial: Trial) -> Measured:
    """Events as they arrive at the operator that counts them; the sink has looked at what it put out."""
    found = probe.sample(trial, "events")
    check = probe.told_by(trial, "sink")
    if check["wrong"] or not check["right"]:
        raise RunError(f"of what was put out {check['right']} was right and {check['wrong']} was wrong")
    return Measured(found.values, {**found.raw, "check": check})


def _slow_sink(trial: Trial) -> Measured:
    probe.wait_for_file(trial, "sink.first")
    time.sleep(trial.warm_up_s)
    pids = list(probe.operator_pids(trial.folder))
    before = heaps.live_bytes(pids)
    costs, roles = probe.window(replace(trial, warm_up_s=SETTLE_S))
    found = probe.measured(trial, probe.told_by(trial, "sink"), costs, roles)
    return heaps.grown(found, costs, (before, heaps.live_bytes(pids)))
