"""What a wheel and an sdist hold, and that none is built without the engine's jar."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

COPIED = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "build.gradle", "settings.gradle", "tools", "graphs",
          "docs", "python/src", "jvm/src/main", "connectors")
JAR = "python/src/despina/jars/despina.jar"
CONNECTORS = ("python/src/despina/jars/despina-kafka.jar", "python/src/despina/jars/despina-mqtt.jar",
              "python/src/despina/jars/despina-nats.jar", "python/src/despina/jars/despina-redis.jar",
              "python/src/despina/jars/despina-delta.jar", "python/src/despina/jars/despina-iceberg.jar",
              "python/src/despina/jars/despina-opcua.jar", "python/src/despina/jars/despina-zeromq.jar")
SOURCE = "jvm/src/main/java/io/despina/gateway/Gateway.java"


@pytest.fixture
def clone(repository: Path, tmp_path: Path) -> Path:
    """The project's files without the jar; Gradle is one that refuses."""
    made = shutil.ignore_patterns("jars", "__pycache__", "*.egg-info")
    for name in COPIED:
        if (repository / name).is_dir():
            shutil.copytree(repository / name, tmp_path / name, ignore=made)
        else:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, tmp_path / name)
    gradle(tmp_path, "echo no Gradle here; exit 1")
    return tmp_path


def gradle(clone: Path, does: str) -> None:
    script = clone / "tools" / "gradle.sh"
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o755)


def build(clone: Path, hook: str) -> subprocess.CompletedProcess[str]:
    """Calls a hook of the backend as pip does."""
    return subprocess.run([sys.executable, "-c", f"import build_backend; print(build_backend.{hook})"], cwd=clone, text=True,
                          capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(clone / "tools")})


def put_jar(clone: Path) -> None:
    (clone / JAR).parent.mkdir(exist_ok=True)
    (clone / JAR).write_bytes(b"jar")
    for connector in CONNECTORS:
        (clone / connector).write_bytes(b"connector")


@pytest.mark.parametrize("hook", ["build_wheel('out')", "build_sdist('out')"])
def test_without_a_jar_and_without_gradle_the_build_fails_and_says_what_to_install(clone: Path, hook: str) -> None:
    built = build(clone, hook)
    assert built.returncode != 0
    assert "no Gradle here" in built.stderr
    assert "apt install openjdk-17-jdk-headless gradle" in built.stderr
    assert not list(clone.glob("out/*"))


def test_the_jar_is_made_where_it_is_missing_or_older_than_a_source(clone: Path) -> None:
    gradle(clone, f'mkdir -p {Path(JAR).parent}; touch {" ".join(CONNECTORS)}; printf "%s" "$*" > {JAR}')
    assert build(clone, "_make_jar()").returncode == 0
    assert (clone / JAR).read_text().startswith("--no-daemon stageJar -PsparkJars=")
    gradle(clone, "exit 1")
    assert build(clone, "_make_jar()").returncode == 0
    (clone / CONNECTORS[0]).unlink()
    assert build(clone, "_make_jar()").returncode != 0
    (clone / CONNECTORS[0]).touch()
    later = (clone / JAR).stat().st_mtime + 1
    os.utime(clone / SOURCE, (later, later))
    assert build(clone, "_make_jar()").returncode != 0


def test_pyspark_is_asked_for_only_where_the_jar_has_to_be_compiled(clone: Path) -> None:
    assert "pyspark==" in build(clone, "get_requires_for_build_wheel()").stdout
    put_jar(clone)
    assert "pyspark" not in build(clone, "get_requires_for_build_wheel()").stdout


def test_a_wheel_has_the_jar_and_what_is_read_beside_it(clone: Path, repository: Path) -> None:
    put_jar(clone)
    assert build(clone, "build_wheel('out')").stderr.count("Error") == 0
    with zipfile.ZipFile(next(clone.glob("out/*.whl"))) as wheel:
        assert wheel.read("despina/jars/despina.jar") == b"jar"
        assert {wheel.read(f"despina/jars/{Path(connector).name}") for connector in CONNECTORS} == {b"connector"}
        for shared in ("docs/jobs.md", "docs/reference/sources.md", "graphs/graph.schema.json", "graphs/power_alarm.graph.json"):
            assert wheel.read(f"despina/share/{shared}") == (repository / shared).read_bytes()
        metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    assert "](docs/" not in metadata
    assert "ARCHITECTURE.md follows one packet through the code" in metadata
    assert "Classifier: Typing :: Typed" in metadata


def test_an_sdist_makes_the_same_wheel_without_gradle(clone: Path, tmp_path: Path) -> None:
    put_jar(clone)
    assert build(clone, "build_sdist('out')").returncode == 0
    with tarfile.open(next(clone.glob("out/*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    unpacked = next((tmp_path / "unpacked").iterdir())
    assert (unpacked / SOURCE).is_file()
    assert not (unpacked / "tests").exists()
    built = build(unpacked, "build_wheel('out')")
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(unpacked.glob("out/*.whl"))) as wheel:
        assert {"despina/jars/despina.jar", *(f"despina/jars/{Path(each).name}" for each in CONNECTORS),
                "despina/share/docs/reference/sources.md",
                "despina/backends/spark/log4j2.properties",
                "despina/share/graphs/manufacturing.graph.json"} <= set(wheel.namelist())
