"""Rows that a file sink's job did not commit: found by their hidden names, put in place, or removed.

A job that failed leaves them as ``.part-00000-00002.OWNER.csv.left``, one that was killed as ``…csv.writing`` or ``…prepared``;
``OutputNames`` in the engine has the names. They hold whole lines, but for the last one of a file in the writing.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from despina.errors import RefusedError

_HIDDEN = re.compile(r"\.(?P<base>part-\d{5}|.+?)(?:-(?P<number>\d{5,})(?:-(?P<offset>\d+))?)?\.(?P<owner>[^.]+)"
                     r"\.(?P<ending>csv|json|txt)\.(?P<kind>left|prepared|writing)")
_LAST = 10 ** 9
"""Behind all numbers: what was in the writing is the newest."""
_BLOCK = 1 << 20


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


def told(files: Sequence[str]) -> str:
    """One sentence on where uncommitted rows lie, with the command to type."""
    path = place(files[0])
    count = f"{len(files)} hidden file{'s' if len(files) > 1 else ''}"
    return (f"rows that are not committed are in {count} ({files[0]}{', …' if len(files) > 1 else ''}): "
            f"`despina leftovers {path} --take` puts them in place, `--remove` deletes them")


def place(file: str) -> Path:
    """The sink's path that a hidden file belongs to: its folder, or the single file beside it."""
    path = Path(file)
    name = _HIDDEN.fullmatch(path.name)
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
            raise RefusedError("path", f"{path} is being written by a job, which holds `{lock.name}`", "wait for its end")
    return sorted(found, key=lambda one: (one.base, one.number))


def take(path: Path) -> list[Path]:
    """Puts them in place: as further part files of their instances, or at the end of the single file.

    :return: the files that hold the rows now
    :raise RefusedError: the single file cannot take them; it is as it was
    """
    into = []
    for one in find(path):
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
                           "it is as it was; make room, and take them again") from error
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
    """A kill may have cut a line; in csv a line end within quotes ends none."""
    data = one.file.read_bytes()
    end = data.rfind(b"\n") + 1
    if one.ending == "csv":
        while end > 0 and _open_quote(data[:end]):
            end = data.rfind(b"\n", 0, end - 1) + 1
    if end < len(data):
        os.truncate(one.file, end)


def _open_quote(lines: bytes) -> bool:
    """Whether a quoted cell is open at the end, with Spark's quote and escape."""
    return re.sub(rb"\\.", b"", lines, flags=re.DOTALL).count(b'"') % 2 == 1
