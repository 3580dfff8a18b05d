"""The class-data archive: the engine's and Catalyst's classes, parsed once, so that JVMs that run expressions start sooner.

It lies in the user's cache folder (:mod:`despina.cache`), some 90 MB, under a name made from the Java and every jar's path,
size and time, so other jars never meet an old archive. Every JVM that Despina starts uses it where it is, and does without
where it is not; the command that had to do without has it made in the background when it is done (:func:`make_soon`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from despina import cache, doctor
from despina.doctor import Java
from despina.errors import DespinaError, StartError

DUMP_TIMEOUT_S = 120.0
KEPT = 4
RETRY_S = 3600.0
"""An archive that could not be made in the background, or whose making was cut short, is not tried again sooner."""
NICENESS = 10
SWITCH = "DESPINA_CLASS_ARCHIVE"
"""``off``: none is made by itself; one that is there is used."""
PROPERTY = "despina.class_archive"
"""Tells the coordinator which archive the resources that it starts shall use: they have its class path."""
ANSWERS = "despina.kept_answers"
"""Tells a JVM where it keeps what its expression compiler has answered, and finds what others have kept."""
ANSWERS_SWITCH = "DESPINA_KEPT_ANSWERS"
"""``off``: none are kept, and none that are there are used."""
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


def of(java: Java, jars: Sequence[str]) -> Path:
    """Where the archive of that Java and class path is, or would be."""
    return cache.folder() / f"classes-{_digest(java.full_version, jars)}.jsa"


def path() -> Path:
    """Where the archive of this Java and these jars is, or would be."""
    return of(doctor.find_java(), doctor.class_path())


def options(java: Java, jars: Sequence[str]) -> list[str]:
    """The options of a JVM that shall use its archive; none where there is none, or where others could have put one there."""
    file = of(java, jars)
    kept = _kept_answers(file)
    if not file.is_file() or not cache.is_private():
        return kept
    files = _with_base(java, file)
    return ["-Xshare:auto", f"-XX:SharedArchiveFile={files}", f"-D{PROPERTY}={files}", *kept]


def answers(java: Java, jars: Sequence[str]) -> Path:
    """Where answers of the expression compiler are kept, or would be: a JVM with the same jars need not compile them again."""
    return _answers(of(java, jars))


def _answers(archive: Path) -> Path:
    return archive.with_name(archive.stem.replace("classes-", "expressions-"))


def _kept_answers(archive: Path) -> list[str]:
    if os.environ.get(ANSWERS_SWITCH) == "off":
        return []
    if not cache.folder().exists():     # one that is there and open to others may hold what they have put there
        with contextlib.suppress(OSError):
            cache.make_folder()
    return [f"-D{ANSWERS}={_answers(archive)}"] if cache.is_private() else []


def bar(java: Java) -> str:
    """Why that Java can make none, in words; empty if it can."""
    if java.shares_classes or java.lists_classes:
        return ""
    return f"none: the Java in {java.home} has neither an archive of its own classes nor a list (lib/classlist) to make one"


def make() -> Path:
    """Makes it, if it is not there; takes some seconds, and waits for another process that is making one.

    :raise StartError: there is no engine to make it with, or this Java cannot
    :raise DespinaError: the graph that warms it up failed
    """
    java = doctor.find_java()
    if reason := bar(java):
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
        java = doctor.find_java()
        target = of(java, doctor.class_path())
        if os.environ.get(SWITCH) == "off" or target.is_file() or bar(java) or _tried_lately(target):
            return False
        with cache.locked(LOCK, wait=False) as free:
            if not free:
                return False
            _tried(target).touch()
        # -P: Python shall not look for our modules where the command happens to have been called
        subprocess.Popen([sys.executable, "-P", "-m", "despina.archive"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    except (DespinaError, OSError):     # nothing that the user asked for fails with it
        return False
    return True


def main() -> None:
    """What runs in the background."""
    os.nice(NICENESS)
    with cache.locked(LOCK, wait=False) as free:
        if free:
            target = _make(doctor.find_java())
            _tried(target).unlink(missing_ok=True)


def _make(java: Java) -> Path:
    jars = doctor.class_path()
    target = of(java, jars)
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


def _base(java: Java) -> Path:
    """Where the archive of its own classes is, of a Java that brings none; the archive of ours lies on top of it."""
    return cache.folder() / f"base-{_digest(java.full_version, [str(java.home / 'release')])}.jsa"


def _with_base(java: Java, archive: Path) -> str:
    return str(archive) if java.shares_classes else f"{_base(java)}{os.pathsep}{archive}"


def _dump_base(java: Java) -> None:
    base = _base(java)
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

    It runs twice: first its expressions are compiled, then their kept answers are read. A job may do either.
    """
    from despina.drivers.py4j import Py4jDriver
    from despina.engine import Engine
    from despina.graph import Graph, RunOptions
    below = [] if java.shares_classes else [f"-XX:SharedArchiveFile={_base(java)}"]
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"1970-01-01T00:00:{k // 100:02}.{k % 100:02}0Z,{k},w{k % 30}" for k in range(READINGS)]
        Path(folder, "readings.csv").write_text("\n".join(lines) + "\n")
        driver = Py4jDriver([f"-XX:ArchiveClassesAtExit={to}", *below, "-Xlog:disable", "-Xlog:all=off", AS_THREADS,
                             f"-D{ANSWERS}={folder}/answers"], DUMP_TIMEOUT_S)
        try:
            engine = Engine(driver, "py4j")
            for deployment in (None, RESOURCES):
                options = RunOptions(parameters={"folder": folder}, deployment=deployment)
                with Graph(json.dumps(TRAINING), "archive").start(engine, options) as job:
                    job.wait()
                    job.report()
        finally:
            driver.close()      # the JVM writes it as it ends, after a failure too


def _forget_old() -> None:
    """Those of jars and Javas that were replaced or removed are of no use to anyone; the newest others stay."""
    for paper in cache.folder().glob("classes-*.json"):
        archive = paper.with_suffix(".jsa")
        if not archive.is_file() or _is_stale(paper):
            archive.unlink(missing_ok=True)
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
        return java.full_version != told["java"] or paper.stem != f"classes-{_digest(told['java'], told['jars'])}"
    except (OSError, ValueError, KeyError):
        return True


def _digest(java_version: str, jars: Sequence[str]) -> str:
    digest = hashlib.sha256(f"{java_version}\n".encode())
    for jar in jars:
        found = Path(jar).stat()
        digest.update(f"{jar} {found.st_size} {found.st_mtime_ns // 1_000_000}\n".encode())
    return digest.hexdigest()[:24]


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
