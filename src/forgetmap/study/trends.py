"""Trends over pairs: how lost and gained change with model size or data scale.

A pair's figure is an estimate, with an interval of its own; and pairs of one size differ by more than their intervals,
because models are more than their size. Both are in the interval of a slope: figures are weighted by 1 / (v + τ²), v from
the pair's interval, τ² the spread between pairs (Paule and Mandel's), and the slope has a t interval (Knapp and
Hartung's, never narrower than the weights alone say).

Pairs of one family, or of one before-model, are no independent witnesses:
- pairs of one group, before-model and amount count as one point, their mean;
- from six families on, the slope's variance is that between families (bias-reduced cluster variance, CR2, with
  Satterthwaite's degrees of freedom), unless the interval above is wider;
- with fewer, every family has a level of its own in every group and the slope is that within families; before-models that
  still stand behind several points widen the interval as if these points said the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import floor, log10, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgetmap.recipe import student_quantile

Array = NDArray[np.float64]

#: Fewer families than these say too little about the spread between families.
LEAST_CLUSTERS = 6
LEAST_AMOUNTS = 3  # different sizes: through two points there is always a line
_Z = 1.959963984540054


@cache  # found by search, and asked for again by every trend
def _quantile(freedom: int) -> float:
    return student_quantile(freedom)


@dataclass(frozen=True)
class Point:
    """One pair in a trend."""

    name: str
    amount: float  # size or data
    value: float
    low: float | None  # ends of its 95 % interval, where it has one
    high: float | None
    group: str | None = None
    family: str | None = None
    before: str = ""  # which before-run

    @property
    def variance(self) -> float:
        """Squared standard error, from the width of the interval; 0 where there is none."""
        return 0.0 if self.low is None or self.high is None else ((self.high - self.low) / (2 * _Z)) ** 2


@dataclass(frozen=True)
class Trend:
    """A slope per tenfold amount, with its interval; or the reason why there is none."""

    group: str | None  # None: over all groups, each with a level of its own
    pairs: int
    points: int  # pairs of one before-model and amount are one point
    families: int  # or before-models, of pairs whose family is not given
    slope: float | None = None  # change of the share per factor of ten
    low: float | None = None
    high: float | None = None
    spread: float | None = None  # τ: standard deviation between pairs beyond their intervals
    level: float | None = None  # height of the line at the mean of log10(amount)
    centre: float | None = None  # that mean
    method: str = ""
    reason: str | None = None  # why there is no slope

    @property
    def shows(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def at(self, amount: float) -> float | None:
        """Return the height of the line at an amount."""
        if self.slope is None or self.level is None or self.centre is None:
            return None
        return self.level + self.slope * (log10(amount) - self.centre)

    def to_dict(self) -> dict[str, Any]:
        """Return the trend as JSON shows it."""
        return {**asdict(self), "shows": self.shows}


def fit_trend(points: Sequence[Point], group: str | None = None) -> Trend:
    """Return the slope of the points' values on log10 of their amounts.

    Examples
    --------
    >>> line = [Point(f"p{n}", 10.0**n, 0.1 - 0.01 * n, 0.05 - 0.01 * n, 0.15 - 0.01 * n) for n in range(8)]
    >>> found = fit_trend(line)
    >>> round(found.slope, 4), found.shows
    (-0.01, True)
    """
    merged = _merged(points)
    clusters = [point.family or point.before or point.name for point in merged]
    counts: dict[str, Any] = {"pairs": len(points), "points": len(merged), "families": len(set(clusters))}
    amounts = len({point.amount for point in merged})
    if amounts < LEAST_AMOUNTS:
        few = "1 amount" if amounts == 1 else f"{amounts} different amounts"
        return Trend(group, **counts, reason=f"{few}; a slope takes {LEAST_AMOUNTS} or more")
    several = len(set(clusters)) < len(merged)
    robust = several and len(set(clusters)) >= LEAST_CLUSTERS
    levels = [
        (point.group, None if robust or not several else cluster)
        for point, cluster in zip(merged, clusters, strict=True)
    ]
    fit = _Fit.of(merged, levels)
    if fit is None:
        within = " within families" if several and not robust else " within groups"
        return Trend(group, **counts, reason=f"{len(merged)} points in {len(set(levels))} levels tell no slope{within}")
    befores = len({(point.before or point.name, point.amount) for point in merged})
    if several and not robust and befores < len(merged):
        # as if each before-model were one point: so many points, a level per family, and the slope
        reach, method = fit.knapp_hartung(befores - len(set(clusters)) - 1, len(merged) / befores)
    else:
        reach, method = fit.knapp_hartung(fit.freedom)
    if robust:
        wider = fit.between(clusters)
        reach, method = max((reach, method), wider)
    elif several:
        method = f"a level per family, {method}"
    slope = float(fit.found[-1])
    centre = float(np.mean(fit.x))
    height = float(np.average(fit.y - slope * (fit.x - centre), weights=fit.weights))
    return Trend(
        group, **counts, slope=slope, low=slope - reach, high=slope + reach, spread=sqrt(fit.spread), level=height,
        centre=centre, method=method,
    )  # fmt: skip


def _merged(points: Sequence[Point]) -> list[Point]:
    """Pairs of one group, before-model and amount as one point: they may share all that is not in their intervals."""
    together: dict[tuple[Any, ...], list[Point]] = {}
    for point in points:
        together.setdefault((point.group, point.before or point.name, point.amount), []).append(point)
    made = []
    for of in together.values():
        value = float(np.mean([point.value for point in of]))
        reach = _Z * sqrt(float(np.mean([point.variance for point in of])))
        made.append(
            Point(
                of[0].name, of[0].amount, value, value - reach, value + reach, of[0].group, of[0].family, of[0].before
            )
        )
    return made


@dataclass(frozen=True)
class _Fit:
    """A weighted line with a level per group, and the spread between points."""

    x: Array
    y: Array
    design: Array
    weights: Array
    found: Array  # levels, and the slope last
    spread: float  # τ²

    @classmethod
    def of(cls, points: Sequence[Point], levels: Sequence[Any]) -> _Fit | None:
        """Fit; None where the levels leave no slope, or nothing to judge it by."""
        x = np.log10([point.amount for point in points])
        y = np.array([point.value for point in points])
        within = np.array([point.variance for point in points])
        names = list(dict.fromkeys(levels))
        level = np.array([names.index(one) for one in levels])
        dummies = (level[:, None] == np.arange(len(names))).astype(float)
        # Deviations from the level's own mean are 0 in a level of one amount: it says nothing of the slope.
        inner = x - (dummies.T @ x / dummies.sum(axis=0))[level]
        design = np.column_stack([dummies, inner])
        if len(points) <= design.shape[1] or np.abs(inner).max() < 1e-9:
            return None
        floor_ = 1e-12 + 1e-6 * float(np.mean(within))  # equal figures without intervals have a spread of 0
        spread = _paule_mandel(design, y, within + floor_)
        weights = 1 / (within + floor_ + spread)
        return cls(x, y, design, weights, _solve(design, y, weights), spread)

    @property
    def freedom(self) -> int:
        return len(self.y) - int(self.design.shape[1])

    def knapp_hartung(self, freedom: int, shared: float = 1.0) -> tuple[float, str]:
        """Return the reach of the interval by the spread of the points around the line.

        `shared`: points per independent one. What points share does not add up: the variance grows by as much.
        """
        bread = np.linalg.inv(self.design.T * self.weights @ self.design)
        left = self.y - self.design @ self.found
        scale = max(1.0, float(np.sum(self.weights * left**2)) / self.freedom)
        freedom = max(1, freedom)
        reach = _quantile(freedom) * sqrt(shared * scale * bread[-1, -1])
        widened = f", widened for shared before-models (×{sqrt(shared):.2f})" if shared > 1 else ""
        return reach, f"random effects, Knapp–Hartung with t({freedom}){widened}"

    def between(self, clusters: Sequence[str]) -> tuple[float, str]:
        """Return the reach of the interval by the spread between clusters (CR2, Satterthwaite)."""
        variance, freedom = _cluster_variance(self.design, self.y - self.design @ self.found, self.weights, clusters)
        whole = max(1, floor(freedom))
        return _quantile(whole) * sqrt(variance), f"random effects, variance between families (CR2) with t({whole})"


def _solve(design: Array, y: Array, weights: Array) -> Array:
    return np.asarray(np.linalg.solve(design.T * weights @ design, design.T @ (weights * y)), dtype=np.float64)


def _paule_mandel(design: Array, y: Array, within: Array) -> float:
    """Return the spread at which the weighted squares around the line are what they should be; 0 where they are less."""
    freedom = len(y) - int(design.shape[1])

    def excess(spread: float) -> float:
        weights = 1 / (within + spread)
        left = y - design @ _solve(design, y, weights)
        return float(np.sum(weights * left**2)) - freedom

    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(np.sum((y - y.mean()) ** 2))
    while excess(high) > 0:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _cluster_variance(design: Array, left: Array, weights: Array, clusters: Sequence[str]) -> tuple[float, float]:
    """Return the bias-reduced variance of the slope between clusters, and its degrees of freedom.

    Residuals of a cluster are stretched by the inverse root of what the fit took from them, under the model that the
    weights state (working variances 1 / weight); the degrees of freedom are twice the squared mean of the variance over
    its variance under that model.
    """
    root = np.sqrt(weights)
    scaled = design * root[:, None]  # in this scale the working model is the identity
    bread = np.linalg.inv(scaled.T @ scaled)
    hat = scaled @ bread @ scaled.T
    rest = np.eye(len(left)) - hat
    names = list(dict.fromkeys(clusters))
    which = np.array([names.index(one) for one in clusters])
    total, contrasts = 0.0, []
    for cluster in range(len(names)):
        own = np.flatnonzero(which == cluster)
        values, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        # a direction that the fit takes whole leaves nothing to stretch
        stretch = vectors * np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-12)), 0.0) @ vectors.T
        side = bread[-1] @ scaled[own].T @ stretch
        total += float(side @ (root[own] * left[own])) ** 2
        contrasts.append(rest[:, own] @ side)
    spans = np.array(contrasts)
    cross = spans @ spans.T
    freedom = float(np.trace(cross)) ** 2 / float(np.sum(cross**2))
    return total, freedom
