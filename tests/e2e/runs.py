"""Short runs whose ends several modules look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from e2e.conftest import Call
from support.graphs import Fields, chain, write
from support.processes import Ended
from support.written import written_rows


class Read:
    """What a run of a source into a file has given."""

    def __init__(self, call: Call, folder: Path, source: Fields, **links: Any) -> None:
        graph = chain(("in", source), ("out", {"type": "file_sink", "path": str(folder / "out"), "format": "json",
                                               "if_exists": "replace"}), links=links, name="read")
        self.ended = call("run", write(folder / "read.graph.json", graph))
        self.rows = written_rows(folder / "out")


def refused(call: Call, folder: Path, *operators: tuple[str, Fields]) -> Ended:
    ended = call("run", write(folder / "g.json", chain(*operators)))
    assert ended.code == 1, ended.err
    return ended
