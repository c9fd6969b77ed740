"""Causes of a pair as a table: counts, shares and their intervals, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from forgetmap.causes.replies import CAUSES
from forgetmap.estimate.intervals import estimate_mean

DIRECTIONS = {"lost": "after", "gained": "before"}  # whose answers give the cause

CellLike = tuple[str, str, Sequence[str]]  # level, name, names of its tasks


@dataclass(frozen=True)
class Causes:
    """Causes of all lost and gained items of a pair.

    `items` has one row per item and cause: task, item_high, item_low, slot, direction, cause, weight, flags. Weights of an
    item sum to 1; with one answer per side each item has one row.
    """

    items: pl.DataFrame = field(repr=False)
    states: pl.DataFrame = field(repr=False)  # task, direction, cause, answers: how many of all answers, in items
    sizes: dict[str, int] = field(repr=False)  # task -> paired items
    unknown_state: int  # lost and gained items of which nothing is known but that they are wrong
    notes: list[str] = field(repr=False)
    graded: frozenset[str] = field(default=frozenset(), repr=False)  # tasks whose scores are grades

    def table(self, cells: Sequence[CellLike] | None = None) -> list[dict[str, Any]]:
        """Return the rows of the JSON contract: direction, level, name, cause, count, share, low, high, share_of_all, cell.

        Parameters
        ----------
        cells : level, name and task names of each cell; by default every task, and the total.

        Notes
        -----
        `share` is of the cell's lost (gained) items, every item alike, with a 95 % interval; `share_of_all` the share of
        that state among all answers of the side that gives the cause. A grade is neither right nor wrong, so that of
        `wrong_answer` it is null in a cell that holds grades. A cause that nobody shows has no row, and neither has a cell
        that lost (gained) nothing. `cell` is the place of the cell in the list, for names repeat. With
        repeats an item may count for several causes, by parts.
        """
        if cells is None:
            cells = [*(("task", task, (task,)) for task in sorted(self.sizes)), ("total", "total", tuple(self.sizes))]
        counted, everything = self._counted(), self._everything()
        rows = []
        for direction in DIRECTIONS:
            for place, (level, name, tasks) in enumerate(cells):
                found = _cell_rows(direction, level, name, tasks, counted, everything, self.sizes, self.graded)
                rows += [{**row, "cell": place} for row in found]
        return rows

    def _counted(self) -> dict[tuple[str, str], dict[str, dict[float, int]]]:
        """(direction, task) -> cause -> part of an item -> items."""
        found: dict[tuple[str, str], dict[str, dict[float, int]]] = {}
        parts = self.items.group_by("direction", "task", "cause", pl.col("weight").round(12)).len()
        for direction, task, cause, weight, number in parts.sort(parts.columns).iter_rows():
            found.setdefault((direction, task), {}).setdefault(cause, {})[weight] = number
        return found

    def _everything(self) -> dict[tuple[str, str], dict[str, float]]:
        found: dict[tuple[str, str], dict[str, float]] = {}
        for task, direction, cause, answers in self.states.iter_rows():
            found.setdefault((direction, task), {})[cause] = answers
        return found

    def __repr__(self) -> str:
        told = []
        for direction in DIRECTIONS:
            of = self.items.filter(pl.col("direction") == direction)
            shares = of.group_by("cause").agg(pl.col("weight").sum()).sort("weight", "cause", descending=[True, False])
            named = ", ".join(f"{cause} {weight:g}" for cause, weight in shares.iter_rows())
            told.append(f"{direction}: {named or 'none'}")
        return f"Causes({'; '.join(told)})"


def _cell_rows(
    direction: str,
    level: str,
    name: str,
    tasks: Sequence[str],
    counted: dict[tuple[str, str], dict[str, dict[float, int]]],
    everything: dict[tuple[str, str], dict[str, float]],
    sizes: dict[str, int],
    graded: frozenset[str],
) -> list[dict[str, Any]]:
    parts: dict[str, dict[float, int]] = {}
    for task in tasks:
        for cause, weights in counted.get((direction, task), {}).items():
            of_cause = parts.setdefault(cause, {})
            for weight, number in weights.items():
                of_cause[weight] = of_cause.get(weight, 0) + number
    moved = round(sum(weight * number for weights in parts.values() for weight, number in weights.items()))
    if not moved:
        return []
    answers = sum(sizes.get(task, 0) for task in tasks)
    rows = []
    for cause in CAUSES:
        weights = dict(sorted(parts.get(cause, {}).items()))
        # Every grade below the best would be a wrong answer: how common those are, grades do not tell.
        untold = cause == "wrong_answer" and any(task in graded for task in tasks)
        seen = None if untold else sum(everything.get((direction, task), {}).get(cause, 0.0) for task in tasks)
        if not weights and not seen:
            continue
        share = estimate_mean([*weights, 0.0], [*weights.values(), moved - sum(weights.values())])
        count = round(float(sum(weight * number for weight, number in weights.items())), 9)
        rows.append(
            {
                "direction": direction,
                "level": level,
                "name": name,
                "cause": cause,
                "count": int(count) if count.is_integer() else count,
                "share": share.value,
                "low": share.low,
                "high": share.high,
                "share_of_all": None if seen is None else seen / answers,
            }
        )
    return rows
