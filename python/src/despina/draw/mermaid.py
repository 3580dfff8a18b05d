"""A drawing as a Mermaid flowchart."""

from __future__ import annotations

from despina.draw.drawing import Arrow, Box, Drawing

_RESERVED = frozenset({"end", "graph", "flowchart", "subgraph", "style", "class", "click", "default", "direction", "linkstyle"})


def render(drawing: Drawing) -> str:
    """The flowchart's text, from left to right; the author's words stand behind the name, in the one title there is."""
    title = ": ".join(text for text in (drawing.name, " ".join(drawing.doc.split())) if text)
    lines = ["---", f"title: {_quoted(title)}", "---", "flowchart LR"]
    lines += [f"  {_node(box.id)}{_shape(box)}" for box in drawing.boxes]
    lines += [f"  {_edge(arrow)}" for arrow in drawing.arrows]
    return "\n".join(lines) + "\n"


def _node(name: str) -> str:
    return f"{name}_" if name in _RESERVED else name


def _shape(box: Box) -> str:
    parts = [f"<b>{_escaped(box.id)}</b>", f"<i>{_escaped(box.type)}</i>", *map(_escaped, box.details)]
    if box.doc:
        parts.append(f"<small>{_escaped(' '.join(box.doc))}</small>")
    text = "<br/>".join(parts)
    if box.kind:
        return f'(["{text}"])'
    return f'["{text}"]'


def _edge(arrow: Arrow) -> str:
    parts = [arrow.start_port, f"to {arrow.end_port}" if arrow.end_port else "", arrow.label]
    label = _escaped(" ".join(part for part in parts if part))
    words = f'|"{label}"|' if label else ""
    return f"{_node(arrow.start)} -->{words} {_node(arrow.end)}"


def _escaped(text: str) -> str:
    for sign, entity in (("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(sign, entity)
    return text


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
