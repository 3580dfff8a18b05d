"""``despina check``: everything that is wrong with a graph, at once."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from despina.cli import options, tell, warn
from despina.errors import DespinaError, JobError, RefusedError, visible

if TYPE_CHECKING:
    from despina.engine import Checked
    from despina.graph import Graph
    from despina.options import RunOptions

SUFFIX = ".graph.json"
POLL_S = 0.05
"""How often watched files are looked at: an answer comes about that much later than it could."""
LIST_S = 1.0
"""How often watched folders are searched for new files."""


@dataclass(frozen=True)
class Check:
    """How each graph is checked."""

    wanted: RunOptions
    target: str | None
    driver: str
    as_json: bool
    guarantee: bool = False
    connect: bool = False

    def of(self, path: Path, only_declared: bool = False) -> Checked:
        """Checks one graph.

        :param only_declared: parameters that this graph does not have are left out; another one may have them
        :raise DespinaError: it is refused
        """
        from despina import engine
        from despina.backends import split
        from despina.graph import load
        loaded, wanted = load(path), self.wanted
        if only_declared and wanted.parameters:
            declared = _declared(loaded, wanted.parameters)
            wanted = replace(wanted, parameters={name: wanted.parameters[name] for name in declared})
        coordinator = engine.start(self.driver, coordinates_only=True)
        if split.on_spark(wanted):
            if self.connect:
                raise RefusedError("options", "--connect is for graphs that run on the engine alone")
            return split.check(loaded, wanted, coordinator)
        return loaded.check(wanted, for_spark=self.target is not None, streaming=self.target == "spark-streaming",
                            engine=coordinator, connect=self.connect)

    def all(self, paths: Iterable[Path]) -> int:
        """Checks each and tells what is found in it.

        :return: the greatest exit code
        """
        code, diagnostics, plans, guarantees = 0, list[dict[str, Any]](), dict[str, Any](), dict[str, Any]()
        connections = dict[str, Any]()
        for path in paths:
            try:
                checked = self.of(path, only_declared=True)
            except DespinaError as error:
                code = max(code, error.exit_code)
                diagnostics += error.as_dicts()
                plans[str(path)] = guarantees[str(path)] = None
                if not self.as_json:
                    tell(error)
                continue
            diagnostics += [found.as_dict() for found in checked.diagnostics]
            plans[str(path)], guarantees[str(path)] = checked.plan, checked.guarantee
            connections[str(path)] = _connections(checked)
            code = max(code, _code(checked))
            if not self.as_json:
                _tell(path, checked, guarantee=self.guarantee, brief=True)
        if self.as_json:
            print(json.dumps({"diagnostics": diagnostics, "plans": plans, "guarantees": guarantees}
                             | ({"connections": connections} if self.connect else {})), flush=True)
        return code


@click.command("check")
@click.argument("graphs", type=click.Path(path_type=Path), nargs=-1, required=True)
@options.SET
@options.DEPLOYMENT
@options.JARS
@options.MODULES
@click.option("--for", "target", type=click.Choice(["spark", "spark-streaming"]),
              help="Also report operators without a form on Spark, as batch or streaming DataFrames.")
@click.option("--guarantee", is_flag=True, help="Also say what becomes of rows when a process or a machine is lost.")
@click.option("--connect", is_flag=True,
              help="Also try what each operator connects to, from this machine; it changes nothing there. Exit code 1 if one "
                   "fails.")
@click.option("--state", metavar="DIR",
              help="Say what holds where the job keeps its state there: at an address such as s3a:// there are no logs.")
@click.option("--from", "begin", metavar="DIR",
              help="Say what would become of the state in DIR, a state folder or a savepoint, if the graph went on from it.")
@click.option("--drop", metavar="ID", multiple=True, help="With --from: the state of this operator may be lost; may be repeated.")
@click.option("--rename", metavar="OLD=NEW", multiple=True,
              help="With --from: an operator of the state has another id in the graph; may be repeated.")
@click.option("--watch", "watching", is_flag=True, help="Stay, and check each graph again when it is saved, until Ctrl-C.")
@options.DRIVER
@options.JSON
def command(graphs: tuple[Path, ...], settings: tuple[str, ...], deployment: Path | None, jars: tuple[Path, ...],
            modules: tuple[Path, ...], target: str | None, guarantee: bool, connect: bool, state: str | None, begin: str | None,
            drop: tuple[str, ...], rename: tuple[str, ...], watching: bool, driver: str, as_json: bool) -> int:
    """Check GRAPHS, files or folders with files *.graph.json at any depth, and the types of their expressions.

    Prints the columns and event time of each stream of a single graph. --json gives its `plan` and its `guarantee`; for several
    graphs `plans` and `guarantees` by their files, and with --watch one such object for each round. With --connect a line for
    each operator that connects to something says what was found, and --json has `connections`.
    """
    from despina.options import RunOptions
    wanted = RunOptions(parameters=options.parameters(settings), deployment=deployment, jars=jars, modules=modules, state=state)
    if begin is None and (drop or rename):
        raise RefusedError("options", "--drop and --rename are about a state", "name it with --from")
    if connect and (begin is not None or watching or target is not None):
        raise RefusedError("options", "--connect is for the engine, and checks once", "leave --from, --watch and --for out")
    if begin is not None:
        if len(graphs) > 1 or watching or target is not None:
            raise RefusedError("options", "--from is for one graph, on the engine, and checks once")
        return _dry_run(graphs[0], begin, drop, options.parameters(rename, "--rename"), Check(wanted, None, driver, as_json))
    wanted.for_gateway()     # a deployment that cannot be read is told before a JVM starts
    check = Check(wanted, target, driver, as_json, guarantee, connect)
    if watching:
        return watch(graphs, check, [deployment] if deployment is not None else [])
    if len(graphs) > 1 or graphs[0].is_dir():
        paths = options.files(graphs, SUFFIX)
        _refuse_unknown(paths, wanted.parameters or {})
        return check.all(paths)
    checked = check.of(graphs[0])
    if as_json:
        print(json.dumps({"diagnostics": [d.as_dict() for d in checked.diagnostics], "plan": checked.plan,
                          "guarantee": checked.guarantee} | ({"connections": _connections(checked)} if connect else {})))
    else:
        _tell(graphs[0], checked, guarantee)
    return _code(checked)


def _code(checked: Checked) -> int:
    return 0 if checked.ok else JobError.exit_code


def _connections(checked: Checked) -> list[dict[str, Any]]:
    return [{"operator": each.operator, "found": each.found, "problem": each.problem.as_dict() if each.problem else None}
            for each in checked.connections]


def _dry_run(path: Path, begin: str, drop: tuple[str, ...], rename: dict[str, str], check: Check) -> int:
    """Prints what would become of each operator's state; errors for those that cannot go on."""
    from despina import engine
    from despina.graph import load
    found = load(path).dry_run(begin, drop=drop, rename=rename, options=check.wanted,
                               engine=engine.start(check.driver, coordinates_only=True))
    code = 0 if found.ok else RefusedError.exit_code
    if check.as_json:
        print(json.dumps({"diagnostics": [each.as_dict() for each in found.diagnostics], "from": found.source,
                          "operators": [asdict(each) for each in found.operators]}))
        return code
    warn(found.diagnostics)
    print(f"  from {visible(found.source)}:")
    for each in found.operators:
        print(f"    {each.fate}: {visible(each.words)}")
    print(visible(f"{path}: {'ok' if found.ok else 'refused'}"))
    return code


def watch(named: tuple[Path, ...], check: Check, others: list[Path]) -> int:
    """Checks what is there, then what is saved, in one JVM; ends with Ctrl-C.

    :param others: files that every check reads: if one is saved, everything is checked again
    :raise RefusedError: a folder has no graph
    """
    from despina import engine
    paths = options.files(named, SUFFIX)
    _refuse_unknown((path for path in paths if path.is_file()), check.wanted.parameters or {})
    others = [*others, *_parts(paths)]
    seen, of_others = _stamps(paths), _stamps(others)
    check.all(paths)
    engine.start(check.driver, coordinates_only=True).warm_up()
    print(f"despina: watching {len(paths)} graph{'s' * (len(paths) != 1)}; Ctrl-C ends it", file=sys.stderr)
    listed = time.monotonic()
    while True:
        time.sleep(POLL_S)
        if time.monotonic() - listed > LIST_S:
            paths, listed = _listed(named, paths), time.monotonic()
        found = _stamps(paths)
        if (read := _stamps(others)) != of_others:
            of_others, seen = read, {}
        changed = [path for path, stamp in found.items() if stamp is not None and seen.get(path) != stamp]
        seen = found
        if changed:
            if not check.as_json:
                print(f"--- {time.strftime('%H:%M:%S')}", flush=True)
            check.all(changed)
            sys.stdout.flush()
            for each in set(_parts(changed)).difference(others):
                others.append(each)
                of_others[each] = _stamp(each)


def _parts(paths: Iterable[Path]) -> list[Path]:
    """The files that parts of these graphs are in."""
    from despina import parts
    from despina.options import read_text
    found: list[Path] = []
    for path in paths:
        with suppress(DespinaError):        # which the check tells
            found += [path.parent / name for name in parts.paths(parts.sequence(read_text(path, "graph"), str(path)))]
    return found


Stamp = tuple[int, int, int]
"""When it was written, its size and its inode: an editor may write in place or rename."""


def _stamps(paths: Iterable[Path]) -> dict[Path, Stamp | None]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except (OSError, ValueError):       # ValueError: no file has such a name
        return None     # in the middle of a save; or it is gone
    return found.st_mtime_ns, found.st_size, found.st_ino


def _listed(named: tuple[Path, ...], before: list[Path]) -> list[Path]:
    try:
        return options.files(named, SUFFIX)
    except RefusedError:        # the last graph of a folder was removed; another may come
        return before


def _declared(graph: Graph, names: Collection[str]) -> list[str]:
    """Those of the names that are parameters of the graph."""
    try:
        declared = graph.to_dict().get("parameters", {})
        return [name for name in names if name in declared]
    except (DespinaError, AttributeError, TypeError):
        return list(names)      # it is no graph, which the check tells


def _refuse_unknown(paths: Iterable[Path], names: Collection[str]) -> None:
    from despina.graph import load
    if not names:
        return
    unknown = set(names)
    for path in paths:
        unknown -= set(_declared(load(path), names))
    if unknown:
        raise RefusedError("parameter", f"none of the graphs has a parameter {', '.join(sorted(unknown))}")


def _tell(path: Path, checked: Checked, guarantee: bool = False, brief: bool = False) -> None:
    """Warnings to standard error; what it is to standard output."""
    from despina import guarantees
    warn(checked.diagnostics)
    for line in [] if brief else streams(checked.plan or {}):
        print(visible(line))
    for line in guarantees.lines(checked.guarantee) if guarantee and checked.guarantee else []:
        print(visible(line))
    for each in checked.connections:
        print(visible(f"  {each}") if each.problem is None else f"  {each.operator}: failed", flush=True)
        warn([each.problem] if each.problem else [])
    warnings, failed = len(checked.diagnostics), sum(each.problem is not None for each in checked.connections)
    words = f"{failed} of {len(checked.connections)} connections failed" if failed else "ok"
    print(visible(f"{path}: {words}") + (f", {warnings} warning{'s' * (warnings > 1)}" if warnings else ""), flush=True)


def streams(plan: dict[str, Any]) -> list[str]:
    """A line per stream: its columns and its event time; that it has none is said where others have one."""
    ports = [(operator["id"], port) for operator in plan.get("operators", ()) for port in operator["outputs"]
             if port["name"] == "out" or port["linked"]]
    timed = any(port["event_time"] is not None for _, port in ports)
    lines = []
    for operator, port in ports:
        name = operator if port["name"] == "out" else f"{operator}.{port['name']}"
        lines.append(f"  {name}: {port['schema']}{_time(port['event_time'], timed)}")
    return lines


def _time(event_time: dict[str, Any] | None, timed: bool) -> str:
    if event_time is None:
        return "  [no event time]" if timed else ""
    delay = f", up to {event_time['max_delay_ms']} ms late" if event_time["max_delay_ms"] else ""
    order = f", then by {', '.join(event_time['order_by'])}" if event_time["order_by"] else ""
    per = f", per {', '.join(event_time['per'])}" if event_time["per"] else ""
    return f"  [event time {event_time['column']}{order}{delay}{per}]"
