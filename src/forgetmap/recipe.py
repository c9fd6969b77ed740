"""Recipe: several after-runs that are training seeds of one recipe, as a level above items (statistics.md 3).

Item intervals speak about one checkpoint. Another seed of the same recipe is another checkpoint: what the recipe loses is
the mean over its seeds, and its uncertainty the spread between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, pi, sqrt
from statistics import fmean, stdev
from typing import Any, Protocol

import msgspec

from forgetmap.cells import Cell
from forgetmap.errors import FormatError, UsageError

LEVEL = 0.95


class _Saved(msgspec.Struct):
    seeds: int
    cells: list[dict[str, float | str | list[str] | None]]


@dataclass(frozen=True)
class Recipe:
    """Lost and gained of a recipe, cell by cell: mean over training seeds with a t interval."""

    seeds: int
    cells: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the block of the JSON."""
        return {"seeds": self.seeds, "level": LEVEL, "cells": self.cells}

    @staticmethod
    def from_dict(content: Any, source: str) -> Recipe:
        """Return the recipe that a map's JSON holds."""
        try:
            kept = msgspec.convert(content, _Saved)
        except msgspec.ValidationError as fault:
            raise FormatError(f"{source}: 'recipe' is not one ({fault}); write it again with compare --json") from fault
        return Recipe(kept.seeds, kept.cells)

    def __repr__(self) -> str:
        total = next((cell for cell in self.cells if cell["level"] == "total"), self.cells[-1])
        shown = [f"{total[name]:.1%} {name}" for name in ("lost", "gained") if total[name] is not None]
        return f"Recipe({self.seeds} training seeds: {', '.join(shown) or 'nothing in common'})"


class Mapped(Protocol):
    """What has cells: a map, or a saved one."""

    @property
    def cells(self) -> list[Cell]:
        """All cells, the total last."""


def summarise_recipe(maps: Sequence[Mapped]) -> Recipe:
    """Return the level above the maps of several training seeds, for the cells that all of them have.

    Each cell is read as its verdict is; a cell whose seeds are decided by different readings falls back on flips.
    """
    if len(maps) < 2:
        raise UsageError("one training seed shows no spread; give two or more AFTER runs of one recipe")
    by_place = [{cell.place: cell for cell in found.cells} for found in maps]
    cells = []
    for place, first in by_place[0].items():
        seeds = [found.get(place) for found in by_place]
        there = [cell for cell in seeds if cell is not None]
        if len(there) < len(seeds) or any(cell.task_names != first.task_names for cell in there):
            continue
        decides = {cell.judged_by for cell in there}
        reading = decides.pop() if len(decides) == 1 else "observed"
        row: dict[str, Any] = {"level": first.level, "name": first.name, "path": list(first.path)}
        row["reading"] = reading
        for direction in ("lost", "gained"):
            values = [cell.figures(reading, direction)[0] for cell in there]
            row |= _mean(direction, [value for value in values if value is not None], len(values))
        cells.append(row)
    if not cells:
        raise UsageError("the AFTER runs have no cell in common; training seeds of one recipe share their tasks")
    return Recipe(len(maps), cells)


def _mean(name: str, values: list[float], wanted: int) -> dict[str, Any]:
    if len(values) < wanted:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high", f"{name}_sd"))
    middle, spread = fmean(values), stdev(values)
    reach = student_quantile(len(values) - 1) * spread / sqrt(len(values))
    return {name: middle, f"{name}_low": middle - reach, f"{name}_high": middle + reach, f"{name}_sd": spread}


def student_quantile(freedom: int, p: float = (1 + LEVEL) / 2) -> float:
    """Return the quantile of Student's t, by halving its distribution function.

    >>> round(student_quantile(1), 3), round(student_quantile(4), 3), round(student_quantile(1000), 3)
    (12.706, 2.776, 1.962)
    """
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _student(middle, freedom) < p else (low, middle)
    return (low + high) / 2


def _student(t: float, freedom: int, steps: int = 2000) -> float:
    """Distribution function for t ≥ 0, by Simpson's rule in the angle atan(t/√ν): the integrand is cos^(ν−1)."""
    from math import atan, cos

    end = atan(t / sqrt(freedom))
    width = end / steps
    weights = (1 if place in (0, steps) else 4 if place % 2 else 2 for place in range(steps + 1))
    whole = sum(weight * cos(place * width) ** (freedom - 1) for place, weight in enumerate(weights)) * width / 3
    # logarithms: the gamma function itself overflows from 340 degrees of freedom on
    return 0.5 + whole * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi)
