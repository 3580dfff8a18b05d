"""The command line of every JVM that Python starts, and a child JVM that ends with this process."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Protocol

from despina import archive, installed
from despina.errors import StartError, visible
from despina.installed import Java

OPTIONS_VARIABLE = "DESPINA_JAVA_OPTIONS"
"""More options for every JVM that Python starts, as a shell would split them."""

END = b"end\n"
"""Its last line on standard input, where its end is wanted: one that never gets it was left by a process that died."""

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0
READ_TIMEOUT_S = 2.0
TAIL_LINES = 30
TAIL_LINE_BYTES = 2000
EARLY_LINES = 1000
"""How many of its lines before its greeting are kept, to be passed on when it is up."""

COLLECTOR = "-XX:+UseParallelGC"
"""As every resource has it: on two cores Java would choose by the size of the machine."""
OWN_COLLECTOR = re.compile(r"-XX:\+Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC")
"""A user's option that names another: Java takes one only."""


def jvm_options(java: Java) -> list[str]:
    """Module flags, the class-data archive if there is one, then the user's options."""
    own = shlex.split(os.environ.get(OPTIONS_VARIABLE, ""))
    collector = [] if any(map(OWN_COLLECTOR.fullmatch, own)) else [COLLECTOR]
    return [*installed.module_flags(java.version), *collector, *archive.options(java, installed.class_path()), *own]


def command_line(java: Java, main_class: str, arguments: Sequence[str] = (), options: Sequence[str] = ()) -> list[str]:
    """The whole command that runs one of our classes, with more options for its JVM."""
    class_path = os.pathsep.join([*installed.class_path(), *installed.users_path()])
    return [str(java.executable), *jvm_options(java), *options, "-cp", class_path, main_class, *arguments]


class ChildJvm:
    """A JVM as a child: a session of its own, so that Ctrl-C reaches Python alone, and its standard input as its life line.

    On standard output it says one line to Python, which begins with its greeting. All else that it writes there or to standard
    error (logs and warnings of Java's own, lines of its resources, each with the resource's name) goes on to Python's standard
    error as soon as it is up. The last lines are kept for the error that may need them.
    """

    def __init__(self, main_class: str, greeting: str, options: Sequence[str] = (),
                 stop_timeout_s: float = STOP_TIMEOUT_S, heard: Callable[[str], None] = lambda line: None) -> None:
        """:param heard: called with each line that goes on to Python's standard error; must return at once"""
        java = installed.find_java()
        command = command_line(java, main_class, options=options)
        self._stop_timeout_s = stop_timeout_s
        self._heard_by = heard
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._up = False
        self._early: deque[str] = deque(maxlen=EARLY_LINES)
        self._telling = threading.Lock()
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             start_new_session=True)
        except OSError as error:
            raise StartError("java_start", f"{java.executable} does not start: {error.strerror or error}",
                             "despina doctor shows which Java is used") from error
        self._greeting = greeting
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._readers = [_reader(self._process.stdout, self._read_output),
                         _reader(self._process.stderr, self._read_errors)]

    def _read_output(self, output: IO[bytes]) -> None:
        for line in lines(output):
            if not self._up and line.startswith(self._greeting):
                self._come_up()
                self._heard.put(line.removeprefix(self._greeting))
            else:
                self._take(line)
        self._heard.put(None)

    def _read_errors(self, errors: IO[bytes]) -> None:
        for line in lines(errors):
            self._take(line)

    def _come_up(self) -> None:
        with self._telling:
            self._up = True
            for line in self._early:
                self._said(line)
            self._early.clear()

    def _take(self, line: str) -> None:
        with self._telling:
            self._tail.append(line)
            if self._up:
                self._said(line)
            else:
                self._early.append(line)

    def _said(self, line: str) -> None:
        pass_on(line)
        self._heard_by(line)

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
            raise self.lost("ended before it was ready") from error

    def hear(self, timeout_s: float = START_TIMEOUT_S) -> str:
        """What follows the greeting in its line, which must come within that time; once."""
        try:
            rest = self._heard.get(timeout=timeout_s)
        except queue.Empty:
            raise self.lost(f"said nothing for {timeout_s:.0f} s") from None
        if rest is None:
            self.ends_within(self._stop_timeout_s)
            raise self.lost("ended before it was ready")
        return rest.strip()

    def lost(self, what: str, rule: str = "java_start") -> StartError:
        """The error that says what became of it, with its last words."""
        code = self._process.poll()
        ended = "" if code is None else f" (exit code {code})" if code >= 0 else f" (killed by signal {-code})"
        words = self.last_words()
        return StartError(rule, f"the engine's JVM {what}{ended}" + (f"; its last output:\n{words}" if words else ""),
                          "despina doctor shows what is used; DESPINA_JAVA_OPTIONS adds options, for example -Xmx2g")

    def last_words(self) -> str:
        """The end of what it wrote."""
        if not self.alive():
            self._join_readers()
        return "\n".join(self._tail.copy()).strip()

    def disown(self) -> None:
        """In a forked process: it is the parent's, and ends with that. Its pipes are let go, the life line above all."""
        self._process.returncode = 0        # nothing of it is to be waited for here
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            let_go(pipe)

    def close(self) -> None:
        """Says so, ends its standard input, and with that the JVM; kills one that does not go."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(END)
            self._process.stdin.close()
        try:
            self._process.wait(self._stop_timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._join_readers()

    def _join_readers(self) -> None:
        for reader in self._readers:
            reader.join(READ_TIMEOUT_S)


class _Open(Protocol):
    def fileno(self) -> int: ...


def let_go(inherited: _Open | None) -> None:
    """Closes a forked process's copy of a pipe or a socket. Its object keeps its descriptor, of nothing now, so that it can
    close no other's; to close the object might wait for a lock that a thread of the parent had.
    """
    with contextlib.suppress(OSError, ValueError), Path(os.devnull).open("r+b", buffering=0) as nothing:
        if inherited is not None:
            os.dup2(nothing.fileno(), inherited.fileno(), inheritable=False)


def _reader(stream: IO[bytes] | None, read: Callable[[IO[bytes]], None]) -> threading.Thread:
    assert stream is not None
    thread = threading.Thread(target=read, args=[stream], name="despina-jvm-output", daemon=True)
    thread.start()
    return thread


def lines(stream: IO[bytes]) -> Iterator[str]:
    """What a JVM writes, line by line, to its end; long lines in pieces."""
    with stream:
        while piece := stream.readline(TAIL_LINE_BYTES):
            yield piece.decode(errors="replace").rstrip("\n")


def pass_on(line: str) -> None:
    """Writes a line of a JVM's to Python's standard error."""
    with contextlib.suppress(OSError, ValueError):    # whoever read ours has gone
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()
