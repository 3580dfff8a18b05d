"""What a notebook shows of a job: one table below the cell, replaced while the job is waited for. IPython is used where it is."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from despina.html import table
from despina.rates import Rates, rate

if TYPE_CHECKING:
    from despina.job import Status

UNUSUAL = ("errors", "late")
"""Counters that are shown where an operator has some."""
STATES = {"deploying": "#8a8f98", "running": "#1a7f37", "draining": "#9a6700", "restarting": "#9a6700", "done": "#1a7f37",
          "stopped": "#57606a", "failed": "#cf222e", "incomplete": "#cf222e"}


def watch(name: str) -> Callable[[Status], None] | None:
    """Shows each status of a job in one output of the cell that runs; None where no notebook shows it."""
    if "IPython" not in sys.modules or not hasattr(sys.modules["IPython"].get_ipython(), "kernel"):
        return None
    return _Output(name)


class _Output:
    """One output, made with the first status of a job that runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rates = Rates()
        self._handle: Any = None

    def __call__(self, status: Status) -> None:
        """Replaces what is shown."""
        from IPython.display import HTML, display
        self._rates.add(status)
        shown = HTML(page(self._name, status, self._rates))
        if self._handle is not None:
            self._handle.update(shown)
        elif not status.ended:      # of one that has ended before there is nothing to watch
            self._handle = display(shown, display_id=True)


def page(name: str, status: Status, rates: Rates) -> str:
    """A job's state and a line for each operator, as HTML."""
    unusual = [key for key in UNUSUAL if any(counters.get(key) for counters in status.operators.values())]
    speeds = {} if status.ended else {operator.id: operator for operator in rates.operators()}
    rows = [_row(operator, counters, unusual, rate(speeds[operator].busiest_per_s) if operator in speeds else
                 _mean(counters, status)) for operator, counters in status.operators.items()]
    head = ["operator", "in", "out", "rate" if speeds else "mean rate", *unusual]
    return _headline(name, status) + table(head, rows, right=head[1:])


def _row(operator: str, counters: Mapping[str, int], unusual: Sequence[str], speed: str) -> list[str | int]:
    return [operator, counters.get("packets_in", 0), counters.get("packets_out", 0), speed,
            *(counters.get(key, 0) for key in unusual)]


def _mean(counters: Mapping[str, int], status: Status) -> str:
    most = max(counters.get("packets_in", 0), counters.get("packets_out", 0))
    return rate(most / status.elapsed_s) if status.elapsed_s else ""


def _headline(name: str, status: Status) -> str:
    colour = STATES.get(status.state, "inherit")
    standing = f'<span style="color:{colour}">{html.escape(status.standing)}</span>'
    line = f"<b>{html.escape(name)}</b> {standing}, {status.elapsed_s:.1f} s"
    reason = "" if status.error is None else f": {html.escape(str(status.error.get('message', '')))}"
    return f"<div>{line}{reason}</div>"
