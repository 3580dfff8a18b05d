"""Specifications of topologies, and deployments beside them, as a service keeps them. Each save is a revision.

::

    DIR/graphs/NAME/REVISION/          REVISION counts from 1 for each NAME
      graph.json                       the text, as it was saved
      parts.json                       the files of its parts, by their paths, if it names any
      revision.json                    when, by whom, and why
    DIR/deployments/NAME/REVISION/
      deployment.json  revision.json

A revision appears as a whole, goes as a whole, and is not changed. Nothing of it is remembered: each question reads the folder,
so git may hold it, and what git brings is there at once, also beside a save. A revision without ``revision.json`` is nobody's, of
the time of its text. One that cannot be read is told in its place, and hides no other.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from despina import parts
from despina.errors import Place, RefusedError
from despina.service import durable
from despina.service.refusals import ConflictError, MissingError, StaleError, UnstatedError
from despina.service.saves import Kind, Save
from despina.service.store import NAME, NAME_HINT

ANY = frozenset({-1})
"""Whatever revision is there, of those that may be replaced."""
KEPT_REVISIONS = 500
"""Of each name; older ones go when another is saved."""
MOST_NAMES = 2000
SEARCHED_BYTES = 64 << 20
"""Of texts that one search reads."""
PARTS = "parts.json"
REMOVED = ".removed"


@dataclass(frozen=True)
class Found:
    """What a search has found.

    :ivar unread: names whose texts were not looked at, since those before were enough work for one search
    """

    saves: list[Save]
    unread: list[str]


@dataclass(frozen=True)
class Revision:
    """What one save has left.

    :ivar text: with the files of a graph's parts behind it, see :func:`despina.parts.sequence`
    """

    save: Save
    text: str


class Specs:
    """Those of one kind. Thread-safe: one save or removal at a time, and any number of readers."""

    def __init__(self, folder: Path, kind: Kind) -> None:
        """:param folder: the service's"""
        self.kind: Kind = kind
        self._folder = folder / f"{kind}s"
        self._lock = threading.Lock()
        for home in (self._folder, *(self._folder / name for name in self._names())):
            for left in (*home.glob(".*.making"), *home.glob(f".*{REMOVED}")):      # by a service that was killed
                shutil.rmtree(left, ignore_errors=True)

    def save(self, name: str, text: str, who: str, comment: str = "", over: frozenset[int] | None = None
             ) -> tuple[Revision, bool]:
        """Makes a revision, which is on the disk when this returns.

        :param over: revisions one of which must be the newest, :data:`ANY`, or nothing for the first of that name
        :return: it, and whether it is new: the text of the newest once more makes none
        :raise RefusedError: this is no name, or no object of JSON
        :raise StaleError: another is the newest
        :raise UnstatedError: there is one, and nothing is said of it
        :raise ConflictError: there are too many names
        :raise OSError: it could not be written: it is not saved
        """
        if not NAME.fullmatch(name):
            raise RefusedError(f"{self.kind}_name", f"name={name!r} is no name of a {self.kind}", NAME_HINT)
        text = self._plain(name, text)
        with self._lock:
            numbers = self._numbers(name)
            newest = self._read(name, numbers[-1]) if numbers else None
            self._refuse_over(name, None if newest is None else newest.save, over)
            if newest is not None and newest.text == text:
                return newest, False
            if newest is None and len(self._names()) >= MOST_NAMES:
                raise ConflictError("specs", f"{MOST_NAMES} {self.kind}s are kept, the most that may", "remove some")
            number = numbers[-1] + 1 if numbers else 1
            made = Revision(Save(name, number, time.time_ns() // 1_000_000, who, comment), text)
            self._write(made)
            for old in numbers[:max(0, len(numbers) + 1 - KEPT_REVISIONS)]:
                with contextlib.suppress(OSError):      # it goes at the next save
                    _take_away(self._folder / name / str(old))
            return made, True

    def _plain(self, name: str, text: str) -> str:
        """The text as it is when it was read again: how its files are written down makes no other revision."""
        own, _, behind = text.partition(parts.SEPARATOR)
        try:
            content, files = json.loads(own), _of_parts(json.loads(behind or "{}"))
        except (ValueError, RecursionError) as error:
            raise RefusedError("syntax", f"the {self.kind} is no JSON: {error}", "despina check finds the place",
                               Place(name)) from None
        if not isinstance(content, dict):
            raise RefusedError("syntax", f"the {self.kind} is no object of JSON", "", Place(name))
        return _whole(own, files)

    def _refuse_over(self, name: str, newest: Save | None, over: frozenset[int] | None) -> None:
        if newest is None:
            if over is not None:
                raise StaleError("revision", f"there is no {self.kind} {name}, so none can be replaced",
                                 "save it without --over, or If-Match")
            return
        told = f"the newest revision of the {self.kind} {name} is {newest.revision}{f', of {newest.who}' if newest.who else ''}"
        if over is None:
            raise UnstatedError("revision", f"{told}: say which one this replaces",
                                f"--over {newest.revision}, or If-Match: \"{newest.revision}\"")
        if over != ANY and newest.revision not in over:
            raise StaleError("revision", told, f"look at what has changed: despina {self.kind} diff {name}; then save over it")

    def _write(self, made: Revision) -> None:
        save = made.save
        home = self._folder / save.name
        for folder in (self._folder, home):
            folder.mkdir(mode=durable.PRIVATE, exist_ok=True)
        making, folder = home / f".{save.revision}.making", home / str(save.revision)
        shutil.rmtree(making, ignore_errors=True)
        is_ours = False
        try:
            making.mkdir(mode=durable.PRIVATE)
            text, _, files = made.text.partition(parts.SEPARATOR)
            durable.write_new(making / f"{self.kind}.json", text)
            if files:
                durable.write_new(making / PARTS, json.dumps(json.loads(files), indent=2, ensure_ascii=False) + "\n")
            about = {"at_ms": save.at_ms, "who": save.who, "comment": save.comment}
            durable.write_new(making / "revision.json", json.dumps(about, indent=2, ensure_ascii=False) + "\n")
            durable.sync(making)
            making.rename(folder)       # never over another
            is_ours = True
            for each in (home, self._folder, self._folder.parent):
                durable.sync(each)
        except OSError:
            if is_ours:       # what was refused must not be there
                _take_away(folder)
            shutil.rmtree(making, ignore_errors=True)
            if not is_ours and folder.exists():
                raise StaleError("revision", f"revision {save.revision} of the {self.kind} {save.name} has come into the folder "
                                 "meanwhile", f"look at what has changed: despina {self.kind} diff {save.name}; then save over it"
                                 ) from None
            raise

    def one(self, name: str, revision: int | None = None) -> Revision:
        """A revision, the newest if no number is given.

        :raise MissingError: there is none
        :raise RefusedError: somebody has damaged it
        """
        numbers = self.numbers(name)
        if revision is not None and revision not in numbers:
            raise MissingError("revision", f"the {self.kind} {name} has no revision {revision}",
                               f"it has {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"it has {numbers[0]} alone")
        return self._read(name, numbers[-1] if revision is None else revision)

    def history(self, name: str) -> list[Save]:
        """The revisions of a name that are kept, the newest last.

        :raise MissingError: there is none
        """
        found = []
        for number in self.numbers(name):
            with contextlib.suppress(MissingError):     # it goes at this moment
                found.append(self._told(name, number))
        return found

    def _told(self, name: str, revision: int) -> Save:
        """A save; of one that cannot be read, the comment says so.

        :raise MissingError: it is there no more
        """
        try:
            return self._save(name, revision)
        except RefusedError as error:
            if isinstance(error, MissingError):
                raise
            return Save(name, revision, 0, "", error.message)

    def find(self, words: str = "") -> Found:
        """Of each name the newest revision, if all these words are in its name, comment or text, in whatever case. A text is
        read only if a word is in neither of the others; those of the newest saves come first.
        """
        wanted, left = words.casefold().split(), SEARCHED_BYTES
        found, unread = [], []
        for save in sorted(self._newest(), key=lambda each: -each.at_ms):
            missing = _missing(wanted, f"{save.name}\n{save.comment}")
            if missing and (size := self._size(save)) > left:
                unread.append(save.name)
                continue
            if missing:
                left -= size
                missing = _missing(missing, self._text(save))
            if not missing:
                found.append(save)
        return Found(sorted(found, key=lambda each: each.name), sorted(unread))

    def _newest(self) -> Iterator[Save]:
        for name in self._names():
            if numbers := self._numbers(name):
                with contextlib.suppress(MissingError):     # it goes at this moment
                    yield self._told(name, numbers[-1])

    def _size(self, save: Save) -> int:
        """Of the text, in bytes; 0 of one that went."""
        folder = self._folder / save.name / str(save.revision)
        try:
            return sum(path.stat().st_size for path in folder.iterdir())
        except OSError:
            return 0

    def _text(self, save: Save) -> str:
        """The text; of one that cannot be read, why."""
        try:
            return self._read(save.name, save.revision).text
        except RefusedError as error:
            return error.message

    def remove(self, name: str) -> None:
        """Removes all revisions of a name.

        :raise MissingError: there is none
        :raise OSError: they stay
        """
        with self._lock:
            self.numbers(name)
            _take_away(self._folder / name)
            durable.sync(self._folder)

    def numbers(self, name: str) -> list[int]:
        """The revisions of a name, the newest last.

        :raise MissingError: there is none
        """
        numbers = self._numbers(name)
        if not numbers:
            close = get_close_matches(name, self._names(), 1)
            raise MissingError(self.kind, f"there is no {self.kind} {name!r}",
                               f"did you mean {close[0]}?" if close else f"see despina {self.kind} list")
        return numbers

    def _names(self) -> list[str]:
        try:
            return sorted(path.name for path in self._folder.iterdir() if NAME.fullmatch(path.name))
        except FileNotFoundError:
            return []

    def _numbers(self, name: str) -> list[int]:
        if not NAME.fullmatch(name):
            return []
        try:
            return sorted(int(path.name) for path in (self._folder / name).iterdir()
                          if path.name.isdecimal() and path.name == str(int(path.name)))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _read(self, name: str, revision: int) -> Revision:
        with self._reading(name, revision) as folder:
            # bytes: line ends stay as they were saved
            text = _whole((folder / f"{self.kind}.json").read_bytes().decode(), _of_parts(_object(folder / PARTS)))
        return Revision(self._save(name, revision), text)

    def _save(self, name: str, revision: int) -> Save:
        with self._reading(name, revision) as folder:
            about = _object(folder / "revision.json")
            at_ms = int(about.get("at_ms") or (folder / f"{self.kind}.json").stat().st_mtime * 1000)
        return Save(name, revision, at_ms, str(about.get("who") or ""), str(about.get("comment") or ""))

    @contextlib.contextmanager
    def _reading(self, name: str, revision: int) -> Iterator[Path]:
        folder = self._folder / name / str(revision)
        try:
            yield folder
        except (OSError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
            if not folder.exists():
                raise MissingError("revision", f"revision {revision} of the {self.kind} {name} was removed meanwhile",
                                   f"see despina {self.kind} history {name}") from None
            raise RefusedError("revision", f"revision {revision} of the {self.kind} {name} cannot be read: {error}",
                               "restore it from a backup, or remove its folder", Place(str(folder))) from None


def _take_away(folder: Path) -> None:
    """Removes a revision or a name. A reader sees all of it or nothing.

    :raise OSError: it stays
    """
    gone = folder.with_name(f".{folder.name}{REMOVED}")
    shutil.rmtree(gone, ignore_errors=True)
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _missing(words: Sequence[str], text: str) -> list[str]:
    text = text.casefold()
    return [word for word in words if word not in text]


def _whole(own: str, files: Mapping[str, Any]) -> str:
    return f"{own}{parts.SEPARATOR}{json.dumps(files)}" if files else own


def _object(file: Path) -> dict[str, Any]:
    """What is in a file; nothing if there is none.

    :raise ValueError: it is no object of JSON
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if not isinstance(found, dict):
        raise ValueError(f"{file.name} is no object of JSON")
    return found


def _of_parts(found: Any) -> dict[str, Any]:
    """The files of a graph's parts, as :func:`despina.parts.sequence` has them.

    :raise ValueError: they are none
    """
    if not isinstance(found, dict) or not all(isinstance(each, dict) and isinstance(each.get("text", each.get("problem")), str)
                                              for each in found.values()):
        raise ValueError("what stands behind it are no files of parts")
    return found
