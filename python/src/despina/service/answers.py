"""What several routes take or answer: keys of submissions; jobs and diagnostics in the forms of :mod:`despina.service.models`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from despina.errors import Diagnostic
from despina.service import models
from despina.service.served import ServedJob

IdempotencyKey = Annotated[str | None, Header(
    max_length=200, description="Of the client's choice: with the same key, the same submission is not run twice.")]


def job_of(job: ServedJob) -> models.Job:
    """A job as it is answered."""
    status, record = job.status(), job.record
    error = record.error
    upgrade = None if record.upgrade is None else models.Upgrading(
        from_run=record.upgrade["from_run"], phase=record.upgrade["phase"])
    saved = None if record.saved is None else models.Saved(**record.saved)
    return models.Job(
        name=record.name, run=record.run, graph=record.graph, labels=dict(record.labels), wanted=record.wanted, state=job.state,
        reason=record.reason, restart=record.restart, isolation=record.isolation, starts=record.starts,
        submitted_at_ms=record.submitted_at_ms,
        changed_at_ms=record.changed_at_ms, upgrade=upgrade, saved=saved, status=status,
        values=None, error=None if not error else diagnostic_of(Diagnostic.from_dict(error)))


def diagnostic_of(diagnostic: Diagnostic) -> models.Diagnostic:
    """One as it is answered."""
    return models.Diagnostic(**diagnostic.as_dict())
