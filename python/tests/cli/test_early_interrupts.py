"""A Ctrl-C between the start of a job and the moment from which it is waited for. It was lost, and the command never ended."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest

from despina import interrupts
from despina.cli.run import _wait
from despina.cli.standard import StandardStreams
from despina.engine import Engine
from despina.job import Job


def test_it_stops_the_job(scripted: Callable[..., tuple[Engine, Any]], a_status: Callable[..., dict[str, Any]],
                          monkeypatch: pytest.MonkeyPatch) -> None:
    engine, driver = scripted(status=[a_status("running")], **{"await": [a_status("stopped")]})
    job, early = Job(engine, "j1", "g"), iter([KeyboardInterrupt()])
    wait = job.wait

    def interrupted(*arguments: Any, **named: Any) -> Any:
        for each in early:
            raise each
        return wait(*arguments, **named)

    monkeypatch.setattr(job, "wait", interrupted)
    with interrupts.restored():
        assert _wait(job, None, None) == (interrupts.EXIT_CODE, None)
    assert [asked for asked in driver.asked if asked[0] == "stop"] == [("stop", "j1", "")]


def test_the_output_of_a_job_that_nobody_waits_for_ends() -> None:
    streams = StandardStreams(output=True)
    output = os.open(streams.paths()["stdout"], os.O_WRONLY)
    job = cast(Job, SimpleNamespace(pipes={"stdout"}, counters=SimpleNamespace(ended=False), stop=lambda: os.close(output)))

    def run() -> None:
        with suppress(KeyboardInterrupt), streams.copied(job):
            raise KeyboardInterrupt

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
