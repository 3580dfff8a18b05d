"""Makes the class archive: a training graph runs, and the JVM writes the classes that it has loaded.

Nothing but the command and ``despina doctor --archive`` comes here; where an archive lies is :mod:`despina.archive`'s.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from despina import archive, cache, installed
from despina.drivers import COORDINATES_ONLY
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.errors import DespinaError, StartError
from despina.graph import Graph, RunOptions
from despina.installed import Java

DUMP_TIMEOUT_S = 120.0
KEPT = 4
RETRY_S = 3600.0
"""An archive that could not be made in the background, or whose making was cut short, is not tried again sooner."""
NICENESS = 10
LOCK = "classes"

TRAINING: dict[str, Any] = {
    "format": 1, "name": "archive", "doc": "Touches the classes that most graphs need.",
    "parameters": {"folder": {"doc": "where it reads and writes"}},
    "operators": {
        "readings": {"type": "file_source", "path": "${folder}/readings.csv", "format": "csv",
                     "schema": "ts TIMESTAMP, id BIGINT, word STRING", "event_time": {"column": "ts", "order_by": ["id"]}},
        "made": {"type": "generator_source", "count": 500, "event_time": {"column": "ts"},
                 "rows": {"type": "select", "select": ["id", "timestamp_millis(id) AS ts"]}},
        "kept": {"type": "filter", "where": "id % 3 < 2 AND word LIKE '%1%'"},
        "changed": {"type": "project",
                    "select": ["ts", "id", "id * 2.5 AS scaled", "upper(word) AS word", "coalesce(hash(word), 0) AS h"]},
        "changes": {"type": "scan", "group_by": ["word"], "state": {"last": {"initial": "id", "next": "coalesce(id, last)"}},
                    "emit_when": "id <> last", "select": ["ts", "word", "id", "last"]},
        "joined": {"type": "join", "on": "left.id = right.id", "as_of": {},
                   "select": ["left.ts AS ts", "left.word AS word", "unix_micros(left.ts) - unix_micros(right.ts) AS behind"]},
        "trend": {"type": "aggregate", "group_by": ["word"], "window": {"type": "trailing", "size_ms": 1000},
                  "select": ["ts", "word", "count(*) AS n", "regr_slope(behind, unix_micros(ts)) AS slope",
                             "min_by(behind, ts) AS first"]},
        "per_second": {"type": "aggregate", "group_by": ["word"], "window": {"type": "tumbling", "size_ms": 100},
                       "select": ["window.start AS start", "word", "avg(scaled) AS mean", "max(h) AS highest"]},
        "file": {"type": "file_sink", "path": "${folder}/out", "format": "json", "if_exists": "replace"},
        "none": {"type": "discard_sink"},
    },
    "links": [{"from": "readings", "to": "kept"}, {"from": "kept", "to": "changed", "fuse": False},
              {"from": "changed", "to": "changes"}, {"from": "changed", "to": "per_second"},
              {"from": "changes", "to": "joined.left"}, {"from": "made", "to": "joined.right"},
              {"from": "joined", "to": "trend"}, {"from": "trend", "to": "file"}, {"from": "per_second", "to": "none"}],
}
READINGS = 2000
"""Lines that it reads."""
RESOURCES = {"format": 1, "resources": {"near": {"start": "child"}, "far": {"start": "child"}},
             "place": {"readings": ["near"], "kept": ["near"], "*": ["far"]}}
AS_THREADS = "-Ddespina.resources_as_threads=true"
"""So the one JVM that is looked at also loads what a resource's own JVM does: control, frames, sockets."""


def make() -> Path:
    """Makes it, if it is not there; takes some seconds, and waits for another process that is making one.

    :raise StartError: there is no engine to make it with, or this Java cannot
    :raise DespinaError: the graph that warms it up failed
    """
    java = installed.find_java()
    if reason := archive.bar(java):
        raise StartError("class_archive", f"class archive: {reason}",
                         "jobs run without it and start slower; JAVA_HOME can name another Java")
    with cache.locked(LOCK, wait=True):
        return _make(java)


def make_soon() -> bool:
    """Has it made by a process that outlives this one, at a low priority; the command is not kept waiting.

    :return: whether one is being made from now on: not where it is there, where it cannot be made or was tried lately, or where
        another command has one made
    """
    try:
        java = installed.find_java()
        target = archive.of(java, installed.class_path())
        if os.environ.get(archive.SWITCH) == "off" or target.is_file() or archive.bar(java) or _tried_lately(target):
            return False
        with cache.locked(LOCK, wait=False) as free:
            if not free:
                return False
            _tried(target).touch()
        # -P: Python shall not look for our modules where the command happens to have been called
        subprocess.Popen([sys.executable, "-P", "-m", "despina.training"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    except (DespinaError, OSError):     # nothing that the user asked for fails with it
        return False
    return True


def main() -> None:
    """What runs in the background."""
    os.nice(NICENESS)
    with cache.locked(LOCK, wait=False) as free:
        if free:
            target = _make(installed.find_java())
            _tried(target).unlink(missing_ok=True)


def _make(java: Java) -> Path:
    jars = installed.class_path()
    target = archive.of(java, jars)
    if target.is_file():
        return target
    partial = target.with_suffix(f".{os.getpid()}")
    try:
        if not java.shares_classes:
            _dump_base(java)
        _dump(java, partial)
        if not partial.is_file():
            raise StartError("class_archive", f"the Java in {java.home} ran and wrote no class archive",
                             "jobs run without one and start slower")
        _paper(target).write_text(json.dumps({"java": java.full_version, "home": str(java.home), "jars": jars}))
        partial.replace(target)
        _forget_old()
    finally:
        partial.unlink(missing_ok=True)
    return target


def _dump_base(java: Java) -> None:
    base = archive.base(java)
    if not base.is_file():
        partial = base.with_suffix(f".{os.getpid()}")
        subprocess.run([java.executable, "-Xshare:dump", f"-XX:SharedArchiveFile={partial}"], capture_output=True, check=False,
                       timeout=DUMP_TIMEOUT_S)
        if not partial.is_file():
            raise StartError("class_archive", f"the Java in {java.home} ran and wrote no archive of its own classes",
                             "jobs run without one and start slower")
        partial.replace(base)


def _dump(java: Java, to: Path) -> None:
    """Runs the training graph in a JVM that writes its classes there as it ends.

    It runs twice: first its expressions are compiled, then their kept answers are read. A job may do either. The second one keeps
    a state, and a dry run reads it.
    """
    below = [] if java.shares_classes else [f"-XX:SharedArchiveFile={archive.base(java)}"]
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"1970-01-01T00:00:{k // 100:02}.{k % 100:02}0Z,{k},w{k % 30}" for k in range(READINGS)]
        Path(folder, "readings.csv").write_text("\n".join(lines) + "\n")
        driver = Py4jDriver([f"-XX:ArchiveClassesAtExit={to}", *below, "-Xlog:disable", "-Xlog:all=off", AS_THREADS,
                             f"-D{archive.ANSWERS}={folder}/answers", *COORDINATES_ONLY], DUMP_TIMEOUT_S)
        try:
            engine = Engine(driver, "py4j")
            graph, plain = Graph(json.dumps(TRAINING), "archive"), RunOptions(parameters={"folder": folder})
            state = f"{folder}/state"
            for options in (plain, replace(plain, deployment=RESOURCES, state=state)):
                with graph.start(engine, options) as job:
                    job.wait()
                    job.report()
            graph.dry_run(state, options=plain, engine=engine)
        finally:
            driver.close()      # the JVM writes it as it ends, after a failure too


def _forget_old() -> None:
    """Those of jars and Javas that were replaced or removed are of no use to anyone; the newest others stay."""
    for paper in cache.folder().glob("classes-*.json"):
        made = paper.with_suffix(".jsa")
        if not made.is_file() or _is_stale(paper):
            made.unlink(missing_ok=True)
            paper.unlink(missing_ok=True)
    cache.forget_all_but(KEPT, "classes-*.jsa")
    cache.forget_all_but(KEPT, "base-*.jsa")
    cache.forget_all_but(KEPT, "classes-*.tried")
    cache.forget_all_but(KEPT, "expressions-*")


def _is_stale(paper: Path) -> bool:
    """Whether no JVM can ever use it again."""
    try:
        told = json.loads(paper.read_text())
        java = Java(Path(told["home"]), 0)
        return java.full_version != told["java"] or paper.stem != f"classes-{archive.digest(told['java'], told['jars'])}"
    except (OSError, ValueError, KeyError):
        return True


def _paper(target: Path) -> Path:
    """What an archive was made from."""
    return target.with_suffix(".json")


def _tried(target: Path) -> Path:
    return target.with_suffix(".tried")


def _tried_lately(target: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - _tried(target).stat().st_mtime < RETRY_S
    return False


if __name__ == "__main__":
    main()
