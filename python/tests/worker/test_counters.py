from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from despina.functions import counter
from despina_worker import context
from despina_worker.context import MOST_COUNTERS, Context, Counters
from despina_worker.functions import Spec
from despina_worker.sources import Chunk, Gathered, Reader, Source, gather

ONE = pa.schema([("id", pa.int64())])


def test_what_is_taken_is_not_taken_again() -> None:
    counters = Counters()
    context = Context.of({}, {"operator": "score"}, counters)
    asked, found = context.counter("asked"), context.counter("found")
    asked.add()
    asked.add(4)
    assert counters.take() == {"asked": 5}
    found.add(2)
    context.counter("asked").add(0)
    assert counters.take() == {"found": 2}
    assert counters.take() == {}


@pytest.mark.parametrize("name", ["", "a b", "1st", "_x", "a" * 65, "a\n", "ä{}", None, 7])
def test_a_name_that_does_not_fit_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="cannot be a counter: a name begins with a letter, and has letters, digits"):
        Counters().counter(name)


@pytest.mark.parametrize("name", ["a", "übergroß", "http.404", "not-found", "a" * 64])
def test_names_that_fit(name: str) -> None:
    assert Counters().counter(name).name == name


def test_there_are_no_more_than_sixty_four() -> None:
    counters = Counters()
    for k in range(MOST_COUNTERS):
        counters.counter(f"n{k}").add()
    counters.counter("n7").add()
    with pytest.raises(ValueError, match="counter `n64` is one more than a function may have, which is 64"):
        counters.counter("n64")


@pytest.mark.parametrize(("n", "error"), [(-1, ValueError), (1 << 63, ValueError), (1.5, TypeError), ("2", TypeError),
                                          (True, TypeError), (None, TypeError)])
def test_only_whole_numbers_are_added(n: Any, error: type[Exception]) -> None:
    counters = Counters()
    with pytest.raises(error, match="counter `n`"):
        counters.counter("n").add(n)
    assert counters.take() == {}


class Counting:
    def open(self, context: Context) -> None:
        self.made = context.counter("made")

    def rows(self) -> Iterator[int]:
        for k in range(5):
            self.made.add()
            yield k
        self.made.add(10)


def test_of_a_source_each_chunk_has_what_was_counted_until_then() -> None:
    spec = Spec("mine:Counting", "row", False, [], False, 1, {}, ONE, ONE)
    chunks: list[Chunk] = []
    gather(Source(spec, Counting), Reader(spec), chunks.append)
    assert [chunk.counts for chunk in chunks] == [{"made": 1}] * 5
    assert spec.counters.take() == {"made": 10}
    gathered = Gathered()
    for chunk in chunks:
        gathered.add(chunk)
    joined = gathered.take()
    assert joined is not None
    assert joined.counts == {"made": 5}


def test_a_plain_function_counts_in_the_process_that_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_own", None)
    outside = counter("rows")
    outside.add()
    assert counter("rows").take() == 0      # of no process: each is one of its own, and there may be any number
    own = context.own()
    counter("rows").add(2)
    counter("rows").add()
    assert own is context.own()
    assert own.take() == {"rows": 3}
    copied = pickle.loads(pickle.dumps(outside))
    copied.add(4)
    assert own.take() == {"rows": 4}
    with pytest.raises(ValueError, match="cannot be a counter"):
        counter("of 7")
