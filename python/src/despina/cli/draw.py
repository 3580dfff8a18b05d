"""``despina draw``: a picture of a graph."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from despina.cli import options
from despina.errors import RefusedError

ENDINGS = {".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".md": "mermaid"}


@click.command("draw")
@options.GRAPH
@click.option("--format", "form", type=click.Choice(["mermaid", "svg"]), help="Default: by the output's name, else mermaid.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
              help="Write to this file instead of standard output.")
@options.JSON
def command(graph: Path, form: str | None, output: Path | None, as_json: bool) -> int:
    """Draw GRAPH, with the `doc` texts of its operators. Needs no Java."""
    from despina.graph import load
    loaded = load(graph)
    if form is None and output is not None:
        form = ENDINGS.get(output.suffix)
        if form is None:
            raise RefusedError("option", f"a picture cannot be written as *{output.suffix}",
                               f"end the name in {', '.join(ENDINGS)}, or say --format")
    text = loaded.to_svg() if form == "svg" else loaded.to_mermaid()
    if output is not None:
        output.write_text(text, encoding="utf-8")
    elif as_json:
        print(json.dumps({"text": text}))
    else:
        sys.stdout.write(text)
    return 0
