"""The `noise` reading: flips beyond what a re-run or re-wording of the same model would give (statistics.md 2.1).

For any pair value, the mean over cross pairs of repeats less half the mean over ordered pairs of different repeats within
either side: 0 in expectation when nothing changed, and lost − gained is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from forgetmap.estimate.chance import chance_values
from forgetmap.estimate.intervals import DIFFERENCE, Atoms, Grouping, Posteriors
from forgetmap.estimate.reading import Reading
from forgetmap.estimate.units import Array
from forgetmap.pairing import Pair
from forgetmap.pairing.ties import TIES


@dataclass(frozen=True)
class Noise:
    """The excess over the noise floor, item by item."""

    reading: Reading
    chance: Reading  # the same of the chance reading: guessing and re-run noise removed
    atoms: Atoms  # of the chance form
    repeats_before: int
    repeats_after: int
    one_sided: bool  # one side has no repeats: the other's floor stands for both

    @property
    def disagrees(self) -> bool:
        """Whether any item's repeats differ on either side: a floor of nothing measures nothing."""
        floors = [self.reading.values[name] for name in ("floor_before", "floor_after")]
        return bool(any(np.nansum(floor) > 0 for floor in floors))

    def at_most(self, direction: str, grouping: Grouping) -> Array:
        """Return ½(√E[d²] + E[d]), the most that can have been lost, per cell; NaN where not identified."""
        sign = 1.0 if direction == "lost" else -1.0
        squares, net = self.reading.mean("square", grouping), self.reading.mean("net", grouping)
        # E[d²] is at least E[d]², though its estimate may fall short of it
        return (np.sqrt(np.maximum(squares, net**2)) + sign * net) / 2

    def at_most_posterior(self, direction: str, grouping: Grouping) -> Posteriors:
        """Return a posterior whose upper ends bound `at_most`.

        √x ≤ (x/c + c)/2 for every c > 0, with equality at c = √x. For a fixed c the right side is a mean of per-item
        values; c is taken where the upper end of E[d²] makes the bound tightest.
        """
        sign = 1.0 if direction == "lost" else -1.0
        squares = self.reading.posterior("square", grouping, DIFFERENCE)
        # E[d²] is not below 0: where its estimate is, the upper end is taken from there
        half = squares.quantile(0.975) - squares.quantile(0.5)
        c = np.sqrt(np.maximum(squares.quantile(0.975), half))[np.maximum(grouping.cell, 0)][self.reading.units.task]
        values = ((self.reading.values["square"] / c + c) / 2 + sign * self.reading.values["net"]) / 2
        return self.reading.posterior(values, grouping, DIFFERENCE)


def read_noise(pair: Pair, tasks: Sequence[str], excluded: Sequence[str]) -> Noise | None:
    """Return the excess over the noise floor, over the items with repeats; None where no side has any.

    Values: lost, gained (F* and its mirror), floor_before, floor_after, lost_at_least, gained_at_least, net, square.
    `excluded` tasks have no chance reading.
    """
    patterns = pair.patterns
    if "floor" not in patterns.columns:
        return None
    ours, theirs = pl.col("floor").is_not_null(), pl.col("floor_after").is_not_null()
    one_sided = not patterns.select((ours & theirs).any()).item()
    usable = patterns.filter(ours | theirs if one_sided else ours & theirs)
    if not usable.height:
        return None
    floor, floor_after = pl.coalesce("floor", "floor_after"), pl.coalesce("floor_after", "floor")
    excess = (floor + floor_after) / 2
    if "tied_right" not in usable.columns:
        usable = usable.with_columns(**dict.fromkeys(TIES[:-1], pl.lit(0.0)), shared=pl.lit(None, dtype=pl.Float64))
    tied = pl.col("tied_right")
    nothing = pl.lit(None, dtype=pl.Float64)
    reading = Reading.of(
        usable,
        tasks,
        {
            "lost": pl.col("lost") + tied - excess,
            "gained": pl.col("gained") + tied - excess,
            "net": pl.col("lost") - pl.col("gained"),
            "floor_before": pl.col("floor"),
            "floor_after": pl.col("floor_after"),
            "lost_at_least": nothing if one_sided else _at_least("", "_after"),
            "gained_at_least": nothing if one_sided else _at_least("_after", ""),
            "square": nothing if one_sided else _square() + 2 * tied,
        },
    )
    corrected, atoms = _chance_form(usable, tasks, excluded, one_sided)
    ours_most, theirs_most = usable.select(pl.col("repeats", "repeats_after").max().cast(pl.Int64)).row(0)
    return Noise(reading, corrected, atoms, ours_most, theirs_most, one_sided)


def _at_least(one: str, other: str) -> pl.Expr:
    """E[p_b(1 − p_a)(p_b − p_a)], each power of p replaced by what estimates it without bias.

    Where both sides were asked with the same S wordings, p_b² p_a is the mean over triples of different wordings, of which
    there are none below S = 3: answers are then taken as independent, which reads low.
    """
    b, floor, a, floor_after = (pl.col(f"{name}{side}") for side in (one, other) for name in ("right", "floor"))
    size = pl.col("shared")
    both = b * a - pl.col("tied_right")  # share of pairs of different wordings that are both right
    together = b * a * size**2 - both * size * (size - 1)  # wordings that both sides answer right
    triples = (a - b) * size * (b * a * size**2 - 2 * together) / (size * (size - 1) * (size - 2))
    return pl.when(size >= 3).then(b - floor - both + triples).otherwise((b - floor) * (1 - a) - b * floor_after)


def _square() -> pl.Expr:
    """(p_b − p_a)², less what the spread of few repeats adds to it."""
    b, a = pl.col("right"), pl.col("right_after")
    return (b - a) ** 2 - pl.col("floor") / pl.col("repeats") - pl.col("floor_after") / pl.col("repeats_after")


def choices_tell() -> pl.Expr:
    """Whether nothing can be guessed, or wrong choices tell how much is."""
    silent = pl.col("unseen") + pl.col("unseen_within").fill_null(0.0) + pl.col("unseen_within_after").fill_null(0.0)
    return (pl.col("chance") == 0) | ((pl.col("n_options") - pl.col("n_gold").cast(pl.Int32) >= 2) & (silent < 1e-9))


def _chance_form(
    usable: pl.DataFrame, tasks: Sequence[str], excluded: Sequence[str], one_sided: bool
) -> tuple[Reading, Atoms]:
    """The A/A-corrected chance reading, for tasks where every choice tells: no persistence enters."""
    whole = usable.group_by("task").agg(told=(choices_tell() & pl.col("right").is_not_null()).fill_null(False).all())
    good = [task for task, ok in whole.iter_rows() if ok and task not in excluded]
    patterns = usable.filter(pl.col("task").is_in(good))
    sides = []
    for side in ("", "_after"):
        if one_sided and patterns.height and patterns[f"floor{side}"].null_count():
            continue
        repeats = pl.col(f"repeats{side}")
        more = repeats / (repeats - 1)
        right, wrong, none = (pl.col(f"{name}{side}") for name in ("right", "wrong", "none"))
        within = chance_values(
            right_wrong=right * wrong * more,
            right_none=right * none * more,
            wrong_none=wrong * none * more,
            differ=pl.col(f"differ_within{side}"),
        )
        sides.append(within)
    floor = pl.sum_horizontal(sides) / len(sides) if sides else pl.lit(0.0)
    b = {name: pl.col(name) for name in ("right", "wrong", "none")}
    a = {name: pl.col(f"{name}_after") for name in ("right", "wrong", "none")}
    both, fell, rose, neither, differ = (pl.col(name) for name in TIES[:-1])  # what ties make more frequent
    differ = pl.col("differ") - differ
    lost = chance_values(
        b["right"] * a["wrong"] - fell,
        b["right"] * a["none"] + both + fell,
        b["wrong"] * a["none"] + rose + neither,
        differ,
    )
    gained = chance_values(
        b["wrong"] * a["right"] - rose,
        b["none"] * a["right"] + both + rose,
        b["none"] * a["wrong"] + fell + neither,
        differ,
    )
    reading = Reading.of(
        patterns, tasks, {"lost": lost - floor, "gained": gained - floor, "top": 1 / (1 - pl.col("chance"))}
    )
    top = np.nan_to_num(reading.task_means("top"), nan=1.0)
    positions = np.stack([top, -top, np.zeros_like(top)], axis=1)
    return reading, Atoms(positions, np.broadcast_to([0.5, 0.5, 1.0], positions.shape).copy())
