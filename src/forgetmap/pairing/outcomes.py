"""One side of a pair: from samples to one row per item, with what its repeats say.

Right, wrong and none are shares of the item's scored repeats: right answer, a valid wrong choice, no valid choice
(C, W and N of statistics.md 1). A null score is none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from forgetmap.errors import PairingError
from forgetmap.pairing.scores import Scale, ScoreChoice, score_range
from forgetmap.run import NO_CHOICE_STATES, Metric, Run

#: What identifies an item within a run.
ITEM = ["task", "item_high", "item_low", "occurrence"]
#: What identifies it on both sides of a pair.
KEY = ["task", "item_high", "item_low", "slot"]


@dataclass(frozen=True)
class Outcomes:
    """The scored answers of one run, by sample and by item."""

    samples: pl.LazyFrame  # one row per scored or unscored repeat
    items: pl.LazyFrame  # one row per item
    repeats: int
    extras: tuple[str, ...] = ()  # what few logs hold: cluster, p_gold


def read_outcomes(run: Run, choices: list[ScoreChoice], side: str, scale: Scale) -> Outcomes:
    """Return the outcomes of a run under the chosen scores; `side` is before or after."""
    metrics: list[Metric] = [getattr(choice, side) for choice in choices]
    rows = run.scan()
    if len(metrics) != len(run.info.metrics):  # several scores per task, or tasks left out
        wanted = pl.LazyFrame(
            [(m.task, m.scorer, m.metric) for m in metrics],
            schema={"task": pl.Categorical(), "scorer": pl.Categorical(), "metric": pl.Categorical()},
            orient="row",
        )
        rows = rows.join(wanted, on=["task", "scorer", "metric"], how="semi")
    kinds = {choice.task: choice.kind for choice in choices}
    rows, extras = _with_extras(rows, run, metrics)
    samples = rows.select(
        *ITEM,
        "repeat",
        # A score off its scale was observed all the same: it has no value in [0, 1], but it is not null.
        pl.col("score").is_not_null().alias("scored"),
        _value(metrics, kinds, scale).alias("score"),
        _right(metrics, kinds, scale).alias("right"),
        pl.col("answer_state").is_in(NO_CHOICE_STATES).fill_null(False).alias("no_choice"),
        pl.col("answer_state").is_null().alias("state_unknown"),
        "n_options",
        "n_gold",
        "chance",
        "gold_key",
        "choice_key",
        "prompt_key",
        "text_row",
        "gold_index",
        "choice_index",
        **extras,
    )
    repeats = run.info.counts.get("repeats", 1)
    graded = any(choice.kind == "graded" for choice in choices)
    names = tuple(extras)
    items = _single(samples, names) if repeats == 1 else _reduced(samples, run, graded, names)
    return Outcomes(samples, items, repeats, names)


def _with_extras(rows: pl.LazyFrame, run: Run, metrics: list[Metric]) -> tuple[pl.LazyFrame, dict[str, pl.Expr]]:
    """Columns that cost time and that few logs fill: read only where there is something in them."""
    clustered, ranked = (
        run.scan()
        .select(pl.col("cluster").is_not_null().any(), pl.col("option_logprobs").is_not_null().any())
        .collect(engine="streaming")
        .row(0)
    )
    extras = {"cluster": pl.col("cluster")} if clustered else {}
    if not ranked:
        return rows, extras
    raw = [m.task for m in metrics if m.metric not in (*_LENGTHS, *_OTHERWISE_RANKED)]
    scores = {"raw": (raw, pl.col("option_logprobs"))}
    for name, length in _LENGTHS.items():  # softmax of what the metric itself compares
        tasks = [m.task for m in metrics if m.metric == name]
        if tasks and run.has_texts:
            lengths = run.scan_texts().select("text_row", pl.col("options").list.eval(length).alias(f"length_{name}"))
            rows = rows.join(lengths.unique("text_row", keep="first"), on="text_row", how="left")
            scores[name] = (tasks, pl.col("option_logprobs") / pl.col(f"length_{name}"))
    p_gold = pl.coalesce(
        pl.when(pl.col("task").cast(pl.String).is_in(tasks)).then(_gold_probability(score))
        for tasks, score in scores.values()
    )
    return rows, {**extras, "p_gold": p_gold}


#: Metrics that rank options by log-probability per character or byte.
_LENGTHS = {
    "acc_norm": pl.element().str.len_chars().cast(pl.Float64),
    "acc_bytes": pl.element().str.len_bytes().cast(pl.Float64),
}
#: Metrics that rank by something the table does not hold: they have no soft reading.
_OTHERWISE_RANKED = (
    "acc_mutual_info",
    "acc_uncond",
    "acc_per_char",
    "acc_per_byte",
    "acc_per_token",
    "acc_norm_nospace",
)


def _gold_probability(scores: pl.Expr) -> pl.Expr:
    """Softmax of the option scores at the gold; null where an option has no score or several options are right."""
    shares = scores.list.eval((pl.element() - pl.element().max()).exp())
    gold = shares.list.get(pl.col("gold_index"), null_on_oob=True) / shares.list.sum()
    whole = scores.list.eval(pl.element().is_not_null() & pl.element().is_not_nan()).list.all()
    told = (scores.list.len() == pl.col("n_options")) & (pl.col("n_gold") == 1) & whole
    return pl.when(told & gold.is_not_nan()).then(gold)


def _by_task(values: dict[str, pl.Expr], default: pl.Expr) -> pl.Expr:
    """Return an expression that depends on the task; one branch where all tasks agree, as is usual."""
    distinct: dict[str, tuple[pl.Expr, list[str]]] = {}
    for task, expression in values.items():
        distinct.setdefault(str(expression), (expression, []))[1].append(task)
    branches = list(distinct.values())
    if len(branches) == 1:
        return branches[0][0]
    chain = default
    for expression, tasks in branches:
        chain = pl.when(pl.col("task").cast(pl.String).is_in(tasks)).then(expression).otherwise(chain)
    return chain


def _right(metrics: list[Metric], kinds: dict[str, str], scale: Scale) -> pl.Expr:
    nothing = pl.lit(None, dtype=pl.Boolean)
    score = pl.col("score")
    values = {}
    for metric in metrics:
        up = metric.higher_is_better is not False
        if kinds[metric.task] != "binary":
            values[metric.task] = nothing
        elif scale.threshold is not None:
            values[metric.task] = score >= scale.threshold if up else score <= scale.threshold
        else:
            values[metric.task] = pl.col("correct")
    return _by_task(values, nothing)


def _value(metrics: list[Metric], kinds: dict[str, str], scale: Scale) -> pl.Expr:
    """The score in [0, 1], more is better; null where transitions make no sense."""
    nothing = pl.lit(None, dtype=pl.Float64)
    right = _right(metrics, kinds, scale)
    score = pl.col("score")
    values = {}
    for metric in metrics:
        if kinds[metric.task] == "binary":
            values[metric.task] = right.cast(pl.Float64)
        elif kinds[metric.task] == "unusable":
            values[metric.task] = nothing
        else:
            low, high = score_range(metric, scale)
            unit = (score - low) / (high - low)
            values[metric.task] = unit if metric.higher_is_better is not False else 1 - unit
    return _by_task(values, nothing)


def _single(samples: pl.LazyFrame, extras: tuple[str, ...]) -> pl.LazyFrame:
    """One answer per item: nothing to average."""
    right = pl.col("right")
    return samples.select(
        *ITEM,
        *extras,
        "score",
        "n_options", "n_gold", "chance", "gold_key", "choice_key", "prompt_key", "text_row", "state_unknown", "scored",
        repeats=pl.col("scored").cast(pl.Float64),
        right=right.cast(pl.UInt8),
        none=(pl.col("no_choice") & ~right.fill_null(False)).cast(pl.UInt8),
        reworded=pl.lit(False),
    )  # fmt: skip


def _reduced(samples: pl.LazyFrame, run: Run, graded: bool, extras: tuple[str, ...]) -> pl.LazyFrame:
    """Repeats of an item move together: shares over those that have a score."""
    rows, distinct = samples.select(pl.len(), pl.struct(*ITEM, "repeat").n_unique()).collect().row(0)
    twice = rows - distinct
    if twice:
        raise PairingError(
            f"{run.source or run.name}: {twice} samples stand twice under one item and repeat; the run holds one log twice, "
            "or two runs with the same seed: keep one of them"
        )
    right, prompt = pl.col("right"), pl.col("prompt_key")
    reduced = {"cluster": _agreed("cluster"), "p_gold": pl.col("p_gold").sort().mean()}
    return samples.group_by(ITEM).agg(
        **{name: reduced[name] for name in extras},
        # Grades are sorted first: a mean must not depend on the order of rows to the last digit.
        score=(pl.col("score").sort() if graded else pl.col("score")).mean(),
        n_options=_agreed("n_options"),
        n_gold=_agreed("n_gold"),
        chance=_agreed("chance"),
        gold_key=_agreed("gold_key"),
        choice_key=pl.lit(None, dtype=pl.UInt64),  # choices of repeats are compared one by one
        # The set of the prompts, whatever their order; of one prompt it is that prompt.
        prompt_key=pl.when(prompt.is_not_null().all()).then(prompt.unique().sum()),
        reworded=(prompt.min() != prompt.max()).fill_null(False),
        text_row=pl.col("text_row").get(pl.col("repeat").arg_min()),
        state_unknown=pl.col("state_unknown").any(),
        repeats=pl.col("scored").sum().cast(pl.Float64),
        scored=pl.col("scored").any(),
        right=right.mean(),
        none=(pl.col("no_choice") & ~right.fill_null(False)).filter("scored").mean(),
    )


def _agreed(name: str) -> pl.Expr:
    """The value all repeats share; null where they differ."""
    return pl.when(pl.col(name).min() == pl.col(name).max()).then(pl.col(name).max())
