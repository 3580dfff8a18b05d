"""``despina jar``: the engine's jar, which classes for graphs are compiled against."""

from __future__ import annotations

import click


@click.command("jar")
def command() -> int:
    """Print the path of the engine's jar. Compile against it: javac -cp "$(despina jar)" ..."""
    from despina import installed
    print(installed.our_jar())
    return 0
