"""How often each word comes in the lines of the case's generator."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any


def expected(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of the one sink."""
    lines = ["" if k == 4 else f"w{k % 3} zwölf {k % 2} " * (k % 4) for k in range(40) if k != 3]
    counts = Counter(word for line in lines for word in line.split(" "))
    return {"rows": [{"word": word, "n": n, "letters": n * len(word)} for word, n in counts.items()]}
