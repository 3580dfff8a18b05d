"""The word count's lines, made once."""

from __future__ import annotations

import random
from collections import Counter
from itertools import accumulate
from pathlib import Path

from peers.contract import Kit

LINES = 10_000
WORDS_PER_LINE = 10
VOCABULARY = 5_000


def prepared(kit: Kit) -> Path:
    """A file of lines of ten words; the k-th word is drawn with a weight of 1/k."""
    file = kit.cache / "inputs" / f"words-{LINES}" / "lines.txt"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        chance = random.Random(1)
        words = [f"word{k:04d}" for k in range(VOCABULARY)]
        weights = list(accumulate(1 / (k + 1) for k in range(VOCABULARY)))
        text = "".join(" ".join(chance.choices(words, cum_weights=weights, k=WORDS_PER_LINE)) + "\n" for _ in range(LINES))
        part = file.with_suffix(".part")
        part.write_text(text)
        part.replace(file)
    return file


def first(file: Path, count: int) -> Counter[str]:
    """How often each word is among so many, where the file's come again and again."""
    all_of_them = file.read_text().split()
    rounds, rest = divmod(count, len(all_of_them))
    found = Counter({word: rounds * often for word, often in Counter(all_of_them).items()})
    found.update(all_of_them[:rest])
    return +found
