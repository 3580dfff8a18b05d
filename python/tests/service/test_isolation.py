"""Jobs that share one process, and those that have their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.service import Service, graph

MB = 1_000_000


def submitted(service: Service, name: str, **fields: Any) -> Any:
    return service.ask("POST", "/jobs", {"graph": graph(name), **fields})


def test_jobs_that_share_a_process_have_one_resource_and_its_memory_is_taken_once(serve: Callable[..., Service]) -> None:
    service = serve(memory_bytes=1500 * MB)
    for name in ("a", "b", "c"):
        assert service.submit(name, isolation="shared")["isolation"] == "shared"
    resources = [json.loads(job.words["deployment_text"])["resources"] for job in service.engine.jobs.values()]
    assert resources == [{"shared": {"start": "child"}}] * 3
    service.submit("alone")
    assert service.ask("GET", "/service").json()["memory_taken_bytes"] == 1200 * MB
    refused = submitted(service, "other").json()["diagnostics"][0]
    assert (refused["rule"], "the process that jobs share 600 MB" in refused["message"]) == ("memory", True)
    for name in ("a", "b"):
        service.ask("POST", f"/jobs/{name}/stop")
        service.until(name, "stopped")
    assert submitted(service, "other").status_code == 409, "one of them runs"
    assert service.ask("POST", "/jobs/a/start").status_code == 202
    for name in ("a", "c"):
        service.ask("POST", f"/jobs/{name}/stop")
        service.until(name, "stopped")
    service.submit("other")
    assert service.ask("POST", "/jobs/a/start").status_code == 409, "there is no room for the process any more"


def test_it_stays_so_over_an_upgrade_and_a_loss_of_the_service(service: Service, serve: Callable[..., Service]) -> None:
    service.submit(isolation="shared")
    service.submit("alone")
    assert "isolation" not in (service.folder / "jobs/alone/1/job.json").read_text(), "an older service reads that too"
    again = service.ask("POST", "/jobs/numbers/upgrade", {"graph": graph(a={"type": "relay"}), "watch_s": 0})
    assert again.json()["isolation"] == "shared"
    service.until("numbers", "running")
    service.kill()
    back = serve()
    assert back.until("numbers", "running")["isolation"] == "shared"
    there = back.jobs.one("numbers").engine_job()
    assert there is not None
    assert '"shared"' in back.engine.jobs[there[1]].words["deployment_text"]


def test_what_wants_a_process_of_its_own_is_refused_and_is_another_submission(service: Service) -> None:
    deployment = json.dumps({"format": 1, "resources": {"a": {"start": "child", "allow_classes": ["*"]}}})
    refused = submitted(service, "numbers", isolation="shared", deployment=deployment)
    assert (refused.status_code, refused.json()["diagnostics"][0]["rule"]) == (422, "isolation")
    service.submit(isolation="shared")
    assert service.ask("POST", "/jobs/numbers/upgrade", {"graph": graph(), "deployment": deployment}).status_code == 422
    keyed = {"idempotency_key": "k"}
    assert service.ask("POST", "/jobs", {"graph": graph("keyed")}, **keyed).status_code == 202
    other = service.ask("POST", "/jobs", {"graph": graph("keyed"), "isolation": "shared"}, **keyed)
    assert (other.status_code, other.json()["diagnostics"][0]["rule"]) == (409, "idempotency_key")
    service.ask("PUT", "/graphs/hot", {"text": graph("saved")})
    assert service.ask("POST", "/graphs/hot/submit", {"isolation": "shared"}).json()["isolation"] == "shared"
