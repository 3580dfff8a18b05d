"""``given_rows.py FOLDER ROWS_PER_S run GRAPH --option value …`` gives a graph the rows of ``FOLDER/in-SOURCE.json``, at a pace.

It says on standard error what the command says: that the job runs, or why it does not.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import despina
from despina.errors import DespinaError

OPTIONS = {"--deployment": "deployment", "--state": "state", "--epoch-ms": "epoch_ms"}


def main() -> int:
    """The exit code of the command in its place."""
    folder, rate, _, graph, *more = sys.argv[1:]
    named = {OPTIONS[name]: value for name, value in zip(more[::2], more[1::2], strict=True) if name in OPTIONS}
    files = sorted(Path(folder).glob("in-*.json"))
    inputs = {file.stem.removeprefix("in-"): paced(file, float(rate)) for file in files}
    try:
        with despina.load(graph).run(deployment=named["deployment"], state=named["state"], epoch_ms=int(named["epoch_ms"]),
                                     inputs=inputs) as job:
            while not (status := job.poll(0.1)).ended:
                print(f"  {status.state}", file=sys.stderr, flush=True)
            job.wait()
    except DespinaError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 0


def paced(file: Path, rate: float) -> Callable[[int], Iterator[dict[str, Any]]]:
    """The rows that follow so many."""
    def rows(fed: int) -> Iterator[dict[str, Any]]:
        began = time.monotonic()
        for number, row in enumerate(json.loads(file.read_text())[fed:]):
            if number % 100 == 0:
                time.sleep(max(0.0, began + number / rate - time.monotonic()))
            yield row | {"ts": datetime.fromisoformat(row["ts"])}
    return rows


if __name__ == "__main__":
    sys.exit(main())
