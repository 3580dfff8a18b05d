"""Where modules are looked for, and what is said of one that is not there."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path

PUT_IT = ("only what is written in Python goes along; put the graph where that package does not lie beside it, or install what "
          "lies there")
"""What to do where a package that came with a job hides an installed one."""


class Lookup:
    """The folders of modules. One to which all users of the machine may write is left out: whoever puts a module there would have
    it run with the rights of this process.
    """

    def __init__(self, folders: Sequence[str], versions: Mapping[str, str], unsent: str | None = None, sent: str | None = None
                 ) -> None:
        """:param versions: by their full names, of modules where the graph was submitted; perhaps of none
        :param unsent: why modules did not come with the job, if they did not
        :param sent: the folder of those that came
        """
        self.folders = [each for each in folders if not _is_open(each)]
        self._left_out = [each for each in folders if _is_open(each)]
        self._versions = versions
        self._unsent = unsent
        self._sent = sent

    def hidden(self) -> list[str]:
        """A line for each package that came with the job, is installed here, and lacks what is compiled of the installed one."""
        if self._sent is None:
            return []
        lines = []
        for top in sorted(each.parent.name for each in Path(self._sent).glob("*/__init__.py")):
            is_here = any(Path(folder, top).is_dir() for folder in self.folders if folder != self._sent)
            if not is_here and (first := next(self._compiled(top), None)):
                module, folder = first
                lines.append(f"package `{top}` came with the job and hides the one that is installed in {folder}, of which it "
                             f"lacks compiled modules, as `{module}`: {PUT_IT}")
        return lines

    def _compiled(self, top: str) -> Iterator[tuple[str, Path]]:
        """The compiled modules of an installed package that what came does not have, each with the package's folder."""
        found = PathFinder.find_spec(top, [each for each in sys.path if each not in self.folders])
        for location in (found.submodule_search_locations or ()) if found else ():
            folder = Path(location)
            for path in sorted(folder.rglob("*")):
                suffix = next((each for each in EXTENSION_SUFFIXES if path.name.endswith(each)), None)
                if suffix is not None:
                    parts = path.relative_to(folder).parent.parts
                    yield ".".join([top, *parts, path.name.removesuffix(suffix)]), folder

    def lacks(self, module: str) -> str:
        """What is said behind the error of whoever misses a module; perhaps nothing."""
        top = module.partition(".")[0]
        came = self._sent is not None and Path(self._sent, top, "__init__.py").is_file()
        if came and (folder := dict(self._compiled(top)).get(module)):
            return (f"; `{top}` came with the job, and hides the one that is installed in {folder}, which has that module: "
                    f"{PUT_IT}")
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
