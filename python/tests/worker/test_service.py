from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import despina_worker
from despina_worker import __main__ as worker_main
from despina_worker.errors import RefusedError
from despina_worker.frames import CODE, HEADER, Kind
from despina_worker.lookup import PUT_IT, Lookup
from despina_worker.service import imported

PACKAGE = Path(despina_worker.__file__).parent
SCHEMA = pa.schema([("a", pa.float64())])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worker as one file, as it is in the engine's jar."""
    path = tmp_path_factory.mktemp("program") / "despina_worker.zip"
    with zipfile.ZipFile(path, "w") as made:
        for file in PACKAGE.glob("*.py"):
            made.write(file, file.name if file.name == "__main__.py" else f"despina_worker/{file.name}")
    return path


class Engine:
    """The engine's side of one worker."""

    def __init__(self, program: Path, folder: Path, code: str) -> None:
        (folder / "mine.py").write_text(code)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(folder / "s"))
        self._listening.listen()
        self.process = subprocess.Popen([sys.executable, "-u", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        settings = {"socket": str(folder / "s"), "secret": "word", "paths": [str(folder)], "versions": {}}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(settings).encode() + b"\n")
        self.process.stdin.flush()
        self._listening.settimeout(60)
        self.socket, _ = self._listening.accept()
        self.socket.settimeout(60)
        self.worked_s = 0.0
        """What the last frame has said."""

    def receive(self) -> tuple[Kind, int, bytes]:
        length, head, number = HEADER.unpack(self._take(HEADER.size))
        self.worked_s = (head >> 8) / 100_000
        return Kind(head & CODE), number, self._take(length)

    def _take(self, length: int) -> bytes:
        taken = b""
        while len(taken) < length:
            taken += self.socket.recv(length - len(taken)) or pytest.fail("the worker has closed its side")
        return taken

    def send(self, kind: Kind, number: int, payload: bytes) -> None:
        self.socket.sendall(HEADER.pack(len(payload), kind, number) + payload)

    def open(self) -> None:
        self.ask()
        assert self.receive() == (Kind.OPENED, 0, b'{"columns": ["a"], "methods": []}')

    def ask(self) -> None:
        """Has it open the function."""
        assert self.receive() == (Kind.HELLO, 0, b"word")
        said = json.dumps({"function": "mine:f", "takes": "row", "adds": True, "columns": [], "pure": True, "in_flight": 1,
                           "options": {}}).encode()
        schema = SCHEMA.serialize().to_pybytes()
        self.send(Kind.OPEN, 0, b"".join(len(part).to_bytes(4, "little") + part for part in (said, schema, schema)))

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.socket.close()
        self._listening.close()


@pytest.fixture
def engines(program: Path, tmp_path: Path) -> Iterator[list[Engine]]:
    """Those that a test starts are ended after it."""
    started: list[Engine] = []
    yield started
    for engine in started:
        engine.end()


SLOW = """
import time
now_ns, ahead_ns = time.perf_counter_ns, 0
time.perf_counter_ns = lambda: now_ns() + ahead_ns
def f(a):
    global ahead_ns
    ahead_ns += 20_000_000
    return a + 1
"""
"""It takes 20 ms for a row, by the clock of its process."""


def batch(*values: float) -> bytes:
    return bytes(pa.RecordBatch.from_pydict({"a": values}, SCHEMA).serialize().to_pybytes())


def test_a_worker_answers_until_its_socket_is_closed(program: Path, tmp_path: Path, engines: list[Engine]) -> None:
    engines.append(engine := Engine(program, tmp_path, SLOW))
    engine.open()
    assert engine.worked_s == 0
    engine.send(Kind.BATCH, 7, batch(1.0, 2.0))
    kind, number, answer = engine.receive()
    assert (kind, number) == (Kind.ANSWER, 7)
    assert engine.worked_s >= 0.04, "the engine decides by it how many rows the next batch has"
    assert pa.ipc.read_record_batch(pa.py_buffer(answer), SCHEMA).to_pydict() == {"a": [2.0, 3.0]}
    engine.socket.shutdown(socket.SHUT_RDWR)
    assert engine.process.wait(60) == 0


@pytest.mark.parametrize("hangs", ["time.sleep(1000)", "exec('while True: pass')"])
def test_a_function_that_never_returns_ends_with_the_engine(program: Path, tmp_path: Path, engines: list[Engine],
                                                            hangs: str) -> None:
    engines.append(engine := Engine(program, tmp_path, f"import time\ndef f(a):\n    print('in')\n    {hangs}\n"))
    engine.open()
    engine.send(Kind.BATCH, 1, batch(1.0))
    assert engine.process.stdin is not None
    assert engine.process.stdout is not None
    assert engine.process.stdout.readline() == b"in\n"
    engine.process.stdin.close()
    assert engine.process.wait(60) == 0


def test_a_python_that_is_too_old_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 19))
    assert worker_main.main() == worker_main.UNFIT
    assert capsys.readouterr().err == (f"{sys.executable} is Python {sys.version.split()[0]}: it must be 3.10 or newer\n")


def test_each_python_can_read_why_it_is_too_old(program: Path) -> None:
    with zipfile.ZipFile(program) as made:
        text = made.read("__main__.py").decode()
    ast.parse(text, feature_version=(3, 4))
    assert "->" not in text.replace("# type: () ->", "").replace("# type: (str) ->", ""), "Python 2 has no annotations"


def test_a_python_without_pyarrow_says_so(program: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", str(program)], capture_output=True, text=True, input="", check=False)
    assert done.returncode == 3
    assert "has no pyarrow: install it there" in done.stderr


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Who opens it to read waits until the test opens it to write."""
    os.mkfifo(path := tmp_path / "gate")
    return path


def printed(engine: Engine) -> bytes:
    """What a process has printed that has ended by itself."""
    assert engine.process.stdout is not None
    assert engine.process.wait(60) == 0
    return engine.process.stdout.read()


def test_an_engine_that_leaves_while_the_module_is_imported_is_no_error(program: Path, tmp_path: Path, engines: list[Engine],
                                                                        gate: Path) -> None:
    engines.append(engine := Engine(program, tmp_path, f"open({str(gate)!r}).read()\ndef f(a):\n    return a\n"))
    engine.ask()
    engine.socket.close()
    gate.write_text("")
    assert printed(engine) == b""


def test_a_class_is_closed_though_the_engine_leaves_during_a_batch(program: Path, tmp_path: Path, engines: list[Engine],
                                                                   gate: Path) -> None:
    engines.append(engine := Engine(program, tmp_path, f"""
class f:
    def process(self, a):
        open({str(gate)!r}).read()
        return a

    def close(self):
        print("closed")
"""))
    engine.open()
    engine.send(Kind.BATCH, 1, batch(1.0))
    engine.socket.close()
    gate.write_text("")
    assert printed(engine) == b"closed\n"


def test_no_module_is_taken_from_a_folder_to_which_all_may_write(program: Path, tmp_path: Path, engines: list[Engine]) -> None:
    tmp_path.chmod(0o1777)
    engines.append(engine := Engine(program, tmp_path, "def f(a):\n    return a\n"))
    engine.ask()
    kind, _, why = engine.receive()
    assert kind == Kind.REFUSED
    assert (f"; it is not taken from {tmp_path}, to which all users may write: move it to a folder of your own, or chmod o-w "
            f"{tmp_path}") in json.loads(why)["why"]


def package(folder: Path, *files: str) -> Path:
    """A package ``acme`` of these files."""
    for file in ("__init__.py", *files):
        path = folder / "acme" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


@pytest.mark.parametrize(("installed", "here", "told"), [
    (["deep/fast.abi3.so", "slow.py"], False, "acme.deep.fast"), (["slow.py"], False, None), (["fast.so"], True, None)])
def test_a_package_that_came_and_hides_compiled_parts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                              installed: list[str], here: bool, told: str | None) -> None:
    beside = package(tmp_path / "beside", *installed)
    sent, modules = package(tmp_path / "sent", "slow.py"), tmp_path / "modules"
    if here:
        package(modules)        # which hides both
    folders = [str(modules), str(sent)]
    monkeypatch.setattr(sys, "path", [*folders, str(beside)])
    lookup = Lookup(folders, {}, None, str(sent))
    assert lookup.hidden() == ([] if told is None else [
        f"package `acme` came with the job and hides the one that is installed in {beside}/acme, of which it lacks compiled "
        f"modules, as `{told}`: {PUT_IT}"])
    if told is not None:
        assert lookup.lacks(told) == (f"; `acme` came with the job, and hides the one that is installed in {beside}/acme, which "
                                      f"has that module: {PUT_IT}")
    assert lookup.lacks("acme.other") == ""


ALLOWED = """
from functools import partial
from os import getcwd, system
from subprocess import Popen
from collections import OrderedDict
import json

def f(a):
    return a

class Model(OrderedDict):
    def process(self, a):
        return a

model = Model()
shell = partial(system, "true")
mine = partial(f, 1)
encode = json.JSONEncoder().encode
"""


@pytest.mark.parametrize(("attribute", "allowed", "of"), [
    ("f", ["tried_there"], None), ("Model", ["tried_there"], None), ("model.process", ["tried_there:*"], None),
    ("mine", ["tried_*"], None), ("system", None, None), ("system", ["tried_there", "posix:system"], None),
    ("system", ["tried_there"], "posix"), ("getcwd", ["tried_there:getcwd"], "posix"), ("Popen", ["tried_there"], "subprocess"),
    ("Popen", ["tried_there", "subprocess:run"], "subprocess"), ("OrderedDict", ["tried_there"], "collections"),
    ("shell", ["tried_there"], "posix"), ("encode", ["tried_there"], "json.encoder"),
    ("model.popitem", ["tried_there"], "builtins")])
def test_a_module_that_is_allowed_allows_what_it_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str,
                                                             allowed: list[str] | None, of: str | None) -> None:
    (tmp_path / "tried_there.py").write_text(ALLOWED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tried_there", raising=False)
    if of is None:
        assert callable(imported(f"tried_there:{attribute}", allowed=allowed))
    else:
        with pytest.raises(RefusedError, match=re.escape(f"`tried_there:{attribute}` is of module `{of}`, which `tried_there` "
                                                         f"imports, and this resource does not allow that: start it with "
                                                         f"--allow-python {of}, or write a function")):
            imported(f"tried_there:{attribute}", allowed=allowed)


def test_a_package_that_is_allowed_allows_what_its_modules_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "_impl.py")
    (tmp_path / "acme" / "_impl.py").write_text("def f(a):\n    return a\n")
    (tmp_path / "acme" / "__init__.py").write_text("from acme._impl import f\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("acme", "acme._impl"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert imported("acme:f", allowed=["acme"])(3) == 3


@pytest.mark.parametrize(("module", "told"), [("acme", True), ("acme.deep", True), ("acme.deep.mine", True), ("numpy", False),
                                              ("acme.dee", False)])
def test_why_none_came_is_told_of_those_that_would_have_come(module: str, told: bool) -> None:
    assert Lookup([], {"acme.deep.mine": "1.2"}, "too many").lacks(module) == ("; too many" if told else "")
    assert Lookup([], {}, "too many").lacks(module) == "; too many", "of one that takes another's place nothing is known"


MODULE = """
import os
from os import path as way

def f(a):
    return a

class Model:
    @staticmethod
    def score(a):
        return a
"""


@pytest.mark.parametrize(("attribute", "why"), [
    ("os.getcwd", "`tried_here:os.getcwd` is of module `os`: write `os:getcwd`"),
    ("way.exists", "`tried_here:way.exists` is of module `posixpath`: write `posixpath:exists`"),
    ("f.__globals__.get", "`tried_here:f.__globals__.get` has `__globals__`, a name of Python's own"),
    ("__loader__.get_data", "`tried_here:__loader__.get_data` has `__loader__`, a name of Python's own"),
    ("Model.scor", "has no `Model.scor`"), ("f", ""), ("Model.score", "")])
def test_a_name_leads_to_what_the_module_has_and_not_to_what_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                        attribute: str, why: str) -> None:
    (tmp_path / "tried_here.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tried_here", raising=False)
    if why:
        with pytest.raises(RefusedError, match=re.escape(why)):
            imported(f"tried_here:{attribute}")
    else:
        assert imported(f"tried_here:{attribute}")(3) == 3
