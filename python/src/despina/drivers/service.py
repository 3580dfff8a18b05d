"""A service in place of a JVM: the gateway's methods, asked over HTTP.

A job's id is ``NAME/RUN``. Rows that are handed over once by a gateway have a place here, and what is given has a number, so a
request is sent again when its connection breaks, and a service that is started again is awaited.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from despina.errors import DespinaError, GraphError, RefusedError, StartError
from despina.service.client import API, ENDED, PATIENT_S, Client, failure

ARROW = "application/vnd.apache.arrow.stream"
LOOK_S = 0.1
ROOM_MS = 1000
PASSED_ON = frozenset({"parameters", "deployment_text", "inputs", "serve"})
DROPPED = frozenset({"directory", "started_at_ms", "deployment_file", "python", "instant_micros"})
"""Options that say something of this machine, or that the service finds out itself."""
STATES = {"submitted": "deploying", "lost": "failed"}
"""States of a job of a service that a job of an engine does not have."""
EMPTY: dict[str, Any] = {"elapsed_s": 0.0, "first_packet_s": None, "operators": {}, "links": {}, "resources": {}, "collected": {}}


@dataclass
class _Rows:
    """Where a program is in the rows of a sink."""

    place: str = ""
    given: int = 0
    places: list[tuple[int, str]] = field(default_factory=lambda: [(0, "")])
    """By the number of rows that were fetched, the place behind them, from the last that the program is done with."""
    begun: bool = False
    ended: bool = False

    def behind(self, rows: int) -> int:
        """Which of the places is behind the first so many rows, -1 for all."""
        found = [k for k, (count, _) in enumerate(self.places) if rows < 0 or count <= rows]
        return found[-1] if found else 0


class ServiceDriver:
    """Thread-safe. To close it ends nothing: the jobs are the service's."""

    def __init__(self, client: Client, submission: Mapping[str, Any] | None = None) -> None:
        """Asks that service.

        :param submission: more of what is submitted with a graph: name, labels, restart
        """
        self._client = client
        self._submission = dict(submission or {})
        self._lock = threading.Lock()
        self._rows: dict[tuple[str, str], _Rows] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._lines: dict[str, str] = {}
        self._closed = False
        self._methods: dict[str, Callable[..., dict[str, Any]]] = {
            "version": self._version, "check": self._check, "format": self._format, "run": self._run, "starting": _starting,
            "status": self._status,
            "await": self._await, "awaitRows": self._await_rows, "stop": self._stop, "report": self._report, "done": self._done,
            "place": self._place, "begin": self._begin, "feed": self._feed, "fed": self._fed, "endFeed": self._end_feed,
            "console": self._console, "control": self._control, "address": self._address}

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method of the gateway that answers text."""
        if self._closed:
            raise StartError("engine_closed", "the connection to the service was closed", "despina.service(url) makes another")
        asked = self._methods.get(method)
        if asked is None:
            return json.dumps({"error": {"rule": "service", "message": f"a service does not do this: {method}",
                                         "hint": "run it here: graph.run()"}})
        try:
            return json.dumps(asked(*arguments))
        except GraphError as error:
            return json.dumps({"diagnostics": error.as_dicts()})
        except StartError:
            raise
        except DespinaError as error:
            return json.dumps({"error": {"rule": error.rule, "message": error.message, "hint": error.hint}})

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls :meth:`collected`: no other method answers bytes."""
        assert method == "collected", method
        return self._collected(*arguments)

    def alive(self) -> bool:
        """Whether it was not closed. A service that is away is awaited."""
        return not self._closed

    def close(self) -> None:
        """Ends this thread's connection. The jobs go on."""
        self._closed = True
        self._client.close()

    # --- what it answers ---

    def _version(self) -> dict[str, Any]:
        return {**self._client.ask("GET", "/version"), "pid": 0}

    def _check(self, text: str, file: str, options: str) -> dict[str, Any]:
        words = json.loads(options)
        body = {"graph": text, "file": file, "parameters": words.get("parameters") or {}, "inputs": words.get("inputs") or []}
        if "deployment_text" in words:
            body["deployment"] = words["deployment_text"]
        return self._client.ask("POST", "/check", body, again=True)

    def _format(self, text: str, file: str) -> dict[str, Any]:
        whole = self._client.without_parts(text, file)
        return {"text": self._client.formatted(text, file), **({} if whole is None else {"whole": {"text": whole, "places": {}}})}

    def _run(self, text: str, file: str, options: str) -> dict[str, Any]:
        from despina.service.bundles import beside
        words = json.loads(options)
        if unused := sorted(set(words) - PASSED_ON - DROPPED):
            raise RefusedError("option", f"not used with a service: {', '.join(unused)}",
                               "the service keeps the job's state, starts it again and says where it runs")
        body = {**self._submission, "graph": text, "file": file, "parameters": words.get("parameters") or {},
                "inputs": words.get("inputs") or []}
        if "deployment_text" in words:
            body["deployment"] = words["deployment_text"]
        if "serve" in words:
            body["spool"] = words["serve"]
        found = self._client.submit(body, bundle=beside(self._client.whole(text, file), Path(file), body["parameters"],
                                                        Path.cwd()))
        job = f"{found['name']}/{found['run']}"
        self.deployed(job)
        return {"job": job, "diagnostics": [], "pipes": []}

    def deployed(self, job: str) -> None:
        """Waits, within limits, until the sinks of a job are known, or it has ended."""
        until = time.monotonic() + PATIENT_S
        while (found := self._job(job))["status"] is None and found["state"] not in ENDED and time.monotonic() < until:
            time.sleep(LOOK_S)

    def _job(self, job: str) -> dict[str, Any]:
        return self._client.job(*_named(job))

    def _address(self, job: str) -> dict[str, Any]:
        return self._client.address(*_named(job))

    def _status(self, job: str) -> dict[str, Any]:
        found = self._job(job)
        status = {**EMPTY, **(found["status"] or {}), "job": job}
        status["state"] = STATES.get(found["state"], found["state"])
        if status["state"] == "failed":
            error = failure(found)
            status["error"] = {"rule": error.rule, "message": error.message, "hint": error.hint}
        elif found["state"] not in ENDED and found["reason"]:
            status["phase"] = found["reason"]
        return status

    def _await(self, job: str, millis: int) -> dict[str, Any]:
        until = time.monotonic() + millis / 1000
        while True:
            status = self._status(job)
            left = until - time.monotonic()
            if status["state"] in ENDED or left <= 0:
                return status
            time.sleep(min(left, LOOK_S))

    def _await_rows(self, job: str, sink: str, millis: int) -> dict[str, Any]:
        until = time.monotonic() + millis / 1000
        while True:
            status = self._status(job)
            waiting = (status["collected"].get(sink) or {}).get("waiting_bytes", 0)
            left = until - time.monotonic()
            if status["state"] in ENDED or waiting or left <= 0:
                return status
            time.sleep(min(left, LOOK_S))

    def _control(self, job: str, command: str, operator: str, argument: str) -> dict[str, Any]:
        name, run = _named(job)
        return self._client.control(name, command, operator, argument, run)

    def _stop(self, job: str, mode: str) -> dict[str, Any]:
        name, run = _named(job)
        try:
            return self._client.stop(name, mode or "drain", run=run)
        except RefusedError as error:
            if error.rule != "run":
                raise
            return {}       # it has ended, and the name is another run's

    def _report(self, job: str) -> dict[str, Any]:
        return self._client.report(*_named(job))

    # --- rows out ---

    def _path(self, job: str, kind: str, operator: str) -> tuple[str, list[tuple[str, str]]]:
        name, run = _named(job)
        return f"{API}/jobs/{quote(name, safe='')}/{kind}/{quote(operator, safe='')}", [("run", str(run))]

    def _of(self, job: str, sink: str) -> _Rows:
        with self._lock:
            return self._rows.setdefault((job, sink), _Rows())

    def _collected(self, job: str, sink: str) -> bytes:
        import pyarrow
        at = self._of(job, sink)
        if at.ended or "/" not in job:      # there are none of what is no job
            return b""
        path, query = self._path(job, "rows", sink)
        answer = self._client.send("GET", path, query=[*query, ("after", at.place), ("done", "false")], again=True)
        if not answer.body:
            at.ended = answer.headers.get("despina-state") in ENDED
            return b""
        rows = pyarrow.ipc.open_stream(answer.body).read_all().num_rows
        if rows:
            at.place = answer.headers["despina-next"]
            at.given += rows
            at.places.append((at.given, at.place))
        elif at.begun:
            return b""      # the columns, once more
        at.begun = True
        return answer.body

    def _done(self, job: str, sink: str, rows: int, how: str) -> dict[str, Any]:
        at = self._of(job, sink)
        at.places = at.places[at.behind(rows):]
        path, query = self._path(job, "rows", sink)
        self._client.send("POST", f"{path}/done", json.dumps({"place": at.places[0][1], "how": how}).encode(), query=query,
                          again=True, headers={"content-type": "application/json"})
        return {}

    def _place(self, job: str, sink: str, rows: int) -> dict[str, Any]:
        at = self._of(job, sink)
        return {"place": at.places[at.behind(rows)][1]}

    def _begin(self, job: str, sink: str, place: str) -> dict[str, Any]:
        at = self._of(job, sink)
        if at.given:
            raise RefusedError("place", f"rows of `{sink}` were fetched before it was said where they begin",
                               "give the place to the first loop, before job.wait() and job.poll()")
        at.place, at.places = place, [(0, place)]
        return {}

    # --- rows in ---

    def _feed(self, job: str, operator: str, rows: bytes, millis: int) -> dict[str, Any]:
        path, query = self._path(job, "inputs", operator)
        number = self._numbers.get((job, operator), 0)
        query += [("number", str(number)), ("wait_ms", str(min(millis, ROOM_MS)))]
        while True:
            try:
                answer = self._client.send("POST", path, rows, again=True, headers={"content-type": ARROW}, query=query)
                break
            except (StartError, RefusedError) as error:
                if error.rule != "job_state":
                    raise
            time.sleep(LOOK_S)      # it starts, or has ended
            is_open = self._status(job)["state"] not in ENDED
            if not rows or not is_open:
                return {"room": False, "open": is_open}
        if rows:
            self._numbers[job, operator] = number + 1
        found: dict[str, Any] = json.loads(answer.body)
        return found

    def _fed(self, job: str, operator: str, follow: bool, millis: int) -> dict[str, Any]:
        path, query = self._path(job, "inputs", operator)
        try:
            return self._client.ask("GET", path.removeprefix(API), query=[
                *query, ("follow", str(bool(follow)).lower()), ("wait_ms", str(min(millis, ROOM_MS)))])
        except (StartError, RefusedError) as error:
            if error.rule != "job_state":
                raise
            time.sleep(LOOK_S)
            return {"rows": -1}

    def _end_feed(self, job: str, operator: str, failure: str) -> dict[str, Any]:
        path, query = self._path(job, "inputs", operator)
        self._client.send("POST", f"{path}/end", json.dumps({"failure": failure}).encode(), again=True, query=query,
                          headers={"content-type": "application/json"})
        return {}

    def _console(self, job: str) -> dict[str, Any]:
        name, run = _named(job)
        page = self._client.ask("GET", f"/jobs/{quote(name, safe='')}/log",
                                query=[("run", str(run)), ("after", self._lines.get(job, ""))])
        self._lines[job] = page["next"]
        printed = [line for line in page["lines"] if line["source"] == "console"]
        return {"lines": [line["text"] for line in printed], "sinks": [line.get("operator", "") for line in printed]}


def _named(job: str) -> tuple[str, int]:
    """The name and the run of an id.

    :raise RefusedError: it is none of a service
    """
    name, sign, run = job.rpartition("/")
    if not sign or not run.isdecimal():
        raise RefusedError("job", f"there is no job {job!r}", "a job of a service is NAME/RUN")
    return name, int(run)


def _starting() -> dict[str, Any]:
    return {"phase": "the service checks the graph"}
