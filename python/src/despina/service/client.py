"""The client of a service: requests, and our errors from its answers. Needs nothing that is not in Python."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from despina.errors import DespinaError, Diagnostic, GraphError, JobError, RefusedError, StartError, visible
from despina.version import VERSION

if TYPE_CHECKING:
    from despina.service.bundles import Bundle

API = "/api/v1"
TIMEOUT_S = 120.0
"""Longer than anything that a request may wait for."""
TRIES_S, PATIENT_S = 10.0, 60.0
"""For how long a request is tried again that can do no harm twice, when its connection breaks; of a patient client the second."""
PAUSE_S = 0.2
ROUNDS = 3
"""How often files are sent that are gone when they are named again."""
FOLLOW_S = 0.5
AT_ONCE = (ConnectionRefusedError, socket.gaierror, ssl.SSLError)
"""What another try would not mend, if the service is not about to come back."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """Speaks with one service. Each thread has a connection of its own."""

    def __init__(self, url: str, token: str, timeout_s: float = TIMEOUT_S, patient: bool = False) -> None:
        """Connects at the first request.

        :param patient: whether to wait for a service that is not there at this moment
        :raise RefusedError: this is no address of a service
        """
        self._patient = patient
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query or parts.username:
            raise RefusedError("service", f"service={url!r} is no address of a service", "for example http://127.0.0.1:7600")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._token = token
        self._timeout_s = timeout_s
        self._local = threading.local()
        self._compared = False      # written by any thread: told twice at the worst

    # --- jobs ---

    def without_parts(self, text: str, file: str) -> str | None:
        """The graph with the operators of its parts in the place of each use; None if it has none, or is not in order.

        :param text: with the files of its parts behind it, see :func:`despina.parts.sequence`
        """
        from despina import parts
        if not parts.has_any(text):
            return None
        whole: str | None = self.ask("POST", "/check", {"graph": text, "file": file}, again=True).get("whole")
        return whole

    def formatted(self, text: str, file: str) -> str:
        """The canonical form of a graph's text.

        :raise GraphError: it does not parse
        """
        found: str = self.ask("POST", "/format", {"graph": text, "file": file}, again=True)["graph"]
        return found

    def whole(self, text: str, file: str) -> str:
        """The same, or the text alone where that is None, without asking if it has no parts."""
        from despina import parts
        return (self.without_parts(text, file) if parts.has_any(text) else None) or text.partition(parts.SEPARATOR)[0]

    def submit(self, body: Mapping[str, Any], key: str = "", bundle: Bundle | None = None) -> dict[str, Any]:
        """Submits a graph; sent again when the connection breaks, it is one job all the same.

        :param body: as ``POST /api/v1/jobs`` takes it
        :param bundle: the files that come with it, of which those are sent that the service does not have
        """
        return self._sending("/jobs", body, key, bundle)

    def upgrade(self, name: str, body: Mapping[str, Any], key: str = "", bundle: Bundle | None = None) -> dict[str, Any]:
        """Has a running job go on with another graph; returns the new run.

        :param body: as ``POST /api/v1/jobs/NAME/upgrade`` takes it
        """
        return self._sending(f"/jobs/{quote(name, safe='')}/upgrade", body, key, bundle)

    def dry_run(self, name: str, body: Mapping[str, Any], bundle: Bundle | None = None) -> dict[str, Any]:
        """What an upgrade would make of a job."""
        return self._sending(f"/jobs/{quote(name, safe='')}/dry_run", body, "", bundle)

    def _sending(self, path: str, body: Mapping[str, Any], key: str, bundle: Bundle | None) -> dict[str, Any]:
        digests = {} if bundle is None else bundle.digests()
        headers = {"idempotency-key": key or str(uuid.uuid4())}
        for _ in range(ROUNDS):
            try:
                return self.ask("POST", path, {**body, **({"files": digests} if digests else {})}, headers=headers, again=True)
            except FilesError as error:
                for file, digest in digests.items():
                    if digest in error.digests and bundle is not None:
                        self.send("PUT", f"{API}/files/{digest}", bundle.files[file].read_bytes(), again=True)
        raise StartError("files_missing", f"the service at {self.url} does not keep the files", "is its disk full?")

    def jobs(self, labels: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """The last run of every name."""
        query = [("label", f"{name}={value}") for name, value in (labels or {}).items()]
        return list(self.ask("GET", "/jobs", query=query)["jobs"])

    def job(self, name: str, run: int | None = None) -> dict[str, Any]:
        """One run of a name, the last if no number is given."""
        return self.ask("GET", f"/jobs/{quote(name, safe='')}", query=_run(run))

    def start(self, name: str, from_start: bool = False) -> dict[str, Any]:
        """Starts the last run of a name again."""
        return self.ask("POST", f"/jobs/{quote(name, safe='')}/start", {"from_start": from_start})

    def stop(self, name: str, mode: str = "drain", limit_s: float | None = None, run: int | None = None) -> dict[str, Any]:
        """Has a job stopped; returns at once.

        :param run: refuses if it is not the last of that name
        """
        body = {"mode": mode, **({} if limit_s is None else {"limit_s": limit_s})}
        return self.ask("POST", f"/jobs/{quote(name, safe='')}/stop", body, query=_run(run), again=True)

    def address(self, name: str, run: int | None = None) -> dict[str, Any]:
        """Where programs reach a running job, and what lets them in: what a job file has."""
        return self.ask("GET", f"/jobs/{quote(name, safe='')}/address", query=_run(run))

    def control(self, name: str, command: str, operator: str = "", argument: str = "", run: int | None = None) -> dict[str, Any]:
        """Tells operators of a running job what to do; returns when all of their instances have answered."""
        body = {"command": command, "operator": operator, "argument": argument}
        return self.ask("POST", f"/jobs/{quote(name, safe='')}/control", body, query=_run(run))

    def remove(self, name: str, run: int | None = None) -> None:
        """Removes a run, or all of a name."""
        self.send("DELETE", f"{API}/jobs/{quote(name, safe='')}", query=_run(run))

    def report(self, name: str, run: int | None = None) -> dict[str, Any]:
        """Its report."""
        return self.ask("GET", f"/jobs/{quote(name, safe='')}/report", query=_run(run))

    def lines(self, what: str, name: str, run: int | None = None, follow: bool = False,
              operator: str = "") -> Iterator[dict[str, Any]]:
        """Lines of a ``log`` or of ``errors``.

        :param follow: waits for more, until the job has ended and all were given
        :param operator: of ``errors`` its bad records
        """
        after = ""
        part = [("operator", operator)] if operator else []
        while True:
            ended = follow and self.job(name, run)["state"] in ENDED
            page = self.ask("GET", f"/jobs/{quote(name, safe='')}/{what}", query=[*_run(run), *part, ("after", after)])
            after = page["next"]
            yield from page["lines"]
            if not page["lines"]:
                if not follow or ended:
                    return
                time.sleep(FOLLOW_S)

    def tail(self, name: str, operator: str, port: str = "", after: int = 0, run: int | None = None) -> dict[str, Any]:
        """Some of the rows that have come to an operator; ``next`` is the ``after`` of the next question."""
        path = f"/jobs/{quote(name, safe='')}/tail/{quote(operator, safe='')}"
        return self.ask("GET", path, query=[*_run(run), ("port", port), ("after", str(after))])

    def submit_saved(self, name: str, body: Mapping[str, Any], key: str = "", bundle: Bundle | None = None) -> dict[str, Any]:
        """Submits a graph that was saved.

        :param body: as ``POST /api/v1/graphs/NAME/submit`` takes it
        """
        return self._sending(f"/graphs/{quote(name, safe='')}/submit", body, key, bundle)

    # --- requests ---

    def ask(self, method: str, path: str, body: Any = None, *, query: list[tuple[str, str]] | None = None,
            headers: Mapping[str, str] | None = None, again: bool = False) -> dict[str, Any]:
        """A request below ``/api/v1`` with an object as its answer."""
        content = None if body is None else json.dumps(body).encode()
        answer = self.send(method, API + path, content, query=query, again=again or method == "GET", headers={
            **({"content-type": "application/json"} if content is not None else {}), **(headers or {})})
        found: dict[str, Any] = json.loads(answer.body)
        return found

    def send(self, method: str, path: str, body: bytes | None = None, *, query: list[tuple[str, str]] | None = None,
             headers: Mapping[str, str] | None = None, again: bool = False) -> Answer:
        """A request.

        :param again: whether it may be sent again when the connection breaks before there is an answer
        :raise GraphError: the service refused a graph
        :raise RefusedError: it refused something else
        :raise StartError: it is not reached, or cannot do it now
        """
        until = time.monotonic() + (PATIENT_S if self._patient else TRIES_S)
        target = f"{path}?{urlencode(query)}" if query else path
        if not again:
            self._drop()        # one that was used before may have been closed over there, which is seen too late
        while True:
            try:
                answer = self._sent(method, target, body, headers or {})
                if not (self._patient and again and _comes_back(answer)) or time.monotonic() >= until:
                    break
                time.sleep(PAUSE_S)
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                if not again or time.monotonic() >= until or (isinstance(error, AT_ONCE) and not self._patient):
                    raise StartError("service_unreachable", f"the service at {self.url} is not reached: {error}",
                                     "is it running? `despina serve` starts it; --service URL names another") from None
                time.sleep(PAUSE_S)
        if answer.status >= 400:
            raise error_of(answer, self.url)
        return answer

    def _sent(self, method: str, target: str, body: bytes | None, given: Mapping[str, str]) -> Answer:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            made = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = self._local.connection = made(self._host, self._port, timeout=self._timeout_s)
        connection.request(method, target, body, {"authorization": f"Bearer {self._token}", "user-agent": f"despina/{VERSION}",
                                                  **given})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        if response.status != 204 and response.length is None and not response.chunked:
            raise http.client.IncompleteRead(b"")       # cut among its headers, which Python takes for their end
        body = response.read()      # before its headers are believed, of which a cut may have left a part
        if not self._compared:
            self._compare(headers.get("despina-version", VERSION))
        return Answer(response.status, headers, body)

    def _compare(self, version: str) -> None:
        """Tells, once, that the service is of another minor version, which may know other words."""
        self._compared = True
        if version.split(".")[:2] != VERSION.split(".")[:2]:
            print(f"despina: the service at {self.url} is Despina {visible(version)}, and this is {VERSION}: what only one of "
                  "them knows is refused", file=sys.stderr)

    def _drop(self) -> None:
        connection, self._local.connection = getattr(self._local, "connection", None), None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Ends this thread's connection."""
        self._drop()


ENDED = frozenset({"done", "failed", "stopped", "incomplete", "lost"})
"""States of a job of which no process lives."""


class FilesError(RefusedError):
    """The service does not have these files."""

    def __init__(self, diagnostic: Diagnostic, digests: Iterable[str]) -> None:
        super().__init__(diagnostic.rule, diagnostic.message, diagnostic.hint)
        self.digests = frozenset(digests)


def _comes_back(answer: Answer) -> bool:
    """Whether only the coordinator is missing, which is being started again."""
    return answer.status == 503 and b'"job_state"' not in answer.body


def error_of(answer: Answer, url: str) -> DespinaError:
    """What a service answered in place of what was asked for."""
    try:
        found = [Diagnostic.from_dict(each) for each in json.loads(answer.body)["diagnostics"]]
    except (ValueError, KeyError, TypeError):
        found = []
    if not found:
        return StartError("service", f"{url} answered {answer.status}, which is no answer of a service", "is the address right?")
    first = found[0]
    if first.rule == "files_missing":
        return FilesError(first, json.loads(answer.body).get("files") or ())
    if answer.status in (429, 503, 507):
        return StartError(first.rule, first.message, first.hint)
    if answer.status == 422 and (len(found) > 1 or first.place.file or first.operator):
        return GraphError(found) if any(each.severity == "error" for each in found) else RefusedError(first.rule, first.message)
    where = f" (at {first.pointer})" if first.pointer else ""
    return RefusedError(first.rule, first.message + where, first.hint)


def failure(job: Mapping[str, Any]) -> JobError:
    """Why a job failed or was lost."""
    error = job.get("error") or {}
    return JobError(str(error.get("rule") or "job"), str(error.get("message") or job["reason"] or f"the job is {job['state']}"),
                    str(error.get("hint") or ""))


def _run(run: int | None) -> list[tuple[str, str]]:
    return [] if run is None else [("run", str(run))]


def token_of_environment() -> str:
    """The token of ``DESPINA_TOKEN``, or in the file that ``DESPINA_TOKEN_FILE`` names; empty for none."""
    from pathlib import Path

    from despina.service.tokens import read_secret
    if text := os.environ.get("DESPINA_TOKEN"):
        return text
    file = os.environ.get("DESPINA_TOKEN_FILE")
    return read_secret(Path(file)) if file else ""
