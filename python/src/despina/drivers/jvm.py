"""The command line of every JVM that Python starts, and a child JVM that ends with this process."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence

from despina import doctor
from despina.doctor import Java
from despina.errors import StartError

OPTIONS_VARIABLE = "DESPINA_JAVA_OPTIONS"
"""More options for the coordinator's JVM, as a shell would split them."""

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0
READ_TIMEOUT_S = 2.0
TAIL_LINES = 30
TAIL_LINE_BYTES = 2000


COLLECTOR = "-XX:+UseParallelGC"
"""As every resource has it: on two cores Java would choose by the size of the machine."""


def jvm_options(java: Java) -> list[str]:
    """Module flags, the class-data archive if there is one, then the user's options."""
    archive = doctor.class_archive(java, doctor.class_path())
    shared = ["-Xshare:auto", f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []
    return [*doctor.module_flags(java.version), COLLECTOR, *shared, *shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))]


def command_line(java: Java, main_class: str, arguments: Sequence[str] = (), options: Sequence[str] = ()) -> list[str]:
    """The whole command that runs one of our classes, with more options for its JVM."""
    class_path = os.pathsep.join(doctor.class_path())
    return [str(java.executable), *jvm_options(java), *options, "-cp", class_path, main_class, *arguments]


class ChildJvm:
    """A JVM as a child: a session of its own, so that Ctrl-C reaches Python alone, and its standard input as its life line.

    What it writes to standard error goes on to Python's as soon as it is up: lines of its resources, each with the resource's
    name, and warnings. The last lines are kept for the error that may need them.
    """

    def __init__(self, main_class: str, options: Sequence[str] = (), stop_timeout_s: float = STOP_TIMEOUT_S) -> None:
        java = doctor.find_java()
        command = command_line(java, main_class, options=options)
        self._stop_timeout_s = stop_timeout_s
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._up = False
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             start_new_session=True)
        except OSError as error:
            raise StartError("java_start", f"{java.executable} does not start: {error.strerror or error}",
                             "despina doctor shows which Java is used") from error
        self._reader = threading.Thread(target=self._read_errors, name="despina-stderr", daemon=True)
        self._reader.start()

    def _read_errors(self) -> None:
        errors = self._process.stderr
        assert errors is not None
        with errors, contextlib.suppress(ValueError):    # closed while it was read
            while piece := errors.readline(TAIL_LINE_BYTES):
                line = piece.decode(errors="replace").rstrip("\n")
                self._tail.append(line)
                if self._up:
                    with contextlib.suppress(OSError, ValueError):    # whoever read ours has gone
                        sys.stderr.write(f"{line}\n")
                        sys.stderr.flush()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def ends_within(self, seconds: float) -> bool:
        """Whether it has ended, or does so within that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.alive()

    def tell(self, line: str) -> None:
        """Writes one line to its standard input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self.lost("ended before it was up") from error

    def hear(self, timeout_s: float = START_TIMEOUT_S) -> str:
        """Its next line on standard output, within that time."""
        output = self._process.stdout
        assert output is not None
        deadline = time.monotonic() + timeout_s
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise self.lost(f"said nothing for {timeout_s:.0f} s")
                piece = os.read(output.fileno(), 4096)
                if not piece:
                    self._process.wait(self._stop_timeout_s)
                    raise self.lost("ended before it was up")
                line += piece
        self._up = True
        return line.decode(errors="replace").strip()

    def lost(self, what: str, rule: str = "java_start") -> StartError:
        """The error that says what became of it, with its last words."""
        code = self._process.poll()
        ended = "" if code is None else f" (exit code {code})" if code >= 0 else f" (killed by signal {-code})"
        words = self.last_words()
        return StartError(rule, f"the engine's JVM {what}{ended}" + (f"; its last words:\n{words}" if words else ""),
                          "despina doctor shows what is used; DESPINA_JAVA_OPTIONS adds options, for example -Xmx2g")

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        if not self.alive():
            self._reader.join(READ_TIMEOUT_S)
        return "\n".join(self._tail.copy()).strip()

    def close(self) -> None:
        """Ends its standard input, and with that the JVM; kills one that does not go."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self._process.wait(self._stop_timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(READ_TIMEOUT_S)
