"""The files of a result: the kept one stays whole until the next one, which is made beside it, can take its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from despina.errors import RefusedError
from harness.result import Result


class Keeping:
    """One experiment's.

    :ivar home: the folder of the kept one
    :ivar folder: where its result is: there, or aside
    """

    def __init__(self, kept: Path, is_full: Callable[[Result], bool], aside: Path | None = None) -> None:
        """Takes what is there as it is.

        :param kept: the file; what is being made is in NAME.part.json beside it
        :param is_full: whether a result is a whole full one, which gives way to none that is less
        :param aside: a folder for what is less than the full result that is kept; None: it is in the part file alone
        """
        self._is_full = is_full
        self._kept = kept
        self._part = kept.with_suffix(".part.json")
        self._aside = None if aside is None or aside.resolve() == kept.parent.resolve() else aside
        self._unsettled = False
        self.home = self.folder = kept.parent

    @property
    def name(self) -> str:
        """Of the file."""
        return self._kept.name

    def to_resume(self, about: Mapping[str, Any], anew: bool = False) -> Result | None:
        """What a run like this can go on with: what was not settled, else what is kept; None if there is nothing.

        :param anew: begin anew where there is something of a run unlike this one
        :raise RefusedError: there is something, of a run unlike this one
        """
        refused: tuple[str, str, object, object] | None = None
        for file in (self._part, self._kept):
            if file.is_file():
                before = Result.load(file)
                unlike = differences(before.about, about)
                if not unlike:
                    self._unsettled = file == self._part
                    return before
                refused = refused or (file.name, *unlike[0])
        if refused and not anew:
            name, what, old, new = refused
            raise RefusedError("resume", f"{name} has runs with {what} {old}, and this is {new}",
                               "go on as it was begun, or begin anew without --resume")
        return None

    def to_add_to(self, about: Mapping[str, Any]) -> Result | None:
        """What is kept, if it is of a run like this; else None."""
        before = Result.load(self._kept) if self._kept.is_file() else None
        return before if before is not None and not differences(before.about, about) else None

    def save(self, result: Result) -> None:
        """Keeps what was made so far, beside what is kept."""
        result.save(self._part)
        self._unsettled = True

    def settle(self, result: Result, done: bool) -> str:
        """Puts what was made in the place of what is kept, unless that is worth more: then it goes aside.

        :param done: whether nothing of it is left to make; else the part file stays, for ``--resume``
        :return: where it is, in words, if not in that place
        """
        if not self._unsettled:
            return ""
        self._unsettled = False
        more = self._why_kept_stays(result, done)
        if not more:
            self._part.replace(self._kept)
            self.folder = self._kept.parent
            return ""
        if self._aside is None:
            return f"{self._kept} {more} and stays; this one is in {self._part}"
        self.folder = self._aside
        result.save(self._aside / self.name)
        if done:
            self._part.unlink()
        return f"{self._kept} {more} and stays; this one is in {self._aside / self.name}"

    def _why_kept_stays(self, made: Result, done: bool) -> str:
        """A full result gives way to full ones; another to any that is done, or has all that it has. Empty if it gives way."""
        if not self._kept.is_file() or self._is_full(made):
            return ""
        kept = Result.load(self._kept)
        if self._is_full(kept):
            return "is a full result"
        return "" if done or _runs(kept) <= _runs(made) else "has runs that this one has not made yet"


def _runs(result: Result) -> set[tuple[str, str, int]]:
    return {(repeat.subject, json.dumps(repeat.point), repeat.repeat) for repeat in result.repeats}


def differences(before: Mapping[str, Any], this: Mapping[str, Any]) -> list[tuple[str, object, object]]:
    """What differs and must not, between runs of one file: its name, before, now.

    Other engines do not change with our commits: a comparison may go on at another, an experiment may not.
    """
    both = before.get("engines", {}).keys() & this.get("engines", {}).keys()

    def of(about: Mapping[str, Any]) -> dict[str, object]:
        machine = about["machine"]
        return {"mode": about["mode"], "seconds": about["plan"]["seconds"], "warm-up": about["plan"]["warm_up_s"],
                "machine": {key: value for key, value in machine.items() if key != "commit"},
                "engines": {name: about["engines"][name] for name in sorted(both)},
                "commit": None if "engines" in this else machine.get("commit")}

    old, new = of(before), of(this)
    return [(what, old[what], new[what]) for what in old if old[what] != new[what]]
