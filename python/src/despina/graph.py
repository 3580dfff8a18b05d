"""A graph: the text of its file and where that text comes from. Loaded, made from a dict, or built (:mod:`despina.builder`).

Python never judges a graph: the coordinator parses and checks it, so that every driver and the command say the same.
"""

from __future__ import annotations

import contextlib
import json
import math
import numbers
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from despina import engine as engines
from despina.builder import assemble
from despina.engine import Checked, Engine
from despina.errors import DespinaError, Diagnostic, GraphError, Place, RefusedError
from despina.interrupts import deferred
from despina.job import Job
from despina.values import Parameter, caller, parameter_text, plain, refusing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.builder import Operator, Variant

SHORTEST_S = 0.001
"""The engine counts whole milliseconds, and takes none of them for no end."""
END_MILLIS = 10_000
"""How long the end of a job whose start was interrupted is waited for; the coordinator forces it after half of that."""


@dataclass(frozen=True)
class RunOptions:
    """What a run may be told beside the graph; units in the names.

    :ivar parameters: values for ``${name}``
    :ivar deployment: a deployment file, or its content as a dict; without one the coordinator's JVM is the resource
    :ivar duration_s: the sources stop after that many seconds, at least 0.001, and the job drains
    :ivar warm_up_s: counters and latency start again after that many seconds
    :ivar drain_ms: how long Ctrl-C and ``stop("drain")`` work off what is in flight before it is dropped; 10000 if not given
    :ivar secret_file: the one secret of all resources, where some join from elsewhere; at least 16 bytes
    :ivar tls: a folder with certificate.pem, key.pem and authority.pem, for TLS between resources; plain TCP if not given
    :ivar listen: the host at which they join; 127.0.0.1 if not given
    :ivar started_at_ms: wall clock when the command began, for the report's ``first_packet_s``
    """

    parameters: Mapping[str, Parameter] | None = None
    deployment: str | Path | Mapping[str, Any] | None = None
    duration_s: float | None = None
    warm_up_s: float | None = None
    drain_ms: float | None = None
    secret_file: str | Path | None = None
    tls: str | Path | None = None
    listen: str | None = None
    started_at_ms: int | None = None

    def for_gateway(self) -> dict[str, Any]:
        """The same in the gateway's words, without what is not set.

        :raise RefusedError: a span of time that is none, or a deployment that cannot be read
        """
        _refuse_no_span("duration_s", self.duration_s, SHORTEST_S)
        _refuse_no_span("warm_up_s", self.warm_up_s, 0.0)
        _refuse_no_span("drain_ms", self.drain_ms, 0.0)
        options: dict[str, Any] = {
            "directory": str(Path.cwd()), "duration_s": self.duration_s, "warm_up_s": self.warm_up_s,
            "drain_ms": self.drain_ms, "started_at_ms": self.started_at_ms, "listen": self.listen,
            "secret_file": None if self.secret_file is None else str(Path(self.secret_file).absolute()),
            "tls": None if self.tls is None else str(Path(self.tls).absolute()),
        }
        if self.parameters:
            options["parameters"] = {name: parameter_text(name, value) for name, value in self.parameters.items()}
        if isinstance(self.deployment, Mapping):
            options |= {"deployment_text": json.dumps(self.deployment, indent=2), "deployment_file": "deployment"}
        elif self.deployment is not None:
            options |= {"deployment_text": read_text(self.deployment, "deployment"), "deployment_file": str(self.deployment)}
        return {name: value for name, value in options.items() if value is not None}


class Graph:
    """One graph file, or what would be in it."""

    def __init__(self, text: str, file: str, lines: Mapping[str, Place] | None = None) -> None:
        self.text = text
        self.file = file
        self._lines = dict(lines or {})

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Graph:
        """A graph from the file's content as Python objects; errors name the caller's line and the JSON pointer.

        :raise RefusedError: a value that JSON has no form for
        """
        place = caller()
        with refusing("the graph", place):
            return cls(json.dumps(plain(content, "content"), indent=2, ensure_ascii=False), "graph", {"": place})

    @classmethod
    def build(cls, name: str, *operators: Operator, doc: str = "", parameters: Mapping[str, Any] | None = None,
              settings: Mapping[str, Any] | Variant | None = None) -> Graph:
        """A graph of these operators and all that are linked to them, in the order in which they were made.

        :param parameters: a default per name, or ``operators.Parameter(doc=…, default=…)``
        :param settings: as the file has them, or ``operators.Settings(…)``
        """
        content, lines = assemble(name, operators, doc, parameters or {}, settings or {})
        lines[""] = caller()
        return cls(json.dumps(content, indent=2, ensure_ascii=False), lines[""].file, lines)

    def to_dict(self) -> dict[str, Any]:
        """The content as Python objects.

        :raise GraphError: it is not JSON
        """
        try:
            content: dict[str, Any] = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise GraphError([Diagnostic("syntax", error.msg, place=Place(self.file, error.lineno, error.colno))]) from error
        return content

    @property
    def name(self) -> str:
        """Its name, or its file's where it has none."""
        try:
            return str(self.to_dict()["name"])
        except (GraphError, KeyError, TypeError):
            return Path(self.file).name

    def check(self, options: RunOptions | None = None, *, for_spark: bool = False, engine: Engine | None = None) -> Checked:
        """Names, types, every expression; with no data and no network.

        :return: warnings, and the plan: schemas, event time, what fused
        :raise GraphError: everything that is wrong, at once
        """
        words = (options or RunOptions()).for_gateway()
        known = ("directory", "parameters", "deployment_text", "deployment_file")
        allowed: dict[str, Any] = {name: value for name, value in words.items() if name in known}
        if for_spark:
            allowed["for_spark"] = True
        checked = (engine or engines.start()).check(self.text, self.file, allowed)
        checked = replace(checked, diagnostics=self._placed(checked.diagnostics))
        if not checked.ok:
            raise GraphError(checked.diagnostics)
        return checked

    def canonical(self, engine: Engine | None = None) -> str:
        """Its text in the one canonical form, as ``despina fmt`` writes it."""
        try:
            return (engine or engines.start()).format(self.text, self.file)
        except GraphError as error:
            raise GraphError(self._placed(error.diagnostics)) from None

    def save(self, path: str | Path, engine: Engine | None = None) -> None:
        """Writes its canonical form; what was there is replaced as a whole."""
        text = self.canonical(engine)
        partial = Path(f"{path}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)

    def run(self, on: Literal["local"] = "local", *, driver: str = "py4j", engine: Engine | None = None,
            **options: Any) -> Job:
        """Starts it and returns at once.

        :param on: ``local``, the engine on this machine; a Spark session runs what :meth:`to_spark` gives
        :param driver: ``py4j``, a JVM of its own, or ``jpype``, a JVM in this process
        :param options: the fields of :class:`RunOptions`
        :raise GraphError: the graph or the deployment is refused
        :raise StartError: there is no engine to run it
        """
        if on != "local":
            raise RefusedError("on", f"no place to run called {on!r}", "local; Graph.to_spark(session) gives DataFrames")
        return self.start(engine or engines.start(driver), run_options(options))

    def start(self, engine: Engine, options: RunOptions, keep_rows: bool = True) -> Job:
        """Starts it on that engine; see :class:`~despina.job.Job` for ``keep_rows``.

        Ctrl-C stops what has been started: nobody would have the job to stop it by.
        """
        words = options.for_gateway()
        answer: Future[tuple[str, tuple[Diagnostic, ...]]] = Future()
        try:
            with deferred():
                # A thread of its own: a second Ctrl-C does not wait for the answer, and the job in it is stopped all the same.
                threading.Thread(target=_answer, args=[answer, lambda: engine.run(self.text, self.file, words)],
                                 name="despina-run", daemon=True).start()
                identifier, warnings = answer.result()
                return Job(engine, identifier, self.name, self._placed(warnings), keep_rows)
        except GraphError as error:
            raise GraphError(self._placed(error.diagnostics)) from None
        except BaseException:
            with deferred():
                answer.add_done_callback(lambda done: _stop_started(engine, done))
            raise

    def to_mermaid(self) -> str:
        """A Mermaid flowchart."""
        from despina.draw import drawing, mermaid
        return mermaid.render(drawing.of(self.to_dict()))

    def to_svg(self) -> str:
        """An SVG picture, laid out from left to right."""
        from despina.draw import drawing, svg
        return svg.render(drawing.of(self.to_dict()))

    def to_spark(self, spark: SparkSession, parameters: Mapping[str, Parameter] | None = None) -> dict[str, DataFrame]:
        """The same graph as DataFrames, one per sink, in a new session with the graph's settings.

        :raise GraphError: something in it has no Spark form
        """
        from despina.backends import spark as backend
        frames: dict[str, DataFrame] = backend.frames(self, spark, parameters)
        return frames

    def _placed(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """For a built graph: the user's line of the operator or link, in place of one in a text that no one sees. What stands
        in the deployment keeps its place there.
        """
        ours = ("", self.file)
        return tuple(replace(d, place=self._line_of(d.pointer)) if self._lines and d.place.file in ours else d for d in found)

    def _line_of(self, pointer: str) -> Place:
        while pointer not in self._lines and pointer:
            pointer = pointer.rpartition("/")[0]
        return self._lines.get(pointer, Place(self.file))

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {self.file})"

    def _repr_html_(self) -> str:
        return self.to_svg()


def _answer(answer: Future[Any], ask: Callable[[], Any]) -> None:
    try:
        answer.set_result(ask())
    except BaseException as error:
        answer.set_exception(error)


def _stop_started(engine: Engine, answer: Future[tuple[str, Any]]) -> None:
    """Stops the job whose start was interrupted, and waits for its end, after which it holds no file any more."""
    if answer.exception() is not None:
        return
    identifier, _ = answer.result()
    with contextlib.suppress(DespinaError):     # it has ended, or the engine has
        engine.stop(identifier, "now")
        engine.wait(identifier, END_MILLIS)


def load(path: str | Path) -> Graph:
    """The graph in that file.

    :raise RefusedError: it cannot be read
    """
    return Graph(read_text(path, "graph"), str(path))


def read_text(path: str | Path, what: str) -> str:
    """The text of a file the user named."""
    place = Place(str(path))
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise RefusedError("file_missing", f"no {what} file here", _similar(Path(path)), place) from None
    except UnicodeDecodeError as error:
        before = error.object[:error.start].decode()
        raise RefusedError("encoding", f"byte {error.object[error.start]:#04x} is not UTF-8", "save the file as UTF-8",
                           Place(str(path), before.count("\n") + 1, len(before) - before.rfind("\n"))) from None
    except OSError as error:
        raise RefusedError("file_unreadable", f"the {what} file cannot be read: {error.strerror}", "", place) from None


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """Options by name; an unknown one is refused with a hint."""
    import dataclasses
    import difflib
    known = [field.name for field in dataclasses.fields(RunOptions)]
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            raise RefusedError("option", f"no run option {name!r}",
                               f"did you mean {close[0]}?" if close else f"one of {', '.join(known)}")
    return RunOptions(**given)


def _refuse_no_span(name: str, value: float | None, least: float) -> None:
    if value is not None and not (isinstance(value, numbers.Real) and math.isfinite(value) and value >= least):
        raise RefusedError("option", f"{name}={value!r} is not a span of time", f"a number from {least:g} on")


def _similar(path: Path) -> str:
    import difflib
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.name.endswith(".json")]
    except OSError:
        return f"the folder {path.parent} does not exist either" if not path.parent.exists() else ""
    stem = path.name.partition(".")[0]     # what follows it is alike in all names, and says nothing
    near = [name for name in names if difflib.get_close_matches(name.partition(".")[0], [stem])]
    close = difflib.get_close_matches(path.name, near, 1, 0.5)
    return f"did you mean {path.parent / close[0]}?" if close else ""


__all__ = ["DespinaError", "Graph", "Parameter", "RunOptions", "load", "read_text", "run_options"]
