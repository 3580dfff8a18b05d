"""A peer's classes are made of its own sources and of what all peers share."""

from __future__ import annotations

import zipfile
from pathlib import Path

from despina import installed
from peers import jars, jdks
from peers.contract import Kit


def test_a_peers_jar_has_all_that_it_shares_and_is_made_once(tmp_path: Path) -> None:
    jdk = jdks.best(17, 17, 25)
    assert jdk is not None
    told: list[str] = []
    kit = Kit(tmp_path / "cache", tmp_path, tell=told.append)
    libraries = sorted(installed.spark_jars().glob("*.jar"))

    made = jars.compiled(kit, "spark", jdk, 17, libraries)
    with zipfile.ZipFile(made) as jar:
        names = set(jar.namelist())
    assert {"io/despina/compare/Arrivals.class", "org/HdrHistogram/SingleWriterRecorder.class"} <= names
    assert any(name.startswith("io/despina/compare/spark/") for name in names)
    assert not any(name.startswith("io/despina/runtime/") for name in names)

    assert jars.compiled(kit, "spark", jdk, 17, libraries) == made
    assert told == ["spark: compiling"]
