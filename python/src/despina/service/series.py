"""What is drawn over time: from two looks at a job's counters, rates and shares, each with a name.

A series is called ``job/WHAT``, ``operator/ID/WHAT``, ``link/NAME/WHAT`` or ``resource/NAME/WHAT``. Each is declared here once;
history, the live stream and the page read the declaration.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Counters = Mapping[str, Any]
"""A status as the gateway answers it."""
Values = dict[str, float]


@dataclass(frozen=True)
class Series:
    """One thing that is drawn.

    :ivar unit: of its values
    :ivar worst: whether a longer period is as bad as its worst moment; else it is the mean
    """

    what: str
    unit: Literal["packets/s", "bytes/s", "1/s", "share", "s", "cores", "bytes"]
    doc: str
    worst: bool = False


OF_JOB = (
    Series("in", "packets/s", "Packets that its sources give out."),
    Series("out", "packets/s", "Packets that its sinks take in."),
    Series("errors", "1/s", "Bad records that were skipped or went to a port errors."),
    Series("lag", "s", "How far event time is behind the clock where it is furthest behind.", worst=True),
    Series("cpu", "cores", "Processor time of its processes on this machine."),
    Series("memory", "bytes", "Memory of these processes.", worst=True),
)
OF_OPERATOR = (
    Series("in", "packets/s", "Packets that it takes in."),
    Series("out", "packets/s", "Packets that it gives out at its port out."),
    Series("errors", "1/s", "Bad records that it skips or sends to its port errors."),
    Series("lag", "s", "How far its event time is behind the clock.", worst=True),
)
OF_LINK = (
    Series("packets", "packets/s", "Packets that pass it."),
    Series("bytes", "bytes/s", "Their bytes before compression."),
    Series("wire", "bytes/s", "Bytes that travel between processes, as they were compressed."),
    Series("paused", "share", "For which share of the time its sender waits for the receiver."),
    Series("fill", "share", "How full the queue at its end is.", worst=True),
)
OF_RESOURCE = (
    Series("cpu", "cores", "Processor time of a process on this machine."),
    Series("memory", "bytes", "Memory of this process.", worst=True),
)
DECLARED: Mapping[str, tuple[Series, ...]] = {"job": OF_JOB, "resource": OF_RESOURCE, "operator": OF_OPERATOR, "link": OF_LINK}
_COUNTS = {"packets": "packets", "bytes": "bytes", "wire": "bytes_on_wire"}


@dataclass(frozen=True)
class Look:
    """A status with the time at which it was asked for.

    :ivar at_s: by the clock on the wall
    :ivar clock_s: by one that does not jump
    :ivar used: seconds of processor time and bytes of memory of each resource's process, as far as they are known
    """

    at_s: float
    clock_s: float
    status: Counters
    used: Mapping[str, tuple[float, float]]


def series_of(name: str) -> Series:
    """What a name is of.

    :raise KeyError: it is no name of a series
    """
    kind, _, what = name.partition("/")
    found = {each.what: each for each in DECLARED[kind]}
    return found[what.rpartition("/")[2]]


def names(status: Counters) -> list[str]:
    """The series of a job, in order: the job's own first."""
    return [*(f"job/{each.what}" for each in OF_JOB),
            *(f"resource/{one}/{each.what}" for one in status.get("resources") or {} for each in OF_RESOURCE),
            *(f"operator/{one}/{each.what}" for one in status.get("operators") or {} for each in OF_OPERATOR),
            *(f"link/{one}/{each.what}" for one in status.get("links") or {} for each in OF_LINK)]


def ends(link: str) -> tuple[str, str]:
    """The operators that a link connects, from its name ``FROM.PORT->TO.PORT``."""
    begin, _, end = link.partition("->")
    return begin.partition(".")[0], end.partition(".")[0]


def between(before: Look, now: Look) -> Values:
    """The values of the time between two looks; those that nothing is known of are missing."""
    found: Values = {}
    status, past = now.status, before.status
    took_s = now.clock_s - before.clock_s
    if took_s <= 0 or status.get("attempt") != past.get("attempt") or _begins(past, status):
        return found        # the counters of another attempt have begun again
    for one, counters in (status.get("operators") or {}).items():
        old = (past.get("operators") or {}).get(one) or {}
        for what, key in (("in", "packets_in"), ("out", "packets_out"), ("errors", "errors")):
            found[f"operator/{one}/{what}"] = max(0, counters.get(key, 0) - old.get(key, 0)) / took_s
        if counters.get("watermark_us") is not None:
            found[f"operator/{one}/lag"] = max(0.0, now.at_s - counters["watermark_us"] / 1e6)
    for one, counters in (status.get("links") or {}).items():
        old = (past.get("links") or {}).get(one) or {}
        for what, key in _COUNTS.items():
            found[f"link/{one}/{what}"] = max(0, counters.get(key, 0) - old.get(key, 0)) / took_s
        waited_s = max(0, counters.get("paused_ms", 0) - old.get("paused_ms", 0)) / 1000
        waits_since = counters.get("paused") and old.get("paused") and not waited_s     # it is counted when the wait ends
        found[f"link/{one}/paused"] = 1.0 if waits_since else min(1.0, waited_s / took_s)
        if counters.get("capacity_bytes"):
            found[f"link/{one}/fill"] = min(1.0, counters.get("queued_bytes", 0) / counters["capacity_bytes"])
    found.update(_of_job(found, status))
    found.update(_of_processes(before, now, took_s))
    return found


def _begins(past: Counters, status: Counters) -> bool:
    """Whether counters may have jumped to what the state of an earlier start has counted, each operator's when it is there."""
    if past.get("state") in ("deploying", "restarting"):
        return True
    old = past.get("operators") or {}
    return bool((status.get("epoch") or {}).get("restored_from")) and any(
        _counted(each) and not _counted(old.get(one) or {}) for one, each in (status.get("operators") or {}).items())


def _counted(counters: Counters) -> int:
    return int(counters.get("packets_in", 0) + counters.get("packets_out", 0))


def _of_job(values: Values, status: Counters) -> Iterator[tuple[str, float]]:
    linked = [ends(link) for link in status.get("links") or {}]
    begins, fed = {begin for begin, _ in linked}, {end for _, end in linked}
    operators = list(status.get("operators") or {})
    yield "job/in", sum(values[f"operator/{one}/out"] for one in operators if one not in fed)
    yield "job/out", sum(values[f"operator/{one}/in"] for one in operators if one not in begins)
    yield "job/errors", sum(values[f"operator/{one}/errors"] for one in operators)
    lags = [values[name] for one in operators if (name := f"operator/{one}/lag") in values]
    if lags:
        yield "job/lag", max(lags)


def _of_processes(before: Look, now: Look, took_s: float) -> Iterator[tuple[str, float]]:
    cores = {name: max(0.0, seconds - before.used[name][0]) / took_s for name, (seconds, _) in now.used.items()
             if name in before.used}
    for name, cpu in cores.items():
        yield f"resource/{name}/cpu", cpu
        yield f"resource/{name}/memory", now.used[name][1]
    if cores:
        yield "job/cpu", sum(cores.values())
        yield "job/memory", sum(now.used[name][1] for name in cores)


PROCESSES = Path("/proc")


def used(status: Counters, processes: Path = PROCESSES) -> dict[str, tuple[float, float]]:
    """Seconds of processor time and bytes of memory of those processes of a job that are on this machine."""
    return {name: found for name, resource in (status.get("resources") or {}).items()
            if (found := used_by(processes / str(resource.get("pid")), b"io.despina.")) is not None}


def used_by(folder: Path, command: bytes = b"") -> tuple[float, float] | None:
    """The same of one process.

    :param command: what its command line has; one without it is another that has got its number
    """
    try:
        if command not in (folder / "cmdline").read_bytes():
            return None
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), float(int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
