"""``despina test``: the tests beside graphs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from despina.cli import options, tell
from despina.errors import DespinaError, JobError, RefusedError, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.testing.file import TestFile
    from despina.testing.runs import Backend, Outcome


@click.command("test")
@click.argument("tests", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--on", type=click.Choice(["local", "spark"]), default="local", show_default=True,
              help="What runs the cases: the engine here, or Spark.")
@click.option("--record", "recording", is_flag=True, help="Write what comes into the files, as what is expected.")
@click.option("--batches", "batches", callback=options.batches, default="1,7,all", show_default=True, metavar="SIZES",
              help="A case that calls Python functions runs with each of these as their batch_rows.")
@click.option("--timeout", "timeout_s", callback=options.span("s", above_zero=True), default="60s", show_default=True,
              metavar="TIME", help="A case that has not ended by then has failed; the engine only.")
@options.JARS
@options.MODULES
@options.DRIVER
@options.JSON
def command(tests: tuple[Path, ...], on: str, recording: bool, batches: tuple[int, ...], timeout_s: float,
            jars: tuple[Path, ...], modules: tuple[Path, ...], driver: str, as_json: bool) -> int:
    """Run the cases of TESTS: files *.test.json, or folders with some at any depth.

    Exit 1 if a case fails, 2 if one is refused. Rows that differ are listed: - expected, + found.
    """
    from despina.options import RunOptions
    from despina.testing import file, runs
    read, refused = _read(options.files(tests, file.SUFFIX))
    told: list[dict[str, Any]] = []
    if not as_json:
        for error in refused:
            tell(error)
    code = RefusedError.exit_code if refused else 0
    with _backend(on, driver, timeout_s) as backend:
        for one in read:
            outcomes = []
            for outcome in runs.run(one, backend, RunOptions(jars=jars, modules=modules),
                                    batches=batches[-1:] if recording else batches, record=recording):
                outcomes.append(outcome)
                code = max(code, _code(outcome, recording))
                if as_json:
                    told.append(_as_dict(one, outcome))
                else:
                    _tell(one, outcome, recording)
            if recording and runs.record(one, outcomes) and not as_json:
                print(visible(f"{one.path}: recorded"))
    if as_json:
        print(json.dumps({"cases": told, "diagnostics": [found for error in refused for found in error.as_dicts()]}))
    return code


def _read(paths: list[Path]) -> tuple[list[TestFile], list[DespinaError]]:
    """The files, and what is wrong with the others."""
    from despina.testing import file
    read, refused = [], list[DespinaError]()
    for path in paths:
        try:
            read.append(file.read(path))
        except RefusedError as error:
            refused.append(error)
    return read, refused


def _code(outcome: Outcome, recording: bool) -> int:
    if outcome.error is not None:
        return outcome.error.exit_code
    return 0 if recording or outcome.ok else JobError.exit_code


@contextmanager
def _backend(on: str, driver: str, timeout_s: float) -> Iterator[Backend]:
    from despina import engine
    from despina.testing import runs
    if on == "local":
        yield runs.OnEngine(engine.start(driver), timeout_s)
        return
    from despina.backends import spark
    from despina.backends.spark import launch
    with ExitStack() as ends, engine.checking() as checker:
        @cache
        def started() -> SparkSession:
            session = spark.start()
            ends.callback(launch.end, session)
            return session

        yield runs.OnSpark(checker, started)


def _tell(tests: TestFile, outcome: Outcome, recording: bool) -> None:
    name = f"{tests.path}: {outcome.case.name}"
    if outcome.error is not None:
        print(visible(f"{name}: {'failed' if outcome.error.exit_code == 1 else 'refused'}{_sized(outcome)}"))
        sys.stdout.flush()
        tell(outcome.error)
    elif outcome.ok or recording:
        print(visible(f"{name}: ok" if outcome.ok else f"{name}: {len(outcome.differences)} recorded"))
    else:
        print(visible(f"{name}: failed{_sized(outcome)}"))
        for each in outcome.differences:
            print(visible("\n".join([f"{each.place}: the rows of {each.name} are not as expected (- expected, + found)",
                                     *(f"  {line}" for line in each.lines)])))


def _sized(outcome: Outcome) -> str:
    return "" if outcome.batch_rows is None else f" with batch_rows={outcome.batch_rows}"


def _as_dict(tests: TestFile, outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {"file": str(tests.path), "name": outcome.case.name, "ok": outcome.ok}
    if outcome.differences:
        found["differences"] = [{"name": one.name, "line": one.place.line, "column": one.place.column, "rows": [*one.lines]}
                                for one in outcome.differences]
    if outcome.batch_rows is not None:
        found["batch_rows"] = outcome.batch_rows
    if outcome.error is not None:
        found["diagnostics"] = outcome.error.as_dicts()
    return found
