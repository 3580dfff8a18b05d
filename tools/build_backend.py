"""The build backend of pyproject.toml: setuptools, and beside it the engine's jar and the files from outside the package.

A wheel has the jar or there is no wheel: where the jar is missing or older than its sources, the project's Gradle makes it,
against the jars of the pyspark that the build asks for then. An editable installation leaves that to ``make setup``.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

ROOT = Path(__file__).resolve().parent.parent
JAR = ROOT / "python/src/despina/jars/despina.jar"
CONNECTORS = [JAR.with_name(f"despina-{source.parent.name}.jar") for source in sorted((ROOT / "connectors").glob("*/src"))]
"""Beside it, what a graph that names one of their operators loads."""
SOURCES = ("build.gradle", "settings.gradle", "python/src/despina/module_flags.txt", "python/src/despina_worker/*.py",
           "jvm/src/main/**/*", "connectors/*/src/main/**/*")
SHARED = ("docs/*.md", "docs/reference/*.md", "graphs/*.json", "graphs/cookbook/README.md", "graphs/cookbook/*/*.*",
          "graphs/templates/*/*.*")
"""What a wheel carries in ``despina/share``, under the paths that it has here."""

PICTURE_INSIDE = re.compile(r"!\[[^]]*\]\((?!https?:)[^)]+\)\n+")
"""A picture of the project, which a package index does not have."""
LINK_INSIDE = re.compile(r"(?<!!)\[([^]]+)\]\((?!https?:)[^)]+\)")
"""A link to a file of the project, which leads nowhere from a package index."""

Settings = Mapping[str, Any] | None

__all__ = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
    "get_requires_for_build_wheel", "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]


class BuildPy(build_py):  # type: ignore[misc]
    """Copies the shared files beside the modules; an editable installation reads them where they are."""

    def run(self) -> None:
        """As setuptools does, and then those files."""
        super().run()
        if not self.editable_mode:
            for file in (file for pattern in SHARED for file in ROOT.glob(pattern) if file.is_file()):
                target = Path(self.build_lib, "despina", "share", file.relative_to(ROOT))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)


class EggInfo(egg_info):  # type: ignore[misc]
    """The metadata, with the readme's links to files of the project as plain words."""

    def run(self) -> None:
        """As setuptools does."""
        metadata = self.distribution.metadata
        metadata.long_description = LINK_INSIDE.sub(r"\1", PICTURE_INSIDE.sub("", metadata.long_description or ""))
        super().run()


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """With the pyspark whose jars the engine is compiled against, if it has to be."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_to_compile()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """The same: an sdist carries the jar too, and installs where there is no JDK."""
    return [*build_meta.get_requires_for_build_sdist(config_settings), *_to_compile()]


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """The wheel, with a jar of these sources."""
    _make_jar()
    return str(build_meta.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """The sdist, with a jar of these sources."""
    _make_jar()
    return str(build_meta.build_sdist(sdist_directory, config_settings))


def _is_current() -> bool:
    """Whether the jar is there and no source is newer."""
    if not all(jar.is_file() for jar in (JAR, *CONNECTORS)):
        return False
    made = JAR.stat().st_mtime
    return all(source.stat().st_mtime <= made for pattern in SOURCES for source in ROOT.glob(pattern) if source.is_file())


def _to_compile() -> list[str]:
    if _is_current():
        return []
    import tomllib
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [needed for needed in project["dependencies"] if needed.startswith("pyspark")]


def _make_jar() -> None:
    if _is_current():
        return
    pyspark = importlib.util.find_spec("pyspark")
    if pyspark is None or pyspark.origin is None:
        sys.exit("despina: cannot compile the engine's jar without pyspark; "
                 "build in isolation, or install pyspark first")
    jars = Path(pyspark.origin).parent / "jars"
    done = subprocess.run([ROOT / "tools/gradle.sh", "--no-daemon", "stageJar", f"-PsparkJars={jars}"], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout}\ndespina: cannot make the engine's jar, which every wheel contains. Install "
                 "a JDK 17 to 21 and Gradle; Debian, Ubuntu: apt install openjdk-17-jdk-headless gradle")
    JAR.touch()     # Gradle leaves one as it is that would come out the same
