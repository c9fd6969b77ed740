"""The `chance` reading: knowledge lost, guessing removed with the help of the wrong answers (statistics.md 2.2).

For an item known by neither model every option is equally likely to be the gold, however the two guesses depend on each
other. So right→wrong flips among unknown items are as frequent as pairs of different wrong choices, times
g / (k − g − 1): they are subtracted. Unanswered items are left out of guessing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from forgetmap.estimate.means import task_means
from forgetmap.estimate.positions import biased_tasks
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


def estimate_guessing(patterns: pl.DataFrame) -> Guessing:
    """Return persistence and agreement over items with at least two wrong options and both choices on record."""
    k, g = pl.col("n_options").cast(pl.Int64), pl.col("n_gold").cast(pl.Int64)
    told = patterns.filter((k - g >= 2) & pl.col("right").is_not_null()).select(
        k=k,
        g=g,
        differ=pl.col("n") * pl.col("differ"),
        both=pl.col("n") * (pl.col("wrong") * pl.col("wrong_after") - pl.col("unseen")),
    )
    sums: dict[tuple[int, int], list[float]] = {}
    for options, golds, unlike, wrong in told.iter_rows():
        pair = sums.setdefault((options, golds), [0.0, 0.0])
        pair[0] += unlike
        pair[1] += wrong
    differ, both = sum(pair[0] for pair in sums.values()), sum(pair[1] for pair in sums.values())
    if both < LEAST_BOTH_WRONG:
        return Guessing(None, 1 - differ / both if both > 0 else None, both)

    def surplus(r: float) -> float:
        return sum(n * (1 - agreement(r, k, g)) for (k, g), (_, n) in sums.items()) - differ

    # Differing choices fall from their maximum at r = 0 to none at r = 1; outside, the nearest end stands.
    persistence = 0.0 if surplus(0.0) <= 0 else 1.0 if differ <= 0 else _root(surplus)
    return Guessing(persistence, 1 - differ / both, both)


def _root(falling: Callable[[float], float]) -> float:
    """Halve [0, 1] down to the last digit around the root of a falling function.

    scipy would do it in fewer steps, and takes half a second to import.
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def estimate_chance(pair: Pair) -> tuple[pl.DataFrame, Guessing, list[str]]:
    """Return the chance reading per task, the pair's guessing, and warnings.

    Columns per task: items (usable ones), known_before, known_after, lost, gained, and what they would be if all guesses
    were fresh (`_if_independent`) or repeated (`_if_persistent`). Where choices do not tell and persistence is not
    identified, lost and gained are null and lost_from … lost_to stand for them: the items that tell, with the rest at
    either extreme.
    """
    biased = biased_tasks(pair)
    patterns = pair.patterns.filter(~pl.col("task").is_in(list(biased)))
    guessing = estimate_guessing(pair.patterns)
    kinds = {choice.task: choice.before.kind for choice in pair.choices}
    of_kind: dict[str | None, float | None] = {}
    for kind in set(kinds.values()):  # persistence is that of the same kind of scoring
        same = [task for task, other in kinds.items() if other == kind]
        of_kind[kind] = estimate_guessing(patterns.filter(pl.col("task").is_in(same))).persistence
    r = pl.col("task").replace_strict({task: of_kind[kind] for task, kind in kinds.items()}, return_dtype=pl.Float64)
    usable = pl.col("right").is_not_null() & (pl.col("chance") < 1).fill_null(False)
    patterns = patterns.filter(usable).with_columns(r=r)
    table = task_means(patterns, _values())
    contradicted = _contradicted(table)
    table = table.filter(~pl.col("task").is_in(list(contradicted)))
    return table, guessing, [*biased.values(), *contradicted.values(), *_exclusions(pair.patterns)]


def _values() -> dict[str, pl.Expr]:
    """The reading's per-item values (statistics.md 2.2)."""
    q = pl.col("chance")
    k, g = pl.col("n_options").cast(pl.Float64), pl.col("n_gold").cast(pl.Float64)
    odds = q / (1 - q)
    b = {name: pl.col(name) for name in ("right", "wrong", "none")}
    a = {name: pl.col(f"{name}_after") for name in ("right", "wrong", "none")}
    both_wrong = b["wrong"] * a["wrong"]
    # Differing wrong choices speak only where two wrong options exist; else, or without choices, persistence must.
    speaks = (k - g >= 2).fill_null(False)
    lucky = pl.when(speaks & (q > 0)).then(pl.col("differ") * g / (k - g - 1)).otherwise(0.0)
    silent = pl.when(q == 0).then(0.0).when(speaks).then(pl.col("unseen")).otherwise(both_wrong)
    fresh = 1 - pl.col("r")
    silent_lucky = pl.when(silent > 0).then(silent * fresh * q / (1 - fresh * q)).otherwise(0.0)

    def lost(luck: pl.Expr) -> pl.Expr:
        return (b["right"] * a["wrong"] - luck) / (1 - q) + b["right"] * a["none"] - b["wrong"] * a["none"] * odds

    def gained(luck: pl.Expr) -> pl.Expr:
        return (b["wrong"] * a["right"] - luck) / (1 - q) + b["none"] * a["right"] - b["none"] * a["wrong"] * odds

    independent, persistent = both_wrong * odds, pl.lit(0.0)
    return {
        "luck": silent_lucky,
        "to_wrong": b["right"] * a["wrong"],
        "to_right": b["wrong"] * a["right"],
        "known_before": b["right"] - b["wrong"] * odds,
        "known_after": a["right"] - a["wrong"] * odds,
        "lost": lost(lucky + silent_lucky),
        "gained": gained(lucky + silent_lucky),
        "lost_from": lost(lucky + silent * odds),
        "lost_to": lost(lucky),
        "gained_from": gained(lucky + silent * odds),
        "gained_to": gained(lucky),
        "lost_if_independent": lost(independent),
        "gained_if_independent": gained(independent),
        "lost_if_persistent": lost(persistent),
        "gained_if_persistent": gained(persistent),
    }


def _contradicted(table: pl.DataFrame) -> dict[str, str]:
    """Tasks where persistence, borrowed from other tasks, would mean more lucky flips than there are flips at all.

    With two options, or without choices on record, a task cannot tell how its own guesses persist. A model that gives the
    same answer to every question flips nothing: fresh guesses would then read as a large negative loss. Three standard
    deviations of a count are allowed for.
    """
    found = {}
    for task, items, luck, lost, gained in table.select("task", "items", "luck", "to_wrong", "to_right").iter_rows():
        if luck is not None and items * luck > items * min(lost, gained) + 3 * (items * luck) ** 0.5 + 1:
            found[task] = (
                f"task '{task}': guesses as fresh as in the other tasks would flip {luck:.1%} of its items each way, but only "
                f"{min(lost, gained):.1%} did: no chance reading"
            )
    return found


def _exclusions(patterns: pl.DataFrame) -> list[str]:
    """Say which items have no chance reading, and why."""
    q, n = pl.col("chance"), pl.col("n")
    counted = (
        patterns.filter(pl.col("right").is_not_null())
        .group_by("task")
        .agg(unknown=n.filter(q.is_null()).sum(), certain=n.filter(q >= 1).sum())
        .sort("task")
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
