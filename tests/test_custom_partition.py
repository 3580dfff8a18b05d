"""A link that asks the user's own class where a packet goes: found, and in each way it may not be usable."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import despina
from despina import doctor
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.errors import GraphError, JobError

SOURCE = """
package org.example;

public final class Thirds implements java.util.function.ToIntFunction<io.despina.packet.Packet> {
    @Override
    public int applyAsInt(io.despina.packet.Packet packet) {
        return (int) packet.getLong(0) / 100;
    }
}
"""


@pytest.fixture(scope="module")
def engine_with_class(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that finds ``org.example.Thirds``, compiled here."""
    folder = tmp_path_factory.mktemp("classes")
    compiler = Path(doctor.find_java().executable).resolve().with_name("javac")
    if not compiler.exists():
        pytest.skip(f"no compiler at {compiler}")
    (folder / "Thirds.java").write_text(SOURCE)
    subprocess.run([compiler, "--release", "17", "-cp", str(doctor.our_jar()), "-d", folder, folder / "Thirds.java"], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESPINA_CLASS_PATH", str(folder))
        driver = Py4jDriver()
    with closing(Engine(driver, "py4j")) as engine:
        yield engine


def graph(class_name: str) -> despina.Graph:
    """300 rows into three files, dealt by a class."""
    return despina.Graph.from_dict({
        "format": 1, "name": "dealt", "parameters": {"path": {}},
        "operators": {
            "source": {"type": "generator_source", "count": 300, "rows": {"type": "select", "select": ["id"]}},
            "sink": {"type": "file_sink", "path": "${path}", "format": "json", "parallelism": 3},
        },
        "links": [{"from": "source", "to": "sink", "partition": {"type": "custom", "class": class_name}}],
    })


def deployment(*allowed: str) -> dict[str, object]:
    return {"format": 1, "resources": {"near": {"start": "child", "allow_classes": list(allowed)}}}


def test_the_class_deals_the_packets(engine_with_class: Engine, tmp_path: Path) -> None:
    allowed = deployment("org.example.*")
    with graph("org.example.Thirds").run(engine=engine_with_class, parameters={"path": str(tmp_path / "out")},
                                         deployment=allowed) as job:
        job.wait()
    parts = [[json.loads(line)["id"] for line in part.read_text().splitlines()] for part in (tmp_path / "out").glob("part-*")]
    assert sorted(parts) == [list(range(k, k + 100)) for k in (0, 100, 200)]


def test_a_class_that_is_not_allowed_is_refused(engine_with_class: Engine, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"needs class org\.example\.Thirds, which resource `near` does not allow"):
        graph("org.example.Thirds").run(engine=engine_with_class, parameters={"path": str(tmp_path / "out")},
                                        deployment=deployment("org.other.*"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("class_name", ["org.example.Missing", "java.lang.String"], ids=["missing", "wrong_type"])
def test_a_class_that_cannot_be_used_fails_the_job(engine_with_class: Engine, class_name: str, tmp_path: Path) -> None:
    def run() -> None:
        with graph(class_name).run(engine=engine_with_class, parameters={"path": str(tmp_path / "out")},
                                   deployment=deployment(class_name)) as job:
            job.wait()

    with pytest.raises(JobError, match=rf"partition class {class_name}: it needs to implement ToIntFunction<Packet>"):
        run()
