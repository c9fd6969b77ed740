"""What one side's answers say of each listed item, over its repeats: how sure, which option, which reply to show."""

from __future__ import annotations

import polars as pl

from forgetmap.pairing import Pair
from forgetmap.run import Run

KEY = ["task", "item_high", "item_low"]


def read_side(pair: Pair, side: str, items: pl.DataFrame, show: str | None = None) -> pl.DataFrame:
    """Return one row per item of `items` (number `_item`, key, occurrence and occurrence_after).

    `show` names the repeat whose reply is shown: the best, the worst, or the first. Columns: native_id, state and
    text_row of that reply, `_chose` and `_picked` (whether the score compared has a choice of it, and its position among
    the options); `_margin` and `_leaning` by log-probability, `_preferred` by repeats; `_gold_index` and
    `_gold_key` where the repeats agree on them; `_low` and `_high` of the scores.
    """
    rows = with_margin(_read_answers(pair, side, items))
    merit = pl.col("_merit")
    place = pl.lit(0) if show is None else (merit.arg_max() if show == "best" else merit.arg_min()).fill_null(0)
    reduced = rows.group_by("_item", maintain_order=True).agg(
        *(pl.col(name).get(place) for name in ("native_id", "state", "text_row", "_chose", "_picked")),
        _margin=pl.col("_margin").mean(),
        _leaning=_agreed("_leaning"),
        _gold_index=_agreed("gold_index"),
        _gold_key=_agreed("gold_key"),
        _low=pl.col("score").min(),
        _high=pl.col("score").max(),
    )
    return reduced.join(_preferred(rows), on="_item", how="left", maintain_order="left")


def _read_answers(pair: Pair, side: str, items: pl.DataFrame) -> pl.DataFrame:
    """The answers to the items under the score that is compared, ordered by item and repeat."""
    run: Run = getattr(pair, side)
    metrics = [(choice.task, getattr(choice, side)) for choice in pair.choices]
    scores = pl.LazyFrame(
        [(task, m.scorer, m.metric, m.higher_is_better is not False) for task, m in metrics],
        schema={**dict.fromkeys(("task", "scorer", "metric"), pl.Categorical()), "_up": pl.Boolean()},
        orient="row",
    )
    occurrence = pl.col("occurrence" if side == "before" else "occurrence_after").alias("occurrence")
    wanted = items.lazy().select("_item", *KEY, occurrence)
    rows = run.scan().join(scores, on=["task", "scorer", "metric"]).join(wanted, on=[*KEY, "occurrence"])
    return (
        rows.select(
            "_item", "repeat", "score", "correct", "native_id", "text_row", "gold_key", "gold_index", "choice_key",
            "n_options", "n_gold", "option_logprobs", state="answer_state", _picked="choice_index",
            _chose=pl.col("choice_key").is_not_null(),
            _merit=pl.when("_up").then("score").otherwise(-pl.col("score")),
        )
        .collect()
        .sort("_item", "repeat")
    )  # fmt: skip


def with_margin(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the lead of the gold over the best other option, and the option that leads, by raw log-probability.

    Log-probabilities stand in the order in which the options were shown, and so does the position of the gold.
    """
    rows = rows.with_row_index("_row")
    options = pl.col("n_options")
    flat = (
        rows.filter((pl.col("n_gold") == 1) & (options > 1) & (pl.col("option_logprobs").list.len() == options))
        .select("_row", "gold_index", _weight="option_logprobs")
        .explode("_weight")
        .with_columns(_place=pl.int_range(pl.len()).over("_row"))
        .with_columns(_weight=(pl.col("_weight") - pl.col("_weight").max().over("_row")).exp())
    )
    weight, is_gold = pl.col("_weight"), pl.col("_place") == pl.col("gold_index")
    whole = weight.is_not_null().all() & weight.is_not_nan().all()  # an option without a value may be the best one
    lead = (weight.filter(is_gold).first() - weight.filter(~is_gold).max()) / weight.sum()
    read = flat.group_by("_row").agg(
        _margin=pl.when(whole).then(lead), _leaning=pl.when(whole).then(pl.col("_place").get(weight.arg_max()))
    )
    return rows.join(read, on="_row", how="left", maintain_order="left").drop("_row")


def _preferred(rows: pl.DataFrame) -> pl.DataFrame:
    """The one wrong answer that a side gives in more than half of its repeats, where there is one."""
    answers = pl.col("_answers")
    return (
        rows.filter(pl.col("score").is_not_null())
        .with_columns(_answers=pl.len().over("_item"))
        .filter(~pl.col("correct") & pl.col("choice_key").is_not_null())
        .group_by("_item", _preferred="choice_key")
        .agg(_times=pl.len(), _answers=answers.first())
        .filter(2 * pl.col("_times") > answers)
        .select("_item", "_preferred")
    )


def _agreed(name: str) -> pl.Expr:
    """The value all repeats share; null where they differ."""
    return pl.when(pl.col(name).min() == pl.col(name).max()).then(pl.col(name).max())
