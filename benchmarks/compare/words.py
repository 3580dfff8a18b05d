"""The word count's lines, made once."""

from __future__ import annotations

import random
from collections import Counter
from itertools import accumulate
from pathlib import Path

from compare.engine import Kit

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


def counted(file: Path) -> Counter[str]:
    """How often each word is in it."""
    return Counter(file.read_text().split())
