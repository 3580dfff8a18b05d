"""``despina version``: the versions, for a bug report."""

from __future__ import annotations

import json
import platform

import click

from despina.cli import options


@click.command("version")
@options.JSON
def command(as_json: bool) -> int:
    """Show the versions of Despina, Python, Java and Spark."""
    from despina import installed
    from despina.errors import StartError
    from despina.version import VERSION
    versions = {"despina": VERSION, "python": platform.python_version()}
    try:
        versions["java"] = str(installed.find_java().version)
    except StartError:
        versions["java"] = "none"
    versions["spark"] = installed.spark_version() or "none"
    print(json.dumps(versions) if as_json else "\n".join(f"{name} {version}" for name, version in versions.items()))
    return 0
