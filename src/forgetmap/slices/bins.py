"""Bins: numbers and names turned into a few slices that can be read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10

import polars as pl

MISSING = "not on record"
#: More slices than these are a list, not a comparison: the rest is taken together.
MOST_VALUES = 30
_BINS = 5


def bin_numbers(values: pl.Series, cuts: Sequence[float] | None = None) -> tuple[pl.Series, list[str]]:
    """Return the slice of each number, and the slices in order; cuts are fifths of the data unless given.

    >>> bin_numbers(pl.Series([1.0, 5.0, None]), cuts=[2])[0].to_list()
    ['under 2', '2 and more', 'not on record']
    """
    values = values.cast(pl.Float64)
    if cuts is None:
        cuts = _fifths(values)
    ends = sorted(set(cuts))
    labels = _labels(ends)
    place = pl.lit(0)
    for end in ends:
        place = place + (pl.col("v") >= end).cast(pl.Int32)
    named = pl.when(pl.col("v").is_null()).then(len(labels)).otherwise(place)
    words = [*labels, MISSING]
    codes = pl.DataFrame({"v": values.fill_nan(None)}).select(named.cast(pl.UInt32)).to_series()
    return _worded(codes, words), words


def bin_values(values: pl.Series, *, counted: bool = False) -> tuple[pl.Series, list[str]]:
    """Return the slice of each name: its value, the rarest ones together; and the slices, the largest first.

    Names that hold a count ("option 2") stand by it instead.
    """
    # "not on record" and "the other 7" are ours: a value of that name stays apart by its quotes.
    seen = values.drop_nulls().value_counts(sort=False).sort("count", values.name, descending=[True, False])
    names = seen[values.name].to_list()
    kept = names if len(names) <= MOST_VALUES else names[: MOST_VALUES - 1]
    rest = f"the other {len(names) - len(kept)}"
    if counted:
        kept = sorted(kept, key=lambda name: (int("0" + "".join(filter(str.isdecimal, name))), name))
    words = [f"'{name}'" if name in (MISSING, rest) else name for name in kept]
    order = [*words, *([rest] if len(kept) < len(names) else []), MISSING]
    places = {name: at for at, name in enumerate(kept)}
    codes = values.replace_strict(places, default=len(kept), return_dtype=pl.UInt32)
    missing = pl.Series([order.index(MISSING)], dtype=pl.UInt32)
    codes = codes.zip_with(values.is_not_null(), missing.new_from_index(0, len(values)))
    return _worded(codes, order), order


def _worded(codes: pl.Series, words: list[str]) -> pl.Series:
    """Codes as an Enum: small, ordered as the words are."""
    return codes.replace_strict(dict(enumerate(words)), return_dtype=pl.Enum(words)).alias("slice")


def _fifths(values: pl.Series) -> list[float]:
    """Cuts that part the data into about equal fifths, at numbers with two digits."""
    told = values.drop_nulls().drop_nans()
    if told.is_empty():
        return []
    cuts = [told.quantile(part / _BINS, "nearest") for part in range(1, _BINS)]
    low = float(told.min())  # type: ignore[arg-type]
    return [cut for cut in dict.fromkeys(_round(float(cut)) for cut in cuts if cut is not None) if cut > low]


def _round(value: float, digits: int = 2) -> float:
    if value == 0:
        return 0.0
    return round(value, digits - 1 - floor(log10(abs(value))))


def _labels(ends: list[float]) -> list[str]:
    if not ends:
        return ["any"]
    words = [f"{end:,.10g}".replace("-", "−") for end in ends]
    between = [f"{low} to under {high}" for low, high in pairwise(words)]
    return [f"under {words[0]}", *between, f"{words[-1]} and more"]
