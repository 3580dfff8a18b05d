"""``despina new``: a first graph to run, read and change, one of the cookbook with its data, or a template for servers."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import click

from despina.errors import Place, RefusedError

FIRST = "first.graph.json"


@click.command("new")
@click.argument("what", metavar="[NAME|PATH]", default=None, required=False)
@click.option("--template", metavar="NAME", help="Write a graph between servers, with a README and what makes input for it, into "
                                                 "the folder PATH, which must be empty or not there. Default: NAME.")
@click.option("--list", "listed", is_flag=True, help="List the graphs of the cookbook and the templates.")
def command(what: str | None, template: str | None, listed: bool) -> int:
    """Write a graph to begin with; what is there already stays.

    NAME is one of the cookbook (--list): it comes as a folder of that name, with its data. PATH, a file or a folder, takes the
    first graph. Without either that is first.graph.json.
    """
    if listed:
        return _list()
    if template is not None:
        return _template(template, Path(what or template))
    if what is None:
        return _first(Path(FIRST))
    if (recipe := _cookbook().get(what)) is not None:
        return _recipe(recipe)
    return _first(Path(what))


def _templates() -> dict[str, Path]:
    """The folders of the templates by name; one of them is of the cookbook too."""
    from despina import share
    own = {file.parent.name: file.parent for file in share.path("graphs/templates").glob("*/README.md")}
    return dict(sorted((own | {"telegraf-in": _cookbook()["telegraf_in"]}).items()))


def _template(name: str, folder: Path) -> int:
    templates = _templates()
    if name not in templates:
        close = difflib.get_close_matches(name, templates, 1)
        raise RefusedError("name", f"there is no template {name!r}",
                           f"did you mean {close[0]}?" if close else f"one of {', '.join(templates)}")
    if folder.exists() and (not folder.is_dir() or next(folder.iterdir(), None) is not None):
        raise RefusedError("file", "a template goes into an empty folder, and this is none",
                           f"despina new --template {name} OTHER_FOLDER", Place(str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    _copy(templates[name], folder)
    if not (folder / "README.md").exists():
        (folder / "README.md").write_text(_section(templates[name]), encoding="utf-8")
    print(f"{folder}: written. Now read {folder / 'README.md'}")
    return 0


def _section(recipe: Path) -> str:
    """What the cookbook says of one of its graphs."""
    text = (recipe.parent / "README.md").read_text(encoding="utf-8")
    section = text.partition(f"\n### {recipe.name}\n")[2].partition("\n### ")[0].strip()
    return f"# {recipe.name}\n\n{section}\n".replace(f"despina new {recipe.name}\ncd {recipe.name}\n", "")


def _copy(recipe: Path, folder: Path) -> None:
    for file in recipe.iterdir():
        if file.is_file() and file.name != "expected.json":     # folders are what the graph has written there
            shutil.copyfile(file, folder / file.name)


def _cookbook() -> dict[str, Path]:
    """The folders of the cookbook by name."""
    from despina import share
    return {graph.parent.name: graph.parent for graph in sorted(share.path("graphs/cookbook").glob("*/*.graph.json"))}


def _list() -> int:
    cookbook, templates = _cookbook(), _templates()
    width = max(map(len, [*cookbook, *templates]))
    for name, folder in cookbook.items():
        print(f"{name:{width}}  {_doc(folder)}")
    print("\nBetween servers, by --template NAME:")
    for name, folder in templates.items():
        print(f"{name:{width}}  {_doc(folder)}")
    return 0


def _doc(folder: Path) -> str:
    return str(json.loads((folder / f"{folder.name}.graph.json").read_text(encoding="utf-8"))["doc"])


def _recipe(recipe: Path) -> int:
    folder = Path(recipe.name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise RefusedError("file", "this exists already", "go to another folder first", Place(str(folder))) from None
    _copy(recipe, folder)
    print(f"{folder}: written. Now:\n  cd {folder}\n{_commands(folder)}\nMore about it: {recipe.parent / 'README.md'}")
    return 0


def _commands(folder: Path) -> str:
    """How to look at what is in the folder, and to run it."""
    graph = f"{folder.name}.graph.json"
    program, deployment = f"{folder.name}.py", f"{folder.name}.deploy.json"
    run = f"python {program}" if (folder / program).exists() else f"despina run {graph}"
    if (folder / "fit.py").exists():        # it makes a file that the graph needs
        run = f"python fit.py\n  {run}"
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
