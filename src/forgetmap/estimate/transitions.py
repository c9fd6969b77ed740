"""The `observed` reading: how many items flipped (statistics.md 1)."""

from __future__ import annotations

import polars as pl

from forgetmap.pairing import Pair


def count_transitions(pair: Pair) -> pl.DataFrame:
    """Return one row per task: means over its paired items.

    Columns: items, acc_before, acc_after, kept, lost, gained, never, no_answer_before, no_answer_after. Lost and gained
    are means over all cross pairs of repeats, so that `lost − gained = acc_before − acc_after` exactly. Kept and never
    exist for 0/1 scores only and are null for graded ones.
    """
    right, right_after = pl.col("right").cast(pl.Float64), pl.col("right_after").cast(pl.Float64)
    return (
        pair.items.lazy()
        .group_by("task")
        .agg(
            items=pl.len(),
            binary=right.is_not_null().all(),
            acc_before=pl.col("score").mean(),
            acc_after=pl.col("score_after").mean(),
            kept=_unless_null(right * right_after),
            lost=pl.col("lost").mean(),
            gained=pl.col("gained").mean(),
            never=_unless_null((1 - right) * (1 - right_after)),
            no_answer_before=_unless_null(pl.col("none").cast(pl.Float64)),
            no_answer_after=_unless_null(pl.col("none_after").cast(pl.Float64)),
            repeats_before=pl.col("repeats").max(),
            repeats_after=pl.col("repeats_after").max(),
        )
        .with_columns(pl.col("task").cast(pl.String))
        .sort("task")
        .collect(engine="streaming")
    )


def _unless_null(values: pl.Expr) -> pl.Expr:
    """The mean, or null if any item has none: a mean over some of a cell would not be the cell's."""
    return pl.when(values.null_count() == 0).then(values.mean())
