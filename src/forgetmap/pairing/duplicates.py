"""Matching duplicates: items that occur several times with the same content within one run.

They pair by exact text, then by native id (only where native ids agree with content on the task's other items), then
by occurrence (formats.md 2.3). What is matched gets a common slot number; everything else keeps slot 0.
"""

from __future__ import annotations

import polars as pl

KEY = ["task", "item_high", "item_low"]
_INSTANCE = [*KEY, "occurrence"]


def match_duplicates(
    before: pl.LazyFrame, after: pl.LazyFrame
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, int], int]:
    """Return a slot per duplicated item instance of each side, how many pairs each rule made, how many are surplus.

    Both frames hold one row per item instance: key, occurrence, text_key, native_id.
    """
    ours, theirs = before.collect(), after.collect()
    repeated = pl.concat([side.filter(pl.col("occurrence") > 0).select(KEY) for side in (ours, theirs)]).unique()
    trusted = _tasks_with_true_ids(ours.join(repeated, on=KEY, how="anti"), theirs.join(repeated, on=KEY, how="anti"))
    left = ours.join(repeated, on=KEY, how="semi").with_row_index("_left")
    right = theirs.join(repeated, on=KEY, how="semi").with_row_index("_right")
    pairs: list[pl.DataFrame] = []
    made: dict[str, int] = {}
    rules: list[tuple[str, list[str], bool]] = [
        ("exact text", [*KEY, "text_key"], False),
        ("native id", [*KEY, "native_id"], True),
        ("occurrence", [*KEY, "_turn"], False),
    ]
    for name, on, needs_true_ids in rules:
        free_left, free_right = _free(left, pairs, "_left"), _free(right, pairs, "_right")
        if needs_true_ids:
            free_left = free_left.join(trusted, on="task", how="semi").filter(pl.col("native_id").is_not_null())
            free_right = free_right.join(trusted, on="task", how="semi").filter(pl.col("native_id").is_not_null())
        if "_turn" in on:
            turn = pl.int_range(pl.len()).over(KEY, order_by=["text_key", "occurrence"])
            free_left, free_right = free_left.with_columns(_turn=turn), free_right.with_columns(_turn=turn)
        matched = _unambiguous(free_left, on).join(_unambiguous(free_right, on), on=on).select("_left", "_right")
        pairs.append(matched)
        if matched.height:
            made[name] = matched.height
    matched = pl.concat(pairs).with_row_index("_pair")
    slots_left = _slots(left, matched.select("_left", "_pair"), "_left", first=0)
    slots_right = _slots(right, matched.select("_right", "_pair"), "_right", first=left.height + right.height)
    surplus = matched.height - left.join(matched, on="_left").select(KEY).n_unique()
    return slots_left, slots_right, made, surplus


def _tasks_with_true_ids(ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    both = ours.join(theirs.select(*KEY, other="native_id"), on=KEY)
    return both.group_by("task").agg(same=(pl.col("native_id") == pl.col("other")).all()).filter("same").select("task")


def _free(side: pl.DataFrame, pairs: list[pl.DataFrame], column: str) -> pl.DataFrame:
    for matched in pairs:
        side = side.join(matched.select(column), on=column, how="anti")
    return side


def _unambiguous(side: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    """Rows that stand alone under a rule: only they can be matched by it."""
    return side.filter(pl.len().over(on) == 1)


def _slots(side: pl.DataFrame, matched: pl.DataFrame, column: str, first: int) -> pl.DataFrame:
    """Slots must differ within a key, and agree between the sides for matched pairs only."""
    numbered = side.join(matched, on=column, how="left")
    unmatched = pl.int_range(pl.len(), dtype=pl.UInt32) + first + side.height
    slot = pl.when(pl.col("_pair").is_null()).then(unmatched + matched.height).otherwise(pl.col("_pair"))
    return numbered.with_columns(slot=slot.cast(pl.UInt32)).select(*_INSTANCE, "slot")
