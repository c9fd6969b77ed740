"""Broken tasks: golds that never change, and models that both score below chance (post_forget.md R11)."""

from __future__ import annotations

import numpy as np
import polars as pl

from forgetmap.estimate.intervals import DIFFERENCE, Grouping
from forgetmap.estimate.reading import Reading
from forgetmap.pairing import Pair

#: Fewer items than these prove nothing, whatever they show.
LEAST_ITEMS = 30


def task_warnings(pair: Pair) -> list[str]:
    """Return a sentence per kind of fault that makes a task's scores suspect."""
    return [*_constant_golds(pair), *_below_chance(pair)]


def _constant_golds(pair: Pair) -> list[str]:
    told = pair.positions.filter((pl.col("side") == "before") & pl.col("gold_index").is_not_null())
    counted = (
        told.group_by("task")
        .agg(
            n=pl.col("n").sum(),
            places=pl.col("gold_index").n_unique(),
            at=pl.col("gold_index").first(),
            k=pl.col("n_options").max(),
        )
        .filter((pl.col("n") >= LEAST_ITEMS) & (pl.col("places") == 1) & (pl.col("k") > 1))
        .sort("task")
    )
    return [
        f"task '{task}': the gold is always option {at + 1}; a model that prefers a position passes for one that knows"
        for task, at in counted.select("task", "at").iter_rows()
    ]


def _below_chance(pair: Pair) -> list[str]:
    closed = pair.patterns.filter(pl.col("right").is_not_null() & (pl.col("chance") > 0).fill_null(False))
    tasks = sorted(closed["task"].unique())
    if not tasks:
        return []
    own = Grouping(np.arange(len(tasks)), len(tasks), None)
    sides = {"before": pl.col("right") - pl.col("chance"), "after": pl.col("right_after") - pl.col("chance")}
    reading = Reading.of(closed, tasks, sides)
    below = np.ones(len(tasks), dtype=bool)
    for side in sides:
        below &= reading.posterior(side, own, DIFFERENCE).quantile(0.995) < 0
    below &= reading.units.items >= LEAST_ITEMS
    return [
        f"task '{task}': both models score below chance; check its golds and how answers are read"
        for task, bad in zip(tasks, below, strict=True)
        if bad
    ]
