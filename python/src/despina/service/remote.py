"""A service from Python: its jobs, each a :class:`~despina.job.Job` as of an engine here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import quote

from despina.drivers.service import ServiceDriver
from despina.engine import Engine
from despina.errors import RefusedError
from despina.graph import SERVICE
from despina.job import Job
from despina.options import RunArguments, run_options
from despina.service.bundles import Bundle, beside
from despina.service.contexts import client
from despina.service.remote_specs import SavedSpecs, Wanted, submit
from despina.service.store import Isolation, Restart
from despina.service.submission import came_later

if TYPE_CHECKING:
    from despina.graph import Graph
    from despina.inputs import Given



class Remote:
    """A service that is reached by its address, or by the name of its context.

    >>> plant = despina.service("http://127.0.0.1:7600")       # doctest: +SKIP
    >>> plant.submit(graph, labels={"line": "1"})
    >>> for rows in plant["hot"].batches():
    ...     keep(rows.to_pandas())
    """

    def __init__(self, service: str | None = None) -> None:
        """:param service: its address or context; else as for the command

        :raise RefusedError: none is meant, or there is no token for it
        """
        self._client = client(service, patient=True)
        self.graphs = SavedSpecs(self._client, "graph")
        """Graphs that it keeps."""
        self.deployments = SavedSpecs(self._client, "deployment")
        """Deployments that it keeps."""

    @property
    def url(self) -> str:
        """Its address."""
        return self._client.url

    def jobs(self) -> dict[str, Job]:
        """The jobs by name: of each the last run. Python does not stop them when it leaves them."""
        engine = self._engine()
        return {found["name"]: self._job(engine, found) for found in self._client.jobs()}

    def __getitem__(self, name: str) -> Job:
        """The last run of that name.

        :raise RefusedError: there is none
        """
        return self._deployed(self._client.job(name))

    def _deployed(self, found: Mapping[str, Any]) -> Job:
        driver = ServiceDriver(self._client)
        driver.deployed(f"{found['name']}/{found['run']}")
        return self._job(Engine(driver, SERVICE), found)

    def _job(self, engine: Engine, found: Mapping[str, Any]) -> Job:
        name, run = str(found["name"]), str(found["run"])
        job = Job(engine, f"{name}/{run}", name)
        job.form = partial(self._client.ask, "GET", f"/jobs/{quote(name, safe='')}/graph", query=[("run", run)])
        return job

    def submit(self, graph: Graph, *, name: str | None = None, labels: Mapping[str, str] | None = None,
               restart: Restart = "resume", isolation: Isolation = "own", inputs: Mapping[str, Given] | None = None,
               **options: Unpack[RunArguments]) -> Job:
        """Has a graph run there from now on.

        :param name: of the job; the graph's if not given
        :param labels: to find it by
        :param restart: what becomes of it when the service is lost
        :param isolation: ``own`` processes, or one that it has together with all jobs that are ``shared``
        :param inputs: rows for sources, as of :meth:`Graph.run <despina.Graph.run>`
        :param options: ``parameters``, ``deployment`` and ``spool``
        :raise GraphError: it is refused
        """
        more: dict[str, Any] = {"restart": restart, "labels": dict(labels or {}), **came_later(isolation),
                                **({} if name is None else {"name": name})}
        return graph.start(self._engine(more), run_options(options), inputs=inputs)

    def submit_saved(self, name: str, revision: int | None = None, wanted: Wanted | None = None) -> Job:
        """Has a graph run that was saved in :attr:`graphs`.

        :param revision: the newest if it is not given
        :param wanted: the job's name, labels, parameters, a deployment that was saved
        :raise GraphError: it is refused
        """
        asked = wanted or Wanted()
        return self._deployed(submit(self._client, name, replace(asked, revision=revision or asked.revision)))

    def upgrade(self, name: str, graph: Graph, *, watch_s: float = 30.0, **options: Unpack[RunArguments]) -> Job:
        """Has a running job go on with another graph, and returns the new run. The old graph drains into a savepoint, from which
        the new one starts; if that fails within ``watch_s``, the old one comes back.

        :param options: ``parameters`` and ``deployment``, as before if not given; ``drop``, operators of the running graph whose
            state may be lost; ``rename``, by the id of an operator there its id in this one
        :raise GraphError: it is refused, or a state cannot go on
        :raise RefusedError: the job does not run, or is being upgraded
        """
        body, bundle = self._another(graph, options)
        return self._job(self._engine(), self._client.upgrade(name, {**body, "watch_s": watch_s}, bundle=bundle))

    def dry_run(self, name: str, graph: Graph, **options: Unpack[RunArguments]) -> list[dict[str, str]]:
        """What :meth:`upgrade` would make of each operator (``change``) and its ``state``; changes nothing."""
        body, bundle = self._another(graph, options)
        return list(self._client.dry_run(name, body, bundle)["operators"])

    def _another(self, graph: Graph, options: Mapping[str, Any]) -> tuple[dict[str, Any], Bundle]:
        """What is sent of another graph for a job."""
        words = run_options(options).for_gateway()
        if unused := sorted(set(words) - {"parameters", "deployment_text", "deployment_file", "directory", "drop", "rename"}):
            raise RefusedError("option", f"not used with a service: {', '.join(unused)}",
                               "the service keeps the job's state, starts it again and says where it runs")
        parameters: dict[str, str] = words.get("parameters") or {}
        body = {"graph": graph.sent, "file": graph.file, "drop": words.get("drop") or [], "rename": words.get("rename") or {},
                "parameters": parameters}
        if "deployment_text" in words:
            body["deployment"] = words["deployment_text"]
        return body, beside(self._client.whole(graph.sent, graph.file), Path(graph.file), parameters, Path.cwd())

    def _engine(self, submission: Mapping[str, Any] | None = None) -> Engine:
        return Engine(ServiceDriver(self._client, submission), SERVICE)

    def __repr__(self) -> str:
        return f"despina.service({self.url!r})"


def reach(service: str | None = None) -> Remote:
    """A service from Python.

    :param service: its address, or the name of its context; else that of ``DESPINA_SERVICE``, else the current context
    :raise RefusedError: none is meant, or there is no token for it
    """
    return Remote(service)
