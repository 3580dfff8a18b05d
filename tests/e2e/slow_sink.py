"""The backpressure run: 64 KB packets through a relay that sleeps 1 ms each, two resources with 60 MB each."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from despina.doctor import find_java
from despina.drivers.py4j import Py4jDriver
from despina.engine import Engine
from despina.graph import Graph
from e2e.graphs import TWO, chain, packets

PACKET_BYTES = 64 << 10
MEMORY_BYTES = 60_000_000
WARM_PART = 0.3
"""What passes before memory is expected to stay where it is."""
SAMPLE_EVERY_S = 0.1


@dataclass
class SlowSink:
    """What was seen of it.

    :ivar resident: per resource, resident bytes after warm-up, one for each look
    :ivar heap: per resource, bytes of live objects at warm-up and at the end, after a collection
    """

    complete: bool = False
    most_ahead_bytes: int = 0
    paused_ms: int = 0
    resident: dict[str, list[int]] = field(default_factory=dict)
    heap: dict[str, list[int]] = field(default_factory=dict)
    direct_bytes: int = 0
    report: dict[str, Any] = field(default_factory=dict)
