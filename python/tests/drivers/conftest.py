"""What a driver does not do, and which cases of a service CI leaves to ``make every``."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from despina.errors import DespinaError
from support.every import in_every

ANSWERS = frozenset({
    "test_check_tells_everything_at_once_with_places", "test_inputs_are_refused_before_anything_runs",
    "test_report_has_the_fields_of_the_format_page", "test_duration_ends_the_sources",
    "test_open_windows_give_their_rows_when_told_and_go_on", "test_console_lines_arrive",
    "test_an_unknown_job_is_an_error_not_a_crash"})
ROWS = frozenset({
    "test_rows_come_back_typed_and_complete", "test_rows_of_one_job_go_into_the_next",
    "test_what_an_iterable_raises_fails_the_job_as_its_cause", "test_rows_come_batch_by_batch_while_they_are_given",
    "test_batches_end_with_everything_handed_over", "test_a_stopped_job_asks_an_iterable_no_more"})


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """CI tries a service over connections that break, where it hands something over in a way of its own."""
    for item in items:
        subject = str(item.callspec.params.get("any_engine", "")) if hasattr(item, "callspec") else ""
        if subject.startswith("service") and not ("broken" in subject and item.originalname in ANSWERS | ROWS):
            item.add_marker(in_every)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None, Any, Any]:
    """What a driver does not do it refuses in the words of the mark, and so it must."""
    mark = item.get_closest_marker("refused")
    engine: Any = getattr(item, "funcargs", {}).get("any_engine")
    if mark is None or engine is None or engine.name != mark.args[0]:
        return (yield)
    with pytest.raises(DespinaError, match=mark.args[1]):
        yield
    return None
