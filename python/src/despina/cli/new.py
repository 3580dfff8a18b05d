"""``despina new``: a first graph to run, read and change."""

from __future__ import annotations

from pathlib import Path

import click

from despina.errors import Place, RefusedError

FIRST = "first.graph.json"


@click.command("new")
@click.argument("path", type=click.Path(path_type=Path), default=Path(FIRST))
def command(path: Path) -> int:
    """Write a first graph to PATH, a file or a folder; what is there already stays. Without PATH: first.graph.json."""
    from despina import share
    file = path / FIRST if path.is_dir() else path
    text = share.path(f"graphs/{FIRST}").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise RefusedError("file", "this file exists", "despina new OTHER_FILE", Place(str(file))) from None
    print(f"{file}: written. Now:\n  despina check {file}\n  despina run {file}\n  despina draw {file} -o {_drawing(file)}\n"
          f"All operators and fields: {share.path('docs/reference.md')}\n"
          f"More graphs, and the schema for your editor: {share.path('graphs')}")
    return 0


def _drawing(file: Path) -> str:
    return f"{file.name.partition('.')[0]}.svg"
