"""Items that found no partner, and why: counted and named, never turned into flips."""

from __future__ import annotations

import polars as pl

from forgetmap.pairing.outcomes import ITEM, KEY
from forgetmap.run import SAMPLE_SCHEMA, Run

_SCHEMA = {name: SAMPLE_SCHEMA[name] for name in (*ITEM, "text_row", "question_key", "native_id", "gold_key")} | {
    "side": pl.String(),
    "reason": pl.String(),
}


def list_unpaired(
    before: Run, after: Run, left: pl.LazyFrame, right: pl.LazyFrame, some_left: bool, some_right: bool
) -> pl.DataFrame:
    """Items without a partner, each with the reason: gold_changed, gold_missing (on one side), content_changed or absent."""
    if not some_left and not some_right:
        return pl.DataFrame(schema=_SCHEMA)
    sides = []
    for run, slotted, other, some, side in (
        (before, left, right, some_left, "before"),
        (after, right, left, some_right, "after"),
    ):
        alone = slotted.join(other.select(KEY), on=KEY, how="anti") if some else slotted.clear()
        found = alone.select(*ITEM, "text_row").collect(engine="streaming")
        rows = run.scan() if some else run.scan().clear()
        details = (
            rows.select(*ITEM, "question_key", "native_id", "gold_key")
            .join(found.lazy().select(ITEM), on=ITEM, how="semi")
            .unique(ITEM, keep="any")
            .collect()
        )
        sides.append(found.join(details, on=ITEM, how="left").with_columns(side=pl.lit(side)))
    labelled = []
    for mine, theirs in (sides, sides[::-1]):
        has_gold = pl.col("gold_key").is_not_null()
        asked = theirs.group_by("task", "question_key").agg(_asked=pl.lit(True).first(), _gold=has_gold.any())
        renamed = theirs.filter(pl.col("native_id").is_not_null()).select("task", "native_id").unique()
        reason = (
            pl.when(pl.col("_asked") & (has_gold != pl.col("_gold")))
            .then(pl.lit("gold_missing"))
            .when("_asked")
            .then(pl.lit("gold_changed"))
            .when("_content")
            .then(pl.lit("content_changed"))
            .otherwise(pl.lit("absent"))
        )
        labelled.append(
            mine.join(asked, on=["task", "question_key"], how="left")
            .join(renamed.with_columns(_content=pl.lit(True)), on=["task", "native_id"], how="left")
            .with_columns(reason=reason)
            .drop("_asked", "_gold", "_content")
        )
    return pl.concat(labelled).sort("side", "task", "item_high", "item_low", "occurrence")
