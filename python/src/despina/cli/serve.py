"""``despina serve``: a home for jobs that outlive the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from despina.cli import options
from despina.errors import StartError


@click.command("serve")
@click.option("--folder", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Where the service keeps its jobs: what is wanted, states, logs, reports. Made if it is not there.")
@click.option("--listen", default="127.0.0.1:7600", show_default=True, metavar="HOST:PORT",
              help="Where it listens. Elsewhere than on 127.0.0.1 only with --tls and --tokens.")
@click.option("--tls", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Serve over TLS. FOLDER has certificate.pem and key.pem.")
@click.option("--tokens", type=click.Path(path_type=Path), metavar="FILE",
              help="The file of tokens that `despina token` writes. Default: tokens.json in DIR.")
@click.option("--host", "hosts", multiple=True, metavar="NAME[:PORT]",
              help="A name more at which clients call it, as behind a proxy; may be repeated.")
@click.option("--root", "roots", multiple=True, type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
              help="Absolute paths of graphs may lie below DIR; may be repeated. Default: none. Relative ones are of the job's "
                   "own folder.")
@click.option("--allow-python", "python", multiple=True, metavar="MODULE",
              help="Python functions that may run: a module, module:name, a prefix that ends with *, or * for all; may be "
                   "repeated. Default: none. Modules of these names may come with a graph.")
@click.option("--allow-classes", "classes", multiple=True, metavar="NAME",
              help="Java classes that graphs may name: a name, a prefix that ends in .*, or * for all; may be repeated. "
                   "Default: none.")
@click.option("--allow-env", "env", multiple=True, metavar="NAME",
              help="Variables of the environment that graphs may read, as by password_env: a name, or a prefix that ends with *; "
                   "may be repeated. Default: none.")
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="How many runs of a name are kept. Default: 20.")
@click.option("--memory-bytes", type=click.IntRange(min=1), metavar="N",
              help="What the processes of all jobs may take together: heaps and what is outside of them. A job that does not fit "
                   "is refused. Default: no bound.")
@click.option("--otlp", metavar="URL",
              help="Send metrics, what happens to jobs, and a span for each attempt to a collector of OpenTelemetry, as "
                   "http://127.0.0.1:4318. Needs `pip install despina[otlp]`.")
@click.option("--spare", type=click.IntRange(min=0, max=16), metavar="N",
              help="How many processes are kept ready that no job has yet: the next job of the usual size takes one, and starts "
                   "sooner. Each has some 300 MB, beside --memory-bytes. Default: 1.")
@click.option("--drain", "drain_s", callback=options.span("s"), metavar="TIME",
              help="How long jobs may work off what is in flight when the service ends. Default: 20s.")
def command(roots: tuple[Path, ...], python: tuple[str, ...], classes: tuple[str, ...], env: tuple[str, ...],
            **given: Any) -> int:
    """Run the service until Ctrl-C or SIGTERM: jobs are submitted to it, and it keeps them.

    When it ends, its jobs drain, and the next `despina serve` with the same DIR goes on with them. Each job has processes of
    its own. Needs `pip install despina[service]`.
    """
    try:
        from despina.service.rules import Rules
        from despina.service.server import ServeOptions, serve
    except ImportError as error:
        raise StartError("package_missing", f"{error.name} is not installed", "pip install 'despina[service]'") from None
    rules = Rules(tuple(root.absolute() for root in roots), classes, python, env)
    return serve(ServeOptions(rules=rules, **{name: value for name, value in given.items() if value is not None}))
