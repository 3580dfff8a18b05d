"""The class-data archive: the engine's and Catalyst's classes, parsed once, so that JVMs that run expressions start sooner.

It lies in the user's cache folder (:mod:`despina.cache`), some 90 MB, under a name made from the Java and every jar's path,
size and time, so other jars never meet an old archive. Every JVM that Despina starts uses it where it is, and does without
where it is not; the command that had to do without has it made in the background when it is done (:mod:`despina.training`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from despina import cache, installed
from despina.installed import Java

PROPERTY = "despina.class_archive"
"""Tells the coordinator which archive the resources that it starts shall use: they have its class path."""
ANSWERS = "despina.kept_answers"
"""Tells a JVM where it keeps what its expression compiler has answered, and finds what others have kept."""
ANSWERS_SWITCH = "DESPINA_KEPT_ANSWERS"
"""``off``: none are kept, and none that are there are used."""
SWITCH = "DESPINA_CLASS_ARCHIVE"
"""``off``: none is made by itself; one that is there is used."""


def of(java: Java, jars: Sequence[str]) -> Path:
    """Where the archive of that Java and class path is, or would be."""
    return cache.folder() / f"classes-{digest(java.full_version, jars)}.jsa"


def path() -> Path:
    """Where the archive of this Java and these jars is, or would be."""
    return of(installed.find_java(), installed.class_path())


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


def base(java: Java) -> Path:
    """Where the archive of its own classes is, of a Java that brings none; the archive of ours lies on top of it."""
    return cache.folder() / f"base-{digest(java.full_version, [str(java.home / 'release')])}.jsa"


def _with_base(java: Java, archive: Path) -> str:
    return str(archive) if java.shares_classes else f"{base(java)}{os.pathsep}{archive}"


def digest(java_version: str, jars: Sequence[str]) -> str:
    """Names what was made from that Java and these files."""
    found_in = hashlib.sha256(f"{java_version}\n".encode())
    for jar in jars:
        found = Path(jar).stat()
        found_in.update(f"{jar} {found.st_size} {found.st_mtime_ns // 1_000_000}\n".encode())
    return found_in.hexdigest()[:24]
