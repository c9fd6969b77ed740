"""Cells: the estimates of tasks, put together by category, group and total.

A cell averages only what it shows and names how much is in it. Weights: `tasks` (mean over tasks), `items` (every item
alike), `categories` (mean of category means, the published Total).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

import polars as pl

from forgetmap.taxonomies import Taxonomy

WEIGHTS = ("tasks", "items", "categories")
LEVELS = ("task", "category", "group", "total")

_OBSERVED = ("no_answer_before", "no_answer_after", "acc_before", "acc_after", "kept", "lost", "gained", "never")
_CHANCE = (
    "known_before", "known_after", "lost", "gained", "lost_from", "lost_to", "gained_from", "gained_to",
    "lost_if_independent", "lost_if_persistent", "gained_if_independent", "gained_if_persistent",
)  # fmt: skip
_PAPER = ("lost", "gained", "lost_max", "gained_max")


@dataclass(frozen=True)
class Cell:
    """Lost and gained of one group of items. Rates are fractions of its paired items; null is not computable."""

    level: str
    name: str
    path: tuple[str, ...]
    tasks: int
    items: int
    mapped: bool  # whether the taxonomy knows the place of these tasks
    task_names: tuple[str, ...]
    observed: dict[str, float | None]
    chance: dict[str, Any] | None
    paper: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as the JSON contract shows it; blocks without an estimate yet are null."""
        none = dict.fromkeys(("lost_low", "lost_high", "gained_low", "gained_high"))
        decisions = dict.fromkeys(
            ("p_lost", "q_lost", "p_gained", "q_gained", "p_net", "q_net", "verdict", "verdict_reading", "margin",
             "detectable")
        )  # fmt: skip
        return {
            "level": self.level,
            "name": self.name,
            "path": list(self.path),
            "tasks": self.tasks,
            "items": self.items,
            "mapped": self.mapped,
            "task_names": list(self.task_names),
            **self.observed,
            **none,
            "chance": self.chance,
            "noise": None,
            "soft": None,
            "paper": self.paper,
            **decisions,
        }


@dataclass(frozen=True)
class _Task:
    name: str
    category: str
    group: str | None
    mapped: bool
    observed: dict[str, Any]
    chance: dict[str, Any] | None
    paper: dict[int, dict[str, float]]  # by seed


def make_cells(
    observed: pl.DataFrame, chance: pl.DataFrame, paper: list[dict[str, Any]], taxonomy: Taxonomy, weight: str
) -> list[Cell]:
    """Return every cell of every level: tasks, categories, groups (where the taxonomy has them) and the total."""
    tasks = _tasks(observed, chance, paper, taxonomy)
    combine = _combine_items if weight == "items" else _combine_tasks
    cells = [_cell("task", t.name, _path(t, t.name), [t], combine) for t in tasks]
    # A task whose scores have no place in [0, 1] is shown, but nothing can be averaged with it.
    tasks = [t for t in tasks if t.observed["acc_before"] is not None] or tasks
    by_category = _grouped(tasks, _home)
    cells += [
        _cell("category", of[0].category, _path(of[0], "")[:-1] or (of[0].category,), of, combine)
        for of in by_category.values()
    ]
    for name, of in _grouped([t for t in tasks if t.group], lambda t: t.group or "").items():
        cells.append(_upper("group", name, (name,), of, weight, combine))
    cells.append(_upper("total", "total", (), tasks, weight, combine))
    return cells


def _path(task: _Task, name: str) -> tuple[str, ...]:
    category = (task.category,) if task.mapped else ()
    return (*((task.group,) if task.group else ()), *category, name)


def _tasks(
    observed: pl.DataFrame, chance: pl.DataFrame, paper: list[dict[str, Any]], taxonomy: Taxonomy
) -> list[_Task]:
    corrected = {row["task"]: _with_ends(row) for row in chance.iter_rows(named=True)}
    published: dict[str, dict[int, dict[str, float]]] = {}
    for row in paper:
        published.setdefault(row["task"], {})[row["seed"]] = row
    made = []
    for row in observed.iter_rows(named=True):
        name = row["task"]
        place = taxonomy.place(name)
        # A task the taxonomy does not know is a category of its own: visible, never filed under a wrong name.
        made.append(
            _Task(
                name,
                place.category or name,
                place.group,
                place.category is not None,
                row,
                corrected.get(name),
                published.get(name, {}),
            )
        )
    order = {name: position for position, name in enumerate(taxonomy.categories)}
    return sorted(made, key=lambda t: (order[t.category] if t.mapped else len(order), t.category, t.name))


def _with_ends(row: dict[str, Any]) -> dict[str, Any]:
    """Where a point is identified it is both ends of its range: a cell's range then follows from its tasks."""
    for direction in ("lost", "gained"):
        if row[direction] is not None:
            row |= {f"{direction}_from": row[direction], f"{direction}_to": row[direction]}
    return row


def _home(task: _Task) -> tuple[bool, str]:
    """A task without a place may bear the name of a category: it is not of that category."""
    return task.mapped, task.category


def _grouped(tasks: Iterable[_Task], by: Callable[[_Task], Any]) -> dict[Any, list[_Task]]:
    groups: dict[Any, list[_Task]] = {}
    for task in tasks:
        groups.setdefault(by(task), []).append(task)
    return groups


_Combine = Callable[[Sequence[dict[str, Any]], Sequence[str]], dict[str, float | None]]


def _combine_tasks(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, float | None]:
    return {name: _mean([row[name] for row in rows]) for name in names}


def _combine_items(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, float | None]:
    weights = [row["items"] for row in rows]
    return {name: _mean([row[name] for row in rows], weights) for name in names}


def _mean(values: Sequence[float | None], weights: Sequence[float] | None = None) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):  # a mean over a part would not be the cell's
        return None
    return fmean(known, weights)


def _cell(
    level: str,
    name: str,
    path: tuple[str, ...],
    tasks: Sequence[_Task],
    combine: _Combine,
    parts: Sequence[_Task] | None = None,
) -> Cell:
    """The cell of some tasks, averaged over `parts`: the tasks themselves, or the means of their categories."""
    merged = _merged(parts or tasks, combine)
    return Cell(
        level,
        name,
        path,
        tasks=len(tasks),
        items=merged.observed["items"],
        mapped=all(t.mapped for t in tasks),
        task_names=tuple(t.name for t in tasks),
        observed={key: merged.observed[key] for key in _OBSERVED},
        chance=merged.chance,
        paper=_over_seeds(merged.paper),
    )


def _upper(
    level: str, name: str, path: tuple[str, ...], tasks: Sequence[_Task], weight: str, combine: _Combine
) -> Cell:
    """A group or the total: over its tasks, or under `categories` over the means of its categories."""
    if weight != "categories":
        return _cell(level, name, path, tasks, combine)
    parts = [_merged(of, combine) for of in _grouped(tasks, _home).values()]
    return _cell(level, name, path, tasks, combine, parts)


def _merged(parts: Sequence[_Task], combine: _Combine) -> _Task:
    first = parts[0]
    if len(parts) == 1:
        row = first.chance
        return replace(first, chance=_chance({name: row[name] for name in _CHANCE}, [row]) if row else None)
    corrected = [part.chance for part in parts if part.chance is not None]
    return _Task(
        first.name,
        first.category,
        first.group,
        first.mapped,
        observed={
            "items": sum(part.observed["items"] for part in parts),
            **combine([part.observed for part in parts], _OBSERVED),
        },
        chance=_chance(combine(corrected, _CHANCE), corrected) if corrected else None,
        paper=_seed_means([part.paper for part in parts if part.paper]),
    )


def _chance(values: dict[str, float | None], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    known, lost = values["known_before"], values["lost"]
    # What is known to a rounding error is nothing: no share of it can be lost.
    of_known = lost / known if lost is not None and known is not None and known > 1e-9 else None
    return {
        "items": sum(row["items"] for row in rows),
        "tasks": sum(row.get("tasks", 1) for row in rows),
        **values,
        **dict.fromkeys(("lost_low", "lost_high", "gained_low", "gained_high")),
        "lost_of_known": of_known,
        "lost_of_known_low": None,
        "lost_of_known_high": None,
    }


def _seed_means(parts: Sequence[dict[int, dict[str, float]]]) -> dict[int, dict[str, float]]:
    """Unweighted mean over the parts, seed by seed, over the seeds that all of them have."""
    if not parts:
        return {}
    common = set(parts[0]).intersection(*parts[1:])
    return {seed: {name: fmean(part[seed][name] for part in parts) for name in _PAPER} for seed in sorted(common)}


def _over_seeds(seeds: dict[int, dict[str, float]]) -> dict[str, Any] | None:
    if not seeds:
        return None
    values = {name: [row[name] for row in seeds.values()] for name in _PAPER}
    several = len(seeds) > 1  # the spread of one seed is undefined, not 0
    return {
        "lost": fmean(values["lost"]),
        "gained": fmean(values["gained"]),
        "lost_sd": stdev(values["lost"]) if several else None,
        "gained_sd": stdev(values["gained"]) if several else None,
        "lost_max": fmean(values["lost_max"]),
        "gained_max": fmean(values["gained_max"]),
        "seeds": len(seeds),
    }
