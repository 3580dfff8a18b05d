"""``despina leftovers``: rows that a failed or killed job did not commit."""

from __future__ import annotations

import json
from pathlib import Path

import click

from despina import leftovers
from despina.cli import options
from despina.errors import visible


@click.command("leftovers")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--take", "action", flag_value="take",
              help="Move the rows into the output: as part files, or at the end of the single file.")
@click.option("--remove", "action", flag_value="remove", help="Delete the rows.")
@options.JSON
def command(path: Path, action: str | None, as_json: bool) -> int:
    """Show the rows at the PATH of a file_sink that a failed or killed job did not commit."""
    if action == "take":
        files = [str(file) for file in leftovers.take(path)]
    elif action == "remove":
        files = [str(file) for file in leftovers.remove(path)]
    else:
        files = [str(one.file) for one in leftovers.find(path)]
    cut = [str(file) for file in leftovers.cuts(path)]
    if as_json:
        print(json.dumps({"files": files, "cut": cut}))
        return 0
    word = {"take": "rows are now in", "remove": "removed"}.get(action or "", "not committed:")
    for file in files:
        print(f"{word} {visible(file)}" + (f" ({Path(file).stat().st_size:,} bytes)" if action is None else ""))
    for file in cut:
        print(f"a line that was cut: {visible(file)} ({Path(file).stat().st_size:,} bytes)")
    if not files:
        print(f"{visible(str(path))}: nothing is left uncommitted")
    return 0
