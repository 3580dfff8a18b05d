"""For schemathesis, which ``tools/service_figures.py --only fuzz`` starts: bodies of rows, and names of what is there."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from support.openapi import ARROW, streams

NAME = os.environ["DESPINA_FUZZED"]
THERE = {"name": NAME, "operator": "rows", "sink": "rows", "source": "in"}
STREAMS = streams()


def arrow(context: Any, value: Any) -> bytes:
    """What was made of a text of bytes: a stream of rows, whole or not, or the bytes themselves."""
    content = value if isinstance(value, bytes) else str(value).encode()
    return STREAMS[len(content) % len(STREAMS)] if len(content) % 3 else content


def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Three of four name what is there."""
    if path_parameters is None or sum(str(path_parameters).encode()) % 4 == 0:
        return path_parameters
    return {name: THERE.get(name, value) for name, value in path_parameters.items()}


schemathesis: Any = import_module("schemathesis")       # no dependency, and so nothing is known of its types
schemathesis.serializer(ARROW)(arrow)
schemathesis.hook(map_path_parameters)
