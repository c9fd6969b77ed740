"""Reading: the per-item values of one way to read the flips, ready to be averaged over any cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from forgetmap.estimate.intervals import Atoms, Grouping, Posteriors, posteriors
from forgetmap.estimate.units import Array, Units, columns_of


@dataclass(frozen=True)
class Reading:
    """Values of the items that have this reading; tasks without any are there, empty."""

    units: Units
    values: Mapping[str, Array]

    @staticmethod
    def of(patterns: pl.DataFrame, tasks: Sequence[str], values: Mapping[str, pl.Expr]) -> Reading:
        """Evaluate values on patterns."""
        return Reading(Units.of(patterns, tasks), columns_of(patterns, values))

    def task_means(self, name: str) -> Array:
        """Return the mean of a value per task."""
        return self.units.means(self.values[name])

    def mean(self, name: str, grouping: Grouping) -> Array:
        """Return the mean of a value per cell; NaN where an item that counts has none."""
        return grouping.mean(self.task_means(name), self.units.items)

    def posterior(self, name: str | Array, grouping: Grouping, atoms: Atoms) -> Posteriors:
        """Return the posterior of the mean of a value per cell."""
        if not isinstance(name, str):
            return posteriors(self.units, name, grouping, atoms)
        if name not in self._sums:
            self._sums[name] = self.units.sums(self.values[name])
        return posteriors(self.units, self.values[name], grouping, atoms, self._sums[name])

    @cached_property
    def _sums(self) -> dict[str, Array]:
        return {}

    def items(self, grouping: Grouping) -> Array:
        """Return the number of items per cell."""
        return grouping.total(self.units.items)

    def tasks(self, grouping: Grouping) -> Array:
        """Return the number of tasks per cell that have the reading."""
        return grouping.total((self.units.items > 0).astype(float))
