"""What has changed from one save of a graph or a deployment to another: its lines, and its operators."""

from __future__ import annotations

import contextlib
import difflib
import json
from dataclasses import dataclass

from despina import parts
from despina.errors import RefusedError
from despina.service.saves import Kind
from despina.service.specs import Revision
from despina.service.upgrades import Fate, fates

MOST_LINES = 10_000
"""Of each of two texts that are compared."""


@dataclass(frozen=True)
class Difference:
    """What has become of one text in another.

    :ivar text: lines, as ``diff -u`` writes them; empty if they are the same
    :ivar operators: of graphs, what has become of each
    """

    text: str
    operators: tuple[Fate, ...] = ()


def difference(kind: Kind, before: Revision, after: Revision) -> Difference:
    """What has changed from one revision to another, or to what is not saved, which has the number 0.

    :raise RefusedError: they are too long to be compared
    """
    old, new = _lines(before.text), _lines(after.text)
    longest = max(len(old), len(new))
    if longest > MOST_LINES:
        raise RefusedError("difference", f"a text has {longest:,} lines, and {MOST_LINES:,} are compared at most",
                           f"git diff --no-index compares the two: despina {kind} show NAME --revision N prints one")
    first, second = (f"{each.save.name}@{each.save.revision or 'draft'}" for each in (before, after))
    told = difflib.unified_diff(old, new, first, second, lineterm="")
    text = "".join(f"{line}\n" for line in told)
    if kind != "graph" or not text:
        return Difference(text)
    try:
        return Difference(text, tuple(fates(_own(before.text), _own(after.text), (), {})))
    except (AttributeError, TypeError, ValueError, RecursionError):
        return Difference(text)     # one of them is no graph yet


def _own(text: str) -> str:
    return text.partition(parts.SEPARATOR)[0]


def _lines(text: str) -> list[str]:
    """A text's lines, and those of the files of its parts. One that was written in one line is taken apart."""
    own = _own(text)
    found = own.splitlines()
    if len(found) <= 1:
        with contextlib.suppress(ValueError, RecursionError):     # what git brings need not be JSON
            found = json.dumps(json.loads(own), indent=2, ensure_ascii=False).splitlines()
    for path, content in sorted(parts.files(text).items()):
        found += ["", f"--- {path}", *content.splitlines()]
    return found
