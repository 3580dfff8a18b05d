"""What a notebook shows of a job that is waited for."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from despina.engine import Checked, Engine
from despina.errors import Diagnostic, Place
from despina.job import Job, Status
from despina.notebook import page
from despina.rates import Rates

Scripted = Callable[..., tuple[Engine, Any]]
AStatus = Callable[..., dict[str, Any]]


class Notebook:
    """A kernel's shell, and the outputs of its cell: each with all that it has shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kernel: bool = True) -> None:
        self.outputs: list[list[str]] = []
        shell = type("Shell", (), {"kernel": object()} if kernel else {})()
        ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
        monkeypatch.setattr(ipython, "get_ipython", lambda: shell, raising=False)
        monkeypatch.setattr(display, "HTML", str, raising=False)
        monkeypatch.setattr(display, "display", self._display, raising=False)
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def _display(self, shown: str, display_id: bool) -> Any:
        assert display_id
        self.outputs.append([shown])
        return type("Handle", (), {"update": staticmethod(self.outputs[-1].append)})


def counted(state: str, elapsed_s: float, packets: int, **more: int) -> dict[str, Any]:
    return {"state": state, "elapsed_s": elapsed_s, "operators": {
        "read": {"packets_in": 0, "packets_out": packets}, "kept": {"packets_in": packets, "packets_out": 3, **more}}}


def test_a_job_that_is_waited_for_has_one_output_that_follows_it(
        scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook(monkeypatch)
    engine, _ = scripted(**{"await": [counted("running", 1, 1000), counted("running", 2, 5000), counted("done", 3, 6000)]})
    job = Job(engine, "j1", "hot")
    job.wait()
    assert len(notebook.outputs) == 1
    first, second, last = notebook.outputs[0]
    assert ">running</span>, 1.0 s" in first
    assert "4.00 k/s" in second
    assert ">done</span>, 3.0 s" in last
    assert "mean rate" in last
    job.wait()
    assert len(notebook.outputs) == 1


def test_a_watch_of_the_users_own_is_used_alone(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook(monkeypatch)
    engine, _ = scripted(**{"await": [counted("running", 1, 1), counted("done", 2, 1)]})
    seen: list[Status] = []
    Job(engine, "j1", "g").wait(watch=seen.append)
    assert (len(seen), notebook.outputs) == (2, [])


def test_a_shell_without_a_kernel_shows_nothing(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook(monkeypatch, kernel=False)
    engine, driver = scripted(**{"await": [counted("running", 1, 1), counted("done", 2, 1)]})
    Job(engine, "j1", "g").wait()
    assert notebook.outputs == []
    assert "status" not in [asked[0] for asked in driver.asked]


def test_a_job_shows_rates_once_it_has_been_looked_at_twice(scripted: Scripted) -> None:
    engine, _ = scripted(status=[counted("running", 1, 1000), counted("running", 3, 5000)])
    job = Job(engine, "j1", "hot")
    assert "0/s" in job._repr_html_()
    assert "2.00 k/s" in job._repr_html_()


def test_unusual_counters_are_columns_where_there_are_any() -> None:
    assert "late" not in page("g", Status.from_dict(counted("done", 2, 10)), Rates())
    shown = page("g", Status.from_dict(counted("done", 2, 10, late=7)), Rates())
    assert ">late</th>" in shown
    assert ">errors</th>" not in shown


def test_names_of_columns_stand_as_what_is_below_them() -> None:
    shown = page("g", Status.from_dict(counted("done", 2, 10)), Rates())
    assert '<th style="text-align:left;white-space:nowrap">operator</th>' in shown
    assert '<th style="text-align:right;white-space:nowrap">mean rate</th>' in shown
    assert '<td style="text-align:right;white-space:nowrap">5/s</td>' in shown


def test_a_failed_job_says_why_as_text() -> None:
    failed = Status.from_dict(counted("failed", 2, 10) | {"error": {"rule": "operator", "message": "1 < 2 & so on"}})
    assert "failed</span>, 2.0 s: 1 &lt; 2 &amp; so on" in page("g", failed, Rates())


def test_a_checked_graph_is_shown_in_short() -> None:
    port = {"name": "out", "schema": "n BIGINT", "linked": True, "event_time": {"column": "ts"}}
    plan = {"name": "hot", "operators": [{"id": "read", "type": "file_source", "outputs": [port]}]}
    late = Diagnostic("late", "packets <are> dropped", "warning", place=Place("g.json", 3, 1))
    checked = Checked((late,), plan)
    assert repr(checked) == "Checked(hot: ok, 1 warning; 1 operator)"
    assert repr(Checked((), plan)) == "Checked(hot: ok; 1 operator)"
    shown = checked._repr_html_()
    assert "packets &lt;are&gt; dropped" in shown
    assert [cell.partition(">")[2] for cell in shown.split("</td>")[:-1]][1:] == ["file_source", "out", "n BIGINT", "ts"]
    wrong = Checked((late, Diagnostic("e", "bad")), None)
    assert repr(wrong) == "Checked(refused: 1 error, 1 warning)"
    assert "error[e]: bad" in wrong._repr_html_()
