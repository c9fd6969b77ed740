"""Decisions: tests, false discoveries, verdicts and the smallest loss that would have shown (statistics.md 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from forgetmap.errors import UsageError
from forgetmap.estimate.intervals import Posteriors
from forgetmap.estimate.units import Array

#: Largest share of false verdicts among those of one level.
FALSE_DISCOVERIES = 0.05
#: One point where a noise floor was measured, two where not: rewording alone reads as .4 to 2.3 points.
MARGIN_WITH_FLOOR, MARGIN = 0.01, 0.02
_Z_TEST, _Z_POWER = 1.6448536269514722, 0.8416212335729143  # 5 % one-sided, 80 % power

VERDICTS = ("lost", "gained", "both", "steady", "unclear")


def check_margin(margin: float | None) -> None:
    """Refuse a margin that makes every difference a finding, or none."""
    if margin is not None and not 0 < margin < 0.5:
        raise UsageError(
            f"margin is {margin:g}; it must be a share above 0 and below 0.5, e.g. 0.02 for two points: any two models "
            "differ by more than 0"
        )


def mcnemar(lost: int, gained: int) -> float:
    """Return the exact two-sided probability of so uneven a split of flips, if either way were as likely.

    >>> round(mcnemar(9, 1), 6), mcnemar(3, 3)
    (0.021484, 1.0)
    """
    flips, fewer = lost + gained, min(lost, gained)
    if 2 * fewer >= flips:
        return 1.0
    # Terms shrink from the largest on; what is left out is below the last digit.
    term = exp(lgamma(flips + 1) - lgamma(fewer + 1) - lgamma(flips - fewer + 1) - flips * log(2))
    whole, place = 0.0, fewer
    while place >= 0 and term > whole * 1e-17:
        whole += term
        term *= place / (flips - place + 1)
        place -= 1
    return min(1.0, 2 * whole)


def adjust(p: Array) -> Array:
    """Return the Benjamini–Hochberg adjusted values; NaN stays NaN and is in no family.

    >>> adjust(np.array([0.01, 0.02, 0.9])).round(3).tolist()
    [0.03, 0.03, 0.9]
    """
    made = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    ranked = p[order] * len(order) / np.arange(1, len(order) + 1)
    made[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return made


def adjust_together(families: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """Adjust all arrays as one family and return them in their places."""
    flat = [part for family in families for part in family]
    if not flat:
        return [[] for _ in families]
    adjusted = np.split(adjust(np.concatenate(flat)), np.cumsum([len(part) for part in flat])[:-1])
    parts = iter(adjusted)
    return [[next(parts) for _ in family] for family in families]


@dataclass(frozen=True)
class Evidence:
    """What the deciding reading says of each cell of a level, before false discoveries are counted."""

    p_lost: Array  # probability that no more than the margin was lost
    p_gained: Array
    high_lost: Array  # upper ends of the 95 % intervals
    high_gained: Array
    detectable: Array


def weigh(lost: Posteriors, gained: Posteriors, margin: Array, ends: tuple[Array, Array], worth: Array) -> Evidence:
    """Return the evidence of two posteriors; `worth` is the value an item adds to the mean when it is lost."""
    return Evidence(lost.tail(margin), gained.tail(margin), *ends, detectable=smallest_detectable(lost, margin, worth))


def smallest_detectable(found: Posteriors, margin: Array, worth: Array) -> Array:
    """Return the smallest loss these items would have shown with 80 % power (one-sided 5 %, before adjustment).

    The spread of the estimate grows with the loss itself: each further lost item adds `worth` to the second moment and its
    square to the third. Few items make it skewed: the lower end of the posterior lies nearer, that of the estimate farther.
    """
    _, variance, third, _ = found.cumulants
    now = np.maximum(found.value, 0.0)
    size = np.maximum(found.effective, 1e-300)
    loss = margin + 1e-3
    with np.errstate(invalid="ignore", over="ignore"):
        for _ in range(60):
            grown = np.maximum(variance + (loss - now) * (worth - loss - now) / size, margin / size)
            skew = np.clip((third + (loss - now) * worth**2 / size**2) / np.maximum(grown, 1e-100) ** 1.5, 0.0, 1.0)
            reach = _Z_TEST - skew * (_Z_TEST**2 - 1) / 6 + _Z_POWER - skew * (_Z_POWER**2 - 1) / 6
            prior = (0.5 * worth - 2 * loss) / (size + 2)  # what the prior adds to the posterior's middle
            loss = np.clip(margin + reach * np.sqrt(grown) - prior, margin, 1.0)
    return np.where(loss < 1.0, loss, np.nan)  # not even losing everything would show


def choose_verdicts(evidence: Evidence, q_lost: Array, q_gained: Array, margin: Array) -> list[str | None]:
    """Return a verdict per cell: lost, gained, both, steady or unclear; None where nothing can be said."""
    lost, gained = q_lost <= FALSE_DISCOVERIES, q_gained <= FALSE_DISCOVERIES
    with np.errstate(invalid="ignore"):
        steady = (evidence.high_lost <= margin) & (evidence.high_gained <= margin)
    return [
        None if np.isnan(p) else "both" if a and b else "lost" if a else "gained" if b else "steady" if c else "unclear"
        for p, a, b, c in zip(evidence.p_lost, lost, gained, steady, strict=True)
    ]


def pick(masks: Sequence[NDArray[np.bool_]], arrays: Sequence[Array]) -> Array:
    """Return, cell by cell, the array of the first mask that holds; NaN where none does."""
    return np.select(masks, arrays, default=np.nan)
