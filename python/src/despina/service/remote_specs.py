"""Graphs and deployments that a service keeps, from Python and for the command: each save a revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from despina import parts
from despina.errors import RefusedError
from despina.service.bundles import Bundle, beside
from despina.service.client import API, Client
from despina.service.saves import Kind, Save
from despina.service.submission import came_later

if TYPE_CHECKING:
    from despina.graph import Graph
    from despina.service.store import Isolation, Restart

GONE = ("graph", "revision")
"""Rules of refusals that say that what was saved is not there."""


@dataclass(frozen=True)
class Saved:
    """A revision of a graph or a deployment.

    :ivar text: with the files of a graph's parts behind it, see :func:`despina.parts.sequence`
    """

    save: Save
    text: str

    @property
    def graph(self) -> Graph:
        """It as a graph, which may be checked, run and submitted as any other."""
        from despina.graph import Graph
        found = Graph(self.text.partition(parts.SEPARATOR)[0], self.file)
        found.sent = self.text
        return found

    @property
    def file(self) -> str:
        """What diagnostics call it."""
        return f"{self.save.name}@{self.save.revision}"


class SavedSpecs:
    """What a service keeps of one kind: ``despina.service(url).graphs`` and ``.deployments``.

    >>> plant.graphs.save("hot", graph, comment="first")       # doctest: +SKIP
    >>> plant.graphs["hot"].save.revision                      # doctest: +SKIP
    1
    >>> plant.graphs.save("hot", warmer, comment="5 degrees more", over=1)     # doctest: +SKIP
    >>> print(plant.graphs.difference("hot"))                  # doctest: +SKIP
    """

    def __init__(self, client: Client, kind: Kind) -> None:
        self._client = client
        self._kind = kind

    def save(self, name: str, spec: Graph | str, comment: str = "", over: int | None = None) -> Save:
        """Makes a revision; with the text of the newest it is that one.

        :param spec: a graph, or a text
        :param over: the revision that this replaces, which must be the newest; needed where there is one
        :raise RefusedError: another is the newest, or it is no object of JSON
        """
        text = spec if isinstance(spec, str) else spec.sent
        headers = {} if over is None else {"if-match": f'"{over}"'}
        return _save(self._client.ask("PUT", self._path(name), {"text": text, "comment": comment}, headers=headers))

    def __getitem__(self, name: str) -> Saved:
        """The newest revision of that name.

        :raise RefusedError: there is none
        """
        return self.at(name)

    def at(self, name: str, revision: int | None = None) -> Saved:
        """A revision, the newest if no number is given.

        :raise RefusedError: there is none
        """
        found = self._client.ask("GET", self._path(name), query=_numbers(revision=revision))
        return Saved(_save(found), found["text"])

    def find(self, *words: str) -> list[Save]:
        """Of each name the newest revision, if all these words are in its name, comment or text, in whatever case. Of more than
        64 MB of texts the newest are looked at: :meth:`search` says which are not.
        """
        return self.search(*words)[0]

    def search(self, *words: str) -> tuple[list[Save], list[str]]:
        """The same, and names whose texts were not looked at."""
        found = self._client.ask("GET", self._path(), query=[("find", " ".join(words))])
        return [_save(each) for each in found["saves"]], list(found.get("unread", []))

    def history(self, name: str) -> list[Save]:
        """The revisions of a name that are kept, the newest last."""
        return [_save(each) for each in self._client.ask("GET", f"{self._path(name)}/revisions")["saves"]]

    def difference(self, name: str, before: int | None = None, after: int | None = None) -> str:
        """What has changed from one revision to another, the last two if none is named, as ``diff -u`` writes it."""
        return str(self.compared(name, before, after)["text"])

    def compared(self, name: str, before: int | None = None, after: int | None = None) -> dict[str, Any]:
        """The same with what has become of each operator, as the service answers it."""
        return self._client.ask("GET", f"{self._path(name)}/difference", query=_numbers(before=before, after=after))

    def remove(self, name: str) -> None:
        """Removes all revisions of a name."""
        self._client.send("DELETE", API + self._path(name))

    def _path(self, *name: str) -> str:
        return "/".join([f"/{self._kind}s", *(quote(each, safe="") for each in name)])


@dataclass(frozen=True)
class Wanted:
    """How a graph that was saved is to run.

    :ivar revision: the newest if it is not given
    :ivar job: the name of the job; the graph's if it is empty
    :ivar deployment: the name of one that was saved; empty for none
    """

    revision: int | None = None
    job: str = ""
    deployment: str = ""
    deployment_revision: int | None = None
    parameters: Mapping[str, str] | None = None
    labels: Mapping[str, str] | None = None
    restart: Restart = "resume"
    isolation: Isolation = "own"
    spool: Sequence[str] = ()


def submit(client: Client, name: str, wanted: Wanted, key: str = "") -> dict[str, Any]:
    """Has a graph that was saved run, with what it reads by relative paths, which are of the folder where one types.

    :param key: of the user's choice: with it, the same words are the same job, though another revision was saved since
    :return: the job
    """
    parameters = dict(wanted.parameters or {})
    revision, files = wanted.revision, Bundle({})
    try:
        found = SavedSpecs(client, "graph").at(name, revision)
        files = beside(client.whole(found.text, found.file), Path(found.file), parameters, Path.cwd())
        if not key:
            revision = found.save.revision      # these are the files of that one
    except RefusedError as error:
        if not key or error.rule not in GONE:
            raise       # else the service knows by the key whether it was submitted before it was removed
    body: dict[str, Any] = {"parameters": parameters, "labels": dict(wanted.labels or {}), "restart": wanted.restart,
                            **came_later(wanted.isolation, wanted.spool)}
    named = {"revision": revision, "job": wanted.job, "deployment": wanted.deployment,
             "deployment_revision": wanted.deployment_revision}
    return client.submit_saved(name, {**body, **{field: value for field, value in named.items() if value}}, key, files)


def _save(found: Mapping[str, Any]) -> Save:
    return Save(found["name"], found["revision"], found["at_ms"], found["who"], found["comment"])


def _numbers(**given: int | None) -> list[tuple[str, str]]:
    return [(name, str(number)) for name, number in given.items() if number is not None]
