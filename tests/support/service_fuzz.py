"""What is there for requests that are made of the interface's document, whatever they do to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from hypothesis import HealthCheck, given, settings

from despina.service.client import API
from despina.service.store import ENDED
from support.openapi import Operation, Request
from support.processes import until

FILE = b"of a lookup"
STARTS = ("submitted", "deploying")
Send = Callable[[Request], tuple[int, str]]
"""Sends it with a token of the role ``admin``; the status and the text of the answer."""


class Standing:
    """A job that runs, a graph, a deployment and a file, of one name after the other."""

    def __init__(self, send: Send, text: Callable[[str], str]) -> None:
        """:param text: gives the graph's text for a name: with a source ``in``, which is given rows, and a sink ``rows``"""
        self._send = send
        self._text = text
        self._names = 0
        self.name = ""
        self._ask("PUT", f"/files/{sha256(FILE).hexdigest()}", FILE)

    def _ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self._send(Request(method, API + path, {"content-type": "application/json", **headers}, content))

    def again(self) -> None:
        """All of it under another name."""
        self._names += 1
        self.name = f"numbers{self._names}"
        self.there()

    def there(self) -> None:
        """All of it."""
        status, text = self._ask("GET", f"/jobs/{self.name}")
        if status == 404 or json.loads(text)["state"] in ENDED:
            self._ask("POST", "/jobs", {"graph": self._text(self.name), "inputs": ["in"],
                                        "labels": {"line": "1"}, "restart": "from_start"})
            until(lambda: json.loads(self._ask("GET", f"/jobs/{self.name}")[1]).get("state") not in STARTS, "job that runs")
        for kind in ("graphs", "deployments"):
            if self._ask("GET", f"/{kind}/{self.name}")[0] == 404:
                self._ask("PUT", f"/{kind}/{self.name}", {"text": self._text(self.name)})

    def leave(self) -> None:
        """Ends what was made under this name."""
        self._ask("POST", f"/jobs/{self.name}/stop", {"mode": "now"})

    def known(self) -> Mapping[str, list[Any]]:
        """By the name of a parameter or a field, what is there, and what lets a request come to its end soon."""
        text = self._text(self.name)
        return {"name": [self.name], "job": [self.name], "operator": ["rows", "in"], "sink": ["rows"], "source": ["in"],
                "run": [1], "revision": [1], "graph": [text], "text": [text], "digest": [sha256(FILE).hexdigest()],
                "inputs": [["in"]], "spool": [["rows"]], "if-match": ['"1"', "*"], "after": ["", 0],
                "command": ["flush", "hold", "go"], "number": [0], "label": ["line=1"], "find": [self.name], "limit_s": [0.0],
                "watch_s": [0.0]}


def faults(operation: Operation, standing: Standing, send: Send, examples: int) -> tuple[set[int], list[str]]:
    """Sends so many requests of an operation.

    :return: the statuses of the answers, and in words the requests that were answered by a fault of the service's: by 5xx, but
        for 503 of a job that is starting
    """
    answers: set[int] = set()
    found: list[str] = []

    @settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(operation.requests(standing.known()))
    def ask(request: Request) -> None:
        standing.there()
        status, text = send(request)
        answers.add(status)
        if status >= 500 and not (status == 503 and '"job_state"' in text):
            found.append(f"{request.method} {request.target} {request.headers} {request.content!r}: {status} {text[:500]}")
    ask()
    return answers, found
