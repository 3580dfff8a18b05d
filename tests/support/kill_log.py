"""What the rounds of a campaign of kills came to: a line of JSON each, so that one that was cut off goes on, and its sums."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

_HEAD = "seed"


@dataclass(frozen=True)
class Round:
    """One round.

    :ivar back_s: see :class:`support.kills.Found`
    """

    number: int
    target: str
    shape: str
    way: str
    lanes: int
    fuse: bool
    kills: int
    runs: int
    ended_s: float
    back_s: list[float]
    wrong: list[str]


class Log:
    """The rounds of one seed, in a file if there is one."""

    def __init__(self, seed: int, first: int, file: Path | None = None) -> None:
        """:param first: the number of the first round

        :raise ValueError: the file is of another seed
        """
        self._first, self._file = first, file
        self.rounds: list[Round] = []
        if file is not None and file.exists():
            self._read(file, seed)
        elif file is not None:
            file.write_text(json.dumps({_HEAD: seed}) + "\n")

    def _read(self, file: Path, seed: int) -> None:
        whole, _, torn = file.read_text().rpartition("\n")
        head, *lines = whole.split("\n")
        of = json.loads(head)[_HEAD] if head else None
        if of != seed:
            raise ValueError(f"{file} has rounds of seed {of}, not {seed}")
        if torn:
            file.write_text(whole + "\n")
        self.rounds = [Round(**json.loads(line)) for line in lines]

    def add(self, one: Round) -> None:
        """A round is over."""
        self.rounds.append(one)
        if self._file is not None:
            with self._file.open("a") as out:
                out.write(json.dumps(asdict(one)) + "\n")

    def next(self) -> int:
        """The number of the round that follows."""
        return max((one.number + 1 for one in self.rounds), default=self._first)

    def kills(self) -> int:
        """How many there were."""
        return sum(one.kills for one in self.rounds)

    def wrong(self) -> list[str]:
        """What is wrong with which round."""
        return [f"round {one.number}: {words}" for one in self.rounds for words in one.wrong]

    def summary(self) -> Iterator[str]:
        """In lines."""
        yield (f"{len(self.rounds)} rounds, {self.kills()} kills, of which {sum(max(0, one.kills - 1) for one in self.rounds)} "
               f"hit a job that had just lost something, {len(self.wrong())} things wrong")
        for target in dict.fromkeys(one.target for one in self.rounds):
            of = [one for one in self.rounds if one.target == target]
            back_s = sorted(seconds for one in of for seconds in one.back_s)
            times = (f", back after {_at(back_s, 0.5):.2f} s at the median, {_at(back_s, 0.99):.2f} s at p99, "
                     f"{back_s[-1]:.2f} s at most") if back_s else ""
            yield f"{target}: {sum(one.kills for one in of)} kills in {len(of)} rounds{times}"
        for name, values in (("shapes", [one.shape for one in self.rounds]), ("ways", [one.way for one in self.rounds]),
                             ("lanes", [str(one.lanes) for one in self.rounds]),
                             ("fused", ["yes" if one.fuse else "no" for one in self.rounds])):
            yield f"{name}: " + ", ".join(f"{value} {count}" for value, count in Counter(values).most_common())
        yield f"longest from a kill to the end: {max((one.ended_s for one in self.rounds), default=0):.1f} s"
        yield from self.wrong()


def _at(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
