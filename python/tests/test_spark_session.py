from __future__ import annotations

import subprocess
from pathlib import Path

from despina.backends.spark import launch
from despina.installed import Java

ARGUMENTS = ["-cp", "a b:c", "--add-modules=jdk.incubator.vector", "-Dx=$HOME `id`", "Main"]


def a_java(home: Path, modules: str) -> Java:
    """One that prints its arguments."""
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="25"\nMODULES="{modules}"\n')
    return Java(home, 25)


def started(home: Path) -> list[str]:
    done = subprocess.run([home / "bin" / "java", *ARGUMENTS], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_java_without_the_vector_module_is_not_asked_for_it(tmp_path: Path) -> None:
    with launch._startable(a_java(tmp_path / "a java", "java.base java.logging")) as home:
        assert started(home) == [argument for argument in ARGUMENTS if "vector" not in argument]
    assert not home.exists()


def test_another_java_is_started_as_it_is(tmp_path: Path) -> None:
    java = a_java(tmp_path / "java", "java.base jdk.incubator.vector")
    with launch._startable(java) as home:
        assert home == java.home
    (java.home / "release").write_text('JAVA_VERSION="25"\n')
    with launch._startable(java) as home:
        assert home == java.home
