"""``despina fmt``: the one canonical form."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from despina.cli import options


@click.command("fmt")
@click.argument("graphs", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@options.DRIVER
@options.JSON
def command(graphs: tuple[Path, ...], only_check: bool, driver: str, as_json: bool) -> int:
    """Write each of GRAPHS in its canonical form, in place."""
    from despina import engine
    from despina.graph import load
    loaded = [load(path) for path in graphs]
    started = engine.start(driver, coordinates_only=True)
    changed = 0
    for path, graph in zip(graphs, loaded, strict=True):
        if graph.canonical(started).encode() == path.read_bytes():
            continue
        changed += 1
        if only_check:
            print(f"{path}: not in canonical form", file=sys.stderr)
        else:
            graph.save(path, started)
            print(f"{path}: written", file=sys.stderr)
    return int(only_check and changed > 0)
