"""A user's sink: a function that is called as any other, and whose class may prepare and commit epochs."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from despina_worker.behind import Row
from despina_worker.errors import WRONG, RefusedError, described
from despina_worker.frames import Connection, Kind
from despina_worker.functions import Function, Result, Spec, opened
from despina_worker.waiting import is_async, waited

METHODS = ("flush", "prepare", "commit", "abort")
STEPS = {Kind.FLUSH: "flush", Kind.PREPARE: "prepare", Kind.COMMIT: "commit", Kind.ABORT: "abort"}


class Sink:
    """One sink, open: ``function`` is called with its rows, and answers none."""

    def __init__(self, spec: Spec, found: Any) -> None:
        """``found``: what ``spec.function`` names.

        :raise RefusedError: it cannot be opened
        """
        self._spec = spec
        self._user: Any = self._opened(found) if isinstance(found, type) else None
        self.methods = [name for name in METHODS if callable(getattr(self._user, name, None))]
        called = found if self._user is None else self._user.write
        self._none = pa.RecordBatch.from_pylist([], spec.outputs)
        self.function = Function(replace(spec, outputs=pa.schema([])), _answering(called, None if spec.takes == "row" else ()),
                                 waited(getattr(self._user, "close", None)))

    def _opened(self, made: type) -> Any:
        name = self._spec.function
        if not callable(getattr(made, "write", None)):
            raise RefusedError(f"class `{name}` has no `write`")
        if hasattr(made, "prepare") != hasattr(made, "commit"):
            raise RefusedError(f"class `{name}` has one of `prepare` and `commit`: a sink that shows rows by epoch has both")
        return opened(self._spec, made)

    def call(self, batch: pa.RecordBatch) -> Result:
        """Writes a batch. No row of the answer, which only says what could not be written."""
        return Result(self._none, self.function.call(batch).errors)

    def settled(self, step: str, epoch: int) -> str | None:
        """Calls one of ``METHODS``. Gives why that failed; None if it did not."""
        method = waited(getattr(self._user, step))
        try:
            method() if step == "flush" else method(epoch)
        except WRONG as error:
            return f"`{step}` of `{self._spec.function}`: {described(error)}"
        return None


def _answering(user: Callable[..., Any], answer: Any) -> Callable[..., Any]:
    """The function, whatever it returns: it answers nothing, in the form of its rows."""
    if inspect.isgeneratorfunction(user) or inspect.isasyncgenfunction(user):
        raise RefusedError("it yields, and a sink returns when it has written")
    if is_async(user):
        @functools.wraps(user)
        async def waits(*rows: Any) -> Any:
            await user(*rows)
            return answer
        return waits

    @functools.wraps(user)
    def called(*rows: Any) -> Any:
        user(*rows)
        return answer
    return called


def serve(connection: Connection, spec: Spec, found: Any, row: Row) -> int:
    """Runs one sink until the engine leaves."""
    sink = Sink(spec, found)
    row.opened(sink.function, sink.methods)
    while (frame := row.receive()) is not None:
        if frame.kind in STEPS:
            why = sink.settled(STEPS[frame.kind], frame.number)
            connection.count(0, spec.counters.take())
            connection.send(Kind.SETTLED, frame.number, json.dumps({"why": why}).encode())
        else:
            row.answer(frame.number, sink.call(row.read(sink.function, frame.payload)))
    sink.function.close()
    return 0
