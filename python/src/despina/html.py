"""Small tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """An HTML table; numbers to the right, with separators."""
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption>{html.escape(caption)}</caption>")
    lines.append("<thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in head) + "</tr></thead><tbody>")
    lines += ["<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows]
    return "\n".join([*lines, "</tbody></table>"])


def _cell(value: object) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
        return f'<td style="text-align:right">{text}</td>'
    return f"<td>{html.escape('' if value is None else str(value))}</td>"
