from __future__ import annotations

import json
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
from despina_worker.frames import HEADER, Kind

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

    def receive(self) -> tuple[Kind, int, bytes]:
        length, kind, number = HEADER.unpack(self._take(HEADER.size))
        return Kind(kind), number, self._take(length)

    def _take(self, length: int) -> bytes:
        taken = b""
        while len(taken) < length:
            taken += self.socket.recv(length - len(taken)) or pytest.fail("the worker has closed its side")
        return taken

    def send(self, kind: Kind, number: int, payload: bytes) -> None:
        self.socket.sendall(HEADER.pack(len(payload), kind, number) + payload)

    def open(self) -> None:
        assert self.receive() == (Kind.HELLO, 0, b"word")
        said = json.dumps({"function": "mine:f", "takes": "row", "adds": True, "columns": [], "pure": True, "in_flight": 1,
                           "options": {}}).encode()
        schema = SCHEMA.serialize().to_pybytes()
        self.send(Kind.OPEN, 0, b"".join(len(part).to_bytes(4, "little") + part for part in (said, schema, schema)))
        assert self.receive() == (Kind.OPENED, 0, b'{"columns": ["a"]}')

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


def batch(*values: float) -> bytes:
    return bytes(pa.RecordBatch.from_pydict({"a": values}, SCHEMA).serialize().to_pybytes())


def test_a_worker_answers_until_its_socket_is_closed(program: Path, tmp_path: Path, engines: list[Engine]) -> None:
    engines.append(engine := Engine(program, tmp_path, "def f(a):\n    return a + 1\n"))
    engine.open()
    engine.send(Kind.BATCH, 7, batch(1.0, 2.0))
    kind, number, answer = engine.receive()
    assert (kind, number) == (Kind.ANSWER, 7)
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


def test_a_python_without_pyarrow_says_so(program: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", str(program)], capture_output=True, text=True, input="", check=False)
    assert done.returncode == 3
    assert "has no pyarrow: install it there" in done.stderr
