"""Gets what a peer needs, by coordinates, into the cache: jars through Gradle, wheels through pip, classes through javac."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from despina import installed
from peers.contract import Kit, UnavailableError
from peers.jdks import Jdk

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HISTOGRAM = "org/HdrHistogram/"
"""Classes that peers measure latencies with, in our jar as in theirs."""
SERVICES = "META-INF/services"
TIMEOUT_S = 900


def resolve(kit: Kit, name: str, coordinates: Sequence[str], excludes: Sequence[str] = ()) -> list[Path]:
    """The jars of these coordinates and all they depend on.

    :param excludes: ``module`` names that are left out wherever they come from
    """
    wanted = "\n".join([*coordinates, *(f"- {exclude}" for exclude in excludes)])
    folder = kit.cache / "jars" / f"{name}-{_digest(wanted)}"
    if not folder.is_dir():
        kit.tell(f"{name}: fetching {', '.join(coordinates)}")
        with tempfile.TemporaryDirectory(dir=kit.scratch) as build:
            _write_build(Path(build), coordinates, excludes)
            _call([str(ROOT / "tools" / "gradle.sh"), "--no-daemon", "--project-dir", build, "copyJars"],
                  f"{name} cannot be fetched")
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(Path(build) / "jars", folder.with_suffix(".part"), dirs_exist_ok=True)
        folder.with_suffix(".part").replace(folder)
    return sorted(folder.glob("*.jar"))


def _write_build(folder: Path, coordinates: Sequence[str], excludes: Sequence[str]) -> None:
    lines = ["repositories { mavenCentral() }", "configurations { wanted }", "dependencies {"]
    lines += [f"    wanted '{coordinate}'" for coordinate in coordinates]
    lines += ["}"]
    lines += [f"configurations.wanted.exclude module: '{exclude}'" for exclude in excludes]
    lines += ["task copyJars(type: Copy) { from configurations.wanted; into 'jars' }"]
    (folder / "build.gradle").write_text("\n".join(lines) + "\n")
    (folder / "settings.gradle").write_text("rootProject.name = 'peer'\n")


def unpack_wheels(kit: Kit, name: str, requirements: Sequence[str]) -> Path:
    """The wheels, without what they depend on, unpacked into one folder."""
    folder = kit.cache / "wheels" / f"{name}-{_digest(' '.join(requirements))}"
    if not folder.is_dir():
        kit.tell(f"{name}: fetching {', '.join(requirements)}")
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=kit.scratch) as wheels:
            _call([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, *requirements],
                  f"{name} cannot be fetched")
            for wheel in sorted(Path(wheels).glob("*.whl")):
                with zipfile.ZipFile(wheel) as content:
                    content.extractall(part)
        part.replace(folder)
    return folder


def compiled(kit: Kit, name: str, jdk: Jdk, release: int, class_path: Sequence[Path]) -> Path:
    """The jar of ``NAME/java``, ``shared`` and the histogram out of our own jar; compiled when a source has changed."""
    sources = sorted([source for part in (name, "shared") for source in (HERE / "java" / part).rglob("*.java")])
    services = sorted((HERE / "java" / name / SERVICES).glob("*"))
    text = "".join(source.read_text(encoding="utf-8") for source in (*sources, *services))
    jar = kit.cache / "classes" / f"{name}-{_digest(text + jdk.version + ' '.join(map(str, class_path)))}.jar"
    if jar.is_file():
        return jar
    kit.tell(f"{name}: compiling")
    jar.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kit.scratch) as folder:
        with zipfile.ZipFile(installed.our_jar()) as ours:
            ours.extractall(folder, [entry for entry in ours.namelist() if entry.startswith(HISTOGRAM)])
        path = ":".join([folder, *map(str, class_path)])
        _call([jdk.javac, "--release", str(release), "-encoding", "UTF-8", "-proc:none", "-nowarn", "-d", folder, "-cp", path,
               *map(str, sources)], f"{name}'s sources do not compile")
        for service in services:
            (Path(folder) / SERVICES).mkdir(parents=True, exist_ok=True)
            shutil.copy(service, Path(folder) / SERVICES)
        part = shutil.make_archive(str(jar.with_suffix("")), "zip", folder)
        Path(part).replace(jar)
    return jar


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _call(command: Sequence[str], failure: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{failure}: {error}") from error
    if done.returncode != 0:
        words = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise UnavailableError(f"{failure}: {' / '.join(words[:6])}")
