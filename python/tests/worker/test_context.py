from __future__ import annotations

import pytest

from despina_worker.context import Context, Counters


def test_a_record_is_one_line_with_its_level(capsys: pytest.CaptureFixture[str]) -> None:
    place = {"operator": "of_this_test", "instance": 1, "instances": 2}
    context, again = Context.of({}, place, Counters()), Context.of({}, place, Counters())
    context.log.debug("nobody is told")
    again.log.info("%d rows", 3)
    try:
        raise ValueError("no\nfloat")
    except ValueError:
        context.log.exception("left out")
    told, failed = capsys.readouterr().out.splitlines()
    assert told == "INFO: 3 rows"
    assert failed.startswith("ERROR: left out | Traceback (most recent call last): | ")
    assert failed.endswith(" | ValueError: no | float")
