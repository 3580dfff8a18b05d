"""``despina state``: what lies in a state folder."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import click

from despina import state
from despina.cli import options
from despina.errors import RefusedError, visible

FOLDER = click.argument("folder")
GRAPH = click.option("--graph", metavar="NAME", help="Of one graph alone.")
SETTINGS = click.option("--setting", "settings", metavar="NAME=VALUE", multiple=True,
                        help="A setting of Hadoop's, for a folder of one of its file systems; may be repeated.")


@click.group("state")
def command() -> None:
    """Show, verify, clear and export what a run has kept in its state FOLDER: a path or a URI."""


@command.command("ls")
@FOLDER
@GRAPH
@click.option("-v", "--verbose", is_flag=True, help="Also the operators of each epoch, and what they keep.")
@SETTINGS
@options.DRIVER
@options.JSON
def ls(folder: str, graph: str | None, verbose: bool, settings: tuple[str, ...], driver: str, as_json: bool) -> int:
    """List graphs, the starts of their jobs, epochs with their size and age, and savepoints."""
    graphs = state.ls(folder, graph, settings=_settings(settings), driver=driver)
    if as_json:
        print(json.dumps({"graphs": [dataclasses.asdict(each) for each in graphs]}, default=_iso))
        return 0
    for each in graphs:
        print(visible(each.graph))
        for line in _lines(each, verbose):
            print(f"  {visible(line)}")
    return 0


@command.command("check")
@FOLDER
@GRAPH
@SETTINGS
@options.DRIVER
@options.JSON
def check(folder: str, graph: str | None, settings: tuple[str, ...], driver: str, as_json: bool) -> int:
    """Read every byte, compare it with its checksum, and name what is damaged. Exit code 1 if anything is."""
    verified = state.check(folder, graph, settings=_settings(settings), driver=driver)
    if as_json:
        print(json.dumps(dataclasses.asdict(verified)))
        return 0 if verified.ok else 1
    for each in verified.problems:
        print(visible(f"{each.graph}{f', epoch {each.epoch}' if each.epoch else ''}: {each.problem}"))
    count = verified.whole_epochs
    print(f"{visible(folder)}: {count} whole epoch{'s' * (count != 1)}, {verified.bytes:,} bytes, "
          + (f"{len(verified.problems)} damaged" if verified.problems else "nothing damaged"))
    return 0 if verified.ok else 1


@command.command("gc")
@FOLDER
@GRAPH
@click.option("--dry-run", "dry_run", is_flag=True, help="Only say what would go.")
@SETTINGS
@options.DRIVER
@options.JSON
def gc(folder: str, graph: str | None, dry_run: bool, settings: tuple[str, ...], driver: str, as_json: bool) -> int:
    """Remove what no epoch needs any more, as a running job does by itself. A folder that a job uses is refused."""
    cleared = state.gc(folder, graph, dry_run=dry_run, settings=_settings(settings), driver=driver)
    if as_json:
        print(json.dumps({"dry_run": dry_run, "graphs": [dataclasses.asdict(each) for each in cleared]}))
        return 0
    for each in cleared:
        for file in each.files:
            print(visible(file))
        count, what = len(each.files), "would go" if dry_run else "removed"
        print(visible(f"{each.graph}: {count} file{'s' * (count != 1)}, {each.bytes:,} bytes {what}"))
    return 0


@command.command("servers")
@FOLDER
@click.argument("graph", type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Remove it. A folder that a job uses is refused.")
@options.SET
@options.JARS
@options.DRIVER
@options.JSON
def servers(folder: str, graph: Path, remove: bool, settings: tuple[str, ...], jars: tuple[Path, ...], driver: str,
            as_json: bool) -> int:
    """Say what jobs of a GRAPH, a file, have left at servers under the names that FOLDER has: sessions, markers of epochs.

    Exit code 1 if a server cannot be asked.
    """
    from despina import engine
    from despina.graph import load
    from despina.options import RunOptions
    found = load(graph).leftovers(folder, remove=remove, options=RunOptions(parameters=options.parameters(settings), jars=jars),
                                  engine=engine.start(driver, coordinates_only=True))
    failed = sum(each.problem is not None for each in found)
    if as_json:
        print(json.dumps({"remove": remove, "servers": [
            {"operator": each.operator, "found": each.found, "problem": each.problem.as_dict() if each.problem else None}
            for each in found]}))
        return 1 if failed else 0
    for each in found:
        print(visible(f"{each.operator}: {each.problem}" if each.problem else
                      f"{each.operator}: {'removed: ' if remove else ''}{each.found or 'it leaves nothing'}"))
    if remove and found and not failed:
        print(visible(f"no job must go on from {folder} now: remove it too"))
    elif not found:
        print(visible(f"{folder} has no names under which {graph} could have left something"))
    return 1 if failed else 0


@command.command("export")
@FOLDER
@click.argument("epoch")
@click.argument("operator")
@GRAPH
@click.option("--state", "name", metavar="NAME", help="Of one state alone; csv needs it where an operator has several.")
@click.option("--format", "form", type=click.Choice(["json", "csv"]), default="json", show_default=True,
              help="A JSON object a line, or csv with a column for each of its values.")
@click.option("-o", "--output", type=click.File("w", encoding="utf-8", lazy=True), default="-", help="Where to write.")
@SETTINGS
@options.DRIVER
def export(folder: str, epoch: str, operator: str, graph: str | None, name: str | None, form: str, output: IO[str],
           settings: tuple[str, ...], driver: str) -> int:
    """Write what an OPERATOR kept at the end of an EPOCH, a number or `latest`, with keys and values by their columns."""
    if epoch != state.LATEST and not epoch.isdecimal():
        raise RefusedError("state", f"{epoch!r} is no epoch", "give its number, as `despina state ls` shows it, or latest")
    entries = state.export(folder, epoch, operator, graph=graph, state=name, settings=_settings(settings), driver=driver)
    if form == "csv":
        _csv(entries, output)
    else:
        for entry in entries:
            output.write(json.dumps(entry, ensure_ascii=False) + "\n")
    output.flush()
    return 0


def _settings(given: tuple[str, ...]) -> dict[str, str]:
    return options.parameters(given, "--setting")


def _iso(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value))


def _lines(graph: state.GraphState, verbose: bool) -> Iterator[str]:
    for attempt in graph.attempts:
        yield (f"attempt {attempt.number}: {attempt.claimed_at:%Y-%m-%d %H:%M:%S} UTC, {_start(attempt)}, "
               f"{attempt.host}, process {attempt.pid}")
    for epoch in graph.epochs:
        taken = f", {epoch.taken_at:%Y-%m-%d %H:%M:%S} UTC" if epoch.taken_at else ""
        size = f", attempt {epoch.attempt}, {epoch.bytes:,} bytes" if epoch.attempt is not None else ""
        yield f"epoch {epoch.number}: {epoch.standing}{taken}{size}" + (f": {epoch.problem}" if epoch.problem else "")
        for each in epoch.operators if verbose else ():
            yield from _operator(each)
    for one in graph.names:
        yield f"{one.operator} {one.instance}: {one.kind} {one.name} at its server"
    if graph.savepoints:
        yield f"savepoints: {', '.join(graph.savepoints)}"


def _start(attempt: state.Attempt) -> str:
    if attempt.from_epoch is None:
        return "started nothing"
    if attempt.from_savepoint:
        return f"from savepoint {attempt.from_savepoint}"
    return f"from epoch {attempt.from_epoch}" if attempt.from_epoch else "from the beginning"


def _operator(each: state.OperatorState) -> Iterator[str]:
    ended = f", {each.ended} ended" if each.ended else ""
    yield f"  {each.operator}: {each.type}, {each.parallelism} of it{ended}, {each.bytes:,} bytes"
    for name, schema in each.states.items():
        yield f"    {name}: {schema}"
        for number, texts in enumerate(each.texts):
            for key, text in texts.get(name, {}).items():
                yield f"      {number}: {key} = {text}"


def _csv(entries: Iterable[dict[str, Any]], output: IO[str]) -> None:
    """With the columns of the first entry: those of one state are alike."""
    writer = None
    for entry in entries:
        row = dict(_flat(entry))
        if writer is None:
            writer = csv.DictWriter(output, list(row), lineterminator="\n")
            writer.writeheader()
            first = entry["state"]
        if entry["state"] != first:
            raise RefusedError("state", f"the operator has several states: {first}, {entry['state']}", "choose one with --state")
        writer.writerow(row)


def _flat(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, each in value.items():
        if isinstance(each, dict) and prefix == "":
            yield from _flat(each, f"{name}.")
        elif isinstance(each, list) and name in ("sums", "numbers"):
            yield from ((f"{prefix}{name}.{k}", one) for k, one in enumerate(each))
        else:
            yield prefix + name, json.dumps(each, ensure_ascii=False) if isinstance(each, (dict, list)) else each
