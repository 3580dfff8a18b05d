"""A graph: the text of its file and where that text comes from. Loaded, made from a dict, or built (:mod:`despina.builder`).

Python never judges a graph: the coordinator parses and checks it, so that every driver and the command say the same.
"""

from __future__ import annotations

import contextlib
import json
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from despina import engine as engines
from despina import function_texts, parts
from despina.builder import assemble, frames
from despina.engine import Checked, Connection, Engine
from despina.errors import DespinaError, DespinaWarning, Diagnostic, GraphError, Place, RefusedError
from despina.functions import cells
from despina.inputs import Feeder, Given, Input
from despina.interrupts import deferred
from despina.job import Job
from despina.options import RunArguments, RunOptions, read_text, run_options
from despina.values import Parameter, caller, plain, refusing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from despina.builder import Operator, Variant
    from despina.placing import Known, Proposal
    from despina.state import DryRun

_warned: dict[str | tuple[str, type[Warning], int], int] = {}
"""The warnings that were shown, as Python's ``warnings`` keeps them."""

SERVICE = "service"
"""The name of the engines that are services: these take a graph's parts as they are."""
LOOK_S = 0.1
LOOKS_PER_WORD = 5
LOOKS_AFTER_SIGNAL = 10
END_MILLIS = 10_000
"""How long the end of a job whose start was interrupted is waited for; the coordinator forces it after half of that."""


class Graph:
    """One graph file, or what would be in it."""

    def __init__(self, text: str, file: str, lines: Mapping[str, Place] | None = None,
                 given: Mapping[str, DataFrame] | None = None) -> None:
        self.text = text
        self.file = file
        self._lines = dict(lines or {})
        self._given = dict(given or {})
        self.sent = parts.sequence(text, file) if parts.has_any(text) else text
        """The text with the files of its parts behind it, as engines and services take it."""

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
        return cls(json.dumps(content, indent=2, ensure_ascii=False), lines[""].file, lines, frames(operators))

    def with_content(self, content: Mapping[str, Any]) -> Graph:
        """A graph of other content, whose errors name the places of the same parts as before."""
        return Graph(json.dumps(content, indent=2, ensure_ascii=False), self.file, self._lines, self._given)

    def whole(self, engine: Engine | None = None) -> Graph:
        """The same graph with the operators of its parts in the place of each use; itself, if it has no parts.

        What is wrong with its parts is left out: :meth:`check` tells it.

        :raise GraphError: it is no JSON
        """
        if not parts.has_any(self.text):
            return self
        made = (engine or engines.start()).without_parts(self.sent, self.file)
        if made is None:
            return self
        text, places = made
        lines = {pointer: self._line_of(at["pointer"]) if self._lines else Place(self.file, at["line"], at["column"])
                 for pointer, at in places.items()}
        return Graph(text, self.file, {"": self._lines.get("", Place(self.file)), **lines}, self._given)

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

    def check(self, options: RunOptions | None = None, *, for_spark: bool = False, streaming: bool = False,
              engine: Engine | None = None, inputs: Sequence[str] = (), instant_micros: int | None = None,
              connect: bool = False) -> Checked:
        """Checks names, types and every expression, without data and, unless ``connect`` is set, without a network.

        :param for_spark: what has no form on Spark is an error too
        :param streaming: there as a stream
        :param inputs: ids of the sources that are given rows, in place of what they would read
        :param instant_micros: what ``now()`` is to be, in microseconds since 1970; the moment of the call if not given
        :param connect: also try, from this machine and for some seconds at most, what each operator connects to: address, TLS,
            secret, that the topic or table is there, and the rights. It changes nothing there. What is wrong is in
            ``connections`` of the answer, whose ``ok`` is then False
        :return: warnings, and the plan: schemas, event time, what fused
        :raise GraphError: carries every error of the graph
        """
        engine = engine or engines.start()
        words = self._words(options or RunOptions(), engine)
        allowed = _for_check(words)
        if connect:
            allowed["connect"] = True
        if for_spark:
            allowed["for_spark"] = True
        if streaming:
            allowed["streaming"] = True
        if instant_micros is not None:
            allowed["instant_micros"] = instant_micros
        if named := [*inputs, *(self._given if for_spark else ())]:
            allowed["inputs"] = list(dict.fromkeys(named))
        checked = engine.check(self.sent, self.file, allowed)
        checked = replace(checked, diagnostics=self._placed(checked.diagnostics), connections=tuple(
            replace(each, problem=self._placed([each.problem])[0]) if each.problem else each for each in checked.connections))
        if any(found.severity == "error" for found in checked.diagnostics):
            raise GraphError(checked.diagnostics)
        return checked

    def _words(self, options: RunOptions, engine: Engine) -> dict[str, Any]:
        """The options of a run in the gateway's words, with what is known of the functions that the graph calls."""
        return function_texts.added(options.for_gateway(), self._text_without_parts(engine), self.file, options.modules)

    def _text_without_parts(self, engine: Engine) -> str:
        """The text as it is if it is no JSON."""
        with contextlib.suppress(GraphError):
            return self.whole(engine).text
        return self.text

    def dry_run(self, folder: str | Path, *, drop: Sequence[str] = (), rename: Mapping[str, str] | None = None,
                options: RunOptions | None = None, engine: Engine | None = None) -> DryRun:
        """What would become of the state in a folder if the graph went on from it. Starts nothing, and reads no rows.

        :param folder: a state folder, of which the newest epoch counts, or a savepoint: a path or a URI
        :param drop: operators of the state whose part may be lost
        :param rename: by the id of an operator in the state: its id in the graph
        :raise GraphError: the graph itself has errors
        :raise RefusedError: there is nothing in the folder to go on from
        """
        from despina.backends import split
        from despina.state import DryRun, Succession, address  # few look into states
        engine = engine or engines.start()
        if options is not None and split.on_spark(options):
            return split.dry_run(self, folder, replace(options, drop=drop, rename=rename), engine)
        words = _for_check(self._words(options or RunOptions(), engine))
        diagnostics, found = engine.dry_run(
            self.sent, self.file, words, {"from": address(folder), "drop": list(drop), "rename": dict(rename or {})})
        placed = self._placed(diagnostics)
        if found is None:
            raise GraphError(placed)
        return DryRun(placed, found["from"], tuple(Succession(each["operator"], each["fate"], each["words"])
                                                   for each in found["operators"]))

    def place(self, machines: str | Path | Mapping[str, Any], known: Known, *, options: RunOptions | None = None,
              engine: Engine | None = None) -> Proposal:
        """Says where its operators should run by what is known of them and of machines. Starts nothing.

        :param machines: a deployment whose resources have ``machine``, perhaps with ``network``; what its ``place`` names stays
            there
        :raise GraphError: carries every error of the graph, the deployment, the report and the rates
        """
        from despina.placing import Proposal  # few jobs are placed so
        engine = engine or engines.start()
        words = _for_check(self._words(replace(options or RunOptions(), deployment=machines), engine))
        checked = engine.check(self.sent, self.file, words | {"known": known.words()})
        placed = self._placed(checked.diagnostics)
        if checked.proposal is None:
            raise GraphError(placed)
        return Proposal.of(checked.proposal, placed)

    def leftovers(self, folder: str | Path, *, remove: bool = False, options: RunOptions | None = None,
                  engine: Engine | None = None) -> tuple[Connection, ...]:
        """What the graph's jobs have left at servers, under the names that their state folder has: sessions, markers.

        :param folder: that of the jobs, whose logs are on a disk of this machine
        :param remove: also remove it, once the job is given up: one that went on from the state might write rows twice
        :return: what was found, or removed, by operator; none where nothing was ever left
        :raise GraphError: the graph itself has errors
        :raise RefusedError: the folder has no state of the graph; or a job uses it, and it is to be removed
        """
        from despina import state
        names: dict[str, list[str]] = {}
        for each in state.ls(folder, self.name)[0].names:
            names.setdefault(each.operator, []).append(each.name)
        if remove:
            state.given_up(folder, self.name)
        engine = engine or engines.start()
        words = _for_check(self._words(options or RunOptions(), engine)) | {"leftovers": names, "remove": remove}
        checked = engine.check(self.sent, self.file, words)
        if any(found.severity == "error" for found in checked.diagnostics):
            raise GraphError(self._placed(checked.diagnostics))
        return tuple(replace(each, problem=self._placed([each.problem])[0]) if each.problem else each
                     for each in checked.connections)

    def canonical(self, engine: Engine | None = None) -> str:
        """Its text in the one canonical form, as ``despina fmt`` writes it."""
        try:
            return (engine or engines.start()).format(self.text, self.file)
        except GraphError as error:
            raise GraphError(self._placed(error.diagnostics)) from None

    def save(self, path: str | Path, engine: Engine | None = None) -> None:
        """Writes the canonical form; replaces an existing file as a whole. Files that its parts are in go with it.

        :raise RefusedError: it calls a function that no file can name, or there is another file in the place of one that goes
            with it
        """
        if of_program := function_texts.of_program(self._text_without_parts(engine or engines.start())):
            raise RefusedError("function", f"`{of_program[0]}` is of this program, and who opens the file does not have it",
                               cells.HINT)
        own = Path(path).absolute().parent == Path(self.file).absolute().parent     # where they are
        written = {**({} if own else parts.beside(self.sent, Path(path))), Path(path): self.canonical(engine)}
        for target, text in written.items():
            partial = Path(f"{target}.partial")
            partial.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(text, encoding="utf-8")
            partial.replace(target)

    def run(self, on: Literal["local", "executors"] | SparkSession = "local", *, master: str | None = None,
            conf: Mapping[str, str] | None = None, driver: str = "py4j", engine: Engine | None = None,
            inputs: Mapping[str, Given] | None = None, service: str | None = None, **options: Unpack[RunArguments]) -> Job:
        """Starts the graph and returns at once. Warnings of ``check`` are :class:`~despina.errors.DespinaWarning` at their lines.

        :param on: ``local``, the engine on this machine; a Spark session, the engine in its executors; or ``executors``, those
            of the session that runs or else is started. For Spark itself, run the frames of :meth:`to_spark`
        :param master: of the session that ``executors`` starts
        :param conf: its settings
        :param driver: ``py4j``, a JVM in its own process, or ``jpype``, a JVM in this process
        :param inputs: rows for sources, by the source's id, which replace what the source would read; see :mod:`despina.inputs`
        :param service: address or context of a service that runs it and keeps it, whatever becomes of this program; see
            :mod:`despina.service`. Of ``options`` it takes ``parameters`` and ``deployment``
        :param options: the fields of :class:`RunOptions`
        :raise GraphError: the graph or the deployment is refused
        :raise RefusedError: an input's columns are not the source's
        :raise StartError: the engine does not start
        """
        from despina.backends import split
        if service is not None:
            from despina.service.remote import Remote
            return Remote(service).submit(self, inputs=inputs, **options)
        wanted = run_options(options)
        session = None
        if on != "local":
            from despina.backends import executors
            if on == "executors" and master is not None and not executors.is_started():
                self._check_first(wanted, inputs or {})
            session = executors.session(master, conf) if on == "executors" else on
            engine = executors.engine(session)
        engine = engine or engines.start(driver)
        if split.on_spark(wanted):
            job = split.start(self, engine, wanted, session, inputs=inputs)
        else:
            job = self.start(engine, wanted, inputs=inputs)
        warn(job.warnings)
        return job

    def _check_first(self, options: RunOptions, inputs: Mapping[str, Given]) -> None:
        """Before a Spark starts for it.

        :raise GraphError: the graph is refused
        """
        from despina.backends import split
        self._refuse_frames(inputs)
        with engines.checking() as engine:
            if split.on_spark(options):
                split.check(self, options, engine)
            else:
                self.check(options, inputs=list(inputs), engine=engine)

    def start(self, engine: Engine, options: RunOptions, keep_rows: bool = True,
              inputs: Mapping[str, Given] | None = None, pipes: Mapping[str, str] | None = None,
              tell: Callable[[str], None] | None = None) -> Job:
        """Starts it on that engine; see :class:`~despina.job.Job` for ``keep_rows``.

        :param pipes: paths of the pipes ``stdin`` and ``stdout`` that path ``-`` means
        :param tell: called with what is waited for, about twice a second, until there is a job

        Ctrl-C stops the started job, since the caller gets no :class:`~despina.job.Job` to stop.
        """
        self._refuse_frames(inputs or {})
        if engine.name != SERVICE and (whole := self.whole(engine)) is not self:
            warnings = self.check(options, engine=engine, inputs=list(inputs or {})).diagnostics
            job = whole.start(engine, options, keep_rows, inputs, pipes, tell)
            job.warnings = warnings     # which say more of where in the parts they are
            return job
        words = self._words(options, engine)
        if pipes:
            words["pipes"] = dict(pipes)
        fed = self._fed(engine, words, inputs) if inputs else []
        answer: Future[tuple[str, tuple[Diagnostic, ...], frozenset[str]]] = Future()
        # A thread of its own: Ctrl-C does not wait long for the answer, and the job in it is stopped all the same.
        asking = threading.Thread(target=_answer, args=[answer, lambda: engine.run(self.sent, self.file, words)],
                                  name="despina-run", daemon=True)
        try:
            while True:         # whoever handles a signal may let it go on
                with deferred() as held:
                    if asking.ident is None:
                        asking.start()
                    if _is_answered(answer, held, None if tell is None else lambda: tell(engine.starting())):
                        identifier, warnings, used = answer.result()
                        feeders = [Feeder(engine, identifier, one) for one in fed]
                        job = Job(engine, identifier, self.name, self._placed(warnings), keep_rows, feeders, used)
                        job.lines = self._line_of if self._lines else None
                        job.form = partial(self._form, engine, options, [*(inputs or ())])
                        return job
        except GraphError as error:
            raise GraphError(self._placed(error.diagnostics)) from None
        except BaseException:
            with deferred():
                answer.add_done_callback(lambda done: _stop_started(engine, done))
            raise

    def _form(self, engine: Engine, options: RunOptions, inputs: Sequence[str]) -> dict[str, Any]:
        """What a job of it is drawn from, without the values of its parameters."""
        from despina.service.submission import as_written
        with contextlib.suppress(DespinaError):
            plan = self.check(options, engine=engine, inputs=inputs).plan
            return {"graph": self.text, "deployment": None,
                    "plan": plan and as_written(plan, self.text, options.for_gateway().get("parameters") or {})}
        return {"graph": self.text, "deployment": None, "plan": None}

    def _refuse_frames(self, inputs: Mapping[str, Given]) -> None:
        """The engine does not read a DataFrame that a source was built from.

        :raise RefusedError: nothing else is given to that source
        """
        for name in self._given:
            if name not in inputs:
                raise RefusedError("dataframe", f"{name} is a DataFrame of Spark, which the engine does not read",
                                   f"to_spark(spark) runs the graph on Spark; or give rows: inputs={{{name!r}: rows}}",
                                   self._line_of(f"/operators/{name}"))

    def _fed(self, engine: Engine, words: dict[str, Any], given: Mapping[str, Given]) -> list[Input]:
        """What is given to the sources, held against the columns they have; adds their ids to the options of the run."""
        words["inputs"] = list(given)
        checked = engine.check(self.sent, self.file, _for_check(words))
        if not checked.ok:
            raise GraphError(self._placed(checked.diagnostics))
        return [Input.of(name, checked.columns(name), rows) for name, rows in given.items()]

    def to_mermaid(self) -> str:
        """A Mermaid flowchart."""
        from despina.draw import drawing, mermaid
        return mermaid.render(drawing.of(self.to_dict()))

    def to_svg(self) -> str:
        """An SVG picture, laid out from left to right."""
        from despina.draw import drawing, svg
        return svg.render(drawing.of(self.to_dict()))

    def to_spark(self, spark: SparkSession, parameters: Mapping[str, Parameter] | None = None, *,
                 inputs: Mapping[str, DataFrame] | None = None, streaming: bool = False,
                 modules: Sequence[str | Path] = ()) -> dict[str, DataFrame]:
        """The same graph as DataFrames, one per sink, made under the graph's settings.

        :param inputs: DataFrames for sources, by the source's id, which replace what the source would read: of a table, of
            Parquet, of anything that this Spark reads. Columns match by name, and values are converted if nothing is lost
        :param streaming: streaming DataFrames, with the graph's watermarks as Spark's; those of ``inputs`` must be streams too.
            Their queries have output mode ``append``; see docs/spark-streaming.md
        :param modules: folders with Python modules that the graph names, beside the graph's own
        :raise GraphError: something in it has no Spark form
        :raise RefusedError: the columns of an input are not the source's, or it is a stream where none is wanted; or the session
            is one of Spark Connect
        """
        from despina.backends import spark as backend
        results: dict[str, DataFrame] = backend.frames(self, spark, RunOptions(parameters, modules=modules),
                                                       {**self._given, **(inputs or {})}, streaming)
        return results

    def _placed(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """For a built graph: the user's line of the operator or link, in place of one in a text that no one sees. What stands
        in the deployment keeps its place there.
        """
        if not self._lines:
            return tuple(found)
        ours = ("", self.file)
        return tuple(replace(d, place=self._line_of(d.pointer) if d.place.file in ours else d.place, used=tuple(
            replace(each, place=self._line_of(each.pointer)) if each.place.file in ours else each for each in d.used))
            for d in found)

    def place_of(self, operator: str, line: int, column: int) -> Place:
        """Where the user wrote an operator: there in the file, or the line of the program that built the graph."""
        return self._line_of(f"/operators/{operator}") if self._lines else Place(self.file, line, column)

    def _line_of(self, pointer: str) -> Place:
        while pointer not in self._lines and pointer:
            pointer = pointer.rpartition("/")[0]
        return self._lines.get(pointer, Place(self.file))

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {self.file})"

    def _repr_html_(self) -> str:
        return self.to_svg()


def _for_check(words: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run that say something to ``check``."""
    known = ("directory", "parameters", "deployment_text", "deployment_file", "inputs", "jars", "state", "python")
    return {name: value for name, value in words.items() if name in known}


def warn(found: Iterable[Diagnostic]) -> None:
    """Tells of each by Python's ``warnings``, at its own line: shown once, unless the user's filters say otherwise."""
    for diagnostic in found:
        place = diagnostic.place
        warnings.warn_explicit(diagnostic.told(), DespinaWarning, place.file or "graph", place.line,
                               registry=_warned)


def _answer(answer: Future[Any], ask: Callable[[], Any]) -> None:
    try:
        answer.set_result(ask())
    except BaseException as error:
        answer.set_exception(error)


def _is_answered(answer: Future[Any], held: Sequence[int], tell: Callable[[], None] | None) -> bool:
    """Waits for the answer, but not long once a signal is held: a compiler that is loaded may take seconds."""
    looks, left = 0, LOOKS_AFTER_SIGNAL
    while not answer.done() and left > 0:       # a signal that the system gives to another thread does not wake this one
        wait([answer], timeout=LOOK_S)
        looks += 1
        left -= bool(held)
        if tell is not None and looks % LOOKS_PER_WORD == 0 and not (answer.done() or held):
            tell()
    return answer.done()


def _stop_started(engine: Engine, answer: Future[tuple[str, Any, Any]]) -> None:
    """Stops the job whose start was interrupted, and waits for its end, after which it holds no file any more."""
    if answer.exception() is not None:
        return
    identifier = answer.result()[0]
    with contextlib.suppress(DespinaError):     # it has ended, or the engine has
        engine.stop(identifier, "now")
        engine.wait(identifier, END_MILLIS)


def load(path: str | Path) -> Graph:
    """The graph in that file.

    :raise RefusedError: it cannot be read
    """
    return Graph(read_text(path, "graph"), str(path))


__all__ = ["Graph", "Parameter", "RunOptions", "load"]
