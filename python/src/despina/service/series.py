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

from despina.rates import most_share

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
    unit: Literal["packets/s", "bytes/s", "1/s", "share", "s", "cores", "bytes", "records"]
    doc: str
    worst: bool = False


OF_JOB = (
    Series("in", "packets/s", "Packets that its sources give out."),
    Series("out", "packets/s", "Packets that its sinks take in."),
    Series("errors", "1/s", "Bad records that were skipped or went to a port errors."),
    Series("lag", "s", "How far event time is behind the clock where it is furthest behind.", worst=True),
    Series("latency", "s", "Within which time 99 % of the packets of the last ten seconds came to the slowest sink.", worst=True),
    Series("busy", "share", "Which share of the time its busiest task runs.", worst=True),
    Series("cpu", "cores", "Processor time of its processes."),
    Series("memory", "bytes", "Memory of its processes.", worst=True),
)
OF_OPERATOR = (
    Series("in", "packets/s", "Packets that it takes in."),
    Series("out", "packets/s", "Packets that it gives out at its port out."),
    Series("errors", "1/s", "Bad records that it skips or sends to its port errors."),
    Series("lag", "s", "How far its event time is behind the clock.", worst=True),
    Series("busy", "share", "Which share of the time its busiest task runs. Tasks of operators that are fused are the same.",
           worst=True),
    Series("paused", "share", "For which share of the time a task of it waits for room in a link, at most.", worst=True),
    Series("latency", "s", "Within which time 99 % of the packets of the last ten seconds came to this sink, to 6 %.",
           worst=True),
    Series("behind_records", "records", "Records that wait for this source at the server that it reads from.", worst=True),
    Series("behind_bytes", "bytes", "Bytes that have come to this source and that it has not sent on.", worst=True),
)
OF_LINK = (
    Series("packets", "packets/s", "Packets that pass it."),
    Series("bytes", "bytes/s", "Their bytes before compression."),
    Series("wire", "bytes/s", "Bytes that travel between processes, as they were compressed."),
    Series("paused", "share", "For which share of the time a sender of it waits for the receiver, on average."),
    Series("fill", "share", "How full its fullest queue is.", worst=True),
)
OF_RESOURCE = (
    Series("cpu", "cores", "Processor time of a process."),
    Series("memory", "bytes", "Memory of this process.", worst=True),
)
DECLARED: Mapping[str, tuple[Series, ...]] = {"job": OF_JOB, "resource": OF_RESOURCE, "operator": OF_OPERATOR, "link": OF_LINK}
_BY_NAME = {(kind, each.what): each for kind, declared in DECLARED.items() for each in declared}
OPTIONAL: Mapping[str, str] = {"latency": "latency_p99_ms", "behind_records": "behind_records", "behind_bytes": "behind_bytes"}
"""What only some operators have, and by which counter one sees it."""
_COUNTS = {"packets": "packets", "bytes": "bytes", "wire": "bytes_on_wire"}


@dataclass(frozen=True)
class Look:
    """A status with the time at which it was asked for.

    :ivar at_s: by the clock on the wall
    :ivar clock_s: by one that does not jump
    """

    at_s: float
    clock_s: float
    status: Counters


def series_of(name: str) -> Series:
    """What a name is of.

    :raise KeyError: it is no name of a series
    """
    return _BY_NAME[name.partition("/")[0], name.rpartition("/")[2]]


def names(status: Counters) -> list[str]:
    """The series of a job, in order: the job's own first."""
    return [*(f"job/{each.what}" for each in OF_JOB),
            *(f"resource/{one}/{each.what}" for one in status.get("resources") or {} for each in OF_RESOURCE),
            *(f"operator/{one}/{each.what}" for one, counters in (status.get("operators") or {}).items() for each in OF_OPERATOR
              if OPTIONAL.get(each.what, "packets_in") in counters),
            *(f"link/{one}/{each.what}" for one in status.get("links") or {} for each in OF_LINK)]


def ends(link: str) -> tuple[str, str]:
    """The operators that a link connects, from its name ``FROM.PORT->TO.PORT``."""
    begin, _, end = link.partition("->")
    return begin.partition(".")[0], end.partition(".")[0]


def outer(status: Counters) -> tuple[list[str], list[str]]:
    """The operators that no link leads to, and those that none leaves: sources and sinks."""
    linked = [ends(link) for link in status.get("links") or {}]
    begins, fed = {begin for begin, _ in linked}, {end for _, end in linked}
    operators = list(status.get("operators") or {})
    return [one for one in operators if one not in fed], [one for one in operators if one not in begins]


def between(before: Look, now: Look) -> Values:
    """The values of the time between two looks; those that nothing is known of are missing."""
    found: Values = {}
    status, past = now.status, before.status
    took_s = now.clock_s - before.clock_s
    if took_s <= 0 or status.get("attempt") != past.get("attempt") or _begins(past, status):
        return found        # the counters of another attempt have begun again
    for one, counters in (status.get("operators") or {}).items():
        old = (past.get("operators") or {}).get(one) or {}
        found.update((f"operator/{one}/{what}", value) for what, value in _of_operator(old, counters, now.at_s, took_s))
    for one, counters in (status.get("links") or {}).items():
        old = (past.get("links") or {}).get(one) or {}
        for what, key in _COUNTS.items():
            found[f"link/{one}/{what}"] = max(0, counters.get(key, 0) - old.get(key, 0)) / took_s
        if counters.get("senders"):     # a link within a task has no queue, and nobody waits
            waited_s = max(0, counters.get("paused_ms", 0) - old.get("paused_ms", 0)) / 1000
            found[f"link/{one}/paused"] = min(1.0, waited_s / counters["senders"] / took_s)
            found[f"link/{one}/fill"] = counters.get("fill", 0.0)
    found.update(_of_job(found, status))
    found.update(_of_processes(past, status, took_s))
    return found


def _of_operator(old: Counters, counters: Counters, at_s: float, took_s: float) -> Iterator[tuple[str, float]]:
    for what, key in (("in", "packets_in"), ("out", "packets_out"), ("errors", "errors")):
        yield what, max(0, counters.get(key, 0) - old.get(key, 0)) / took_s
    if counters.get("watermark_us") is not None:
        yield "lag", max(0.0, at_s - counters["watermark_us"] / 1e6)
    for what in ("busy", "paused"):
        share = most_share(old.get(f"{what}_ms"), counters.get(f"{what}_ms"), took_s)
        if share is not None:
            yield what, share
    if "latency_p99_ms" in counters:
        yield "latency", counters["latency_p99_ms"] / 1000
    for what in ("behind_records", "behind_bytes"):
        if what in counters:
            yield what, float(counters[what])


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
    operators = list(status.get("operators") or {})
    sources, sinks = outer(status)
    yield "job/in", sum(values[f"operator/{one}/out"] for one in sources)
    yield "job/out", sum(values[f"operator/{one}/in"] for one in sinks)
    yield "job/errors", sum(values[f"operator/{one}/errors"] for one in operators)
    for what in ("lag", "latency", "busy"):
        known = [values[name] for one in operators if (name := f"operator/{one}/{what}") in values]
        if known:
            yield f"job/{what}", max(known)


def _of_processes(past: Counters, status: Counters, took_s: float) -> Iterator[tuple[str, float]]:
    known = {name: (before["cpu_s"], now) for name, now in (status.get("resources") or {}).items()
             if "cpu_s" in now and "cpu_s" in (before := (past.get("resources") or {}).get(name) or {})
             and before.get("pid") == now.get("pid")}
    cores = {name: max(0.0, now["cpu_s"] - before) / took_s for name, (before, now) in known.items()}
    for name, (_, now) in known.items():
        yield f"resource/{name}/cpu", cores[name]
        yield f"resource/{name}/memory", float(now["memory_bytes"])
    if known:
        yield "job/cpu", sum(cores.values())
        yield "job/memory", float(sum(now["memory_bytes"] for _, now in known.values()))


PROCESSES = Path("/proc")


def used_by(folder: Path) -> tuple[float, float] | None:
    """Seconds of processor time and bytes of memory of a process on this machine; None if it is not there."""
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), float(int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
