"""Services by name, with their tokens, in one file of the user's own; and which of them a command means."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from despina.errors import Place, RefusedError
from despina.service.client import Client, token_of_environment
from despina.service.durable import replace_file

VARIABLE = "DESPINA_SERVICE"


@dataclass(frozen=True)
class Context:
    """A service and the token for it."""

    url: str
    token: str


@dataclass
class Contexts:
    """What the file has."""

    current: str = ""
    known: dict[str, Context] = field(default_factory=dict)


def path() -> Path:
    """Where the file is: ``XDG_CONFIG_HOME/despina/contexts.json``, else below ``~/.config``."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "despina" / "contexts.json"


def load() -> Contexts:
    """The contexts.

    :raise RefusedError: others may read the file, or it is none of contexts
    """
    file = path()
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Contexts()
    if mode & 0o077:
        raise RefusedError("context", "others on this machine may read the tokens in it", f"chmod 600 {file}", Place(str(file)))
    try:
        found = json.loads(text)
        return Contexts(str(found["current"]), {name: Context(**each) for name, each in found["contexts"].items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RefusedError("context", "this is no file of contexts", "remove it, and despina context add",
                           Place(str(file))) from None


def save(contexts: Contexts) -> None:
    """Replaces the file, which only its owner may read."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(file, json.dumps({"current": contexts.current,
                                   "contexts": {name: asdict(each) for name, each in contexts.known.items()}}, indent=2) + "\n")


def client(service: str | None, patient: bool = False) -> Client:
    """A client of the service that is meant: the one that is named, else that of ``DESPINA_SERVICE``, else the current context.

    :param service: an address or the name of a context
    :param patient: whether to wait for a service that is not there at this moment
    :raise RefusedError: none is meant, or there is no token for it
    """
    contexts = load()
    named = service or os.environ.get(VARIABLE) or contexts.current
    if not named:
        raise RefusedError("service", "no service is named",
                           f"--service URL, {VARIABLE} in the environment, or `despina context add`")
    known = contexts.known
    context = known.get(named) or next((each for each in known.values() if each.url == named.rstrip("/")), None)
    if context is None and "://" not in named:
        raise RefusedError("context", f"no context {named!r}", f"one of {', '.join(known)}" if known
                           else "despina context add NAME URL --token-file FILE")
    token = token_of_environment() or (context.token if context else "")
    if not token:
        raise RefusedError("token", f"there is no token for {named}", "DESPINA_TOKEN or DESPINA_TOKEN_FILE in the environment, "
                           f"or `despina context add NAME {named} --token-file FILE`")
    return Client(context.url if context else named, token, patient=patient)


def is_meant(service: str | None) -> bool:
    """Whether a command that can do without a service is to ask one."""
    return bool(service or os.environ.get(VARIABLE) or load().current)
