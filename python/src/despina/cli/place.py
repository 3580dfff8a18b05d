"""``despina place``: where operators should run, by what is known of them and of machines."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from despina.cli import options, warn
from despina.errors import JobError, RefusedError


@click.command("place")
@options.GRAPH
@click.option("--on", "machines", type=click.Path(path_type=Path), metavar="FILE",
              help="A deployment whose resources have `machine`, perhaps with `network`. What its `place` names stays there.")
@click.option("--nodes", type=click.Path(path_type=Path), is_flag=False, flag_value="/", metavar="[FOLDER]",
              help="In place of --on: a resource for each NUMA node of this machine, as far from the others as the system says. "
                   "A FOLDER holds another machine's `proc` and `sys`.")
@click.option("--from", "report", type=click.Path(path_type=Path), metavar="REPORT",
              help="What an earlier `despina run --report` has written: what operators cost, and how much comes from sources. "
                   "Without one costs are guessed by types.")
@click.option("--try", "time_s", callback=options.span("s", above_zero=True), metavar="TIME",
              help="In place of --from, run the graph here on its first rows for TIME: seconds, or with a unit. Its sinks write "
                   "nothing.")
@click.option("--measured-on", metavar="RESOURCE", help="The resource on whose machine that run was. Default: the first.")
@click.option("--rates", "rates", multiple=True, metavar="SOURCE=N",
              help="So many packets come from a source in a second; several with commas, or repeated. Give those that are to be "
                   "borne, not the mean.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write the deployment to this file instead of standard output.")
@options.SET
@options.MODULES
@options.DRIVER
@options.JSON
def command(graph: Path, machines: Path | None, nodes: Path | None, report: Path | None, time_s: float | None,
            measured_on: str | None, rates: tuple[str, ...], output: Path | None, settings: tuple[str, ...],
            modules: tuple[Path, ...], driver: str, as_json: bool) -> int:
    """Say where the operators of GRAPH should run, as a deployment for `despina run` whose `doc` fields say why.

    The same facts give the same answer. It says what share of each machine's processors and of the network is used, and what
    does not fit: then the exit code is 1, and the deployment is the best that was found.
    """
    from despina import engine, machine, placing
    from despina.graph import RunOptions, load
    from despina.options import read_text
    if report is not None and time_s is not None:
        raise RefusedError("option", "--from and --try both say what operators cost", "leave one of them out")
    if (machines is None) == (nodes is None):
        raise RefusedError("option", "--on FILE or --nodes says which machines there are", "name one of them")
    wanted = RunOptions(parameters=options.parameters(settings), modules=modules)
    known = placing.Known(_rates(rates), report, measured_on)
    loaded = load(graph)
    written = machine.read(nodes).deployment() if nodes is not None else None
    text = read_text(machines, "deployment") if machines is not None else json.dumps(written)
    known.words()       # a report that cannot be read is told before a JVM starts
    started = engine.start(driver, coordinates_only=time_s is None)
    if time_s is not None:
        known = replace(known, report=placing.trial(loaded, time_s, options=wanted, engine=started))
    proposal = loaded.place(machines or json.loads(text), known, options=wanted, engine=started)
    warn(proposal.warnings)
    deployment = proposal.deployment(json.loads(text), known)
    formatted = started.format(json.dumps(deployment), str(machines or "deployment"))
    if output is not None:
        output.write_text(formatted, encoding="utf-8")
    if as_json:
        expected = {name: value for name, value in asdict(proposal).items() if name not in ("place", "warnings")}
        print(json.dumps({"deployment": deployment, **expected, "too_much": proposal.too_much(),
                          "diagnostics": [each.as_dict() for each in proposal.warnings]}))
    else:
        if output is None:
            click.echo(formatted, nl=False)
        for line in proposal.lines():
            click.echo(line, err=output is None)
    return JobError.exit_code if proposal.greatest > 1 else 0


def _rates(written: tuple[str, ...]) -> dict[str, float]:
    each = tuple(part for several in written for part in several.split(","))
    return {source: _rate(source, value) for source, value in options.parameters(each, "--rates").items()}


def _rate(source: str, value: Any) -> float:
    try:
        rate = float(value)
    except ValueError:
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise click.BadParameter(f"{source}={value}: {value!r} is no number of packets per second", param_hint="--rates")
    return rate
