"""How guesses of the two models relate, read off the items both got wrong (statistics.md 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import polars as pl

#: Fewer items than these, both wrong with choices on record, do not tell how guesses persist.
LEAST_BOTH_WRONG = 30


@dataclass(frozen=True)
class Guessing:
    """How guesses of the two models relate, read off the items both got wrong."""

    persistence: float | None  # r: probability that the after-model repeats the before-model's guess
    agreement_when_both_wrong: float | None
    both_wrong_with_choice: float  # number of items (fractional with repeats)
    persistence_low: float | None = None  # ends of its 95 % interval
    persistence_high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the block of the JSON contract."""
        return dict(vars(self))


def agreement(r: float, k: int, g: int) -> float:
    """Return the expected share of equal choices among both-wrong items under persistence r.

    >>> round(agreement(0.0, 4, 1), 4), agreement(1.0, 4, 1)
    (0.3333, 1.0)
    """
    return (1 + r * (k - 1)) / ((k - g) + r * g)


def estimate_guessing(patterns: pl.DataFrame) -> Guessing:
    """Return persistence and agreement over items with at least two wrong options and both choices on record."""
    k, g = pl.col("n_options").cast(pl.Int64), pl.col("n_gold").cast(pl.Int64)
    told = patterns.filter((k - g >= 2) & pl.col("right").is_not_null()).select(
        k=k,
        g=g,
        n=pl.col("n"),
        differ=pl.col("differ"),
        both=pl.col("wrong") * pl.col("wrong_after") - pl.col("unseen"),
    )
    sums: dict[tuple[int, int], list[float]] = {}
    for options, golds, n, unlike, wrong in told.iter_rows():
        kind = sums.setdefault((options, golds), [0.0, 0.0, 0.0])
        for place, part in enumerate((n * unlike, n * wrong, n * wrong**2)):
            kind[place] += part
    differ, both = (sum(kind[place] for kind in sums.values()) for place in (0, 1))
    if both < LEAST_BOTH_WRONG:
        return Guessing(None, 1 - differ / both if both > 0 else None, both)

    def surplus(r: float, deviations: float = 0.0) -> float:
        """Expected less observed number of differing choices, and some standard deviations of it at this r."""
        expected, variance = 0.0, 0.0
        for (k, g), (_, n, squares) in sums.items():
            same = agreement(r, k, g)
            expected += n * (1 - same)
            variance += squares * same * (1 - same)  # an item's repeats move together
        return float(expected - differ - deviations * variance**0.5)

    # Differing choices fall from their maximum at r = 0 to none at r = 1; outside, the nearest end stands.
    z = NormalDist().inv_cdf(0.975)
    low, middle, high = (_root(lambda r, z=z: surplus(r, z)) for z in (z, 0.0, -z))  # type: ignore[misc]
    return Guessing(middle, 1 - differ / both, both, low, high)


def _root(falling: Callable[[float], float]) -> float:
    """Halve [0, 1] down to the last digit around the root of a falling function; an end where it has none.

    scipy would do it in fewer steps, and takes half a second to import.
    """
    if falling(0.0) <= 0:
        return 0.0
    if falling(1.0) > 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
