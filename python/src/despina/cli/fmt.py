"""``despina fmt``: the one canonical form."""

from __future__ import annotations

import json
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
    """Rewrite each of GRAPHS in the canonical form, in place. --json lists the files that changed, or would with --check."""
    from despina import engine
    from despina.graph import load
    loaded = [load(path) for path in graphs]
    started = engine.start(driver, coordinates_only=True)
    changed: list[str] = []
    for path, graph in zip(graphs, loaded, strict=True):
        if graph.canonical(started).encode() == path.read_bytes():
            continue
        changed.append(str(path))
        if not only_check:
            graph.save(path, started)
        if not as_json:
            print(f"{path}: {'not in canonical form' if only_check else 'written'}", file=sys.stderr)
    if as_json:
        print(json.dumps({"changed": changed}))
    return int(only_check and bool(changed))
