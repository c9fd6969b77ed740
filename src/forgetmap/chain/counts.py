"""Complete items of a chain, counted by what their answers look like: shares with intervals and expected shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.chain.expected import Expectation
from forgetmap.chain.lines import Array, line_values
from forgetmap.estimate.intervals import ONE_CELL, RATE, Estimate, estimate_mean, posteriors
from forgetmap.estimate.units import Units

#: The columns that every table of a chain has.
FIGURES = dict.fromkeys(("n", "share", "low", "high", "expected", "expected_low", "expected_high"), pl.Float64)


@dataclass(frozen=True)
class Counts:
    """Complete items of a chain, or of one task of it, by pattern."""

    rights: Array  # share of right repeats: one row per pattern, one column per stage
    counts: Array  # items per pattern
    clusters: NDArray[np.int64] | None
    expectation: Expectation

    @property
    def items(self) -> int:
        """Number of complete items."""
        return int(self.counts.sum())

    def number(self, weights: Array) -> float:
        """Return how many items have a line that a vector names; with repeats, in parts."""
        return float(self.counts @ line_values(self.rights, weights))

    def figures(self, weights: Array) -> dict[str, float | None]:
        """Return number and share of the items whose lines a vector names, with interval and expected share."""
        values = line_values(self.rights, weights)
        found = self._mean(values)
        return {
            "n": float(self.counts @ values), "share": found.value, "low": found.low, "high": found.high,
            **self.expectation.share(weights).to_dict(),
        }  # fmt: skip

    def _mean(self, values: Array) -> Estimate:
        if self.clusters is None or not self.items:
            return estimate_mean(values, self.counts)
        units = Units(("",), self.counts, np.zeros(len(values), dtype=np.int64), self.clusters)
        return posteriors(units, values, ONE_CELL, RATE)[0]


def count_items(rows: pl.DataFrame, rights: list[str], expectation: Expectation) -> Counts:
    """Count the patterns of complete items."""
    clustered = rows["cluster"].null_count() < rows.height
    by = ["task", "cluster", *rights] if clustered else rights
    patterns = rows.group_by(by).agg(n=pl.len()).sort(by)
    clusters = None
    if clustered:
        number = pl.when(pl.col("cluster").is_not_null()).then(pl.struct("task", "cluster").rank("dense")).otherwise(-1)
        clusters = patterns.select(number.cast(pl.Int64)).to_series().to_numpy()
    counts = patterns["n"].to_numpy().astype(np.float64)
    return Counts(patterns.select(rights).to_numpy(), counts, clusters, expectation)
