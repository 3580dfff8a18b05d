"""Java programs of ``benchmarks/``: compiled once per experiment, run with the Java and the jars that the engine runs with."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from despina import installed
from despina.errors import StartError

BENCHMARKS = Path(__file__).resolve().parents[1]
FLAGS = ["-Xms256m", "-Xmx256m", "-XX:+UseParallelGC"]
"""The heap and collector of every baseline's JVM, as the engine's resources have them."""


def java_needed() -> None:
    """An experiment's need: a Java that runs the engine, and our jar.

    :raise StartError: what is missing
    """
    installed.find_java()
    installed.our_jar()


def compiler_needed() -> None:
    """An experiment's need: a Java with a compiler, for the baselines.

    :raise StartError: what is missing
    """
    java_needed()
    compiler()


def compiler() -> Path:
    """``javac`` of the engine's Java, or of the path."""
    beside = installed.find_java().home / "bin" / "javac"
    found = beside if beside.is_file() else shutil.which("javac")
    if found is None:
        raise StartError("javac_missing", f"{installed.find_java().home} has no javac, which the baselines are compiled with",
                         "install a JDK (Debian: apt install openjdk-17-jdk-headless), or set JAVA_HOME to one")
    return Path(found)


def compiled(lab: Path, source: str, class_path: Sequence[str] = ()) -> Path:
    """Compiles ``benchmarks/SOURCE`` once.

    :param source: a Java file, or a folder of them
    :return: the folder of classes
    """
    classes = lab / source.replace("/", "_").removesuffix(".java")
    if not classes.is_dir():
        place = BENCHMARKS / source
        files = sorted(map(str, place.glob("*.java"))) if place.is_dir() else [str(place)]
        path = os.pathsep.join([str(installed.our_jar()), *class_path])
        subprocess.run([str(compiler()), "-cp", path, "-d", str(classes), *files], check=True)
    return classes


def command(classes: Path, main: str, *arguments: object, flags: Sequence[str] = FLAGS,
            class_path: Sequence[str] = ()) -> list[str]:
    """The command line of a compiled program; our jar is on its class path."""
    path = os.pathsep.join([str(classes), str(installed.our_jar()), *class_path])
    return [str(installed.find_java().executable), *flags, "-cp", path, main, *map(str, arguments)]
