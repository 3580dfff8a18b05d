"""``despina control``: tells operators of a job that runs in another process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from despina.cli import options
from despina.cli.savepoint import job_text
from despina.cli.service import SERVICE
from despina.errors import visible

if TYPE_CHECKING:
    from despina.engine import Told


@click.command("control")
@click.argument("job", type=click.Path(path_type=Path), metavar="JOB")
@click.argument("command", metavar="COMMAND")
@click.argument("operator", required=False, default="")
@click.argument("argument", required=False, default="")
@SERVICE
@options.DRIVER
@options.JSON
def command(job: Path, command: str, operator: str, argument: str, service: str | None, driver: str, as_json: bool) -> int:
    """Tell OPERATOR of a running job COMMAND; without OPERATOR all that know it.

    `hold`: a source takes and makes no more packets. `go`: one that is held goes on. `flush`: rows that are gathered leave, and
    caches are emptied. `fire`: open windows give the rows that they have; with ARGUMENT `close` they end. `reload`: a lookup with
    reload_ms reads its files anew, and a Python function is imported and opened anew. `set_schedule`: ARGUMENT is a schedule, as
    the graph writes it. `status`: how each instance stands. `sync`: a mark passes through the whole graph, behind the packets.
    `tail`: some of the rows that came since it was told last; ARGUMENT is an input port. `move`: see `despina move`.

    JOB is what `despina run GRAPH --job-file FILE` has written, or the name of a job of a service.
    """
    return tell(Whom(job, driver, service), (command, operator, argument), as_json)


class Whom(NamedTuple):
    """Who is told: a job file, which that driver's engine reads, or the name of a job of that service."""

    job: Path
    driver: str
    service: str | None


def tell(whom: Whom, words: tuple[str, str, str], as_json: bool) -> int:
    """Tells a running job, and prints what its operators answer.

    :param words: the command, the operator (empty for all that know it), and the argument (empty without one)
    :return: the exit code
    """
    if whom.service or not whom.job.exists():
        told = _of_service(str(whom.job), words, whom.service)
    else:
        from despina import engine
        told = engine.start(whom.driver, coordinates_only=True).control_at(job_text(whom.job), *words)
    if as_json:
        print(json.dumps({"answers": [asdict(one) for one in told], "diagnostics": []}))
    else:
        for one in told:
            answer = standing(one.status) if words[0] == "status" and one.ok else one.answer or "done"
            print(visible(f"{one.operator}[{one.instance}]: {'' if one.ok else 'not done: '}{answer}"))
    return 0 if all(one.ok for one in told) else 1


def _of_service(name: str, words: tuple[str, str, str], service: str | None) -> Sequence[Told]:
    from despina.engine import Told
    from despina.options import read_text
    from despina.service.contexts import client, is_meant
    if not is_meant(service):
        read_text(name, "job")      # says that it is not there, and what is near
    return [Told(**one) for one in client(service).control(name, *words)["answers"]]


def standing(found: Mapping[str, Any]) -> str:
    """What an instance has answered to ``status``, in words."""
    paused = f" for {found['paused_ms']:,} ms, as {found['paused_by']} has no room" if "paused_by" in found else ""
    words = [f"{found['is']}{paused}"]
    if found["queued_bytes"]:
        millis = f" ({found['queued_ms']:,} ms)" if "queued_ms" in found else ""
        words.append(f"{found['queued_bytes']:,} bytes queued{millis}")
    if found["state_bytes"] or found.get("state_keys"):
        keys = f" in {found['state_keys']:,} keys" if "state_keys" in found else ""
        words.append(f"state of {found['state_bytes']:,} bytes{keys}")
    if "buckets" in found:
        words.append(f"buckets {found['buckets'] or 'none'}")
    if "watermark_us" in found:
        words.append(f"watermark {_instant(found['watermark_us'])}")
    return ", ".join(words)


def _instant(micros: int) -> str:
    try:
        return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros):%Y-%m-%dT%H:%M:%S.%fZ}"
    except OverflowError:   # beyond the years that Python knows
        return f"{micros} us"
