"""The `observed` reading: how many items flipped (statistics.md 1)."""

from __future__ import annotations

import polars as pl

from forgetmap.estimate.means import task_means
from forgetmap.pairing import Pair


def count_transitions(pair: Pair) -> pl.DataFrame:
    """Return one row per task: means over its paired items.

    Columns: items, acc_before, acc_after, kept, lost, gained, never, no_answer_before, no_answer_after. Lost and gained
    are means over all cross pairs of repeats, so that `lost − gained = acc_before − acc_after` exactly. Kept and never
    exist for 0/1 scores only and are null for graded ones.
    """
    right, right_after = pl.col("right"), pl.col("right_after")
    return task_means(
        pair.patterns,
        {
            "acc_before": pl.col("score"),
            "acc_after": pl.col("score_after"),
            "kept": right * right_after,
            "lost": pl.col("lost"),
            "gained": pl.col("gained"),
            "never": (1 - right) * (1 - right_after),
            "no_answer_before": pl.col("none"),
            "no_answer_after": pl.col("none_after"),
        },
    )
