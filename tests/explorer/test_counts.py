"""A part of a pair counted by numbers is the part that `slices.restrict` counts by grouping."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from conftest import answer, make_run
from forgetmap.errors import PairingError
from forgetmap.explorer.counts import PatternCounts
from forgetmap.map import map_pair
from forgetmap.pairing import Pair, pair_runs
from forgetmap.slices import restrict
from forgetmap.testing import plant


def planted(**options: Any) -> Pair:
    pair = plant(3000, tasks=4, persistence=0.3, abstain=(0.1, 0.2), seed=2, **options)
    return pair_runs(pair.before, pair.after)


def table(**columns: Any) -> Pair:
    """Rows by hand: prompts that change, states that nobody knows, options that contradict each other, grades."""
    rng = np.random.default_rng(1)
    runs = []
    for side in (0, 1):
        rows = []
        for n in range(1500):
            row = answer(
                n,
                bool(rng.random() < 0.6),
                task=f"t{n % 3}",
                prompt=f"{'new ' if side and n % 4 == 0 else ''}prompt {n}",
            )
            if n % 7 == 0:
                row["answer_state"] = "answered"
            rows.append({**row, **{name: make(n, side, rng) for name, make in columns.items()}})
        runs.append(make_run(rows, model=f"m{side}", question="question", prompt="prompt"))
    return pair_runs(*runs)


PAIRS = {
    "options": lambda: planted(options=[3, 4, 5]),
    "open-ended": lambda: planted(options=0),
    "no choices on record": lambda: planted(choices=False),
    "repeats": lambda: planted(repeats=(2, 3)),
    "prompts": table,
    "clusters": lambda: table(cluster=lambda n, side, rng: f"c{n % 30}"),
    "own clusters": lambda: table(cluster=lambda n, side, rng: f"c{n}"),
    "grades": lambda: table(
        score=lambda n, side, rng: round(float(rng.random()), 1), correct=lambda n, side, rng: None
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_the_same_patterns_and_the_same_map(kind: str) -> None:
    pair = PAIRS[kind]()
    counts = PatternCounts.of(pair)
    assert (counts.patterns is None) == (kind in ("repeats", "own clusters"))
    rng = np.random.default_rng(3)
    task = pair.items["task"].cast(pl.String)
    masks = {
        "some": rng.random(pair.items.height) < 0.3,
        "one task": (task == task[0]).to_numpy(),
        "one item": np.arange(pair.items.height) == 7,
        "all": np.ones(pair.items.height, dtype=bool),
    }
    for mask in masks.values():
        mine, told = counts.restrict(mask), restrict(pair, pl.Series(mask))
        assert_frame_equal(mine.patterns, told.patterns)
        assert_frame_equal(mine.seeds, told.seeds)
        assert_frame_equal(mine.items, told.items)
        assert mine.pairing == told.pairing
        assert mine.choices == told.choices
        assert [cell.to_dict() for cell in map_pair(mine).cells] == [cell.to_dict() for cell in map_pair(told).cells]


def test_nothing_left_is_refused() -> None:
    pair = planted()
    with pytest.raises(PairingError, match="no item is left"):
        PatternCounts.of(pair).restrict(np.zeros(pair.items.height, dtype=bool))
