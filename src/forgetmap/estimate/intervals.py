"""Intervals without resampling: the posterior of a mean, from power sums (statistics.md 3).

The posterior is a Dirichlet over the units, mass 1 each, plus prior atoms. Its first four cumulants follow from power
sums in closed form, quantiles from them by Cornish and Fisher: the same digits every time, for any number of cells at
once. Below 30 units the Dirichlet is drawn from instead, seeded by the inputs. Both ways to a quantile stand in this one
file, because they must answer alike: same atoms, same weights, same widening of small tasks.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import erfc, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.units import COLUMN, ITEM_SQUARES, Array, Units, central_sums

#: Fewer units than these are too few for four cumulants: the posterior is drawn from.
FEW = 30
DRAWS = 20_000
LEVEL = 0.95

_FAR = 9.0  # standard deviations beyond which no probability is told from 0
_STEPS = 20

_BY_SUMS, _BY_DRAWS = "Dirichlet posterior, Cornish-Fisher", f"Dirichlet posterior, {DRAWS:,} draws"


@dataclass(frozen=True)
class Atoms:
    """Prior atoms of a mean: where they stand and what they weigh, one row per task or one for all."""

    positions: Array
    masses: Array

    @staticmethod
    def of(*atoms: tuple[float, float]) -> Atoms:
        """Return atoms that are the same for every task, given as (position, mass)."""
        positions, masses = zip(*atoms, strict=True)
        return Atoms(np.array([positions], dtype=np.float64), np.array([masses], dtype=np.float64))

    def rows(self, tasks: int) -> tuple[Array, Array]:
        """Return positions and masses, one row per task."""
        shape = (tasks, self.positions.shape[1])
        return np.broadcast_to(self.positions, shape), np.broadcast_to(self.masses, shape)


#: Shares and losses lie in [0, 1]; differences in [−1, 1].
RATE = Atoms.of((1.0, 0.5), (0.0, 1.5))
DIFFERENCE = Atoms.of((1.0, 0.5), (-1.0, 0.5), (0.0, 1.0))
_PRIORS = {"rate": RATE, "difference": DIFFERENCE}


@dataclass(frozen=True)
class Grouping:
    """Which tasks make up each cell of a level, and how they weigh in it.

    `part` names the parts a cell is the mean of: the tasks themselves, or categories of tasks. None weighs every item
    alike.
    """

    cell: NDArray[np.int64]  # of each task; −1: in no cell
    cells: int
    part: NDArray[np.int64] | None

    @cached_property
    def signature(self) -> tuple[bytes, ...]:
        """What two groupings share that give the same cells the same figures."""
        alone = np.bincount(self.cell[self.cell >= 0]).max(initial=0) <= 1  # nothing to be weighed
        return self.cell.tobytes(), b"" if alone else b"items" if self.part is None else self.part.tobytes()

    def weights(self, usable: NDArray[np.bool_]) -> Array:
        """Return the weight of each task in its cell's mean, over the tasks that have a value."""
        key = usable.tobytes()
        if key not in self._weights:
            self._weights[key] = self._weigh(usable)
        return self._weights[key]

    @cached_property
    def _weights(self) -> dict[bytes, Array]:
        return {}

    def _weigh(self, usable: NDArray[np.bool_]) -> Array:
        assert self.part is not None
        used = usable & (self.cell >= 0)
        in_part = np.bincount(self.part[used], minlength=int(self.part.max(initial=0)) + 1)
        pairs = np.unique(np.stack([self.cell[used], self.part[used]]), axis=1)
        parts = np.bincount(pairs[0], minlength=self.cells)
        weights = np.zeros(len(self.cell))
        weights[used] = 1.0 / (parts[self.cell[used]] * in_part[self.part[used]])
        return weights

    def total(self, per_task: Array) -> Array:
        """Return the sum of a quantity over the tasks of each cell."""
        used = self.cell >= 0
        return np.bincount(self.cell[used], per_task[used], minlength=self.cells).astype(np.float64)

    def mean(self, per_task: Array, items: Array) -> Array:
        """Return the mean over each cell; NaN where a task that counts has no value, or none counts."""
        usable = items > 0
        per_task = np.where(usable, per_task, 0.0)
        if self.part is None:
            weighted, whole = self.total(per_task * items), self.total(items)
        else:
            weights = self.weights(usable)
            weighted, whole = self.total(per_task * weights), self.total(weights)
        # the weights of a cell add up to one, but for a rounding error that would show in identities
        means: Array = np.divide(weighted, whole, out=np.full(self.cells, np.nan), where=whole > 0)
        return means


ONE_CELL = Grouping(np.zeros(1, dtype=np.int64), 1, None)


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval."""

    value: float | None
    low: float | None
    high: float | None
    n: float  # items
    method: str
    level: float = LEVEL
    _all: Posteriors | None = field(default=None, repr=False, compare=False)
    _place: int = field(default=0, repr=False, compare=False)

    def tail(self, x: float) -> float | None:
        """Return the posterior probability that the mean is at most x; None where there is none."""
        return None if self._all is None or self.value is None else float(self._all.tail(x)[self._place])

    def to_dict(self) -> dict[str, Any]:
        """Return what can be written down."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __repr__(self) -> str:
        if self.value is None:
            return "Estimate(none: no items)"
        return f"Estimate({self.value:.4f}, {self.level:.0%} {self.low:.4f} to {self.high:.4f}, n = {self.n:g}, {self.method})"


@dataclass(frozen=True)
class Posteriors:
    """The posteriors of many means at once, one per cell."""

    value: Array  # the plain mean of the items: identities hold for it
    items: Array
    effective: Array  # number of units that one mean of equal weights would need to be as certain
    cumulants: tuple[Array, Array, Array, Array]
    draws: dict[int, Array] = field(repr=False)  # sorted, for cells of few units

    def quantile(self, p: float) -> Array:
        """Return the p-quantile of every mean."""
        mean, variance, third, fourth = self.cumulants
        z = NormalDist().inv_cdf(p)
        deviation = np.sqrt(variance)
        skew, excess = _shape(variance, third, fourth)
        found = mean + deviation * _cornish_fisher(z, skew, excess)
        for place, drawn in self.draws.items():
            found[place] = _sorted_quantile(drawn, p)
        return found

    def interval(self, level: float = LEVEL) -> tuple[Array, Array]:
        """Return both ends; the plain mean is never outside, though the prior may pull the posterior past it."""
        low, high = self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)
        return np.minimum(low, self.value), np.maximum(high, self.value)

    def upper(self, level: float = LEVEL) -> Array:
        """Return the one-sided upper bound."""
        return np.maximum(self.quantile(level), self.value)

    def tail(self, x: float | Array) -> Array:
        """Return the probability of every mean to be at most x."""
        mean, variance, third, fourth = self.cumulants
        skew, excess = _shape(variance, third, fourth)
        with np.errstate(invalid="ignore", divide="ignore"):
            wanted = (np.broadcast_to(np.asarray(x, dtype=np.float64), mean.shape) - mean) / np.sqrt(variance)
        found = _normal(_invert(wanted, skew, excess))
        for place, drawn in self.draws.items():
            bound = float(np.broadcast_to(x, mean.shape)[place])
            found[place] = (np.searchsorted(drawn, bound, side="right") + 0.5) / (len(drawn) + 1)
        return found

    def two_sided(self) -> Array:
        """Return the two-sided probability that every mean is on the other side of 0."""
        below = self.tail(0.0)
        both: Array = np.minimum(1.0, 2 * np.minimum(below, 1 - below))
        return both

    def __getitem__(self, place: int) -> Estimate:
        if not self.items[place] > 0 or np.isnan(self.value[place]):
            return Estimate(None, None, None, float(self.items[place]), _BY_SUMS)
        low, high = self.interval()
        method = _BY_DRAWS if place in self.draws else _BY_SUMS
        value, least, most, items = (float(of[place]) for of in (self.value, low, high, self.items))
        return Estimate(value, least, most, items, method, LEVEL, self, place)


def posteriors(units: Units, values: Array, grouping: Grouping, atoms: Atoms, sums: Array | None = None) -> Posteriors:
    """Return the posterior of the mean of a per-item value in every cell.

    The prior belongs to the cell: where a cell is a mean over tasks, each task's atoms get its weight of their mass and
    the tasks' cumulants add up; where every item weighs alike, power sums are pooled and the atoms taken once.
    """
    sums = units.sums(values) if sums is None else sums  # the same at every level
    positions, masses = atoms.rows(len(units.tasks))
    usable = units.items > 0
    size = grouping.total(units.sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = grouping.mean(sums[:, COLUMN[1, 0]] / units.items, units.items)
    if grouping.part is None:
        pooled = np.stack([grouping.total(column) for column in sums.T], axis=1)
        items = np.maximum(grouping.total(units.items), 1e-300)[:, None]
        places = np.stack([grouping.total(c * units.items) for c in positions.T], axis=1) / items
        heavy = np.stack([grouping.total(c * units.items) for c in masses.T], axis=1) / items
        share = np.ones(grouping.cells) if units.clusters is None else _cluster_share(pooled)
        cumulants = _cumulants(pooled, places, heavy * share[:, None])
        effective = size
    else:
        weights, share = grouping.weights(usable), np.ones(grouping.cells)
        if units.clusters is not None:
            masses = masses * _cluster_share(sums)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = 1 / grouping.total(np.where(weights > 0, weights**2 / units.sizes, 0.0))
        of_tasks = _cumulants(sums, positions, masses * weights[:, None])
        widened = sampling_factor(
            units.sizes, grouping.total((weights > 0).astype(np.float64))[np.maximum(grouping.cell, 0)]
        )
        of_tasks = tuple(
            np.where(weights > 0, c * widened ** (power / 2) if power > 1 else c, 0.0)
            for power, c in enumerate(of_tasks, 1)
        )  # type: ignore[assignment]
        cumulants = tuple(grouping.total(c * weights**power) for power, c in enumerate(of_tasks, 1))  # type: ignore[assignment]
    empty = ~(size > 0) | np.isnan(value)
    cumulants = tuple(np.where(empty, np.nan, c) for c in cumulants)  # type: ignore[assignment]
    skew, excess = _shape(*cumulants[1:])
    with np.errstate(invalid="ignore"):
        # a small task of great weight may give four cumulants that no quantile can be made of
        odd = _centre_slope(skew, excess) <= 0
    few = np.flatnonzero(((size < FEW) | odd) & (size > 0) & ~np.isnan(value))
    draws = _draws(units, values, grouping, Atoms(positions, masses), share, few) if len(few) else {}
    return Posteriors(value, grouping.total(units.items), effective, cumulants, draws)


def estimate_mean(
    values: ArrayLike, counts: ArrayLike | None = None, *, prior: str = "rate", level: float = LEVEL
) -> Estimate:
    """Return the mean of per-item values with its interval.

    Parameters
    ----------
    values : one per item, or one per group of equal items with `counts`.
    prior : `rate` for values in [0, 1], `difference` for values in [−1, 1].

    Examples
    --------
    >>> estimate_mean([1, 0], [40, 460])
    Estimate(0.0800, 95% 0.0585 to 0.1060, n = 500, Dirichlet posterior, Cornish-Fisher)
    """
    if prior not in _PRIORS:
        raise UsageError(f"prior is '{prior}'; it must be one of {', '.join(_PRIORS)}")
    given = np.asarray(values, dtype=np.float64)
    times = np.ones(len(given)) if counts is None else np.asarray(counts, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    units = Units(("",), times[order], np.zeros(len(given), dtype=np.int64))
    if not len(given) or not times.sum() > 0:
        return Estimate(None, None, None, 0.0, _BY_SUMS, level)
    found = posteriors(units, given[order], ONE_CELL, _PRIORS[prior])
    low, high = (float(end[0]) for end in found.interval(level))
    method = _BY_DRAWS if found.draws else _BY_SUMS
    return Estimate(float(found.value[0]), low, high, float(found.items[0]), method, level, found, 0)


def sampling_factor(sizes: Array, tasks: Array) -> Array:
    """What the variance of a task's mean falls short of, where the cell's prior is shared among several tasks.

    With next to no prior the posterior variance of n units is (n − 1)/(n + 1) of the sampling variance: nothing for a task of
    hundreds, a third for one of five, and fifty such tasks would all err the same way.
    """
    several: Array = np.where((tasks > 1) & (sizes > 0), (sizes + 1) / np.maximum(sizes - 1, 1.0), 1.0)
    return several


def _cumulants(sums: Array, positions: Array, masses: Array) -> tuple[Array, Array, Array, Array]:
    """Mean, variance, third and fourth cumulant of the Dirichlet mean (statistics.md 3)."""
    units, items, mean, central = central_sums(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        stretch = units / items  # a cluster of twice the mean size moves the mean twice as far
        second, third, fourth = central
        squared = stretch * stretch
        second, third, fourth = squared * second, squared * stretch * third, squared * squared * fourth
        whole = units + masses.sum(axis=1)
        centre = (units * mean + (masses * positions).sum(axis=1)) / whole
        shift = mean - centre
        far = positions - centre[:, None]
        # products, not powers: a power of a float costs twenty times as much
        shift2, far2 = shift * shift, far * far
        m2 = (second + units * shift2 + (masses * far2).sum(axis=1)) / whole
        m3 = (third + shift * (3 * second + units * shift2) + (masses * far2 * far).sum(axis=1)) / whole
        m4 = fourth + 4 * third * shift + shift2 * (6 * second + units * shift2)
        m4 = (m4 + (masses * far2 * far2).sum(axis=1)) / whole
        variance = m2 / (whole + 1)
        kappa3 = 2 * m3 / ((whole + 1) * (whole + 2))
        moment4 = (6 * m4 + 3 * whole * m2**2) / ((whole + 1) * (whole + 2) * (whole + 3))
        return centre, variance, kappa3, moment4 - 3 * variance**2


def _cluster_share(sums: Array) -> Array:
    """How much of a cluster an item of the prior is: 1 where clusters move as one, units/items where they do not move together.

    Half a cluster lost would be a prior of several points where clusters are few. Where nothing varies nothing is known of
    how they move, and a whole cluster it is.
    """
    units, items, mean, (squares, *_) = central_sums(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        least = units / items
        spread = items * np.maximum(sums[:, ITEM_SQUARES] / items - mean**2, 0.0)
        together = np.where(spread > 1e-12, squares / np.maximum(spread, 1e-300) * least, 1.0)
        share: Array = np.where(least < 1, np.clip(together, least, 1.0), 1.0)
    return share


def _shape(variance: Array, third: Array, fourth: Array) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return third / variance**1.5, fourth / variance**2


def _cornish_fisher(z: Any, skew: Array, excess: Array) -> Array:
    found: Array = z + skew * (z**2 - 1) / 6 + excess * (z**3 - 3 * z) / 24 - skew**2 * (2 * z**3 - 5 * z) / 36
    return found


def _centre_slope(skew: Array, excess: Array) -> Array:
    """How fast quantiles rise with z at 0; where they do not, the expansion does not hold."""
    return 1 - excess / 8 + 5 * skew**2 / 36


def _invert(wanted: Array, skew: Array, excess: Array) -> Array:
    """The z whose quantile it is, on the stretch around 0 where quantiles rise with z; beyond it, the stretch's end."""
    # The slope of the quantile is a parabola in z: a·z² + b·z + c.
    a, b, c = excess / 8 - skew**2 / 6, skew / 3, _centre_slope(skew, excess)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
        ends = np.stack([(-b - root) / (2 * a), (-b + root) / (2 * a)])
        flat = (b**2 <= 4 * a * c) | ~np.isfinite(ends).all(axis=0)  # it has no roots: quantiles rise everywhere
        low = np.where(flat, -_FAR, np.max(np.where(ends < 0, ends, -_FAR), axis=0))
        high = np.where(flat, _FAR, np.min(np.where(ends > 0, ends, _FAR), axis=0))
        low, high = np.where(c > 0, np.maximum(low, -_FAR), 0.0), np.where(c > 0, np.minimum(high, _FAR), 0.0)
        z = np.clip(wanted, low, high)
        for _ in range(_STEPS):  # Newton, and halving where it would leave the bracket
            ahead = _cornish_fisher(z, skew, excess) - wanted
            low, high = np.where(ahead > 0, low, z), np.where(ahead > 0, z, high)
            step = z - ahead / (a * z**2 + b * z + c)
            z = np.where((step >= low) & (step <= high), step, (low + high) / 2)
    return np.where(np.isnan(wanted), np.nan, z)


def _normal(z: Array) -> Array:
    return np.array([0.5 * erfc(-one / sqrt(2)) for one in z.tolist()], dtype=np.float64)


def _draws(
    units: Units, values: Array, grouping: Grouping, atoms: Atoms, share: Array, few: NDArray[np.int64]
) -> dict[int, Array]:
    """Sorted draws for each cell of few units; `share` of a cluster is what a pooled cell's atoms weigh."""
    positions, masses = atoms.positions, atoms.masses
    *parts, task = units.members(values)
    order = np.argsort(task, kind="stable")
    ends = np.searchsorted(task[order], np.arange(len(units.tasks) + 1))
    weights = None if grouping.part is None else grouping.weights(units.items > 0)
    by_cell = np.argsort(grouping.cell, kind="stable")
    bounds = np.searchsorted(grouping.cell[by_cell], np.arange(grouping.cells + 1))
    made = {}
    for cell in few.tolist():
        tasks = [at for at in by_cell[bounds[cell] : bounds[cell + 1]].tolist() if units.items[at] > 0]
        blocks = [[part[order[ends[at] : ends[at + 1]]] for part in parts] for at in tasks]
        if weights is None:
            items = units.items[tasks][:, None]
            where, mass = ((of[tasks] * items).sum(axis=0) / items.sum() for of in (positions, masses))
            mass = mass * share[cell]
            made[cell] = _sorted_means(
                *_weighed([np.concatenate(part) for part in zip(*blocks, strict=True)], where, mass)
            )
        elif len(tasks) == 1:
            made[cell] = _sorted_means(*_weighed(blocks[0], positions[tasks[0]], masses[tasks[0]]))
        else:
            drawn = np.zeros(DRAWS)
            for place, (at, block) in enumerate(zip(tasks, blocks, strict=True)):
                means = _dirichlet_means(*_weighed(block, positions[at], masses[at] * weights[at]), place)
                wider = float(np.sqrt(sampling_factor(units.sizes[[at]], np.array([len(tasks)]))[0]))
                drawn = drawn + weights[at] * (means.mean() + wider * (means - means.mean()))
            made[cell] = np.sort(drawn)
    return made


def _sorted_quantile(values: Array, p: float) -> float:
    """Linear between the neighbours, as usual; the values are in order already."""
    place = p * (len(values) - 1)
    below = min(int(place), len(values) - 2)
    return float(values[below] + (place - below) * (values[below + 1] - values[below]))


def _weighed(members: list[Array], positions: Array, masses: Array) -> tuple[bytes, bytes]:
    """Values and masses of one Dirichlet, as a key; equal values are drawn as one."""
    values, times = _deviations(members)
    # Rounded, because the draws are seeded by these bytes: a last digit must not change them.
    points, inverse = np.unique(np.round(np.concatenate([values, positions]), 12) + 0.0, return_inverse=True)
    return points.tobytes(), np.round(np.bincount(inverse, np.concatenate([times, masses])), 9).tobytes()


def _deviations(members: list[Array]) -> tuple[Array, Array]:
    """Unit values x = mean + (C/n)·(S − m·mean), and how many units have each."""
    totals, sizes, times = members
    units, items = times.sum(), (times * sizes).sum()
    mean = (times * totals).sum() / items
    return mean + units / items * (totals - sizes * mean), times


@lru_cache(maxsize=256)
def _sorted_means(points: bytes, masses: bytes) -> Array:
    return np.sort(_dirichlet_means(points, masses, 0))


def _dirichlet_means(points: bytes, masses: bytes, place: int) -> Array:
    where, mass = np.frombuffer(points), np.frombuffer(masses)
    seed = [zlib.crc32(points), zlib.crc32(masses), place]
    heavy = mass > 0
    gammas = np.random.default_rng(seed).standard_gamma(mass[heavy], size=(DRAWS, int(heavy.sum())))
    means: Array = gammas @ where[heavy] / gammas.sum(axis=1)
    return means
