"""A pickled state comes back where a resource names what may run: a crafted one runs nothing else."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import importlib
import ipaddress
import pickle
import random
import sys
import types
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pytest

from despina_worker.errors import RefusedError
from despina_worker.functions import Spec
from despina_worker.keyed import Keyed
from despina_worker.restored import loading

MODULE = """
import os
from os import system
from functools import partial

started = []
bound = partial(os.system, "true")

class Window:
    def __init__(self, size):
        self.size = size
        self.seen = []

    @classmethod
    def of(cls, size):
        return cls(size)

def noted(text):
    started.append(text)
    return text
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module ``windows_of``."""
    (tmp_path / "windows_of.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("windows_of")
    del sys.modules["windows_of"]


def calling(name: str, *arguments: Any) -> bytes:
    """The code of what ``module:name`` gives, as a writer makes it who is no pickler of Python's."""
    module, _, attribute = name.partition(":")
    parts = [pickle.PROTO + b"\x04"]
    for text in (module, attribute):
        parts.append(pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode())
    given = pickle.dumps(arguments, 4)[2:-1]        # without protocol and end
    return b"".join([*parts, pickle.STACK_GLOBAL, given, pickle.REDUCE, pickle.STOP])


@pytest.mark.parametrize(("name", "arguments", "why"), [
    ("os:system", ("true",), "the state has `os:system`, which is no plain value, and this resource does not allow it"),
    ("posix:system", ("true",), "`posix:system`"),
    ("builtins:eval", ("1",), "`builtins:eval`"),
    ("builtins:getattr", ((), "append"), "`builtins:getattr`"),
    ("builtins:str.format", ("",), "`builtins:str.format`"),
    ("collections:abc.sys.exit", (), "`collections:abc.sys.exit`"),
    ("functools:partial", (len,), "`functools:partial`"),
    ("importlib:import_module", ("this",), "`importlib:import_module`"),
    ("windows:noted", ("x",), "start it with --allow-python windows$"),
    ("windows_of.more:noted", ("x",), "start it with --allow-python windows_of.[*]$"),
    ("windows_of:os.system", ("true",), "`windows_of:os.system` is of module `os`"),
    ("windows_of:system", ("true",), "`windows_of:system` is of module `posix`, which `windows_of` imports"),
    ("windows_of:bound", (), "`windows_of:bound` is of module `posix`"),
    ("windows_of:noted.__globals__", (), "has `__globals__`, a name of Python's own"),
    ("windows_of:Window.of.__func__", (), "has `__func__`, a name of Python's own"),
    ("windows_of:started", (), "`windows_of:started` is of module `builtins`"),
])
def test_a_crafted_state_runs_nothing_that_is_not_allowed(written: Any, name: str, arguments: tuple[Any, ...], why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        loading(["windows_of"])(calling(name, *arguments))
    assert written.started == []


def test_names_of_old_protocols_are_no_way_around(written: Any) -> None:
    for code in (b"cos\nsystem\n(S'true'\ntR.", b"ccommands\ngetoutput\n(S'true'\ntR.", b"(S'true'\nios\nsystem\n."):
        with pytest.raises(RefusedError, match="is no plain value"):
            loading(["windows_of", "posix.more"])(code)


def test_plain_values_and_objects_of_an_allowed_module_come_back(written: Any) -> None:
    whole = {"window": written.Window(3), "last": collections.deque([1.5, None], 5), "by": collections.defaultdict(list, a=[1]),
             "n": collections.Counter("aab"), "ordered": collections.OrderedDict(a=1), "bytes": bytearray(b"x"), "set": {1, 2},
             "frozen": frozenset("a"), "complex": 1j, "range": range(3), "slice": slice(1), "kind": int, "ellipsis": ...,
             "when": datetime.datetime(2026, 11, 29, tzinfo=datetime.UTC), "day": datetime.date(2026, 11, 29),
             "time": datetime.time(12), "span": datetime.timedelta(1), "decimal": decimal.Decimal("1.50"),
             "part": fractions.Fraction(1, 3), "id": uuid.UUID(int=7), "host": ipaddress.ip_address("10.0.0.1"),
             "array": array.array("d", [1.5]), "space": types.SimpleNamespace(a=1)}
    found = loading(["windows_of"])(pickle.dumps(whole, 5))
    assert found.pop("window").size == whole.pop("window").size
    assert found == whole
    chance = random.Random(7)
    assert loading([])(pickle.dumps(chance, 5)).random() == chance.random()
    assert loading(["windows_of:Window"])(calling("windows_of:Window", 3)).size == 3
    assert loading(["windows_of"])(calling("windows_of:Window.of", 4)).size == 4
    assert loading(None)(calling("builtins:eval", "1 + 1")) == 2, "who allows all is asked for nothing"


def test_arrays_of_numpy_come_back_where_numpy_is_allowed() -> None:
    code = pickle.dumps({"weights": numpy.arange(3.0), "one": numpy.float32(1.5)}, 5)
    found = loading(["numpy*"])(code)
    assert (found["weights"].tolist(), found["one"]) == ([0.0, 1.0, 2.0], 1.5)
    with pytest.raises(RefusedError, match="start it with --allow-python numpy"):
        loading(["windows_of"])(code)


def test_a_row_is_refused_whose_state_could_not_come_back_or_has_been_crafted(written: Any) -> None:
    def keeping(key: Any, row: Any, state: Any) -> int:
        state.kept = {1: "text", 2: Path("x"), 3: written.Window(1)}[row.id]
        return int(row.id)

    pickled = pa.schema([pa.field("$pickled", pa.binary(), metadata={"sql": "BINARY"})])
    n, key = pa.schema([("id", pa.int64())]), pa.schema([("device", pa.string())])
    made = Keyed.of(Spec("windows_of:keeping", "row", True, [], True, 1, {}, n, n, keys=key, state=pickled,
                         allowed=["windows_of"]), keeping)
    codes = [None, calling("builtins:dict")]
    made.learn(0, pa.RecordBatch.from_pydict({"device": ["a", "b"]}, key),
               pa.RecordBatch.from_pydict({"$pickled": codes}, pickled))
    result, changes = made.call(pa.RecordBatch.from_pydict({"id": [1, 2, 3]}, n), [0, 0, 1])
    assert result.batch.column(0).to_pylist() == [1, 3]
    found = type(Path())
    assert [(k, why.partition(", which")[0]) for k, why in result.errors] == \
        [(1, f"the state has `{found.__module__}:{found.__name__}`")]
    assert changes.slots == [0, 1]
    made.learn(0, pa.RecordBatch.from_pydict({"device": ["a"]}, key),
               pa.RecordBatch.from_pydict({"$pickled": [calling("os:system", "true")]}, pickled))
    result, changes = made.call(pa.RecordBatch.from_pydict({"id": [1]}, n), [0])
    assert [why.partition(",")[0] for _, why in result.errors] == ["the state has `os:system`"]
    assert changes.slots == []
