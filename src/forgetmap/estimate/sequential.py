"""Stopping early: bounds on a mean that hold at every look, however often one looks (statistics.md 4, "Sequential").
The test, the confidence sequence and the order of items share one file: they are one game, invalid without that order.

Somebody who believes that a suite averages at most m would sell, before each item, a bet on its value at the price m.
A gambler who starts with 1 and never risks all of it reaches 1/alpha with probability alpha at most if the seller is
right (Ville). So his wealth is a test that may be looked at after every item, and the prices that have not made him rich
are a confidence sequence. He may bet as he likes as long as he has not seen the item: how he bets decides how soon he
wins, never whether the bound is valid. Against "at least" he plays the same game with all signs turned round.
(Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024; the bets are our own.)

Items are drawn without replacement: once t of N are seen, the price of the next one is what the others must average if
the suite is to average m. When it leaves the range of values, m has become impossible; at the end the answer is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forgetmap.errors import UsageError

Decision = Literal["lost", "within"]
Floats = NDArray[np.float64]

#: Wealth that starts with each aim of a test: the planned effect itself (Wald's test), half of it (which wins where the
#: truth lies between margin and limit and the first gets nowhere), and a truth far off.
SHARES = np.array([0.65, 0.15, 0.2])
#: Numbers of items after which a confidence sequence is to be narrow; each starts with an equal share of the wealth.
HORIZONS = (100, 1_000, 10_000, 100_000)
#: No bet risks more than this part of the wealth: one item must not ruin the gambler.
MOST = 0.75
_ROUNDING = 1e-9  # of the range of values: sums of fractions are not known better
_FINEST = 1e-7  # of the range of values: bounds are not sought closer than this
_CELL = 0.02  # of the distance between a bound and the mean: how closely the bounds of a sequence are sought
_BLOCK = 1 << 17  # wealths held at a time


class Wealth(NamedTuple):
    """What the two gamblers hold now: each started with 1, and 1/alpha decides."""

    lost: float  # against "the mean is at most the margin"
    within: float  # against "the mean is at least the limit"


@dataclass(frozen=True)
class SequentialSummary:
    """What a sequential test has found: its inputs, its decision, and bounds on the mean that hold at every look.

    Each bound by itself holds at all looks together with probability 1 − alpha. It comes from the bets of the test:
    `low` reaches the margin exactly when "at most the margin" falls, `high` the limit when "at least the limit" falls.
    Both are kept to what the unseen items still allow, so at the end of a suite they are its mean.
    """

    margin: float
    limit: float
    planned: float
    bounds: tuple[float, float]
    items: int | None
    alpha: float
    decision: Decision | None
    decided_at: int | None
    n: int
    estimate: float | None
    low: float
    high: float
    method: str = "betting"

    def __repr__(self) -> str:
        found = "no items" if self.estimate is None else f"{self.estimate:.4f} ({self.low:.4f} to {self.high:.4f})"
        of = "" if self.items is None else f" of {self.items}"
        return (
            f"SequentialSummary({_said(self)}: {found}, n={self.n}{of}, margin={self.margin:g}, limit={self.limit:g}, "
            f"alpha={self.alpha:g} each side, {self.method})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {**vars(self), "bounds": list(self.bounds)}


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Bounds on a mean after `looks` items; with probability 1 − alpha all of them hold."""

    bounds: tuple[float, float]
    items: int | None
    alpha: float
    looks: NDArray[np.int64]  # numbers of items seen
    estimate: Floats
    low: Floats
    high: Floats
    method: str = "betting"

    @property
    def n(self) -> int:
        """Number of items seen at the last look."""
        return int(self.looks[-1]) if self.looks.size else 0

    def __repr__(self) -> str:
        last = ""
        if self.looks.size:
            last = f", at the last {self.estimate[-1]:.4f} ({self.low[-1]:.4f} to {self.high[-1]:.4f})"
        return f"ConfidenceSequence({self.looks.size} looks{last}, n={self.n}, alpha={self.alpha:g}, {self.method})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("looks", "estimate", "low", "high")}
        return {**vars(self), **arrays, "bounds": list(self.bounds)}


class SequentialTest:
    """Decides whether a mean loss is above `margin` or below `limit`, as early as the items allow.

    Parameters
    ----------
    margin : loss that is tolerated; `lost` is said once the mean is above it.
    limit : `within` is said once the mean is below it; twice the margin by default. Between the two, either may come.
    bounds : smallest and largest value an item can have: (0, 1) for flips and graded scores; for the chance reading
        −g/((k−g−1)(1−q)) and 1/(1−q), the widest of the suite.
    items : size of the suite that is drawn from without replacement; None if it is not known.
    alpha : probability of each wrong decision, over all looks together.
    planned : loss to be found soonest; the limit by default. It changes the number of items needed, never validity.

    Notes
    -----
    Values must come in random order over the whole suite (`random_order`). Feeding them one by one or in chunks gives the
    same digits. Values after the decision still count in n, estimate, wealth and bounds; the decision stays.
    The mean is over items. For a mean over T tasks multiply the values of a task of n items by N/(T n), the bounds by the
    largest such factor.
    To win a gap d the gambler bets d / v, where v is the variance that values of this shape have when the price is their
    mean: that of the two points with the first three moments of the items seen. For flips this is Wald's likelihood ratio.

    Examples
    --------
    >>> test = SequentialTest(margin=0.02)
    >>> test.update([0.0] * 200), test.decided_at
    ('within', 129)
    >>> test.summary()
    SequentialSummary(within after 129: 0.0000 (0.0000 to 0.0257), n=200, margin=0.02, limit=0.04, alpha=0.05 each side, betting)
    """

    def __init__(
        self,
        margin: float,
        *,
        limit: float | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        items: int | None = None,
        alpha: float = 0.05,
        planned: float | None = None,
    ) -> None:
        suite = _Suite.checked(bounds, items, alpha)
        if not margin > 0:
            raise UsageError(f"margin is {margin}: no suite can show that nothing at all was lost, give it above 0")
        self.margin, self.limit = float(margin), float(2 * margin if limit is None else limit)
        if not self.limit - self.margin > 10 * _ROUNDING * suite.range:
            raise UsageError(f"limit is {self.limit:g} and margin {margin:g}: the limit must be above the margin")
        if not self.limit < suite.high:
            raise UsageError(
                f"limit is {self.limit:g} and values reach {suite.high:g}: give a limit that can be missed"
            )
        self.planned = self.limit if planned is None else float(planned)
        if not self.margin < self.planned <= suite.high:
            raise UsageError(f"planned is {planned}: give a loss from the margin {margin:g} to {suite.high:g}")
        self.bounds, self.items, self.alpha = (suite.low, suite.high), suite.items, float(alpha)
        self.decision: Decision | None = None
        self.decided_at: int | None = None
        self.lost_at: int | None = None  # first look at which "at most the margin" fell
        self.within_at: int | None = None  # first look at which "at least the limit" fell
        gap = self.planned - self.margin
        self._lost = _Gambler(suite, self.margin, [gap, gap / 2, 3 * gap])
        gap = self.limit - self.margin
        self._within = _Gambler(suite.turned(), -self.limit, [gap, gap / 2, self.limit])  # the last: nothing was lost
        self._seen: list[Floats] = []

    def update(self, values: ArrayLike) -> Decision | None:
        """Take the next value or values and return the decision, or None while there is none."""
        x = self._lost.suite.values(values, self.n)
        start = self.n
        self._seen.append(x)
        self.lost_at = _first(self._lost.play(x) >= 1 / self.alpha, start, self.lost_at)
        self.within_at = _first(self._within.play(-x) >= 1 / self.alpha, start, self.within_at)
        if self.decision is None and (self.lost_at or self.within_at):
            # Both can fall at one look, when the mean is between margin and limit: then the warning is given.
            lost = self.within_at is None or (self.lost_at is not None and self.lost_at <= self.within_at)
            self.decision, self.decided_at = ("lost", self.lost_at) if lost else ("within", self.within_at)
        return self.decision

    @property
    def n(self) -> int:
        """Number of values taken."""
        return self._lost.n

    @property
    def estimate(self) -> float | None:
        """Mean of the values taken, None before the first."""
        return float(self._lost.sums[0]) / self.n if self.n else None

    @property
    def wealth(self) -> Wealth:
        """What the gamblers hold now; infinite once the unseen items can no longer prove them wrong."""
        return Wealth(self._lost.held, self._within.held)

    def summary(self) -> SequentialSummary:
        """Return decision, estimate and bounds as of now."""
        x = np.concatenate([np.empty(0), *self._seen])
        least, most = self._lost.suite.possible(self._lost.sums[:1], np.array([self.n]))
        low = np.clip(self._lost.lowest(x, 1 / self.alpha), least, most)
        high = np.clip(-self._within.lowest(-x, 1 / self.alpha), least, most)
        inputs = {name: getattr(self, name) for name in ("margin", "limit", "planned", "bounds", "items", "alpha")}
        found = {name: getattr(self, name) for name in ("decision", "decided_at", "n", "estimate")}
        return SequentialSummary(**inputs, **found, low=float(low[0]), high=float(high[0]))

    def __repr__(self) -> str:
        return f"SequentialTest({_said(self)}, n={self.n}, margin={self.margin:g}, limit={self.limit:g}, alpha={self.alpha:g})"


def confidence_sequence(
    values: ArrayLike,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    items: int | None = None,
    alpha: float = 0.05,
    every: int = 1,
) -> ConfidenceSequence:
    """Return bounds on the mean after every `every` values, and after the last: all hold together with 1 − alpha.

    Parameters are those of SequentialTest; half of alpha is spent on each side. What was excluded once stays excluded:
    `low` never falls, `high` never rises, and after all items both are the mean. `low` above `high` has probability
    alpha at most: then the order was hardly random.

    Examples
    --------
    >>> found = confidence_sequence([0, 0, 1, 0], items=4, every=2)
    >>> found.looks.tolist(), found.low.tolist(), found.high.tolist()
    ([2, 4], [0.0, 0.25], [0.5, 0.25])
    """
    suite = _Suite.checked(bounds, items, alpha)
    if every < 1:
        raise UsageError(f"every is {every}: give the number of items from one look to the next, at least 1")
    x = suite.values(values, 0)
    looks = np.arange(every, x.size + 1, every, dtype=np.int64)
    if x.size % every:
        looks = np.append(looks, x.size)
    total = np.cumsum(x)[looks - 1]
    least, most = suite.possible(total, looks)
    # Bounds by betting may err, what the unseen items can still do is certain.
    low = np.clip(_lower_bounds(suite, x, alpha / 2)[looks - 1], least, most)
    high = np.clip(-_lower_bounds(suite.turned(), -x, alpha / 2)[looks - 1], least, most)
    return ConfidenceSequence((suite.low, suite.high), suite.items, float(alpha), looks, total / looks, low, high)


def random_order(keys: Sequence[ArrayLike], seed: int) -> NDArray[np.int64]:
    """Return row numbers in a random order that depends on keys and seed only, not on how the rows stand now.

    Parameters
    ----------
    keys : arrays of unsigned 64-bit integers that together name a row: `(item_high, item_low)`, and a hash of the task
        where one question may stand in two tasks.
    seed : any whole number from 0 to 2^64 − 1.

    Examples
    --------
    >>> high, low = [7, 7, 9, 2], [1, 2, 1, 5]
    >>> order = random_order((high, low), seed=1)
    >>> turned = random_order((high[::-1], low[::-1]), seed=1)
    >>> [low[row] for row in order] == [low[::-1][row] for row in turned]
    True
    """
    if not 0 <= seed < 1 << 64:
        raise UsageError(f"seed is {seed}: give a whole number from 0 to 2^64 − 1")
    words = [np.asarray(key, dtype=np.uint64) for key in keys]
    if not words or any(word.ndim != 1 or word.shape != words[0].shape for word in words):
        shapes = ", ".join(str(word.shape) for word in words) or "none"
        raise UsageError(f"keys have the shapes {shapes}: give arrays of one length, such as (item_high, item_low)")
    mixed = _scramble(np.full(words[0].shape, seed, dtype=np.uint64))
    for word in words:
        mixed = _scramble(mixed ^ word)
    order = np.lexsort([*words, mixed])
    same = np.logical_and.reduce([word[order][1:] == word[order][:-1] for word in words])
    if same.any():
        # Which of them comes first could only be told by the order of rows.
        raise UsageError(
            f"{int(same.sum())} rows have the key of another row: give one row per item, and a hash of the task as a "
            "further array of keys where tasks share items"
        )
    return order.astype(np.int64)


def _scramble(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all 64: the finaliser of SplitMix64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


@dataclass(frozen=True)
class _Suite:
    """What is drawn from: the range of values, and how many there are."""

    low: float
    high: float
    items: int | None

    @classmethod
    def checked(cls, bounds: tuple[float, float], items: int | None, alpha: float) -> _Suite:
        low, high = (float(bound) for bound in bounds)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise UsageError(
                f"bounds are {low:g} and {high:g}: give the smallest and the largest value an item can have"
            )
        if items is not None and not items >= 1:
            raise UsageError(f"items is {items}: give the number of items of the suite, or None if it is not known")
        if not 0 < alpha < 1:
            raise UsageError(f"alpha is {alpha}: give the probability of a wrong decision, between 0 and 1")
        return cls(low, high, None if items is None else int(items))

    @property
    def range(self) -> float:
        return self.high - self.low

    def turned(self) -> _Suite:
        return _Suite(-self.high, -self.low, self.items)

    def values(self, values: ArrayLike, n: int) -> Floats:
        """Return the values that follow on n others as an array, or say which one is not possible."""
        x = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if x.ndim != 1:
            raise UsageError(f"values have the shape {x.shape}: give one value per item")
        slack = _ROUNDING * self.range
        wrong = ~((x >= self.low - slack) & (x <= self.high + slack))
        if wrong.any():
            at = int(wrong.argmax())
            if np.isnan(x[at]):
                raise UsageError(f"value {n + at + 1} is missing: leave out items that have none, they are not 0")
            raise UsageError(
                f"value {n + at + 1} is {x[at]:g}: these items have values from {self.low:g} to {self.high:g}"
            )
        if self.items is not None and n + x.size > self.items:
            raise UsageError(f"{n + x.size} values for {self.items} items: give each item of the suite once")
        return np.clip(x, self.low, self.high)

    def possible(self, total: Floats, n: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the least and the most the suite can average after n items of this total."""
        if self.items is None:
            return np.full(n.shape, self.low), np.full(n.shape, self.high)
        left = self.items - n
        return (total + left * self.low) / self.items, (total + left * self.high) / self.items

    def stakes(self, n: Floats) -> Floats:
        """Return by how much the mean of the items left must move for the mean of the suite to move by 1."""
        return np.ones(n.shape) if self.items is None else self.items / (self.items - n)

    def prices(self, mean: float | Floats, n: Floats, total: Floats) -> Floats:
        """Return what the next item is worth if the suite has this mean, after n items of this total."""
        if self.items is None:
            return mean + np.zeros(n.shape)
        return (self.items * mean - total) / (self.items - n)

    def paths(self, x: Floats, prices: Floats, bets: Sequence[Floats], wealth: Floats) -> Floats:
        """Return the wealth of every strategy after each value, from what it was before them."""
        # Next to the smallest value hardly anything can be risked, and bets would be boundless.
        most, gains = MOST / np.maximum(prices - self.low, 1e-6 * self.range), x - prices
        paths = np.empty((len(bets), *gains.shape))
        with np.errstate(over="ignore"):
            for path, bet, start in zip(paths, bets, wealth):
                np.multiply(np.minimum(bet, most), gains, out=path)
                path += 1.0
                path[0] *= start
                np.multiply.accumulate(path, axis=0, out=path)
        return paths

    def times(self, means: Floats, x: Floats, bets: Sequence[Floats], wealth: Floats, rich: float) -> NDArray[np.int64]:
        """Return after how many values the bets exclude each candidate mean, x.size + 1 if they do not.

        But for their cap, bets do not depend on the candidate. So wealth falls as the candidate rises, and what is
        excluded is everything below some mean.
        """
        times = np.full(means.size, x.size + 1, dtype=np.int64)
        left, held = np.arange(means.size), np.repeat(wealth[:, None], means.size, axis=1)
        n, total = np.arange(x.size, dtype=np.float64), np.concatenate([[0.0], np.cumsum(x)[:-1]])
        start = 0
        while start < x.size and left.size:
            part = slice(start, start + max(_BLOCK // left.size, 1))
            prices = self.prices(means[left], n[part, None], total[part, None])
            paths = self.paths(x[part, None], prices, [bet[part, None] for bet in bets], held)
            won = _together(paths) >= rich
            fell = won.any(axis=0)
            times[left[fell]] = start + won[:, fell].argmax(axis=0) + 1
            left, held, start = left[~fell], paths[:, -1, ~fell], part.stop
        return times


class _Shape(NamedTuple):
    """What is known before each item: the number and the total of those seen, their mean and variance, and two points
    that have their first three moments.
    """

    n: Floats
    total: Floats
    mean: Floats
    spread: Floats
    both: Floats  # sum of the two points
    product: Floats

    def variance(self, mean: Floats, least: float) -> Floats:
        """Return the variance of the two points when they are weighted to have this mean."""
        return np.maximum((self.both - mean) * mean - self.product, least)


def _shape(suite: _Suite, x: Floats, n: int, sums: Floats, prior: float) -> tuple[_Shape, Floats]:
    """Return the shape before each value, and the sums after all.

    One item of mean `prior` is added, at both ends of the range: as far as values can spread, so first bets are small.
    Sums are carried on and all else is plain arithmetic, so chunks change no digit.
    """
    running = np.cumsum(np.concatenate([sums[:, None], np.stack([x, x * x, x * x * x])], axis=1), axis=1)
    seen = n + np.arange(x.size, dtype=np.float64)
    top = (prior - suite.low) / suite.range
    added = (top * suite.high**power + (1 - top) * suite.low**power for power in (1, 2, 3))
    first, second, third = ((row[:-1] + atom) / (seen + 1) for row, atom in zip(running, added))
    spread = second - first * first
    both = (third - first * second) / spread
    return _Shape(seen, running[0, :-1], first, spread, both, both * first - second), running[:, -1].copy()


class _Gambler:
    """Bets that the mean is above `null`, aiming at several gaps."""

    def __init__(self, suite: _Suite, null: float, gaps: Sequence[float]) -> None:
        self.suite, self.null, self.gaps = suite, null, gaps
        self.n, self.sums, self.wealth, self.held = 0, np.zeros(3), SHARES, 1.0

    def play(self, x: Floats) -> Floats:
        """Take values and return the wealth after each."""
        if not x.size:
            return np.empty(0)
        shape, sums = _shape(self.suite, x, self.n, self.sums, self.null)
        prices = self.suite.prices(self.null, shape.n, shape.total)
        paths = self.suite.paths(x, prices, self._bets(shape, prices), self.wealth)
        held = _together(paths)
        least, _ = self.suite.possible(shape.total + x, self.n + np.arange(1, x.size + 1))
        held[least > self.null + _ROUNDING * self.suite.range] = np.inf
        self.n, self.sums, self.wealth, self.held = self.n + x.size, sums, paths[:, -1].copy(), float(held[-1])
        return held

    def lowest(self, x: Floats, rich: float) -> float:
        """Return the largest mean that the bets on these values exclude."""
        shape, _ = _shape(self.suite, x, 0, np.zeros(3), self.null)
        bets = self._bets(shape, self.suite.prices(self.null, shape.n, shape.total))
        low, high, probe = self.suite.low, self.suite.high, self.null
        while high - low > _FINEST * self.suite.range:
            excluded = self.suite.times(np.array([probe]), x, bets, SHARES, rich)[0] <= x.size
            low, high = (probe, high) if excluded else (low, probe)
            probe = (low + high) / 2
        return low

    def _bets(self, shape: _Shape, prices: Floats) -> list[Floats]:
        unit = self.suite.stakes(shape.n) / shape.variance(prices, 1e-6 * self.suite.range**2)
        return [gap * unit for gap in self.gaps]


def _lower_bounds(suite: _Suite, x: Floats, alpha: float) -> Floats:
    """Return after each value the largest mean excluded so far, of a grid that is refined where bounds move slowly."""
    if not x.size:
        return np.empty(0)
    shape, _ = _shape(suite, x, 0, np.zeros(3), (suite.low + suite.high) / 2)
    horizons = [horizon for horizon in HORIZONS if horizon <= (suite.items or horizon)] or HORIZONS[:1]
    bets = []
    for horizon in horizons:
        # The gap that so many items can just tell from none is √(reach · variance), with the variance at the bound.
        reach = 2 * math.log(len(horizons) / alpha) / horizon
        bound = np.maximum(shape.mean - np.sqrt(reach * shape.spread), suite.low)
        bets.append(suite.stakes(shape.n) * np.sqrt(reach / shape.variance(bound, 1e-6 * suite.range**2)))
    wealth = np.full(len(horizons), 1 / len(horizons))
    running = np.cumsum(x) / np.arange(1, x.size + 1)
    means, times = np.empty(0), np.empty(0, dtype=np.int64)
    more = np.linspace(suite.low, suite.high, 64, endpoint=False)
    while more.size:
        means, times = np.append(means, more), np.append(times, suite.times(more, x, bets, wealth, 1 / alpha))
        order = np.argsort(means)
        means, times = means[order], np.minimum.accumulate(times[order][::-1])[::-1]
        after, width = np.append(times[1:], x.size + 1), np.diff(means, append=suite.high)
        distance = np.abs(running[np.minimum(after, x.size) - 1] - means)
        wide = width > np.maximum(_CELL * distance, _FINEST * suite.range)
        more = (means + width / 2)[wide & (times < after)]  # else no look tells the two ends of the cell apart
    excluded = np.searchsorted(times, np.arange(1, x.size + 1), side="right")
    return np.append(suite.low, means)[excluded]


def _together(paths: Floats) -> Floats:
    """Return what all strategies hold together; infinitely much where it is more than a float holds."""
    with np.errstate(over="ignore"):
        held: Floats = paths.sum(axis=0)
    return held


def _first(hit: NDArray[np.bool_], start: int, known: int | None) -> int | None:
    """Return the look of the first hit, unless one is known already."""
    if known is not None or not hit.any():
        return known
    return start + int(hit.argmax()) + 1


def _said(test: SequentialTest | SequentialSummary) -> str:
    return "undecided" if test.decision is None else f"{test.decision} after {test.decided_at}"
