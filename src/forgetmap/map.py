"""ForgettingMap: what was lost and gained between two runs, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from forgetmap.bridge import Bridge, cross_bridge
from forgetmap.cells import Cell, draft_cells, finish_cells
from forgetmap.errors import UsageError
from forgetmap.estimate.decide import check_margin
from forgetmap.estimate.guessing import Guessing
from forgetmap.evidence import READINGS, Readings, read_pair
from forgetmap.flips import list_flips
from forgetmap.levels import LEVELS, WEIGHTS, Level, make_levels
from forgetmap.pairing import Pair, Scale, pair_runs
from forgetmap.readers import read_run
from forgetmap.run import Run
from forgetmap.scorers import DEPENDS, mark_scorers, other_scorers, unequal_scores
from forgetmap.taxonomies import Taxonomy, load_taxonomy

if TYPE_CHECKING:
    from forgetmap.causes import Causes

SCHEMA = "forgetmap.map/1"
SCHEMA_SEVERAL = "forgetmap.maps/1"


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
    reading: str  # what decides the verdicts: auto, or the one asked for
    levels: list[Level] = field(repr=False)
    readings: Readings = field(repr=False)
    bridge: Bridge | None = field(default=None, repr=False)

    @property
    def total(self) -> Cell:
        """The cell that holds everything."""
        return self.cells[-1]

    @cached_property
    def found_causes(self) -> Causes:
        """Why each lost item was lost and each gained item was wrong before; reads the texts where they are needed."""
        from forgetmap.causes import find_causes  # detectors of replies: not needed for a number

        return find_causes(self.pair)

    @cached_property
    def causes(self) -> list[dict[str, Any]]:
        """The causes of every cell, as the JSON contract shows them."""
        return self.found_causes.table([(cell.level, cell.name, cell.task_names) for cell in self.cells])

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
        return list_flips(self.pair, "lost", tasks=tasks, causes=self.found_causes)

    def gained(self, *, tasks: str | None = None) -> pl.DataFrame:
        """Return the items whose score rose."""
        return list_flips(self.pair, "gained", tasks=tasks, causes=self.found_causes)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as the JSON contract shows it (schema forgetmap.map/1)."""
        return {
            "schema": SCHEMA,
            "before": self.pair.before.summary(),
            "after": self.pair.after.summary(),
            "taxonomy": self.taxonomy.name,
            "hidden": list(self.taxonomy.hidden),
            "weight": self.weight,
            "scores": [choice.to_dict() for choice in self.pair.choices],
            "pairing": self.pair.pairing.to_dict(),
            "guessing": self.guessing.to_dict(),
            "cells": [cell.to_dict() for cell in self.cells],
            "reading": self.reading,
            "bridge": self.bridge.to_dict() if self.bridge else None,
            "causes": self.causes,
            "drift": None,
            "diagnosis": None,
            "warnings": self.warnings,
            "notes": [*self.notes, *self.found_causes.notes],
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

    def report(self, path: str | Path, *, items: int = 2000, level: str = "category", reading: str = "auto") -> Path:
        """Write the report page, with so many items at most, and return its path."""
        from forgetmap.report.page.files import write_page

        return write_page(Path(path), [self], items=items, level=level, reading=reading)

    def _repr_html_(self) -> str:
        from forgetmap.report.tables import map_html

        return map_html(self)


RunLike = Run | str | Path


def compare(before: RunLike, after: RunLike, **options: Any) -> ForgettingMap:
    """Return the map of what `after` lost and gained against `before`.

    Parameters
    ----------
    before, after : runs, or paths in any readable format.
    reading : what decides the verdicts: auto, observed, noise, chance; soft and paper decide nothing of their own.
    margin : the loss that does not matter, as a share; default 0.01 where repeats measured a noise floor, else 0.02.
    taxonomy : name, file or Taxonomy; `log` takes the groups found in the before-log. Default `post_forget`.
    weight : tasks, items or categories; default the taxonomy's.
    scorer, metric, tasks : which scores to compare; tasks is a glob.
    threshold, scale : how graded scores are read: right from a value on, or as grades of a range.
    bridge : the before-model under the after-model's prompt (or the reverse): parts prompt from training.
    check_scorers : whether to draw the map under the log's other scorers too, and mark what depends on them.
    force : compare even where less than half of the items pair.
    """
    return compare_all(before, [after], **options)[0]


def compare_all(
    before: RunLike,
    afters: Sequence[RunLike],
    *,
    reading: str = "auto",
    margin: float | None = None,
    taxonomy: str | Path | Taxonomy | None = None,
    weight: str | None = None,
    scorer: str | None = None,
    metric: str | None = None,
    tasks: str | None = None,
    threshold: float | None = None,
    scale: tuple[float, float] | None = None,
    bridge: RunLike | None = None,
    check_scorers: bool = True,
    force: bool = False,
) -> list[ForgettingMap]:
    """Return one map per AFTER; false discoveries are counted over all of them together (see `compare`)."""
    if weight is not None and weight not in WEIGHTS:
        raise UsageError(f"weight is '{weight}'; it must be one of {', '.join(WEIGHTS)}")
    if not afters:
        raise UsageError("there is no after-run; give one or more")
    left, rights = _as_run(before), [_as_run(after) for after in afters]
    scales = Scale(threshold, *(scale or (None, None)))

    def pair(one: Run, other: Run, prefer: str | None = None) -> Pair:
        # what only checks a finding must not refuse it
        named = {
            "scorer": scorer,
            "metric": metric,
            "tasks": tasks,
            "scale": scales,
            "force": force or prefer is not None,
        }
        return pair_runs(one, other, prefer=prefer, **named)  # type: ignore[arg-type]

    asked = {"taxonomy": taxonomy, "weight": weight, "reading": reading, "margin": margin}
    maps = map_pairs([pair(left, right) for right in rights], **asked)  # type: ignore[arg-type]
    if check_scorers and scorer is None and metric is None:
        maps = _check_scorers(maps, [(left, right) for right in rights], pair, asked)
    if unequal := unequal_scores([found.pair for found in maps]):
        maps = [replace(found, warnings=[*found.warnings, *unequal]) for found in maps]
    if bridge is not None:
        middle = _as_run(bridge)
        crossed = [cross_bridge(found.pair, middle, pair, found.levels) for found in maps]
        maps = [
            replace(found, bridge=one, warnings=[*found.warnings, *one.warnings])
            for found, one in zip(maps, crossed, strict=True)
        ]
    return maps


def _check_scorers(
    maps: list[ForgettingMap], runs: list[tuple[Run, Run]], pair: Callable[..., Pair], asked: dict[str, Any]
) -> list[ForgettingMap]:
    """Draw the maps once more under each other scorer, and mark the cells that depend on the choice."""
    others: list[dict[str, list[Cell]]] = [{} for _ in maps]
    for name in dict.fromkeys(name for found in maps for name in other_scorers(found.pair)):
        having = [place for place, found in enumerate(maps) if name in other_scorers(found.pair)]
        drawn = map_pairs([pair(*runs[place], prefer=name) for place in having], **asked)
        for place, found in zip(having, drawn, strict=True):
            others[place][name] = found.cells
    marked = []
    for found, of in zip(maps, others, strict=True):
        cells = mark_scorers(found.cells, of)
        warnings = list(found.warnings)
        depends = [cell.name for cell in cells if DEPENDS in cell.flags and cell.level == "task"]
        if depends:
            shown = ", ".join(depends[:5]) + (f" and {len(depends) - 5} more" if len(depends) > 5 else "")
            warnings.append(f"the finding depends on the scorer ({', '.join(of)} also in the log) in {shown}")
        marked.append(replace(found, cells=cells, warnings=warnings))
    return marked


def map_pair(pair: Pair, **options: Any) -> ForgettingMap:
    """Return the map of a pair; options as of `map_pairs`."""
    return map_pairs([pair], **options)[0]


def map_pairs(
    pairs: Sequence[Pair],
    *,
    taxonomy: str | Path | Taxonomy | None = None,
    weight: str | None = None,
    reading: str = "auto",
    margin: float | None = None,
) -> list[ForgettingMap]:
    """Return the maps of pairs that share a before-run, decided together."""
    if reading not in READINGS:
        raise UsageError(f"reading is '{reading}'; it must be one of {', '.join(READINGS)}")
    check_margin(margin)
    drafts, made = [], []
    for pair in pairs:
        places = _taxonomy(taxonomy, pair.before)
        weighted = weight or places.weight
        readings, warnings = read_pair(pair, places)
        countable = ~np.isnan(readings.observed.task_means("acc_before"))
        levels = make_levels(readings.tasks, weighted, countable.tolist())
        drafts.append(draft_cells(readings, levels, reading=reading, margin=margin))
        made.append((pair, readings, levels, places, weighted, warnings))
    maps = []
    for cells, (pair, readings, levels, places, weighted, warnings) in zip(finish_cells(drafts), made, strict=True):
        notes = [*pair.notes, *_same_run(pair), *_unmapped(cells, places)]
        missing = missing_reading(reading, readings)
        warned = [*pair.warnings, *warnings, *([missing] if missing else [])]
        guessing = readings.chance.guessing
        maps.append(ForgettingMap(pair, cells, guessing, places, weighted, warned, notes, reading, levels, readings))
    return maps


def missing_reading(reading: str, readings: Readings) -> str | None:
    """Return why a reading that was asked for shows nothing; None where it does."""
    if reading == "noise" and readings.noise is None:
        return "no noise reading: it takes repeats, and both runs answer every item once"
    if reading == "soft" and readings.soft is None:
        return "no soft reading: it takes log-probabilities of the options on both sides"
    if reading == "paper" and not readings.paper:
        return "no paper reading: it takes right or wrong answers and the number of options"
    if reading == "chance" and not readings.chance.reading.units.items.any():
        return "no chance reading: it takes the number of options"
    return None


def _same_run(pair: Pair) -> list[str]:
    same = pair.before.info.content_hash is not None and pair.before.info.content_hash == pair.after.info.content_hash
    return ["before and after hold the same samples: a run compared with itself"] if same else []


def _unmapped(cells: list[Cell], places: Taxonomy) -> list[str]:
    unmapped = [cell.name for cell in cells if cell.level == "task" and not cell.mapped]
    if not unmapped:
        return []
    shown = ", ".join(unmapped[:5]) + (f" and {len(unmapped) - 5} more" if len(unmapped) > 5 else "")
    which = f"any of the {len(unmapped)} tasks" if len(unmapped) == cells[-1].tasks > 1 else shown
    own = "each is a cell of its own" if len(unmapped) > 1 else "it is a cell of its own"
    return [f"taxonomy {places.name} has no place for {which}: {own}"]


def maps_to_dict(maps: Sequence[ForgettingMap]) -> dict[str, Any]:
    """Return one map, or several under one schema, as the JSON contract shows it."""
    if len(maps) == 1:
        return maps[0].to_dict()
    return {"schema": SCHEMA_SEVERAL, "maps": [one.to_dict() for one in maps]}


def _as_run(run: RunLike) -> Run:
    return run if isinstance(run, Run) else read_run(run)


def _taxonomy(taxonomy: str | Path | Taxonomy | None, before: Run) -> Taxonomy:
    if taxonomy == "log":
        if not before.info.groups:
            raise UsageError(
                f"{before.source or before.name}: the log names no groups of tasks; choose another taxonomy"
            )
        return Taxonomy.from_groups("log", before.info.groups)
    found = taxonomy if isinstance(taxonomy, Taxonomy) else load_taxonomy(taxonomy or "post_forget")
    return found.with_tasks(before.info.categories.get(found.name, {}))
