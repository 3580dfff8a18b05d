"""``despina context``: services by name, so that commands need not be told an address and a token."""

from __future__ import annotations

import json
from pathlib import Path

import click

from despina.cli import options
from despina.cli.service import table
from despina.errors import RefusedError
from despina.service import contexts
from despina.service.client import Client, token_of_environment
from despina.service.tokens import read_secret


@click.group("context")
def command() -> None:
    """Name services. The file with their tokens is yours alone (mode 600)."""


@command.command("add")
@click.argument("name")
@click.argument("url")
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
              help="A file with the token. Default: DESPINA_TOKEN in the environment.")
@options.JSON
def add(name: str, url: str, token_file: Path | None, as_json: bool) -> int:
    """Name the service at URL, and use it from now on."""
    token = read_secret(token_file) if token_file else token_of_environment()
    if not token:
        raise RefusedError("token", "there is no token", "--token-file FILE, or DESPINA_TOKEN in the environment")
    if "://" in name:
        raise RefusedError("context", f"name={name!r} is an address", "a short name, as `plant`")
    found = contexts.load()
    found.known[name] = contexts.Context(Client(url, token).url, token)
    found.current = name
    return _saved(found, as_json, f"{name}: {url}, in use")


@command.command("use")
@click.argument("name")
@options.JSON
def use(name: str, as_json: bool) -> int:
    """Use the service NAME from now on."""
    found = _with(name)
    found.current = name
    return _saved(found, as_json, f"{name}: in use")


@command.command("remove")
@click.argument("name")
@options.JSON
def remove(name: str, as_json: bool) -> int:
    """Forget the service NAME and its token."""
    found = _with(name)
    del found.known[name]
    found.current = "" if found.current == name else found.current
    return _saved(found, as_json, f"{name}: forgotten")


@command.command("list")
@options.JSON
def listed(as_json: bool) -> int:
    """List the services that have names."""
    found = contexts.load()
    if as_json:
        known = [{"name": name, "url": each.url, "current": name == found.current} for name, each in found.known.items()]
        print(json.dumps({"contexts": known, "diagnostics": []}))
    elif not found.known:
        print("no contexts")
    else:
        rows = [["*" if name == found.current else "", name, each.url] for name, each in found.known.items()]
        table([["", "NAME", "URL"], *rows])
    return 0


def _with(name: str) -> contexts.Contexts:
    found = contexts.load()
    if name not in found.known:
        raise RefusedError("context", f"no context {name!r}", "despina context list")
    return found


def _saved(found: contexts.Contexts, as_json: bool, words: str) -> int:
    contexts.save(found)
    print(json.dumps({"current": found.current, "diagnostics": []}) if as_json else words)
    return 0
