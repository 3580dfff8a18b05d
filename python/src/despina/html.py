"""Small tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "", right: Collection[str] = ()) -> str:
    """An HTML table; numbers to the right, with separators.

    :param right: names of columns of text that stand to the right as well
    """
    lines = ["<table>"]
    if caption:
        lines.append(f'<caption style="text-align:left">{html.escape(caption)}</caption>')
    lines.append("<thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in head) + "</tr></thead><tbody>")
    for row in rows:
        cells = [_cell(value, name in right) for name, value in zip(head, row, strict=True)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _cell(value: object, right: bool) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
        return f'<td style="text-align:right">{text}</td>'
    text = html.escape("" if value is None else str(value))
    return f'<td style="text-align:{"right" if right else "left"}">{text}</td>'
