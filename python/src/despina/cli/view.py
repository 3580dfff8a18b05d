"""What a running job shows: a live table on a terminal, plain lines when piped, nothing when quiet. All on standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

from despina.errors import visible
from despina.rates import LinkRate, OperatorRate, Rates, rate

if TYPE_CHECKING:
    from rich.console import Group

    from despina.job import Status

PLAIN_EVERY_S = 2.0
AWAITED_AFTER_S = 1.0
AWAITED_EVERY_S = 5.0
"""When and how often a resource that has not joined is told of."""
PHASE_EVERY_S = 10.0
"""How often a line says again what is waited for before there is a job."""
REDRAWN_EVERY_S = 1.0
TOLD_FROM_S = 0.5

STOPPING = "stopping; another Ctrl-C ends the job at once"


class View(Protocol):
    """Shows the statuses of one job; used as a context manager around waiting for it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None: ...

    def phase(self, words: str) -> None:
        """Shows what is waited for before there is a job."""
        ...

    def update(self, status: Status) -> None:
        """Shows a newer status."""
        ...

    def stopped(self) -> None:
        """Shows that it was stopped before there was a job."""
        ...

    def interrupted(self) -> None:
        """Shows that the job was asked to stop, and what ends it sooner."""
        ...

    def summary(self, status: Status) -> None:
        """Shows the last one, after the end."""
        ...


def choose(stream: TextIO, quiet: bool, started_at_ms: int) -> View:
    """The view that suits the stream.

    :param started_at_ms: wall clock when the command began
    """
    if quiet:
        return Quiet()
    return Live(stream, started_at_ms) if stream.isatty() else Plain(stream, started_at_ms)


class Quiet:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def phase(self, words: str) -> None:
        """Nothing."""

    def stopped(self) -> None:
        """Nothing."""

    def interrupted(self) -> None:
        """Nothing."""

    def update(self, status: Status) -> None:
        """Nothing."""

    def summary(self, status: Status) -> None:
        """Nothing."""


class Waiting:
    """Says what is waited for before there is a job, and says it again from a thread of its own for as long as that lasts."""

    def __init__(self, say: Callable[[str, float], None], every_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """:param say: told what is waited for, and for how many seconds"""
        self._say = say
        self._every_s = every_s
        self._clock = clock
        self._lock = threading.Lock()
        self._words = ""
        self._since_s = self._next_s = 0.0
        self._over: threading.Event | None = None

    def begin(self, words: str) -> None:
        """Says it at once, if it is not what was waited for before."""
        with self._lock:
            if words != self._words:
                self._words = words
                self._since_s = self._clock()
                self._tell()
            if self._over is None:
                self._over = threading.Event()
                threading.Thread(target=self._repeat, args=[self._over], name="despina-phase", daemon=True).start()

    def look(self) -> None:
        """Says it again, if that is due."""
        with self._lock:
            if self._over is not None and self._clock() >= self._next_s:
                self._tell()

    def end(self) -> None:
        """Says nothing any more."""
        with self._lock:
            if self._over is not None:
                self._over.set()
                self._over = None
                self._words = ""

    def _tell(self) -> None:
        self._next_s = self._clock() + self._every_s
        self._say(self._words, self._clock() - self._since_s)

    def _repeat(self, over: threading.Event) -> None:
        while not over.wait(self._every_s / 4):
            self.look()


class Plain(Quiet):
    """A line every two seconds of the job's time, for logs."""

    def __init__(self, stream: TextIO, started_at_ms: int) -> None:
        self._stream = stream
        self._started_s = started_at_ms / 1000
        self._rates = Rates()
        self._next_s = 0.0
        self._state = ""
        self._news = News()
        self._next_awaited_s: float | None = None
        self._waiting = Waiting(self._tell_phase, PHASE_EVERY_S)

    def __exit__(self, *_: object) -> None:
        """Nothing more is waited for."""
        self._waiting.end()

    def phase(self, words: str) -> None:
        """A line when it changes, and every ten seconds until there is a job."""
        self._waiting.begin(words)

    def _tell_phase(self, words: str, for_s: float) -> None:
        self._state = words
        so_far = f", for {for_s:.0f} s so far" if for_s > TOLD_FROM_S else ""
        self._say(f"{time.time() - self._started_s:8.1f} s  {words}{so_far}")

    def stopped(self) -> None:
        """The last line."""
        self._say(f"stopped after {time.time() - self._started_s:.1f} s{f', {self._state}' if self._state else ''}")

    def interrupted(self) -> None:
        """A line."""
        self._say(STOPPING)

    def update(self, status: Status) -> None:
        """A line when the state changed or two seconds have passed."""
        self._waiting.end()
        self._tell_awaited(status)
        for line in self._news.of(status):
            self._say(line)
        self._rates.add(status)
        if status.ended or (status.standing == self._state and status.elapsed_s < self._next_s):
            return
        self._state = status.standing
        self._next_s = status.elapsed_s + PLAIN_EVERY_S
        operators = ", ".join(f"{o.id} {rate(o.busiest_per_s)}" for o in self._rates.operators() if o.busiest_per_s)
        paused = [link.id for link in self._rates.links() if link.paused]
        self._say(f"{status.elapsed_s:8.1f} s  {status.standing}" + (f"  {operators}" if operators else "")
                  + (f"  paused: {', '.join(paused)}" if paused else ""))

    def _tell_awaited(self, status: Status) -> None:
        if not status.awaited:
            return
        if self._next_awaited_s is None:
            self._next_awaited_s = status.elapsed_s + AWAITED_AFTER_S
        elif status.elapsed_s >= self._next_awaited_s:
            self._next_awaited_s = status.elapsed_s + AWAITED_EVERY_S
            for line in waiting(status):
                self._say(line)

    def summary(self, status: Status) -> None:
        """One line for each operator."""
        for line in self._news.of(status):
            self._say(line)
        self._say(headline(status))
        for name in status.operators:
            self._say(f"  {name}: {totals(status, name)}")

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class Live(Quiet):
    """A table that is redrawn in place; rich is imported when it is first drawn, after the job has started."""

    def __init__(self, stream: TextIO, started_at_ms: int) -> None:
        self._stream = stream
        self._started_s = started_at_ms / 1000
        self._rates = Rates()
        self._news = News()
        self._live: Any = None
        self._waiting = Waiting(self._draw_phase, REDRAWN_EVERY_S)

    def __exit__(self, *_: object) -> None:
        """Takes the table away; what stays is the summary."""
        self._waiting.end()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def phase(self, words: str) -> None:
        """One line, where the table will be; its seconds go on."""
        self._waiting.begin(words)

    def _draw_phase(self, words: str, for_s: float) -> None:
        from rich.text import Text
        self._draw(Text(f"{words} {time.time() - self._started_s:.1f} s"))

    def stopped(self) -> None:
        """A line that stays."""
        self.__exit__()
        print(f"stopped after {time.time() - self._started_s:.1f} s", file=self._stream, flush=True)

    def interrupted(self) -> None:
        """A line above the table."""
        if self._live is None:
            print(STOPPING, file=self._stream, flush=True)
        else:
            self._live.console.print(STOPPING)

    def update(self, status: Status) -> None:
        """Redraws the table, below what is to stay."""
        self._waiting.end()
        self._rates.add(status)
        self._draw(tables(status, self._rates))
        for line in self._news.of(status):
            self._live.console.print(line, markup=False, highlight=False)

    def _draw(self, shown: Any) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive
        if self._live is None:
            # Only a terminal shares its lines with the table; what goes to a file must arrive there.
            self._live = RichLive(console=Console(file=self._stream), auto_refresh=False, transient=True,
                                  redirect_stdout=sys.stdout.isatty())
            self._live.start()
        self._live.update(shown, refresh=True)

    def summary(self, status: Status) -> None:
        """The last table, without rates, to stay on the screen."""
        from rich.console import Console
        console = Console(file=self._stream)
        for line in self._news.of(status):
            console.print(line, markup=False, highlight=False)
        console.print(final_table(status))
        for name, counters in status.operators.items():
            if name in status.skipped or counters.get("late") or counters.get("counters"):
                console.print(f"{name}: {totals(status, name)}", markup=False, highlight=False)


class News:
    """What is to be told once of a job that keeps a state."""

    def __init__(self) -> None:
        self._told: dict[str, int] = {}

    def of(self, status: Status) -> list[str]:
        """The lines since the last call."""
        lines = []
        restored = int(status.epoch.get("restored_from", 0))
        if restored and "restored" not in self._told:
            self._told["restored"] = restored
            lines.append(visible(f"going on from epoch {restored:,} of {status.epoch['state']}"))
        last = status.last_restart or {}
        if last.get("first_row_ms") is not None and last["restored_ms"] is not None \
                and self._told.get("restarts") != status.restarts:
            self._told["restarts"] = status.restarts
            lines.append(went_on(last))
        warnings = status.epoch.get("warnings", ())
        lines += [visible(f"warning: {words}") for words in warnings[self._told.get("warnings", 0):]]
        self._told["warnings"] = len(warnings)
        return lines


def went_on(last: Mapping[str, Any]) -> str:
    """What the time of a restart went to."""
    after = {part: f"{last[f'{part}_ms'] / 1000:.2f} s" for part in ("ended", "claimed", "deployed", "restored", "first_row")}
    return (f"first new row {after['first_row']} after the loss was seen: the old attempt had ended after {after['ended']}, the "
            f"next one was claimed after {after['claimed']}, deployed after {after['deployed']} and restored after "
            f"{after['restored']}")


def headline(status: Status) -> str:
    """One line about the whole job."""
    first = f", first packet after {status.first_packet_s:.2f} s" if status.first_packet_s is not None else ""
    return f"{status.state} after {status.elapsed_s:.1f} s{first}"


def waiting(status: Status) -> list[str]:
    """A line for each resource that has not joined, with what to type on its machine."""
    return [f"waiting for resource {name} to join: {command}" for name, command in status.awaited.items()]


def totals(status: Status, operator: str) -> str:
    """An operator's counters in words; what is zero and unusual is left out. Late packets that no link takes are dropped."""
    counters, skipped = status.operators[operator], status.skipped.get(operator)
    parts = [f"{counters.get('packets_in', 0):,} in", f"{counters.get('packets_out', 0):,} out"]
    late = "late" if any(link.startswith(f"{operator}.late->") for link in status.links) else "late and dropped"
    errors = "errors" if skipped is None else "skipped"
    parts += [f"{counters[name]:,} {word}" for name, word in (("late", late), ("errors", errors)) if counters.get(name)]
    parts += [f"{name} {count:,}" for name, count in counters.get("counters", {}).items()]
    return ", ".join(parts) + ("" if skipped is None else f", the first: {visible(skipped)}")


def bar(fill: float, width: int = 10) -> str:
    """A gauge of a buffer's fill, 0 to 1."""
    full = round(max(0.0, min(1.0, fill)) * width)
    return "█" * full + "░" * (width - full)


def tables(status: Status, rates: Rates) -> Group:
    """The live tables: operators above, links below."""
    from rich.console import Group
    from rich.text import Text
    return Group(f"[bold]{status.standing}[/bold] {status.elapsed_s:.1f} s{_epoch(status)}", *map(Text, waiting(status)),
                 _operators(rates.operators()), "", _links(rates.links()))


def _epoch(status: Status) -> str:
    """The last complete epoch, if the job keeps a state."""
    if not status.epoch:
        return ""
    epoch = f"  epoch {status.epoch['complete']:,}, {status.epoch['age_s']:.1f} s ago" if status.epoch["complete"] else ""
    from rich.markup import escape
    trouble = [word for word in ("stale" if status.epoch["stale"] else "", escape(status.epoch["why"])) if word]
    return epoch + (f"  [yellow]{': '.join(trouble)}[/yellow]" if trouble else "")


TIMED: tuple[tuple[str, Callable[[OperatorRate], str]], ...] = (
    ("busy", lambda row: f"{row.busy:.0%}" if row.counters.get("busy_ms") else ""),
    ("paused", lambda row: f"{row.paused:.0%}" if row.paused else ""),
    ("latency", lambda row: f"{row.counters['latency_p99_ms']:.3g} ms" if "latency_p99_ms" in row.counters else ""),
    ("behind", lambda row: f"{row.counters['behind_records']:,}" if "behind_records" in row.counters else ""),
)
"""Columns that are shown where an operator has something in them."""


def _operators(rows: list[OperatorRate]) -> Any:
    from rich.table import Table
    table = Table("operator", box=None, pad_edge=False, header_style="bold")
    unusual = [name for name in ("errors", "late") if any(row.counters.get(name) for row in rows)]
    timed = [column for column in TIMED if any(column[1](row) for row in rows)]
    for name in ("in/s", "out/s", "in", "out", *(name for name, _ in timed), *unusual):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        c = row.counters
        table.add_row(row.id, rate(row.in_per_s), rate(row.out_per_s), f"{c.get('packets_in', 0):,}",
                      f"{c.get('packets_out', 0):,}", *(shown(row) for _, shown in timed),
                      *(f"[red]{c[name]:,}[/red]" if c.get(name) else "" for name in unusual))
    return table


def _links(rows: list[LinkRate]) -> Any:
    from rich.table import Table
    table = Table("link", box=None, pad_edge=False, header_style="bold")
    for name in ("packets/s", "MB/s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("buffer")
    for row in rows:
        table.add_row(row.id, rate(row.packets_per_s), f"{row.bytes_per_s / 1e6:.1f}",
                      bar(row.fill) + (" [yellow]paused[/yellow]" if row.paused else ""))
    return table


def final_table(status: Status) -> Any:
    """Counters at the end."""
    from rich.table import Table
    table = Table("operator", box=None, pad_edge=False, header_style="bold", title=headline(status), title_justify="left")
    for name in ("in", "out", "errors", "late"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, c in status.operators.items():
        table.add_row(name, *(f"{c.get(key, 0):,}" for key in ("packets_in", "packets_out", "errors", "late")))
    return table
