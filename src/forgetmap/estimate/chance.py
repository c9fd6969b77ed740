"""The `chance` reading: knowledge lost, guessing removed with the help of the wrong answers (statistics.md 2.2).

For an item known by neither model every option is equally likely to be the gold, however the two guesses depend on each
other. So right→wrong flips among unknown items are as frequent as pairs of different wrong choices, times
g / (k − g − 1): they are subtracted. Unanswered items are left out of guessing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from forgetmap.estimate.guessing import Guessing, estimate_guessing
from forgetmap.estimate.intervals import Atoms
from forgetmap.estimate.positions import biased_tasks
from forgetmap.estimate.reading import Reading
from forgetmap.pairing import Pair

_K, _G, _Q = pl.col("n_options").cast(pl.Float64), pl.col("n_gold").cast(pl.Float64), pl.col("chance")
_ODDS = _Q / (1 - _Q)
#: Differing wrong choices speak only where two wrong options exist.
_SPEAKS = (_K - _G >= 2).fill_null(False)


@dataclass(frozen=True)
class Chance:
    """The chance reading of a pair.

    Values: known_before, known_after; lost and gained at the estimated persistence of guesses (missing where it enters
    and is not identified), at the ends of its 95 % interval (`lost_at_low`, `lost_at_high`), and at both extremes where
    choices do not tell (`lost_from`, `lost_to`); `lost_if_independent` and `lost_if_persistent` take all guesses as fresh
    or as repeated.
    """

    reading: Reading
    atoms: Atoms
    guessing: Guessing
    excluded: tuple[str, ...]  # tasks whose items could be used, but whose reading would lie
    warnings: list[str]

    def ends(self, direction: str) -> list[str]:
        """Return the values whose intervals make up the interval of a direction."""
        point, low, high = (self.reading.values[f"{direction}{end}"] for end in ("", "_at_low", "_at_high"))
        return [direction] if np.array_equal(point, low) and np.array_equal(point, high) else [
            f"{direction}_at_low", f"{direction}_at_high",
        ]  # fmt: skip


def read_chance(pair: Pair, tasks: Sequence[str]) -> Chance:
    """Return the chance reading over the items that can have one."""
    biased = biased_tasks(pair)
    patterns = pair.patterns.filter(~pl.col("task").is_in(list(biased)))
    guessing = estimate_guessing(pair.patterns)
    kinds = {choice.task: choice.before.kind for choice in pair.choices}
    of_kind: dict[str | None, Guessing] = {}
    for kind in set(kinds.values()):  # persistence is that of the same kind of scoring
        same = [task for task, other in kinds.items() if other == kind]
        of_kind[kind] = estimate_guessing(patterns.filter(pl.col("task").is_in(same)))
    usable = pl.col("right").is_not_null() & (pl.col("chance") < 1).fill_null(False)
    patterns = patterns.filter(usable).with_columns(
        pl.col("task")
        .replace_strict({task: getattr(of_kind[kind], name) for task, kind in kinds.items()}, return_dtype=pl.Float64)
        .alias(column)
        for column, name in (("r", "persistence"), ("r_low", "persistence_low"), ("r_high", "persistence_high"))
    )
    reading = Reading.of(patterns, tasks, _values())
    contradicted = _contradicted(reading)
    if contradicted:
        reading = Reading.of(patterns.filter(~pl.col("task").is_in(list(contradicted))), tasks, _values())
    warnings = [*biased.values(), *contradicted.values(), *_exclusions(pair.patterns)]
    return Chance(reading, _atoms(reading), guessing, (*biased, *contradicted), warnings)


def chance_values(right_wrong: pl.Expr, right_none: pl.Expr, wrong_none: pl.Expr, differ: pl.Expr) -> pl.Expr:
    """Return f̂ of one direction from shares of pairs of answers, where choices tell how many flips are luck."""
    luck = pl.when(_SPEAKS & (_Q > 0)).then(differ * _G / (_K - _G - 1)).otherwise(0.0)
    return (right_wrong - luck) / (1 - _Q) + right_none - wrong_none * _ODDS


def _values() -> dict[str, pl.Expr]:
    """The reading's per-item values (statistics.md 2.2)."""
    b = {name: pl.col(name) for name in ("right", "wrong", "none")}
    a = {name: pl.col(f"{name}_after") for name in ("right", "wrong", "none")}
    both_wrong = b["wrong"] * a["wrong"]
    # Without two wrong options, or without choices on record, persistence of guesses must speak.
    silent = pl.when(_Q == 0).then(0.0).when(_SPEAKS).then(pl.col("unseen")).otherwise(both_wrong)
    flips = {
        "lost": (b["right"] * a["wrong"], b["right"] * a["none"], b["wrong"] * a["none"]),
        "gained": (b["wrong"] * a["right"], b["none"] * a["right"], b["none"] * a["wrong"]),
    }

    def luck(r: pl.Expr) -> pl.Expr:
        return pl.when(silent > 0).then(silent * (1 - r) * _Q / (1 - (1 - r) * _Q)).otherwise(0.0)

    everywhere = {
        "": luck(pl.col("r")),
        "_at_low": luck(pl.col("r_low").fill_null(0.0)),
        "_at_high": luck(pl.col("r_high").fill_null(1.0)),
        "_from": luck(pl.lit(0.0)),
        "_to": luck(pl.lit(1.0)),
    }
    values = {
        "luck": everywhere[""],
        "to_wrong": b["right"] * a["wrong"],
        "to_right": b["wrong"] * a["right"],
        "known_before": b["right"] - b["wrong"] * _ODDS,
        "known_after": a["right"] - a["wrong"] * _ODDS,
        "top": 1 / (1 - _Q),
        "closed": (_Q > 0).cast(pl.Float64),
        "bottom": pl.when(_Q == 0)
        .then(0.0)
        .when(_SPEAKS)
        .then(-_G / ((_K - _G - 1) * (1 - _Q)))
        .otherwise(-((1 - pl.col("r").fill_null(0.0)) * _Q / (1 - (1 - pl.col("r").fill_null(0.0)) * _Q)) / (1 - _Q)),
    }
    for direction, pairs in flips.items():
        told = chance_values(*pairs, pl.col("differ"))
        values |= {f"{direction}{end}": told - lucky / (1 - _Q) for end, lucky in everywhere.items()}
        untold = chance_values(*pairs, pl.lit(0.0))
        values[f"{direction}_if_independent"] = untold - both_wrong * _ODDS / (1 - _Q)
        values[f"{direction}_if_persistent"] = untold
    # Where a point is identified it is both ends of its range: a cell's range then follows from its tasks.
    for direction in flips:
        known = values[direction]
        for end in ("_from", "_to"):
            values[f"{direction}{end}"] = pl.coalesce(known, values[f"{direction}{end}"])
    values["net"] = values["known_before"] - values["known_after"]
    return values


def _atoms(reading: Reading) -> Atoms:
    """Half an item lost, half an item of luck, one and a half of neither (statistics.md 3)."""
    top, closed = (np.nan_to_num(reading.task_means(name)) for name in ("top", "closed"))
    bottom = np.divide(np.nan_to_num(reading.task_means("bottom")), closed, out=np.zeros_like(closed), where=closed > 0)
    positions = np.stack([top, bottom, np.zeros_like(top)], axis=1)
    masses = np.stack([np.full_like(top, 0.5), 0.5 * closed, np.full_like(top, 1.5)], axis=1)
    return Atoms(positions, masses)


def _contradicted(reading: Reading) -> dict[str, str]:
    """Tasks where persistence, borrowed from other tasks, would mean more lucky flips than there are flips at all.

    With two options, or without choices on record, a task cannot tell how its own guesses persist. A model that gives the
    same answer to every question flips nothing: fresh guesses would then read as a large negative loss. Three standard
    deviations of a count are allowed for.
    """
    found = {}
    means = (reading.task_means(name) for name in ("luck", "to_wrong", "to_right"))
    for task, items, luck, lost, gained in zip(reading.units.tasks, reading.units.items, *means, strict=True):
        if items * luck > items * min(lost, gained) + 3 * (items * luck) ** 0.5 + 1:  # never so for a missing luck
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
