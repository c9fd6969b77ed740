"""Planted truths over a grid: the chance reading finds them whatever the options, golds and guesses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from forgetmap import compare
from forgetmap.testing import join_planted, plant

GRID = list(product([3, 4, 5, 10], [0.0, 0.4, 0.8], [0.0, 0.05, 0.3]))


@pytest.mark.slow
@pytest.mark.parametrize(("options", "persistence", "lost"), GRID)
def test_the_mean_over_many_worlds_is_the_truth(options: int, persistence: float, lost: float) -> None:
    """Forty worlds of 2,000 items: the mean of the estimates is within 3.5 standard errors of the planted loss."""
    errors = []
    for seed in range(40):
        planted = plant(2000, known=0.6, lost=lost, gained=0.05, options=options, persistence=persistence, seed=seed)
        chance = compare(planted.before, planted.after).total.chance
        assert chance is not None
        errors.append(chance["lost"] - planted.lost)
    standard_error = np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 3.5 * standard_error


@pytest.mark.parametrize("seed", range(3))
def test_joined_worlds_keep_their_truths(seed: int) -> None:
    parts = [
        plant(4000, known=0.5, lost=lost, gained=0.02, tasks=[name], seed=seed * 10 + n, first_item=4000 * n)
        for n, (name, lost) in enumerate([("one", 0.0), ("two", 0.2)])
    ]
    whole = join_planted(parts)
    assert whole.lost == pytest.approx(0.1)
    cells = {cell.name: cell.chance for cell in compare(whole.before, whole.after).at("task")}
    for name, lost in (("one", 0.0), ("two", 0.2)):
        assert cells[name]["lost"] == pytest.approx(lost, abs=0.05)


def test_the_same_seed_gives_the_same_world() -> None:
    one, other, third = (plant(500, seed=seed).after.info.content_hash for seed in (3, 3, 4))
    assert one == other != third


@pytest.mark.scale
def test_a_million_items_in_memory() -> None:
    planted = plant(1_000_000, tasks=20, options=[4, 10], persistence=0.2, seed=1)
    total = compare(planted.before, planted.after).total
    assert total.items == 1_000_000
    assert total.chance is not None
    assert total.chance["lost"] == pytest.approx(planted.lost, abs=0.003)
