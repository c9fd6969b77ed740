"""What a suite can show: the planning worlds of its tasks and cells, read off the items of one run.

The run stands on both sides of a pair with itself, so that items, options, answers and repeats are counted as a comparison
would count them. How guesses persist through training, one run cannot tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from forgetmap.estimate.guessing import estimate_guessing
from forgetmap.estimate.intervals import Grouping
from forgetmap.estimate.worlds import MOST_REPEATS, CellWorld, Mixture, World

#: A cell is read with its noise removed where this share of its items has repeats.
_ENOUGH = 0.95


@dataclass(frozen=True)
class TaskWorlds:
    """The kinds of items of one task, with how many there are of each."""

    parts: tuple[tuple[World, float], ...]
    told: bool  # whether chance is known; else only the net change decides, without repeats
    repeated: float  # items with more than one answer

    @property
    def items(self) -> float:
        """Number of items."""
        return sum(items for _, items in self.parts)


def task_worlds(
    patterns: pl.DataFrame, names: Sequence[str], sampled: Sequence[bool], given: Mapping[str, Any]
) -> list[TaskWorlds]:
    """Return the worlds of every task; `given` holds planning values that go before what the run tells."""
    given = {**given, **_guesses_within(patterns, given.get("persistence", World.persistence))}
    by_task = {str(task[0]): rows for task, rows in patterns.group_by("task", maintain_order=True)}
    return [_task(by_task[name], drawn, given) for name, drawn in zip(names, sampled, strict=True)]


def _guesses_within(patterns: pl.DataFrame, persistence: float) -> dict[str, float]:
    """How many guesses the run's own repeats draw anew; those that do not last within a run do not outlast training."""
    if "differ_within" not in patterns.columns:
        return {}
    wrong, repeats = pl.col("wrong"), pl.col("repeats")
    within = patterns.filter((repeats > 1) & (pl.col("n_options") > 0)).with_columns(
        wrong=wrong * (wrong * repeats - 1) / (repeats - 1),  # two of its answers, both wrong
        wrong_after=pl.lit(1.0),
        differ=pl.col("differ_within"),
        unseen=pl.col("unseen_within"),
    )
    lasting = estimate_guessing(within).persistence
    return {} if lasting is None else {"redrawn": 1 - lasting, "persistence": min(persistence, lasting)}


def _task(rows: pl.DataFrame, sampled: bool, given: Mapping[str, Any]) -> TaskWorlds:
    n, q = pl.col("n"), pl.col("chance")
    scored = rows.filter(pl.col("score").is_not_null())
    told = scored.filter(pl.col("right").is_not_null() & (q < 1).fill_null(False))
    floor = _mean(scored, "floor") if "floor" in rows.columns else None
    repeats = scored.filter(pl.col("repeats") > 1) if "repeats" in rows.columns else scored.clear()
    measured = {} if floor is None else {"floor": min(floor, 0.249)}
    answers = _mean(repeats, "repeats") if repeats.height else 1.0
    shared: dict[str, Any] = {
        "sampled": sampled,
        "repeats": min(round(answers or 1), MOST_REPEATS),
        **measured,
        **given,
    }
    repeated = (
        float(repeats["n"].sum()) if "repeats" not in given else float(scored["n"].sum()) * (given["repeats"] > 1)
    )
    if not told.height:  # grades, or options unknown: as open-ended, and grades vary less than right and wrong
        level = _mean(scored, "score")
        parts = (
            () if level is None else ((World(**{"known": level, "options": 0, **shared}), float(scored["n"].sum())),)
        )
        return TaskWorlds(parts, False, repeated)
    corrected = told.with_columns(known=pl.col("right") - pl.col("wrong") * q / (1 - q))
    known = min(max(_mean(corrected, "known") or 0.0, 0.0), 1.0)
    silent = min((_mean(told, "none") or 0.0) / (1 - known), 1.0) if known < 1 else 0.0
    shared |= {"known": known, "no_answer_before": silent, "no_answer_after": silent}
    kinds = told.group_by("n_options", "n_gold", "chance").agg(n.sum()).sort("n_options", "n_gold", "chance")
    worlds = ((World(**{**shared, **_kind(*kind)}), float(items)) for *kind, items in kinds.iter_rows())
    return TaskWorlds(tuple(worlds), True, repeated)


def _kind(options: int | None, golds: int | None, chance: float) -> dict[str, int]:
    if not chance:
        return {"options": 0}
    if options and golds and abs(golds / options - chance) < 1e-9:
        return {"options": options, "golds": golds}
    return {"options": max(round(1 / chance), 2), "golds": 1}  # a profile's own chance: the nearest number of options


def _mean(rows: pl.DataFrame, name: str) -> float | None:
    told = rows.filter(pl.col(name).is_not_null())
    return float(np.average(told[name].to_numpy(), weights=told["n"].to_numpy())) if told.height else None


def cell_worlds(tasks: Sequence[TaskWorlds], grouping: Grouping) -> list[tuple[CellWorld, float] | None]:
    """Return the world of every cell, under the reading that would decide it, and how many items count in it.

    None for a cell without a score.
    """
    made: list[tuple[CellWorld, float] | None] = []
    for cell in range(grouping.cells):
        members = [at for at in np.flatnonzero(grouping.cell == cell).tolist() if tasks[at].items]
        items = sum(tasks[at].items for at in members)
        repeated = sum(tasks[at].repeated for at in members) >= _ENOUGH * items
        sampled = any(world.sampled for at in members for world, _ in tasks[at].parts)
        told = [at for at in members if tasks[at].told]
        # single answers drawn at random, or options unknown throughout: only the net change decides
        net = sampled or not told
        made.append(_cell(tasks, members if repeated or net else told, grouping, repeated, net))
    return made


def _cell(
    tasks: Sequence[TaskWorlds], members: Sequence[int], grouping: Grouping, repeated: bool, net: bool
) -> tuple[CellWorld, float] | None:
    if not members:
        return None
    items = sum(tasks[at].items for at in members)
    answers = sum(world.repeats * n for at in members for world, n in tasks[at].parts) / items
    repeats = max(2, round(answers)) if repeated else 1
    weights = None if grouping.part is None else grouping.weights(np.isin(np.arange(len(tasks)), members))

    def parts(at: int, whole: float) -> tuple[tuple[World, float], ...]:
        return tuple((replace(world, repeats=repeats, sampled=net), n / whole) for world, n in tasks[at].parts)

    if weights is None:  # every item weighs alike: one task made of all
        return CellWorld((Mixture(tuple(part for at in members for part in parts(at, items))),)), items
    of_tasks = [Mixture(parts(at, tasks[at].items), tasks[at].items / items, float(weights[at])) for at in members]
    return CellWorld(tuple(of_tasks)), items
