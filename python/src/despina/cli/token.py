"""``despina token``: who may ask a service, and what."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from despina.cli import options
from despina.cli.service import clock, table
from despina.errors import Place, RefusedError
from despina.service.tokens import ROLES, Role, Tokens

TOKENS = click.option("--tokens", type=click.Path(path_type=Path), metavar="FILE",
                      help="The file, as of `despina serve --tokens`.")
FOLDER = click.option("--folder", type=click.Path(path_type=Path), metavar="DIR",
                      help="The service's folder, which has the file.")


@click.group("token")
def command() -> None:
    """Make, list and take back the tokens of a service, on its machine. They are kept as hashes."""


@command.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True,
              help="view looks; operate submits, starts, stops and saves too; admin also removes, and gets the "
                   "addresses of jobs.")
@TOKENS
@FOLDER
@options.JSON
def add(name: str, role: Role, tokens: Path | None, folder: Path | None, as_json: bool) -> int:
    """Make a token NAME and print it. It is shown this once."""
    text = _of(tokens, folder).add(name, role)
    print(json.dumps({"name": name, "role": role, "token": text, "diagnostics": []}) if as_json else text)
    return 0


@command.command("list")
@TOKENS
@FOLDER
@options.JSON
def listed(tokens: Path | None, folder: Path | None, as_json: bool) -> int:
    """List the tokens: names and roles."""
    found = _of(tokens, folder).listed()
    if as_json:
        shown = [{name: value for name, value in asdict(token).items() if name != "sha256"} for token in found]
        print(json.dumps({"tokens": shown, "diagnostics": []}))
    else:
        table([["NAME", "ROLE", "MADE"], *([token.name, token.role, clock(token.made_at_ms)] for token in found)])
    return 0


@command.command("remove")
@click.argument("name")
@TOKENS
@FOLDER
@options.JSON
def remove(name: str, tokens: Path | None, folder: Path | None, as_json: bool) -> int:
    """Take the token NAME back. It counts no more from the next request on."""
    _of(tokens, folder).remove(name)
    print(json.dumps({"diagnostics": []}) if as_json else f"{name}: taken back")
    return 0


def _of(tokens: Path | None, folder: Path | None) -> Tokens:
    if (tokens is None) == (folder is None):
        raise RefusedError("option", "the file of tokens is not named once", "--folder DIR of the service, or --tokens FILE")
    if folder is not None and not (folder / "service.json").exists():
        raise RefusedError("folder", f"{folder} is no folder of a service", "despina serve --folder DIR makes it, with a first "
                           "token in DIR/admin.token", Place(str(folder)))
    return Tokens(tokens if tokens is not None else Path(str(folder)) / "tokens.json")
