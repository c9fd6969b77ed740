"""Levels: which tasks make up which cell, by task, category, group and total, and how they weigh there.

Weights: `tasks` (mean over tasks), `items` (every item alike), `categories` (mean of category means, the published
Total).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forgetmap.estimate.intervals import Grouping
from forgetmap.taxonomies import Taxonomy

WEIGHTS = ("tasks", "items", "categories")
LEVELS = ("task", "category", "group", "total")


@dataclass(frozen=True)
class PlacedTask:
    """A task and where the taxonomy puts it."""

    name: str
    category: str
    group: str | None
    mapped: bool  # whether the taxonomy knows its place

    def path(self, *more: str) -> tuple[str, ...]:
        """Group and category, as far as there are any, and what follows."""
        category = (self.category,) if self.mapped else ()
        return (*((self.group,) if self.group else ()), *category, *more)


@dataclass(frozen=True)
class Level:
    """The cells of one level: names, paths and the tasks in each."""

    name: str
    cells: list[tuple[str, tuple[str, ...], list[int]]]  # name, path, places of its tasks
    grouping: Grouping


def place_tasks(names: Sequence[str], taxonomy: Taxonomy) -> list[PlacedTask]:
    """Return the tasks in the order of the taxonomy; those it does not know come last.

    A task without a place is a category of its own: visible, never filed under a wrong name.
    """
    made = []
    for name in names:
        place = taxonomy.place(name)
        made.append(PlacedTask(name, place.category or name, place.group, place.category is not None))
    order = {name: position for position, name in enumerate(taxonomy.categories)}
    return sorted(made, key=lambda t: (order[t.category] if t.mapped else len(order), t.category, t.name))


def make_levels(tasks: Sequence[PlacedTask], weight: str, countable: Sequence[bool]) -> list[Level]:
    """Return every level: task, category, group (where the taxonomy has groups) and total.

    A task that is not countable (its scores have no place in [0, 1]) is a cell, and is averaged with nothing else.
    """
    every = list(range(len(tasks)))
    own = [(tasks[at].name, tasks[at].path(tasks[at].name), [at]) for at in every]
    levels = [_level("task", own, tasks, weight)]
    counted = [at for at in every if countable[at]] or every
    # A task without a place may bear the name of a category: it is not of that category.
    homes = _grouped(counted, lambda at: (tasks[at].mapped, tasks[at].category))
    categories = [(home[1], tasks[of[0]].path() or (home[1],), of) for home, of in homes.items()]
    levels.append(_level("category", categories, tasks, weight))
    groups = _grouped([at for at in counted if tasks[at].group], lambda at: tasks[at].group)
    if groups:
        levels.append(_level("group", [(name, (name,), of) for name, of in groups.items()], tasks, weight))
    levels.append(_level("total", [("total", (), counted)], tasks, weight))
    return levels


def _level(name: str, cells: list[tuple[str, Any, list[int]]], tasks: Sequence[PlacedTask], weight: str) -> Level:
    cell = np.full(len(tasks), -1, dtype=np.int64)
    for place, (_, _, members) in enumerate(cells):
        cell[members] = place
    part: Any = np.arange(len(tasks), dtype=np.int64)
    if weight == "items":
        part = None
    elif weight == "categories" and name in ("group", "total"):
        homes = {home: at for at, home in enumerate(dict.fromkeys((t.group, t.mapped, t.category) for t in tasks))}
        part = np.array([homes[t.group, t.mapped, t.category] for t in tasks], dtype=np.int64)
    return Level(name, cells, Grouping(cell, len(cells), part))


def _grouped(places: Sequence[int], by: Callable[[int], Any]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for at in places:
        groups.setdefault(by(at), []).append(at)
    return groups
