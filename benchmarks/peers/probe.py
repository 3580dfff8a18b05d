"""Measures a peer through the files that its processes leave in the run's folder (``Meter.java``)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from harness.experiment import Measured
from harness.processes import RunError
from harness.sampling import Costs, Watch
from peers.contract import Trial
from peers.works import KEPT_UP

START_TIMEOUT_S = 90.0
REPORT_TIMEOUT_S = 10.0
POLL_S = 0.02
MEGA = 1e6
AFTER_WARM_UP_S = 1.0
BEFORE_END_S = 0.5
NANOS = 1_000_000_000
RELAYS = ("relay", "rates")
LEAST_HOPS = 1.5
"""Of two, since bytes and packets are counted in windows that differ a little."""


def wait_for(trial: Trial, found: Callable[[], bool], what: str, timeout_s: float = START_TIMEOUT_S) -> None:
    """Waits until it is there.

    :raise RunError: a process of the run has failed meanwhile, or it took too long
    """
    deadline = time.monotonic() + timeout_s
    while not found():
        failed = trial.folder / "failed"
        if failed.exists():
            raise RunError(f"the job failed: {failed.read_text()[:2000]}")
        for alarm in trial.alarms:
            if reason := alarm():
                raise RunError(f"the job failed: {reason}")
        if (child := trial.processes.fallen()) is not None:
            raise RunError(f"a process ended with exit code {child.returncode} before {what}; logs are in {trial.folder}")
        if time.monotonic() > deadline:
            raise RunError(f"{what}: not within {timeout_s:.0f} s; logs are in {trial.folder}")
        time.sleep(POLL_S)


def wait_for_file(trial: Trial, name: str, timeout_s: float = START_TIMEOUT_S) -> Path:
    """Waits for a file in the run's folder."""
    file = trial.folder / name
    wait_for(trial, file.exists, f"{name} is there", timeout_s)
    return file


def operator_pids(folder: Path) -> dict[int, list[str]]:
    """The processes in which operators run, with their roles, as they announced themselves (``ROLE.PID.pid``)."""
    found: dict[int, list[str]] = {}
    for file in sorted(folder.glob("*.*.pid")):
        role, pid, _ = file.name.rsplit(".", 2)
        found.setdefault(int(pid), []).append(role)
    return found


def sample(trial: Trial, meter: str = "sink") -> Measured:
    """Waits for the first packet at the sink, warms up, then measures over one window that both sides know beforehand."""
    wait_for_file(trial, f"{meter}.first")
    costs, roles = window(trial)
    return measured(trial, told_by(trial, meter), costs, roles)


def told_by(trial: Trial, meter: str) -> dict[str, Any]:
    """What a meter wrote at the window's end."""
    found: dict[str, Any] = json.loads(wait_for_file(trial, f"{meter}.json", REPORT_TIMEOUT_S).read_text())
    return found


def window(trial: Trial) -> tuple[Costs, dict[int, list[str]]]:
    """Says when the window is, and watches the operators' processes during it."""
    begin = time.monotonic_ns() + int(trial.warm_up_s * NANOS)
    end = begin + int(trial.seconds * NANOS)
    part = trial.folder / ".window"
    part.write_text(f"{begin} {end}\n")
    part.rename(trial.folder / "window")
    _sleep_until(begin)
    roles = operator_pids(trial.folder)
    watch = Watch(roles, trial.seconds)
    _sleep_until(end)
    return watch.end(), roles


def sample_jobs(trial: Trial, meter: str, started: Sequence[Path]) -> Measured:
    """As :func:`sample`, for jobs that each have a meter (``METER-0`` and so on), and may reach the end of their input before the
    window's end; then their rates are taken up to there.

    :param started: files that are there when all jobs have begun
    """
    wait_for(trial, lambda: all(file.exists() for file in started), "all jobs have begun")
    costs, roles = window(trial)
    told = [told_by(trial, f"{meter}-{job}") for job in range(trial.point["jobs"])]
    rates = [job_rate(f"{meter}-{job}", found) for job, found in enumerate(told)]
    kept(trial, rates)
    return of_rates(rates, not any(job["finished"] for job in told), costs,
                    {"told": told, "roles": {str(pid): names for pid, names in roles.items()}})


def job_rate(name: str, told: dict[str, Any]) -> float:
    """Readings per second of what a job's meter told.

    :raise RunError: it told none, and what it told
    """
    took = told["end_ns"] - told["begin_ns"]
    if took <= 0 or told["count"] == 0:
        end = "the end of its input" if told["finished"] else "the window's end"
        raise RunError(f"{name} counted {told['count']:,} readings from {told['begin_ns']} to {told['end_ns']} ns ({end}), of "
                       f"{told['total']:,} since its start")
    return float(told["count"] / took * NANOS)


def kept(trial: Trial, rates: Sequence[float]) -> None:
    """Holds jobs to the rate that the point gives, if it gives one.

    :raise RunError: one has not kept it: then what it cost is not the cost of that work
    """
    wanted = trial.point.get("rate_per_s", 0)
    if wanted and min(rates) < KEPT_UP * wanted:
        raise RunError(f"{min(rates):,.0f} readings/s came of {wanted:,} that were asked for")


def of_rates(rates: Sequence[float], throughout: bool, costs: Costs, raw: dict[str, Any]) -> Measured:
    """Figures of several jobs together.

    :param throughout: whether no job ended within the window; costs are those of all of it, so where one did they are not divided
        by the jobs' rates
    """
    total = sum(rates)
    values = {"per_s": total, "slowest_share": min(rates) * len(rates) / total}
    if costs.cores is not None:
        values["cpu_percent"] = 100 * costs.cores
        if throughout:
            values["cpu_s_per_million"] = costs.cores / total * MEGA
    if throughout and costs.sent_per_s is not None:
        values["mbit_per_s"] = costs.sent_per_s * 8 / MEGA
    if costs.resident_bytes:
        values["resident_mb"] = max(costs.resident_bytes) / MEGA
    return Measured(values, {**raw, "rates": [round(rate) for rate in rates],
                             "costs": raw_costs(costs, {int(pid): names for pid, names in raw.get("roles", {}).items()})})


def look_on(trial: Trial, pids: Iterable[int]) -> Costs:
    """The kernel's figures of a run that takes its own window: from a second after its warm-up, which begins now, to half a
    second before its end.
    """
    time.sleep(trial.warm_up_s + AFTER_WARM_UP_S)
    seconds = max(1.0, trial.seconds - AFTER_WARM_UP_S - BEFORE_END_S)
    watch = Watch(pids, seconds)
    time.sleep(seconds)
    return watch.end()


def idle(trial: Trial, operators: Iterable[int] | None = None) -> Measured:
    """What the operators' processes, and all of the run's, cost while no packet comes.

    :param operators: those in which operators run, where they did not announce themselves
    """
    time.sleep(trial.warm_up_s)
    roles = operator_pids(trial.folder) if operators is None else {pid: ["operators"] for pid in operators}
    everybody = [member.pid for member in trial.processes.members()]
    watch, all_of_them = Watch(roles, trial.seconds), Watch(everybody, trial.seconds)
    time.sleep(trial.seconds)
    costs, all_costs = watch.end(), all_of_them.end()
    values = {name: 100 * found.cores for name, found in (("idle_cpu_percent", costs), ("all_cpu_percent", all_costs))
              if found.cores is not None}
    if costs.resident_bytes:
        values["resident_mb"] = max(costs.resident_bytes) / MEGA
    return Measured(values, {"costs": raw_costs(costs, roles)})


def measured(trial: Trial, told: dict[str, Any], costs: Costs, roles: dict[int, list[str]]) -> Measured:
    """Verified figures of what a meter told and the kernel counted."""
    if told.get("damaged"):
        raise RunError(f"{told['damaged']} of the packets that were looked at were damaged")
    if told.get("doubled"):
        raise RunError(f"{told['doubled']} packets came twice")
    seconds = (told["end_ns"] - told["begin_ns"]) / NANOS
    return figures(trial, told["count"], seconds, costs, told.get("latency_ms", {}),
                   {"told": told, "roles": {str(pid): names for pid, names in roles.items()}})


def figures(trial: Trial, packets: int, seconds: float, costs: Costs, latency_ms: dict[str, float],
            raw: dict[str, Any]) -> Measured:
    """The metrics that every engine's row has.

    :raise RunError: no packet arrived, or a relay's came by another way than over TCP to it and from it
    """
    if packets == 0:
        raise RunError("no packet arrived within the window")
    per_s = packets / seconds
    values = {"per_s": per_s}
    if costs.cores is not None:
        values["cpu_s_per_million"] = costs.cores / per_s * MEGA
    if costs.sent_per_s is not None:
        values["mbit_per_s"] = costs.sent_per_s * 8 / MEGA
        values["wire_bytes_per_packet"] = costs.sent_per_s / per_s
        _refuse_short_ways(trial, values["wire_bytes_per_packet"])
    if costs.resident_bytes:
        values["resident_mb"] = max(costs.resident_bytes) / MEGA
    values.update({f"{name}_ms": latency_ms[name] for name in ("p50", "p95", "p99", "p999", "max") if name in latency_ms})
    told = raw.get("told", {})
    values.update({name: told[name] for name in ("reordered", "missing") if name in told})
    if (rate := trial.point.get("rate_per_s", 0)) > 0:
        values["share_of_rate"] = per_s / rate
    return Measured(values, {**raw, "costs": raw_costs(costs, {int(pid): names for pid, names in raw.get("roles", {}).items()})})


def _refuse_short_ways(trial: Trial, wire_bytes: float) -> None:
    """Where an engine puts operators is its own choice: were two of them in one process, the row would be of another work."""
    if wire_bytes < 0:
        raise RunError("it closed its connections before its sockets were listed for the last time: the machine is too busy")
    least = LEAST_HOPS * trial.point.get("packet_bytes", 0)
    if trial.work in RELAYS and trial.variant.over_tcp and wire_bytes < least:
        raise RunError(f"{wire_bytes:,.0f} bytes on the wire per packet; over two hops it would be {least:,.0f} at least")


def raw_costs(costs: Costs, roles: dict[int, list[str]]) -> dict[str, Any]:
    """For JSON: processor time by roles, not by process numbers."""
    names = {pid: "+".join(sorted(set(roles.get(pid, [str(pid)])))) for pid in {**costs.cpu_s, **costs.flags}}
    return {"asked_s": costs.asked_s, "seconds": round(costs.seconds, 3),
            "cpu_s": {names[pid]: round(spent, 3) for pid, spent in costs.cpu_s.items()},
            "jvm_flags": {names[pid]: flags for pid, flags in costs.flags.items()}, "wire_bytes": costs.wire_bytes,
            "wire_s": round(costs.wire_s, 3), "resident_bytes": costs.resident_bytes, "resident_s": costs.resident_s,
            "socket_memory_bytes": costs.socket_memory_bytes, "socket_memory_s": costs.socket_memory_s}


def _sleep_until(nanos: int) -> None:
    while (left := nanos - time.monotonic_ns()) > 0:
        time.sleep(left / NANOS)
