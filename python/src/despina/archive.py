"""The class-data archive: the engine's and Catalyst's classes, parsed once, so that JVMs that run expressions start sooner.

It lies in the user's cache folder (``XDG_CACHE_HOME``, else ``~/.cache``), some 80 MB, under a name made from the Java and the
jars; every JVM that Despina starts uses it where it is, and does without where it is not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from despina import doctor
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph, RunOptions

DUMP_TIMEOUT_S = 120.0
KEPT = 3

WARM_UP = {
    "format": 1, "name": "archive", "doc": "Touches the classes that most graphs need.",
    "operators": {
        "source": {"type": "generator_source", "count": 2000,
                   "rows": {"type": "select", "select": ["id", "timestamp_millis(id) AS ts", "CAST(id AS STRING) AS word"]}},
        "kept": {"type": "filter", "where": "id % 3 < 2 AND word LIKE '%1%'"},
        "changed": {"type": "project", "select": ["ts", "id * 2.5 AS scaled", "upper(word) AS word", "hash(word) AS h"]},
        "sink": {"type": "discard_sink"},
    },
    "links": [{"from": "source", "to": "kept"}, {"from": "kept", "to": "changed", "fuse": False},
              {"from": "changed", "to": "sink"}],
}
RESOURCES = {"format": 1, "resources": {"near": {"host": "127.0.0.1"}, "far": {"host": "127.0.0.1"}},
             "place": {"changed": ["far"], "*": ["near"]}}
AS_THREADS = "-Ddespina.resources_as_threads=true"
"""So the one JVM that is looked at also loads what a resource's own JVM does: control, frames, sockets."""


def path() -> Path:
    """Where the archive of this Java and these jars is, or would be."""
    return doctor.class_archive(doctor.find_java(), doctor.class_path())


def make() -> Path:
    """Makes it, if it is not there; takes some seconds.

    :raise StartError: there is no engine to make it with
    :raise DespinaError: the graph that warms it up failed
    """
    target = path()
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(f".{os.getpid()}")
    driver = Py4jDriver([f"-XX:ArchiveClassesAtExit={partial}", "-Xlog:disable", "-Xlog:all=off", AS_THREADS], DUMP_TIMEOUT_S)
    try:
        engine = Engine(driver, "py4j")
        try:
            for deployment in (None, RESOURCES):
                with Graph(json.dumps(WARM_UP), "archive").start(engine, RunOptions(deployment=deployment)) as job:
                    job.wait()
                    job.report()
        finally:
            driver.close()      # the JVM writes it as it ends, after a failure too
        if partial.is_file():
            partial.replace(target)
            _forget_old(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _forget_old(newest: Path) -> None:
    """Archives of jars that were replaced are of no use to anyone; the last few stay, for other installations."""
    archives = sorted(newest.parent.glob("classes-*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in archives[KEPT:]:
        old.unlink(missing_ok=True)
