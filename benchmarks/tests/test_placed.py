"""What the experiment of plans makes of what it sees."""

from __future__ import annotations

import pytest

from experiments import placed
from harness.processes import RunError
from harness.result import Repeat, Result


def test_rates_are_of_the_end_of_an_attempt() -> None:
    seen = [(0.0, 1, 0), (1.0, 1, 900), (2.0, 1, 1_000), (3.0, 1, 1_100), (4.0, 2, 50), (5.0, 2, 450)]
    assert placed.rates_of(seen, 1) == 100
    assert placed.rates_of(seen, 2) == 400
    with pytest.raises(RunError, match="attempt 3 was seen 0 times"):
        placed.rates_of(seen, 3)


def test_plans_that_ran_in_another_order_than_computed_are_counted() -> None:
    def result(*figures: tuple[str, str, float, float]) -> Result:
        return Result({}, [Repeat(plan, {"work": work}, 0, 0, {"computed_per_s": computed, "per_s": ran})
                           for work, plan, computed, ran in figures])

    first, second, third = placed.PLANS
    assert placed.out_of_order(result()) is None
    assert placed.out_of_order(result(("light", first, 3, 30), ("light", second, 1, 10), ("light", third, 2, 20),
                                      ("heavy", first, 1, 5), ("heavy", third, 2, 9))) == 0
    assert placed.out_of_order(result(("light", first, 3, 30), ("light", second, 1, 40), ("light", third, 2, 20),
                                      ("heavy", first, 1, 9), ("heavy", third, 2, 5))) == 3
