"""The service ``despina serve`` in this process, over a coordinator whose jobs do what a test says."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import uvicorn
from fastapi.testclient import TestClient

from despina.engine import Checked, Engine, Told
from despina.errors import Diagnostic, GraphError, RefusedError, StartError
from despina.service import app as routes
from despina.service.answers import job_of
from despina.service.connections import Connection
from despina.service.coordinator import Coordinator
from despina.service.guard import Guard, Limits
from despina.service.jobs import Jobs
from despina.service.live import Live
from despina.service.store import Store
from despina.service.tokens import Tokens
from support.processes import ROOT, until

SCHEMA = ROOT / "graphs" / "graph.schema.json"
HOST = "127.0.0.1:7600"


def graph(name: str = "numbers", **operators: Any) -> str:
    return json.dumps({"format": 1, "name": name, "operators": operators, "links": []})


CHUNK = 7
"""Rows that the fake engine hands over at once."""


def stream(numbers: list[int]) -> bytes:
    """An Arrow stream with a column ``n``."""
    out = pyarrow.BufferOutputStream()
    table = pyarrow.table({"n": pyarrow.array(numbers, pyarrow.int64())})
    with pyarrow.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return bytes(out.getvalue().to_pybytes())


@dataclass
class FakeJob:
    """What a job of the fake engine is."""

    identifier: str
    words: Mapping[str, Any]
    state: str = "running"
    error: dict[str, Any] | None = None
    told: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """What has reached its sink ``rows``."""
    kept: bool = False
    at: int = 0
    """How many of them were fetched, and were in front of those in this start."""
    base: int = 0
    done: list[tuple[int, str]] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    fed: list[int] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    counters: dict[str, Any] = field(default_factory=dict)
    """Parts of its status: ``operators``, ``links``, ``resources`` and so on."""
    counting: Callable[[], dict[str, Any]] = dict
    """The same, of the moment."""


def _unread(text: str) -> tuple[Diagnostic, ...]:
    """As the engine says it of what is no graph."""
    try:
        content = json.loads(text.partition("\x1e")[0])
        return () if isinstance(content, dict) else (Diagnostic("syntax", "no object of JSON"),)
    except ValueError as error:
        return (Diagnostic("syntax", str(error)),)


class FakeEngine:
    """Answers as the gateway does. What has become of its jobs, the test says; a stop ends one unless the job is ``stubborn``."""

    def __init__(self) -> None:
        self.jobs: dict[str, FakeJob] = {}
        self.changed = threading.Condition()
        self.lost = False
        self.closed = False
        self.stubborn = False
        self.refuses: list[BaseException] = []
        self.checked: list[tuple[str, Mapping[str, Any]]] = []
        self.found: tuple[Diagnostic, ...] = ()
        self.whole: dict[str, Any] = {}
        """The operators of a graph whose parts are written out."""
        self.places: dict[str, dict[str, Any]] = {}
        """Where they are in the graph that has parts."""
        self.inputs: dict[str, bytes] = {}
        self.unsaved = False
        self.stateless: RefusedError | None = None
        self.children_bytes = 600_000_000
        self.unfit: tuple[Diagnostic, ...] = ()
        self.states: list[dict[str, str]] = []
        self.wishes: list[Mapping[str, Any]] = []
        self.plan: dict[str, Any] = {"name": "g"}

    def named(self, number: int = -1) -> FakeJob:
        """The job that was started last."""
        return list(self.jobs.values())[number]

    def become(self, state: str, number: int = -1, **error: Any) -> None:
        """A job changes by itself."""
        with self.changed:
            job = self.named(number)
            job.state, job.error = state, error or None
            self.changed.notify_all()

    def die(self) -> None:
        """As the JVM does when it is killed."""
        with self.changed:
            self.lost = True
            self.changed.notify_all()

    def _answers(self) -> None:
        if not self.alive():
            raise StartError("engine_lost", "the engine's JVM is gone")

    def alive(self) -> bool:
        return not self.lost and not self.closed

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def version(self) -> dict[str, Any]:
        return {"despina": "0", "java": "17", "pid": 1}

    def check(self, text: str, file: str, options: Mapping[str, Any]) -> Checked:
        self._answers()
        self.checked.append((text, options))
        found = self.found or _unread(text)
        refused = any(each.severity == "error" for each in found)
        return Checked(found, None if refused else self.plan, self.inputs, children_bytes=self.children_bytes)

    def format(self, text: str, file: str) -> str:
        self._answers()
        if unfit := self.unfit or _unread(text):
            raise GraphError(unfit)
        return json.dumps(json.loads(text), indent=2) + "\n"

    def schema(self) -> str:
        self._answers()
        return SCHEMA.read_text(encoding="utf-8")

    def without_parts(self, text: str, file: str) -> tuple[str, dict[str, Any]] | None:
        self._answers()
        content = json.loads(text.partition("\x1e")[0])
        del content["parts"]
        return json.dumps({**content, "operators": self.whole}), self.places

    def run(self, text: str, file: str, words: Mapping[str, Any]) -> tuple[str, tuple[Diagnostic, ...], frozenset[str]]:
        self._answers()
        if self.refuses:
            raise self.refuses.pop(0)
        with self.changed:
            job = FakeJob(f"j{len(self.jobs) + 1}", words)
            self.jobs[job.identifier] = job
            self.changed.notify_all()
        return job.identifier, (), frozenset()

    def status(self, identifier: str) -> dict[str, Any]:
        self._answers()
        job = self.jobs[identifier]
        return {"job": identifier, "state": job.state, "elapsed_s": 1.0, "attempt": 1, "operators": {}, "links": {},
                "resources": {},
                "collected": {"rows": {"rows": job.at, "waiting_bytes": len(job.rows) - job.at, "kept": job.kept}},
                **({"error": job.error} if job.error else {}), **job.counters, **job.counting()}

    def wait(self, identifier: str, millis: int) -> dict[str, Any]:
        with self.changed:
            self.changed.wait_for(lambda: not self.alive() or self.jobs[identifier].state != "running", min(millis, 10) / 1000)
        return self.status(identifier)

    def printed(self, identifier: str) -> tuple[list[str], list[str], list[dict[str, Any]]]:
        self._answers()
        job = self.jobs[identifier]
        told, job.lines, job.bad = (job.lines, ["console"] * len(job.lines), job.bad), [], []
        return told

    def stop(self, identifier: str, mode: str) -> None:
        self._answers()
        self.jobs[identifier].told.append(mode)
        if not self.stubborn or mode == "now":
            with self.changed:
                self.jobs[identifier].state = "stopped"
                self.changed.notify_all()

    def savepoint(self, identifier: str, folder: str, mode: str) -> None:
        self._answers()
        if self.refuses:
            raise self.refuses.pop(0)
        if not self.unsaved:
            Path(folder).mkdir()
            (Path(folder) / "manifest.json").write_text("{}")
        self.stop(identifier, mode)

    def dry_run(self, text: str, file: str, options: Mapping[str, Any], wish: Mapping[str, Any]
                ) -> tuple[tuple[Diagnostic, ...], dict[str, Any] | None]:
        self._answers()
        self.wishes.append(wish)
        if self.stateless is not None:
            raise self.stateless
        return self.unfit, {"from": "epoch 7", "operators": self.states}

    def control(self, identifier: str, command: str, operator: str = "", argument: str = "") -> tuple[Told, ...]:
        self._answers()
        if self.refuses:
            raise self.refuses.pop(0)
        if command == "tail":
            rows, self.jobs[identifier].tail = self.jobs[identifier].tail, []
            return (Told(operator, 0, True, json.dumps({"rows": rows})),)
        self.jobs[identifier].told.append(f"{command} {operator} {argument}".strip())
        return (Told(operator or "every", 0, command != "reload", "it cannot be imported" if command == "reload" else ""),)

    def collected(self, identifier: str, sink: str) -> bytes:
        self._answers()
        job = self.jobs[identifier]
        found = job.rows[job.at:job.at + CHUNK]
        job.at += len(found)
        return stream(found)

    def place(self, identifier: str, sink: str, rows: int) -> str:
        return f"folder {self.jobs[identifier].base + rows}"

    def begin(self, identifier: str, sink: str, place: str) -> None:
        job = self.jobs[identifier]
        assert job.at == job.base, "rows were fetched"
        job.begun.append(place)
        job.at = job.base = int(place.split()[1])

    def done(self, identifier: str, sink: str, rows: int, how: str) -> None:
        self._answers()
        self.jobs[identifier].done.append((rows, how))

    def feed(self, identifier: str, operator: str, rows: bytes, millis: int) -> tuple[bool, bool]:
        self._answers()
        if rows:
            try:
                self.jobs[identifier].fed += pyarrow.ipc.open_stream(rows).read_all()["n"].to_pylist()
            except (pyarrow.ArrowException, OSError, KeyError) as error:
                raise RefusedError("input", f"the rows are no Arrow stream of that source's: {error}") from None
        return True, self.jobs[identifier].state == "running"

    def fed(self, identifier: str, operator: str, follow: bool, millis: int) -> int:
        return len(self.jobs[identifier].fed)

    def end_feed(self, identifier: str, operator: str, failure: str = "") -> None:
        self.jobs[identifier].ends.append(failure)

    def address(self, identifier: str) -> dict[str, Any]:
        self._answers()
        return {"host": "127.0.0.1", "port": 7, "job": identifier, "secret": "s" * 16, "secret_file": None, "tls": None}

    def report(self, identifier: str) -> dict[str, Any]:
        self._answers()
        return {"job": identifier, "state": self.jobs[identifier].state}


parts = routes.Parts(None, None, None, None)      # type: ignore[arg-type]
app = routes.make(parts)
"""Made once, for that takes a third of a second: the service that was started last is behind it."""


class Lent(Engine):
    """A real engine, which outlives the service that has it."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine._driver, engine.name)

    def close(self) -> None:
        pass


class Service:
    """One life of a service on a folder; :meth:`again` is the next one.

    Its jobs are those of fake engines, or, with the option ``engine``, of that one; it then has routes of its own.
    """

    def __init__(self, folder: Path, **options: Any) -> None:
        lent: Engine | None = options.get("engine")
        self._start = (lambda: Lent(lent)) if lent else self._started
        self._parts = routes.Parts(None, None, None, None) if lent else parts     # type: ignore[arg-type]
        self._app = routes.make(self._parts) if lent else app
        self.folder = folder
        self.options = options
        self.engines: list[FakeEngine] = []
        self.store = Store.open(folder)
        self.store.sign(f"http://{HOST}")
        self.tokens = Tokens(folder / "tokens.json")
        self.secrets = {role: self._token(role) for role in ("view", "operate", "admin")}
        self.coordinator = Coordinator(self._start)       # type: ignore[arg-type]
        self.jobs = Jobs(self.store, self.coordinator, options.get("rules"), options.get("keep", 20),
                         options.get("memory_bytes"))
        self.coordinator.begin()
        self.jobs.reconcile()
        self._parts.jobs, self._parts.coordinator, self._parts.tokens = self.jobs, self.coordinator, self.tokens
        self._parts.live = Live(self.jobs, job_of)
        self.limits = self._parts.limits = options.get("limits") or Limits()
        self.client = TestClient(Guard(self._app, [HOST], self.limits, self._knows), base_url=f"http://{HOST}",
                                 raise_server_exceptions=False)

    def _started(self) -> FakeEngine:
        self.engines.append(FakeEngine())
        return self.engines[-1]

    def _token(self, role: Any) -> str:
        name = f"{role}{len(self.tokens.listed())}"
        return self.tokens.add(name, role)

    def _knows(self, *sent: str) -> bool:
        return routes.may_send(self.tokens, *sent)

    @property
    def engine(self) -> FakeEngine:
        until(lambda: not self.coordinator.missing(), "coordinator")
        return self.engines[-1]

    def ask(self, method: str, path: str, body: Any = None, role: str = "admin", **headers: str) -> Any:
        """An answer."""
        more = {key.replace("_", "-"): text for key, text in headers.items()}
        given = {"authorization": f"Bearer {self.secrets[role]}", **more}
        return self.client.request(method, path if path.startswith("/h") else f"/api/v1{path}", json=body, headers=given)

    def submit(self, name: str = "numbers", **fields: Any) -> Any:
        """Submits a graph, and waits until it runs."""
        before = len(self.engine.jobs)
        answer = self.ask("POST", "/jobs", {"graph": graph(name), **fields})
        assert answer.status_code == 202, answer.text
        until(lambda: len(self.engine.jobs) > before, "job of the engine")
        self.until(name, "running")
        return answer.json()

    def until(self, name: str, state: str) -> Any:
        """Waits until the job is that."""
        until(lambda: self.jobs.one(name).record.real == state, f"{name} that is {state}")
        return self.ask("GET", f"/jobs/{name}").json()

    @contextmanager
    def listening(self, port: int = 0) -> Iterator[str]:
        """Answers at a port of this machine, a free one if none is given, whose address it gives."""
        with socket.create_server(("127.0.0.1", port)) as bound:
            address = f"127.0.0.1:{bound.getsockname()[1]}"
            server = uvicorn.Server(uvicorn.Config(Guard(self._app, [address], self.limits, self._knows), http=Connection,
                                                   log_level="error", timeout_graceful_shutdown=1))
            thread = threading.Thread(target=server.run, args=[[bound]], daemon=True)
            thread.start()
            until(lambda: server.started, "listening service")
            try:
                yield f"http://{address}"
            finally:
                server.should_exit = True
                thread.join(10)

    def kill(self) -> None:
        """As kill -9 does: nothing more is written, and the processes of its jobs end."""
        self.jobs._closed = True        # an upgrade that is under way comes to no further step
        for job in self.jobs.all():
            job.abandon()
        self.coordinator.close()
        for job in self.jobs.all():
            assert job.join(10.0)
        self.store.close()

    def close(self) -> None:
        self.jobs.close(1.0)

    def again(self) -> Service:
        return Service(self.folder, **self.options)


class Cutting:
    """A proxy that cuts connections, one after the other, when that many bytes of their answers have passed, and delays what
    passes.
    """

    def __init__(self, url: str, cuts: Iterable[int | None], delay_s: float = 0.0, spared: bytes = b"") -> None:
        """:param cuts: None for a connection that is left whole, as are all behind the last
        :param delay_s: for which each piece is held
        :param spared: what is in requests whose connections are left whole; empty for none
        """
        self._to = ("127.0.0.1", int(url.rpartition(":")[2]))
        self._cuts = iter(cuts)
        self._delay_s = delay_s
        self._spared = spared
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            most = next(self._cuts, None)
            far = socket.create_connection(self._to)
            spared = threading.Event()
            threading.Thread(target=self._copy, args=[near, far, None, spared], daemon=True).start()
            threading.Thread(target=self._copy, args=[far, near, most, spared], daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket, most: int | None, spared: threading.Event) -> None:
        passed = 0
        try:
            while data := source.recv(65536):
                if self._spared and self._spared in data:
                    spared.set()        # before the answer comes
                time.sleep(self._delay_s)
                data = data.replace(self.url.removeprefix("http://").encode(), f"127.0.0.1:{self._to[1]}".encode())
                if most is not None and not spared.is_set() and passed + len(data) > most:
                    target.sendall(data[:most - passed])
                    break
                passed += len(data)
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def close(self) -> None:
        self._socket.close()
