"""Medians, and intervals of their ratios by the bootstrap over rounds.

Repeats of different subjects take turns, so the k-th repeats of all of them are a *round* and share the machine's mood: rounds
are drawn with replacement, and both medians are taken from the rounds drawn. Draws are seeded: the same numbers give the same
interval.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Round = TypeVar("Round")

DRAWS = 2000
CONFIDENCE = 0.95
FEWEST_ROUNDS = 3
"""With fewer there is no interval worth the name. With 3 it is all of them, and the median lies in it with 75 % only."""
PROMISED_ROUNDS = 5
"""What is claimed is of so many, else it says of how many: the interval of a median of 5 holds with 94 %."""


@dataclass(frozen=True)
class Estimate:
    """A figure, with the interval in which it lies with 95 % confidence; None where there were too few rounds.

    :ivar rounds: how many it is of, where that is known
    """

    value: float
    low: float | None = None
    high: float | None = None
    rounds: int | None = field(default=None, compare=False)


def ratio(ours: Sequence[float], baseline: Sequence[float]) -> Estimate:
    """The ratio of medians of two subjects measured in the same rounds.

    :raise ValueError: not as many of one as of the other, or none
    """
    return of_rounds(list(zip(ours, baseline, strict=True)),
                     lambda rounds: statistics.median(a for a, _ in rounds) / statistics.median(b for _, b in rounds))


def median(values: Sequence[float]) -> Estimate:
    """The median of one subject's repeats."""
    return of_rounds(values, lambda drawn: float(statistics.median(drawn)))


def of_rounds(rounds: Sequence[Round], figure: Callable[[Sequence[Round]], float], draws: int = DRAWS) -> Estimate:
    """Any figure of rounds, with its interval.

    :param figure: from rounds to the figure
    :raise ValueError: no rounds
    """
    if not rounds:
        raise ValueError("nothing was measured")
    value = figure(rounds)
    if len(rounds) < FEWEST_ROUNDS:
        return Estimate(value, rounds=len(rounds))
    chance = random.Random(1)
    found = sorted(figure(chance.choices(rounds, k=len(rounds))) for _ in range(draws))
    tail = (1 - CONFIDENCE) / 2
    return Estimate(value, found[round(tail * (draws - 1))], found[round((1 - tail) * (draws - 1))], len(rounds))
