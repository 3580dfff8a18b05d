"""How Python reaches the façade ``io.despina.gateway.Gateway``: a child JVM over py4j, or a JVM in this process (JPype).

Both are the same narrow thing: a method's name and its strings go in, text or bytes come out. What the answers mean is
:mod:`despina.engine`'s, so that no driver can differ in it.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any, Literal, Protocol, get_args

from despina.errors import RefusedError

DriverName = Literal["py4j", "jpype"]
DRIVERS: tuple[DriverName, ...] = get_args(DriverName)


class Driver(Protocol):
    """One JVM with a gateway in it. Thread-safe; after :meth:`close` nothing of it is left."""

    def call(self, method: str, *arguments: str | int | bytes) -> str:
        """Calls a method of the gateway that answers text.

        :raise StartError: rule ``engine_lost`` when the JVM is gone
        """
        ...

    def fetch(self, method: str, *arguments: str) -> bytes:
        """Calls a method of the gateway that answers bytes; raises as :meth:`call`."""
        ...

    def alive(self) -> bool:
        """Whether a call can be answered: the JVM lives, and nothing closed this driver."""
        ...

    def close(self) -> None:
        """Ends every job and the JVM's gateway (under py4j the JVM itself); may be called twice."""
        ...


class Inherited(Protocol):
    """A driver as a forked process finds it: of its parent's engine."""

    def disown(self) -> None:
        """Lets go of what the fork has copied, without a word to the engine; every call is refused from now on."""
        ...


_running: weakref.WeakSet[Inherited] = weakref.WeakSet()
_forked_jvm = False


def disown_in_forks(driver: Inherited) -> None:
    """Has a process that is forked from this one let go of the driver: two processes on one connection read each other's answers,
    and an engine would live on with a process that does not know it.
    """
    _running.add(driver)


def is_forked_jvm() -> bool:
    """Whether the JVM inside this process is one that a fork has copied: it has none of its threads."""
    return _forked_jvm


def _forked() -> None:
    global _forked_jvm
    jpype: Any = sys.modules.get("jpype")
    _forked_jvm = jpype is not None and jpype.isJVMStarted()
    if _forked_jvm:
        _leave_alone(jpype)
    for driver in list(_running):
        driver.disown()
    _running.clear()


def _leave_alone(jpype: Any) -> None:
    """Takes back what JPype has asked Python to call: when Python collects its garbage, and when it ends. Either call waits for a
    thread of the JVM, and a fork has none.
    """
    gc.callbacks[:] = [call for call in gc.callbacks if getattr(call, "__module__", None) != "_jpype"]
    atexit.unregister(getattr(jpype._core, "_JTerminate", id))


os.register_at_fork(after_in_child=_forked)


COORDINATES_ONLY = ("-XX:TieredStopAtLevel=1",)
"""Options of a JVM in which no packet moves, or few do: it ends before the code of Java's better compiler would pay, which takes
the two cores that its resources start on."""


def start(name: str, *, coordinates_only: bool = False, heard: Callable[[str], None] = lambda line: None) -> Driver:
    """Starts a JVM behind that driver.

    :param coordinates_only: every task will run in other JVMs
    :param heard: called with each line that a JVM of its own and its resources write for people; must return at once

    :raise StartError: no Java, too old a Java, no jars, or a JVM that does not come up
    """
    if name == "py4j":
        from despina.drivers.py4j import Py4jDriver
        return Py4jDriver(COORDINATES_ONLY if coordinates_only else (), heard=heard)
    if name == "jpype":
        from despina.drivers.jpype import JPypeDriver
        return JPypeDriver()
    raise RefusedError("driver", f"no driver {name!r}", f"one of {', '.join(DRIVERS)}")
