"""The command ``despina``. Each command is a module here, imported when it is called: a relay must not wait for pandas.

Exit codes: 0 done, 1 the job failed, 2 refused (graph, deployment, options), 3 cannot start, 4 the coordinator was lost (only of
``resource``), 5 incomplete (it was stopped, and packets are lost that were in flight or in operators), 130 interrupted.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence

import click

from despina import interrupts
from despina.errors import DespinaError, Diagnostic, GraphError, Place, RefusedError
from despina.version import VERSION

COMMANDS = {
    "new": "Write a graph to begin with, or one of many with its data.",
    "schema": "Print the schema of a csv or json file, or a source for a topic or a table.",
    "run": "Run a graph until its input ends, or Ctrl-C.",
    "serve": "Run a service that keeps jobs, for as long as they are wanted.",
    "check": "Report every error in a graph; reads no data, uses no network unless told to.",
    "test": "Run the tests beside graphs, *.test.json.",
    "fmt": "Rewrite graphs in the canonical form.",
    "draw": "Draw a graph as Mermaid or SVG.",
    "place": "Say where the operators of a graph should run, by what is known of them and of machines.",
    "submit": "Give a graph to a service, which runs it from now on.",
    "graph": "Save, find, compare and submit graphs that a service keeps.",
    "deployment": "Save, find and compare deployments that a service keeps.",
    "list": "List the jobs of a service.",
    "status": "Show how a job of a service stands.",
    "logs": "Print what a job of a service has said.",
    "errors": "Print what went wrong in a job of a service.",
    "tail": "Print some of the rows that come to an operator of a job of a service.",
    "start": "Start a job of a service again.",
    "upgrade": "Have a job of a service go on with another graph.",
    "remove": "Remove a job of a service, with all that is kept of it.",
    "token": "Make, list and take back tokens of a service.",
    "context": "Name services, so that commands know where to ask.",
    "savepoint": "Copy the state of a running job to a folder, from which a changed graph can go on.",
    "control": "Tell operators of a running job: hold, go, flush, fire, reload, status, sync, tail.",
    "move": "Let an operator of a running job go on in another resource.",
    "schedule": "Set when an operator of a running job does its work.",
    "stop": "Stop a job that runs elsewhere, with a savepoint if wanted, or one of a service.",
    "state": "Show, verify, clear and export what a run has kept in its state folder.",
    "leftovers": "Show, take or remove rows that a failed job did not commit.",
    "resource": "Join this machine to a deployment.",
    "bench": "Run the experiments of the papers Despina is built from, and compare engines.",
    "jar": "Print where the engine's jar is, to compile classes of yours against.",
    "doctor": "Show what a job needs, and what is missing.",
    "version": "Show the versions.",
}
MODULES = {"list": "jobs"}
"""Where a command's module has another name, which must not hide one of Python's own here."""


class Commands(click.Group):
    """Finds a command's module by its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"despina.cli.{MODULES.get(cmd_name, cmd_name)}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a hint for a name that is nearly right."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            import difflib
            close = difflib.get_close_matches(name, COMMANDS, 1)
            raise RefusedError("command", f"no command {name!r}",
                               f"did you mean {close[0]}?" if close else f"one of {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists them without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="despina")
def command() -> None:
    """Streams of very many small packets, from a JSON graph.

    Exit codes: 0 done, 1 the job failed, 2 refused (graph, deployment, options), 3 cannot start, 4 a resource lost its
    coordinator, 5 incomplete (it was stopped, and packets are lost that were in flight or in operators), 130 interrupted.

    With --json a command prints one JSON object on standard output, even if it refuses or fails; `diagnostics` then lists
    the errors.
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs the command and exits with its code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    code = invoke(arguments)
    interrupts.ignore()     # Python would die of one as it exits, and the exit code with it
    if code == interrupts.EXIT_CODE:
        # A Ctrl-C within an exec() of a text, as dataclasses make, has Python end itself by SIGINT later, though it was handled.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def invoke(arguments: list[str]) -> int:
    """Runs the command.

    :return: its exit code; what went wrong has been told
    """
    with interrupts.restored():
        return _invoke(arguments)


def _invoke(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    try:
        return int(command.main(arguments, prog_name="despina", standalone_mode=False) or 0)
    except DespinaError as error:
        tell(error, as_json)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return RefusedError.exit_code
    except click.ClickException as error:
        refused = RefusedError("option", error.format_message().rstrip("."), _usage_hint(error))
        tell(refused, as_json)
        return refused.exit_code
    except (KeyboardInterrupt, click.Abort):
        return interrupts.EXIT_CODE
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is left to say, and closing must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        barred = RefusedError("file", str(error.strerror), "check the path and its permissions",
                              Place(str(error.filename)))
        tell(barred, as_json)
        return barred.exit_code
    finally:
        if (engine := sys.modules.get("despina.engine")) is not None:
            with interrupts.ignored():      # no job is left that one could end
                if engine.stop():
                    _make_archive(as_json or "--quiet" in arguments)


def _make_archive(quiet: bool) -> None:
    """After a JVM had to start without: the next one need not."""
    from despina import cache, training
    if training.make_soon() and not quiet:
        print(f"despina: a class archive is made in the background, once (some 90 MB in {cache.folder()}): "
              "the next commands start sooner", file=sys.stderr)


def tell(error: DespinaError, as_json: bool = False) -> None:
    """Writes an error to standard error, or as the JSON answer to standard output.

    What is wrong with a graph is in the order of its file.
    """
    if as_json:
        print(json.dumps({"diagnostics": error.as_dicts()}))
    elif isinstance(error, GraphError):
        warn(error.diagnostics)
    else:
        _show(error, error.place)


def warn(diagnostics: Sequence[Diagnostic]) -> None:
    """Writes diagnostics to standard error; nothing where there are none."""
    for diagnostic in diagnostics:
        _show(diagnostic, diagnostic.place)


def _show(text: object, place: Place | None) -> None:
    """To standard error; on a terminal with the line that it is about."""
    print(text, file=sys.stderr)
    if place is not None and sys.stderr.isatty():
        import shutil

        from despina.cli.excerpt import excerpt
        if lines := excerpt(place, shutil.get_terminal_size().columns):
            print(lines, file=sys.stderr)


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"see {context.command_path} --help" if context is not None else "see despina --help"
