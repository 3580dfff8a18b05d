"""The JDKs of this machine: peers differ in what they run on."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("/usr/lib/jvm", "/opt", "/Library/Java/JavaVirtualMachines")


@dataclass(frozen=True, order=True)
class Jdk:
    """A JDK with its compiler."""

    feature: int
    home: Path

    @property
    def java(self) -> str:
        """The launcher."""
        return str(self.home / "bin" / "java")

    @property
    def javac(self) -> str:
        """The compiler."""
        return str(self.home / "bin" / "javac")

    @property
    def version(self) -> str:
        """As its release file has it, for example 17.0.15."""
        found = re.search(r'JAVA_VERSION="([^"]+)"', (self.home / "release").read_text())
        return found.group(1) if found else str(self.feature)


def jdk_at(home: Path) -> Jdk | None:
    """The JDK in that folder, None if there is none with a compiler."""
    release = home / "release"
    if not release.is_file() or not (home / "bin" / "javac").exists():
        return None
    found = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', release.read_text())
    return Jdk(int(found.group(1)), home) if found else None


def installed() -> list[Jdk]:
    """All that can be found, oldest first, each once."""
    homes = [Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else []
    if (on_path := shutil.which("javac")) is not None:
        homes.append(Path(on_path).resolve().parent.parent)
    for folder in map(Path, FOLDERS):
        if folder.is_dir():
            homes += [*folder.iterdir(), *folder.glob("*/Contents/Home")]
    return sorted({jdk for home in homes if (jdk := jdk_at(home.resolve())) is not None})


def best(wanted: int, least: int, most: int) -> Jdk | None:
    """The wanted one; else the newest between ``least`` and ``most``."""
    fitting = [jdk for jdk in installed() if least <= jdk.feature <= most]
    exact = [jdk for jdk in fitting if jdk.feature == wanted]
    return exact[0] if exact else fitting[-1] if fitting else None
