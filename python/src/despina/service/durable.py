"""Files that are on the disk when a call returns, each as a whole: whatever is killed, one sees the old or the new one."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

PRIVATE = 0o700
PRIVATE_FILE = 0o600


def replace_file(path: Path, text: str) -> None:
    """Puts the text there as a whole: a reader, and whoever comes after a loss of power, sees the old one or the new one.

    :raise OSError: it could not be written; the old one is there
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        write_new(partial, text)
        if os.geteuid() == 0:
            _give(partial, path)
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_new(path: Path, text: str) -> None:
    """Writes a file that is not there yet."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _give(made: Path, path: Path) -> None:
    """Gives what root has made to the folder's owner, who could not read it else; in a folder of root's, to whoever has the
    file that it replaces.
    """
    owner = path.parent.stat()
    if owner.st_uid == 0 and path.exists():
        owner = path.stat()
    os.chown(made, owner.st_uid, owner.st_gid, follow_symlinks=False)


def sync(path: Path) -> None:
    """Has what is in a file, or which files are in a folder, be on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
