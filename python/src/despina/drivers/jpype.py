"""The gateway in a JVM inside this process, through JPype: no second process, no sockets between Python and the engine.

A process has one JVM for its life: a JVM that something else started can be used only if our jar is on its class path.
"""

from __future__ import annotations

import keyword
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from despina import installed
from despina.drivers import disown_in_forks, is_forked_jvm
from despina.drivers.jvm import jvm_options
from despina.errors import StartError

GATEWAY_CLASS = "io.despina.gateway.Gateway"
T = TypeVar("T")


class JPypeDriver:
    """Starts the JVM with the flags and class path that a child would have."""

    def __init__(self) -> None:
        import jpype
        self._error: type[Exception] = jpype.JException
        self._lock = threading.Lock()
        self._closed = False
        self._disowned = False
        if is_forked_jvm():
            raise StartError("java_start", "this process was forked from one with a JVM inside, and no JVM survives a fork",
                             "use driver py4j, which starts its own JVM, or start processes with multiprocessing's spawn")
        disown_in_forks(self)
        if not jpype.isJVMStarted():
            java = installed.find_java()
            library = java.library
            try:
                # Ctrl-C stays Python's: the JVM would exit the process under a job that wants to drain.
                jpype.startJVM(str(library), *jvm_options(java), "-Xrs", convertStrings=False, interrupt=False,
                               classpath=[*installed.class_path(), *installed.users_path()])
            except (RuntimeError, OSError, jpype.JVMNotSupportedException) as error:
                raise StartError("java_start", f"the JVM of {library} does not start in this process: {error}",
                                 "--driver py4j runs it in a process of its own") from error
        try:
            self._gateway: Any = jpype.JClass(GATEWAY_CLASS)()
            self._thread: Any = jpype.JClass("java.lang.Thread")
        except TypeError as error:
            raise StartError("java_start", "this process has a JVM already, started without Despina's jar",
                             f"use driver py4j, or start that JVM with {installed.our_jar()} on its class path") from error

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method that answers text."""
        return self._invoke(str, method, *arguments)

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls a method that answers bytes."""
        return self._invoke(bytes, method, *arguments)

    def _invoke(self, kind: Callable[[Any], T], method: str, *arguments: str | int | bytes) -> T:
        if self._disowned:
            raise StartError.of_fork()
        if self._closed:
            raise StartError("engine_closed", "the engine was closed", "start another: despina.engine.start()")
        # JPype gives Java's names that are words of Python, `await`, an underscore.
        called = getattr(self._gateway, f"{method}_" if keyword.iskeyword(method) else method)
        known = self._thread.isAttached()
        try:
            return kind(called(*arguments))
        except self._error as error:
            raise StartError("engine_call", f"the engine did not answer {method}: {error}") from error
        finally:
            if not known:       # else Java would keep every thread of Python's that ever called it
                self._thread.detach()

    def alive(self) -> bool:
        """Whether it was not closed: its JVM lives as long as this process."""
        return not self._closed

    def disown(self) -> None:
        """See :class:`~despina.drivers.Inherited`: the JVM cannot run here."""
        self._disowned = self._closed = True
        self._lock = threading.Lock()

    def close(self) -> None:
        """Ends every job; the JVM itself ends with the process."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._gateway.close()
