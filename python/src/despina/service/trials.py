"""The tests of a graph as somebody writes it: ``despina test`` in a process of its own, bounded in time and memory.

What runs is what a job might be. So before it runs, each case is held to the rules of jobs with the parameters that it sets; the
only graph that a file of tests may name is the one that came with it; and no file lies where it would take another's place.
"""

from __future__ import annotations

import json
import os
import posixpath
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from despina import parts
from despina.drivers.jvm import OPTIONS_VARIABLE
from despina.errors import Diagnostic, GraphError, RefusedError, StartError
from despina.service import bounded
from despina.service.bounded import Bounds, Ended
from despina.service.bundles import Bundles, refuse_names
from despina.service.checks import Checks
from despina.service.live import FullError
from despina.service.submission import Submission
from despina.testing import file as files
from despina.testing.file import TestFile

BOUND_TO_US = """
import os, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
from despina.cli import main
main()
"""
"""The command ``despina``, which ends when this process does."""
COMMAND = (sys.executable, "-P", "-c", BOUND_TO_US, "test", "--json")
CASE_S = 30
BOUNDS = Bounds(seconds=120.0, memory_bytes=2 << 30, output_bytes=4 << 20)
JAVA = "-Xmx512m -XX:MaxDirectMemorySize=256m"
WHY: Mapping[str, str] = {"seconds": f"they took longer than {BOUNDS.seconds:g} s", "output": "they told too much",
                          "memory": f"they took more than {BOUNDS.memory_bytes:,} bytes"}
Run = Callable[[Sequence[str], Path, Bounds, Mapping[str, str], Callable[[], bool]], Ended]


@dataclass(frozen=True)
class Tried:
    """What came of it: the cases as ``despina test --json`` has them, and what is wrong beside them."""

    cases: Sequence[Mapping[str, Any]] = ()
    diagnostics: Sequence[Mapping[str, Any]] = ()


@dataclass
class _Files:
    """Files of tests as they were read: by their paths those that are in order, and what is wrong with the others."""

    read: dict[str, TestFile] = field(default_factory=dict)
    wrong: list[Diagnostic] = field(default_factory=list)


class Trials:
    """Runs one graph's tests at a time. Thread-safe."""

    def __init__(self, run: Run = bounded.run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Those that run end within a second, and are told so. A handler of signals may call it."""
        self._closed = True

    def of(self, asked: Submission, checks: Checks, bundles: Bundles) -> Tried:
        """Runs the tests that stand behind a graph's text, as :func:`despina.parts.with_files` puts them there.

        :raise FullError: others run
        :raise RefusedError: there are none, what came may not be here, or they ended without a result
        :raise StartError: the service ends
        """
        behind = _behind(asked.text)
        refuse_names([*asked.files, *behind])
        checks.refuse_code({**asked.files, **behind})
        if not self._lock.acquire(blocking=False):
            raise FullError("tests", "other tests are running", "run them again when these have ended")
        try:
            with bundles.staged(asked.files) as folder:
                return self._staged(asked, behind, checks, folder)
        finally:
            self._lock.release()

    def _staged(self, asked: Submission, behind: Mapping[str, str], checks: Checks, folder: Path) -> Tried:
        for path, text in behind.items():
            _write(folder / path, text)
        found = _read(behind, folder)
        for name in _graphs(found, {*asked.files, *behind}):
            _write(folder / name, asked.text.partition(parts.SEPARATOR)[0])
        told = [each.as_dict() for each in (*found.wrong, *_broken(asked, found, checks, folder))]
        if told:
            return Tried(diagnostics=told)
        java = f"{os.environ.get(OPTIONS_VARIABLE, '')} {JAVA}"     # of two the last counts
        ended = self._run([*COMMAND, "--timeout", f"{CASE_S}s", "--", *found.read], folder, BOUNDS, {OPTIONS_VARIABLE: java},
                          lambda: self._closed)
        graphs = {str(Path(path).parent / str(tests.content["graph"])) for path, tests in found.read.items()}
        return _result(ended, graphs, asked.file)


def _behind(text: str) -> dict[str, str]:
    """The files behind a graph's text, of which some are tests."""
    try:
        found = parts.files(text)
        "".join([text, *found.values()]).encode()       # halves of letters have no bytes
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise RefusedError("syntax", "what stands behind the graph are no files", 'there is {"PATH": {"text": "…"}}') from None
    if not any(path.endswith(files.SUFFIX) for path in found):
        raise RefusedError("tests", "no tests came with the graph", f"a file NAME{files.SUFFIX} beside it has some")
    return found


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target.write_text(text, encoding="utf-8")


def _read(behind: Mapping[str, str], folder: Path) -> _Files:
    found = _Files()
    for path in sorted(each for each in behind if each.endswith(files.SUFFIX)):
        try:
            found.read[path] = files.read(folder / path)
        except GraphError as error:
            found.wrong += [replace(each, place=replace(each.place, file=path)) for each in error.diagnostics]
        except RecursionError:
            raise RefusedError("syntax", f"{path} is nested too deeply") from None
    return found


def _graphs(found: _Files, taken: set[str]) -> list[str]:
    """Where the files of tests look for the graph: in the folder that all of it is in, at a place that no other file has."""
    names = []
    for path, tests in found.read.items():
        name = posixpath.normpath(posixpath.join(posixpath.dirname(path), str(tests.content["graph"])))
        try:
            refuse_names([name, *taken])
            is_free = name not in taken and "/" not in name
        except RefusedError:
            is_free = False
        if is_free:
            names.append(name)
        else:
            place = replace(tests.place("/graph"), file=path)
            found.wrong.append(Diagnostic("tests", f"`graph` is {name!r}, and that is not the graph that came with these tests",
                                          hint="name a file beside them, which is taken for it", place=place, pointer="/graph"))
    return names


def _broken(asked: Submission, found: _Files, checks: Checks, folder: Path) -> list[Diagnostic]:
    """What the graph names, with the parameters of some case, and may not."""
    plain = checks.plain(asked)
    broken = (each for tests in found.read.values() for case in tests.cases
              for each in checks.broken(replace(plain, parameters=case.texts), folder))
    return list(dict.fromkeys(broken))


def _result(ended: Ended, graphs: set[str], file: str) -> Tried:
    """What the command has told, with the graph's own name.

    :raise RefusedError: it has told nothing
    :raise StartError: it was told to end
    """
    if ended.over == "told":
        raise StartError("tests", "the tests were ended, because the service ends", "run them again when it is back")
    if ended.over:
        raise RefusedError("tests", f"the tests were ended, because {WHY[ended.over]}",
                           'give rows to sources that have no end, under "inputs"; or run `despina test` where there is room')
    try:
        told = json.loads(ended.output)
        cases, wrong = told.get("cases", []), told["diagnostics"]
    except (ValueError, KeyError, AttributeError):
        raise RefusedError("tests", f"the tests ended without a result, with exit code {ended.code}: {ended.last}") from None

    def named(each: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**each, "file": file} if each.get("file") in graphs else each
    return Tried([{**case, "diagnostics": [named(each) for each in case.get("diagnostics", [])]} for case in cases],
                 [named(each) for each in wrong])
