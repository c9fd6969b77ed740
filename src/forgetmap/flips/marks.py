"""Marks of flips that say little about forgetting: those a re-run would show as well, and those whose gold is doubtful."""

from __future__ import annotations

from math import comb

import polars as pl

NOISE = "likely noise"
LABEL_ERROR = "likely label error"

#: A lead of the gold over the best other option below this (in probability) may turn at 16-bit precision.
TINY_MARGIN = 0.05
#: A model that leads by this much, or was right in this share of its repeats, does not dispute the gold.
SURE = 0.5
#: Repeats that chance alone deals this unevenly, this often or more, may be noise. With four answers on each side a fall
#: from 4 to 2 right is (.21), one from 4 to 1 is not (.07).
NOISE_LEVEL = 0.1


def with_marks(table: pl.DataFrame, transition: str, afters: int) -> pl.DataFrame:
    """Add the list `marks` to a table of lost or gained items; `afters` is the number of after-runs it speaks of."""
    table = _with_torn(table, transition)
    marks = ((NOISE, _is_noise()), (LABEL_ERROR, _is_disputed(afters)))
    said = pl.concat_list(pl.when(found).then(pl.lit(mark)) for mark, found in marks)
    return table.with_columns(marks=said.list.drop_nulls())


def _with_torn(table: pl.DataFrame, transition: str) -> pl.DataFrame:
    """Add `_torn`: a side's repeats disagree with themselves, and chance may have dealt the right ones this way."""
    counts = ["repeats_before", "_right_before", "repeats_after", "_right_after"]
    torn = pl.any_horizontal((pl.col(name) > 0) & (pl.col(name) < 1) for name in ("_right_before", "_right_after"))
    patterns = table.filter(torn).select(counts).unique()
    if not patterns.height:
        return table.with_columns(_torn=pl.lit(False))
    chances = [
        chance_of_dealing(*(row if transition == "lost" else (*row[2:], *row[:2]))) for row in patterns.iter_rows()
    ]
    patterns = patterns.with_columns(_torn=pl.Series(chances, dtype=pl.Float64) >= NOISE_LEVEL)
    return table.join(patterns, on=counts, how="left", maintain_order="left").with_columns(
        pl.col("_torn").fill_null(False)
    )


def chance_of_dealing(more: int, share_of_more: float, fewer: int, share_of_fewer: float) -> float:
    """Return how often one model's right answers, dealt to two sides at random, favour the first at least this much.

    The sides have `more` and `fewer` answers, of which the given shares are right (Fisher's exact test, one-sided).

    >>> round(chance_of_dealing(4, 1.0, 4, 0.0), 4), round(chance_of_dealing(4, 1.0, 4, 0.5), 4)
    (0.0143, 0.2143)
    """
    right = round(share_of_more * more), round(share_of_fewer * fewer)
    both = sum(right)
    ways = sum(comb(more, n) * comb(fewer, both - n) for n in range(right[0], min(more, both) + 1))
    return ways / comb(more + fewer, both)


def _is_noise() -> pl.Expr:
    """Whether a re-run of one and the same model might have shown the change."""
    level = pl.all_horizontal(pl.col(f"_margin_{side}").abs() < TINY_MARGIN for side in ("before", "after"))
    # Grades have no share of right answers: two ranges of repeats that overlap are one range.
    low, high = pl.col("_low_before"), pl.col("_high_before")
    low_after, high_after = pl.col("_low_after"), pl.col("_high_after")
    graded = pl.col("_right_before").is_null() & ((low < high) | (low_after < high_after))
    overlap = graded & (low <= high_after) & (low_after <= high)
    return pl.any_horizontal(one.fill_null(False) for one in (level, overlap, pl.col("_torn")))


def _is_disputed(afters: int) -> pl.Expr:
    """Whether the models agree with each other rather than with the gold."""
    repeats = pl.col("_gold_key_before").eq_missing(pl.col("_gold_key_after")) & (
        pl.col("_preferred_before") == pl.col("_preferred_after")
    )
    # Positions compare only where the options were shown in one order.
    gold, leaning = pl.col("_gold_index_before"), pl.col("_leaning_before")
    ranks = (gold == pl.col("_gold_index_after")) & (leaning == pl.col("_leaning_after")) & (leaning != gold)
    everywhere = (pl.col("shared_by") == afters) & (pl.col("_told") >= 2) & (pl.col("_answers") == 1)
    unsure = pl.col("confidence").is_null() | (pl.col("confidence") < SURE)
    return pl.any_horizontal(one.fill_null(False) for one in (repeats, ranks, everywhere & unsure))
