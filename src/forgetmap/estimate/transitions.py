"""The `observed` reading: how many items flipped (statistics.md 1)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from forgetmap.estimate.reading import Reading
from forgetmap.pairing import Pair


def read_transitions(pair: Pair, tasks: Sequence[str]) -> Reading:
    """Return the observed flips of the paired items.

    Values: acc_before, acc_after, kept, lost, gained, never, net, no_answer_before, no_answer_after. Lost and gained are
    means over all cross pairs of repeats, so that `lost − gained = acc_before − acc_after` exactly. Kept and never exist
    for 0/1 scores only and are missing for graded ones.
    """
    right, right_after = pl.col("right"), pl.col("right_after")
    return Reading.of(
        pair.patterns,
        tasks,
        {
            "acc_before": pl.col("score"),
            "acc_after": pl.col("score_after"),
            "kept": right * right_after,
            "lost": pl.col("lost"),
            "gained": pl.col("gained"),
            "never": (1 - right) * (1 - right_after),
            "net": pl.col("lost") - pl.col("gained"),
            "no_answer_before": pl.col("none"),
            "no_answer_after": pl.col("none_after"),
            "prompt_changed": pl.col("prompts_changed") / pl.col("n"),
        },
    )
