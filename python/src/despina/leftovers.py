"""Rows that a file sink's job did not commit: found by their hidden names, put in place, or removed.

A job that failed leaves them as ``.part-00000-00002.OWNER.csv.left``, one that was killed as ``…csv.writing`` or ``…prepared``;
``OutputNames`` in the engine has the names. They hold whole lines, but for the last one of a file in the writing. Of files that
are packed, or have no lines, only those of parquet say whether they are whole: by their ends.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from despina.errors import RefusedError

_HIDDEN = re.compile(r"\.(?P<base>part-\d{5}|.+?)(?:-(?P<number>\d{5,})(?:-(?P<offset>\d+))?)?\.(?P<owner>[^.]+)"
                     r"\.(?P<ending>(?:[a-z0-9]+\.)?(?:csv|json|txt|influx|parquet|avro|protobuf|xml|raw)(?:\.[a-z0-9]+)?)"
                     r"\.(?P<kind>left|prepared|writing)")
_LINES = frozenset({"csv", "json", "txt", "influx"})
_PARQUET = b"PAR1"
_LAST = 10 ** 9
"""Behind all numbers: what was in the writing is the newest."""
_BLOCK = 1 << 20
_CUT = ".cut"


@dataclass(frozen=True)
class Leftover:
    """One file of rows that are not committed."""

    file: Path
    base: str
    number: int
    ending: str
    offset: int | None = None
    """Of a single file: its size before these rows, where putting them there may have begun."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self.file.stat().st_size

    @property
    def has_lines(self) -> bool:
        """Whether its rows can be told from each other."""
        return self.ending in _LINES

    @property
    def is_whole(self) -> bool:
        """Whether a file without lines is known to have its end."""
        if not f".{self.ending}".endswith(".parquet") or self.size < 3 * len(_PARQUET):
            return False
        with self.file.open("rb") as file:
            begins = file.read(len(_PARQUET))
            file.seek(-len(_PARQUET), os.SEEK_END)
            return begins == _PARQUET == file.read()


def told(files: Sequence[str]) -> str:
    """One sentence on where uncommitted rows lie, with the commands to type.

    :param files: paths; of a resource on another machine ``RESOURCE:PATH``
    """
    places: dict[tuple[str, Path], list[str]] = {}
    for file in files:
        resource, there = _split(file)
        places.setdefault((resource, place(there)), []).append(there)
    found = []
    for (resource, path), hidden in places.items():
        count = f"{len(hidden)} hidden file{'s' if len(hidden) > 1 else ''}"
        where = f"{count} ({hidden[0]}{', …' if len(hidden) > 1 else ''}){f' of resource {resource}' if resource else ''}"
        typed = ", typed there," if resource else ""
        found.append(f"{where}: `despina leftovers {path} --take`{typed} puts them in place, `--remove` deletes them")
    return "uncommitted rows are in " + "; and in ".join(found)


def _split(file: str) -> tuple[str, str]:
    resource, colon, path = file.partition(":")
    return (resource, path) if colon and "/" not in resource and path.startswith("/") else ("", file)


def place(file: str) -> Path:
    """The sink's path that a hidden file belongs to: its folder, or the single file beside it."""
    path = Path(file)
    name = _HIDDEN.fullmatch(re.sub(rf"\.\d+{re.escape(_CUT)}$", "", path.name))
    if name is None or name["base"].startswith("part-"):
        return path.parent
    return path.with_name(name["base"])


def find(path: Path) -> list[Leftover]:
    """What lies at a sink's path, in the order in which it was written.

    :param path: a folder of part files, or a single file, which need not exist
    :raise RefusedError: there is no such folder, or a living job writes there
    """
    folder, single = (path, False) if path.is_dir() else (path.absolute().parent, True)
    if not folder.is_dir():
        raise RefusedError("path", f"no folder {folder}")
    found = []
    for file in sorted(folder.iterdir()):
        name = _HIDDEN.fullmatch(file.name)
        if name is not None and (name["base"] == path.name if single else name["base"].startswith("part-")):
            number = int(name["number"]) if name["number"] else _LAST
            offset = int(name["offset"]) if name["offset"] else None
            found.append(Leftover(file, name["base"], number, name["ending"], offset))
    base = re.escape(path.name) if single else r"part-\d{5}"
    for lock in folder.glob(".*.lock"):
        if re.fullmatch(rf"\.{base}\.[^.]+\.lock", lock.name) and _held(lock):
            raise RefusedError("path", f"{path} is being written by a job that holds `{lock.name}`", "wait for its end")
    return sorted(found, key=lambda one: (one.base, one.number))


def take(path: Path) -> list[Path]:
    """Puts them in place: as further part files of their instances, or at the end of the single file.

    :return: the files that hold the rows now
    :raise RefusedError: the single file cannot take them, or nobody can tell whether one of them is whole; all is as it was
    """
    found = find(path)
    for one in found:
        if one.size and not one.has_lines and (not path.is_dir() or not one.is_whole):
            raise RefusedError("leftovers", f"{one.file.name} has no lines, and may be cut short",
                               "look at it, and give it a name without a dot before it; or `--remove` deletes all that is left")
    into = []
    for one in found:
        if one.has_lines:
            _cut_to_whole_lines(one)
        if one.size == 0:
            one.file.unlink()
        elif path.is_dir():
            target = _free(path, one)
            one.file.rename(target)
            into.append(target)
        else:
            _append(one, path)
            into.append(path)
    return list(dict.fromkeys(into))


def cuts(path: Path) -> list[Path]:
    """What :func:`take` has kept beside a sink's rows, as it may be a part of a line."""
    folder = path if path.is_dir() else path.absolute().parent
    return [file for file in sorted(folder.glob(f".*{_CUT}")) if place(str(file)) == (path if path.is_dir() else path.absolute())]


def remove(path: Path) -> list[Path]:
    """Deletes them.

    :return: the files that were deleted
    """
    files = [one.file for one in find(path)]
    for file in files:
        file.unlink()
    return files


def _held(lock: Path) -> bool:
    """Whether a living process has the lock; not to be asked by the process that has it, which would lose it."""
    try:
        with lock.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _free(folder: Path, one: Leftover) -> Path:
    taken = [int(number[1]) for file in folder.glob(f"{one.base}-*.{one.ending}")
             if (number := re.fullmatch(rf"{one.base}-(\d+)\.{one.ending}", file.name))]
    return folder / f"{one.base}-{max(taken, default=0) + 1:05}.{one.ending}"


def _append(one: Leftover, to: Path) -> None:
    """What was killed while it did so is done again: the file's name says where its rows begin."""
    if not to.exists():
        one.file.rename(to)
        return
    before = to.stat().st_size
    file, begins = (one.file, one.offset) if one.offset is not None and _begun(one, to) else (_marked(one, before), before)
    try:
        with file.open("rb") as rows, to.open("ab") as end:
            rows.seek(before - begins)
            while block := rows.read(_BLOCK):
                end.write(block)
            end.flush()
            os.fsync(end.fileno())
    except OSError as error:
        os.truncate(to, before)
        raise RefusedError("leftovers", f"{to} cannot take the rows of {file.name}: {error.strerror}",
                           "it is unchanged; make room and take them again") from error
    file.unlink()


def _begun(one: Leftover, to: Path) -> bool:
    """Whether the file ends with a beginning of these rows, none of them included."""
    with one.file.open("rb") as rows, to.open("rb") as end:
        there = end.seek(0, os.SEEK_END) - (one.offset or 0)
        if not 0 <= there <= one.size:
            return False
        end.seek(one.offset or 0)
        while block := end.read(_BLOCK):
            if rows.read(len(block)) != block:
                return False
    return True


def _marked(one: Leftover, offset: int) -> Path:
    name = _HIDDEN.fullmatch(one.file.name)
    assert name is not None
    return one.file.rename(one.file.with_name(
        f".{one.base}-{one.number:05}-{offset}.{name['owner']}.{one.ending}.{name['kind']}"))


def _cut_to_whole_lines(one: Leftover) -> None:
    """A kill may have cut a line. What may be a part of one is kept beside the rows, under a name that nobody takes up."""
    end = _whole_lines(one)
    if end == one.size:
        return
    with one.file.open("rb") as rows, _free_cut(one).open("wb") as cut:
        rows.seek(end)
        shutil.copyfileobj(rows, cut)
        cut.flush()
        os.fsync(cut.fileno())
    os.truncate(one.file, end)


def _whole_lines(one: Leftover) -> int:
    """Bytes up to the last line's end: the engine writes whole lines, so a file that ends with one was not cut.

    In csv a line end within quotes ends none, with Spark's own quote and escape: with others too much may be taken for cut.
    """
    with one.file.open("rb") as rows:
        if one.size and rows.seek(-1, os.SEEK_END) >= 0 and rows.read(1) == b"\n":
            return one.size
        rows.seek(0)
        whole = at = 0
        quoted = False
        for line in rows:
            at += len(line)
            if one.ending == "csv":
                quoted ^= re.sub(rb"\\.", b"", line, flags=re.DOTALL).count(b'"') % 2 == 1
            if line.endswith(b"\n") and not quoted:
                whole = at
        return whole


def _free_cut(one: Leftover) -> Path:
    number = 1
    while (free := one.file.with_name(f"{one.file.name}.{number}{_CUT}")).exists():
        number += 1
    return free
