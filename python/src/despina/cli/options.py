"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import click

from despina.drivers import DRIVERS
from despina.errors import Place, RefusedError

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def span(unit: Literal["s", "ms"], above_zero: bool = False) -> Callable[..., float | None]:
    """The callback of an option that is a span of time: a number with a unit, or without one in the option's own.

    :return: what makes of it the number in the option's own unit
    """
    def convert(context: click.Context, option: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        written = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ms|s|m|h)?", value.strip())
        if written is None:
            known = "seconds" if unit == "s" else "milliseconds"
            raise click.BadParameter(f"{value!r} is not a duration: give {known} as a number or with a unit: 10, 10s")
        number, suffix = written.groups()
        found = float(number) * (_SECONDS[suffix] / _SECONDS[unit] if suffix else 1.0)
        if above_zero and found == 0:
            raise click.BadParameter(f"{value!r} is too short: give more than 0")
        return found
    return convert


def batches(context: click.Context, option: click.Parameter, value: str) -> tuple[int, ...]:
    """The callback of an option that lists numbers of rows, ``all`` among them."""
    from despina.testing.runs import ALL
    words = [word.strip() for word in value.split(",")]
    for word in words:
        if word != "all" and not (word.isdecimal() and 1 <= int(word) <= ALL):
            raise click.BadParameter(f"{word!r} is no number of rows from 1 to {ALL}, and not all: write 1,7,all")
    return tuple(ALL if word == "all" else int(word) for word in words)


def files(paths: Iterable[Path], suffix: str) -> list[Path]:
    """The files that are named, and those that end so in the folders that are named, at any depth; each once.

    :raise RefusedError: a folder has none
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob(f"*{suffix}")) if path.is_dir() else [path]
        if not inside:
            raise RefusedError("file", f"no file *{suffix} in this folder", place=Place(str(path)))
        found += [one for one in inside if one not in found]
    return found


GRAPH = click.argument("graph", type=click.Path(path_type=Path))
JOB_FILE = click.argument("job_file", type=click.Path(path_type=Path), metavar="JOB_FILE")
SET = click.option("--set", "settings", metavar="NAME=VALUE", multiple=True,
                   help="Set a parameter of the graph; may be repeated.")
DEPLOYMENT = click.option("--deployment", type=click.Path(path_type=Path), help="The deployment file: where each operator runs.")
JARS = click.option("--jar", "jars", multiple=True, type=click.Path(path_type=Path),
                    help="A jar, or a folder of classes, with classes of yours that the graph names; may be repeated. With "
                         "--deployment, name them there.")
MODULES = click.option("--modules", multiple=True, type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
                       help="A folder with Python modules of yours that the graph names, besides its own; may be repeated.")
DRIVER = click.option("--driver", type=click.Choice(DRIVERS), default="py4j", show_default=True,
                      help="Run the JVM as its own process (py4j) or inside this one (jpype).")
TLS = click.option("--tls", type=click.Path(path_type=Path), metavar="FOLDER",
                   help="Use TLS between resources. FOLDER has certificate.pem, key.pem and authority.pem.")
JSON = click.option("--json", "as_json", is_flag=True,
                    help="Print one JSON object on standard output: the result, or the errors as diagnostics.")


def parameters(settings: tuple[str, ...], option: str = "--set") -> dict[str, str]:
    """``NAME=VALUE`` pairs as a dict; only the first ``=`` divides."""
    found: dict[str, str] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint=option)
        if name in found:
            raise click.BadParameter(f"{name} is given twice", param_hint=option)
        found[name] = value
    return found
