"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from despina.drivers import DRIVERS

GRAPH = click.argument("graph", type=click.Path(path_type=Path))
SET = click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter's value; may be repeated.")
DEPLOYMENT = click.option("--deployment", type=click.Path(path_type=Path), help="Where each operator runs.")
DRIVER = click.option("--driver", type=click.Choice(DRIVERS), default="py4j", show_default=True,
                      help="A JVM of its own (py4j), or one in this process (jpype).")
TLS = click.option("--tls", type=click.Path(path_type=Path), metavar="FOLDER",
                   help="Connections between resources are TLS: certificate.pem, key.pem, authority.pem lie there.")
JSON = click.option("--json", "as_json", is_flag=True,
                    help="Print one JSON object on standard output: the answer, or the errors as diagnostics.")


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
