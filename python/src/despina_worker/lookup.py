"""Where modules are looked for, and what is said of one that is not there."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from pathlib import Path


class Lookup:
    """The folders of modules. One to which all users of the machine may write is left out: whoever puts a module there would have
    it run with the rights of this process.
    """

    def __init__(self, folders: Sequence[str], versions: Mapping[str, str], unsent: str | None = None) -> None:
        """:param versions: by their full names, of modules where the graph was submitted; perhaps of none
        :param unsent: why modules did not come with the job, if they did not
        """
        self.folders = [each for each in folders if not _is_open(each)]
        self._left_out = [each for each in folders if _is_open(each)]
        self._versions = versions
        self._unsent = unsent

    def lacks(self, module: str) -> str:
        """What is said behind the error of whoever misses a module; perhaps nothing."""
        top = module.partition(".")[0]
        said = [f"; it is not taken from {folder}, to which all users may write: move it to a folder of your own, or chmod o-w "
                f"{folder}" for folder in self._left_out if Path(folder, top).is_dir() or Path(folder, f"{top}.py").is_file()]
        if self._unsent and (not self._versions or any(f"{each}.".startswith(f"{module}.") for each in self._versions)):
            said.append(f"; {self._unsent}")
        return "".join(said)


def _is_open(folder: str) -> bool:
    try:
        return bool(Path(folder).stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False        # nothing is found there
