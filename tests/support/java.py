"""Java in the tests: options of JVMs, and classes of the user's, compiled as the user does it, against the engine's jar alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from despina import installed

MAPPED = "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"
"""Options of JVMs that have a class archive: one that lies elsewhere in each JVM is changed, and so copied, from end to end."""
QUICK = f"-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m {MAPPED}"
"""Options of JVMs that see little data: the compiler that makes fast code of what runs often costs more than it saves.

With that compiler alone the code cache would have 48 MB, which 40,000 random expressions fill.
"""
RESOURCE_OPTIONS = "DESPINA_RESOURCE_JAVA_OPTIONS"
"""The variable of the environment with the options of JVMs of resources, to which it belongs to choose a collector."""
SMALL = f"{QUICK} -XX:+UseSerialGC"
"""The same where no collector is chosen yet."""


def java_tools() -> Path:
    """The folder of javac and jar."""
    tools = Path(installed.find_java().executable).resolve().parent
    if not (tools / "javac").exists():
        pytest.skip(f"no compiler at {tools}")
    return tools


def compiled(folder: Path, **sources: str) -> Path:
    """A folder of classes of package ``org.example``; ``sources`` are bodies of files by the class's name."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"{name}.java" for name in sources]
    for file, body in zip(files, sources.values(), strict=True):
        file.write_text(f"package org.example;\nimport io.despina.api.*;\n{body}")
    quick = [f"-J{option}" for option in SMALL.split()]
    subprocess.run([java_tools() / "javac", *quick, "--release", "17", "-cp", installed.our_jar(), "-d", folder / "classes",
                    *files], check=True)
    return folder / "classes"
