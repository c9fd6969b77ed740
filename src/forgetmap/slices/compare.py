"""What each slice lost and gained, and which lost more than the rest.

Slices cut across tasks. Guesses are read task by task as in the map; within a slice every item weighs alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from forgetmap.cells import Cell, draft_cells, finish_cells
from forgetmap.estimate.decide import adjust
from forgetmap.evidence import read_tasks
from forgetmap.levels import PlacedTask, make_levels
from forgetmap.pairing import Pair
from forgetmap.pairing.relations import count_patterns
from forgetmap.slices.dimensions import dimensions, slice_column
from forgetmap.taxonomies import Taxonomy

_BETWEEN = ":"  # parts the number of a slice and a task
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Sliced:
    """A pair cut by one dimension: a cell per slice, in reading order."""

    name: str
    label: str
    note: str | None
    cells: list[Cell] = field(repr=False)  # false discoveries are counted over all slices, lost and gained
    more: list[dict[str, Any]] = field(repr=False)  # per slice: how much more than the rest it lost, with p and q
    compared_by: str = "observed"  # the reading under which slices are held against the rest

    @property
    def worst(self) -> str | None:
        """The slice that lost most beyond the rest, if any surely did."""
        sure = [row for row in self.more if row["q"] is not None and row["q"] <= 0.05 and row["more_lost"] > 0]
        return max(sure, key=lambda row: row["more_lost"])["slice"] if sure else None

    def to_dict(self) -> dict[str, Any]:
        """Return the slices as JSON shows them."""
        named = {
            "dimension": self.name,
            "label": self.label,
            "note": self.note,
            "worst": self.worst,
            "compared_by": self.compared_by,
        }
        rows = [{**cell.to_dict(), "against_the_rest": row} for cell, row in zip(self.cells, self.more, strict=True)]
        return {**named, "slices": rows}


def slice_pair(
    pair: Pair, name: str, *, column: pl.Series | None = None, reading: str = "auto", margin: float | None = None
) -> Sliced:
    """Return what each slice of a pair lost and gained.

    Parameters
    ----------
    name : a dimension; `dimensions` lists them.
    column : its slices, aligned with `pair.items`, where they are at hand.
    """
    slices = slice_column(pair, name) if column is None else column
    dimension = next(one for one in dimensions(pair) if one.name == name)
    if not dimension.exchangeable:
        reading = "observed"
    items = pair.items.with_columns(slice=slices)
    counted = count_patterns(items.lazy(), pair.choices, by=("slice",))
    counted = counted.drop("scored", "scored_after")
    counted = counted.with_columns(pl.col("slice").to_physical())
    named = pl.concat_str(pl.col("slice"), pl.lit(_BETWEEN), pl.col("task"))
    patterns = counted.with_columns(task=named).drop("slice")
    parts = counted.select("task", "slice").unique().sort("slice", "task")
    homes: list[tuple[str, int]] = parts.rows()
    choices = {choice.task: choice for choice in pair.choices}
    cut = replace(
        pair,
        patterns=patterns,
        seeds=pair.seeds.clear(),  # the published estimator knows no slices
        positions=pair.positions.join(parts, on="task").with_columns(task=named).select(pair.positions.columns),
        choices=[replace(choices[task], task=f"{slice_}{_BETWEEN}{task}") for task, slice_ in homes],
        _items=items.lazy(),
    )
    vars(cut)["soft"] = None  # probabilities are read by task only
    words = slices.dtype.categories  # type: ignore[attr-defined]
    tasks = [PlacedTask(f"{slice_}{_BETWEEN}{task}", words[slice_], None, True) for task, slice_ in homes]
    readings, _ = read_tasks(cut, tasks, Taxonomy("slices", {"any": ["any"]}))
    countable = ~np.isnan(readings.observed.task_means("acc_before"))
    levels = [lv for lv in make_levels(tasks, "items", countable.tolist()) if lv.name == "category"]
    cells = [_named(cell) for cell in finish_cells([draft_cells(readings, levels, reading=reading, margin=margin)])[0]]
    common = _common_reading(cells)
    return Sliced(name, dimension.label, dimension.note, cells, _against_the_rest(cells, common), common)


def _named(cell: Cell) -> Cell:
    """A slice with the names of the real tasks in it."""
    names = tuple(dict.fromkeys(name.split(_BETWEEN, 1)[1] for name in cell.task_names))
    return replace(cell, level="slice", path=(cell.name,), task_names=names)


def _against_the_rest(cells: list[Cell], reading: str) -> list[dict[str, Any]]:
    """How much more than all other slices together each lost; q over the slices that have a figure.

    Slices share no item, so that variances add; intervals stand for them.
    """
    told = [_figure(cell, reading) for cell in cells]
    rows: list[dict[str, Any]] = []
    for place, (cell, own) in enumerate(zip(cells, told, strict=True)):
        others = [
            (other.items, figure) for at, (other, figure) in enumerate(zip(cells, told, strict=True)) if at != place
        ]
        rest = [(items, figure) for items, figure in others if figure is not None]
        row: dict[str, Any] = {"slice": cell.name, "more_lost": None, "p": None, "q": None}
        if own is not None and rest:
            whole = sum(items for items, _ in rest)
            mean = sum(items * figure[0] for items, figure in rest) / whole
            variance = sum((items * figure[1] / whole) ** 2 for items, figure in rest)
            spread = (own[1] ** 2 + variance) ** 0.5
            row["more_lost"] = own[0] - mean
            row["p"] = 2 * NormalDist().cdf(-abs(row["more_lost"]) / spread) if spread > 0 else 1.0
        rows.append(row)
    having = [row for row in rows if row["p"] is not None]
    for row, q in zip(having, adjust(np.array([row["p"] for row in having])).tolist(), strict=True):
        row["q"] = q
    return rows


def _common_reading(cells: list[Cell]) -> str:
    """The reading of all verdicts; flips where slices are read differently, for unlike figures do not compare."""
    readings = {cell.judged_by for cell in cells if cell.verdict is not None}
    return readings.pop() if len(readings) == 1 else "observed"


def _figure(cell: Cell, reading: str) -> tuple[float, float] | None:
    """The loss of a slice and its standard error under a reading; None where it has none."""
    # What moved at least, and at most, have no standard error: the excess over the floor has.
    block = cell.noise if reading == "noise" else None
    value, low, high = (
        (block["lost"], block["lost_low"], block["lost_high"]) if block else cell.figures(reading, "lost")
    )
    if value is None or low is None or high is None:
        return None
    return value, (high - low) / (2 * _Z)
