"""The patterns of any part of a pair, counted anew in a few milliseconds.

Every item gets the number of its pattern once. A part of the items is then a count of numbers, not a grouping of millions
of rows by a dozen columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from forgetmap.errors import PairingError
from forgetmap.pairing import Pair
from forgetmap.pairing.relations import count_patterns, count_seeds
from forgetmap.slices import restrict

_FLAGS = ("prompts_known", "prompts_changed", "contradicts", "state_unknown")
_OWN = tuple(f"_{name}" for name in _FLAGS)
#: With more patterns than this share of the items, numbers save nothing.
_FEW = 0.1


@dataclass(frozen=True)
class PatternCounts:
    """Patterns with their flags, and which of them each item shows."""

    pair: Pair = field(repr=False)
    patterns: pl.DataFrame | None = field(repr=False)  # None where a pair has nearly as many patterns as items
    code: NDArray[np.uint32] = field(repr=False)

    @classmethod
    def of(cls, pair: Pair) -> PatternCounts:
        """Number the patterns of a pair."""
        known = pl.col("prompt_key").is_not_null() & pl.col("prompt_key_after").is_not_null()
        flags = {
            "_prompts_known": known,
            "_prompts_changed": (pl.col("prompt_key") != pl.col("prompt_key_after")).fill_null(False),
            "_contradicts": pl.col("contradicts").fill_null(False),
            "_state_unknown": (pl.col("state_unknown") | pl.col("state_unknown_after")).fill_null(False),
        }
        items = pair.items.lazy().with_columns(**flags)
        patterns = count_patterns(items, pair.choices, by=_OWN)
        # repeats of one answer each are counted per repeat for the published estimator: that takes the samples
        single = "floor" not in patterns.columns
        if not single or patterns.height > max(1000, _FEW * pair.items.height):
            return cls(pair, None, np.empty(0, dtype=np.uint32))
        apart = patterns.columns[: patterns.columns.index("n")]
        numbered = patterns.select(apart).with_row_index("_code")
        same = [
            pl.col(name).cast(pl.Float64) if numbered.schema[name] == pl.Float64 else pl.col(name)
            for name in apart
            if name != "task"
        ]
        rows = items.select(pl.col("task").cast(pl.String), *same)
        codes = rows.join(numbered.lazy(), on=apart, how="left", nulls_equal=True, maintain_order="left")
        return cls(pair, patterns, codes.select("_code").collect().to_series().to_numpy())

    def restrict(self, mask: NDArray[np.bool_]) -> Pair:
        """Return the pair over some of its items: what `slices.restrict` returns."""
        if self.patterns is None:
            return restrict(self.pair, pl.Series(mask))
        if not mask.any():
            raise PairingError("no item is left; choose fewer conditions")
        n = np.bincount(self.code[mask], minlength=self.patterns.height)
        count = pl.Series("n", n, dtype=self.patterns.schema["n"])
        shown = self.patterns.with_columns(
            count, *((pl.when(pl.col(name) > 0).then(count).otherwise(0)).alias(name) for name in _FLAGS)
        ).filter(pl.col("n") > 0)
        names = [name for name in self.patterns.columns if name not in (*_OWN, "scored", "scored_after")]
        apart = [name for name in names if name not in ("n", *_FLAGS)]
        patterns = shown.group_by(apart, maintain_order=True).agg(pl.col("n", *_FLAGS).sum()).select(names)
        patterns = patterns.cast({name: self.pair.patterns.schema[name] for name in names})
        patterns = patterns.sort(names[: names.index("n")])
        tasks = set(patterns["task"])
        ours, theirs = self.pair.sides
        empty = pl.LazyFrame()  # one answer per side: seeds are counted from the patterns
        return replace(
            self.pair,
            patterns=patterns,
            seeds=count_seeds(patterns, ours, theirs, empty, empty),
            positions=self.pair.positions.filter(pl.col("task").is_in(tasks)),
            choices=[choice for choice in self.pair.choices if choice.task in tasks],
            pairing=replace(self.pair.pairing, paired=int(n.sum())),
            _items=self.pair.items.lazy().filter(pl.Series(mask)),
        )
