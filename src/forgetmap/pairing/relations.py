"""How the answers of the two sides relate, item by item, and how many items show each pattern of outcomes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from forgetmap.pairing.outcomes import ITEM, KEY, Outcomes
from forgetmap.pairing.scores import ScoreChoice
from forgetmap.pairing.ties import TIES, are_reworded, free_weight, with_ties

#: Digits of a mean over pairs of repeats that its order cannot change.
_DIGITS = 13


def _options_of_both(matched: pl.LazyFrame) -> pl.LazyFrame:
    """One side may not know the options; two sides that contradict each other leave the item without a chance rate."""
    contradicts = pl.any_horizontal(
        (pl.col(name) != pl.col(f"{name}_after")).fill_null(False) for name in ("n_options", "n_gold", "chance")
    )
    either = {name: pl.coalesce(name, f"{name}_after") for name in ("n_options", "n_gold", "chance")}
    return matched.with_columns(
        contradicts=contradicts, **{name: pl.when(~contradicts).then(value) for name, value in either.items()}
    )


def _clusters_of_both(matched: pl.LazyFrame) -> pl.LazyFrame:
    """Clusters belong to the item: either side may name them."""
    names = [name for name in matched.collect_schema().names() if name in ("cluster", "cluster_after")]
    return matched.with_columns(cluster=pl.coalesce(names)) if names else matched


def relate(matched: pl.LazyFrame) -> pl.LazyFrame:
    """How the two answers of each item relate, for one answer per side."""
    # Choices compare only where both logs name the gold alike: a position is not a text.
    comparable = pl.col("gold_key").eq_missing(pl.col("gold_key_after")) & (
        pl.col("choice_key").is_not_null() & pl.col("choice_key_after").is_not_null()
    )
    both_wrong = pl.all_horizontal(pl.col(name) == 0 for name in ("right", "none", "right_after", "none_after"))
    differ = comparable & (pl.col("choice_key") != pl.col("choice_key_after"))
    return _clusters_of_both(_options_of_both(matched)).with_columns(
        differ=(both_wrong & differ).cast(pl.UInt8),
        unseen=(both_wrong & ~comparable).cast(pl.UInt8),
        lost=(pl.col("score") - pl.col("score_after")).clip(lower_bound=0),
        gained=(pl.col("score_after") - pl.col("score")).clip(lower_bound=0),
    )


def relate_repeats(matched: pl.LazyFrame, ours: Outcomes, theirs: Outcomes) -> pl.LazyFrame:
    """The same as means over all cross pairs of repeats, with what re-runs of each side alone would give.

    `floor` is the mean loss over ordered pairs of different repeats of one side, `differ_within` and `unseen_within` the
    share of such pairs that are both wrong with different choices, or without a choice on record; null with one repeat.
    """
    items = _clusters_of_both(_options_of_both(matched)).collect(engine="streaming").sort(KEY)
    items = _with_agreement(items, ours, theirs)
    if are_reworded(items):
        items = with_ties(items, ours, theirs)
    right, right_after = pl.col("right").cast(pl.Float64), pl.col("right_after").cast(pl.Float64)
    items = items.with_columns(
        lost=right * (1 - right_after),
        gained=right_after * (1 - right),
        floor=_within(right * (1 - right), ""),
        floor_after=_within(right_after * (1 - right_after), "_after"),
    )
    is_graded = pl.col("right").is_null() & pl.col("scored") & pl.col("scored_after")
    graded = cross_grades(items.filter(is_graded), ours, theirs, "score", tied="tied_right" in items.columns)
    if graded.height:
        items = pl.concat([items.filter(~is_graded), graded.select(items.columns)])
    return items.lazy()


def _within(share: pl.Expr, side: str) -> pl.Expr:
    """Turn a product of shares of one side into the mean over ordered pairs of different repeats."""
    repeats = pl.col(f"repeats{side}")
    return pl.when(repeats >= 2).then(share * repeats / (repeats - 1))


def _with_agreement(items: pl.DataFrame, ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """Share of cross pairs that are both wrong with different choices, or wrong without a choice on record."""
    keys = ["task", "item_high", "item_low"]
    by_item = items.select(*keys, "occurrence", "occurrence_after").with_row_index("_item").lazy()
    sides = []
    for side, occurrence in ((ours, "occurrence"), (theirs, "occurrence_after")):
        wrong = side.samples.filter(~pl.col("right") & ~pl.col("no_choice") & pl.col("choice_key").is_not_null())
        wrong = wrong.select(*keys, pl.col("occurrence").alias(occurrence), "choice_key")
        on = [*keys, occurrence]
        sides.append(by_item.join(wrong, on=on).group_by("_item", "choice_key").agg(n=pl.len().cast(pl.Float64)))
    chosen, chosen_after = sides
    alike = chosen.join(chosen_after, on=["_item", "choice_key"], suffix="_after").group_by("_item")
    table = items.with_row_index("_item").lazy()
    n = pl.col("n")
    for part in (
        alike.agg(same=(n * pl.col("n_after")).sum()),
        chosen.group_by("_item").agg(ours=n.sum(), twice=(n * (n - 1)).sum()),
        chosen_after.group_by("_item").agg(theirs=n.sum(), twice_after=(n * (n - 1)).sum()),
    ):
        table = table.join(part, on="_item", how="left")
    table = table.with_columns(pl.col("same", "ours", "twice", "theirs", "twice_after").fill_null(0.0))
    pairs = pl.col("repeats") * pl.col("repeats_after")
    comparable = pl.col("gold_key").eq_missing(pl.col("gold_key_after"))
    seen = pl.when(comparable).then(pl.col("ours") * pl.col("theirs") / pairs).otherwise(0.0)
    wrong_before, wrong_after = (1 - pl.col(f"right{side}") - pl.col(f"none{side}") for side in ("", "_after"))
    columns = {
        "differ": pl.when(comparable).then(seen - pl.col("same") / pairs).otherwise(0.0),
        "unseen": _positive(wrong_before * wrong_after - seen),
    }
    for end, told, twice, missed in (
        ("", "ours", "twice", wrong_before),
        ("_after", "theirs", "twice_after", wrong_after),
    ):
        repeats, recorded = pl.col(f"repeats{end}"), pl.col(told)
        orders = repeats * (repeats - 1)
        both = missed * repeats * (missed * repeats - 1) / orders
        several = repeats >= 2
        known = recorded * (recorded - 1) / orders
        columns[f"differ_within{end}"] = pl.when(several).then(known - pl.col(twice) / orders)
        columns[f"unseen_within{end}"] = pl.when(several).then(_positive(both - known))
    return (
        table.with_columns(**columns)
        .sort("_item")
        .drop("_item", "same", "ours", "theirs", "twice", "twice_after")
        .collect()
    )


def _positive(share: pl.Expr) -> pl.Expr:
    """Rounding may leave a hair above or below nothing."""
    return pl.when(share > 1e-12).then(share).otherwise(0.0)


def cross_grades(items: pl.DataFrame, ours: Outcomes, theirs: Outcomes, column: str, *, tied: bool) -> pl.DataFrame:
    """Set lost, gained and floors of a graded value: max(y_b − y_a, 0) needs every cross pair of repeats.

    p_b(1 − p_a) holds for 0/1 only: a deterministic grade of .5 on both sides has lost nothing. `tied_right` is what answers
    to one prompt hide, so that lost + tied_right is free of them, and so is gained + tied_right.
    """
    if not items.height:
        return items
    keys = ["task", "item_high", "item_low"]
    index = items.select(*keys, "occurrence", "occurrence_after").with_row_index("_item").lazy()
    told = pl.col(column).is_not_null()
    asked = pl.len().over(*ITEM, "prompt_key").cast(pl.Float64)  # how often a side asked with the answer's prompt
    left = index.join(
        ours.samples.filter(told).select(*ITEM, "prompt_key", y=column, asked=asked), on=[*keys, "occurrence"]
    )
    right = index.join(
        theirs.samples.filter(told).select(*keys, "prompt_key", occurrence_after="occurrence", y=column, asked=asked),
        on=[*keys, "occurrence_after"],
    )
    difference, weight = pl.col("y") - pl.col("y_after"), free_weight()
    lost, gained = difference.clip(lower_bound=0), (-difference).clip(lower_bound=0)
    free = [(weight * one).sum() / weight.sum() for one in (lost, gained)]
    of_all = [one.mean() for one in (lost, gained)]
    crossed = (
        left.select("_item", "y", "prompt_key", "asked")
        .join(right.select("_item", "y", "prompt_key", "asked"), on="_item", suffix="_after")
        .group_by("_item")
        .agg(
            # Rounded: the last digits of a sum depend on how threads shared its rows, and must not show.
            lost=of_all[0].round(_DIGITS),
            gained=of_all[1].round(_DIGITS),
            tied_right=pl.when(weight.sum() > 0)
            .then(((free[0] - of_all[0] + free[1] - of_all[1]) / 2).round(_DIGITS))
            .otherwise(0.0),
        )
    )
    if not tied:
        crossed = crossed.drop("tied_right")
    table = items.with_row_index("_item").lazy()
    table = table.drop("lost", "gained", "floor", "floor_after", "tied_right", strict=False)
    for part in (crossed, _spread(left, "floor"), _spread(right, "floor_after")):
        table = table.join(part, on="_item", how="left")
    return table.sort("_item").drop("_item").collect()


def _spread(values: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Mean over ordered pairs of different repeats of max(y − y', 0): from the sorted values, without forming pairs."""
    size = pl.len().cast(pl.Float64)
    rank = pl.int_range(pl.len()).cast(pl.Float64)
    gaps = ((2 * rank - size + 1) * pl.col("y").sort()).sum() / (size * (size - 1))
    return values.group_by("_item").agg(pl.when(pl.len() >= 2).then(gaps).alias(name))


#: What tells one pattern of outcomes from another.
_PATTERN = (
    "task", "right", "none", "right_after", "none_after", "differ", "unseen", "n_options", "n_gold", "chance",
)  # fmt: skip
_GRADES = ("score", "score_after", "lost", "gained")
_REPEATS = (
    "repeats", "repeats_after", "floor", "floor_after",
    "differ_within", "differ_within_after", "unseen_within", "unseen_within_after",
)  # fmt: skip


def count_patterns(items: pl.LazyFrame, choices: list[ScoreChoice], by: Sequence[str] = ()) -> pl.DataFrame:
    """Count the items of each pattern, apart by further columns where `by` names some.

    Counts are whole numbers and the patterns are sorted, so that sums over them come out the same to the last digit
    however many threads did the work.
    """
    there = items.collect_schema().names()
    apart = [*_PATTERN[:1], *by, *(["cluster"] if "cluster" in there else []), *_PATTERN[1:], "scored", "scored_after"]
    if "floor" in there:
        apart += _REPEATS
    if TIES[0] in there:
        apart += TIES
    if any(choice.kind == "graded" for choice in choices):
        apart += _GRADES
    prompt, prompt_after = pl.col("prompt_key"), pl.col("prompt_key_after")
    counted = (
        items.group_by(apart)
        .agg(
            n=pl.len(),
            prompts_known=(prompt.is_not_null() & prompt_after.is_not_null()).sum(),
            prompts_changed=(prompt != prompt_after).sum(),
            contradicts=pl.col("contradicts").sum(),
            state_unknown=(pl.col("state_unknown") | pl.col("state_unknown_after")).sum(),
        )
        .collect(engine="streaming")
        .with_columns(
            pl.col("task").cast(pl.String), pl.col("right", "none", "right_after", "none_after").cast(pl.Float64)
        )
        .with_columns(pl.col("differ", "unseen").cast(pl.Float64))
        .sort(apart)
    )
    right, right_after = pl.col("right"), pl.col("right_after")
    if "score" not in counted.columns:
        counted = counted.with_columns(
            score=right, score_after=right_after, lost=right * (1 - right_after), gained=right_after * (1 - right)
        )
    return counted.with_columns(wrong=1 - right - pl.col("none"), wrong_after=1 - right_after - pl.col("none_after"))


def count_positions(ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """Return how often gold and choice stood at each position: task, side, n_options, gold_index, choice_index, n."""
    known = pl.col("n_options").is_not_null() & (
        pl.col("gold_index").is_not_null() | pl.col("choice_index").is_not_null()
    )
    by = ["task", "n_options", "gold_index", "choice_index"]
    parts = [
        side.samples.filter(known).group_by(by).agg(n=pl.len()).with_columns(side=pl.lit(name))
        for name, side in (("before", ours), ("after", theirs))
    ]
    return (
        pl.concat(parts)
        .with_columns(pl.col("task").cast(pl.String))
        .sort("task", "side", *by[1:])
        .collect(engine="streaming")
    )


def count_seeds(
    patterns: pl.DataFrame, ours: Outcomes, theirs: Outcomes, left: pl.LazyFrame, right: pl.LazyFrame
) -> pl.DataFrame:
    """Counts per task and seed, repeats paired by index as the published estimator does."""
    if ours.repeats == theirs.repeats == 1:
        binary = patterns.filter(pl.col("right").is_not_null())
        joined = binary.select("task", "n", "right", "right_after", repeat=pl.lit(0, dtype=pl.UInt32)).lazy()
    else:
        sides = []
        for side, slotted in ((ours, left), (theirs, right)):
            slots = slotted.select(*ITEM, "slot")
            scored = side.samples.filter(pl.col("right").is_not_null())
            sides.append(scored.join(slots, on=ITEM).select(*KEY, "repeat", pl.col("right").cast(pl.UInt8)))
        joined = sides[0].join(sides[1], on=[*KEY, "repeat"], suffix="_after").with_columns(n=pl.lit(1))
    b, a, n = pl.col("right") == 1, pl.col("right_after") == 1, pl.col("n")
    return (
        joined.group_by(pl.col("task").cast(pl.String), "repeat")
        .agg(
            n=n.sum(),
            kept=n.filter(b & a).sum(),
            lost=n.filter(b & ~a).sum(),
            gained=n.filter(~b & a).sum(),
            never=n.filter(~b & ~a).sum(),
        )
        .sort("task", "repeat")
        .collect()
    )
