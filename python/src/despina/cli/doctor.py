"""``despina doctor``: what a job needs, and what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from despina.cli import options
from despina.errors import RefusedError


@click.command("doctor")
@options.JSON
@click.option("--archive", is_flag=True, help="First make the class archive, which lets JVMs start sooner.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH",
              help="Examine that Python instead, which is to run the Python functions of graphs.")
@click.option("--machine", type=click.Path(path_type=Path), is_flag=False, flag_value="/", metavar="[FOLDER]",
              help="Show this machine's processors, NUMA nodes and their distances instead: what `cpus` and `node` of a "
              "deployment name. A FOLDER holds another machine's `proc` and `sys`.")
@click.option("--measure", is_flag=True, help="With --machine: also measure how fast this machine is, for `machine` of a "
              "resource. Takes some seconds.")
def command(as_json: bool, archive: bool, python: Path | None, machine: Path | None, measure: bool) -> int:
    """Show which requirements are met and which are missing. Exits with 3 if a job could not start."""
    from despina import doctor
    if machine is not None:
        return _machine(machine, as_json, measure)
    if measure:
        raise RefusedError("option", "--measure is of a machine", "despina doctor --machine --measure")
    if archive:
        from despina.training import make
        make()
    findings = doctor.examine() if python is None else doctor.examine_python(python)
    if as_json:
        print(json.dumps({"findings": [asdict(finding) for finding in findings], "diagnostics": []}))
    else:
        for finding in findings:
            print(f"{'ok     ' if finding.ok else 'MISSING'} {finding.what:13} {finding.detail}")
            if finding.hint:
                print(f"{'':21} hint: {finding.hint}")
    return 0 if all(finding.ok for finding in findings) else 3


def _machine(root: Path, as_json: bool, measure: bool) -> int:
    from despina import engine, machine

    if measure and root != machine.ROOT:
        raise RefusedError("option", "a folder that describes a machine does not say how fast it is", "leave --measure out")
    found = machine.read(root)
    measured = engine.start(coordinates_only=True).machine() if measure else None
    if as_json:
        click.echo(json.dumps(asdict(found) | ({"machine": measured} if measured else {})))
    else:
        click.echo("\n".join(found.table() + (["", f'"machine": {json.dumps(measured)}'] if measured else [])))
    return 0
