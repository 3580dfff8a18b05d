from __future__ import annotations

import socket
import subprocess
import threading
import warnings
from pathlib import Path

import pytest
from py4j import protocol
from py4j.java_gateway import GatewayClient, GatewayParameters

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


def test_a_spark_of_ours_does_not_warn_of_a_pandas_that_pyspark_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas
    from pyspark.sql.pandas.utils import require_minimum_pandas_version
    monkeypatch.setattr(pandas, "__version__", "3.0.0")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        require_minimum_pandas_version()
        assert "does not yet fully support pandas" in str(told.pop().message), "PySpark has something to say"
        launch.quieten()
        require_minimum_pandas_version()
        warnings.warn_explicit("The copy keyword is deprecated and will be removed", DeprecationWarning, "conversion.py", 1,
                               "pyspark.sql.pandas.conversion")
        assert told == []
        warnings.warn_explicit("The copy keyword is deprecated and will be removed", DeprecationWarning, "mine.py", 1, "mine")
        assert len(told) == 1, "what the user calls is the user's"


def test_a_jvm_that_has_ended_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """py4j logs the traceback of what it then raises, or answers, by the root's logger."""
    launch.quieten()
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = GatewayClient(gateway_parameters=GatewayParameters(port=server.getsockname()[1]))
        threading.Thread(target=lambda: server.accept()[0].close()).start()
        assert client.send_command("c\n", retry=False) == protocol.ERROR
    assert [record.message for record in caplog.records if record.exc_info] == []
