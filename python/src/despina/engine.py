"""The engine as Python sees it: the gateway's methods with their answers read, and one engine for a whole session.

One coordinator JVM serves all jobs of a Python process; it starts at the first job and ends with the process.
"""

from __future__ import annotations

import atexit
import base64
import html
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from despina import drivers
from despina.errors import DespinaError, Diagnostic, GraphError, IncompleteError, JobError, RefusedError, StartError
from despina.html import table

if TYPE_CHECKING:
    from despina.columns import Columns

START_RULES = frozenset({"resource_start", "port_in_use", "secret_file", "tls"})
"""Rules of the coordinator's errors that mean: it could not start (exit code 3)."""


@dataclass(frozen=True)
class Told:
    """What an instance of an operator says to a command of :meth:`despina.Job.control`."""

    operator: str
    instance: int
    ok: bool
    """Whether it has done it."""
    answer: str
    """In words: what it did, or why not; may be empty. Of ``status`` an object of JSON."""

    @property
    def status(self) -> dict[str, Any]:
        """What an instance has answered to ``status``, by name.

        ``is`` is ``opening``, ``running``, ``waiting``, ``paused``, ``held`` or ``ended``. ``paused_by`` is the instance that
        does not take what was sent, and ``paused_ms`` for how long. ``queued_bytes`` wait for it, and ``queued_ms`` is how long
        it takes for them. ``state_bytes`` and ``state_keys`` are what it keeps, ``watermark_us`` is in microseconds since 1970.
        ``buckets`` are the buckets of keys that it has, where these are dealt out: ``0-63, 70``, or empty.
        What nobody knows is left out.
        """
        found: dict[str, Any] = json.loads(self.answer)
        return found


@dataclass(frozen=True)
class Connection:
    """What became of trying what an operator connects to."""

    operator: str
    found: str | None
    """In words; None if there is a problem, or if it cannot be tried."""
    problem: Diagnostic | None

    def __str__(self) -> str:
        return f"{self.operator}: {self.problem or (f'ok, {self.found}' if self.found else 'cannot be tried')}"


@dataclass(frozen=True)
class Checked:
    """What ``check`` found: diagnostics, and the plan as the coordinator describes it, None if there is an error.

    ``inputs`` has, for each source that is to be given rows, their columns as an Arrow stream without a row; ``defaults``, for
    those whose rows may leave columns out, these columns with a row of what they then are. ``guarantee`` is what the job, with a
    state folder, promises of its rows when a part of it is lost; None for Spark, and if there is an error. ``connections`` has
    what was tried, in the graph's order, if that was asked for. ``children_bytes`` is what the children of its deployment may
    take of memory, and ``proposal`` where operators should run, if that was asked for.
    """

    diagnostics: tuple[Diagnostic, ...]
    plan: dict[str, Any] | None
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    defaults: Mapping[str, bytes] = field(default_factory=dict)
    guarantee: dict[str, Any] | None = None
    connections: tuple[Connection, ...] = ()
    children_bytes: int = 0
    proposal: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether there is no error and no connection with a problem; warnings may be."""
        return (all(d.severity != "error" for d in self.diagnostics)
                and all(each.problem is None for each in self.connections))

    def columns(self, source: str) -> Columns:
        """Of the rows that are to be given to that source."""
        from despina.columns import Columns  # only few jobs are given rows
        return Columns.of_stream(self.inputs[source], self.defaults.get(source, b""))

    def __repr__(self) -> str:
        counts = [(sum(d.severity == word for d in self.diagnostics), word) for word in ("error", "warning")]
        found = ", ".join(_counted(count, word) for count, word in counts if count)
        if self.plan is None:
            return f"Checked(refused: {found})"
        ok = ", ".join(filter(None, ("ok", found)))
        return f"Checked({self.plan['name']}: {ok}; {_counted(len(self.plan['operators']), 'operator')})"

    def _repr_html_(self) -> str:
        found = "".join(f"<pre>{html.escape(str(diagnostic))}</pre>" for diagnostic in self.diagnostics)
        operators = (self.plan or {}).get("operators", ())
        rows = [[o["id"], o["type"], port["name"], port["schema"], (port["event_time"] or {}).get("column", "")]
                for o in operators for port in o["outputs"] if port["name"] == "out" or port["linked"]]
        return found + table(["operator", "type", "port", "columns", "event time"], rows, repr(self))


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


@dataclass(frozen=True)
class Inferred:
    """What Spark infers of a file."""

    schema: str
    """As DDL."""
    by_place: bool
    """Whether the names of a csv header cannot be the schema's, which has others."""
    extra_columns: bool
    """Whether a line of csv has more columns than the schema."""
    message: str = ""
    """Of a descriptor file: the message's name."""
    left_out: tuple[str, ...] = ()
    """Of a descriptor file: fields that no column can hold."""


class Engine:
    """The coordinator behind a driver. Every method raises what the coordinator answers as an error."""

    def __init__(self, driver: drivers.Driver, name: str) -> None:
        self._driver = driver
        self.name = name

    def version(self) -> dict[str, Any]:
        """``{"despina", "java", "pid"}``."""
        return self._ask(RefusedError, "version")

    def check(self, text: str, file: str, options: Mapping[str, Any]) -> Checked:
        """Parses, checks and plans; nothing is refused, everything is told."""
        answer = self._ask(RefusedError, "check", text, file, json.dumps(options))
        inputs, defaults = ({name: base64.b64decode(stream) for name, stream in (answer.get(key) or {}).items()}
                            for key in ("inputs", "defaults"))
        return Checked(_diagnostics(answer), answer.get("plan"), inputs, defaults, answer.get("guarantee"),
                       tuple(_connection(found) for found in answer.get("connections", ())),
                       int(answer.get("children_bytes") or 0), answer.get("proposal"))

    def dry_run(self, text: str, file: str, options: Mapping[str, Any],
                wish: Mapping[str, Any]) -> tuple[tuple[Diagnostic, ...], dict[str, Any] | None]:
        """Checks, and says what would become of a state; None in place of that if the graph itself is refused."""
        answer = self._ask(RefusedError, "dryRun", text, file, json.dumps(options), json.dumps(wish))
        return _diagnostics(answer), answer.get("dry_run")

    def state(self, command: str, folder: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Looks into a state folder; :mod:`despina.state` has the commands."""
        return self._ask(RefusedError, "state", command, folder, json.dumps(options))

    def machine(self) -> dict[str, Any]:
        """What this machine can do, as ``machine`` of a deployment has it; measuring takes less than a second."""
        return self._ask(RefusedError, "machine")

    def warm_up(self) -> None:
        """Has the expression compiler loaded in the background."""
        self._ask(RefusedError, "warmUp")

    def keep_ready(self, count: int) -> None:
        """Keeps so many processes ready that no job has yet: one that wants such a child takes one of them."""
        self._ask(RefusedError, "keepReady", count)

    def infer(self, text: str, form: str, options: Mapping[str, str]) -> Inferred:
        """What Spark infers of the first lines of a file, or makes of the message of a descriptor file.

        :param form: ``csv``, ``json``, or ``protobuf``, which has no text
        :param options: those of the format
        :raise RefusedError: there is no record, one is not JSON, Spark refuses an option, or there is no such message
        """
        answer = self._ask(RefusedError, "infer", text, form, json.dumps(options))
        return Inferred(answer["schema"], answer["by_place"], answer["extra_columns"], answer.get("message", ""),
                        tuple(answer.get("left_out", ())))

    def find(self, path: str) -> tuple[str | None, dict[str, str]]:
        """The first file of a ``file_source``'s path that has bytes, and the types of the columns that its folders name, as DDL.

        :raise RefusedError: there is no file
        """
        answer = self._ask(RefusedError, "find", path)
        return answer["file"], answer["folders"]

    def table(self, text: str, file: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """What a graph's first operator, a ``jdbc_source``, could read: its ``schema``, a ``column`` that rises, ``notes``.

        :raise GraphError: the graph is refused
        :raise RefusedError: the table is not there, or the database cannot be asked
        """
        answer = self._ask(RefusedError, "table", text, file, json.dumps(options))
        if "schema" not in answer:
            raise GraphError(_diagnostics(answer))
        return answer

    def schema(self) -> str:
        """The JSON Schema of graphs, as a text."""
        return str(self._ask(RefusedError, "schema")["text"])

    def format(self, text: str, file: str) -> str:
        """The canonical form of a graph's text.

        :raise GraphError: what does not parse has none
        """
        answer = self._ask(RefusedError, "format", text, file)
        if "text" not in answer:
            raise GraphError(_diagnostics(answer))
        return str(answer["text"])

    def without_parts(self, text: str, file: str) -> tuple[str, Mapping[str, Mapping[str, Any]]] | None:
        """The same graph with the operators of its parts in the place of each use, as far as they are in order.

        :param text: with the files of its parts behind it, see :func:`despina.parts.sequence`
        :return: its text and, by JSON pointer in it, where in the graph's file an operator or a link is; None if it has no parts
        :raise GraphError: it is no JSON
        """
        answer = self._ask(RefusedError, "format", text, file)
        if "text" not in answer:
            raise GraphError(_diagnostics(answer))
        whole = answer.get("whole")
        return None if whole is None else (str(whole["text"]), whole["places"])

    def run(self, text: str, file: str, options: Mapping[str, Any]) -> tuple[str, tuple[Diagnostic, ...], frozenset[str]]:
        """Starts a job.

        :return: its id, warnings, and which of the pipes of the options it uses
        :raise GraphError: the graph or the deployment is refused
        """
        answer = self._ask(RefusedError, "run", text, file, json.dumps(options))
        if "job" not in answer:
            raise GraphError(_diagnostics(answer))
        return str(answer["job"]), _diagnostics(answer), frozenset(answer.get("pipes", ()))

    def starting(self) -> str:
        """What a call of :meth:`run` that has not answered yet is at, in words."""
        return str(self._ask(RefusedError, "starting")["phase"])

    def status(self, job: str) -> dict[str, Any]:
        """How a job stands; see ``Gateway.status``."""
        return self._ask(JobError, "status", job)

    def wait(self, job: str, millis: int) -> dict[str, Any]:
        """Its status as soon as it ended, or that time has passed: then with the counters of the last :meth:`status`."""
        return self._ask(JobError, "await", job, millis)

    def stop(self, job: str, mode: str) -> None:
        """Asks a job to end: ``drain``, ``flush``, ``now``, or empty for what its ``on_stop`` says."""
        self._ask(JobError, "stop", job, mode)

    def savepoint(self, job: str, folder: str, stop: str) -> None:
        """Begins to write a savepoint; with a way to stop, as of :meth:`stop` or ``usual``, of the job's end."""
        self._ask(RefusedError, "savepoint", job, folder, stop)

    def await_savepoint(self, job: str, millis: int) -> dict[str, Any]:
        """What has become of it; see ``Gateway.awaitSavepoint``."""
        return self._ask(RefusedError, "awaitSavepoint", job, millis)

    def direct(self, job_file: str, stop: str, folder: str) -> dict[str, Any]:
        """Stops a job of another process, or has a savepoint of it written; see ``Gateway.direct``."""
        return self._ask(RefusedError, "direct", job_file, stop, folder)

    def report(self, job: str) -> dict[str, Any]:
        """The report that ``despina run --report`` writes."""
        return self._ask(JobError, "report", job)

    def collected(self, job: str, sink: str) -> bytes:
        """The rows that reached a ``collect_sink`` since the last call, as an Arrow IPC stream; empty for none."""
        return self._driver.fetch("collected", job, sink)

    def done(self, job: str, sink: str, rows: int, how: str) -> None:
        """The first so many rows that were :meth:`collected`, -1 for all, are not wanted again; see ``Gateway.done``."""
        self._ask(RefusedError, "done", job, sink, rows, how)

    def place(self, job: str, sink: str, rows: int) -> str:
        """Where the first so many rows end that were :meth:`collected`; see ``Gateway.place``."""
        return str(self._ask(RefusedError, "place", job, sink, rows)["place"])

    def begin(self, job: str, sink: str, place: str) -> None:
        """Rows begin behind that place; see ``Gateway.begin``."""
        self._ask(RefusedError, "begin", job, sink, place)

    def await_rows(self, job: str, sink: str, millis: int) -> dict[str, Any]:
        """As :meth:`wait`, or as soon as that ``collect_sink`` has rows."""
        return self._ask(JobError, "awaitRows", job, sink, millis)

    def feed(self, job: str, operator: str, rows: bytes, millis: int) -> tuple[bool, bool]:
        """Gives a source rows, an Arrow IPC stream or nothing, then waits for room for more.

        :return: whether there is room, and whether anything more will be taken
        """
        standing = self._ask(JobError, "feed", job, operator, rows, millis)
        return bool(standing["room"]), bool(standing["open"])

    def fed(self, job: str, operator: str, follow: bool, millis: int) -> int:
        """How many rows of a source are in, -1 if it is not known yet; see ``Gateway.fed``."""
        return int(self._ask(JobError, "fed", job, operator, follow, millis)["rows"])

    def end_feed(self, job: str, operator: str, failure: str = "") -> None:
        """Nothing follows for that source; the job fails if there is a reason."""
        self._ask(JobError, "endFeed", job, operator, failure)

    def address(self, job: str) -> dict[str, Any]:
        """Where programs of other processes reach a job; see ``Gateway.address``."""
        return self._ask(JobError, "address", job)

    def printed(self, job: str) -> tuple[list[str], list[str], list[dict[str, Any]]]:
        """What ``console_sink``s printed since the last call, by which of them each line was, and bad records; see
        ``Gateway.console``.
        """
        answer = self._ask(JobError, "console", job)
        return [str(line) for line in answer["lines"]], list(answer["sinks"]), list(answer.get("bad_records") or ())

    def control(self, job: str, command: str, operator: str = "", argument: str = "") -> tuple[Told, ...]:
        """Tells operators of a running job what to do, all that know the command or one; see ``Gateway.control``."""
        return _told(self._ask(RefusedError, "control", job, command, operator, argument))

    def control_at(self, job_file: str, command: str, operator: str = "", argument: str = "") -> tuple[Told, ...]:
        """The same for a job of another process; see ``Gateway.controlAt``."""
        return _told(self._ask(RefusedError, "controlAt", job_file, command, operator, argument))

    def alive(self) -> bool:
        """Whether it can answer: its JVM lives, and nothing closed it."""
        return self._driver.alive()

    def close(self) -> None:
        """Ends every job and what was started for it."""
        self._driver.close()

    def _ask(self, otherwise: type[DespinaError], method: str, *arguments: str | int | bytes) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._driver.call(method, *arguments))
        if (found := answer.get("error")) is not None and "state" not in answer:
            raise error_of(found, otherwise)
        return answer


def error_of(found: Mapping[str, Any], otherwise: type[DespinaError] = JobError) -> DespinaError:
    """The exception for an error that the coordinator answered, or that a failed job carries."""
    rule = str(found.get("rule", "internal"))
    kind = StartError if rule in START_RULES else IncompleteError if rule == "incomplete" else otherwise
    error = kind(rule, str(found.get("message", "")), str(found.get("hint") or ""))
    if found.get("line"):
        error.place = Diagnostic.from_dict(found).place
    error.operator = str(found.get("operator") or "")
    return error


def _told(answer: Mapping[str, Any]) -> tuple[Told, ...]:
    return tuple(Told(**one) for one in answer["answers"])


def _diagnostics(answer: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic.from_dict(found) for found in answer.get("diagnostics") or ())


def _connection(found: Mapping[str, Any]) -> Connection:
    problem = found.get("problem")
    return Connection(str(found["operator"]), found.get("words"), Diagnostic.from_dict(problem) if problem else None)


_session: Engine | None = None
_session_lock = threading.Lock()


def start(driver: str = "py4j", *, coordinates_only: bool = False) -> Engine:
    """The engine of this process. The first call starts it; later calls with another driver are refused.

    If the engine's JVM has died, and its jobs with it, the call starts another.

    :param coordinates_only: no job will run in the coordinator's own JVM
    """
    global _session
    with _session_lock:
        if _session is not None and not _session.alive():
            atexit.unregister(stop)
            _session.close()
            _session = None
        if _session is None:
            _session = Engine(drivers.start(driver, coordinates_only=coordinates_only), driver)
            atexit.register(stop)
        elif _session.name != driver:
            raise RefusedError("driver", f"this process's engine runs over {_session.name}, not {driver}",
                               "despina.engine.stop() ends it first")
        return _session


@contextmanager
def checking() -> Iterator[Engine]:
    """Checks a graph before a Spark starts for it: the engine of this process if it runs, else one that ends behind the block."""
    with _session_lock:
        running = _session
    if running is not None and running.alive():
        yield running
        return
    with closing(Engine(drivers.start("py4j", coordinates_only=True), "py4j")) as engine:
        yield engine


def _forget() -> None:
    """In a forked process: the session is the parent's, and so is the lock if one of its threads has it."""
    global _session, _session_lock
    _session, _session_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


def stop() -> bool:
    """Ends this process's engine and every job in it; the next job starts another.

    :return: whether there was one
    """
    global _session
    with _session_lock:
        engine, _session = _session, None
    atexit.unregister(stop)
    if engine is not None:
        engine.close()
    return engine is not None
