"""``despina resource``: this machine takes part in a deployment that is coordinated elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import click

MAIN_CLASS = "io.despina.control.ResourceMain"


@click.command("resource")
@click.option("--name", required=True, help="The resource's name in the deployment.")
@click.option("--join", required=True, metavar="HOST:PORT", help="Where the coordinator listens.")
@click.option("--secret-file", required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False, readable=True),
              help="The secret that the coordinator was given.")
def command(name: str, join: str, secret_file: Path) -> int:
    """Host the tasks that a deployment places on NAME; ends with its coordinator, or by Ctrl-C."""
    from despina import doctor
    from despina.drivers.jvm import command_line
    host, _, port = join.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise click.BadParameter(f"{join!r} is not HOST:PORT", param_hint="--join")
    java = doctor.find_java()
    arguments = ["--name", name, "--join", join, "--secret-file", str(secret_file.absolute())]
    # This process becomes the JVM: signals and the exit code are its own.
    os.execv(java.executable, command_line(java, MAIN_CLASS, arguments))
