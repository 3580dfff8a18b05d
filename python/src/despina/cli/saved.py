"""What ``despina graph`` and ``despina deployment`` have in common: what a service keeps, each save a revision."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from despina.cli import options
from despina.cli.service import NAME, SERVICE, clock, table
from despina.errors import visible
from despina.service.saves import Kind, Save

if TYPE_CHECKING:
    from despina.service.remote_specs import SavedSpecs

REVISION = click.option("--revision", type=click.IntRange(min=1), metavar="N",
                        help="Its revision of that number. Default: the newest.")


def specs(kind: Kind, service: str | None) -> SavedSpecs:
    """What a service keeps of a kind."""
    from despina.service.contexts import client
    from despina.service.remote_specs import SavedSpecs
    return SavedSpecs(client(service), kind)


def add(group: click.Group, kind: Kind) -> None:
    """Adds the commands of that kind to a group."""
    _look(group, kind)
    _compare(group, kind)
    _change(group, kind)


def _look(group: click.Group, kind: Kind) -> None:
    @group.command("list", help=f"List the {kind}s: of each its newest revision, if all WORDS are in its name, comment or text.")
    @click.argument("words", nargs=-1)
    @SERVICE
    @options.JSON
    def listed(words: tuple[str, ...], service: str | None, as_json: bool) -> int:
        found, unread = specs(kind, service).search(*words)
        if unread:
            some = visible(", ".join(unread[:5]))
            print(f"despina: the texts of {len(unread)} {kind}s were not searched, for there is too much of them: {some} …",
                  file=sys.stderr)
        return _show(found, kind, as_json)

    @group.command("history", help=f"List the revisions of the {kind} NAME that are kept.")
    @NAME
    @SERVICE
    @options.JSON
    def history(name: str, service: str | None, as_json: bool) -> int:
        return _show(specs(kind, service).history(name), kind, as_json)

    @group.command("show", help=f"Print the {kind} NAME as it was saved.")
    @NAME
    @REVISION
    @SERVICE
    @options.JSON
    def show(name: str, revision: int | None, service: str | None, as_json: bool) -> int:
        from despina import parts
        found = specs(kind, service).at(name, revision)
        if as_json:
            print(json.dumps({**asdict(found.save), "text": found.text, "diagnostics": []}))
        else:
            text = found.text.partition(parts.SEPARATOR)[0].removesuffix("\n")
            print(visible(text) if sys.stdout.isatty() else text)
        return 0


def _compare(group: click.Group, kind: Kind) -> None:
    @group.command("diff", help=f"Print what has changed in the {kind} NAME from one revision to another.")
    @NAME
    @click.option("--before", type=click.IntRange(min=1), metavar="N", help="Default: the revision before the other.")
    @click.option("--after", type=click.IntRange(min=1), metavar="N", help="Default: the newest.")
    @SERVICE
    @options.JSON
    def diff(name: str, before: int | None, after: int | None, service: str | None, as_json: bool) -> int:
        found = specs(kind, service).compared(name, before, after)
        if as_json:
            print(json.dumps({**found, "diagnostics": []}))
            return 0
        print(visible(found["text"]) if found["text"] else "the same", end="" if found["text"] else "\n")
        changed = [each for each in found["operators"] if each["change"] != "kept"]
        if changed:
            table([["OPERATOR", "GRAPH"], *([each["operator"], each["change"]] for each in changed)])
        return 0


def _change(group: click.Group, kind: Kind) -> None:
    @group.command("save", help=f"Save FILE as the {kind} NAME: a revision more, unless it is the newest already.")
    @NAME
    @click.argument("file", type=click.Path(path_type=Path))
    @click.option("--comment", "-m", default="", metavar="WORDS", help="Why it is saved.")
    @click.option("--over", type=click.IntRange(min=1), metavar="N",
                  help="The revision that this replaces. It must be the newest, so that nobody's work is lost. Needed if there "
                       "is one.")
    @SERVICE
    @options.JSON
    def save(name: str, file: Path, comment: str, over: int | None, service: str | None, as_json: bool) -> int:
        from despina.options import read_text
        text = read_text(file, kind)
        made = specs(kind, service).save(name, _with_files(text, file) if kind == "graph" else text, comment, over)
        print(json.dumps({**asdict(made), "diagnostics": []}) if as_json else f"{name}: revision {made.revision}")
        return 0

    @group.command("remove", help=f"Remove the {kind} NAME with all its revisions.")
    @NAME
    @SERVICE
    @options.JSON
    def remove(name: str, service: str | None, as_json: bool) -> int:
        specs(kind, service).remove(name)
        print(json.dumps({"diagnostics": []}) if as_json else f"{name}: removed")
        return 0


def _with_files(text: str, file: Path) -> str:
    """A graph's text with the files of its parts and of its tests."""
    from despina import parts
    from despina.options import read_text
    from despina.testing.file import beside
    tests = {name: read_text(path, "test") for name, path in beside(file).items()}
    return parts.with_files(parts.sequence(text, str(file)), tests)


def _show(found: Sequence[Save], kind: Kind, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"saves": [asdict(each) for each in found], "diagnostics": []}))
    elif not found:
        print(f"no {kind}s")
    else:
        table([["NAME", "REVISION", "SAVED", "WHO", "COMMENT"],
               *([each.name, str(each.revision), clock(each.at_ms), each.who, each.comment] for each in found)])
    return 0
