"""Savepoints by command: a job is copied while it runs, is stopped with a copy, and goes on from either."""

from __future__ import annotations

import re
from pathlib import Path

from e2e.conftest import Start
from support.graphs import Fields, chain, csv_source, write
from support.processes import Command, Ended
from support.written import written_lines

ROWS = ["a,1,1", "b,10,10", "a,2,3", "b,20,30", "a,3,6", "b,30,60"]
"""Key, number, and the sum of the key so far."""
COPIED_AT, STOPPED_AT = 2, 5
WRITTEN = r"\S+/{}: epoch [\d,]+, [\d,]+ bytes\n"


class Jobs:
    """Sums of the numbers in a file that each of them follows."""

    def __init__(self, start: Start, folder: Path) -> None:
        self._start = start
        self._runs = dict[str, Command]()
        self.folder = folder

    def append(self, rows: list[str]) -> None:
        """Writes their keys and numbers."""
        with (self.folder / "numbers.csv").open("a") as numbers:
            numbers.writelines(row.rpartition(",")[0] + "\n" for row in rows)

    def run(self, name: str, *options: str | Path, state: bool = True) -> Command:
        """Starts one; its output, job file and state have its name."""
        sums: Fields = {"type": "scan", "group_by": ["k"], "state": {"total": {"initial": "0L", "next": "total + n"}},
                        "select": ["k", "n", "next.total AS total"]}
        sink: Fields = {"type": "file_sink", "path": str(self.folder / name), "format": "csv", "roll_every_ms": 50}
        source = csv_source(self.folder / "numbers.csv", "k STRING, n BIGINT", follow=True)
        graph = write(self.folder / f"{name}.json", chain(("source", source), ("sums", sums), ("sink", sink), name="sums"))
        kept = ["--state", self.folder / f"{name}.state", "--epoch-ms", "100"] if state else []
        self._runs[name] = self._start("run", graph, "--job-file", self.job(name), *kept, *options)
        return self._runs[name]

    def job(self, name: str) -> Path:
        """Its job file."""
        return self.folder / f"{name}.job"

    def tell(self, *arguments: str | Path) -> Ended:
        """A command, to its end."""
        return self._start(*arguments).end()

    def shows(self, name: str, rows: list[str]) -> None:
        """Waits until it has shown so many rows, and these they are."""
        def shown() -> list[str]:
            return written_lines(self.folder / name)
        self._runs[name].until(lambda: len(shown()) >= len(rows), f"{len(rows)} rows of {name}")
        assert sorted(shown()) == sorted(rows)


def test_a_job_is_copied_stopped_and_goes_on_by_commands(start: Start, tmp_path: Path) -> None:
    jobs = Jobs(start, tmp_path)
    copy, end = tmp_path / "copy", tmp_path / "end"
    jobs.append(ROWS[:COPIED_AT])
    first = jobs.run("first")
    jobs.shows("first", ROWS[:COPIED_AT])
    made = jobs.tell("savepoint", jobs.job("first"), copy)
    assert re.fullmatch(WRITTEN.format("copy"), made.out), made.err
    jobs.append(ROWS[COPIED_AT:STOPPED_AT])
    jobs.shows("first", ROWS[:STOPPED_AT])
    there = jobs.tell("savepoint", jobs.job("first"), copy)
    assert there.code == 2
    assert re.search(r"error\[savepoint\]: no savepoint can be written to \S+/copy: it has a savepoint already\n"
                     r"  hint: name a folder that is not there, or is empty\n", there.err), there.err
    stopped = jobs.tell("stop", jobs.job("first"), "--savepoint", end)
    assert re.fullmatch(WRITTEN.format("end"), stopped.out), stopped.err
    assert (made.code, stopped.code, first.end().code) == (0, 0, 0), first.err()
    jobs.append(ROWS[STOPPED_AT:])
    jobs.shows("first", ROWS[:STOPPED_AT])
    both = [(jobs.run(name, "--from", folder), name, rows)
            for name, folder, rows in (("again", copy, ROWS[COPIED_AT:]), ("on", end, ROWS[STOPPED_AT:]))]
    for command, name, rows in both:
        jobs.shows(name, rows)
        command.interrupt()
        jobs.shows(name, rows)


def test_what_is_no_savepoint_and_what_cannot_have_one_are_told(start: Start, tmp_path: Path) -> None:
    jobs = Jobs(start, tmp_path)
    jobs.append(ROWS)
    stateless = jobs.run("stateless", state=False)
    jobs.shows("stateless", ROWS)
    refused = jobs.tell("savepoint", jobs.job("stateless"), tmp_path / "copy")
    assert refused.code == 2
    assert re.search(r"error\[savepoint\]: \S+ keeps no state, of which a savepoint is a copy\n"
                     r"  hint: run it with a folder for its state: --state DIR\n", refused.err), refused.err
    ended = jobs.run("other", "--from", tmp_path / "stateless").end()
    assert ended.code == 2
    assert f"{tmp_path}/stateless is no savepoint: " in ended.err, ended.err
    assert not (tmp_path / "other").exists(), "nothing has begun"
    stateless.interrupt()
