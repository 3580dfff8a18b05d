"""``despina resource``: this machine takes part in a deployment that is coordinated elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from despina.cli import options

MAIN_CLASS = "io.despina.control.process.ResourceMain"
SECRET = "DESPINA_SECRET"
"""The environment variable that may hold the secret."""
MB = 1 << 20
LEAST_MEMORY = 16 * MB
HEAP_BESIDES = 128 * MB
"""Heap besides segments, queues and state, and what may be beyond their budget; and the first one, as the coordinator gives it to
its children."""
USUAL_PACKET = 16 * MB
FIRST_YOUNG = "-XX:NewSize=24m"
"""Of the first heap, for new objects."""
LEAST_DIRECT = 256 * MB
END_WHEN_FULL = "-XX:+ExitOnOutOfMemoryError"
"""A resource without memory is lost, which its coordinator is to see."""


@click.command("resource")
@click.option("--name", required=True, help="The name of this resource in the deployment.")
@click.option("--join", required=True, metavar="HOST:PORT",
              help="The address on which the coordinator listens; with commas, those on which it may be.")
@click.option("--secret-file", type=click.Path(path_type=Path),
              help="A file with the same secret as the coordinator's. Default: DESPINA_SECRET in the environment.")
@options.TLS
@click.option("--listen", metavar="HOST", default="127.0.0.1", show_default=True,
              help="The address at which other resources reach this one.")
@click.option("--memory", type=click.IntRange(min=LEAST_MEMORY), metavar="BYTES",
              help="Memory for segments, queues and state; sets the heap size. Default: half of Java's usual heap.")
@click.option("--cores", type=click.IntRange(1, 1024), metavar="N",
              help="The number of cores to start worker threads for. Default: all of the machine.")
@click.option("--allow-python", multiple=True, metavar="MODULE",
              help="Python functions that may run here: a module, module:name, a prefix that ends with *, or * for all; may be "
                   "repeated. Default: none. The Python of this command runs them.")
@options.MODULES
@click.option("--keep", is_flag=True, help="Wait for a coordinator, and serve one after another until Ctrl-C or SIGTERM.")
@click.option("--quiet", is_flag=True, help="Print only errors.")
def command(name: str, join: str, secret_file: Path | None, tls: Path | None, listen: str, memory: int | None, cores: int | None,
            allow_python: tuple[str, ...], modules: tuple[Path, ...], keep: bool, quiet: bool) -> int:
    """Run the tasks that a deployment places on NAME, until the coordinator ends or Ctrl-C.

    Exit code 0 if the coordinator ended the resource, 3 if the coordinator refused it, 4 if the connection to the coordinator
    was lost. With --keep the resource outlives its coordinators.
    """
    from despina import installed
    from despina.drivers.jvm import command_line
    for address in join.split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise click.BadParameter(f"{address!r} is not HOST:PORT", param_hint="--join")
    java = installed.find_java()
    arguments = ["--name", name, "--join", join, "--listen", listen]
    if secret_file is not None:
        arguments += ["--secret-file", str(secret_file.absolute())]
    elif SECRET not in os.environ:
        raise click.UsageError(f"no secret: --secret-file F, or {SECRET} in the environment")
    if tls is not None:
        arguments += ["--tls", str(tls.absolute())]
    if memory is not None:
        arguments += ["--memory", str(memory)]
    if cores is not None:
        arguments += ["--cores", str(cores)]
    if allow_python:
        folders = [str(folder.absolute()) for folder in (*modules, Path.cwd())]
        arguments += ["--python", sys.executable, "--allow-python", os.pathsep.join(allow_python),
                      "--modules", os.pathsep.join(folders)]
    if keep:
        arguments += ["--keep", "true"]
    if quiet:
        arguments += ["--quiet", "true"]
    # This process becomes the JVM: signals and the exit code are its own.
    os.execv(java.executable, command_line(java, MAIN_CLASS, arguments, limits(memory, cores)))


def beyond(memory: int, threads: int) -> int:
    """What packets may take beyond the budget, as the resource's ``Budget`` counts it."""
    return memory // 2 + 2 * threads * min(USUAL_PACKET, memory // 8)


def limits(memory: int | None, cores: int | None) -> list[str]:
    """The JVM's own limits for them, as the coordinator gives them to its children."""
    flags = [END_WHEN_FULL]
    if memory is not None:
        flags += [f"-Xms{HEAP_BESIDES // MB}m", FIRST_YOUNG,
                  f"-Xmx{(memory + beyond(memory, cores or len(os.sched_getaffinity(0))) + HEAP_BESIDES) // MB}m",
                  f"-XX:MaxDirectMemorySize={max(LEAST_DIRECT, memory // 4) // MB}m"]
    if cores is not None:
        flags.append(f"-XX:ActiveProcessorCount={cores}")
    return flags
