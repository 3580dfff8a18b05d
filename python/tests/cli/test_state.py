from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from despina import state
from despina.errors import RefusedError
from support import state_folders

Despina = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One with two graphs, of which one has two epochs."""
    state_folders.keep(tmp_path, "power alarm", "scan")
    state_folders.keep(tmp_path, "power alarm", "scan", epoch=2, committed=False)
    state_folders.keep(tmp_path, "means", "aggregate_tumbling")
    return tmp_path


def test_ls_lists_graphs_attempts_and_epochs(with_engine: Despina, folder: Path) -> None:
    code, out, err = with_engine("state", "ls", folder)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "means",
        "  attempt 1: 1970-01-01 00:00:01 UTC, from the beginning, box, process 12",
        "  epoch 1: committed, 1970-01-01 00:00:00 UTC, attempt 1, 853 bytes",
        "power alarm",
        "  attempt 1: 1970-01-01 00:00:01 UTC, from the beginning, box, process 12",
        "  epoch 1: committed, 1970-01-01 00:00:00 UTC, attempt 1, 1,222 bytes",
        "  epoch 2: committing, 1970-01-01 00:00:00 UTC, attempt 1, 1,222 bytes"]
    assert "    folded: k STRING -> count INT" in with_engine("state", "ls", folder, "-v")[1]
    told = json.loads(with_engine("state", "ls", folder, "--graph", "means", "--json")[1])
    assert [each["graph"] for each in told["graphs"]] == ["means"]


def test_python_has_the_same(with_engine: Despina, folder: Path) -> None:
    graphs = state.ls(folder)
    newest = graphs[1].newest
    assert newest is not None
    assert (graphs[1].graph, newest.number, newest.is_whole, graphs[1].id) == ("power alarm", 2, True, "id-power alarm")
    assert [each.operator for each in newest.operators] == ["x"]
    assert state.check(folder).ok
    assert state.check(folder).whole_epochs == 3
    with pytest.raises(RefusedError, match="has no state of graph `other`"):
        state.ls(folder, "other")


def test_check_names_what_is_damaged(with_engine: Despina, folder: Path) -> None:
    assert with_engine("state", "check", folder)[:2] == (0, f"{folder}: 3 whole epochs, 3,297 bytes, nothing damaged\n")
    file = folder / "power%20alarm" / "data" / "1" / "1.r.base"
    content = bytearray(file.read_bytes())
    content[40] ^= 1
    file.write_bytes(content)
    code, out, _ = with_engine("state", "check", folder)
    assert code == 1
    assert out.startswith("power alarm, epoch 1: power%20alarm/data/1/1.r.base: state `folded` is damaged: its CRC32C is ")
    assert out.endswith("2 whole epochs, 3,297 bytes, 1 damaged\n")
    code, out, _ = with_engine("state", "check", folder, "--json")
    assert (code, len(json.loads(out)["problems"])) == (1, 1)


def test_gc_keeps_three_epochs_and_says_what_goes(with_engine: Despina, tmp_path: Path) -> None:
    for epoch in range(1, 6):
        state_folders.keep(tmp_path, "g", "scan", epoch=epoch)
    gone = [f"g/epochs/{epoch}.{kind}.json" for kind in ("manifest", "committed") for epoch in (1, 2)]
    gone += ["g/data/1/1.r.base", "g/data/1/2.r.base"]
    code, out, _ = with_engine("state", "gc", tmp_path, "--dry-run")
    assert code == 0
    assert sorted(out.splitlines()[:-1]) == sorted(gone)
    assert out.splitlines()[-1].startswith("g: 6 files, ")
    assert out.endswith(" bytes would go\n")
    assert [each.number for each in state.ls(tmp_path)[0].epochs] == [1, 2, 3, 4, 5]
    assert with_engine("state", "gc", tmp_path)[1].endswith(" bytes removed\n")
    assert [each.number for each in state.ls(tmp_path)[0].epochs] == [3, 4, 5]
    assert state.check(tmp_path).ok
    assert state.gc(tmp_path)[0].files == ()


def test_export_writes_keys_and_values_by_their_columns(with_engine: Despina, folder: Path, tmp_path: Path) -> None:
    code, out, _ = with_engine("state", "export", folder, "2", "x", "--graph", "power alarm", "--state", "folded")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows
    assert all(list(row["key"]) == ["k"] and isinstance(row["value"]["count"], int) for row in rows)
    target = tmp_path / "out.csv"
    assert with_engine("state", "export", folder, "latest", "x", "--graph", "means", "--state", "windows", "--format", "csv",
                       "-o", target)[:2] == (0, "")
    table = list(csv.DictReader(io.StringIO(target.read_text())))
    assert table
    assert list(table[0]) == ["instance", "state", "window_start", "key.k", "sums.0", "sums.1", "sums.2"]
    assert "choose one with --state" in with_engine("state", "export", folder, "latest", "x", "--graph", "means", "--format",
                                                    "csv")[2]
    assert "is no epoch" in with_engine("state", "export", folder, "newest", "x")[2]


SCAN = {"format": 1, "name": "g", "operators": {
    "a": {"type": "file_source", "path": "in", "format": "json",
          "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 0},
          "schema": "ts TIMESTAMP, id BIGINT, k STRING, n INT, v DOUBLE, a ARRAY<STRING>"},
    "x": {"type": "scan", "group_by": ["k"], "state": {"count": {"initial": "0", "next": "count + 1"}}, "parallelism": 2,
          "select": ["k", "id", "next.count AS c"]},
    "out": {"type": "discard_sink"}}, "links": [{"from": "a", "to": "x"}, {"from": "x", "to": "out"}]}


def test_check_from_is_a_dry_run(with_engine: Despina, tmp_path: Path) -> None:
    state_folders.keep(tmp_path / "state", "g", "scan")
    file = tmp_path / "g.graph.json"
    file.write_text(json.dumps(SCAN))
    code, out, err = with_engine("check", file, "--from", tmp_path / "state")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["  from epoch 1:", "    kept: operator `x` is kept",
                                "    new: operator `a` is new: it starts empty",
                                "    new: operator `out` is new: it starts empty", f"{file}: ok"]
    file.write_text(json.dumps(SCAN).replace('"x"', '"y"'))
    code, out, err = with_engine("check", file, "--from", tmp_path / "state")
    assert code == 2
    assert "error[state]: operator `x` is not in the graph: its state is lost if you say --drop x" in err
    assert out.endswith(f"{file}: refused\n")
    code, out, _ = with_engine("check", file, "--from", tmp_path / "state", "--rename", "x=y", "--json")
    assert (code, [each["fate"] for each in json.loads(out)["operators"]]) == (0, ["renamed", "new", "new"])
    assert "    dropped: operator `x` is dropped" in with_engine("check", file, "--from", tmp_path / "state", "--drop", "x")[1]
    assert "name it with --from" in with_engine("check", file, "--drop", "x")[2]
    assert "is neither a savepoint nor a state folder" in with_engine("check", file, "--from", tmp_path)[2]
