"""Units of uncertainty and their power sums: all that an interval needs to know of the items (statistics.md 3).

The unit is the item, or the cluster of items where a log names clusters: items of one passage move together. Per task
the joint power sums of a unit's total S and size m are kept, Σ Sᵃ mᵇ for a + b ≤ 4. They add up, so that cells of any
level follow from tasks without looking at an item again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Exponents (a, b) of the joint power sums, in the order of their columns.
POWERS = tuple((a, b) for total in range(5) for a, b in ((total - b, b) for b in range(total + 1)))
COLUMN = {power: column for column, power in enumerate(POWERS)}
ITEM_SQUARES = len(POWERS)  # a last column: Σ v² over items, which tells how clusters move together


@dataclass(frozen=True)
class Units:
    """Patterns of outcomes with how many items show each, and the task each belongs to."""

    tasks: tuple[str, ...]
    counts: Array  # items per pattern
    task: NDArray[np.int64]  # of each pattern: its place in `tasks`
    clusters: NDArray[np.int64] | None = None  # cluster of each pattern, numbered; −1 where the item stands alone

    @staticmethod
    def of(patterns: pl.DataFrame, tasks: Sequence[str]) -> Units:
        """Return the units of patterns: columns task, n and, where there are clusters, cluster.

        A task without a pattern is kept, with no items: readings of one pair then line up.
        """
        clusters = None
        if "cluster" in patterns.columns and patterns["cluster"].null_count() < patterns.height:
            # a cluster lives within its task: two tasks may number their passages alike
            numbered = pl.struct("task", "cluster").rank("dense").cast(pl.Int64)
            clusters = patterns.select(
                pl.when(pl.col("cluster").is_not_null()).then(numbered).otherwise(-1)
            ).to_series().to_numpy()  # fmt: skip
        place = pl.col("task").replace_strict({name: at for at, name in enumerate(tasks)}, return_dtype=pl.Int64)
        counts = patterns["n"].to_numpy().astype(np.float64)
        return Units(tuple(tasks), counts, patterns.select(place).to_series().to_numpy().astype(np.int64), clusters)

    @cached_property
    def items(self) -> Array:
        """Number of items per task."""
        return self.total(self.counts)

    def total(self, values: Array) -> Array:
        """Sum a value of patterns by task, in the order of patterns: no thread can change a digit."""
        return np.bincount(self.task, values, minlength=len(self.tasks)).astype(np.float64)

    def means(self, values: Array) -> Array:
        """Return the mean of a per-item value per task; NaN where any item of the task has none, or it has no items."""
        summed = self.total(self.counts * values)
        means: Array = np.divide(summed, self.items, out=np.full(len(self.tasks), np.nan), where=self.items > 0)
        return means

    def sums(self, values: Array) -> Array:
        """Return the joint power sums per task, one row each, columns as in POWERS and ITEM_SQUARES."""
        if self.clusters is None:
            powers = [self.items]
            raised = self.counts * values
            for _ in range(4):
                powers.append(self.total(raised))
                raised = raised * values
            return np.stack([*(powers[a] for a, _ in POWERS), powers[2]], axis=1)
        totals, sizes, times, task = self.members(values)
        made = np.empty((len(self.tasks), len(POWERS) + 1))
        made[:, ITEM_SQUARES] = self.total(self.counts * values**2)
        for column, (a, b) in enumerate(POWERS):
            made[:, column] = np.bincount(task, times * totals**a * sizes**b, minlength=len(self.tasks))
        return made

    @cached_property
    def sizes(self) -> Array:
        """Number of units per task: items, or clusters."""
        if self.clusters is None:
            return self.items
        _, _, times, task = self.members(np.zeros(len(self.counts)))
        return np.bincount(task, times, minlength=len(self.tasks)).astype(np.float64)

    def members(self, values: Array) -> tuple[Array, Array, Array, NDArray[np.int64]]:
        """Return total, size, multiplicity and task of every unit."""
        if self.clusters is None:
            return values, np.ones(len(values)), self.counts, self.task
        alone = self.clusters < 0
        _, first, place = np.unique(self.clusters[~alone], return_index=True, return_inverse=True)
        counts = self.counts[~alone]
        return (
            np.concatenate([values[alone], np.bincount(place, counts * values[~alone])]),
            np.concatenate([np.ones(int(alone.sum())), np.bincount(place, counts)]),
            np.concatenate([self.counts[alone], np.ones(len(first))]),
            np.concatenate([self.task[alone], self.task[~alone][first]]),
        )


def central_sums(sums: Array) -> tuple[Array, Array, Array, list[Array]]:
    """Return units, items, mean, and Σ yʲ for j = 2, 3, 4, of the unit deviations y = S − m·mean."""
    units, items = sums[:, COLUMN[0, 0]], sums[:, COLUMN[0, 1]]
    mean = np.divide(sums[:, COLUMN[1, 0]], items, out=np.full(len(sums), np.nan), where=items > 0)
    central = []
    for power in (2, 3, 4):
        whole = np.zeros(len(sums))
        factor = np.ones(len(sums))
        for i in range(power + 1):
            whole = whole + comb(power, i) * factor * sums[:, COLUMN[power - i, i]]
            factor = factor * -mean
        central.append(whole)
    return units, items, mean, central


def columns_of(patterns: pl.DataFrame, values: Mapping[str, pl.Expr]) -> dict[str, Array]:
    """Evaluate per-item values on patterns; null becomes NaN, which no sum forgets."""
    cast = {name: value.cast(pl.Float64).fill_null(float("nan")) for name, value in values.items()}
    # a value that is the same for all patterns comes as one row only, unless something of full length stands beside it
    evaluated = patterns.select(pl.col("n"), **cast).drop("n").to_numpy(order="fortran")
    return {name: evaluated[:, place] for place, name in enumerate(values)}
