"""Ties: answers of the two sides to one and the same prompt move together.

A noise floor compares answers to different wordings. A cross pair of answers to the same wording is no such pair: like an
answer paired with itself it agrees too often, and hides what was lost. So of every block of answers to one prompt as many
pairs are taken out as there are answers that would meet themselves if both sides were one; seeds of one prompt stay as
they are, for they are as alike within a side as across.
"""

from __future__ import annotations

import polars as pl

from forgetmap.pairing.outcomes import Outcomes

#: Shares of cross pairs, each less its share among the pairs that are free of ties: both right, right then wrong, wrong then
#: right, both wrong, both wrong with different choices. `shared` counts the prompts that every repeat of both sides has in
#: common, each asked once; null where they are not the same.
TIES = ("tied_right", "tied_lost", "tied_gained", "tied_wrong", "tied_differ", "shared")

_PROMPT = ["_item", "prompt_key"]


def are_reworded(items: pl.DataFrame) -> bool:
    """Whether any item was asked with several prompts by one side."""
    return bool(items.select((pl.col("reworded") | pl.col("reworded_after")).any()).item())


def free_weight() -> pl.Expr:
    """What a cross pair of answers counts, where `asked` and `asked_after` say how often each side asked its prompt."""
    same = (pl.col("prompt_key") == pl.col("prompt_key_after")).fill_null(False)
    return pl.when(same).then(1 - 1 / pl.max_horizontal("asked", "asked_after")).otherwise(1.0)


def with_ties(items: pl.DataFrame, ours: Outcomes, theirs: Outcomes) -> pl.DataFrame:
    """Add TIES to the items; `differ` must be there."""
    keys = ["task", "item_high", "item_low"]
    index = items.select(*keys, "occurrence", "occurrence_after").with_row_index("_item").lazy()
    blocks, choices = [], []
    for side, occurrence in ((ours, "occurrence"), (theirs, "occurrence_after")):
        asked = side.samples.filter(pl.col("scored") & pl.col("prompt_key").is_not_null())
        asked = asked.select(
            *keys,
            pl.col("occurrence").alias(occurrence),
            "prompt_key",
            "choice_key",
            right="right",
            wrong=~pl.col("right") & ~pl.col("no_choice"),
        )
        placed = index.join(asked, on=[*keys, occurrence])
        chosen = placed.filter("wrong", pl.col("choice_key").is_not_null())
        choices.append(chosen.group_by(*_PROMPT, "choice_key").agg(n=pl.len().cast(pl.Float64)))
        blocks.append(
            placed.group_by(_PROMPT).agg(
                asked=pl.len().cast(pl.Float64),
                right=pl.col("right").sum().cast(pl.Float64),
                wrong=pl.col("wrong").sum().cast(pl.Float64),
                told=(pl.col("wrong") & pl.col("choice_key").is_not_null()).sum().cast(pl.Float64),
            )
        )
    alike = choices[0].join(choices[1], on=[*_PROMPT, "choice_key"], suffix="_after")
    alike = alike.group_by(_PROMPT).agg(same=(pl.col("n") * pl.col("n_after")).sum())
    met = blocks[0].join(blocks[1], on=_PROMPT, suffix="_after").join(alike, on=_PROMPT, how="left")
    share = 1 / pl.max_horizontal("asked", "asked_after")
    told = pl.col("told") * pl.col("told_after") - pl.col("same").fill_null(0.0)
    both = {
        "tied_right": pl.col("right") * pl.col("right_after"),
        "tied_lost": pl.col("right") * pl.col("wrong_after"),
        "tied_gained": pl.col("wrong") * pl.col("right_after"),
        "tied_wrong": pl.col("wrong") * pl.col("wrong_after"),
        "tied_differ": told,
    }
    taken = met.sort(_PROMPT).group_by("_item").agg(
        **{name: (share * pairs).sum() for name, pairs in both.items()},
        taken=pl.min_horizontal("asked", "asked_after").sum(),
        once=(pl.max_horizontal("asked", "asked_after") == 1).all(),
    )  # fmt: skip
    repeats, repeats_after = pl.col("repeats"), pl.col("repeats_after")
    wrong, wrong_after = (1 - pl.col(f"right{side}") - pl.col(f"none{side}") for side in ("", "_after"))
    of_all = {
        "tied_right": pl.col("right") * pl.col("right_after"),
        "tied_lost": pl.col("right") * wrong_after,
        "tied_gained": wrong * pl.col("right_after"),
        "tied_wrong": wrong * wrong_after,
        "tied_differ": pl.col("differ"),
    }
    pairs = repeats * repeats_after
    # Choices of logs that name the gold otherwise are not compared at all.
    comparable = pl.col("gold_key").eq_missing(pl.col("gold_key_after"))
    removed = {
        name: pl.col(name) if name != "tied_differ" else pl.when(comparable).then(name).otherwise(0.0) for name in both
    }
    free = pl.col("taken").is_not_null() & (pairs > pl.col("taken"))
    tied = {
        name: pl.when(free)
        .then(_exact(share - (pairs * share - removed[name]) / (pairs - pl.col("taken"))))
        .otherwise(0.0)
        for name, share in of_all.items()
    }
    whole = pl.col("once") & (repeats == repeats_after) & (pl.col("taken") == repeats)
    return (
        items.with_row_index("_item")
        .lazy()
        .join(taken, on="_item", how="left")
        .with_columns(**tied, shared=pl.when(whole).then("taken"))
        .sort("_item")
        .drop("_item", "taken", "once")
        .collect()
    )


def _exact(share: pl.Expr) -> pl.Expr:
    """Rounding may leave a hair beside nothing, and equal patterns must stay equal."""
    rounded = share.round(12)
    return pl.when(rounded == 0).then(0.0).otherwise(rounded)
