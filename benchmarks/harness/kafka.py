"""A broker of Kafka for experiments, and loops by hand over the same client (``benchmarks/kafka_loop``)."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from despina.errors import StartError
from harness import graphs, java
from harness.experiment import Run
from harness.processes import RunError

CLASS_PATH = graphs.ROOT / "build" / "kafka-server.classpath"
FOLDER = "broker"


def needed() -> None:
    """An experiment's need: the jars of a broker.

    :raise StartError: they are missing
    """
    if not CLASS_PATH.is_file():
        raise StartError("kafka_missing", f"{CLASS_PATH} is missing, which says where a broker's jars are",
                         "tools/gradle.sh classPaths")


@contextmanager
def broker(run: Run) -> Iterator[Any]:
    """A broker in a folder of the experiment's: what one repeat has made there, the next one finds."""
    tests = str(graphs.ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    support: Any = importlib.import_module("support.kafka")
    folder: Path = run.lab / FOLDER
    made = support.Broker(folder, {"log.segment.bytes": "268435456"})
    made.start()
    try:
        yield made
    finally:
        made.stop()


def loop_command(run: Run, *arguments: object) -> list[str]:
    """The command line of a loop by hand."""
    path = [CLASS_PATH.read_text()]
    return java.command(java.compiled(run.lab, "kafka_loop", path), "KafkaLoop", *arguments, class_path=path)


def loop(run: Run, *arguments: object) -> str:
    """Runs a loop by hand to its end.

    :raise RunError: it failed
    :return: what it said
    """
    done = subprocess.run(loop_command(run, *arguments), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"KafkaLoop {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout
