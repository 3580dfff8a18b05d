"""``rows_program.py FOLDER ROWS_PER_S run GRAPH --option value …`` runs a graph as the command does. It gives its sources the
rows of ``FOLDER/in-SOURCE.json``, at a pace, and takes those of its ``collect_sink`` into ``FOLDER/taken.jsonl``.

It says on standard error what the command says: that the job runs, or why it does not.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from despina.job import Job

OPTIONS = {"--deployment": "deployment", "--state": "state", "--epoch-ms": "epoch_ms"}
TAKEN = "taken.jsonl"
LOOK_S = 0.1


def main() -> int:
    """The exit code of the command in its place."""
    import despina
    from despina.errors import DespinaError
    folder, rate, _, graph, *more = sys.argv[1:]
    named = {OPTIONS[name]: value for name, value in zip(more[::2], more[1::2], strict=True) if name in OPTIONS}
    files = sorted(Path(folder).glob("in-*.json"))
    inputs = {file.stem.removeprefix("in-"): paced(file, float(rate)) for file in files}
    loaded = despina.load(graph)
    takes = loaded.to_dict()["operators"]["sink"]["type"] == "collect_sink"
    try:
        with loaded.run(deployment=named["deployment"], state=named["state"], epoch_ms=int(named["epoch_ms"]),
                        inputs=inputs) as job:
            if takes:
                take(job, Path(folder))
            while not (status := job.poll(LOOK_S)).ended:
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


def take(job: Job, folder: Path) -> None:
    """Takes rows to the end. Each line has what came together, and the place behind it."""
    known = taken(folder)
    with (folder / TAKEN).open("r+b" if known else "wb", buffering=0) as out:
        out.truncate(out.seek(sum(batch["bytes"] for batch in known)))      # a line that a kill has torn is none
        said = ""
        for batch in job.batches(timeout_s=LOOK_S, after=known[-1]["place"] if known else None):
            if (state := job.poll().state) != said:
                said = state
                print(f"  {state}", file=sys.stderr, flush=True)
            if len(batch):
                out.write(json.dumps({"rows": [*batch], "place": job.place()}, default=_as_csv).encode() + b"\n")


def taken(folder: Path) -> list[dict[str, Any]]:
    """What was taken: rows, the place behind them, and the bytes of their line."""
    try:
        *lines, _ = (folder / TAKEN).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [json.loads(line) | {"bytes": len(line) + 1} for line in lines]


def _as_csv(value: Any) -> str:
    """A time as a csv file has it."""
    assert isinstance(value, datetime), value
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    sys.exit(main())
