"""Golds in one place and choices that crowd there: the chance reading must step back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from conftest import make_run
from forgetmap import compare
from forgetmap.estimate.positions import measure_spread


def rows(gold_at: list[int], choose: list[int]) -> list[dict[str, Any]]:
    return [
        {"item_id": str(n), "gold": str(g), "pred": str(c), "correct": g == c, "n_options": 4, "task": "t"}
        for n, (g, c) in enumerate(zip(gold_at, choose, strict=True))
    ]


def positions(n: int, seed: int, favourite: float = 0.0) -> list[int]:
    rng = random.Random(seed)
    return [0 if rng.random() < favourite else rng.randrange(4) for _ in range(n)]


@pytest.mark.parametrize(
    ("golds", "choices", "read"),
    [
        (0.0, 0.0, True),
        (1.0, 0.0, True),  # golds always first, choices spread: exchangeable enough
        (0.0, 0.9, True),  # a model that loves A, golds spread
        (1.0, 0.9, False),  # TruthfulQA MC1 with a model that loves A
        (0.4, 0.4, False),
    ],
)
def test_both_must_crowd(golds: float, choices: float, read: bool) -> None:
    where = positions(400, 1, golds)
    before, after = (make_run(rows(where, positions(400, seed, choices))) for seed in (2, 3))
    found = compare(before, after)
    assert (found.total.chance is not None) == read
    assert any("crowd" in warning for warning in found.warnings) != read
    assert found.total.observed["lost"] is not None


def test_a_few_items_prove_nothing() -> None:
    run = make_run(rows([0] * 4, [0] * 4))
    assert compare(run, run).total.chance is not None


def test_mixed_option_counts_have_their_own_even_spread() -> None:
    """Half of the items have two options: positions 0 and 1 are then expected more often than 2 and 3."""
    even = {(2, 0): 100, (2, 1): 100, (4, 0): 50, (4, 1): 50, (4, 2): 50, (4, 3): 50}
    assert measure_spread(even).distance == 0
    assert measure_spread({}).distance == 0


def test_the_statistic_agrees_with_an_independent_computation() -> None:
    """chi-square of 60 against 40: 4.0, p = .0455, z = 1.69 one-sided."""
    assert measure_spread({(2, 0): 60, (2, 1): 40}).z == pytest.approx(1.69, abs=0.05)
