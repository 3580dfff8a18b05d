"""``despina draw``: a picture of a graph."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from despina.cli import options, warn
from despina.errors import RefusedError

if TYPE_CHECKING:
    from despina.draw.drawing import Drawing
    from despina.graph import Graph, RunOptions

ENDINGS = {".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".md": "mermaid"}


@click.command("draw")
@options.GRAPH
@click.option("--format", "form", type=click.Choice(["mermaid", "svg"]), help="Default: by the output's name, else mermaid.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
              help="Write to this file instead of standard output.")
@click.option("--plan", "planned", is_flag=True,
              help="Check GRAPH and draw its plan: a box per task, with the operators that its instances run in one thread, and "
                   "how packets are dealt between tasks. Needs Java.")
@click.option("--unfold", is_flag=True,
              help="Draw the operators of each part in the place of the box that uses it. Needs Java.")
@options.SET
@options.DEPLOYMENT
@options.JARS
@options.MODULES
@options.DRIVER
@options.JSON
def command(graph: Path, form: str | None, output: Path | None, planned: bool, unfold: bool, settings: tuple[str, ...],
            deployment: Path | None, jars: tuple[Path, ...], modules: tuple[Path, ...], driver: str, as_json: bool) -> int:
    """Draw GRAPH, with the `doc` texts of its operators. Needs no Java, but for --plan and --unfold."""
    from despina.draw import drawing, mermaid, svg
    from despina.graph import RunOptions, load
    loaded = load(graph)
    if form is None and output is not None:
        form = ENDINGS.get(output.suffix)
        if form is None:
            raise RefusedError("option", f"a picture cannot be written as *{output.suffix}",
                               f"end the name in {', '.join(ENDINGS)}, or say --format")
    if planned:
        wanted = RunOptions(parameters=options.parameters(settings), deployment=deployment, jars=jars, modules=modules)
        picture = _planned(loaded, wanted, driver)
    else:
        picture = drawing.of((_unfolded(loaded, driver) if unfold else loaded).to_dict())
    text = svg.render(picture) if form == "svg" else mermaid.render(picture)
    if output is not None:
        output.write_text(text, encoding="utf-8")
    elif as_json:
        print(json.dumps({"text": text}))
    else:
        sys.stdout.write(text)
    return 0


def _unfolded(graph: Graph, driver: str) -> Graph:
    from despina import engine
    return graph.whole(engine.start(driver, coordinates_only=True))


def _planned(graph: Graph, wanted: RunOptions, driver: str) -> Drawing:
    from despina import engine
    from despina.draw import plan
    wanted.for_gateway()     # a deployment that cannot be read is told before a JVM starts
    checked = graph.check(wanted, engine=engine.start(driver, coordinates_only=True))
    warn(checked.diagnostics)
    return plan.of(checked.plan or {})
