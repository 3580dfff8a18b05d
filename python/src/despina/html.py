"""Small tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence

UNBROKEN = 40
"""Characters of a cell that stay on one line: a time is not cut in two."""


def table(head: Sequence[str], rows: Iterable[Sequence[str | int]], caption: str = "", right: Collection[str] = ()) -> str:
    """An HTML table. Notebooks align cells each in their own way, so each cell says how it stands, and a name as its column.

    :param rows: texts, and counts, which get separators
    :param right: the names of the columns that stand to the right
    """
    lines = ["<table>"]
    if caption:
        lines.append(f'<caption style="text-align:left">{html.escape(caption)}</caption>')
    lines.append("<thead><tr>" + "".join(_cell("th", name, name in right) for name in head) + "</tr></thead><tbody>")
    for row in rows:
        cells = [_cell("td", value, name in right) for name, value in zip(head, row, strict=True)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _cell(tag: str, value: str | int, right: bool) -> str:
    text = value if isinstance(value, str) else f"{value:,}"
    style = f"text-align:{'right' if right else 'left'}" + (";white-space:nowrap" if len(text) <= UNBROKEN else "")
    return f'<{tag} style="{style}">{html.escape(text)}</{tag}>'
