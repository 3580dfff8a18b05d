"""``despina new``: a first graph to run, read and change, or one of the cookbook with its data."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import click

from despina.errors import Place, RefusedError

FIRST = "first.graph.json"


@click.command("new")
@click.argument("what", metavar="[NAME|PATH]", default=FIRST)
@click.option("--list", "listed", is_flag=True, help="List the graphs of the cookbook.")
def command(what: str, listed: bool) -> int:
    """Write a graph to begin with; what is there already stays.

    NAME is one of the cookbook (--list): it comes as a folder of that name, with its data. PATH, a file or a folder, takes the
    first graph. Without either that is first.graph.json.
    """
    if listed:
        return _list()
    if (recipe := _cookbook().get(what)) is not None:
        return _recipe(recipe)
    return _first(Path(what))


def _cookbook() -> dict[str, Path]:
    """The folders of the cookbook by name."""
    from despina import share
    return {graph.parent.name: graph.parent for graph in sorted(share.path("graphs/cookbook").glob("*/*.graph.json"))}


def _list() -> int:
    cookbook = _cookbook()
    width = max(map(len, cookbook))
    for name, folder in cookbook.items():
        print(f"{name:{width}}  {json.loads((folder / f'{name}.graph.json').read_text(encoding='utf-8'))['doc']}")
    return 0


def _recipe(recipe: Path) -> int:
    folder = Path(recipe.name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise RefusedError("file", "this exists already", "go to another folder first", Place(str(folder))) from None
    for file in recipe.iterdir():
        if file.is_file() and file.name != "expected.json":     # folders are what the graph has written there
            shutil.copyfile(file, folder / file.name)
    print(f"{folder}: written. Now:\n  cd {folder}\n{_commands(folder)}\nMore about it: {recipe.parent / 'README.md'}")
    return 0


def _commands(folder: Path) -> str:
    """How to look at what is in the folder, and to run it."""
    graph = f"{folder.name}.graph.json"
    program, deployment = f"{folder.name}.py", f"{folder.name}.deploy.json"
    run = f"python {program}" if (folder / program).exists() else f"despina run {graph}"
    tests = "\n  despina test ." if (folder / f"{folder.name}.test.json").exists() else ""
    return f"  despina check {graph}\n  {run}{f' --deployment {deployment}' if (folder / deployment).exists() else ''}{tests}"


def _first(path: Path) -> int:
    from despina import share
    file = path / FIRST if path.is_dir() else path
    if file.suffix != ".json":
        close = difflib.get_close_matches(str(path), _cookbook(), 1)
        raise RefusedError("name", f"the cookbook has no graph {str(path)!r}",
                           f"did you mean {close[0]}?" if close else "despina new --list; the file of a graph ends in .json")
    text = share.path(f"graphs/{FIRST}").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise RefusedError("file", "this file exists", "despina new OTHER_FILE", Place(str(file))) from None
    print(f"{file}: written. Now:\n  despina check {file}\n  despina run {file}\n  despina draw {file} -o {_drawing(file)}\n"
          f"A graph for each usual task: despina new --list\n"
          f"All operators and fields: {share.path('docs/reference/README.md')}\n"
          f"More graphs, and the schema for your editor: {share.path('graphs')}")
    return 0


def _drawing(file: Path) -> str:
    return f"{file.name.partition('.')[0]}.svg"
