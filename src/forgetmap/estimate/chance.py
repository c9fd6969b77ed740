"""The `chance` reading: knowledge lost, guessing removed with the help of the wrong answers (statistics.md 2.2).

For an item known by neither model every option is equally likely to be the gold, however the two guesses depend on each
other. So right→wrong flips among unknown items are as frequent as pairs of different wrong choices, times
g / (k − g − 1): they are subtracted. Unanswered items are left out of guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from scipy.optimize import brentq

from forgetmap.pairing import Pair

#: Fewer items than these, both wrong with choices on record, do not tell how guesses persist.
LEAST_BOTH_WRONG = 30


@dataclass(frozen=True)
class Guessing:
    """How guesses of the two models relate, read off the items both got wrong."""

    persistence: float | None  # r: probability that the after-model repeats the before-model's guess
    agreement_when_both_wrong: float | None
    both_wrong_with_choice: float  # number of items (fractional with repeats)

    def to_dict(self) -> dict[str, Any]:
        """Return the block of the JSON contract."""
        return dict(vars(self))


def agreement(r: float, k: int, g: int) -> float:
    """Return the expected share of equal choices among both-wrong items under persistence r.

    >>> round(agreement(0.0, 4, 1), 4), agreement(1.0, 4, 1)
    (0.3333, 1.0)
    """
    return (1 + r * (k - 1)) / ((k - g) + r * g)


def estimate_guessing(items: pl.DataFrame) -> Guessing:
    """Return persistence and agreement over items with at least two wrong options and both choices on record."""
    k, g = pl.col("n_options").cast(pl.Float64), pl.col("n_gold").cast(pl.Float64)
    both_wrong = pl.col("wrong").cast(pl.Float64) * pl.col("wrong_after")
    seen = (
        items.lazy()
        .filter((k - g >= 2) & pl.col("right").is_not_null())
        .group_by("n_options", "n_gold")
        .agg(differ=pl.col("differ").cast(pl.Float64).sum(), both=(both_wrong - pl.col("unseen")).sum())
        .filter(pl.col("both") > 0)
        .sort("n_options", "n_gold")
        .collect(engine="streaming")
    )
    differ, both = float(seen["differ"].sum()), float(seen["both"].sum())
    if both < LEAST_BOTH_WRONG:
        return Guessing(None, 1 - differ / both if both > 0 else None, both)

    def surplus(r: float) -> float:
        expected = sum(n * (1 - agreement(r, k, g)) for k, g, _, n in seen.iter_rows())
        return expected - differ

    # Differing choices fall from their maximum at r = 0 to none at r = 1; outside, the nearest end stands.
    persistence = 0.0 if surplus(0.0) <= 0 else 1.0 if surplus(1.0) >= 0 else float(brentq(surplus, 0.0, 1.0))
    return Guessing(persistence, 1 - differ / both, both)


def estimate_chance(pair: Pair) -> tuple[pl.DataFrame, Guessing, list[str]]:
    """Return the chance reading per task, the pair's guessing, and warnings.

    Columns per task: items (usable ones), known_before, known_after, lost, gained, lost_if_independent,
    gained_if_independent, lost_if_persistent, gained_if_persistent. Where choices are not on record and persistence is
    not identified, lost and gained are null and the two extremes stand for them.
    """
    guessing = estimate_guessing(pair.items)
    kinds = {choice.task: choice.before.kind for choice in pair.choices}
    tasks = pair.items["task"].cast(pl.String).unique().to_list()
    of_kind: dict[str | None, float | None] = {}
    for kind in {kinds[task] for task in tasks}:
        same = [task for task in tasks if kinds[task] == kind]
        if len(same) == len(tasks):
            of_kind[kind] = guessing.persistence
        else:
            chosen = pair.items.filter(pl.col("task").cast(pl.String).is_in(same))
            of_kind[kind] = estimate_guessing(chosen).persistence
    persistence = pl.DataFrame(
        {"task": tasks, "r": [of_kind[kinds[task]] for task in tasks]}, schema={"task": pl.String, "r": pl.Float64}
    ).with_columns(pl.col("task").cast(pl.Categorical()))

    q = pl.col("chance")
    usable = pl.col("right").is_not_null() & q.is_not_null() & (q < 1)
    table = (
        pair.items.lazy()
        .filter(usable)
        .join(persistence.lazy(), on="task")
        .group_by("task")
        .agg(items=pl.len(), **_means())
        .with_columns(pl.col("task").cast(pl.String))
        .sort("task")
        .collect(engine="streaming")
    )
    return table, guessing, _exclusions(pair)


def _means() -> dict[str, pl.Expr]:
    q = pl.col("chance")
    k, g = pl.col("n_options").cast(pl.Float64), pl.col("n_gold").cast(pl.Float64)
    odds = q / (1 - q)
    b = {name: pl.col(name).cast(pl.Float64) for name in ("right", "wrong", "none")}
    a = {name: pl.col(f"{name}_after").cast(pl.Float64) for name in ("right", "wrong", "none")}
    both_wrong = b["wrong"] * a["wrong"]
    # Differing wrong choices speak only where two wrong options exist; else, or without choices, persistence must.
    speaks = (k - g >= 2).fill_null(False)
    lucky = pl.when(speaks).then(pl.col("differ") * g / (k - g - 1)).otherwise(0.0)
    silent = pl.when(q == 0).then(0.0).when(speaks).then(pl.col("unseen").cast(pl.Float64)).otherwise(both_wrong)
    fresh = 1 - pl.col("r")
    silent_lucky = pl.when(silent > 0).then(silent * fresh * q / (1 - fresh * q)).otherwise(0.0)

    def lost(luck: pl.Expr) -> pl.Expr:
        return (b["right"] * a["wrong"] - luck) / (1 - q) + b["right"] * a["none"] - b["wrong"] * a["none"] * odds

    def gained(luck: pl.Expr) -> pl.Expr:
        return (b["wrong"] * a["right"] - luck) / (1 - q) + b["none"] * a["right"] - b["none"] * a["wrong"] * odds

    def mean(values: pl.Expr) -> pl.Expr:
        return pl.when(values.null_count() == 0).then(values.mean())

    independent, persistent = both_wrong * odds, pl.lit(0.0)
    return {
        "known_before": (b["right"] - b["wrong"] * odds).mean(),
        "known_after": (a["right"] - a["wrong"] * odds).mean(),
        "lost": mean(lost(lucky + silent_lucky)),
        "gained": mean(gained(lucky + silent_lucky)),
        "lost_if_independent": lost(independent).mean(),
        "gained_if_independent": gained(independent).mean(),
        "lost_if_persistent": lost(persistent).mean(),
        "gained_if_persistent": gained(persistent).mean(),
    }


def _exclusions(pair: Pair) -> list[str]:
    """Say which items have no chance reading, and why."""
    q = pl.col("chance")
    counted = (
        pair.items.lazy()
        .filter(pl.col("right").is_not_null())
        .group_by(pl.col("task").cast(pl.String))
        .agg(unknown=q.is_null().sum(), certain=(q >= 1).sum())
        .sort("task")
        .collect()
    )
    said = []
    for column, why in (
        ("unknown", "the number of options is unknown: no chance reading for"),
        ("certain", "every option is right, or there is only one: no chance reading for"),
    ):
        found = counted.filter(pl.col(column) > 0)
        if found.height:
            named = ", ".join(f"{task} ({n})" for task, n in found.select("task", column).head(5).iter_rows())
            more = f" and {found.height - 5} more tasks" if found.height > 5 else ""
            said.append(f"{why} {found[column].sum()} items of {named}{more}")
    return said
