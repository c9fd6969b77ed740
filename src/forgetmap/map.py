"""ForgettingMap: what was lost and gained between two runs, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from forgetmap.cells import LEVELS, WEIGHTS, Cell, make_cells
from forgetmap.errors import UsageError
from forgetmap.estimate import Guessing, count_transitions, estimate_chance, estimate_paper
from forgetmap.flips import list_flips
from forgetmap.pairing import Pair, Scale, pair_runs
from forgetmap.readers import read_run
from forgetmap.run import Run
from forgetmap.taxonomies import Taxonomy, load_taxonomy

SCHEMA = "forgetmap.map/1"
SCHEMA_SEVERAL = "forgetmap.maps/1"
READINGS = ("auto", "observed", "chance", "paper")


@dataclass(frozen=True)
class ForgettingMap:
    """Estimates of lost and gained for every cell of a taxonomy, and the pair behind them."""

    pair: Pair = field(repr=False)
    cells: list[Cell] = field(repr=False)
    guessing: Guessing
    taxonomy: Taxonomy = field(repr=False)
    weight: str
    warnings: list[str] = field(repr=False)  # what changes how a number should be read
    notes: list[str] = field(repr=False)  # what is worth knowing and changes nothing

    @property
    def total(self) -> Cell:
        """The cell that holds everything."""
        return self.cells[-1]

    def at(self, level: str) -> list[Cell]:
        """Return the cells of a level: task, category, group or total."""
        if level not in LEVELS:
            raise UsageError(f"level is '{level}'; it must be one of {', '.join(LEVELS)}")
        return [cell for cell in self.cells if cell.level == level]

    def by(self, level: str) -> pl.DataFrame:
        """Return the cells of a level as a frame, one row per cell; blocks are struct columns."""
        rows = [cell.to_dict() for cell in self.at(level)]
        return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame()

    def lost(self, *, tasks: str | None = None) -> pl.DataFrame:
        """Return the items whose score fell, with question, gold and both answers where the logs hold them."""
        return list_flips(self.pair, "lost", tasks=tasks)

    def gained(self, *, tasks: str | None = None) -> pl.DataFrame:
        """Return the items whose score rose."""
        return list_flips(self.pair, "gained", tasks=tasks)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as the JSON contract shows it (schema forgetmap.map/1)."""
        return {
            "schema": SCHEMA,
            "before": self.pair.before.summary(),
            "after": self.pair.after.summary(),
            "taxonomy": self.taxonomy.name,
            "weight": self.weight,
            "scores": [choice.to_dict() for choice in self.pair.choices],
            "pairing": self.pair.pairing.to_dict(),
            "guessing": self.guessing.to_dict(),
            "cells": [cell.to_dict() for cell in self.cells],
            "causes": None,
            "drift": None,
            "diagnosis": None,
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def __repr__(self) -> str:
        cell = self.total
        lost, gained = cell.observed["lost"], cell.observed["gained"]
        moved = "no scores in [0, 1]" if lost is None or gained is None else f"{lost:.1%} went 1→0, {gained:.1%} 0→1"
        return f"ForgettingMap({self.pair.before.name} → {self.pair.after.name}: {cell.items} items, {moved})"

    def table(self, level: str = "category", reading: str = "auto") -> str:
        """Return the table that `forgetmap compare` prints, as plain text."""
        from forgetmap.report.tables import map_text

        return map_text(self, level=level, reading=reading)

    def _repr_html_(self) -> str:
        from forgetmap.report.tables import map_html

        return map_html(self)


RunLike = Run | str | Path


def compare(
    before: RunLike,
    after: RunLike,
    *,
    taxonomy: str | Path | Taxonomy | None = None,
    weight: str | None = None,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    threshold: float | None = None,
    scale: tuple[float, float] | None = None,
    force: bool = False,
) -> ForgettingMap:
    """Return the map of what `after` lost and gained against `before`.

    Parameters
    ----------
    before, after : runs, or paths in any readable format.
    taxonomy : name, file or Taxonomy; `log` takes the groups found in the before-log. Default `post_forget`.
    weight : tasks, items or categories; default the taxonomy's.
    scorer, metric, tasks : which scores to compare; tasks is a glob.
    threshold, scale : how graded scores are read: right from a value on, or as grades of a range.
    force : compare even where less than half of the items pair.
    """
    if weight is not None and weight not in WEIGHTS:
        raise UsageError(f"weight is '{weight}'; it must be one of {', '.join(WEIGHTS)}")
    left, right = _as_run(before), _as_run(after)
    reading = Scale(threshold, *(scale or (None, None)))
    pair = pair_runs(left, right, scorer=scorer, metric=metric, tasks=tasks, scale=reading, force=force)
    return map_pair(pair, taxonomy=taxonomy, weight=weight)


def map_pair(pair: Pair, *, taxonomy: str | Path | Taxonomy | None = None, weight: str | None = None) -> ForgettingMap:
    """Return the map of a pair."""
    places = _taxonomy(taxonomy, pair.before)
    weight = weight or places.weight
    corrected, guessing, excluded = estimate_chance(pair)
    cells = make_cells(count_transitions(pair), corrected, estimate_paper(pair, places), places, weight)
    unmapped = [cell.name for cell in cells if cell.level == "task" and not cell.mapped]
    warnings, notes = [*pair.warnings, *excluded], list(pair.notes)
    if unmapped:
        shown = ", ".join(unmapped[:5]) + (f" and {len(unmapped) - 5} more" if len(unmapped) > 5 else "")
        which = f"any of the {len(unmapped)} tasks" if len(unmapped) == cells[-1].tasks > 1 else shown
        own = "each is a cell of its own" if len(unmapped) > 1 else "it is a cell of its own"
        notes.append(f"taxonomy {places.name} has no place for {which}: {own}")
    return ForgettingMap(pair, cells, guessing, places, weight, warnings, notes)


def maps_to_dict(maps: Sequence[ForgettingMap]) -> dict[str, Any]:
    """Return one map, or several under one schema, as the JSON contract shows it."""
    if len(maps) == 1:
        return maps[0].to_dict()
    return {"schema": SCHEMA_SEVERAL, "maps": [one.to_dict() for one in maps]}


def _as_run(run: RunLike) -> Run:
    return run if isinstance(run, Run) else read_run(run)


def _taxonomy(taxonomy: str | Path | Taxonomy | None, before: Run) -> Taxonomy:
    if isinstance(taxonomy, Taxonomy):
        return taxonomy
    if taxonomy == "log":
        if not before.info.groups:
            raise UsageError(
                f"{before.source or before.name}: the log names no groups of tasks; choose another taxonomy"
            )
        return Taxonomy.from_groups("log", before.info.groups)
    return load_taxonomy(taxonomy or "post_forget")
