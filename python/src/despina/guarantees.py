"""What a graph promises of its rows when a part of its job is lost, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WHOLE = {"exactly_once": "each row comes out exactly once", "at_least_once": "each row comes out at least once",
         "none": "rows may be lost"}
EPOCH = "one epoch, 1 s by default"


def lines(guarantee: Mapping[str, Any]) -> list[str]:
    """The whole first, then a line for each source and each end, then what time or turns decide and what lies on one machine.

    :param guarantee: as ``check`` answers it
    """
    weakest = f", because of {', '.join(guarantee['weakest'])}" if guarantee["weakest"] else ""
    found = [f"  with a state folder, when a process is killed: {WHOLE[guarantee['graph']]}{weakest}"]
    found += [f"    {each['operator']}: {_promise(each)}" for each in guarantee["sources"]]
    found += [f"    {each['operator']}: {_promise(each)}{_shown(each)}" for each in guarantee["ends"]]
    if guarantee["by_clock"]:
        found.append(f"    by the wall clock, which may decide otherwise after a restart: {', '.join(guarantee['by_clock'])}")
    if guarantee["by_arrival"]:
        found.append(f"    by which stream's packet comes first, which may be another after a restart: "
                     f"{', '.join(guarantee['by_arrival'])}")
    if guarantee["on_its_machine"]:
        found.append(f"    lost with the disk of its machine: rows of {', '.join(guarantee['on_its_machine'])}")
    return found


def _promise(each: Mapping[str, Any]) -> str:
    word = str(each["guarantee"]).replace("_", " ")
    word = "no guarantee" if word == "none" else word
    return f"{word} ({each['why']})" if each["why"] else word


def _shown(end: Mapping[str, Any]) -> str:
    if not end["sink"]:
        return ""
    after = end["shown_after_ms"]
    if after is None:
        return ", rows are visible at the end of the job"
    spans = [f"{after / 1000:g} s"] * (after > 0) + [EPOCH] * end["waits_for_epoch"]
    return f", rows are visible after up to {' and '.join(spans)}" if spans else ", rows are visible at once"
