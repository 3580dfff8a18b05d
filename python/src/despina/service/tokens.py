"""Who may do what: tokens, of which only hashes are kept. One that is taken back counts no more at the next request."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from despina.errors import Place, RefusedError, StartError
from despina.service.durable import replace_file
from despina.service.store import NAME, NAME_HINT

Role = Literal["view", "operate", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what those before it may: ``view`` looks, ``operate`` submits, starts and stops, ``admin`` removes, and
learns what lets programs in at jobs."""
PREFIX = "despina"


@dataclass(frozen=True)
class Token:
    """What is kept of a token."""

    name: str
    role: Role
    sha256: str
    made_at_ms: int

    def may(self, role: Role) -> bool:
        """Whether its role has that one."""
        return ROLES.index(self.role) >= ROLES.index(role)


class Tokens:
    """A file of tokens. It is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._tokens: tuple[Token, ...] = ()

    def listed(self) -> tuple[Token, ...]:
        """Those that count now.

        :raise RefusedError: others may read the file, or it is none of tokens
        :raise StartError: this user may not read it, say
        """
        with self._lock:
            try:
                found = self._path.stat()
            except FileNotFoundError:
                self._seen, self._tokens = None, ()
                return ()
            except OSError as error:
                raise self._unread(error) from None
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen != self._seen:
                if found.st_mode & 0o077:
                    raise RefusedError("tokens", "others on this machine may read or write the file of tokens",
                                       f"chmod 600 {self._path}", Place(str(self._path)))
                self._tokens = self._read()
                self._seen = seen
            return self._tokens

    def _read(self) -> tuple[Token, ...]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except OSError as error:
            raise self._unread(error) from None
        try:
            found = tuple(Token(**each) for each in json.loads(text)["tokens"])
        except (ValueError, KeyError, TypeError):
            raise RefusedError("tokens", "this is no file of tokens", "`despina token add` makes one",
                               Place(str(self._path))) from None
        return tuple(token for token in found if token.role in ROLES)

    def _unread(self, error: OSError) -> StartError:
        return StartError("tokens", f"the file of tokens cannot be read: {error.strerror or error}",
                          "let the service's user own it: `sudo -u despina despina token add` makes it so",
                          Place(str(self._path)))

    def of(self, text: str) -> Token | None:
        """The one that the text is; None if it is none."""
        given = _hash(text)
        found = None
        for token in self.listed():
            if hmac.compare_digest(token.sha256, given):
                found = token
        return found

    def add(self, name: str, role: Role, keep: Callable[[str], None] = lambda text: None) -> str:
        """Makes one.

        :param keep: is called with its text before it counts
        :return: its text, which is kept nowhere
        :raise RefusedError: there is one of that name
        """
        if not NAME.fullmatch(name):
            raise RefusedError("token", f"name={name!r} is no name of a token", NAME_HINT)
        if any(token.name == name for token in self.listed()):
            raise RefusedError("token", f"there is a token {name}", f"despina token remove {name} takes it back")
        text = f"{PREFIX}_{secrets.token_urlsafe(32)}"
        keep(text)
        self._write((*self.listed(), Token(name, role, _hash(text), time.time_ns() // 1_000_000)))
        return text

    def remove(self, name: str) -> None:
        """Takes one back.

        :raise RefusedError: there is none of that name
        """
        left = tuple(token for token in self.listed() if token.name != name)
        if len(left) == len(self.listed()):
            raise RefusedError("token", f"there is no token {name!r}", "despina token list")
        self._write(left)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, json.dumps({"tokens": [asdict(token) for token in tokens]}, indent=2) + "\n")


def _hash(text: str) -> str:
    """A token has 256 random bits: nothing slower is needed."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_secret(path: Path) -> str:
    """The token in a file of the user's.

    :raise RefusedError: it cannot be read, or others may
    """
    try:
        found = path.stat()
        text = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise RefusedError("token_file", f"the token cannot be read: {error.strerror}", "", Place(str(path))) from None
    if found.st_mode & 0o077 and found.st_uid == os.getuid():
        raise RefusedError("token_file", "others on this machine may read the token", f"chmod 600 {path}", Place(str(path)))
    return text
