"""Items whose answers change from one re-run to the next: the values they give in the noise reading (statistics.md 2.1)."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import comb

import numpy as np

from forgetmap.estimate.units import Array

Points = tuple[tuple[float, float], ...]  # (value, probability)

_DRAWS = 20_000


@lru_cache(maxsize=256)
def flipping(form: str, repeats: int, p: float = 0.5) -> Points:
    """Return the values of an item that either model gets right with probability p, answer by answer.

    `form` is what the reading counts: `known` the excess over the floor, `flips` what was lost at least, `net` the
    change of the score.
    """
    if form == "net":
        return ((1.0, p * (1 - p)), (-1.0, p * (1 - p)))
    sides = list(enumerate(_binomial(repeats, p)))
    return tuple(
        (_excess(form, i / repeats, j / repeats, repeats), one * other)
        for (i, one), (j, other) in product(sides, sides)
    )


@lru_cache(maxsize=256)
def guessed_anew(form: str, options: int, golds: int, repeats: int) -> tuple[Points, Points]:
    """Return the values of an item guessed anew by every answer: known by neither model, and known before only.

    The many ways in which repeats can fall on options are drawn, seeded by the inputs, for the `known` form; its means are
    0 and 1 by theory, and are held to that.
    """
    q = golds / options
    if form == "flips":
        still_right = enumerate(_binomial(repeats, q))
        return flipping(form, repeats, q), tuple((_excess(form, 1.0, j / repeats, repeats), p) for j, p in still_right)
    rng = np.random.default_rng([options, golds, repeats])
    even = np.full(options, 1 / options)
    before, after = (rng.multinomial(repeats, even, size=_DRAWS) / repeats for _ in range(2))
    knowing = np.zeros(options)
    knowing[0] = 1.0
    more = repeats / (repeats - 1)

    def lost(b: Array, a: Array) -> Array:
        """Mean of the chance reading's pair value over all pairs of a before-answer and an after-answer."""
        right, wrong, wrong_after = b[..., :golds].sum(-1), b[..., golds:].sum(-1), a[..., golds:].sum(-1)
        differ = wrong * wrong_after - (b[..., golds:] * a[..., golds:]).sum(-1)
        luck = golds / (options - golds - 1) if options - golds >= 2 else 0.0
        value: Array = (right * wrong_after - luck * differ) / (1 - q)
        return value

    neither = lost(before, after) - more * (lost(before, before) + lost(after, after)) / 2
    only_before = lost(knowing, after) - more * lost(after, after) / 2
    return _points(neither - neither.mean()), _points(only_before - only_before.mean() + 1)


def _excess(form: str, before: float, after: float, repeats: int) -> float:
    floor, floor_after = (p * (1 - p) * repeats / (repeats - 1) for p in (before, after))
    if form == "known":
        return before * (1 - after) - (floor + floor_after) / 2
    return (before - floor) * (1 - after) - before * floor_after


def _binomial(n: int, p: float) -> list[float]:
    return [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]


def _points(values: Array) -> Points:
    found, counts = np.unique(values.round(9), return_counts=True)
    return tuple(zip(found.tolist(), (counts / len(values)).tolist(), strict=True))
