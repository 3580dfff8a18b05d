from __future__ import annotations

from typing import Any

from despina import guarantees


def end(operator: str, guarantee: str, shown: int | None = 0, waits: bool = False, sink: bool = True,
        why: str | None = None) -> dict[str, Any]:
    return {"operator": operator, "guarantee": guarantee, "why": why, "hint": None, "sink": sink, "waits_for_epoch": waits,
            "shown_after_ms": shown}


def test_what_is_weak_is_named_with_its_reason_and_the_price_in_latency() -> None:
    answer = {"graph": "at_least_once", "weakest": ["posted"],
              "sources": [{"operator": "read", "guarantee": "replayable", "why": None, "hint": None}],
              "ends": [end("kept", "transactional", 60_000, waits=True), end("all", "transactional", None, waits=True),
                       end("marked", "marked", 0, waits=True), end("posted", "at_least_once", why="it is posted again"),
                       end("asked", "at_least_once", sink=False, why="it is executed again")],
              "ways": [], "by_clock": ["held"], "by_arrival": ["named"], "on_its_machine": ["read", "kept"]}
    assert guarantees.lines(answer) == [
        "  with a state folder, when a process is killed: each row comes out at least once, because of posted",
        "    read: replayable",
        "    kept: transactional, rows are visible after up to 60 s and one epoch, 1 s by default",
        "    all: transactional, rows are visible at the end of the job",
        "    marked: marked, rows are visible after up to one epoch, 1 s by default",
        "    posted: at least once (it is posted again), rows are visible at once",
        "    asked: at least once (it is executed again)",
        "    by the wall clock, which may decide otherwise after a restart: held",
        "    by which stream's packet comes first, which may be another after a restart: named",
        "    lost with the disk of its machine: rows of read, kept"]


def test_a_graph_without_weakness_is_said_in_one_line_and_those_of_its_ends() -> None:
    answer = {"graph": "exactly_once", "weakest": [], "by_clock": [], "by_arrival": [], "on_its_machine": [], "ways": [],
              "sources": [],
              "ends": [end("kept", "transactional", 0, waits=True)]}
    assert len(guarantees.lines(answer)) == 2
    assert guarantees.lines(answer)[0].endswith("each row comes out exactly once")
