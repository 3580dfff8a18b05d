"""Operators of a running job are told what to do, by commands of another process."""

from __future__ import annotations

import json
from itertools import chain as chained
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from despina.engine import Engine
from despina.errors import RefusedError
from despina.graph import Graph, RunOptions
from e2e.conftest import Start
from support.graphs import chain, csv_source, rows, write
from support.processes import Ended
from support.written import written_lines

REFUSED = ("error[command]: operator `made`, a generator_source, does not know `reload`\n"
           "  hint: it knows flush, go, hold, move, set_schedule, status, sync\n")


def test_a_source_waits_while_a_table_is_read_again(start: Start, tmp_path: Path) -> None:
    names, out, job_file = tmp_path / "names.csv", tmp_path / "out", tmp_path / "job"
    names.write_text("d0,zero\nd1,one\n")
    rows_made = {"type": "select", "select": ["id % 2 AS n"]}
    graph = chain(("made", {"type": "generator_source", "rate_per_s": 200, "rows": rows_made}),
                  ("named", {"type": "lookup", "key": {"device": "concat('d', n)"}, "select": ["table.name AS name"],
                             "from": {"type": "file", "path": str(names), "format": "csv",
                                      "schema": "device STRING, name STRING", "reload_ms": 3_600_000}}),
                  ("out", {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 50}))

    def tell(*arguments: str) -> Ended:
        return start("control", job_file, *arguments).end()

    def rows() -> list[str]:
        return written_lines(out)

    job = start("run", write(tmp_path / "g.json", graph), "--job-file", job_file)
    job.until(lambda: len(rows()) > 10, "rows")
    held = tell("hold", "--json")
    assert json.loads(held.out)["answers"] == [{"operator": "made", "instance": 0, "ok": True, "answer": ""}], held.err
    made, *others = json.loads(tell("status", "--json").out)["answers"]
    assert json.loads(made["answer"])["is"] == "held"
    assert json.loads(others[0]["answer"])["state_bytes"] > 0, others
    assert tell("sync", "named").out == "named[0]: done\n"
    names.write_text("d0,nil\nd1,eins\n")
    assert tell("reload", "named").out == "named[0]: 2 keys are read\n"
    names.unlink()
    gone = tell("reload")
    assert gone.code == 1
    assert gone.out.startswith("named[0]: not done: "), gone.out
    assert "names.csv" in gone.out
    before = len(rows())
    refused = tell("reload", "made")
    assert (refused.code, refused.err) == (2, REFUSED)
    assert tell("go", "made").out == "made[0]: done\n"
    assert start("schedule", job_file, "made", '{"type": "periodic", "every_ms": 20}').end().out == "made[0]: done\n"
    broken = start("schedule", job_file, "made", "{").end()
    assert broken.code != 0
    assert "Traceback" not in broken.err + broken.out
    job.until(lambda: len(rows()) > before + 20, "rows after the source may go on")
    job.interrupt()
    assert set(rows()[:10]) == {"zero", "one"}
    assert set(rows()[-10:]) == {"nil", "eins"}


STEERED = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
           "place": {"steer": ["far"], "*": ["near"]}}
"""What is told, and the operator that tells it, in two processes."""


def test_rows_of_the_graph_steer_it(engine: Engine) -> None:
    asked: Queue[dict[str, str | None]] = Queue()
    graph = {"format": 1, "name": "steered", "operators": {
        "commands": csv_source("none", "command STRING, operator STRING, argument STRING"),
        "steer": {"type": "control", "allow": ["hold", "go", "status", "sync"]}, "answers": {"type": "collect_sink"},
        "made": rows(None, "id", rate_per_s=1000), "out": {"type": "discard_sink"}},
        "links": [{"from": "commands", "to": "steer"}, {"from": "steer", "to": "answers"}, {"from": "made", "to": "out"}]}
    inputs = {"commands": iter(asked.get, {})}
    with Graph.from_dict(graph).start(engine, RunOptions(deployment=STEERED), inputs=inputs) as job:
        batches = job.batches("answers")

        def tell(command: str | None, operator: str | None, argument: str | None = None) -> dict[str, Any]:
            asked.put({"command": command, "operator": operator, "argument": argument})
            row, = next(batches).to_pylist()
            assert row["command"] == command
            return {name: row[name] for name in ("operator", "instance", "ok", "answer")}

        done = {"operator": "made", "instance": 0, "ok": True, "answer": ""}
        assert tell("hold", "made") == done
        assert json.loads(tell("status", "made")["answer"])["is"] == "held"
        assert tell("hold", "made") == done, "twice"
        assert tell("go", "made") == done
        assert tell("sync", "out") == {**done, "operator": "out"}
        refused = {"ok": False, "instance": None}
        assert tell("hold", "mode") == {**refused, "operator": "mode",
                                        "answer": "no operator `mode` in steered; did you mean `made`?"}
        assert tell("flush", "made")["answer"] == "`flush` is not allowed: `allow` of operator `steer` has go, hold, status, sync"
        assert tell(None, "made") == {**refused, "operator": "made", "answer": "the command is NULL"}
        assert tell("jump", "made")["answer"].startswith("there is no command `jump`; there are fire, flush, go, hold, ")
        asked.put({"command": "hold", "operator": "made", "argument": None})
        asked.put({})
        assert next(batches).to_pylist()[0]["ok"]


SHARED = {**STEERED, "place": {"counts": ["near", "far"], "*": ["near"]}}
"""Two instances in one process, and the one between them in another."""


def test_keys_move_while_their_rows_are_counted(engine: Engine) -> None:
    graph = {"format": 1, "name": "moved", "operators": {
        "made": rows(None, "id % 50 AS k", rate_per_s=5_000),
        "counts": {"type": "scan", "group_by": ["k"], "state": {"n": {"initial": "0", "next": "n + 1"}},
                   "select": ["k", "next.n AS n"], "parallelism": 2, "most_instances": 3, "accept": ["order", "unbounded"]},
        "out": {"type": "collect_sink"}},
        "links": [{"from": "made", "to": "counts"}, {"from": "counts", "to": "out"}]}
    with Graph.from_dict(graph).start(engine, RunOptions(deployment=SHARED)) as job:
        batches = job.batches("out")
        first = next(batches)
        status = job.control("status", "counts")
        assert [one.status["buckets"] for one in status] == ["0-127", "128-255", ""]
        for turn in range(6):
            told = job.move("counts", {bucket: (bucket + turn) % 3 for bucket in range(256)})
            assert len(told) == 3
            assert all(one.ok for one in told)
        told = job.move("counts", dict.fromkeys(range(256), 1))
        assert [one.answer for one in told] == ["it has no buckets", "it has buckets 0-255", "it has no buckets"]
        with pytest.raises(RefusedError, match="operator `counts` has no instance 3: it has 3, from 0 on"):
            job.move("counts", {7: 3})
        job.stop()
        seen: dict[int, int] = {}
        for row in (row for batch in chained([first], batches) for row in batch.to_pylist()):
            seen[row["k"]] = seen.get(row["k"], 0) + 1
            assert row["n"] == seen[row["k"]]
        assert len(seen) == 50
