"""What ``job.view()`` shows in a notebook: the graph and the plots of the service's page, of the counters of any job.

A thread of the view asks for the counters each second, as the service does, and tells the browser what changes. The browser
draws with the page's own modules (``service/page``), which go with the widget, for a notebook has no address to load them from.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import traitlets
from anywidget import AnyWidget

from despina.errors import DespinaError
from despina.job import ENDED, Job
from despina.service.series import Look, Values, between

PAGE = Path(__file__).parent / "service" / "page"
DRAWN_BY = ("job.js", "graph.js", "plots.js", "screens.js", "service.js", "format.js", "style.css", "vendor/htm-preact.js",
            "vendor/dagre.js", "vendor/uplot.js", "vendor/uplot.css")
"""The page's files that draw a job."""
EVERY_S = 1.0
KEPT = 600
"""Seconds that the plots show."""


@cache
def module() -> str:
    """The widget's module, with the page's files in it."""
    files = {name: (PAGE / name).read_text(encoding="utf-8") for name in DRAWN_BY}
    return f"{(PAGE / 'widget.js').read_text(encoding='utf-8')}\nconst FILES = {json.dumps(files)};\n"


class Course:
    """What the counters of a job were, at most a second at a time for ten minutes. One thread looks, any reads."""

    def __init__(self, name: str, status: Callable[[], Mapping[str, Any]], wall: Callable[[], float] = time.time,
                 clock: Callable[[], float] = time.monotonic) -> None:
        """:param status: as the gateway answers it"""
        self._name = name
        self._status = status
        self._wall = wall
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: deque[tuple[int, Values]] = deque(maxlen=KEPT)      # guarded by the lock
        self._last = self._look()

    def _look(self) -> Look:
        return Look(self._wall(), self._clock(), self._status())

    def look(self) -> dict[str, Any]:
        """Looks once more; what the browser is told of it.

        :raise DespinaError: the engine is gone, or knows the job no more
        """
        before, self._last = self._last, self._look()
        values = between(before, self._last)
        with self._lock:
            self._kept.append((int(self._last.at_s * 1000), values))
        return self.told(values)

    def told(self, values: Values | None = None) -> dict[str, Any]:
        """The last look, in the form of the service's live stream."""
        status = {**self._last.status, **{what: self._last.status.get(what) or {} for what in ("operators", "links")}}
        job = {"name": self._name, "run": 1, "starts": 1, "state": status["state"], "status": status,
               "error": status.get("error")}
        return {"at_ms": int(self._last.at_s * 1000), "job": job, "values": values or {}}

    def past(self) -> dict[str, Any]:
        """What was seen so far, in the form of the service's history."""
        with self._lock:
            kept = list(self._kept)
        names = dict.fromkeys(name for _, values in kept for name in values)
        return {"at_ms": [at_ms for at_ms, _ in kept],
                "values": {name: [values.get(name) for _, values in kept] for name in names}}


class JobView(AnyWidget):  # type: ignore[misc]
    """A job in a cell. It follows the job until that ends, or :meth:`close` is called."""

    _esm = module()
    told = traitlets.Dict().tag(sync=True)
    """The newest counters and rates."""
    form = traitlets.Dict(None, allow_none=True).tag(sync=True)
    """The graph's text, and its plan if there is one."""
    past = traitlets.Any().tag(sync=True, to_json=lambda course, widget: course.past())
    """What was seen before; whoever opens the notebook anew gets it as it is then."""

    def __init__(self, job: Job, *, begin: bool = True) -> None:
        """:param begin: whether a thread looks each second; else who made the view calls :meth:`look`"""
        self._course = Course(job.name, lambda: job._engine.status(job.id))
        self._over = threading.Event()
        super().__init__(told=self._course.told(), form=job.form(), past=self._course)
        if begin:
            threading.Thread(target=self._follow, name="despina-view", daemon=True).start()

    def look(self) -> bool:
        """Shows the counters of now; whether there is more to come."""
        try:
            told = self._course.look()
        except DespinaError as error:
            self.told = {**self.told, "lost": f"nothing is heard of it any more: {error.message}"}
            return False
        self.told = told
        return told["job"]["state"] not in ENDED

    def _follow(self) -> None:
        while not self._over.wait(EVERY_S) and self.look():
            pass

    def close(self) -> None:
        """Ends the view; the job goes on."""
        self._over.set()
        super().close()
