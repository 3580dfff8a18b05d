"""Requests that are made of the interface's own document: whatever is asked, the answer is no fault of the service's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from despina.service.guard import Limits
from support.openapi import Operation, Request, operations
from support.service import Service, app, graph
from support.service_fuzz import Standing, faults

EXAMPLES = 100 if "DESPINA_EVERY_CASE" in os.environ else 6
"""Of each operation."""
SOME = {200, 201, 202, 204, 409, 412, 422, 428}
"""Answers of which one at least comes to requests for what is there."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("fuzz") / "home", limits=Limits(requests_per_s=1e6))
    assert service.engine.alive()
    yield service
    service.close()


@pytest.mark.parametrize("operation", list(operations(app.openapi())), ids=str)
def test_no_request_makes_a_fault(asked: Service, operation: Operation) -> None:
    def send(request: Request) -> tuple[int, str]:
        answer = asked.client.request(request.method, request.target, content=request.content,
                                      headers={"authorization": f"Bearer {asked.secrets['admin']}", **request.headers})
        return answer.status_code, answer.text
    standing = Standing(send, graph)
    standing.again()
    answers, found = faults(operation, standing, send, EXAMPLES)
    assert not found
    assert answers & SOME
