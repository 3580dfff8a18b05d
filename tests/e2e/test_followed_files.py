"""A file that a source follows is rotated, as logrotate does it, while the command runs."""

from __future__ import annotations

from pathlib import Path

from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph, RunOptions
from e2e.conftest import Start
from support.graphs import Fields, chain, csv_source, write
from support.processes import until
from support.written import written_lines


def test_rotation_loses_no_line_and_reads_none_twice(start: Start, tmp_path: Path) -> None:
    log, out = tmp_path / "log.csv", tmp_path / "out"
    log.write_text("1,one\n2,two\n")
    sink: Fields = {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 50}
    command = start("run", write(tmp_path / "g.json", chain(("source", csv_source(log, follow=True)), ("sink", sink))))

    def lines() -> list[str]:
        return sorted(written_lines(out))

    command.until(lambda: lines() == ["1,one", "2,two"], "first two lines")
    with log.open("a") as old:
        old.write("3,three\n")
        log.rename(tmp_path / "log.csv.1")
        old.write("4,fo")
        old.flush()
        log.touch()
        old.write("ur")
    log.write_text("5,longer than all that was in the old one\n6,six\n")
    command.until(lambda: len(lines()) == 6, "line of the new file")
    with log.open("a") as new:
        new.write("7,seven\n")
    expected = ["1,one", "2,two", "3,three", "4,four", "5,longer than all that was in the old one", "6,six", "7,seven"]
    command.until(lambda: lines() == expected, "seventh line")
    ended = command.interrupt()
    assert ended.err.count(f"source: {log} is another file now") == 1, ended.err


def watchers(pid: int) -> int:
    """How many inotify instances a process has."""
    found = 0
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += str(descriptor.readlink()) == "anon_inode:inotify"
        except FileNotFoundError:   # closed meanwhile
            continue
    return found


def test_all_jobs_share_one_watcher_which_ends_with_the_last(engine: Engine, driver: Py4jDriver, tmp_path: Path) -> None:
    def following(name: str) -> Graph:
        (tmp_path / name).write_text("1,one\n")
        return Graph.from_dict(chain(("source", csv_source(tmp_path / name, follow=True)), ("sink", {"type": "collect_sink"})))

    for _ in range(10):
        with following("a").start(engine, RunOptions()) as first, following("b").start(engine, RunOptions()) as second:
            for job in (first, second):
                assert next(job.batches()).to_pylist() == [{"id": 1, "word": "one"}]
            assert watchers(driver.pid) == 1
        until(lambda: watchers(driver.pid) == 0, "end of the watcher")
