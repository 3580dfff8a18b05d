"""The last epoch of a job with a state lasts as long as somebody is waited for: who takes its rows, or a peer that is away."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from e2e.conftest import Start
from support.graphs import Fields, chain, rows, write
from support.processes import Command, alive, free_port
from support.written import written_lines

COUNT = 100
AT_ONCE_S = 10.0
"""Far less than the job would wait, and much for a machine under load."""


def ending(start: Start, folder: Path, sink: Fields, *options: str) -> Command:
    """A job whose input has ended, and whose last epoch waits."""
    graph = write(folder / "g.json", chain(("made", rows(COUNT, "id")), ("out", sink), name="last"))
    run = start("run", graph, "--state", folder / "state", "--epoch-ms", "50", "--drain-ms", "600000", *options)
    epochs = folder / "state" / "last" / "epochs"
    run.until(lambda: any(is_last(each) for each in epochs.glob("*.manifest.json")), "a last epoch")
    return run


def is_last(manifest: Path) -> bool:
    operators = json.loads(manifest.read_text())["manifest"]["operators"].values()
    return all(instance["ended"] for operator in operators for instance in operator["instances"])


def interrupted_twice(run: Command) -> str:
    """:return: what it has said"""
    run.signal(signal.SIGINT)
    run.says("stopping; another Ctrl-C ends the job at once")
    assert alive(run.pid), "the first lets it wait"
    return run.interrupt(timeout_s=AT_ONCE_S).err


def test_a_second_interrupt_lets_rows_go_that_nobody_reads(start: Start, tmp_path: Path) -> None:
    served = ["--spool", "out", "--job-file", str(tmp_path / "job")]
    interrupted_twice(ending(start, tmp_path, {"type": "discard_sink"}, *served))
    again = ending(start, tmp_path, {"type": "discard_sink"}, *served)
    again.says("  running")
    interrupted_twice(again)        # the rows are still there, and waited for


def test_a_second_interrupt_leaves_rows_to_the_next_run_whose_peer_is_away(start: Start, tmp_path: Path) -> None:
    sink: Fields = {"type": "tcp_sink", "host": "127.0.0.1", "port": free_port(), "format": "csv", "retry_for_ms": 600_000}
    interrupted_twice(ending(start, tmp_path, sink))
    taken = write(tmp_path / "taken.json", chain(
        ("in", {"type": "tcp_source", "port": sink["port"], "format": "csv", "schema": "id BIGINT"}),
        ("rows", {"type": "file_sink", "path": str(tmp_path / "rows"), "format": "csv", "roll_every_ms": 50}), name="taken"))
    peer = start("run", taken)
    peer.says("in listens on")
    ended = ending(start, tmp_path, sink).end()
    assert ended.code == 0, ended.err
    found = peer.until(lambda: written_lines(tmp_path / "rows"),
                       "rows")
    assert found == [str(n) for n in range(COUNT)]
    peer.interrupt()
