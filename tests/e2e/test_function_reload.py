"""A function is imported anew while its job runs: by a program, by a command, and when its files change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import despina
from despina.engine import Engine
from despina.errors import RefusedError
from e2e.conftest import Start
from support.graphs import chain, rows, write
from support.processes import until
from support.python_workers import until_more_rows, workers

SUMS = """
class Sums:
    def process(self, key, row, state):
        state.count = (state.count or 0) + 1
        return state.count, {version}
"""
BROKEN = """
VERSION = int("three")
"""


def test_state_stays_and_what_cannot_be_imported_changes_nothing(engine: Engine, tmp_path: Path, clean: int) -> None:
    module = tmp_path / "sums.py"
    module.write_text(SUMS.format(version=1))
    graph = chain(("source", {**rows(None, "id"), "rate_per_s": 2_000}),
                  ("summed", {"type": "python", "function": "sums:Sums", "adds": "count BIGINT, version BIGINT", "spare": True,
                              "group_by": ["id % 7"], "state": "count BIGINT", "parallelism": 2}),
                  ("rows", {"type": "collect_sink"}))
    found: list[dict[str, int]] = []
    with despina.Graph.from_dict(graph).run(engine=engine, modules=[tmp_path]) as job:
        until(lambda: len(workers(clean)) == 4, "processes and their spares")
        until_more_rows(job)
        old = workers(clean)
        module.write_text(BROKEN)
        refused = job.reload("summed")
        assert [told.ok for told in refused] == [False, False]
        assert {told.answer for told in refused} <= {
            "module `sums` cannot be imported: ValueError: invalid literal for int() with base 10: 'three' "
            "(sums.py:2 in <module>)",
            "it is as it was, since another instance failed"}
        until_more_rows(job)
        left = workers(clean)
        assert set(left) <= set(old), "a new process stays"
        assert len(left) >= 2, "a spare that had not yet imported the module cannot, but the two at work stay"
        module.write_text(SUMS.format(version=22))
        assert [(told.operator, told.ok, told.answer) for told in job.reload()] == \
            [("summed", True, "a new process has taken over")] * 2
        until(lambda: len(workers(clean)) == 4 and not set(workers(clean)) & set(old), "new processes and spares")
        until_more_rows(job)
        job.stop()
        found = job.rows("rows").to_pylist()
        job.wait(60)
    by_key: dict[int, list[dict[str, int]]] = {}
    for row in sorted(found, key=lambda row: row["id"]):
        by_key.setdefault(row["id"] % 7, []).append(row)
    for key, rows_of_key in by_key.items():
        assert [row["count"] for row in rows_of_key] == list(range(1, len(rows_of_key) + 1)), key
        versions = [row["version"] for row in rows_of_key]
        assert versions == sorted(versions)
        assert set(versions) == {1, 22}


NUMBERS = """
import time

class Numbers:
    at = 0

    def rows(self):
        while True:
            time.sleep(0.001)
            self.at += 1
            yield self.at - 1, {version}

    def position(self):
        return self.at

    def seek(self, position):
        self.at = {seek}


class Unplaced:
    def rows(self):
        yield from Numbers().rows()


def written(n, version):
    pass


class Held:
    def write(self, n, version):
        pass

    def flush(self):
        pass
"""


def test_a_source_goes_on_at_its_position_and_a_sink_between_two_batches(engine: Engine, tmp_path: Path, clean: int) -> None:
    module = tmp_path / "numbers_of.py"
    module.write_text(NUMBERS.format(version=1, seek="position"))
    columns = "n BIGINT, version BIGINT"
    graph = {"format": 1, "name": "numbers", "operators": {
        "numbers": {"type": "python_source", "function": "numbers_of:Numbers", "schema": columns, "unbounded": True},
        "others": {"type": "python_source", "function": "numbers_of:Unplaced", "schema": columns, "unbounded": True},
        "rows": {"type": "collect_sink"}, "written": {"type": "python_sink", "function": "numbers_of:written"},
        "held": {"type": "python_sink", "function": "numbers_of:Held"}},
        "links": [{"from": "numbers", "to": "rows"}, {"from": "numbers", "to": "written"}, {"from": "others", "to": "held"}]}
    with despina.Graph.from_dict(graph).run(engine=engine, modules=[tmp_path]) as job:
        until_more_rows(job)
        old = workers(clean)
        module.write_text(NUMBERS.format(version=22, seek="1 / 0"))
        refused = {told.operator: (told.ok, told.answer.partition(" (")[0]) for told in job.reload()}
        assert refused == {"numbers": (False, "`seek` of `numbers_of:Numbers`: ZeroDivisionError: division by zero"),
                           "written": (True, "a new process has taken over"), "held": (True, "a new process has taken over")}
        until_more_rows(job)
        module.write_text(NUMBERS.format(version=22, seek="position"))
        assert [(told.operator, told.ok, told.answer) for told in job.reload("numbers")] == \
            [("numbers", True, "a new process has taken over")]
        assert len(set(workers(clean)) - set(old)) == 3
        job.control("hold", "numbers")
        assert [told.ok for told in job.reload("numbers")] == [True], "also while it is held"
        job.control("go", "numbers")
        until_more_rows(job)
        with pytest.raises(RefusedError, match=r"operator `others`, a python_source, does not know `reload`(.|\n)*which say "
                                               "where a new process goes on; or stop the job and start it again"):
            job.reload("others")
        job.stop()
        found = job.rows("rows").to_pylist()
        job.wait(60)
    assert [row["n"] for row in found] == list(range(len(found)))
    versions = [row["version"] for row in found]
    assert versions == sorted(versions)
    assert set(versions) == {1, 22}


MODEL = """
from pathlib import Path
from limits import LIMIT

class Model:
    def open(self, context):
        self.factor = int(Path(context.options["model"]).read_text())

    def process(self, id):
        return LIMIT + self.factor
"""


def test_files_are_watched_and_commands_are_heard(start: Start, tmp_path: Path) -> None:
    out, job_file, model, limits = (tmp_path / name for name in ("out", "job", "model.txt", "limits.py"))
    model.write_text("10")
    limits.write_text("LIMIT = 1\n")
    (tmp_path / "models.py").write_text(MODEL)
    graph = chain(("made", {**rows(None, "id"), "rate_per_s": 500}),
                  ("scored", {"type": "python", "function": "models:Model", "adds": "v BIGINT",
                              "options": {"model": str(model)}}),
                  ("out", {"type": "file_sink", "path": str(out), "format": "csv", "roll_every_ms": 50}))

    def scores() -> list[str]:
        parts = sorted(out.glob("part-*"), key=lambda part: int(part.read_text().partition(",")[0] or -1))
        return [line.rpartition(",")[2] for part in parts for line in part.read_text().splitlines()]

    def last(score: str) -> None:
        job.until(lambda: score in scores()[-1:], f"rows with {score}")

    job = start("run", write(tmp_path / "g.json", graph), "--job-file", job_file, "--reload")
    last("11")
    limits.write_text("LIMIT = 100\n")
    last("110")
    model.write_text("2000")
    last("2100")
    model.write_text("many")
    job.until(lambda: "reload: scored[0]: not done: " in job.err(), "why not")
    assert "ValueError: invalid literal for int() with base 10: 'many' (models.py:7 in open)" in job.err()
    answers = json.loads(start("control", job_file, "reload", "scored", "--json").end().out)["answers"]
    assert [answer["ok"] for answer in answers] == [False]
    last("2100")
    job.interrupt()
    assert list(dict.fromkeys(scores())) == ["11", "110", "2100"]
    assert job.err().count("reload: scored[0]: a new process has taken over") == 2
    assert "is not that of the program" not in job.err(), "it was changed on purpose"


def test_a_graph_without_functions_has_nothing_to_watch(start: Start, tmp_path: Path) -> None:
    graph = chain(("made", rows(1, "id")), ("out", {"type": "discard_sink"}))
    refused = start("run", write(tmp_path / "g.json", graph), "--reload").end()
    assert refused.code == 2
    assert "--reload reads functions anew, and the graph has no `python` operator" in refused.err
