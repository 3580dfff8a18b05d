"""The user's cache folder: what is kept there may be deleted at any time.

Everything that Despina keeps there goes through here. The folder is the user's alone, since JVMs take classes from it; what is
made for it is made by one process at a time, under a name of its own, and renamed when it is whole.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIVATE = 0o700


def folder() -> Path:
    """Where it is, or would be: ``XDG_CACHE_HOME/despina``, else ``~/.cache/despina``, else one beside other temporary files."""
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "despina"
    try:
        return Path.home() / ".cache" / "despina"
    except RuntimeError:        # a container's user may have no home
        return Path(tempfile.gettempdir()) / f"despina-{os.getuid()}"


def make_folder() -> Path:
    """Makes it where it is missing, and closes it to others.

    :raise OSError: it cannot be made, or belongs to somebody else
    """
    made = folder()
    made.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    if made.stat().st_mode & 0o077:
        made.chmod(PRIVATE)
    return made


def is_private() -> bool:
    """Whether nobody else can put anything there."""
    try:
        found = folder().stat()
    except OSError:
        return False
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


@contextmanager
def locked(name: str, *, wait: bool) -> Iterator[bool]:
    """Holds the lock of that name among all processes of this user.

    :param wait: until another process lets it go
    :return: whether it is held; False only where nothing was to be waited for
    """
    with (make_folder() / f"{name}.lock").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True


def forget_all_but(kept: int, pattern: str) -> None:
    """Deletes the oldest files, or folders, of that pattern."""
    found = sorted(folder().glob(pattern), key=_age, reverse=True)
    for old in found[kept:]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):      # another process was first
                old.unlink()


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:         # another process was first
        return 0.0
