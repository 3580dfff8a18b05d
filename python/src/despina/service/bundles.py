"""Files that travel with a graph: found by the client, kept by the service under their digests, sent once.

A client names each file with its SHA-256. The service says which of them it does not have, the client sends these, and names them
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import threading
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from despina.errors import RefusedError
from despina.testing import file as tests

MB = 1 << 20
MOST_BYTES = 64 * MB
MOST_FILES = 1000
MOST_NAME_BYTES = 255
KEPT_BYTES = 1024 * MB
"""Of all files that are kept to be named again; the ones that were named longest ago go."""
READERS = ("file_source", "geocode", "locate")
"""Operators whose ``path`` is that of files that they read."""
DIGEST = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]{1,200}")


class AbsentError(RefusedError):
    """Files are named that the service does not have."""

    def __init__(self, digests: list[str]) -> None:
        super().__init__("files_missing", f"the service does not have {len(digests)} of the files",
                         "PUT each at /api/v1/files/DIGEST")
        self.digests = digests


class Bundles:
    """The files that a service keeps: ``DIR/files/DIGEST``. Thread-safe."""

    def __init__(self, folder: Path, staging: Path) -> None:
        self._folder = folder
        self._staging = staging
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700)

    def keep(self, digest: str, content: bytes) -> None:
        """Keeps a file.

        :raise RefusedError: it is another one, or too large
        :raise OSError: the disk is full, say
        """
        if len(content) > MOST_BYTES:
            raise RefusedError("bundle", f"a file of {len(content)} bytes; {MOST_BYTES} are the most", "lay it below a --root")
        if not DIGEST.fullmatch(digest) or hashlib.sha256(content).hexdigest() != digest:
            raise RefusedError("digest", "the file has another SHA-256 than its name says")
        partial = self._staging / uuid.uuid4().hex
        with self._lock:
            self._make_room(len(content))
            try:
                partial.write_bytes(content)
                partial.chmod(0o600)
                partial.replace(self._folder / digest)
            finally:
                partial.unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        kept = sorted((found.stat().st_mtime, found.stat().st_size, found) for found in self._folder.iterdir())
        left = sum(each for _, each, _ in kept) + size
        for _, each, path in kept:
            if left <= KEPT_BYTES:
                return
            path.unlink(missing_ok=True)
            left -= each

    @contextlib.contextmanager
    def staged(self, files: Mapping[str, str]) -> Iterator[Path]:
        """A folder with these files, which goes with the block unless it was moved away.

        :param files: digests by path
        :raise RefusedError: a path climbs out, or they are too many or too large
        :raise AbsentError: some are not here
        """
        refuse_paths(files)
        staged = self._staging / uuid.uuid4().hex
        with self._lock:
            absent = sorted({digest for digest in files.values() if not (self._folder / digest).is_file()})
            if absent:
                raise AbsentError(absent)
            size = sum((self._folder / digest).stat().st_size for digest in files.values())
            if size > MOST_BYTES:
                raise RefusedError("bundle", f"the files have {size} bytes; {MOST_BYTES} are the most",
                                   "lay large ones below a --root")
            staged.mkdir(mode=0o700)
            for path, digest in files.items():
                target = staged / path
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                shutil.copyfile(self._folder / digest, target)
                target.chmod(0o600)
                os.utime(self._folder / digest)
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def refuse_paths(files: Mapping[str, str]) -> None:
    """Refuses what is no path below the job's folder, and what names no file.

    :raise RefusedError: one is such
    """
    refuse_names(files)
    for path, digest in files.items():
        if not DIGEST.fullmatch(digest):
            raise RefusedError("bundle", f"files: {path!r} has {digest!r}, which is no SHA-256 in hexadecimal digits")


def refuse_names(paths: Collection[str]) -> None:
    """Refuses what is no path below the job's folder.

    :raise RefusedError: one is not
    """
    if len(paths) > MOST_FILES:
        raise RefusedError("bundle", f"{len(paths)} files; {MOST_FILES} are the most", "lay them below a --root")
    folders = {"/".join(path.split("/")[:count]) for path in paths for count in range(1, path.count("/") + 1)}
    for path in paths:
        if not all(map(_is_part, path.split("/"))) or path in folders or len(path) > 1000:
            raise RefusedError("bundle", f"files: {path!r} is no path below the job's folder", "a/b.csv, without .. and /")


def _is_part(part: str) -> bool:
    return bool(_PART.fullmatch(part)) and part not in (".", "..") and len(part.encode(errors="replace")) <= MOST_NAME_BYTES


# --- the client's side ---

@dataclass(frozen=True)
class Bundle:
    """Files beside a graph, by the path that the graph says."""

    files: Mapping[str, Path]

    def digests(self) -> dict[str, str]:
        """Their SHA-256."""
        found = {}
        for path, file in self.files.items():
            with file.open("rb") as opened:
                found[path] = hashlib.file_digest(opened, "sha256").hexdigest()
        return found


def beside(text: str, graph: Path, parameters: Mapping[str, str], folder: Path) -> Bundle:
    """The files that a graph names by relative paths and that are there: what sources and lookups read, modules of functions;
    and the files of its tests.

    :param graph: the graph's file, beside which modules lie
    :param folder: what relative paths are of, as ``despina run`` has it
    :raise RefusedError: they are too large
    """
    try:
        content = json.loads(text)
        operators = dict(content["operators"])
        defaults = {name: spec.get("default") for name, spec in (content.get("parameters") or {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return Bundle({})       # the service's check says what is wrong
    values = {name: str(value) for name, value in {**defaults, **parameters}.items() if value is not None}
    files = tests.beside(graph)
    for spec in operators.values():
        for path in _read(spec):
            files |= _found(_filled(path, values), folder)
        function = spec.get("function") if str(spec.get("type", "")).startswith("python") else None
        if isinstance(function, str):
            files |= _modules(_filled(function, values), graph.absolute().parent)
    size = sum(file.stat().st_size for file in files.values())
    if size > MOST_BYTES:
        largest = max(files, key=lambda path: files[path].stat().st_size)
        raise RefusedError("bundle", f"the files beside the graph have {size:,} bytes, {largest} the most of them; "
                           f"{MOST_BYTES:,} are sent", "lay them on the service's machine, and give absolute paths")
    return Bundle(files)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def _read(spec: Any) -> Iterator[str]:
    """Paths that an operator reads."""
    if not isinstance(spec, Mapping):
        return
    source = spec.get("from") if spec.get("type") == "lookup" else spec if spec.get("type") in READERS else None
    if isinstance(source, Mapping) and isinstance(source.get("path"), str):
        yield source["path"]


def _found(path: str, folder: Path) -> dict[str, Path]:
    """Files of a relative path: one, those of a folder at any depth, or those of a glob."""
    if path.startswith("/") or "://" in path or path == "-" or ".." in path.split("/"):
        return {}
    whole = folder / path
    found = [whole] if whole.is_file() else sorted(whole.rglob("*")) if whole.is_dir() else sorted(folder.glob(path))
    inside = [each for one in found for each in ([one] if not one.is_dir() else sorted(one.rglob("*")))]
    return {each.relative_to(folder).as_posix(): each for each in inside if each.is_file()}


def _modules(function: str, folder: Path) -> dict[str, Path]:
    """The module of a function, if it lies beside the graph: a file, or a package as a whole."""
    first = function.partition(":")[0].partition(".")[0]
    if not first.isidentifier():
        return {}
    if (file := folder / f"{first}.py").is_file():
        return {file.name: file}
    package = folder / first
    if not (package / "__init__.py").is_file() and not list(package.glob("*.py")):
        return {}
    return {file.relative_to(folder).as_posix(): file for file in sorted(package.rglob("*.py"))}
