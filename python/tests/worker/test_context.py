from __future__ import annotations

import pytest

from despina_worker.context import Context, Counters


def test_a_record_is_one_line_with_its_level(capsys: pytest.CaptureFixture[str]) -> None:
    place = {"operator": "of_this_test", "instance": 1, "instances": 2}
    context, again = Context.of({}, place, Counters()), Context.of({}, place, Counters())
    context.log.debug("nobody is told")
    again.log.info("%d rows\u2028and\x0b4", 3)
    try:
        raise ValueError("no\nfloat")
    except ValueError:
        context.log.exception("left out")
    told, failed = capsys.readouterr().out.removesuffix("\n").split("\n")
    assert told == "INFO: 3 rows\u2028and\x0b4", "a line ends where the engine ends it"
    assert failed.startswith("ERROR: left out | Traceback (most recent call last): | ")
    assert failed.endswith(" | ValueError: no | float")
