"""The live stream, and what else a viewer asks for."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from starlette.concurrency import run_in_threadpool

from despina.service import live, log
from despina.service.answers import job_of
from despina.service.live import Live, rounded
from support.processes import until
from support.service import Service, graph, parts


def messages(lines: Any) -> Any:
    """The events of a stream, as they come: kind, place, data."""
    told: dict[str, str] = {}
    for line in lines:
        key, _, text = line.partition(": ")
        if key:
            told[key] = text
        elif told:
            yield told["event"], told.get("id"), json.loads(told["data"])
            told = {}


def test_a_viewer_is_told_of_all_jobs_one_as_a_whole_and_what_happens(service: Service) -> None:
    service.submit(labels={"line": "1"})
    service.submit("other")
    service.engine.named(0).counters = {"operators": {"a": {"packets_in": 1, "errors": 2}}}
    service.jobs.one("numbers")._standing.status_at = -1.0
    place = service.ask("GET", "/events").json()["next"]
    given = {"authorization": f"Bearer {service.secrets['view']}"}
    with service.listening() as url, httpx.stream("GET", f"{url}/api/v1/live", params={"job": "numbers", "after": place},
                                                  headers=given, timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        found = messages(answer.iter_lines())
        kind, _, jobs = next(found)
        assert kind == "jobs"
        assert [(each["name"], each["state"], each["labels"]) for each in jobs["jobs"]] == [
            ("numbers", "running", {"line": "1"}), ("other", "running", {})]
        kind, _, one = next(found)
        assert (kind, one["job"]["name"], one["job"]["status"]["operators"]["a"]["errors"]) == ("job", "numbers", 2)
        service.ask("POST", "/jobs/other/stop", role="operate")
        kind, after, events = next(each for each in found if each[0] == "events")
        assert [line["what"] for line in events][:1] == ["stop"]
        assert log.place_of(after) > log.place_of(place)
        service.tokens.remove("view0")
        assert all(each[0] for each in found)       # to the end, for the token counts no more
    until(lambda: parts.live.viewers == 0, "viewer that has left")


def test_texts_of_a_second_are_shared_and_without_viewers_none_is_made(service: Service) -> None:
    service.submit()
    asked: list[str] = []

    def told(job: Any) -> Any:
        asked.append(job.record.name)
        return job_of(job)
    now = {"at": 100.0}
    shared = Live(service.jobs, told, lambda: now["at"])
    assert asked == []
    first = [shared._messages("numbers", "")[0] for _ in range(5)]
    assert asked == ["numbers"]
    assert len(set(first)) == 1
    now["at"] = 101.0
    shared._messages("numbers", "")
    shared._messages("absent", "")
    assert asked == ["numbers"] * 2
    assert "there is no job 'absent'" in shared._messages("absent", "")[0]


def test_viewers_are_bounded_and_one_that_leaves_early_makes_room(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_VIEWERS", 1)
    viewing = parts.live.follow("", "", lambda: True)
    refused = service.ask("GET", "/live", role="view")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")

    async def gone() -> Any:
        raise OSError("the client has gone")

    async def leave() -> None:
        await viewing({"type": "http", "asgi": {"spec_version": "2.4"}}, gone, _refusing)
    with pytest.raises(BaseException):      # noqa: B017, PT011
        asyncio.run(leave())
    assert parts.live.viewers == 0


async def _refusing(message: Any) -> None:
    raise OSError("the client has gone")


def test_a_service_that_ends_ends_its_streams(service: Service) -> None:
    parts.live.close()
    assert service.ask("GET", "/live").text == ""


def test_a_run_is_told_as_it_was_submitted_with_its_plan(service: Service) -> None:
    service.submit(deployment='{"format": 1, "resources": {"a": {}}}')
    found = service.ask("GET", "/jobs/numbers/graph", role="view").json()
    assert json.loads(found["graph"])["name"] == "numbers"
    assert json.loads(found["deployment"])["resources"] == {"a": {}}
    assert found["plan"] == {"name": "g"}
    service.coordinator.close()
    assert service.ask("GET", "/jobs/numbers/graph").json()["plan"] is None


def test_the_service_tells_of_itself_and_what_it_records(service: Service) -> None:
    assert service.engine.alive()
    found = service.ask("GET", "/service", role="view").json()
    assert {each["name"] for each in found["processes"]} >= {"service"}
    assert all(each["resident_bytes"] > 0 for each in found["processes"])
    assert found["disk_bytes"] >= found["disk_free_bytes"] > 0
    assert {each["of"] for each in service.ask("GET", "/series").json()} == {"job", "operator", "link", "resource"}


@pytest.mark.parametrize(("value", "short"), [(0.0, 0.0), (123456.789, 123457.0), (0.000123456789, 0.000123457), (7e9, 7e9)])
def test_numbers_are_as_long_as_anybody_reads(value: float, short: float) -> None:
    assert rounded(value) == short


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["diagnostics"][0]["message"]


def test_a_body_of_who_may_only_look_is_not_read(service: Service) -> None:
    large: Callable[[], Any] = lambda: iter([b"x" * 1000])      # noqa: E731
    given = {"authorization": f"Bearer {service.secrets['view']}"}
    answer = service.client.post("/api/v1/jobs", content=large(), headers=given)
    assert refused(answer) == (403, "the token view0 may view, and this wants operate")
    answer = service.client.post("/api/v1/check", content=large(), headers=given)
    assert answer.status_code == 422


def test_who_looks_is_told_the_names_of_parameters_and_not_their_values(service: Service) -> None:
    service.engine.plan = {"name": "numbers", "operators": [
        {"id": "a", "fields": {"where": "name = 'hunter2'", "limit": 5, "made_of": ["hunter2"],
                              "part_of": "unter", "turned": True}},
        {"id": "b", "fields": {"select": ["n"]}}]}
    operators = {"a": {"type": "filter", "where": "name = '${password}'"}, "b": {"type": "map", "select": ["n"]}}
    service.submit(graph=graph("numbers", **operators), parameters={"password": "hunter2"})
    answer = service.ask("GET", "/jobs/numbers/graph", role="view")
    assert "hunter2" not in answer.text
    assert [each["fields"] for each in answer.json()["plan"]["operators"]] == [
        {"where": "name = '${password}'", "limit": 5, "turned": True}, {"select": ["n"]}]


def test_a_place_that_is_none_is_refused_in_words(service: Service) -> None:
    answer = service.ask("GET", "/live?after=yesterday", role="view")
    assert (answer.status_code, answer.json()["diagnostics"][0]["rule"]) == (422, "cursor")
    assert parts.live.viewers == 0


def test_viewers_that_wait_for_a_coordinator_leave_threads_to_requests(service: Service) -> None:
    service.submit()
    asked, goes_on = threading.Event(), threading.Event()

    def told(job: Any) -> Any:
        asked.set()
        assert goes_on.wait(60)
        return job_of(job)
    stuck = Live(service.jobs, told)

    async def viewed() -> None:
        streams = [stuck._stream("numbers", "", lambda: True) for _ in range(live.MOST_VIEWERS)]
        viewers = [asyncio.ensure_future(anext(each)) for each in streams]
        try:
            assert await asyncio.to_thread(asked.wait, 60)
            for _ in range(100):
                await asyncio.wait_for(run_in_threadpool(int), 10)
        finally:
            goes_on.set()
            assert all(b"event: job" in text for text in await asyncio.gather(*viewers))
    asyncio.run(viewed())
