"""The `soft` reading: how much probability moved off the right option (statistics.md 2.3).

Each question carries its own guess distribution, which answers the objection that uniform guessing is an
idealisation. It is positive for any two models that differ at all: it comes with its floor and never decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from forgetmap.estimate.reading import Reading
from forgetmap.pairing import Pair


def read_soft(pair: Pair, tasks: Sequence[str]) -> Reading | None:
    """Return max(p_before − p_after, 0) of p(gold) and its mirror; None where no item has option scores on both sides.

    Values: lost, gained, p_before, p_after, floor (the same between re-runs of one side; missing without repeats).
    """
    soft = pair.soft
    if soft is None:
        return None
    floors = [name for name in ("floor", "floor_after") if soft[name].null_count() == 0]
    floor = pl.mean_horizontal(floors) if floors else pl.lit(None)
    values = {"lost": pl.col("lost"), "gained": pl.col("gained"), "floor": floor}
    return Reading.of(soft, tasks, {**values, "p_before": pl.col("p_gold"), "p_after": pl.col("p_gold_after")})
