"""``despina jar``: the engine's jar, which classes for graphs are compiled against."""

from __future__ import annotations

import click


@click.command("jar")
@click.option("--unused", is_flag=True,
              help="Print the jars of PySpark that no JVM of Despina loads, a line each. An image whose graphs do not run on "
                   "Spark needs none of them: despina jar --unused | xargs rm")
def command(unused: bool) -> int:
    """Print the path of the engine's jar. Compile against it: javac -cp "$(despina jar)" ..."""
    from despina import installed
    for jar in installed.unused_jars() if unused else [installed.our_jar()]:
        print(jar)
    return 0
