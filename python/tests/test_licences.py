"""Each jar says which libraries are in it, and has their licences."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

JARS = sorted((Path(__file__).parents[1] / "src" / "despina" / "jars").glob("despina*.jar"))
FOLDER = "META-INF/licences/"


@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.stem)
def test_a_jar_names_its_libraries_and_has_their_licences(jar: Path) -> None:
    with zipfile.ZipFile(jar) as entries:
        names = entries.namelist()
        notice = entries.read("META-INF/NOTICE").decode()
        libraries = entries.read(f"{FOLDER}libraries.txt").decode().split()
        assert b"Apache License" in entries.read("META-INF/LICENSE")
    lines = notice.splitlines()
    assert [line for line in lines if line in libraries] == [line for line in lines[3:] if line and not line.startswith(" ")]
    assert set(libraries) <= set(lines)
    for word in (each.strip(".()") for each in notice.replace(",", " ").split()):
        if word.endswith((".txt", ".md")):
            assert FOLDER + word in names


def test_all_jars_are_looked_at() -> None:
    assert len(JARS) == 1 + len(list((Path(__file__).parents[2] / "connectors").glob("*/src")))
